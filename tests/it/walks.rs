//! The network against the interpreter: the project's rulesheets and those of the corpus that are
//! grounded soon, a short random walk in each.

use ggp_game::{Game, Interpreter, StopToken};
use ggp_propnet::{GroundError, GroundLimits, PropNet, PropNetMachine};
use ggp_tests::walk;
use std::sync::Arc;

const STEPS: usize = if cfg!(debug_assertions) { 25 } else { 400 };

/// What takes a second or two at the most in a debug build.
fn soon() -> GroundLimits {
    let share = if cfg!(debug_assertions) { 1 } else { 10 };
    GroundLimits {
        tuples: 20_000 * share,
        rows: 400_000 * share as u64,
        instances: 15_000 * share,
        nodes: 30_000 * share,
        ..GroundLimits::default()
    }
}

/// Published rulesheets that take ten seconds or more to load or to play in a debug build.
const SLOW: [&str; 5] = ["amazons", "amazonsSuicide", "amazonsTorus", "amazons_8x8", "sudoku"];

/// Compares network and interpreter; `false` where the network would be too large.
fn agrees(game: &Arc<Game>, limits: &GroundLimits) -> Result<bool, String> {
    let net = match PropNet::ground(game, limits, &StopToken::new()) {
        Ok(net) => net,
        Err(GroundError::TooLarge(_)) => return Ok(false),
        Err(error) => return Err(error.to_string()),
    };
    let mut network = PropNetMachine::new(game, net).map_err(|error| error.to_string())?;
    walk::agree(&mut Interpreter::new(game), &mut network, STEPS, 3)?;
    Ok(true)
}

#[test]
fn each_rulesheet_means_the_same_to_network_and_interpreter() {
    for name in ggp_tests::rulesheets() {
        // skirmish takes long to ground in a debug build.
        let limits =
            if cfg!(debug_assertions) && name == "skirmish" { soon() } else { GroundLimits::default() };
        let start = std::time::Instant::now();
        match agrees(&ggp_tests::game(&ggp_tests::rulesheet(&name)), &limits) {
            Ok(true) => eprintln!("{name}: {:.1?}", start.elapsed()),
            Ok(false) if name == "skirmish" => eprintln!("SKIPPED: {name} is large"),
            Ok(false) => panic!("{name}: not grounded"),
            Err(why) => panic!("{name}: {why}, interpreter first"),
        }
    }
}

#[test]
fn published_rulesheets_mean_the_same_to_network_and_interpreter() {
    let Some(corpus) = ggp_tests::corpus() else { return };
    let entries = std::fs::read_dir(corpus.join("rules")).expect("the corpus has rules");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a corpus entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "kif"));
    paths.sort();
    let (mut compared, mut large) = (0, 0);
    for path in paths {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let kif = std::fs::read(&path).expect("a rulesheet can be read");
        // Larger rulesheets take longer to plan than is to be spent here.
        if cfg!(debug_assertions) && (kif.len() > 12_000 || SLOW.contains(&&*name)) {
            large += 1;
            continue;
        }
        let start = std::time::Instant::now();
        let description = ggp_gdl::parse(&kif).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
        let game = Arc::new(Game::new(description).unwrap_or_else(|errors| panic!("{name}: {errors:?}")));
        let loaded = start.elapsed();
        match agrees(&game, &soon()) {
            Ok(true) => compared += 1,
            Ok(false) => large += 1,
            Err(why) => panic!("{name}: {why}, interpreter first"),
        }
        if start.elapsed().as_secs() > 0 {
            eprintln!("{name}: {:.1?}, of which loading {loaded:.1?}", start.elapsed());
        }
    }
    eprintln!("{compared} published rulesheets compared, {large} left out as large");
    assert!(compared >= 40, "only {compared} rulesheets were compared");
}
