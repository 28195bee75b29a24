//! Playouts with decisive moves. In states where one role chooses, that role wins at once if it can.
//! Otherwise, in a game of two roles, it avoids moves after which the other role can win at once, if it
//! has others. Where nothing of this applies, the moves are those of plain playouts.

mod simultaneous;

use ggp_game::{Batches, DecisiveMoves, Ending, Hints, Verdict};
use ggp_game::{Goal, Goals, Move, PlayoutPlan, Role, StateMachine, rng};
use ggp_propnet::{BitState, PropNetMachine};
use ggp_search::{Halt, Limits, MctsOptions, Search, Technique, Techniques};
use ggp_tests::network;

/// Numbers of checked states in which a role must make a decisive move.
#[derive(Default, PartialEq, Eq, Debug)]
struct Seen {
    /// States with a move that wins at once; every playout must make such a move.
    won: usize,
    /// States in which some, but not all, moves let another role win at once; every playout must make one
    /// of the others.
    threatened: usize,
    /// States with a verdict.
    certain: usize,
    /// States in which each move lets the other role win at once, according to the verdict.
    lost: usize,
}

/// The legal moves of each role; `None` if a role has none.
fn legal_moves(machine: &mut PropNetMachine, state: &BitState) -> Option<Vec<Vec<Move>>> {
    let mut legal = Vec::new();
    for role in machine.game().clone().roles() {
        let mut moves = Vec::new();
        machine.legal_moves(state, role, &mut moves).expect("a state");
        legal.push(moves);
    }
    legal.iter().all(|moves| !moves.is_empty()).then_some(legal)
}

/// The only role with several legal moves, if there is exactly one.
fn decider(legal: &[Vec<Move>]) -> Option<usize> {
    let mut deciding = (0..legal.len()).filter(|&role| legal[role].len() > 1);
    deciding.next().filter(|_| deciding.next().is_none())
}

/// The states after each legal move of `role`. Each other role has one legal move.
fn after(machine: &mut PropNetMachine, state: &BitState, legal: &[Vec<Move>], role: usize) -> Vec<BitState> {
    let mut joint: Vec<Move> = legal.iter().map(|moves| moves[0]).collect();
    let next = |&mv: &Move| {
        joint[role] = mv;
        machine.next_state(state, &joint).expect("legal moves")
    };
    legal[role].iter().map(next).collect()
}

/// Whether `state` is terminal and `role` gets its largest goal there.
fn is_won(machine: &mut PropNetMachine, state: &BitState, role: usize) -> bool {
    let best = machine.net().roles()[role].goals.iter().map(|(goal, _)| goal.value()).max();
    let mut goals: Vec<Goals> = vec![Goals::None; machine.net().roles().len()];
    machine.is_terminal(state).expect("a state") && {
        machine.goals(state, &mut goals).expect("a state");
        goals[role].largest().map(Goal::value) == best
    }
}

/// Whether a role other than `role` can win at once in `state`.
fn is_lost(machine: &mut PropNetMachine, state: &BitState, role: usize) -> bool {
    if machine.is_terminal(state).expect("a state") {
        return false;
    }
    let Some(legal) = legal_moves(machine, state) else { return false };
    // A role can also win by its only move.
    (0..legal.len())
        .filter(|&other| other != role && decider(&legal).is_none_or(|one| one == other))
        .any(|other| after(machine, state, &legal, other).iter().any(|next| is_won(machine, next, other)))
}

/// Checks that the goals are those of `ending` in each of `states` that `winner` has won.
fn check_ending(machine: &mut PropNetMachine, states: &[BitState], winner: usize, ending: Ending) {
    assert_eq!(ending.winner.index(), winner);
    for state in states {
        if is_won(machine, state, winner) {
            let mut goals = vec![Goals::None; machine.net().roles().len()];
            machine.goals(state, &mut goals).expect("a state");
            for (role, goals) in goals.iter().enumerate() {
                let expected = if role == winner { ending.best } else { ending.least };
                assert_eq!(goals.largest(), Some(expected));
            }
        }
    }
}

/// Checks that the goals are those of `ending` after each win of the role that is not `loser` in each of
/// `states`.
fn check_losses(machine: &mut PropNetMachine, states: &[BitState], loser: usize, ending: Ending) {
    let winner = ending.winner.index();
    assert_ne!(winner, loser);
    for state in states {
        if !machine.is_terminal(state).expect("a state")
            && let Some(legal) = legal_moves(machine, state)
        {
            let next = after(machine, state, &legal, winner);
            check_ending(machine, &next, winner, ending);
        }
    }
}

/// Plays one step of `count` playouts from `state`.
fn steps(machine: &mut PropNetMachine, state: &BitState, count: usize, decisive: bool) -> Vec<Vec<Move>> {
    let plan = PlayoutPlan { per_start: count, max_steps: 1, moves: true, decisive, ..PlayoutPlan::new(7) };
    let mut made = vec![Vec::new(); count];
    machine
        .playouts(std::slice::from_ref(state), plan, &mut |playout| {
            made[playout.index] = playout.moves.to_vec();
        })
        .expect("playable");
    made
}

/// Plays `games` random games. `visit` sees each state in which all roles have legal moves, with these moves and the
/// number of the game, and returns the moves among which each role draws.
fn in_random_games(
    machine: &mut PropNetMachine,
    games: u64,
    mut visit: impl FnMut(&mut PropNetMachine, &BitState, Vec<Vec<Move>>, u64) -> Vec<Vec<Move>>,
) {
    for game in 0..games {
        let mut state = machine.initial_state().expect("a state");
        for step in 0..100 {
            if machine.is_terminal(&state).expect("a state") {
                break;
            }
            let Some(legal) = legal_moves(machine, &state) else { break };
            let moves = visit(machine, &state, legal, game);
            let drawn = |(role, moves): (usize, &Vec<Move>)| {
                moves[(rng::mix(game << 32 | step << 8 | role as u64) % moves.len() as u64) as usize]
            };
            let joint: Vec<Move> = moves.iter().enumerate().map(drawn).collect();
            state = machine.next_state(&state, &joint).expect("legal moves");
        }
    }
}

/// Plays random games. In each state in which one role chooses, checks the answer of `decisive_moves` and the
/// moves of playouts.
fn look(machine: &mut PropNetMachine, name: &str, games: u64) -> Seen {
    let mut seen = Seen::default();
    let mut answer = Vec::new();
    let are_two = machine.game().role_count() - usize::from(machine.game().nature().is_some()) == 2;
    in_random_games(machine, games, |machine, state, legal, _| {
        if let Some(role) = decider(&legal) {
            let next = after(machine, state, &legal, role);
            let moves = legal[role].iter().copied().zip(&next);
            let wins: Vec<Move> =
                moves.clone().filter(|(_, next)| is_won(machine, next, role)).map(|(mv, _)| mv).collect();
            let safe: Vec<Move> =
                moves.filter(|(_, next)| !is_lost(machine, next, role)).map(|(mv, _)| mv).collect();
            machine.decisive_moves(&[state], &mut answer).expect("a state");
            let expected = match () {
                () if !wins.is_empty() => &wins,
                () if are_two && !safe.is_empty() => &safe,
                () => &legal[role],
            };
            assert_eq!(&answer[role].moves, expected, "{name}: of {legal:?}");
            let lost = are_two && wins.is_empty() && safe.is_empty();
            match answer[role].verdict {
                Verdict::Open => {}
                Verdict::Wins(ending) => {
                    assert!(!wins.is_empty(), "{name}: of {legal:?}");
                    check_ending(machine, &next, role, ending);
                }
                Verdict::OthersLose(ending) => {
                    assert!(wins.is_empty() && !lost, "{name}: of {legal:?}");
                    check_losses(machine, &next, role, ending);
                }
                Verdict::Loses(ending) => {
                    assert!(lost, "{name}: of {legal:?}");
                    check_losses(machine, &next, role, ending);
                }
            }
            seen.certain += usize::from(answer[role].verdict != Verdict::Open);
            seen.lost += usize::from(matches!(answer[role].verdict, Verdict::Loses(_)));
            // A few playouts run one by one, many in lanes.
            for count in [2, 12] {
                let plain = steps(machine, state, count, false);
                let made = steps(machine, state, count, true);
                let all_in = |set: &[Move]| made.iter().all(|joint| set.contains(&joint[role]));
                let told = || format!("{name}: {wins:?}, {safe:?} of {legal:?}, made {made:?}");
                if !wins.is_empty() {
                    assert!(all_in(&wins), "{}", told());
                    seen.won += 1;
                } else if are_two && !safe.is_empty() && safe.len() < next.len() {
                    assert!(all_in(&safe), "{}", told());
                    seen.threatened += 1;
                } else {
                    assert_eq!(plain, made, "{name}: where nobody has to do anything nothing changes");
                }
            }
        }
        legal
    });
    seen
}

/// The project's rulesheets whose networks support decisive moves, and the counts of `look` in four games
/// of each.
const OURS: [(&str, Seen); 8] = [
    ("breakthrough_holes", Seen { won: 76, threatened: 36, certain: 251, lost: 20 }),
    ("connect_four", Seen { won: 32, threatened: 12, certain: 78, lost: 1 }),
    ("eight_puzzle", Seen { won: 0, threatened: 0, certain: 0, lost: 0 }),
    ("maze", Seen { won: 0, threatened: 0, certain: 0, lost: 0 }),
    ("nim", Seen { won: 2, threatened: 6, certain: 24, lost: 3 }),
    ("pawn_whopping", Seen { won: 40, threatened: 0, certain: 152, lost: 14 }),
    ("three_player_tic_tac_toe", Seen { won: 14, threatened: 0, certain: 0, lost: 0 }),
    ("tic_tac_toe", Seen { won: 10, threatened: 12, certain: 29, lost: 0 }),
];

/// What the machines of the project's other rulesheets say of decisive moves.
const OTHERS: [(&str, &str); 14] = [
    ("chess", "the conditions for a win after each move take too many gates"),
    ("endgame", "the conditions for a win after each move take too many gates"),
    ("english_draughts", "the conditions for a win after each move take too many gates"),
    ("hex", "the end of the game or its goals depend on recursive rules"),
    ("kalah", "the conditions for a win after each move take too many gates"),
    ("kuhn_poker", "no role is known to choose alone"),
    ("liars_dice", "no role is known to choose alone"),
    ("mastermind", "no move is found to win at once"),
    ("monty_hall", "no move is found to win at once"),
    ("reversi", "the conditions for a win after each move take too many gates"),
    ("rock_paper_scissors", "no role is known to choose alone"),
    ("ship_hunt", "no move is found to win at once"),
    ("skirmish", "the conditions for a win after each move take too many gates"),
    ("sprint", "no role is known to choose alone"),
];

/// A game in which the state decides whether a role moves again after its move. The network has no signals for
/// such moves, so it finds a part of the decisive moves only.
const IN_PART: &str = "phantom_tic_tac_toe";

#[test]
fn who_can_win_at_once_does_and_of_two_nobody_lets_the_other() {
    let (mut seen, mut others) = (Vec::new(), Vec::new());
    for name in ggp_tests::rulesheets().into_iter().filter(|name| name != IN_PART) {
        let mut machine = network(&ggp_tests::rulesheet(&name));
        match machine.decisive() {
            DecisiveMoves::On(_) => {
                let looked = look(&mut machine, &name, 4);
                seen.push((name, looked));
            }
            DecisiveMoves::TooSlow(_) => others.push((name, "too slow".to_owned())),
            DecisiveMoves::Off(why) => others.push((name, why.to_string())),
        }
    }
    assert_eq!(seen, OURS.map(|(name, seen)| (name.to_owned(), seen)));
    assert_eq!(others, OTHERS.map(|(name, why)| (name.to_owned(), why.to_owned())));
}

#[test]
fn published_games_are_no_exception() {
    let expected = [
        ("quad_5x5", Seen { won: 16, threatened: 2, certain: 15, lost: 0 }),
        ("nineBoardTicTacToe", Seen { won: 10, threatened: 28, certain: 27, lost: 0 }),
        ("3pConnectFour", Seen { won: 6, threatened: 0, certain: 0, lost: 0 }),
        ("ttcc4_2player", Seen { won: 14, threatened: 8, certain: 36, lost: 4 }),
        ("numbertictactoe", Seen { won: 6, threatened: 6, certain: 8, lost: 0 }),
        ("connect5", Seen { won: 48, threatened: 22, certain: 59, lost: 4 }),
    ];
    let mut seen = Vec::new();
    for (name, _) in &expected {
        let Some(kif) = ggp_tests::published(name) else { return };
        let mut machine = network(&kif);
        assert!(matches!(machine.decisive(), DecisiveMoves::On(_)), "{name}: {}", machine.decisive());
        seen.push((*name, look(&mut machine, name, 1)));
    }
    assert_eq!(seen, expected);
}

/// The rules of connect four, where the second role may exchange the discs with its first move.
fn with_swap() -> String {
    let rules = ggp_tests::rulesheet("connect_four");
    let rules = rules.replacen(
        "(<= (next (cell ?x ?y ?role))\n    (does ?role (drop ?x))\n    (lands ?x ?y))",
        "",
        1,
    );
    let rules = rules.replacen(
        "(goal ?role 100)\n    (wins ?role)",
        "(goal ?role 100) (true (plays ?role ?disc)) (wins ?disc)",
        1,
    );
    let lost = "(opponent ?role ?other)\n    (wins ?other))";
    let rules = rules.replacen(lost, "(opponent ?role ?other) (true (plays ?other ?disc)) (wins ?disc))", 1);
    rules + "(input yellow swap) (base (plies 0)) (base (plies 1)) (base (plies 2)) (init (plies 0))
        (<= (base (plays ?r ?disc)) (role ?r) (role ?disc)) (init (plays red red)) (init (plays yellow yellow))
        (<= (next (plies 1)) (true (plies 0))) (<= (next (plies 2)) (true (plies 1)))
        (<= (next (plies 2)) (true (plies 2)))
        (<= (legal yellow swap) (true (control yellow)) (true (plies 1)))
        (<= (next (plays ?r ?disc)) (true (plays ?r ?disc)) (not (does yellow swap)))
        (<= (next (plays ?r ?disc)) (opponent ?r ?other) (true (plays ?other ?disc)) (does yellow swap))
        (<= (next (cell ?x ?y ?disc)) (does ?role (drop ?x)) (true (plays ?role ?disc)) (lands ?x ?y))"
}

#[test]
fn roles_may_be_exchanged_before() {
    let mut machine = network(&with_swap());
    let seen = look(&mut machine, "connect four with a swap", 4);
    assert!(matches!(machine.decisive(), DecisiveMoves::On(_)), "{}", machine.decisive());
    assert!(seen.won >= 10 && seen.threatened >= 10, "{seen:?}");
}

#[test]
fn the_turn_may_pass_by_the_move_that_waits() {
    let rules = ggp_tests::rulesheet("connect_four");
    let passes = "(next (control ?role))\n    (opponent ?role ?other)\n    (true (control ?other))";
    let waits = rules.replacen(passes, "(next (control ?role)) (does ?role noop)", 1);
    assert_ne!(rules, waits);
    let (mut machine, mut other) = (network(&rules), network(&waits));
    assert_eq!(other.program_counts(), machine.program_counts(), "the same phases");
    assert_eq!(other.decisive(), machine.decisive());
    assert_eq!(look(&mut other, "connect four", 2), look(&mut machine, "connect four", 2));
}

#[test]
fn a_search_looks_at_what_stops_a_threat_first() {
    let mut machine = network(&ggp_tests::rulesheet("connect_four"));
    let mut state = machine.initial_state().expect("a state");
    // White has three in a row on the ground, open at one end, so red must drop there.
    for (role, column) in [(0, 1), (1, 1), (0, 2), (1, 2), (0, 3)] {
        let legal = legal_moves(&mut machine, &state).expect("legal moves");
        let text = format!("(drop {column})");
        let find = |&mv: &Move| machine.move_text(mv) == text;
        let mut joint: Vec<Move> = legal.iter().map(|moves| moves[0]).collect();
        joint[role] = legal[role].iter().copied().find(find).expect("the move");
        state = machine.next_state(&state, &joint).expect("legal moves");
    }
    let mut search = Search::from_state(machine, &MctsOptions::default(), state).expect("a search");
    search.run(&Limits::iterations(100));
    let candidates = search.report(Role(1)).candidates;
    let looked: Vec<&str> = candidates.iter().filter(|one| one.visits > 0).map(|one| &*one.mv).collect();
    assert_eq!((looked, candidates.len()), (vec!["(drop 4)"], 7), "{candidates:?}");
}

/// Plays random games of `machine`. In each state with a verdict that gives the goals, checks that a search knows
/// them at once, and that a search without decisive moves proves them too. Returns the number of these states.
fn check_proofs(machine: &mut PropNetMachine, games: u64) -> usize {
    let mut proved = 0;
    let mut answer = Vec::new();
    in_random_games(machine, games, |machine, state, legal, _| {
        machine.decisive_moves(&[state], &mut answer).expect("a state");
        if let Some(role) = decider(&legal)
            && let Verdict::Wins(ending) | Verdict::Loses(ending) = answer[role].verdict
        {
            for (decisive, iterations) in [(true, 1), (false, 100_000)] {
                let techniques = Techniques::all().with(Technique::Decisive, decisive);
                let options = MctsOptions { techniques, ..MctsOptions::default() };
                let mut search =
                    Search::from_state(machine.clone(), &options, state.clone()).expect("a search");
                assert_eq!(search.run(&Limits::iterations(iterations)), Halt::Decided);
                let best = search.report(Role(role as u8)).candidates.swap_remove(0).proven;
                let won = ending.winner.index() == role;
                assert_eq!(best, Some(if won { ending.best } else { ending.least }.value()));
            }
            proved += 1;
        }
        legal
    });
    proved
}

#[test]
fn what_the_network_says_of_the_end_a_search_knows_at_once() {
    let proved = ["connect_four", "nim", "pawn_whopping", "tic_tac_toe"]
        .map(|name| check_proofs(&mut network(&ggp_tests::rulesheet(name)), 6));
    assert!(proved.iter().all(|&states| states > 5), "{proved:?}");
}

/// Tic-tac-toe in which x may pass, but may not mark two of the cells. The moves of o are then numbered in another
/// order than that of their texts, because x has some of them too.
fn with_unequal_marks() -> String {
    let rules = ggp_tests::rulesheet("tic_tac_toe");
    let legal = "(<= (legal ?role (mark ?x ?y))\n    (true (control ?role))";
    let unequal = rules.replacen(legal, &format!("{legal}\n    (may ?role ?x ?y)"), 1);
    assert_ne!(rules, unequal);
    unequal
        + "(legal x noop) (<= (may o ?x ?y) (index ?x) (index ?y))
        (may x 1 2) (may x 1 3) (may x 2 1) (may x 2 2) (may x 3 1) (may x 3 2) (may x 3 3)"
}

#[test]
fn proofs_do_not_depend_on_the_numbers_of_moves() {
    let mut machine = network(&with_unequal_marks());
    assert!(matches!(machine.decisive(), DecisiveMoves::On(_)), "{}", machine.decisive());
    let mut threatened = 0;
    for game in 0..6u64 {
        let mut state = machine.initial_state().expect("a state");
        for step in 0.. {
            if machine.is_terminal(&state).expect("a state") {
                break;
            }
            let legal = legal_moves(&mut machine, &state).expect("legal moves");
            if let Some(role) = decider(&legal).map(|role| Role(role as u8)) {
                let mut answer = Vec::new();
                machine.decisive_moves(&[&state], &mut answer).expect("a state");
                threatened += usize::from(matches!(answer[role.index()].verdict, Verdict::OthersLose(_)));
                let candidates = [true, false].map(|decisive| {
                    let techniques = Techniques::all().with(Technique::Decisive, decisive);
                    let options = MctsOptions { techniques, ..MctsOptions::default() };
                    let mut search =
                        Search::from_state(machine.clone(), &options, state.clone()).expect("a search");
                    assert_eq!(search.run(&Limits::iterations(1_000_000)), Halt::Decided);
                    search.report(role).candidates
                });
                let [one, other] = &candidates;
                assert_eq!(one[0].proven, other[0].proven, "{one:?}, {other:?}");
                for candidate in one {
                    let same = other.iter().find(|other| other.mv == candidate.mv).expect("a legal move");
                    let agree = candidate.proven.is_none()
                        || same.proven.is_none_or(|goal| Some(goal) == candidate.proven);
                    assert!(agree, "{candidate:?}, {same:?}");
                }
            }
            let drawn = |(role, moves): (usize, &Vec<Move>)| {
                moves[(rng::mix(game << 32 | step << 8 | role as u64) % moves.len() as u64) as usize]
            };
            let joint: Vec<Move> = legal.iter().enumerate().map(drawn).collect();
            state = machine.next_state(&state, &joint).expect("legal moves");
        }
    }
    assert!(threatened > 10, "{threatened}");
}
