//! The network against the interpreter on random games. They have conditions on several moves at once and
//! on moves not made, recursion, variable fluents, derived goals, percepts, and negated static relations
//! that are evaluated on demand.

use ggp_game::Interpreter;
use ggp_game::rng::Sequence;
use ggp_propnet::{GroundError, GroundLimits, PropNet, PropNetMachine};
use ggp_tests::walk;
use std::thread;

/// One of `from`, drawn from `random`.
fn pick<'a>(random: &mut Sequence, from: &[&'a str]) -> &'a str {
    from[random.below(from.len())]
}

/// The common part of the random games: two roles, three things, and a clock that ends the game.
const FRAME: &str = "(role a) (role b) (thing 1) (thing 2) (thing 3)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (init (clock 0)) (init (at 1)) (init (on 1 2))
(<= (next (clock ?n)) (true (clock ?m)) (succ ?m ?n)) (<= terminal (true (clock 5)))
(legal a wait) (legal b wait) (edge 1 2) (edge 2 3) (edge 3 1)
(<= (between ?x ?y) (edge ?x ?y)) (<= (between ?x ?z) (between ?x ?y) (edge ?y ?z))
";

/// Conditions that bind or test the variables `?x` and `?y`, whose values are things.
const STATE: [&str; 9] = [
    "(true (at ?x))",
    "(true (at ?y))",
    "(true (on ?x ?y))",
    "(true (on ?x ?x))",
    "(true (on ?y 2))",
    "(true free)",
    "(true (free))",
    "(true (holds (f ?x) ?y))",
    "(true (clock 2))",
];
const DERIVED: [&str; 7] =
    ["(p ?x)", "(p 2)", "(q ?x ?y)", "(q ?y ?x)", "(reached ?x ?y)", "(open ?y)", "(legal a (take ?x))"];
const MOVES: [&str; 9] = [
    "(does a (take ?x))",
    "(does b (take ?x))",
    "(does a (put ?x ?y))",
    "(does b (put ?y ?x))",
    "(does a (put ?x 2))",
    "(does b wait)",
    "(does ?r (take ?y))",
    "(does a ?m)",
    "(does ?r ?m)",
];
const FLUENTS: [&str; 8] = [
    "(at ?x)",
    "(at 2)",
    "(on ?x ?y)",
    "(on ?y ?x)",
    "free",
    "(free)",
    "(holds (f ?x) ?y)",
    "(holds (f 1) (g ?y))",
];

fn condition(random: &mut Sequence, with_moves: bool, lower: bool) -> String {
    let atom = match random.below(if with_moves { 4 } else { 2 }) {
        0 => pick(random, &STATE),
        1 if lower => pick(random, &STATE),
        1 => pick(random, &DERIVED),
        _ => pick(random, &MOVES),
    };
    let negated = random.below(3) == 0 && !atom.contains("?r") && !atom.contains("?m");
    if negated { format!("(not {atom})") } else { atom.to_owned() }
}

fn body(random: &mut Sequence, with_moves: bool, lower: bool) -> String {
    let mut body = String::from("(thing ?x) (thing ?y)");
    for _ in 0..=random.below(3) {
        body += " ";
        body += &condition(random, with_moves, lower);
    }
    if random.below(4) == 0 {
        body += " (distinct ?x ?y)";
    }
    body
}

fn rules(seed: u64) -> String {
    let random = &mut Sequence::new(seed);
    let mut rules = FRAME.to_owned();
    let mut add = |rule: String| {
        rules += &rule;
        rules.push('\n');
    };
    for _ in 0..=random.below(3) {
        add(format!("(<= (p ?x) {})", body(random, false, true)));
        add(format!("(<= (q ?x ?y) {})", body(random, false, true)));
        add(format!("(<= (legal a (take ?x)) {})", body(random, false, true)));
    }
    // Recursion through one relation and through two.
    add(format!("(<= (reached ?x ?y) (q ?x ?y) {})", body(random, false, true)));
    if random.below(2) == 0 {
        add("(<= (reached ?x ?z) (reached ?x ?y) (reached ?y ?z) (thing ?y))".to_owned());
    }
    if random.below(2) == 0 {
        add(format!("(<= (reached ?x ?y) (open ?x) {})", body(random, false, true)));
    }
    add(format!("(<= (open ?x) (reached ?x ?y) {})", body(random, false, true)));
    add(format!("(<= (open 1) {})", body(random, false, true)));
    for role in ["a", "b"] {
        for mv in ["(put ?x ?y)", "(put ?x 2)", "(take 3)"] {
            add(format!("(<= (legal {role} {mv}) {})", body(random, false, false)));
        }
        add(format!("(<= (goal {role} 100) {})", body(random, false, false)));
        add(format!("(<= (goal {role} 50) (not (goal {role} 100)) {})", body(random, false, false)));
        add(format!("(<= (sees {role} (saw ?x)) {})", body(random, true, false)));
    }
    add("(<= (goal b ?n) (true (clock ?n)) (true (at 3)))".to_owned());
    if random.below(2) == 0 {
        add("(<= (legal b ?m) (legal a ?m) (true (at 2)))".to_owned());
    }
    for fluent in FLUENTS {
        for _ in 0..random.below(3) {
            add(format!("(<= (next {fluent}) {})", body(random, true, false)));
        }
    }
    match random.below(4) {
        0 => add("(<= (next ?f) (true ?f) (does a wait) (distinct ?f (clock 0)) (not (true (clock 3))))"
            .to_owned()),
        1 => add("(<= (next (was ?r ?m)) (does ?r ?m) (not (does b wait)))".to_owned()),
        2 => add("(<= (next (on ?x ?y)) (does a (take ?x)) (does b (take ?y)) (not (does b (take ?x))))"
            .to_owned()),
        _ => add("(<= (next (at ?y)) (true (at ?x)) (does a (put ?x ?y)) (does b ?m) (not (does a ?m)))"
            .to_owned()),
    }
    rules
}

/// Compares walks in the random games with these seeds. Returns the number of valid games.
fn compare(seeds: std::ops::Range<u64>) -> usize {
    let mut games = 0;
    for seed in seeds {
        let rules = rules(seed);
        let description =
            ggp_gdl::parse(rules.as_bytes()).unwrap_or_else(|errors| panic!("{rules}\n{errors:?}"));
        // In some games, `(next ?f)` also keeps the old value of the clock; network and interpreter must
        // agree on them. Others are refused.
        let Ok(game) = ggp_game::Game::new(description) else { continue };
        let game = std::sync::Arc::new(game);
        let net = PropNet::ground(&game, &GroundLimits::default(), &ggp_game::StopToken::new())
            .unwrap_or_else(|error| panic!("{rules}\n{error}"));
        let mut network = PropNetMachine::new(net).unwrap_or_else(|error| panic!("{rules}\n{error}"));
        let mut interpreter = Interpreter::new(&game);
        walk::agree(&mut interpreter, &mut network, 60, seed)
            .unwrap_or_else(|why| panic!("seed {seed}, {why}, interpreter first:\n{rules}"));
        games += 1;
    }
    games
}

#[test]
fn random_games_mean_the_same_to_network_and_interpreter() {
    let games = compare(0..150);
    assert!(games > 60, "only {games} of 150 random games are games");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "thousands of games: for long tests")]
fn many_random_games_mean_the_same_to_network_and_interpreter() {
    let games = thread::scope(|scope| {
        let parts = [1_000..3_500, 3_500..6_000].map(|seeds| scope.spawn(|| compare(seeds)));
        parts.into_iter().map(|part| part.join().expect("agreement")).sum::<usize>()
    });
    assert!(games > 2_000, "only {games} of 5,000 random games are games");
}

/// Tests a static relation that is evaluated on demand, because it is too large, and negated in a relation of the
/// state.
#[test]
fn what_is_not_asked_for_may_be_negated() {
    let edges: String = (0..1_099).map(|n| format!("(edge n{n} n{}) ", n + 1)).collect();
    let nodes: String = (0..1_100).map(|n| format!("(node n{n}) ")).collect();
    let rules = format!(
        "{nodes} {edges} (role r) (init (at n0)) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3)
         (<= (reaches ?x ?y) (edge ?x ?y)) (<= (reaches ?x ?z) (reaches ?x ?y) (edge ?y ?z))
         (<= (far ?x) (node ?x) (not (reaches n1 ?x))) (<= (near ?x) (node ?x) (not (far ?x)))
         (<= (legal r (go ?x)) (far ?x)) (<= (legal r (stay ?x)) (node ?x) (true (at ?y)) (reaches n2 ?y)) (<= (legal r (rest ?x)) (near ?x))
         (<= (legal r pass) (true (at ?x)) (not (reaches ?x n3)))
         (<= (next (at ?x)) (does r (go ?x))) (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
         (<= (next (at ?x)) (true (at ?x)) (not (does r (go ?x)))) (legal r wait)
         (<= (goal r 50) (true (at ?x)) (far ?x)) (<= (goal r 100) (not (goal r 50)))
         (<= terminal (true (step 3)))"
    );
    let game = ggp_tests::game(&rules);
    let demanded = game.semantics().on_demand().iter().filter(|on| **on).count();
    assert!(demanded > 0, "the game no longer shows what it is for");
    let net = PropNet::ground(&game, &GroundLimits::default(), &ggp_game::StopToken::new()).expect("small");
    let mut network = PropNetMachine::new(net).expect("small");
    walk::agree(&mut Interpreter::new(&game), &mut network, 60, 1).unwrap_or_else(|why| panic!("{why}"));
}

#[test]
fn the_texts_of_fluents_moves_and_percepts_are_bounded() {
    // A name of 1000 bytes stands once, or a hundred times.
    let (name, many) = ("n".repeat(1000), "?x ".repeat(100));
    let limits = GroundLimits { text: 50_000, ..GroundLimits::default() };
    let ground = |carrier: &str, args: &str| {
        let rule = format!("(<= ({carrier} (f {args})) (long ?x))");
        let game = ggp_tests::game(&format!(
            "(role a) (long {name}) (init on) (legal a wait) {rule} (<= terminal (true off)) (goal a 0)"
        ));
        PropNet::ground(&game, &limits, &ggp_game::StopToken::new())
    };
    for carrier in ["next", "legal a", "sees a"] {
        assert!(ground(carrier, "?x").is_ok(), "{carrier}");
        assert!(matches!(ground(carrier, &many), Err(GroundError::TooLarge(_))), "{carrier}");
    }
}
