//! Games and their machines.

use ggp_game::{EvalError, Game, StopToken};
use ggp_propnet::{GroundLimits, PropNet, PropNetMachine};
use ggp_search::{MctsOptions, PlayerSpec};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Time limit of grounding.
const GROUNDING: Duration = Duration::from_secs(20);

/// The game in a file.
pub(crate) fn game(path: &Path) -> Arc<Game> {
    let text = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let description = ggp_gdl::parse(&text).expect("rules that parse");
    Arc::new(Game::new(description).expect("a valid game"))
}

/// The network of the game, unless it exceeds the limits of time or size.
pub(crate) fn network(game: &Arc<Game>) -> Result<PropNetMachine, EvalError> {
    let stop = StopToken::new();
    let watch = stop.clone();
    let (done, wait) = std::sync::mpsc::channel::<()>();
    std::thread::spawn(move || {
        if wait.recv_timeout(GROUNDING).is_err() {
            watch.stop();
        }
    });
    let net = PropNet::ground(game, &GroundLimits::default(), &stop);
    let _ = done.send(());
    PropNetMachine::new(net.map_err(|error| EvalError::TooLarge(error.to_string()))?)
}

/// The options of a search.
pub(crate) fn options(spec: &str, seed: u64) -> MctsOptions {
    match spec.parse::<PlayerSpec>().expect("a player").with_seed(seed) {
        PlayerSpec::Mcts(options) => options,
        PlayerSpec::Random(_) => panic!("a search is wanted"),
    }
}

/// The name of a file's game.
pub(crate) fn name(path: &Path) -> String {
    path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}
