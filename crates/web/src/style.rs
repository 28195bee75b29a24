//! How the states of a game are drawn.

use ggp_view::{BoardModel, Labels};

/// A board, and the labels of the tokens on it.
#[derive(Clone, Copy)]
pub(crate) struct Style<'a> {
    pub(crate) model: &'a BoardModel,
    pub(crate) labels: &'a Labels,
}
