//! Networks as bytes: a decoded network plays as the encoded one does, and no bytes do harm.

use ggp_game::rng::Sequence;
use ggp_game::{Batches, Game, Hints, PlayoutPlan, StateMachine, StopToken};
use ggp_propnet::{BitState, Cpu, DecodeError, PropNetMachine};
use ggp_tests::{network, playouts, rulesheet, rulesheets, walk};
use std::sync::Arc;

/// A game with recursion through the state, so that its network has a fixpoint component, and with a role that
/// can win at once, so that it has programs for decisive moves.
const RECURSIVE: &str = "(role a) (role b) (node 1) (node 2) (node 3) (init (turn a)) (init (edge 1 2))
    (other a b) (other b a)
    (<= (reach 1) (role a)) (<= (reach ?y) (node ?x) (reach ?x) (true (edge ?x ?y)))
    (<= (reach ?x) (node ?y) (reach ?y) (true (edge ?x ?y)))
    (<= (legal ?r (join ?x ?y)) (true (turn ?r)) (node ?x) (node ?y) (distinct ?x ?y) (not (true (edge ?x ?y))))
    (<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
    (<= (next (edge ?x ?y)) (does ?r (join ?x ?y))) (<= (next (edge ?x ?y)) (true (edge ?x ?y)) (not (cut ?x ?y)))
    (<= (cut ?x ?y) (does ?r (join ?y ?x)))
    (<= (next (turn ?s)) (true (turn ?r)) (other ?r ?s))
    (<= (next (last ?r)) (true (turn ?r)) (does ?r (join ?x ?y)))
    (<= (sees ?r (joined ?x)) (role ?r) (does ?s (join ?x ?y)))
    (<= terminal (reach 3))
    (<= (goal ?r 100) (true (last ?r))) (<= (goal ?r 0) (role ?r) (not (true (last ?r))))";

fn from_bytes(game: &Arc<Game>, bytes: &[u8]) -> Result<PropNetMachine, DecodeError> {
    PropNetMachine::from_bytes(game, bytes, Cpu::detect(), &StopToken::new())
}

#[test]
fn a_decoded_network_plays_as_the_encoded_one_does() {
    let mut texts: Vec<(String, String)> =
        rulesheets().into_iter().map(|name| (name.clone(), rulesheet(&name))).collect();
    texts.push(("recursive".to_owned(), RECURSIVE.to_owned()));
    let (mut with_decisive, mut with_components) = (0, 0);
    for (number, (name, rules)) in texts.into_iter().enumerate() {
        let mut machine = network(&rules);
        // Every other network has its programs for decisive moves already.
        if number % 2 == 0 {
            machine.compile_decisive(&StopToken::new());
        }
        let bytes = machine.to_bytes();
        let mut same = from_bytes(machine.game(), &bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(same.knows_decisive(), machine.knows_decisive(), "{name}");
        assert_eq!(same.to_bytes(), bytes, "{name}");
        assert_eq!(same.report(), machine.report(), "{name}");
        assert_eq!(same.decisive_counts(), machine.decisive_counts(), "{name}");
        assert_eq!(format!("{:?}", same.net()), format!("{:?}", machine.net()), "{name}");
        walk::agree(&mut machine, &mut same, 12, 5).unwrap_or_else(|why| panic!("{name}: {why}"));
        playouts::agree(&mut machine, &same, 40, 7).unwrap_or_else(|why| panic!("{name}: {why:?}"));
        with_decisive += usize::from(machine.decisive_counts().is_some());
        with_components += usize::from(machine.net().counts().components > 0);
        assert_eq!(decisive_playouts(&mut same), decisive_playouts(&mut machine), "{name}");
    }
    assert!(with_decisive > 2 && with_components > 0, "the games have what is compared");
}

/// The outcomes of a few playouts with decisive moves.
fn decisive_playouts(machine: &mut PropNetMachine) -> Vec<String> {
    let start = machine.initial_state().expect("a state");
    let plan =
        PlayoutPlan { per_start: 8, decisive: true, moves: true, max_steps: 60, ..PlayoutPlan::new(3) };
    let mut outcomes = vec![String::new(); plan.per_start];
    let mut sink = |playout: ggp_game::Playout<'_>| outcomes[playout.index] = format!("{playout:?}");
    machine.playouts(&[start], plan, &mut sink).expect("playouts");
    outcomes
}

/// Asks `machine` everything that a search may ask. The answers do not matter.
fn ask_everything(mut machine: PropNetMachine, numbers: &mut Sequence) {
    let _ = (machine.report(), machine.decisive_counts(), machine.net().counts());
    let mut state = machine.initial_state().expect("a state");
    let mut states = vec![state.clone()];
    let game = Arc::clone(machine.game());
    for _ in 0..4 {
        let mut joint = Vec::new();
        for role in game.roles() {
            let mut legal = Vec::new();
            let _ = machine.legal_moves(&state, role, &mut legal);
            machine.distinct_moves(role, &mut legal);
            if let Some(&mv) = (!legal.is_empty()).then(|| &legal[numbers.below(legal.len())]) {
                let _ = machine.move_text(mv).len();
                joint.push(mv);
            }
            let _ = machine.nearness(&[&state], role, &mut Vec::new());
        }
        if joint.len() < game.role_count() {
            break;
        }
        let _ = machine.percepts(&state, &joint, game.roles().next().expect("a role"), &mut Vec::new());
        let Ok(next) = machine.next_state(&state, &joint) else { break };
        let _ = machine.next_states(&[&state], &joint, &mut Vec::new());
        state = next;
        states.push(state.clone());
    }
    let all: Vec<&BitState> = states.iter().collect();
    let _ = machine.outcomes(&all, &mut Vec::new(), &mut Vec::new());
    let _ = machine.all_legal_moves(&all, &mut Vec::new());
    let _ = machine.decisive_moves(&all, &mut Vec::new());
    let _ = machine.facts(&state, &mut Vec::new());
    states.push(machine.state_of(&[]).expect("the empty state"));
    for (per_start, decisive) in [(1, false), (1, true), (12, false), (12, true)] {
        let plan = PlayoutPlan { per_start, decisive, moves: true, max_steps: 6, ..PlayoutPlan::new(1) };
        let _ = machine.playouts(&states[..1], plan, &mut |_| {});
    }
    let plan = PlayoutPlan { per_start: 2, max_steps: 6, ..PlayoutPlan::new(1) };
    let _ = machine.playouts(&states, plan, &mut |_| {});
    for mut subgame in machine.subgames() {
        let _ = subgame.initial_state();
    }
}

#[test]
fn altered_bytes_are_refused_or_harmless() {
    let numbers = &mut Sequence::new(11);
    let (mut refused, mut survived) = (0, 0);
    for rules in [RECURSIVE, &rulesheet("nim"), &rulesheet("monty_hall"), &rulesheet("sprint")] {
        let machine = network(rules);
        machine.compile_decisive(&StopToken::new());
        let (game, bytes) = (Arc::clone(machine.game()), machine.to_bytes());
        for _ in 0..400 {
            let mut altered = bytes.clone();
            for _ in 0..=numbers.below(3) {
                let at = numbers.below(altered.len());
                altered[at] = match numbers.below(4) {
                    0 => numbers.below(256) as u8,
                    1 => altered[at].wrapping_add(1),
                    2 => altered[at].wrapping_sub(1),
                    _ => altered[at] ^ 1 << numbers.below(8),
                };
            }
            match from_bytes(&game, &altered) {
                Err(_) => refused += 1,
                Ok(machine) => {
                    survived += 1;
                    ask_everything(machine, numbers);
                }
            }
        }
    }
    assert!(refused > 100 && survived > 100, "{refused} refused, {survived} survived");
}

#[test]
fn cut_and_foreign_bytes_are_refused() {
    let machine = network(&rulesheet("nim"));
    let (game, bytes) = (Arc::clone(machine.game()), machine.to_bytes());
    for length in (0..bytes.len()).step_by(7).chain([bytes.len() - 1]) {
        assert!(from_bytes(&game, &bytes[..length]).is_err(), "{length} of {} bytes", bytes.len());
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(matches!(from_bytes(&game, &longer), Err(DecodeError::Malformed(_))));
    let other = network(RECURSIVE);
    let three = network(&rulesheet("three_player_tic_tac_toe"));
    assert!(from_bytes(three.game(), &other.to_bytes()).is_err(), "another number of roles");
    let stop = StopToken::new();
    stop.stop();
    let stopped = PropNetMachine::from_bytes(&game, &bytes, Cpu::detect(), &stop);
    assert_eq!(stopped.err(), Some(DecodeError::Interrupted));
}

#[test]
fn lengths_that_no_memory_holds_are_refused() {
    // Lists that claim 2^60 elements, at the places of the first lists of a network.
    let huge = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10];
    let game = Arc::clone(network(RECURSIVE).game());
    for zeros in 0..40 {
        let bytes = [&vec![0; zeros][..], &huge, &[0; 64]].concat();
        assert!(from_bytes(&game, &bytes).is_err());
    }
}
