//! Playouts are the same for every row width and every class of processors.

use super::{Lanes, Run};
use crate::GroundLimits;
use crate::cpu::{Cpu, Kernels};
use crate::evaluator::PhasePrograms;
use crate::machine::WORDS;
use crate::net::PropNet;
use crate::state::BitState;
use ggp_game::{Game, Goals, Move, PlayoutPlan, StopToken};
use std::sync::Arc;

/// Two players take from a heap in turn. At the end both guess at once, and equal guesses make a draw.
const RULES: &str = "(role a) (role b) (init (heap 17)) (init (control a)) (guess 1) (guess 2) (guess 3)
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9)
    (succ 9 10) (succ 10 11) (succ 11 12) (succ 12 13) (succ 13 14) (succ 14 15) (succ 15 16) (succ 16 17)
    (<= (less ?x ?y 1) (succ ?x ?y))
    (<= (less ?x ?y 2) (succ ?x ?z) (succ ?z ?y))
    (<= (less ?x ?y 3) (less ?x ?z 2) (succ ?z ?y))
    (<= (legal ?r (take ?n)) (true (control ?r)) (true (heap ?y)) (less ?x ?y ?n))
    (<= (legal ?r wait) (role ?r) (not (true (control ?r))) (not (true (heap 0))))
    (<= (legal ?r (guess ?n)) (role ?r) (guess ?n) (true (heap 0)))
    (<= (next (heap ?x)) (does ?r (take ?n)) (true (heap ?y)) (less ?x ?y ?n))
    (<= (next (control b)) (true (control a))) (<= (next (control a)) (true (control b)))
    (<= (next (last ?r)) (does ?r (take ?n)))
    (<= (next over) (true (heap 0)))
    (<= (next (lucky ?r)) (does ?r (guess ?n)) (does ?s (guess ?n)) (distinct ?r ?s))
    (<= (next (winner ?r)) (true (heap 0)) (true (last ?r)))
    (<= terminal (true over))
    (<= (goal ?r 100) (true (winner ?r)) (not (true (lucky ?r))))
    (<= (goal ?r 50) (role ?r) (true (lucky ?r)))
    (<= (goal ?r 0) (role ?r) (not (true (winner ?r))) (not (true (lucky ?r))))";

/// Both place a stone in a box at once, for some steps. A stone leaves its box if another one comes to it. The roles
/// have so many moves that their next state depends on sets of moves.
pub(crate) const MANY: &str = "(role a) (role b) (init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
    (at 1) (at 2) (at 3) (at 4) (at 5) (at 6) (at 7) (at 8) (at 9) (at 10) (at 11) (colour red) (colour blue)
    (<= (place ?x ?y) (at ?x) (at ?y)) (<= (box (b ?x ?y ?z)) (place ?x ?y) (at ?z))
    (<= (legal ?r (put ?c (b ?x ?y ?z))) (role ?r) (colour ?c) (box (b ?x ?y ?z)) (not (closed ?x ?y)))
    (<= (legal a pass) (true (step ?n)))
    (<= (closed ?x ?y) (true (stone red (b ?x ?y ?z))) (true (stone blue (b ?v ?w ?z))))
    (<= (closed ?x ?x) (at ?x) (true (step 1)))
    (<= (next (stone ?c ?b)) (does ?r (put ?c ?b)))
    (<= (next (stone ?c ?b)) (true (stone ?c ?b)) (not (moved ?b)))
    (<= (moved ?b) (does ?r (put ?c ?b)))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= terminal (true (step 5))) (<= terminal (true (won a)))
    (<= (odd ?r) (does ?r (put red (b ?x ?x ?z)))) (<= (next (won ?r)) (odd ?r))
    (<= (goal ?r 100) (true (won ?r))) (<= (goal ?r 0) (role ?r) (not (true (won ?r))))";

/// For each playout in ascending order: its index, its steps, its goals and its moves.
type Outcomes = Vec<(usize, u32, Vec<Goals>, Vec<Move>)>;

fn play<const W: usize>(net: &PropNet, programs: &PhasePrograms, cpu: Cpu) -> Outcomes {
    let fluents = net.fluents();
    let mut start = BitState::empty(fluents.len());
    (0..fluents.len()).filter(|&fluent| fluents[fluent].initial).for_each(|fluent| start.set(fluent));
    let number = |role: u32, moves: usize| (0..moves as u32).map(|mv| Move(role * 100 + mv)).collect();
    let moves: Vec<Vec<Move>> =
        net.roles().iter().zip(0..).map(|(role, number_of)| number(number_of, role.moves.len())).collect();
    let run = Run {
        net,
        programs,
        kernels: Kernels::new(cpu),
        moves: &moves,
        starts: &[start],
        chosen: &[0],
        preferred: None,
        plan: PlayoutPlan { per_start: 1200, moves: true, first: 3, ..PlayoutPlan::new(9) },
    };
    let mut outcomes = Outcomes::new();
    Lanes::<W>::new(programs, net.roles().len()).play(
        &run,
        &StopToken::new(),
        &mut |playout| {
            assert!(playout.terminal);
            let (goals, moves) = (playout.goals.to_vec(), playout.moves.to_vec());
            outcomes.push((playout.index, playout.steps, goals, moves));
        },
        None,
    );
    outcomes.sort_by_key(|outcome| outcome.0);
    outcomes
}

#[test]
fn goals_evaluated_later_are_the_same() {
    let game = Arc::new(Game::new(ggp_gdl::parse(RULES.as_bytes()).unwrap()).unwrap());
    let net = PropNet::ground(&game, &GroundLimits::default(), &StopToken::new()).unwrap();
    let never = StopToken::new();
    let (reachable, general) = (PhasePrograms::reachable(&net, &never), PhasePrograms::general(&net, &never));
    for mut programs in [reachable.unwrap(), general.unwrap()] {
        assert_eq!(programs.defer, None, "its goals are cheap");
        let expected = play::<WORDS>(&net, &programs, Cpu::Plain);
        // Every ended playout is stored, and each phase stores more playouts than there are lanes.
        programs.defer = Some(usize::MAX);
        assert!(expected.len() > (64 * WORDS) * programs.phases.len());
        assert_eq!(play::<1>(&net, &programs, Cpu::Plain), expected, "64 lanes");
        assert_eq!(play::<WORDS>(&net, &programs, Cpu::Plain), expected, "512 lanes");
    }
}

#[test]
fn any_width_plays_the_same_playouts() {
    any_width_agrees(RULES);
}

#[test]
fn any_width_plays_the_same_playouts_with_many_moves() {
    any_width_agrees(MANY);
}

fn any_width_agrees(rules: &str) {
    let game = Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap());
    let net = PropNet::ground(&game, &GroundLimits::default(), &StopToken::new()).unwrap();
    let never = StopToken::new();
    let (reachable, general) = (PhasePrograms::reachable(&net, &never), PhasePrograms::general(&net, &never));
    for programs in [reachable.unwrap(), general.unwrap()] {
        let expected = play::<1>(&net, &programs, Cpu::Plain);
        assert_eq!(expected.len(), 1200);
        assert!(expected.iter().any(|outcome| outcome.1 != expected[0].1), "playouts differ in length");
        for cpu in Cpu::available() {
            assert_eq!(play::<1>(&net, &programs, cpu), expected, "{cpu:?}, 64 lanes");
            assert_eq!(play::<2>(&net, &programs, cpu), expected, "{cpu:?}, 128 lanes");
            assert_eq!(play::<4>(&net, &programs, cpu), expected, "{cpu:?}, 256 lanes");
            assert_eq!(play::<WORDS>(&net, &programs, cpu), expected, "{cpu:?}, 512 lanes");
            assert_eq!(play::<16>(&net, &programs, cpu), expected, "{cpu:?}, 1024 lanes");
        }
    }
}

#[test]
fn playouts_that_begin_together_are_the_same() {
    let game = Arc::new(Game::new(ggp_gdl::parse(RULES.as_bytes()).unwrap()).unwrap());
    let net = PropNet::ground(&game, &GroundLimits::default(), &StopToken::new()).unwrap();
    let never = StopToken::new();
    let (reachable, general) = (PhasePrograms::reachable(&net, &never), PhasePrograms::general(&net, &never));
    for mut programs in [reachable.unwrap(), general.unwrap()] {
        assert!(!programs.together, "its programs have no guards");
        let expected = play::<1>(&net, &programs, Cpu::Plain);
        programs.together = true;
        assert_eq!(play::<1>(&net, &programs, Cpu::Plain), expected, "64 lanes");
        assert_eq!(play::<WORDS>(&net, &programs, Cpu::Plain), expected, "512 lanes");
    }
}
