//! Matches and tournaments of any game between any players: who is stronger, and how sure are we?

mod account;
pub mod command;
mod digest;
mod fault;
mod outcome;
pub mod record;
mod referee;
mod transcript;

pub use account::TimeAccount;
pub use command::CommandPlayer;
pub use fault::{Fault, FaultKind, OnFault};
pub use outcome::{Ending, MatchEvent, Observer, Outcome};
pub use record::{Record, RecordError, state_text};
pub use referee::{DEFAULT_GRACE, MachineReferee, MatchSetup, Referee, Seat, is_nature};
