//! One descent through the tree, and its progress.

use crate::path::Path;

/// A descent of the current batch.
#[derive(Clone, Debug)]
pub(crate) struct Descent<S> {
    /// The nodes visited and arms chosen so far.
    pub(crate) path: Path,
    /// What it has reached, and what it waits for.
    pub(crate) progress: DescentState<S>,
}

/// The progress of a descent.
#[derive(Clone, Debug)]
pub(crate) enum DescentState<S> {
    /// It has reached a node with known goals and only needs to be backed up.
    Known,
    /// It has reached a leaf whose legal moves are not known yet.
    Unopened,
    /// It has chosen arms whose child has no node yet.
    Childless,
    /// It waits for playouts from this state.
    Ready(S),
    /// Its playouts have been started.
    Playing,
}

impl<S> Default for Descent<S> {
    fn default() -> Descent<S> {
        Descent { path: Path::default(), progress: DescentState::Known }
    }
}
