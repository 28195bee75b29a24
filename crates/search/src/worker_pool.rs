//! The worker threads of a search; see [`crate::parallel`].

use crate::worker::Worker;
use ggp_game::Playouts;
use rayon::ThreadPool;

/// The threads of a search that uses several threads, and the working data of each thread.
#[derive(Debug)]
pub(crate) struct WorkerPool<M: Playouts> {
    /// The working data of each thread. The calling thread's data come first.
    pub(crate) workers: Vec<Worker<M>>,
    /// The threads beside the calling thread. They are created when they are first needed; `None` before.
    pub(crate) threads: Option<ThreadPool>,
}

impl<M: Playouts> Default for WorkerPool<M> {
    fn default() -> WorkerPool<M> {
        WorkerPool { workers: Vec::new(), threads: None }
    }
}
