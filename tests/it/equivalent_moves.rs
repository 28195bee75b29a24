//! Equivalent moves: moves of one class lead to equivalent games, and the search considers one move of each
//! class first.

use ggp_game::Hints;
use ggp_game::{Goals, Move, Role, StateMachine, rng};
use ggp_propnet::{BitState, PropNetMachine};
use ggp_search::{Halt, Limits, MctsOptions, Search};
use ggp_tests::network;

fn legal(machine: &mut PropNetMachine, state: &BitState, role: Role) -> Vec<Move> {
    let mut moves = Vec::new();
    machine.legal_moves(state, role, &mut moves).expect("a state");
    moves
}

/// The legal moves of `role`, reduced to one move of each equivalence class.
fn one_each(machine: &mut PropNetMachine, state: &BitState, role: Role) -> Vec<Move> {
    let mut moves = legal(machine, state, role);
    machine.distinct_moves(role, &mut moves);
    moves
}

fn are_equivalent(machine: &mut PropNetMachine, role: Role, a: Move, b: Move) -> bool {
    let mut both = vec![a, b];
    machine.distinct_moves(role, &mut both);
    a == b || both.len() == 1
}

/// Tic-tac-toe on three boards, of which only the first one counts.
const BOARDS: &str = "(role x) (role o) (board 1) (board 2) (board 3)
    (cell 1) (cell 2) (cell 3) (cell 4) (cell 5) (cell 6) (cell 7) (cell 8) (cell 9)
    (row 1 2 3) (row 4 5 6) (row 7 8 9) (row 1 4 7) (row 2 5 8) (row 3 6 9) (row 1 5 9) (row 3 5 7)
    (init (control x))
    (<= (next (control o)) (true (control x))) (<= (next (control x)) (true (control o)))
    (<= (legal ?r (mark ?b ?c)) (true (control ?r)) (board ?b) (cell ?c) (not (taken ?b ?c)))
    (<= (legal ?r wait) (role ?r) (not (true (control ?r))))
    (<= (taken ?b ?c) (true (has ?b ?c ?r)))
    (<= (next (has ?b ?c ?r)) (does ?r (mark ?b ?c)))
    (<= (next (has ?b ?c ?r)) (true (has ?b ?c ?r)))
    (<= (won ?r) (role ?r) (row ?c ?d ?e) (true (has 1 ?c ?r)) (true (has 1 ?d ?r)) (true (has 1 ?e ?r)))
    (<= open (cell ?c) (not (taken 1 ?c)))
    (<= terminal (won ?r)) (<= terminal (not open))
    (<= (goal ?r 100) (won ?r))
    (<= (goal ?r 0) (role ?r) (won ?o) (distinct ?r ?o))
    (<= (goal ?r 50) (role ?r) (not (won x)) (not (won o)))";

/// Ten switches; switches 1 to 4 must be pressed in order within ten steps.
const SWITCHES: &str = "(role one) (init (step 0))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9) (succ 9 10)
    (<= (number ?n) (succ ?m ?n))
    (<= (legal one (press ?n)) (number ?n))
    (<= (next (on ?n)) (does one (press ?n)) (not (true (on ?n))))
    (<= (next (on ?n)) (true (on ?n)) (not (does one (press ?n))))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= (next (done 1)) (does one (press 1)))
    (<= (next (done ?n)) (does one (press ?n)) (succ ?m ?n) (true (done ?m)) (small ?n))
    (<= (next (done ?n)) (true (done ?n)))
    (small 2) (small 3) (small 4)
    (<= terminal (true (step 10))) (<= terminal (true (done 4)))
    (<= (goal one 100) (true (done 4))) (<= (goal one 0) (not (true (done 4))))";

/// Rooks that must not attack each other. Their places do not matter for the goals, but each reduces the
/// places of later rooks.
const ROOKS: &str = "(role a) (role b) (line 1) (line 2) (line 3) (line 4) (init (control a))
    (<= (legal ?r (place ?x ?y)) (true (control ?r)) (line ?x) (line ?y) (not (struck ?x ?y)))
    (<= (legal ?r wait) (role ?r) (not (true (control ?r))))
    (<= (struck ?x ?y) (line ?y) (true (rook ?x ?z))) (<= (struck ?x ?y) (line ?x) (true (rook ?z ?y)))
    (<= (next (rook ?x ?y)) (does ?r (place ?x ?y))) (<= (next (rook ?x ?y)) (true (rook ?x ?y)))
    (<= (next (control b)) (true (control a))) (<= (next (control a)) (true (control b)))
    (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= terminal (true (step 4)))
    (<= (goal a 0) (true (step ?n))) (<= (goal b 100) (true (step ?n)))";

/// Three lamps. The first one that is pressed blows a fuse, so that two steps later none can be pressed.
const FUSE: &str =
    "(role one) (lamp 1) (lamp 2) (lamp 3) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
    (<= (legal one (press ?l)) (lamp ?l) (not (true dark)))
    (legal one wait)
    (<= (next blown) (does one (press ?l)))
    (<= (next dark) (true blown)) (<= (next dark) (true dark))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= terminal (true (step 4)))
    (<= (goal one 100) (true (step ?n)))";

#[test]
fn moves_on_boards_that_do_not_count_are_equivalent() {
    let mut machine = network(BOARDS);
    let state = machine.initial_state().expect("a state");
    let left = one_each(&mut machine, &state, Role(0));
    let text = |mv: &Move| machine.move_text(*mv).to_owned();
    let elsewhere: Vec<String> = left.iter().map(text).filter(|mv| !mv.starts_with("(mark 1 ")).collect();
    assert_eq!((left.len(), elsewhere.len()), (10, 1), "{elsewhere:?}");
}

#[test]
fn switches_that_do_not_count_are_equivalent() {
    let mut machine = network(SWITCHES);
    let state = machine.initial_state().expect("a state");
    assert_eq!(one_each(&mut machine, &state, Role(0)).len(), 5);
    let mut search = Search::new(machine, &MctsOptions::default()).expect("a search");
    assert_eq!(search.run(&Limits::iterations(20_000)), Halt::Decided);
}

#[test]
fn moves_that_take_others_away_are_not() {
    let mut machine = network(ROOKS);
    let state = machine.initial_state().expect("a state");
    assert_eq!(one_each(&mut machine, &state, Role(0)).len(), 16);
}

#[test]
fn nor_are_moves_that_take_others_away_later_on() {
    let mut machine = network(FUSE);
    let state = machine.initial_state().expect("a state");
    assert_eq!(one_each(&mut machine, &state, Role(0)).len(), 4);
}

#[test]
fn a_search_looks_at_one_of_them() {
    let mut search = Search::new(network(BOARDS), &MctsOptions::default()).expect("a search");
    search.run(&Limits::iterations(400));
    let candidates = search.report(Role(0)).candidates;
    let looked = candidates.iter().filter(|one| one.visits > 0);
    assert_eq!((looked.count(), candidates.len()), (10, 27), "{candidates:?}");
}

#[test]
fn playouts_and_tree_keep_the_same_one() {
    // The moves of o are numbered in another order than that of their texts, because x has some of them too.
    let condition = "(legal ?r (mark ?b ?c)) (true (control ?r))";
    let rules = BOARDS.replacen(condition, &format!("{condition} (may ?r ?b ?c)"), 1);
    assert_ne!(rules, BOARDS);
    let rules = rules
        + "(<= (may o ?b ?c) (board ?b) (cell ?c)) (<= (may x ?b ?c) (board ?b) (cell ?c) (distinct ?b 2))
        (may x 2 7)";
    let mut machine = network(&rules);
    let mut state = machine.initial_state().expect("a state");
    let mut answer = Vec::new();
    for step in 0..6 {
        let moves = [Role(0), Role(1)].map(|role| legal(&mut machine, &state, role));
        machine.decisive_moves(&[&state], &mut answer).expect("a state");
        let role = Role(step % 2);
        let left = one_each(&mut machine, &state, role);
        assert!(left.len() < moves[role.index()].len());
        let drawn = &answer[role.index()].moves;
        assert!(!drawn.is_empty() && drawn.iter().all(|mv| left.contains(mv)), "{drawn:?} of {left:?}");
        let joint = [0, 1].map(|role: usize| moves[role][(step as usize * 5) % moves[role].len()]);
        state = machine.next_state(&state, &joint).expect("legal moves");
    }
}

/// Plays each random game in two copies that differ by equivalent moves; both must stay equivalent.
/// Returns the number of steps with different joint moves.
fn compare(machine: &mut PropNetMachine, name: &str, games: u64) -> usize {
    let roles: Vec<Role> = machine.game().roles().collect();
    let mut goals = [vec![Goals::None; roles.len()], vec![Goals::None; roles.len()]];
    let mut compared = 0;
    for game in 0..games {
        let mut draws = 0;
        let mut draw = |below: usize| {
            draws += 1;
            (rng::mix(game << 32 | draws) % below as u64) as usize
        };
        let mut states =
            [machine.initial_state().expect("a state"), machine.initial_state().expect("a state")];
        for _ in 0..60 {
            let over = states.each_ref().map(|state| machine.is_terminal(state).expect("a state"));
            assert_eq!(over[0], over[1], "{name}: one has ended");
            if over[0] {
                for (state, goals) in states.iter().zip(&mut goals) {
                    machine.goals(state, goals).expect("a state");
                }
                assert_eq!(goals[0], goals[1], "{name}");
                break;
            }
            let mut joints = [Vec::new(), Vec::new()];
            for &role in &roles {
                let left = states.each_ref().map(|state| one_each(machine, state, role));
                assert_eq!(left[0].len(), left[1].len(), "{name}: {left:?}");
                if left[0].is_empty() {
                    return compared;
                }
                let mv = left[0][draw(left[0].len())];
                let same = |&other: &Move| are_equivalent(machine, role, mv, other);
                let other = left[1].iter().copied().find(same);
                other.unwrap_or_else(|| panic!("{name}: nothing like {mv:?} in {left:?}"));
                // Each copy makes any legal move of the equivalence class.
                for (state, joint) in states.iter().zip(&mut joints) {
                    let mut all = legal(machine, state, role);
                    all.retain(|&one| are_equivalent(machine, role, mv, one));
                    joint.push(all[draw(all.len())]);
                }
            }
            compared += usize::from(joints[0] != joints[1]);
            states = [0, 1].map(|at| machine.next_state(&states[at], &joints[at]).expect("legal moves"));
        }
    }
    compared
}

#[test]
fn whichever_equivalent_move_is_made_the_game_goes_on_alike() {
    for (name, kif) in [("boards", BOARDS), ("switches", SWITCHES)] {
        let compared = compare(&mut network(kif), name, 30);
        assert!(compared > 30, "{name}: {compared}");
    }
    for name in
        ["factoringMediumTurtleBrain", "incredible", "point_grab", "simultaneousWin2", "untwistycomplex2"]
    {
        let Some(kif) = ggp_tests::published(name) else { return };
        let mut machine = network(&kif);
        let compared = compare(&mut machine, name, 8);
        assert!(compared > 0, "{name}");
    }
}
