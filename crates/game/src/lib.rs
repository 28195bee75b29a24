//! The vocabulary of general game playing, and its reference semantics.

pub mod adapt;
mod belief;
mod error;
mod explain;
mod fact;
mod game;
mod goal;
mod interpreter;
pub mod lower;
mod machine;
pub mod message;
mod move_table;
mod moves;
mod perft;
mod player;
mod playouts;
mod preference;
pub mod rng;
mod role;
mod semantics;

pub use belief::Belief;
pub use error::EvalError;
pub use explain::{Because, ExplainError, Explainer, Explanation, Verdict};
pub use fact::Fact;
pub use game::{Game, MAX_ROLES};
pub use goal::{Goal, Goals};
pub use interpreter::{FluentSet, Interpreter};
pub use machine::StateMachine;
pub use move_table::canonical_term;
pub use moves::Move;
pub use perft::{JointMoves, perft};
pub use player::{Candidate, Clocks, Deadline, Observation, PlayError, Player, Report, StopToken};
pub use playouts::{MAX_STEPS, Playout, PlayoutPlan, Playouts};
pub use preference::Preference;
pub use role::Role;
pub use semantics::Semantics;
