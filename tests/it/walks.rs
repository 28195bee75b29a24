//! The network and the compiled evaluator against the interpreter in short random walks: on the project's
//! rulesheets, and on those of the corpus that are grounded quickly or that have no network. `corpus --reasoner both`
//! compares more.

use ggp_compiled::CompiledMachine;
use ggp_game::{Game, Interpreter, StopToken};
use ggp_propnet::{GroundError, GroundLimits, PropNet, PropNetMachine};
use ggp_tests::walk;
use std::sync::Arc;

const STEPS: usize = 25;

/// Grounding limits that keep a game within one or two seconds in a debug build.
const SOON: GroundLimits =
    GroundLimits { tuples: 20_000, rows: 400_000, instances: 15_000, nodes: 30_000, text: 512 << 20 };

/// Published rulesheets that take ten seconds or more to load or to play in a debug build.
const SLOW: [&str; 5] = ["amazons", "amazonsSuicide", "amazonsTorus", "amazons_8x8", "sudoku"];

/// Size limit of a rulesheet, in bytes. Planning of larger ones takes too long here.
const LONGEST: usize = 12_000;

/// Number of published rulesheets compared, and number left out as long, slow or large.
const PUBLISHED: (usize, usize) = (91, 63);

/// Compares network and interpreter. Returns `false` if the network is too large.
fn agrees(game: &Arc<Game>, limits: &GroundLimits) -> Result<bool, String> {
    let net = match PropNet::ground(game, limits, &StopToken::new()) {
        Ok(net) => net,
        Err(GroundError::TooLarge(_)) => return Ok(false),
        Err(error) => return Err(error.to_string()),
    };
    let mut network = PropNetMachine::new(net).map_err(|error| error.to_string())?;
    walk::agree(&mut Interpreter::new(game), &mut network, STEPS, 3)?;
    Ok(true)
}

#[test]
fn each_rulesheet_means_the_same_to_network_and_interpreter() {
    for name in ggp_tests::rulesheets() {
        let game = ggp_tests::game(&ggp_tests::rulesheet(&name));
        let is_compared = agrees(&game, &GroundLimits::default());
        let is_compared = is_compared.unwrap_or_else(|why| panic!("{name}: {why}, interpreter first"));
        assert!(is_compared, "{name}: not grounded");
    }
}

#[test]
fn published_rulesheets_mean_the_same_to_network_and_interpreter() {
    let Some(corpus) = ggp_tests::corpus() else { return };
    let (mut compared, mut left_out) = (0, 0);
    for path in ggp_tests::rulesheets_in(&corpus.join("rules")) {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let kif = std::fs::read(&path).expect("a rulesheet can be read");
        if kif.len() > LONGEST || SLOW.contains(&&*name) {
            left_out += 1;
            continue;
        }
        let description = ggp_gdl::parse(&kif).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
        let game = Arc::new(Game::new(description).unwrap_or_else(|errors| panic!("{name}: {errors:?}")));
        match agrees(&game, &SOON) {
            Ok(true) => compared += 1,
            Ok(false) => left_out += 1,
            Err(why) => panic!("{name}: {why}, interpreter first"),
        }
    }
    assert_eq!(
        (compared, left_out),
        PUBLISHED,
        "compared and left out; state others if the corpus has changed"
    );
}

/// Published rulesheets without a network that are quick enough here, and a few of other kinds.
const COMPILED: [&str; 12] = [
    "kalaha_2009",
    "laikLee_hex",
    "chess",
    "blocksWorld",
    "connect5",
    "futoshiki5",
    "hanoi",
    "mummymaze1p",
    "numbertictactoe",
    "ruleDepthLinear",
    "snake_2008",
    "wargame02",
];

/// Number of steps on a published rulesheet, since the interpreter is slow on those without a network.
const FEW_STEPS: usize = 10;

/// Compares the compiled evaluator with the interpreter.
fn compiled_agrees(game: &Arc<Game>, steps: usize) -> Result<(), String> {
    let mut machine = CompiledMachine::new(game, &StopToken::new()).map_err(|why| why.to_string())?;
    walk::agree(&mut Interpreter::new(game), &mut machine, steps, 4)?;
    Ok(())
}

#[test]
fn each_rulesheet_means_the_same_to_compiled_evaluator_and_interpreter() {
    for name in ggp_tests::rulesheets() {
        let game = ggp_tests::game(&ggp_tests::rulesheet(&name));
        compiled_agrees(&game, STEPS).unwrap_or_else(|why| panic!("{name}: {why}, interpreter first"));
    }
}

#[test]
fn published_rulesheets_mean_the_same_to_compiled_evaluator_and_interpreter() {
    for name in COMPILED {
        let Some(rules) = ggp_tests::published(name) else { return };
        let agreed = compiled_agrees(&ggp_tests::game(&rules), FEW_STEPS);
        agreed.unwrap_or_else(|why| panic!("{name}: {why}, interpreter first"));
    }
}
