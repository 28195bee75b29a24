//! Games described in GDL, the Game Description Language: load them, play them, search them, and let players
//! play matches.
//!
//! [`load`] reads a rulesheet and gives a [`Game`] or all diagnostics of its rules. A [`Reasoner`] executes a
//! game: states, legal moves, transitions, goals, percepts, playouts. It runs on the propositional network. If the
//! network cannot be built, it runs on the compiled evaluator if that plays at least 20 times as fast as the Datalog
//! interpreter, or else on the interpreter. A [`Search`] finds moves by Monte-Carlo tree
//! search; [`play_match`] and [`Tournament`] let players meet; [`solve`] proves values; [`Explainer`] shows
//! which rule gives a fact; [`board`] draws positions.
//!
//! Invariants: a [`Game`] exists only if its rules have no error at the chosen [`Strictness`]. All machines of a game
//! give the same answers, with legal moves in the same order. A seed determines all random numbers, so a search with one
//! thread and a limit of iterations repeats exactly. Texts of moves and facts
//! are canonical: one space between terms, none inside parentheses.
//!
//! # From a text to a move
//! This program is also the file `examples/first.rs`.
//!
//! ```
//! use ggp::{MctsOptions, Reasoner, Search, SearchLimits, StateMachine};
//!
//! fn main() -> Result<(), ggp::Error> {
//! #   std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap();
//!     let game = ggp::load("games/connect_four.kif")?;
//!     let mut reasoner = Reasoner::new(&game)?;
//!     let state = reasoner.initial_state()?;
//!     let red = game.role("red")?;
//!     let legal = reasoner.legal_texts(&state, red)?;
//!     println!("legal moves: {}", legal.join(" "));
//!     let mut search = Search::new(&reasoner, &MctsOptions::default())?;
//!     search.run(&SearchLimits::time(std::time::Duration::from_secs(1)));
//!     let best = search.best_move(red)?;
//!     println!("best move: {best}");
//!     assert!(legal.contains(&best));
//!     Ok(())
//! }
//! ```
#![doc = include_str!("../book/src/load.md")]
#![doc = include_str!("../book/src/play.md")]
#![doc = include_str!("../book/src/search.md")]
#![doc = include_str!("../book/src/tournament.md")]
#![doc = include_str!("../book/src/write_a_player.md")]
#![doc = include_str!("../book/src/write_a_machine.md")]
#![doc = include_str!("../book/src/glossary.md")]

mod background;
mod batch;
mod batch_error;
pub mod board;
mod build;
mod cache;
mod error;
mod late_player;
mod learner;
mod load;
mod machine;
mod observations;
mod participants;
mod player;
mod reasoner;
mod search;
mod spec;
mod trees;
mod trial;

pub use background::{BackgroundBuild, Notice};
pub use batch::{Batch, BatchOptions, Expansion, Illegal, Opponents, Rows, Tally, UnfitOpponents};
pub use batch_error::BatchError;
pub use build::{Build, BuildError, BuildTimes, Choice, UnknownChoice};
pub use cache::{CacheUsage, NetworkCache};
pub use error::Error;
pub use late_player::LatePlayer;
pub use learner::Learner;
pub use load::{LoadError, MAX_RULESHEET_BYTES, Rulesheet, load, parse};
pub use participants::{Participant, ParticipantError, Participants};
pub use player::{play_match, play_match_until};
pub use reasoner::{Reasoner, State, WithMachine};
pub use search::{Proof, Search, solve};
pub use spec::{KindError, PlayerKind, SuitError};
pub use trees::{Root, TreeOptions, Trees};

pub use ggp_arena::interval::Estimate;
pub use ggp_arena::{Contest, Entrant, Event, MatchSetup, Outcome, Record, Referee, Run, Seat, Tournament};
pub use ggp_compiled::{CompiledMachine, Refusal};
pub use ggp_datalog::Limits;
pub use ggp_equilibrium::{
    Behaviour, BeliefError, BestPlay, Budget, CfrPlus, Equilibrium, NotConstantSum, PlannedMove, UnfoldError,
    Unfolding, best_play, write_efg,
};
pub use ggp_explain::{Because, ExplainError, Explainer, Explanation, Verdict};
pub use ggp_game::{
    Batches, Candidate, Clocks, Deadline, DecisiveCost, DecisiveMoves, EvalError, Extent, Fact, Fingerprint,
    Game, Goal, Goals, Hints, InformationSet, Interpreter, Knowledge, Move, NoDecisiveMoves, Observation,
    OwnTurn, OwnedObservation, PlayError, Player, Playout, PlayoutPlan, Playouts, Role, SearchReport,
    StateMachine, StopToken, UnknownRole, advice, perft, perft_until,
};
pub use ggp_gdl::{Diagnostic, Severity, Strictness};
pub use ggp_propnet::{Cpu, DecodeError, GroundLimits, PropNetMachine, Seeds};
pub use ggp_search::{
    Generation, Halt, KnowledgeError, Lesson, Limits as SearchLimits, MctsOptions, PlayerSpec, SpecError,
    Trial,
};
