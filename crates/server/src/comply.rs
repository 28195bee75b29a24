//! Does a player speak the protocol? An examination of anyone's, line by line.
//!
//! Two small games of our own are played with it: one of turns, one of hidden information. What
//! managers rely on is a [`Requirement::Must`]; what the protocol says beside it, or some managers
//! need, a [`Requirement::Should`]: the reference player lacks some of these.

mod exam;
mod framing;
mod sheet;
mod trial;

pub use sheet::{Finding, Requirement, Sheet, Verdict};

use crate::http::Address;
use exam::Exam;
use ggp_game::{Clocks, EvalError, Game, StopToken};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How the examination is held.
#[derive(Clone, Debug)]
pub struct ComplySetup {
    /// The clocks of its matches, in whole seconds.
    pub clocks: Clocks,
    /// For match ids and scrambled words.
    pub seed: u64,
}

impl Default for ComplySetup {
    /// Three seconds for everything, and a seed from the clock, so that ids are new.
    fn default() -> ComplySetup {
        let clock = Duration::from_secs(3);
        let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64);
        ComplySetup { clocks: Clocks { start: clock, play: clock }, seed }
    }
}

/// Why an examination could not be held; nothing that the player does is a reason.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Our own rules cannot be evaluated.
    #[error("the examiner's own rules: {0}")]
    Rules(String),
    /// As above, on the way.
    #[error(transparent)]
    Eval(#[from] EvalError),
}

/// Examines the player at `address`; `watch` gets every line as it is found.
///
/// # Errors
/// When the examiner fails; a player that is not there is a finding.
pub fn comply(
    address: &Address,
    setup: &ComplySetup,
    watch: &mut dyn FnMut(&Finding),
    stop: &StopToken,
) -> Result<Sheet, Failure> {
    let sheet = Sheet { player: address.to_string(), findings: Vec::new() };
    let take = read(include_bytes!("comply/take.kif"))?;
    let guess = read(include_bytes!("comply/guess.kif"))?;
    let mut exam = Exam { address, setup, take, guess, sheet, watch, stop, matches: 0 };
    exam.run()?;
    Ok(exam.sheet)
}

fn read(rules: &[u8]) -> Result<Arc<Game>, Failure> {
    let description = ggp_gdl::parse(rules).map_err(|errors| Failure::Rules(errors.to_string()))?;
    let game = Game::new(description).map_err(|errors| {
        Failure::Rules(errors.first().map(|error| error.message.clone()).unwrap_or_default())
    })?;
    Ok(Arc::new(game))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_there_is_a_finding() {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let address = Address { host: "127.0.0.1".to_owned(), port };
        let mut lines = 0;
        let sheet =
            comply(&address, &ComplySetup::default(), &mut |_| lines += 1, &StopToken::new()).unwrap();
        assert_eq!((sheet.findings.len(), lines), (1, 1));
        assert!(!sheet.is_usable() && !sheet.is_clean());
    }
}
