//! Matches and tournaments of any game between any players. A [`Referee`] plays one match and returns an
//! [`Outcome`]. A [`Tournament`] derives numbered fixtures from a [`Plan`], plays them on several threads,
//! and writes one [`MatchResult`] a match to a [`ResultFile`]. [`Standings`] sum the results up: ratings,
//! pairwise Elo differences with 95 % intervals, fault counts and time accounts. [`elo`] holds the sequential
//! test (SPRT).
//!
//! Every joint move of a match is legal. A match that neither reached a terminal state nor was forfeited has
//! no score. The fixtures depend on the settings alone, so resumed runs and shards play the same matches; no
//! match counts twice.
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
mod escape;
mod fault;
mod headline;
pub mod interval;
mod ledger;
mod outcome;
mod plan;
mod position;
mod preflight;
mod ratings;
pub mod record;
mod referee;
pub mod report;
mod result;
mod run;
mod run_results;
mod runner;
mod seating;
mod sequence;
mod series;
mod setup;
mod standings;
mod text;
mod tournament;
mod transcript;
mod trial;

pub use account::TimeAccount;
pub use command::CommandPlayer;
pub use fault::{Fault, FaultKind, OnFault};
pub use ledger::{Flaw, Merge, ResultFile, ResultsError, merge, read_results};
pub use outcome::{Ending, MatchEvent, Observer, Outcome};
pub use plan::{Contest, Entrant, Fixture, Pairing, Plan, PlanError, Shard};
pub use position::rules_from;
pub use record::{GoalsGiven, Record, RecordError, Step, read_steps, state_text};
pub use referee::{MachineReferee, Referee};
pub use result::MatchResult;
pub use runner::save;
pub use setup::{DEFAULT_GRACE, MatchSetup, Seat, is_nature};
pub use standings::{ENOUGH, GameSummary, PairSummary, PlayerSummary, RoleSummary, Standings, Summary};
pub use tournament::{
    Event, Finish, Players, Progress, Run, RunReport, SeatRequest, Tournament, TournamentError,
};
pub use trial::{Refusal, Trial, Unfit};
