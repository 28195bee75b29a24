//! A fast evaluator for games whose rules do not fit a propositional network: the rules are compiled to joins over
//! integers, which are evaluated top-down with memos. Answers of earlier evaluations are recalled where that is faster.
//!
//! Invariants: a [`CompiledMachine`] gives the same answers as the interpreter of `ggp-game`, and lists legal moves
//! in the same order. A game that cannot be compiled is refused with a [`Refusal`]. The crate starts no thread and
//! reads no clock.
//!
//! # Examples
//! ```
//! use ggp_compiled::CompiledMachine;
//! use ggp_game::{Game, StateMachine, StopToken};
//! use std::sync::Arc;
//! let rules = b"(role a) (init (at 0)) (succ 0 1) (succ 1 2) (legal a step)
//!     (<= (next (at ?n)) (true (at ?m)) (succ ?m ?n)) (<= terminal (true (at 2)))
//!     (<= (goal a 100) (true (at 2))) (<= (goal a 0) (not (true (at 2))))";
//! let game = Arc::new(Game::new(ggp_gdl::parse(rules).unwrap()).unwrap());
//! let mut machine = CompiledMachine::new(&game, &StopToken::new()).unwrap();
//! let mut state = machine.initial_state().unwrap();
//! while !machine.is_terminal(&state).unwrap() {
//!     let joint = machine.parse_legal_joint(&state, &["step"]).unwrap();
//!     state = machine.next_state(&state, &joint).unwrap();
//! }
//! assert_eq!(machine.facts_of(&state).unwrap()[0].as_str(), "(at 2)");
//! ```

mod build;
mod code;
mod compiled;
mod domains;
mod encoding;
mod engine;
mod ground;
mod key;
mod layout;
mod machine;
mod measured;
mod memo;
mod moves;
mod plan;
mod playouts;
mod recall;
mod recalled;
mod refusal;
mod sets;
mod table;
mod texts;

pub use build::Strategy;
pub use machine::{CodeSet, CompiledMachine};
pub use refusal::Refusal;
