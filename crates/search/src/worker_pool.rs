//! The worker threads of a search; see [`crate::parallel`].

use crate::worker::Worker;
use ggp_game::Playouts;
use rayon::ThreadPool;

/// The pool of worker threads of one search, without the calling thread.
#[derive(Debug)]
pub(crate) struct WorkerPool<M: Playouts> {
    /// The working data of each thread while several threads search. The calling thread's data come first.
    pub(crate) workers: Vec<Worker<M>>,
    /// The threads. They are created when they are first needed.
    pub(crate) threads: Option<ThreadPool>,
}

impl<M: Playouts> Default for WorkerPool<M> {
    fn default() -> WorkerPool<M> {
        WorkerPool { workers: Vec::new(), threads: None }
    }
}
