//! The semantics of rules: lowering of terms, goals and moves, errors, and reuse of machines.

use ggp_game::Batches;
use ggp_game::{
    EvalError, Fact, FluentSet, Game, Goal, Goals, Interpreter, JointMoves, Move, PlayoutPlan, Role,
    StateMachine, StopToken, perft,
};
use ggp_gdl::{Diagnostic, Strictness, parse};
use std::sync::Arc;

fn machine(rules: &str) -> Interpreter {
    Interpreter::new(&ggp_tests::game(rules))
}

fn refusal(rules: &str) -> Vec<Diagnostic> {
    Game::new(parse(rules.as_bytes()).expect("well formed")).expect_err("it cannot be played")
}

/// A machine for `rules`, completed to a game of one role.
fn solo(rules: &str) -> Interpreter {
    machine(&format!("(role r) {rules} (legal r go) (goal r 0) (<= terminal (true (over)))"))
}

fn facts(machine: &mut Interpreter, state: &FluentSet) -> Vec<String> {
    let mut facts = Vec::new();
    machine.facts(state, &mut facts).expect("evaluates");
    facts.iter().map(|fact| fact.as_str().to_owned()).collect()
}

fn legal(machine: &mut Interpreter, state: &FluentSet, role: u8) -> Vec<String> {
    let mut legal = Vec::new();
    machine.legal_moves(state, Role(role), &mut legal).expect("evaluates");
    legal.iter().map(|&mv| machine.move_text(mv).to_owned()).collect()
}

fn state(machine: &mut Interpreter, facts: &[&str]) -> FluentSet {
    let facts: Vec<Fact> = facts.iter().map(|fact| Fact::from_canonical(*fact)).collect();
    machine.state_of(&facts).expect("facts of this game")
}

/// The facts of the state after `joint`, whose moves the machine must know.
fn after(machine: &mut Interpreter, state: &FluentSet, joint: &[&str]) -> Vec<String> {
    for role in 0..joint.len() {
        legal(machine, state, role as u8);
    }
    let joint = machine.parse_joint(joint).expect("a joint move");
    let next = machine.next_state(state, &joint).expect("evaluates");
    facts(machine, &next)
}

#[test]
fn variables_stand_for_whole_fluents() {
    let mut machine = solo(
        "(init (cell 1 2)) (init (lock)) (init lock) (init (deep (f (g 1) 2)))
         (<= (next ?f) (true ?f) (not (true (cell ?x ?y))) (n ?x) (n ?y)) (n 1) (n 3)
         (<= (next (seen ?f)) (true ?f) (distinct ?f lock))
         (<= (next (inner ?x)) (true (deep (f (g ?x) ?y))))",
    );
    let initial = machine.initial_state().unwrap();
    assert_eq!(facts(&mut machine, &initial), ["(cell 1 2)", "(deep (f (g 1) 2))", "(lock)", "lock"]);
    assert_eq!(
        after(&mut machine, &initial, &["go"]),
        [
            "(cell 1 2)",
            "(deep (f (g 1) 2))",
            "(inner 1)",
            "(lock)",
            "(seen (cell 1 2))",
            "(seen (deep (f (g 1) 2)))",
            "(seen (lock))",
            "lock",
        ]
    );
}

#[test]
fn a_constant_is_not_a_function_without_arguments() {
    let mut machine = solo(
        "(init lock) (<= (next (yes)) (true (lock))) (<= (next no) (true lock))
         (<= (next (lock)) (not (true (lock))) (not (true (yes)))) (<= (next lock) (true (yes)))",
    );
    let initial = machine.initial_state().unwrap();
    assert_eq!(after(&mut machine, &initial, &["go"]), ["(lock)", "no"]);
    let other = state(&mut machine, &["(lock)"]);
    assert_eq!(after(&mut machine, &other, &["go"]), ["(yes)"]);
}

#[test]
fn legal_is_read_for_what_is_no_role() {
    let mut machine = machine(
        "(role white) (init on) (<= (next on) (true on)) (legal any (go 1)) (legal any (go 2))
         (<= (legal ?r ?m) (role ?r) (legal any ?m)) (<= terminal (true off)) (goal white 50)",
    );
    let initial = machine.initial_state().unwrap();
    assert_eq!(legal(&mut machine, &initial, 0), ["(go 1)", "(go 2)"]);
}

#[test]
fn legal_is_read_in_bodies_in_every_form() {
    let mut machine = machine(
        "(role a) (role b) (init (n 1)) (n 1) (n 2)
         (<= (legal a (put ?x)) (n ?x)) (legal a wait)
         (<= (legal b ?m) (legal a ?m) (distinct ?m wait))
         (<= (legal b (copy ?m)) (legal a ?m))
         (<= (legal b first) (legal a (put 1)) (not (true (n 3))))
         (<= (next (could ?m)) (legal b ?m) (not (does b ?m)))
         (<= (next (did ?r ?m)) (does ?r ?m))
         (goal a 0) (goal b 0) (<= terminal (true (over)))",
    );
    let initial = machine.initial_state().unwrap();
    assert_eq!(legal(&mut machine, &initial, 0), ["(put 1)", "(put 2)", "wait"]);
    assert_eq!(
        legal(&mut machine, &initial, 1),
        ["(copy (put 1))", "(copy (put 2))", "(copy wait)", "(put 1)", "(put 2)", "first"]
    );
    let next = after(&mut machine, &initial, &["wait", "(copy (put 2))"]);
    assert_eq!(
        next,
        [
            "(could (copy (put 1)))",
            "(could (copy wait))",
            "(could (put 1))",
            "(could (put 2))",
            "(could first)",
            "(did a wait)",
            "(did b (copy (put 2)))",
        ]
    );
}

#[test]
fn a_move_variable_makes_no_cycle_among_moves() {
    // (legal white a) depends on the second rule only, which does not depend on legal.
    let game = "(role white) (init (step 1)) (<= (next (step 2)) (true (step 1))) (legal white go)
        (<= terminal (true (step 2))) (goal white 100) (n a) (n white) (q a b)
        (<= (legal ?x (f ?y)) (n ?x) (n ?y) (not (legal white a)))
        (<= (legal white ?x) (n ?x) (n ?y) (q a ?x))
        (<= (p a) (n ?x) (n ?y) (legal white ?x)) (<= (legal white end) (p a))";
    let mut machine = machine(game);
    let initial = machine.initial_state().unwrap();
    assert_eq!(legal(&mut machine, &initial, 0), ["(f a)", "(f white)", "go"]);
}

#[test]
fn goals_of_one_role_do_not_depend_on_those_of_another() {
    // Constants in two arguments, neither of which alone separates the cases.
    let mut machine = machine(
        "(role white) (role black) (init (s 1)) (legal white go) (legal black go) (<= terminal (true (s 2)))
         (<= (next (s 2)) (true (s 1)))
         (<= (goal white 100) (true (s 2)))
         (<= (goal black 0) (goal ?r 100)) (<= (goal black 100) (not (goal white 100)))
         (<= (goal white 0) (not (goal white 100)))",
    );
    let mut goals = [Goals::None; 2];
    let start = machine.initial_state().unwrap();
    machine.goals(&start, &mut goals).unwrap();
    // Black has 100, and also 0 because a role has 100.
    let [none, all] = [0, 100].map(|value| Goal::new(value).unwrap());
    assert_eq!(goals, [Goals::One(none), Goals::Several(all)]);
    let end = state(&mut machine, &["(s 2)"]);
    machine.goals(&end, &mut goals).unwrap();
    assert_eq!(goals, [Goals::One(all), Goals::One(none)]);
}

#[test]
fn goals_are_numbers_from_0_to_100_and_the_largest_of_several_is_kept() {
    let mut machine = machine(
        "(role r) (init (value 7)) (legal r go) (<= terminal (true (over)))
         (<= (goal r ?n) (true (value ?n))) (<= (next (value ?n)) (true (value ?n)))",
    );
    let goal = |value| Goal::new(value).unwrap();
    for (values, given) in [
        (&["7"][..], Goals::One(goal(7))),
        (&["0"], Goals::One(goal(0))),
        (&["100"], Goals::One(goal(100))),
        (&["101"], Goals::None),
        (&["1000"], Goals::None),
        (&["01"], Goals::None),
        (&["+7"], Goals::None),
        (&["-1"], Goals::None),
        (&["win"], Goals::None),
        (&["(f 7)"], Goals::None),
        (&[], Goals::None),
        (&["7", "8"], Goals::Several(goal(8))),
        (&["100", "20", "0"], Goals::Several(goal(100))),
        (&["7", "win"], Goals::Several(goal(7))),
        (&["win", "101"], Goals::None),
    ] {
        let facts: Vec<String> = values.iter().map(|v| format!("(value {v})")).collect();
        let facts: Vec<&str> = facts.iter().map(String::as_str).collect();
        let state = state(&mut machine, &facts);
        let mut goals = [Goals::None];
        machine.goals(&state, &mut goals).unwrap();
        assert_eq!(goals, [given], "{values:?}");
    }
}

#[test]
fn moves_are_read_with_any_blanks_and_by_folded_case_if_that_is_unique() {
    let mut machine = machine(
        "(role r) (init (s 1)) (legal r (move A 1)) (legal r (Move a 2)) (legal r (move a 2)) (legal r noop)
         (goal r 0) (<= terminal (true (s 2))) (<= (next (s 2)) (true (s 1)))",
    );
    assert_eq!(machine.parse_move("noop"), None, "nothing has been asked yet");
    let initial = machine.initial_state().unwrap();
    assert_eq!(legal(&mut machine, &initial, 0), ["(Move a 2)", "(move A 1)", "(move a 2)", "noop"]);
    let mut read = |text: &str| machine.parse_move(text).map(|mv| machine.move_text(mv).to_owned());
    assert_eq!(read(" ( move  a\t2 ) ").as_deref(), Some("(move a 2)"));
    assert_eq!(read("(MOVE a 1)").as_deref(), Some("(move A 1)"));
    assert_eq!(read("NOOP").as_deref(), Some("noop"));
    for unknown in ["(MOVE A 2)", "(move a 3)", "(noop)", "noop noop", "(move a 2", ""] {
        assert_eq!(read(unknown), None, "{unknown}");
    }
}

#[test]
fn states_are_rebuilt_from_their_facts() {
    let mut machine = machine(&ggp_tests::rulesheet("connect_four"));
    let mut state = machine.initial_state().unwrap();
    for _ in 0..5 {
        let mut known = Vec::new();
        machine.facts(&state, &mut known).unwrap();
        assert_eq!(machine.state_of(&known).unwrap(), state);
        known.reverse();
        known.push(known[0].clone());
        assert_eq!(machine.state_of(&known).unwrap(), state, "order and repetition are of no account");
        let mut joint = Vec::new();
        for role in machine.game().clone().roles() {
            let mut legal = Vec::new();
            machine.legal_moves(&state, role, &mut legal).unwrap();
            joint.push(legal[0]);
        }
        state = machine.next_state(&state, &joint).unwrap();
    }
    for bad in ["(nothing 1)", "(cell", "cell 1", ""] {
        let answer = machine.state_of(&[Fact::from_canonical(bad)]);
        assert_eq!(answer, Err(EvalError::UnknownFact(bad.to_owned())));
    }
}

#[test]
fn each_role_sees_its_own_percepts() {
    let mut machine = machine(
        "(role a) (role b) (init (hand a 1)) (init (hand b 2)) (legal a (say x)) (legal a quiet) (legal b quiet)
         (<= (sees ?r (own ?c)) (true (hand ?r ?c)))
         (<= (sees b ?m) (does a ?m)) (<= (sees ?r heard) (role ?r) (does a (say ?x)))
         (<= (next (hand ?r ?c)) (true (hand ?r ?c)))
         (goal a 0) (goal b 0) (<= terminal (true (over)))",
    );
    let state = machine.initial_state().unwrap();
    legal(&mut machine, &state, 0);
    legal(&mut machine, &state, 1);
    let mut seen = |joint: [&str; 2], role| {
        let joint = machine.parse_joint(&joint).unwrap();
        let mut out = Vec::new();
        machine.percepts(&state, &joint, Role(role), &mut out).unwrap();
        out.iter().map(|fact| fact.as_str().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(seen(["(say x)", "quiet"], 0), ["(own 1)", "heard"]);
    assert_eq!(seen(["(say x)", "quiet"], 1), ["(own 2)", "(say x)", "heard"]);
    assert_eq!(seen(["quiet", "quiet"], 0), ["(own 1)"]);
}

#[test]
fn at_most_255_roles_play() {
    let with = |count: usize| {
        let roles: String = (0..count).map(|n| format!("(role r{n}) ")).collect();
        format!(
            "{roles} (init (s 1)) (<= (legal ?r go) (role ?r)) (<= (goal ?r 0) (role ?r)) (<= terminal (true (s 1)))"
        )
    };
    let game = ggp_tests::game(&with(255));
    assert_eq!(game.role_count(), 255);
    assert_eq!(game.role_name(Role(254)), "r254");
    assert!(refusal(&with(256))[0].message.contains("256 roles"));
}

/// A counter written as a term that grows by one function per step, and a move that derives infinitely
/// many terms.
const GROWING: &str = "(role r)\r(init (count zero))\r(legal r go)\r(legal r burst)\r
(<= (next (count (s ?n))) (true (count ?n)) (does r go))\r
(<= (number ?n) (true (count ?n)) (does r burst))\r
(<= (number (s ?n)) (number ?n))\r
(<= (next (count ?n)) (number ?n))\r(goal r 0)\r(<= terminal (true (count end)))\r";

#[test]
fn a_game_whose_terms_grow_is_stopped_in_the_line_of_its_rule_and_plays_on() {
    let limits = ggp_datalog::Limits { terms: 2_000, ..ggp_datalog::Limits::default() };
    let description = parse(GROWING.as_bytes()).expect("well formed");
    let game = Game::with_limits(description, Strictness::Lenient, limits).expect("it loads");
    let mut machine = Interpreter::new(&Arc::new(game));
    let mut state = machine.initial_state().unwrap();
    legal(&mut machine, &state, 0);
    let go = machine.parse_move("go").unwrap();
    let burst = machine.parse_move("burst").unwrap();
    let line = 1 + GROWING
        .split("(number (s ?n))")
        .next()
        .unwrap()
        .replace("\r\n", "\n")
        .matches(['\r', '\n'])
        .count();
    for step in 0..300 {
        let Err(EvalError::TooLarge(why)) = machine.next_state(&state, &[burst]) else { panic!("it grew") };
        assert_eq!(
            why,
            format!("the rule for `(number (s ?n))` in line {line} makes more than 2000 different terms")
        );
        // Earlier results stay valid, and the failed evaluation does not use up the limit.
        assert_eq!(facts(&mut machine, &state).len(), 1, "step {step}");
        assert_eq!(legal(&mut machine, &state, 0), ["burst", "go"]);
        state = machine.next_state(&state, &[go]).expect("one more");
    }
    assert_eq!(facts(&mut machine, &state)[0].matches("(s").count(), 300);
}

#[test]
fn growth_without_moves_is_refused_where_it_stands() {
    let rules = "(role r)\n(init (s 1))\n(num zero)\n(<= (num (s ?x)) (num ?x))\n(<= (legal r (say ?x)) (num ?x))\n(goal r 0)\n(<= terminal (true (s 2)))";
    let limits = ggp_datalog::Limits { terms: 5_000, ..ggp_datalog::Limits::default() };
    let description = parse(rules.as_bytes()).expect("well formed");
    let errors = Game::with_limits(description, Strictness::Lenient, limits).expect_err("it has no end");
    assert!(errors[0].message.contains("`(num (s ?x))` in line 4"), "{}", errors[0].message);
    assert_eq!(&rules[errors[0].span.range()], "(<= (num (s ?x)) (num ?x))");
}

#[test]
fn a_raised_stop_interrupts_and_a_new_one_lets_it_go_on() {
    let mut machine = machine(&ggp_tests::rulesheet("tic_tac_toe"));
    let state = machine.initial_state().unwrap();
    let stop = StopToken::new();
    machine.interrupt_on(&stop);
    stop.stop();
    assert_eq!(machine.is_terminal(&state), Err(EvalError::Interrupted));
    assert_eq!(machine.legal_moves(&state, Role(0), &mut Vec::new()), Err(EvalError::Interrupted));
    machine.interrupt_on(&StopToken::new());
    assert_eq!(machine.is_terminal(&state), Ok(false));
    assert_eq!(legal(&mut machine, &state, 0).len(), 9);
}

#[test]
fn playouts_depend_on_their_number_alone() {
    let mut machine = machine(&ggp_tests::rulesheet("three_player_tic_tac_toe"));
    let start = machine.initial_state().unwrap();
    let mut run = |plan: PlayoutPlan, starts: usize| {
        let mut all = Vec::new();
        let mut moves: Vec<Vec<Move>> = Vec::new();
        let plan = PlayoutPlan { moves: true, ..plan };
        machine
            .playouts(&vec![start.clone(); starts], plan, &mut |playout| {
                all.push((playout.index, playout.goals.to_vec(), playout.steps, playout.terminal));
                moves.push(playout.moves.to_vec());
            })
            .unwrap();
        (all, moves)
    };
    let whole = run(PlayoutPlan { per_start: 12, ..PlayoutPlan::new(4) }, 1);
    assert_eq!(whole.0.len(), 12);
    assert_eq!(run(PlayoutPlan { per_start: 4, ..PlayoutPlan::new(4) }, 3), whole);
    let tail = run(PlayoutPlan { per_start: 7, first: 5, ..PlayoutPlan::new(4) }, 1);
    assert_eq!(tail.1, whole.1[5..]);
    assert_ne!(run(PlayoutPlan { per_start: 12, ..PlayoutPlan::new(5) }, 1).1, whole.1);
    // Endless playouts are cut off and counted.
    let (cut, moves) = run(PlayoutPlan { max_steps: 2, ..PlayoutPlan::new(4) }, 1);
    assert_eq!((cut[0].2, cut[0].3, moves[0].len()), (2, false, 6));
    assert!(run(PlayoutPlan { first: u64::MAX, per_start: 2, ..PlayoutPlan::new(4) }, 1).0.len() == 2);
}

/// Two roles with 2 and 3 legal moves choose at the same time; the first has no move once `(up)` is
/// false.
const STUCK: &str = "(role a) (role b) (init (up)) (n 1) (n 2) (n 3)
    (<= (legal a (lay ?x)) (true (up)) (n ?x) (distinct ?x 3)) (<= (legal b (lay ?x)) (n ?x))
    (<= (next (up)) (does a (lay 1))) (<= (next (down)) (does a (lay 2)) (does b (lay ?x)))
    (<= (next (last ?x)) (does b (lay ?x)))
    (goal a 0) (goal b 0) (<= terminal (true (last 3)))";

#[test]
fn perft_counts_joint_moves() {
    let mut machine = machine(STUCK);
    let start = machine.initial_state().unwrap();
    // From each state, only (lay 1) of a with (lay 1) or (lay 2) of b continues: 2 of 6 joint moves.
    assert_eq!(perft(&mut machine, &start, 4).unwrap(), [1, 6, 12, 24, 48]);
    assert_eq!(perft(&mut machine, &start, 0).unwrap(), [1]);
    // The joint moves themselves give the same number.
    let choices: Vec<Vec<Move>> = (0..2)
        .map(|role| {
            let mut legal = Vec::new();
            machine.legal_moves(&start, Role(role), &mut legal).unwrap();
            legal
        })
        .collect();
    let mut joints = JointMoves::new(&choices);
    let mut seen = Vec::new();
    while let Some(joint) = joints.next() {
        seen.push(joint.to_vec());
    }
    assert_eq!(seen.len(), 6);
    assert!(seen.is_sorted() && seen[0] != seen[1], "the last role's move changes fastest");
    assert_eq!(JointMoves::new(&[vec![Move(0)], Vec::new()]).next(), None);
}

#[test]
fn perft_goes_as_deep_as_asked() {
    let mut machine = machine(
        "(role r) (init (s 1)) (legal r go) (goal r 0) (<= terminal (true (s 2))) (<= (next (s 1)) (true (s 1)))",
    );
    let start = machine.initial_state().unwrap();
    let counts = perft(&mut machine, &start, 100_000).unwrap();
    assert!(counts.iter().all(|&n| n == 1) && counts.len() == 100_001);
}

#[test]
fn a_role_without_a_move_ends_a_playout_and_a_count() {
    let mut machine = machine(STUCK);
    let down = state(&mut machine, &["(down)"]);
    assert_eq!(legal(&mut machine, &down, 0), Vec::<String>::new());
    assert_eq!(legal(&mut machine, &down, 1).len(), 3);
    assert_eq!(perft(&mut machine, &down, 2).unwrap(), [1, 0, 0]);
    let mut ends = Vec::new();
    machine.playouts(&[down], PlayoutPlan::new(0), &mut |p| ends.push((p.steps, p.terminal))).unwrap();
    assert_eq!(ends, [(0, false)]);
}

/// Tests that time grows linearly with the input, not quadratically: at most a few seconds in debug
/// builds.
#[test]
fn large_rulesheets_load() {
    let game = |rules: String| {
        format!("(role r) (init (s 1)) (legal r go) (goal r 0) (<= terminal (true (s 2))) {rules}")
    };
    let facts: String = (0..100_000).map(|n| format!("(succ {n} {}) ", n + 1)).collect();
    let chain: String = (0..20_000).map(|n| format!("(<= p{} p{n}) ", n + 1)).collect();
    let constants: String =
        (0..20_000).map(|n| format!("(init c{n}) (<= (next c{n}) (true c{n})) ")).collect();
    let long: String = (0..10_000).map(|n| format!("(q ?x{n} ?x{}) ", n + 1)).collect();
    let ground: String = (0..3_000).map(|n| format!("(w {n}) ")).collect();
    let deep = format!("{}0{}", "(f ".repeat(10_000), ")".repeat(10_000));
    let open = format!("{}?x{}", "(f ".repeat(10_000), ")".repeat(10_000));
    for (what, rules) in [
        ("facts", format!("{facts} (<= (legal r ?x) (succ 5 ?x))")),
        ("relations", format!("(<= p0 (true (s 1))) {chain} (<= (legal r far) p20000)")),
        ("fluents", constants),
        ("literals", format!("(q 1 1) (<= (legal r long) {long})")),
        ("recursion", format!("(w 0) (<= (w {{n}}) {ground})").replace("{n}", "1")),
        ("depth", format!("(init (d {deep})) (<= (legal r found) (true (d {open})))")),
    ] {
        let start = std::time::Instant::now();
        let mut machine = machine(&game(rules));
        let state = machine.initial_state().unwrap();
        let legal = legal(&mut machine, &state, 0);
        assert_eq!(
            legal.len(),
            1 + usize::from(!["fluents", "recursion"].contains(&what)),
            "{what}: {legal:?}"
        );
        eprintln!("{what}: {:?}", start.elapsed());
    }
}

/// Tests a term that occurs twice in the next one: it is shared in memory, but its text doubles.
#[test]
fn terms_that_double_are_stopped_before_anyone_writes_them() {
    let mut machine = machine(
        "(role r) (init (n 0)) (<= (next (n (s ?x ?x))) (true (n ?x))) (<= (legal r ?x) (true (n ?x)))
         (goal r 0) (<= terminal (true (n 1)))",
    );
    let mut state = machine.initial_state().unwrap();
    let mut longest = 0;
    let error = loop {
        let mut moves = Vec::new();
        let next = machine
            .legal_moves(&state, Role(0), &mut moves)
            .and_then(|()| machine.next_state(&state, &moves[..1]));
        longest = longest.max(moves.first().map_or(0, |&mv| machine.move_text(mv).len()));
        match next {
            Ok(next) => state = next,
            Err(error) => break error.to_string(),
        }
    };
    assert!(error.contains("makes terms that are longer than 1048576 bytes"), "{error}");
    assert!((1 << 19..1 << 20).contains(&longest), "{longest}");
}
