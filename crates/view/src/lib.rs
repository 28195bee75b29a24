//! What board a game is played on, inferred from its rules and a few states.
mod domain;
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
mod statics;
mod term;
mod text;

pub use infer::{infer, infer_with};
pub use model::*;
pub use moves::Gesture;
pub use position::{Beside, Position, Token};
pub use sidecar::{ArgumentPath, Sidecar, SidecarError, Top};
pub use text::Style;
