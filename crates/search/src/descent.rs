//! One way down through the tree, and where it has come to.

use crate::path::Path;

/// A descent under way.
#[derive(Clone, Debug)]
pub(crate) struct Descent<S> {
    /// The nodes and arms so far.
    pub(crate) path: Path,
    /// Where it stands.
    pub(crate) stand: Stand<S>,
}

/// Where a descent stands.
#[derive(Clone, Debug)]
pub(crate) enum Stand<S> {
    /// In a node whose goals are known: nothing is left to do but to back them up.
    Known,
    /// In a node whose legal moves are to be asked for.
    Unopened,
    /// In a node with arms chosen that lead where no node has been made.
    Childless,
    /// Before a playout from this state.
    Ready(S),
    /// Its playouts have been handed out.
    Playing,
}

impl<S> Default for Descent<S> {
    fn default() -> Descent<S> {
        Descent { path: Path::default(), stand: Stand::Known }
    }
}
