//! The mixed strategy of a player in a small game of hidden information.

use crate::stage;
use ggp_game::{
    Clocks, Deadline, Fact, JointMoves, Move, Observation, Player, Recall, Recalled, Role, StateMachine,
    StopToken,
};
use ggp_propnet::PropNetMachine;
use ggp_search::{InformationSetOptions, InformationSetPlayer};
use ggp_tests::best_response::{History, Strategies, exploitability};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

pub(crate) fn run(args: &[String]) {
    let [spec, seeds, files @ ..] = args else { panic!("SPEC SEEDS FILE…") };
    let seeds: u64 = seeds.parse().expect("SEEDS");
    for file in files {
        let game = stage::game(Path::new(file));
        let machine = stage::network(&game).expect("a network");
        let mut strategies = Strategies::new();
        for choice in choices(&machine) {
            let mut moves: BTreeMap<String, f64> = choice.legal.iter().map(|mv| (mv.clone(), 0.0)).collect();
            for seed in 0..seeds {
                let mv = chosen(&machine, &choice, spec, seed);
                *moves.get_mut(&mv).expect("a legal move") += 1.0 / seeds as f64;
            }
            let role = game.role_name(choice.role).to_owned();
            let shares: Vec<String> = moves.iter().map(|(mv, share)| format!("{mv} {share:.3}")).collect();
            println!("{role:<8} {:<70} {}", last_percepts(&choice.history), shares.join("  "));
            strategies.insert((role, choice.history), moves);
        }
        let name = stage::name(Path::new(file));
        println!("{name}: exploitability {:.4} of the range", exploitability(&machine, &strategies));
    }
}

/// A choice of a role: what the role has done and seen before, and its legal moves.
struct Choice {
    role: Role,
    history: History,
    legal: Vec<String>,
}

fn last_percepts(history: &History) -> String {
    history.iter().map(|turn| turn.join(" ")).collect::<Vec<_>>().join(" | ")
}

/// All choices of the two roles.
fn choices(machine: &PropNetMachine) -> Vec<Choice> {
    let mut recall = Recall::new(machine.clone());
    let game = machine.game().clone();
    let mut found: BTreeMap<(u8, History), Vec<String>> = BTreeMap::new();
    let mut open = vec![recall.initial_state().expect("evaluates")];
    while let Some(state) = open.pop() {
        if recall.is_terminal(&state).expect("evaluates") {
            continue;
        }
        let mut legal: Vec<Vec<Move>> = Vec::new();
        for role in game.roles() {
            let mut moves = Vec::new();
            recall.legal_moves(&state, role, &mut moves).expect("evaluates");
            if moves.len() > 1 && game.nature() != Some(role) {
                let texts = moves.iter().map(|&mv| machine.move_text(mv).to_owned()).collect();
                found.insert((role.0, history(&state, role)), texts);
            }
            legal.push(moves);
        }
        let mut joints = JointMoves::new(&legal);
        while let Some(joint) = joints.next() {
            open.push(recall.next_state(&state, joint).expect("evaluates"));
        }
    }
    let choice = |((role, history), legal)| Choice { role: Role(role), history, legal };
    found.into_iter().map(choice).collect()
}

fn history<S>(state: &Recalled<S>, role: Role) -> History {
    let turn = |(_, own, seen): (_, &str, &[Fact])| {
        std::iter::once(own.to_owned()).chain(seen.iter().map(|fact| fact.as_str().to_owned())).collect()
    };
    let mut turns: History = state.observed(role).turns().map(turn).collect();
    turns.reverse();
    turns
}

/// The move of a player with `seed` in `choice`. The player has searched in the earlier choices of its role too.
fn chosen(machine: &PropNetMachine, choice: &Choice, spec: &str, seed: u64) -> String {
    let options = InformationSetOptions::try_from(&stage::options(spec, seed)).expect("they apply");
    let copy = machine.clone();
    let mut player = InformationSetPlayer::new(options, move |_, _, _| Ok(copy.clone()));
    let (stop, never, clock) = (StopToken::new(), Deadline::never(), Duration::from_secs(3600));
    let clocks = Clocks { start: clock, play: clock };
    player.start(machine.game(), choice.role, clocks, never, &stop).expect("a start");
    let mut mv = player.play(Observation::Start, never, &stop).expect("a move");
    for (number, turn) in choice.history.iter().enumerate() {
        let seen: Vec<Fact> = turn[1..].iter().map(|fact| Fact::from_canonical(fact.as_str())).collect();
        let turn = Observation::Percepts { turn: number as u32 + 1, own: &turn[0], seen: &seen };
        mv = player.play(turn, never, &stop).expect("a move");
    }
    mv
}
