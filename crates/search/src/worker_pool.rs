//! The worker threads of a search; see [`crate::parallel`].

use crate::worker::Worker;
use ggp_game::Playouts;
use rayon::ThreadPool;

/// The pool of worker threads of one search, without the calling thread.
#[derive(Debug)]
pub(crate) struct WorkerPool<M: Playouts> {
    /// The working data of every thread while several search, the calling thread's first.
    pub(crate) workers: Vec<Worker<M>>,
    /// The pool, created when it is first needed.
    pub(crate) threads: Option<ThreadPool>,
}

impl<M: Playouts> Default for WorkerPool<M> {
    fn default() -> WorkerPool<M> {
        WorkerPool { workers: Vec::new(), threads: None }
    }
}
