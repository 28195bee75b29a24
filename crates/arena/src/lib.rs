//! Matches and tournaments of any game between any players: who is stronger, and how sure are we?

mod account;
mod chart;
pub mod command;
mod comparison;
mod digest;
pub mod elo;
mod fault;
mod hall;
mod headline;
pub mod interval;
mod ledger;
mod outcome;
mod plan;
mod position;
mod ratings;
pub mod record;
mod referee;
pub mod report;
mod result;
mod seating;
mod sequence;
mod series;
mod standings;
mod text;
mod tournament;
mod transcript;
mod trial;

pub use account::TimeAccount;
pub use command::CommandPlayer;
pub use fault::{Fault, FaultKind, OnFault};
pub use hall::save;
pub use headline::ENOUGH;
pub use ledger::{Flaw, Merge, ResultFile, ResultsError, merge, read_results};
pub use outcome::{Ending, MatchEvent, Observer, Outcome};
pub use plan::{Contest, Entrant, Fixture, Pairing, Plan, PlanError, Shard};
pub use position::rules_from;
pub use record::{GoalsGiven, Record, RecordError, state_text};
pub use referee::{DEFAULT_GRACE, MachineReferee, MatchSetup, Referee, Seat, is_nature};
pub use result::MatchResult;
pub use standings::{GameSummary, PairSummary, PlayerSummary, RoleSummary, Standings, Summary};
pub use tournament::{
    Event, Finish, Players, Progress, Report, Run, SeatRequest, Tournament, TournamentError,
};
pub use trial::{Refusal, Trial, Unfit};
