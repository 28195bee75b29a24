//! Matches and tournaments of any game between any players. A [`Referee`] plays one match and returns an
//! [`Outcome`]. A [`Tournament`] takes its numbered matches (fixtures) from a [`Plan`], plays them on several
//! threads, and writes one [`MatchResult`] for each match to a [`ResultFile`]. [`Standings`] sum up the
//! results: ratings, pairwise Elo differences with 95 % intervals, fault counts and time accounts. [`elo`]
//! holds the sequential test (SPRT).
//!
//! Every joint move of a match is legal. A match that neither reached a terminal state nor was forfeited has
//! no score. The fixtures depend on the settings alone. A resumed run therefore continues the fixtures of the
//! run before it, and shards divide the fixtures among several runs. No match counts twice.
//!
//! # Examples
//! ```
//! use ggp_arena::{Ending, MachineReferee, MatchSetup, Referee, Seat};
//! use ggp_game::{Clocks, Game, Interpreter, StopToken};
//! use std::{sync::Arc, time::Duration};
//! let rules = b"(role random) (legal random x) (next over) (<= terminal (true over)) (goal random 100)";
//! let game = Arc::new(Game::new(ggp_gdl::parse(rules).unwrap()).unwrap());
//! let mut referee = MachineReferee::new(Interpreter::new(&game));
//! let clocks = Clocks { start: Duration::from_secs(1), play: Duration::from_secs(1) };
//! let outcome = referee.play(MatchSetup::new("m", clocks), &mut [Seat::Nature], &mut (), &StopToken::new());
//! assert_eq!((outcome.ending, outcome.goals, outcome.steps), (Ending::Terminal, vec![Some(100)], 1));
//! ```

mod account;
mod chart;
pub mod command;
mod comparison;
mod digest;
pub mod elo;
mod entrants;
mod fault;
mod headline;
pub mod interval;
mod merge;
mod open_run;
mod outcome;
mod plan;
mod preflight;
mod queue;
mod ratings;
mod read_results;
pub mod record;
mod referee;
pub mod report;
mod result;
mod results_error;
mod results_file;
mod run;
mod run_results;
mod runner;
mod sealed;
mod seating;
mod sequential_test;
mod series;
mod settings;
mod setup;
mod shard;
mod standings;
mod start_state;
mod summary;
mod table;
mod text;
mod tournament;
mod transcript;
mod trial;
mod user_key;
mod whole_file;

pub use account::TimeAccount;
pub use command::CommandPlayer;
pub use entrants::{Contest, Entrant, Pairing};
pub use fault::{Fault, FaultKind, OnFault};
pub use merge::{Merge, merge};
pub use open_run::OpenRun;
pub use outcome::{Ending, MatchEvent, Observer, Outcome};
pub use plan::{Fixture, Plan, PlanError};
pub use read_results::read_results;
pub use record::{GoalsGiven, RECORD, Record, RecordError, SEALED, Step, is_sealed, read_steps, state_text};
pub use referee::{MachineReferee, Referee};
pub use result::{MatchResult, RESULT};
pub use results_error::{Flaw, ResultsError};
pub use results_file::ResultFile;
pub use sealed::{SealError, SealedContents, SealedRecord};
pub use settings::Settings;
pub use setup::{DEFAULT_GRACE, MatchSetup, NATURE, Seat, is_nature};
pub use shard::Shard;
pub use standings::Standings;
pub use start_state::rules_from;
pub use summary::{
    FirstFault, GameSummary, PairSummary, PlayerSummary, REQUIRED_PAIRS, RoleSummary, Summary,
};
pub use table::{PlayedMatch, Table, save, save_text};
pub use tournament::{
    Event, Finish, PlayerRequest, Players, Progress, Run, RunReport, Tournament, TournamentError,
};
pub use trial::{Refusal, Trial, Unfit};
pub use user_key::{UserKey, UserKeyError};
pub use whole_file::write_whole;
