//! The fast state machine: a propositional network, evaluated for hundreds of playouts at a time.

#![allow(
    clippy::inline_always,
    reason = "what kernels call must be compiled with them, once for each kind of processor"
)]

mod allocate;
mod circuit;
mod cpu;
mod decisive;
mod evaluator;
mod gate;
mod gates;
mod ground;
mod lanes;
mod machine;
mod move_set;
mod nearness;
mod net;
mod one;
mod prefer;
mod rails;
mod report;
mod rows;
mod schedule;
mod select;
mod specialise;
mod state;
mod subgames;
mod successor;
mod twins;
mod vector;
mod walk;

pub use cpu::Cpu;
pub use ground::{GroundError, GroundLimits};
pub use lanes::Part;
pub use machine::{ProgramCounts, PropNetMachine};
pub use move_set::MoveSet;
pub use net::{Counts, Fluent, NetBuilder, NetMove, NetRole, Node, PropNet, Signal, Unknown};
pub use report::{GroundCounts, PhaseReport, Report, Steps};
pub use state::BitState;
