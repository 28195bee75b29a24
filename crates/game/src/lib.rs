//! The vocabulary of general game playing and its reference semantics. A [`Game`] is a checked rulesheet,
//! lowered to Datalog. [`StateMachine`] executes a game: initial state, legal moves, next state, goals,
//! percepts. [`Interpreter`] is the reference implementation, which evaluates the Datalog program directly.
//! [`Playouts`] adds random playouts and batched queries, and [`Player`] is the interface of every player.
//!
//! Invariants: a [`Game`] exists only if its rules have no error at the chosen strictness. Every [`StateMachine`] gives the same
//! answers as [`Interpreter`], and lists legal moves in the same order. A playout depends only on the rules,
//! its start state, the options of the run, and its random stream ([`rng`]). Text that leaves a machine is
//! canonical ([`Fact`], [`canonical_term`]).
//!
//! # Examples
//! ```
//! use ggp_game::{Game, Goals, Interpreter, StateMachine};
//! use std::sync::Arc;
//! let rules = b"(role a) (init (at 0)) (succ 0 1) (succ 1 2) (legal a step)
//!     (<= (next (at ?n)) (true (at ?m)) (succ ?m ?n)) (<= terminal (true (at 2)))
//!     (<= (goal a 100) (true (at 2))) (<= (goal a 0) (not (true (at 2))))";
//! let game = Arc::new(Game::new(ggp_gdl::parse(rules).unwrap()).unwrap());
//! let mut machine = Interpreter::new(&game);
//! let mut state = machine.initial_state().unwrap();
//! while !machine.is_terminal(&state).unwrap() {
//!     let joint = machine.parse_legal_joint(&state, &["step"]).unwrap();
//!     state = machine.next_state(&state, &joint).unwrap();
//! }
//! assert_eq!(machine.facts_of(&state).unwrap()[0].as_str(), "(at 2)");
//! assert_eq!(machine.goals_of(&state).unwrap()[0].score().value(), 100);
//! ```

#[doc(hidden)]
pub mod adapt;
mod advice;
mod anonymous;
mod clock;
mod cpu_clock;
mod error;
mod fact;
mod fingerprint;
mod firing;
mod fluents;
mod format;
mod game;
mod goal;
mod hints;
mod information_set;
mod interpreter;
#[doc(hidden)]
pub mod lower;
mod machine;
mod markup;
mod move_table;
mod moves;
mod needs;
mod opening;
mod perft;
mod player;
mod playouts;
mod preference;
mod recall;
mod refuted;
pub mod rng;
mod role;
mod semantics;
mod watchdog;

pub use advice::advice;
pub use anonymous::AnonymousRules;
pub use clock::{Clocks, Deadline, StopToken};
pub use cpu_clock::CpuClock;
pub use error::EvalError;
pub use fact::{Fact, split_term};
pub use fingerprint::Fingerprint;
pub use firing::{Firing, Unfired, written_goals};
pub use fluents::FluentSet;
pub use format::{Format, FormatError, Headed};
pub use game::{Game, MAX_ROLES, UnknownRole};
pub use goal::{Goal, Goals};
pub use hints::{
    DecisiveCost, DecisiveMoves, Ending, GoalParts, Hints, NoDecisiveMoves, RestrictedMoves, Verdict,
};
pub use information_set::{Extent, InformationSet, Knowledge, OwnTurn};
pub use interpreter::Interpreter;
pub use machine::{JointMoveError, StateMachine};
pub use markup::escaped;
pub use move_table::{MAX_TEXT, canonical_term, too_much_text};
pub use moves::Move;
pub use opening::add_opening_findings;
pub use perft::{JointMoves, perft, perft_until};
pub use player::{Candidate, Draft, Observation, OwnedObservation, PlayError, Player, SearchReport};
pub use playouts::{Batches, MAX_STEPS, Playout, PlayoutPlan, Playouts, StepwisePlayouts};
pub use preference::Preference;
pub use recall::{Observed, Recall, Recalled};
pub use refuted::{NeverFired, Refuted, Simulate, Simulated};
pub use role::Role;
pub use semantics::Semantics;
pub use watchdog::{Watchdog, Watched};
