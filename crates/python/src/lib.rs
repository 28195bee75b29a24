//! The extension module `ggp._ggp` of the Python package `ggp`. The package's facade in `python/ggp` re-exports its
//! classes.
//!
//! ```python
//! import ggp
//!
//! game = ggp.load("games/connect_four.kif")
//! batch = game.batch(4096, seed=1)
//! goals = batch.rollout()
//! print(game.roles, goals.mean(axis=0))
//! ```
//!
//! Invariants: no call holds the interpreter lock while it computes; classes are frozen, and a lock guards what a call
//! changes; whatever Python passes is checked, and errors are exceptions.

#![allow(clippy::doc_markdown, reason = "the documentation of classes is that of Python")]
#![allow(clippy::unused_self, reason = "methods of Python")]
#![allow(clippy::too_many_arguments, reason = "arguments from Python have names")]
#![allow(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]

mod actions;
mod analysis;
mod array;
mod batch;
mod board;
mod equilibrium;
mod error;
mod game;
mod interrupt;
mod learner;
mod matches;
mod observation;
mod outcome;
mod playouts;
mod queries;
mod result;
mod search;
mod serve;
mod state;
mod tournament;
mod trees;

use pyo3::prelude::*;

/// Games described in GDL, executed.
#[pymodule(gil_used = false)]
mod _ggp {
    #[pymodule_export]
    use crate::batch::Batch;
    #[pymodule_export]
    use crate::game::{Game, load};
    #[pymodule_export]
    use crate::learner::PolicyLearner;
    #[pymodule_export]
    use crate::search::Search;
    #[pymodule_export]
    use crate::serve::serve;
    #[pymodule_export]
    use crate::state::State;
    #[pymodule_export]
    use crate::tournament::{Tournament, TournamentRun};
    #[pymodule_export]
    use crate::trees::Trees;
    use pyo3::prelude::*;

    /// Runs the command `ggp` with the arguments `argv`, of which the first is the command's name, and returns its exit
    /// code.
    #[pyfunction]
    fn command(py: Python<'_>, argv: Vec<String>) -> u8 {
        py.detach(|| ggp_cli::run(argv))
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
