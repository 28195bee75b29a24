//! Board views: infers the board of a game from its rules and some states, finds the squares that a move
//! names, and draws states as text. [`infer`] makes a [`BoardModel`]. It uses structure first: arguments of
//! a fluent with few, ordered values that identify one thing at a time and that moves name. So it works on
//! scrambled rulesheets; names decide only what structure leaves open. A [`Sidecar`] overrides the
//! inference.
//!
//! A [`BoardModel`] places the facts of a state on squares ([`BoardModel::place`]), reads moves as gestures
//! ([`BoardModel::gesture`]) and draws positions ([`BoardModel::draw`]). It is serialisable, so that a
//! browser can draw from it too. Invariants: the crate does no IO and reads no clock. Its running time is
//! bounded by the size of the rules and by limits on rounds, domains and states.

mod candidate;
mod domain;
mod evidence;
mod fluent;
mod infer;
mod label;
mod layer;
mod model;
mod moves;
mod order;
mod orient;
mod owner;
mod position;
mod side;
mod sidecar;
mod stack;
mod statics;
mod term;
mod text;

pub use infer::{infer, infer_with};
pub use label::Labels;
pub use model::*;
pub use moves::Gesture;
pub use position::{Beside, Position, Token};
pub use sidecar::{ArgumentPath, Sidecar, SidecarError, Top};
pub use text::Style;
