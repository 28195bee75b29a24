//! What board a game is played on, inferred from its rules and a few states; which squares a move
//! names; and a state drawn as text.
//!
//! [`infer`] looks at structure first: which arguments of a fluent have few, ordered values that
//! single out one thing at a time and that moves name. It works on rulesheets whose names have
//! been scrambled; names only decide what structure leaves open. A [`Sidecar`] overrides it.
//! A [`BoardModel`] lays states out ([`BoardModel::place`]), reads moves as gestures
//! ([`BoardModel::gesture`]) and draws ([`BoardModel::draw`]); it is serialisable, so that a
//! browser can draw from it too.
//!
//! No IO and no clocks. Time is bounded by the size of the rules and by bounds on rounds, domains
//! and states looked at.

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
