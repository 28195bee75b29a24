//! Threads that run jobs in the order in which they come.

use crossbeam_channel::{Sender, unbounded};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

/// The stack of a worker. Nothing recurses over a text, but JSON and the evaluation of rules take some depth.
const STACK_BYTES: usize = 8 << 20;

type Job = Box<dyn FnOnce() + Send>;

/// A number of threads with one queue. They end when this value is dropped and the queue is empty.
#[derive(Debug)]
pub(crate) struct Workers {
    jobs: Sender<Job>,
}

impl Workers {
    pub(crate) fn start(number: usize) -> Workers {
        let (jobs, queue) = unbounded::<Job>();
        for _ in 0..number {
            let queue = queue.clone();
            let work = move || {
                for job in queue {
                    // A job that panics has told its client by the value that it dropped.
                    let _ = catch_unwind(AssertUnwindSafe(job));
                }
            };
            let started = thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
            drop(started);
        }
        Workers { jobs }
    }

    pub(crate) fn run(&self, job: impl FnOnce() + Send + 'static) {
        // Without a thread the job is dropped, which its client sees as for a panic.
        let _ = self.jobs.send(Box::new(job));
    }
}
