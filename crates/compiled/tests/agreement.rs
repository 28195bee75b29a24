//! The compiled evaluator against the interpreter, on small rulesheets that each need one ability of the evaluator.

use ggp_compiled::{CompiledMachine, Refusal, Strategy};
use ggp_datalog::Limits;
use ggp_game::{
    Batches, EvalError, Fact, Game, Goals, Interpreter, Move, PlayoutPlan, Playouts, StateMachine, StopToken,
};
use ggp_gdl::Strictness;
use std::sync::Arc;

fn game(rules: &str) -> Arc<Game> {
    let description = ggp_gdl::parse(rules.as_bytes()).unwrap_or_else(|errors| panic!("{errors:?}"));
    Arc::new(Game::new(description).unwrap_or_else(|errors| panic!("{errors:?}")))
}

fn compiled(game: &Arc<Game>) -> CompiledMachine {
    CompiledMachine::new(game, &StopToken::new()).unwrap_or_else(|why| panic!("refused: {why}"))
}

/// The playouts of a machine: joint moves as texts, goals, and whether the last state is terminal.
fn played<M: Playouts>(machine: &mut M, count: usize) -> Vec<(Vec<String>, Vec<Goals>, bool)> {
    let start = machine.initial_state().expect("an initial state");
    let plan = PlayoutPlan { per_start: count, moves: true, max_steps: 60, ..PlayoutPlan::new(5) };
    let mut ended: Vec<(Vec<Move>, Vec<Goals>, bool)> = Vec::new();
    let sink = &mut |playout: ggp_game::Playout<'_>| {
        ended.push((playout.moves.to_vec(), playout.goals.to_vec(), playout.terminal));
    };
    machine.playouts(&[start], plan, sink).expect("playouts");
    let text = |mv: &Move| machine.move_text(*mv).to_owned();
    ended.into_iter().map(|(moves, goals, over)| (moves.iter().map(text).collect(), goals, over)).collect()
}

/// Compares the machines of both strategies with the interpreter. Returns the number of states of the walks.
fn agree(rules: &str) -> usize {
    let game = game(rules);
    let lengths = [Strategy::Plain, Strategy::Recalling].map(|strategy| {
        let fast = CompiledMachine::with_strategy(&game, strategy, &StopToken::new());
        agree_with(&game, fast.unwrap_or_else(|why| panic!("refused: {why}")))
    });
    assert_eq!(lengths[0], lengths[1]);
    lengths[0]
}

/// Compares playouts of both machines, and all answers along one walk. Returns the number of states of the walk.
fn agree_with(game: &Arc<Game>, mut fast: CompiledMachine) -> usize {
    let mut slow = Interpreter::new(game);
    assert_eq!(played(&mut slow, 20), played(&mut fast, 20));
    let (mut a, mut b) = (slow.initial_state().unwrap(), fast.initial_state().unwrap());
    for step in 0..30 {
        let facts: Vec<Fact> = slow.facts_of(&a).unwrap();
        assert_eq!(facts, fast.facts_of(&b).unwrap());
        assert_eq!(fast.state_of(&facts).unwrap(), b, "the state of its facts");
        let over = slow.is_terminal(&a).unwrap();
        assert_eq!(over, fast.is_terminal(&b).unwrap(), "in {facts:?}");
        assert_eq!(slow.goals_of(&a).unwrap(), fast.goals_of(&b).unwrap(), "in {facts:?}");
        let mut texts = Vec::new();
        for role in game.roles() {
            let legal = slow.legal_texts(&a, role).unwrap();
            assert_eq!(legal, fast.legal_texts(&b, role).unwrap(), "in {facts:?}");
            texts.extend(legal.get(step % legal.len().max(1)).cloned());
        }
        if over || texts.len() < game.role_count() {
            return step + 1;
        }
        let (joint_a, joint_b) = (slow.parse_joint(&texts).unwrap(), fast.parse_joint(&texts).unwrap());
        for role in game.roles() {
            let (mut seen_a, mut seen_b) = (Vec::new(), Vec::new());
            slow.percepts(&a, &joint_a, role, &mut seen_a).unwrap();
            fast.percepts(&b, &joint_b, role, &mut seen_b).unwrap();
            assert_eq!(seen_a, seen_b, "after {texts:?} in {facts:?}");
        }
        a = slow.next_state(&a, &joint_a).unwrap();
        b = fast.next_state(&b, &joint_b).unwrap();
    }
    30
}

#[test]
fn the_projects_games_agree() {
    for rules in [
        include_str!("../../../games/tic_tac_toe.kif"),
        include_str!("../../../games/connect_four.kif"),
        include_str!("../../../games/nim.kif"),
        include_str!("../../../games/kuhn_poker.kif"),
        include_str!("../../../games/rock_paper_scissors.kif"),
        include_str!("../../../games/maze.kif"),
    ] {
        assert!(agree(rules) > 1);
    }
}

/// A walker on a circle of nodes with a bridge that each step can remove. `reach` depends on itself in circles,
/// and each question to it waits for others.
const CIRCLES: &str = "(role a) (node n0) (node n1) (node n2) (node n3) (node n4)
    (init (at n0)) (init (link n0 n1)) (init (link n1 n2)) (init (link n2 n0))
    (init (link n2 n3)) (init (link n3 n1)) (init (link n4 n4))
    (<= (reach ?x ?y) (true (link ?x ?y)))
    (<= (reach ?x ?y) (node ?z) (reach ?x ?z) (reach ?z ?y))
    (<= (back ?x ?y) (reach ?y ?x))
    (<= (reach ?x ?y) (node ?z) (back ?y ?z) (reach ?z ?y) (true (link ?x ?z)))
    (<= (legal a (cut ?x ?y)) (true (link ?x ?y)))
    (<= (next (link ?x ?y)) (true (link ?x ?y)) (not (does a (cut ?x ?y))))
    (<= (next (at ?y)) (true (at ?x)) (true (link ?x ?y)) (reach ?y ?x))
    (<= (next (at ?x)) (true (at ?x)) (not (reach ?x ?x)))
    (<= terminal (not (reach n1 n1)) (not (reach n4 n4)))
    (<= (goal a 100) (reach n0 n3)) (<= (goal a 50) (not (reach n0 n3)) (true (at n2)))
    (<= (goal a 0) (not (reach n0 n3)) (not (true (at n2))))";

#[test]
fn recursion_in_circles_finds_all_answers() {
    assert!(agree(CIRCLES) > 3);
}

#[test]
fn whole_fluents_and_whole_moves_agree() {
    let rules = "(role a) (role b) (init (cell 1 x)) (init (cell 2 o)) (init turn)
        (fluent (cell 1 x)) (fluent (cell 2 x)) (fluent (cell 2 o)) (fluent turn)
        (option (drop (cell 1 x))) (option (drop (cell 2 o))) (option (drop turn)) (option wait)
        (<= (legal ?r ?m) (role ?r) (option ?m))
        (<= (dropped ?f) (does ?r (drop ?f)))
        (<= (next ?f) (true ?f) (fluent ?f) (not (dropped ?f)))
        (<= (next (cell 2 x)) (does a ?m) (does b ?m) (distinct ?m wait))
        (<= terminal (not (true turn))) (<= (goal ?r 100) (role ?r) (true (cell 2 x)))
        (<= (goal ?r 10) (role ?r) (not (true (cell 2 x))))";
    assert!(agree(rules) > 1);
}

#[test]
fn terms_that_only_a_query_composes_are_released() {
    // The lists of visited nodes are unbounded for the domains, but no fluent or move holds one.
    let rules =
        "(role a) (node 1) (node 2) (node 3) (node 4) (init (edge 1 2)) (init (edge 2 3)) (init (edge 3 1))
        (<= (in ?x (cons ?x ?l)) (list ?l) (node ?x))
        (<= (in ?x (cons ?y ?l)) (in ?x ?l) (list ?l) (node ?y))
        (list nil) (<= (list (cons ?x nil)) (node ?x))
        (<= (list (cons ?x (cons ?y nil))) (node ?x) (node ?y))
        (<= (list (cons ?x (cons ?y (cons ?z nil)))) (node ?x) (node ?y) (node ?z))
        (<= (path ?x ?y (cons ?x nil)) (true (edge ?x ?y)))
        (<= (path ?x ?y (cons ?x ?l)) (true (edge ?x ?z)) (node ?z) (path ?z ?y ?l) (list ?l) (not (in ?x ?l)))
        (<= (legal a (add ?x ?y)) (node ?x) (node ?y) (not (true (edge ?x ?y))))
        (<= (next (edge ?x ?y)) (true (edge ?x ?y))) (<= (next (edge ?x ?y)) (does a (add ?x ?y)))
        (<= joined (path 1 4 ?l)) (<= terminal joined) (<= (goal a 100) joined) (<= (goal a 0) (not joined))";
    assert!(agree(rules) > 1);
}

#[test]
fn percepts_agree() {
    let rules = "(role a) (role random) (init (turn 1)) (die 1) (die 2) (die 3)
        (<= (legal random (roll ?x)) (die ?x)) (legal a wait)
        (<= (sees a (rolled ?x)) (does random (roll ?x)) (true (turn 1)))
        (<= (sees a ?m) (does random ?m) (true (turn 2)))
        (<= (next (turn 2)) (true (turn 1))) (<= (next (turn 3)) (true (turn 2)))
        (<= terminal (true (turn 3))) (<= (goal ?r 50) (role ?r))";
    assert_eq!(agree(rules), 3);
}

#[test]
fn moves_of_one_name_and_several_arities_are_in_the_order_of_their_texts() {
    let rules = "(role a) (v 1) (v 2) (v 10) (v !) (init s)
        (<= (legal a (go ?x)) (v ?x)) (<= (legal a (go ?x ?y)) (v ?x) (v ?y)) (legal a go) (legal a (go)) (legal a g)
        (<= (next done) (does a (go ?x))) (<= (next s) (true s)) (<= terminal (true done)) (goal a 100)";
    agree(rules);
    let game = game(rules);
    let mut machine = compiled(&game);
    let state = machine.initial_state().unwrap();
    let role = game.roles().next().unwrap();
    let texts = machine.legal_texts(&state, role).unwrap();
    let mut sorted = texts.clone();
    sorted.sort_unstable();
    assert_eq!((texts.len(), &texts), (23, &sorted));
    assert_eq!(machine.parse_move("GO"), machine.parse_move("go"), "without regard to case");
    assert!(machine.parse_move("(go 3)").is_none());
}

/// Three roles, of which one runs out of moves. A role has several goals, none, or one that is no number.
const ODD: &str = "(role a) (role b) (role c) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (option l) (option r)
    (<= (legal a ?m) (option ?m)) (<= (legal b (pick ?m ?n)) (option ?m) (true (at ?n)))
    (<= (legal c wait) (not (true (at 2))))
    (<= (next (at ?n)) (true (at ?m)) (succ ?m ?n) (does a l))
    (<= (next (at ?m)) (true (at ?m)) (does a r)) (<= (next (at 0)) (does b (pick r ?n)))
    (<= (next (seen ?m)) (does ?r (pick ?m ?n)))
    (<= terminal (true (at 3)))
    (goal a 50) (<= (goal a 100) (true (at 2))) (<= (goal b 30) (true (at 1))) (<= (goal c draw) (true (at 0)))
    (<= (goal c 7) (not (true (at 0))))";

#[test]
fn roles_without_moves_and_odd_goals_agree() {
    assert!(agree(ODD) > 1);
}

#[test]
fn states_that_are_not_reached_agree() {
    let game = game(ODD);
    for strategy in [Strategy::Plain, Strategy::Recalling] {
        let mut fast = CompiledMachine::with_strategy(&game, strategy, &StopToken::new()).unwrap();
        let mut slow = Interpreter::new(&game);
        for facts in
            [&[][..], &["(at 0)", "(at 2)", "(at 3)"], &["(seen l)", "(seen r)"], &["(at 1)", "(at 1)"]]
        {
            let facts: Vec<Fact> = facts.iter().map(|fact| Fact::new(fact).unwrap()).collect();
            let (a, b) = (slow.state_of(&facts).unwrap(), fast.state_of(&facts).unwrap());
            assert_eq!(slow.facts_of(&a).unwrap(), fast.facts_of(&b).unwrap());
            assert_eq!(slow.is_terminal(&a).unwrap(), fast.is_terminal(&b).unwrap(), "in {facts:?}");
            assert_eq!(slow.goals_of(&a).unwrap(), fast.goals_of(&b).unwrap(), "in {facts:?}");
            let mut texts = Vec::new();
            for role in game.roles() {
                let legal = slow.legal_texts(&a, role).unwrap();
                assert_eq!(legal, fast.legal_texts(&b, role).unwrap(), "in {facts:?}");
                texts.extend(legal.last().cloned());
            }
            if texts.len() < game.role_count() {
                continue;
            }
            let (joint_a, joint_b) = (slow.parse_joint(&texts).unwrap(), fast.parse_joint(&texts).unwrap());
            let next = (slow.next_state(&a, &joint_a).unwrap(), fast.next_state(&b, &joint_b).unwrap());
            assert_eq!(slow.facts_of(&next.0).unwrap(), fast.facts_of(&next.1).unwrap(), "after {facts:?}");
        }
        let impossible = Fact::new("(at 9)").unwrap();
        assert_eq!(fast.state_of(&[impossible]), Err(ggp_game::EvalError::UnknownFact("(at 9)".to_owned())));
    }
}

#[test]
fn unbounded_fluents_are_refused() {
    let rules = "(role a) (init (count z)) (legal a step) (<= (next (count (s ?n))) (true (count ?n)))
        (<= terminal (true (count (s (s z))))) (goal a 100)";
    let refusal = CompiledMachine::new(&game(rules), &StopToken::new()).unwrap_err();
    assert_eq!(refusal, Refusal::Unbounded("fluents".to_owned()));
}

/// Rules for the relations after `b0` up to the one with the number `last`. Each holds of one term, whose text is
/// twice as long as that of the relation before.
fn doubling(last: usize) -> String {
    (0..last).map(|n| format!("(<= (b{} (f ?x ?x)) (b{n} ?x)) ", n + 1)).collect()
}

#[test]
fn terms_beyond_the_bounds_of_the_game_are_refused() {
    let rules = format!(
        "(role r) (init on) (legal r go) (<= (next on) (true on)) (<= terminal (true off))
        (<= (b0 a) (true on)) {} (<= (goal r ?x) (b16 ?x))",
        doubling(16)
    );
    for limits in [Limits { text: 1000, ..Limits::default() }, Limits { depth: 10, ..Limits::default() }] {
        let description = ggp_gdl::parse(rules.as_bytes()).expect("well formed");
        let game = Game::with_limits(description, Strictness::default(), limits).expect("playable");
        let refusal = CompiledMachine::new(&Arc::new(game), &StopToken::new()).unwrap_err();
        assert!(matches!(refusal, Refusal::Trial(EvalError::TooLarge(_))), "{refusal}");
    }
}

#[test]
fn fluents_with_long_texts_are_refused() {
    // Fifty terms of three quarters of a MiB.
    let numbers: String = (0..50).map(|n| format!("(n {n}) ")).collect();
    let rules = format!(
        "(role r) (init on) (legal r go) (b0 a) {} {numbers} (<= (long (p ?n ?x)) (n ?n) (b17 ?x))
        (<= (next (held ?y)) (long ?y)) (<= terminal (true off)) (goal r 0)",
        doubling(17)
    );
    let refusal = CompiledMachine::new(&game(&rules), &StopToken::new()).unwrap_err();
    assert_eq!(refusal, Refusal::TooMany("fluents".to_owned()));
}

#[test]
fn a_build_and_an_evaluation_can_be_interrupted() {
    // Only the state with the fluent `hard`, which no playout reaches, takes a join of 60^5 rows.
    let many: String = (0..60).map(|n| format!("(n {n}) ")).collect();
    let rules = format!(
        "(role a) {many} (init easy) (legal a go) (<= (next easy) (true easy)) (<= (next hard) (true hard))
        (<= far (true hard) (n ?a) (n ?b) (n ?c) (n ?d) (n ?e) (not (near ?a ?b ?c ?d ?e)))
        (<= (near ?a ?b ?c ?d ?e) (n ?a) (n ?b) (n ?c) (n ?d) (n ?e) (true hard))
        (<= terminal far) (goal a 100)"
    );
    let (game, stop) = (game(&rules), StopToken::new());
    let mut machine = compiled(&game);
    stop.stop();
    assert_eq!(CompiledMachine::new(&game, &stop).unwrap_err(), Refusal::Interrupted);
    let hard = machine.state_of(&[Fact::new("hard").unwrap()]).unwrap();
    machine.interrupt_on(&stop);
    assert_eq!(machine.is_terminal(&hard), Err(ggp_game::EvalError::Interrupted));
    machine.interrupt_on(&StopToken::new());
    let easy = machine.initial_state().unwrap();
    assert_eq!(machine.is_terminal(&easy), Ok(false));
    assert_eq!(machine.legal_texts(&hard, game.roles().next().unwrap()).unwrap(), ["go"]);
}

#[test]
fn states_and_moves_are_valid_in_every_clone() {
    let game = game(include_str!("../../../games/tic_tac_toe.kif"));
    let mut machine = compiled(&game);
    let mut older = machine.clone();
    assert!(machine.clones_agree());
    let role = game.roles().next().unwrap();
    let state = machine.initial_state().unwrap();
    let mut joint = Vec::new();
    for role in game.roles() {
        let mut legal = Vec::new();
        machine.legal_moves(&state, role, &mut legal).unwrap();
        joint.push(legal[0]);
    }
    let next = machine.next_state(&state, &joint).unwrap();
    assert_eq!(older.facts_of(&next).unwrap(), machine.facts_of(&next).unwrap());
    assert_eq!(older.legal_texts(&next, role).unwrap(), machine.legal_texts(&next, role).unwrap());
    assert_eq!(older.move_text(joint[0]), machine.move_text(joint[0]));
}

#[test]
fn recalled_answers_follow_jumps_between_states() {
    // Two counters and a lamp, which the sum of the counters turns on: one move changes one counter.
    let rules =
        "(role a) (role b) (init (at x 0)) (init (at y 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 0)
        (counter x) (counter y) (<= (legal ?r (turn ?c)) (role ?r) (counter ?c)) (<= (legal a wait) lamp)
        (<= lamp (true (at x ?n)) (true (at y ?n)) (distinct ?n 0))
        (<= (turned ?c) (does ?r (turn ?c)))
        (<= (next (at ?c ?n)) (turned ?c) (true (at ?c ?m)) (succ ?m ?n))
        (<= (next (at ?c ?m)) (true (at ?c ?m)) (not (turned ?c)))
        (<= terminal (true (at x 3)) (true (at y 3)))
        (<= (goal ?r 100) (role ?r) lamp) (<= (goal ?r 0) (role ?r) (not lamp))";
    let game = game(rules);
    let mut fast = CompiledMachine::with_strategy(&game, Strategy::Recalling, &StopToken::new()).unwrap();
    assert!(fast.recalls());
    let mut slow = Interpreter::new(&game);
    let mut states = vec![(slow.initial_state().unwrap(), fast.initial_state().unwrap())];
    for number in 0..60 {
        let (a, b) = states[number * 7 % states.len()].clone();
        let texts: Vec<String> =
            game.roles().map(|role| slow.legal_texts(&a, role).unwrap()[number % 2].clone()).collect();
        let (joint_a, joint_b) = (slow.parse_joint(&texts).unwrap(), fast.parse_joint(&texts).unwrap());
        let next = (slow.next_state(&a, &joint_a).unwrap(), fast.next_state(&b, &joint_b).unwrap());
        assert_eq!(slow.facts_of(&next.0).unwrap(), fast.facts_of(&next.1).unwrap());
        states.push(next);
        for (a, b) in [&states[number / 2], &states[number]] {
            assert_eq!(slow.is_terminal(a).unwrap(), fast.is_terminal(b).unwrap());
            assert_eq!(slow.goals_of(a).unwrap(), fast.goals_of(b).unwrap());
            for role in game.roles() {
                assert_eq!(slow.legal_texts(a, role).unwrap(), fast.legal_texts(b, role).unwrap());
            }
        }
    }
}
