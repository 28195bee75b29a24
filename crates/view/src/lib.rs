//! Board views: infers the board of a game from its rules and some states, finds the squares that a move
//! names, and draws states as text. [`infer`] makes a [`BoardModel`]. The inference uses structure first. It
//! looks for arguments of a fluent that have few, ordered values, that together identify one thing at a time,
//! and that moves name. Therefore it also works on rulesheets with scrambled names. Names decide only
//! questions that structure leaves open. A [`Sidecar`] overrides the inference.
//!
//! A [`BoardModel`] places the facts of a state on squares ([`BoardModel::place`]), reads moves as gestures
//! ([`BoardModel::gesture`]) and draws positions ([`BoardModel::draw`]). The model is serialisable, so that a
//! browser can draw from it too. Invariants: the crate does no IO and reads no clock. The running time is
//! bounded by the size of the rules and by limits on rounds, domains and states.
//!
//! # Examples
//! ```
//! use ggp_game::{Fact, Game};
//! use ggp_view::{Style, infer};
//! let rules = b"(role x) (role o) (index 1) (index 2) (init (control x))
//!     (<= (init (cell ?m ?n b)) (index ?m) (index ?n))
//!     (<= (legal ?r (mark ?m ?n)) (true (control ?r)) (true (cell ?m ?n b)))
//!     (<= (legal o noop) (true (control x))) (<= (legal x noop) (true (control o)))
//!     (<= (next (cell ?m ?n ?r)) (does ?r (mark ?m ?n)))
//!     (<= (next (cell ?m ?n ?c)) (true (cell ?m ?n ?c)) (distinct ?c b))
//!     (<= (next (cell ?m ?n b)) (true (cell ?m ?n b)) (does ?r (mark ?j ?k)) (distinct ?m ?j))
//!     (<= (next (cell ?m ?n b)) (true (cell ?m ?n b)) (does ?r (mark ?j ?k)) (distinct ?n ?k))
//!     (<= (next (control o)) (true (control x))) (<= (next (control x)) (true (control o)))
//!     (<= terminal (not open)) (<= open (true (cell ?m ?n b))) (goal x 50) (goal o 50)";
//! let game = Game::new(ggp_gdl::parse(rules).unwrap()).unwrap();
//! let facts: Vec<Fact> = ["(cell 1 1 x)", "(cell 1 2 b)", "(cell 2 1 b)", "(cell 2 2 b)", "(control o)"]
//!     .map(|fact| Fact::new(fact).unwrap())
//!     .to_vec();
//! let model = infer(&game, &[facts.clone()]);
//! assert_eq!((model.columns.values.len(), model.rows.values.len()), (2, 2));
//! let drawn = model.draw(&model.place(&facts), Style { ascii: true, ..Style::default() });
//! assert!(drawn.contains('x'));
//! ```

mod barrier;
mod border;
mod candidate;
mod caption;
mod change;
mod colour;
mod conduct;
mod emblem;
mod evidence;
mod fence;
mod figure;
mod fluent;
mod fold;
mod fusion;
mod infer;
mod label;
mod layer;
mod layout;
mod men;
mod model;
mod moves;
mod order;
mod orient;
mod owner;
mod page;
mod paint;
mod pits;
mod planes;
mod position;
mod reach;
#[cfg(test)]
mod sample;
mod scene;
mod side;
mod sidecar;
mod stack;
mod stance;
mod statics;
mod step;
mod stroke;
mod svg;
mod term;
mod text;
mod wall;

pub use caption::Caption;
pub use change::Changes;
pub use infer::{infer, infer_with};
pub use label::Labels;
pub use model::*;
pub use moves::Gesture;
pub use planes::Planes;
pub use position::{Beside, Line, Position, Possible, Token};
pub use scene::{Scene, UNIT};
pub use sidecar::{ArgumentPath, Sidecar, SidecarError, SidecarKey, Top};
pub use text::Style;
