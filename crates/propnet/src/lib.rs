//! The fast state machine: a propositional network, evaluated for hundreds of playouts at a time.

mod move_set;
mod net;

pub use move_set::MoveSet;
pub use net::{Counts, Fluent, NetBuilder, NetMove, NetRole, Node, PropNet, Signal, Unknown};
