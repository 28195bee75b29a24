//! One descent through the tree, and its progress.

use crate::path::Path;

/// A descent of the current batch.
#[derive(Clone, Debug)]
pub(crate) struct Descent<S> {
    /// The nodes visited and arms chosen so far.
    pub(crate) path: Path,
    /// The point that the descent has reached.
    pub(crate) progress: DescentState<S>,
}

/// The progress of a descent.
#[derive(Clone, Debug)]
pub(crate) enum DescentState<S> {
    /// The descent has reached a node with known goals and only needs to be backed up.
    Known,
    /// The descent has reached a leaf whose legal moves are not known yet.
    Unopened,
    /// The chosen arms lead to a state that has no node yet.
    Childless,
    /// The descent waits for playouts from this state.
    Ready(S),
    /// The playouts of the descent have been started.
    Playing,
}

impl<S> Default for Descent<S> {
    fn default() -> Descent<S> {
        Descent { path: Path::default(), progress: DescentState::Known }
    }
}
