//! The examination of a player. It tests whether the player conforms to the protocol, one check after the
//! other.
//!
//! The tests play three small games with the player: one in which roles take turns, and two with hidden
//! information, of which one gives two roles different percepts. A check of a behaviour on which managers rely is
//! a [`Requirement::Must`]. A check of anything else that the protocol or some managers demand is a
//! [`Requirement::Should`]. The reference player, that of ggp-base, fails some of the latter checks.

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

/// The settings of an examination.
#[derive(Clone, Debug)]
pub struct ComplySetup {
    /// The clocks of the test matches, in whole seconds.
    pub clocks: Clocks,
    /// The seed from which match ids and scrambled words are drawn.
    pub seed: u64,
}

impl Default for ComplySetup {
    /// Clocks of three seconds, and a seed from the system clock, so that match ids differ between
    /// examinations.
    fn default() -> ComplySetup {
        let clock = Duration::from_secs(3);
        let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64);
        ComplySetup { clocks: Clocks { start: clock, play: clock }, seed }
    }
}

/// The reason why an examination failed. A player that does not conform causes a failing finding, not this
/// error.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The rules of a test game are invalid. Holds the message.
    #[error("the rules of a test game are invalid: {0}")]
    Rules(String),
    /// The rules of a test game cannot be evaluated.
    #[error(transparent)]
    Eval(#[from] EvalError),
}

/// Examines the player at `address`. After every check, calls `watch` with its finding.
///
/// # Errors
/// When the examination itself fails. If the player cannot be reached, that is a finding and not an error.
pub fn comply(
    address: &Address,
    setup: &ComplySetup,
    watch: &mut dyn FnMut(&Finding),
    stop: &StopToken,
) -> Result<Sheet, Failure> {
    let sheet = Sheet { player: address.to_string(), findings: Vec::new() };
    let take = read(include_bytes!("comply/take.kif"))?;
    let guess = read(include_bytes!("comply/guess.kif"))?;
    let cards = read(include_bytes!("comply/cards.kif"))?;
    let mut exam = Exam { address, setup, take, guess, cards, sheet, watch, stop, matches: 0 };
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
