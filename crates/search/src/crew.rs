//! Several threads for one tree: one of them grows it, and all of them play.
//!
//! While the playouts of one batch are under way the next one is selected, so that the tree's thread
//! need not wait; when there is nothing to select it plays too. A playout's draws depend on its
//! number only, and batches are backed up in order, so a seeded run gives the same result whoever
//! plays what.

use crate::descent::Descent;
use crate::history::Log;
use crate::limits::{Halt, Limits};
use crate::search::{FAILURES, Search};
use crate::simulate::Simulation;
use ggp_game::{EvalError, Playouts};
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

/// Batches selected and not backed up yet.
const UNDER_WAY: usize = 2;

/// Some playouts of a batch.
struct Job<S> {
    /// Which batch, and where in its scores.
    batch: u64,
    place: usize,
    starts: Vec<S>,
    per_leaf: usize,
    simulation: Simulation,
}

/// A job that has been done.
struct Done {
    batch: u64,
    place: usize,
    shares: Result<Vec<f64>, EvalError>,
    simulation: Simulation,
}

/// A batch whose playouts are under way.
struct Open<S> {
    number: u64,
    descents: Vec<Descent<S>>,
    per_leaf: usize,
    shares: Vec<f64>,
    missing: usize,
    log: Option<Log>,
    error: Option<EvalError>,
}

/// Jobs that wait, and whether there will be more.
struct Queue<S> {
    jobs: Mutex<(VecDeque<Job<S>>, bool)>,
    wake: Condvar,
}

impl<S> Queue<S> {
    fn push(&self, jobs: impl IntoIterator<Item = Job<S>>) {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).0.extend(jobs);
        self.wake.notify_all();
    }

    fn try_pop(&self) -> Option<Job<S>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).0.pop_front()
    }

    /// The next job, when there is one; `None` once the queue is closed.
    fn pop(&self) -> Option<Job<S>> {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if jobs.1 {
                return None;
            }
            if let Some(job) = jobs.0.pop_front() {
                return Some(job);
            }
            jobs = self.wake.wait(jobs).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn close(&self) {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).1 = true;
        self.wake.notify_all();
    }
}

/// Plays one job.
fn play<M: Playouts>(machine: &mut M, mut job: Job<M::State>, limits: &Limits) -> Done {
    let mut shares = Vec::new();
    let played = job.simulation.run(machine, &job.starts, job.per_leaf, limits, &mut shares);
    Done { batch: job.batch, place: job.place, shares: played.map(|()| shares), simulation: job.simulation }
}

impl<M: Playouts> Search<M> {
    /// Searches with all threads until a limit is reached.
    pub(crate) fn iterate_together(&mut self, limits: &Limits) -> Halt {
        let queue = Queue { jobs: Mutex::new((VecDeque::new(), false)), wake: Condvar::new() };
        let (sender, receiver) = channel();
        std::thread::scope(|scope| {
            for _ in 1..self.options.threads {
                let (mut machine, sender, queue) = (self.machine.clone(), Sender::clone(&sender), &queue);
                scope.spawn(move || {
                    while let Some(job) = queue.pop() {
                        if sender.send(play(&mut machine, job, limits)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            let halt = self.lead(limits, &queue, &receiver);
            queue.close();
            halt
        })
    }

    /// The tree's thread: selects, plays where nothing is left to select, backs up.
    fn lead(&mut self, limits: &Limits, queue: &Queue<M::State>, results: &Receiver<Done>) -> Halt {
        let (mut begun, mut number, mut failures) = (0, 0, 0);
        let mut open: VecDeque<Open<M::State>> = VecDeque::new();
        loop {
            let expected = self.iteration.expected() * UNDER_WAY as u32;
            let halt = self.is_over(limits, begun, expected);
            let clock = matches!(halt, Some(Halt::Deadline | Halt::Stopped));
            let began = Instant::now();
            let mut failed = None;
            if halt.is_none() && open.len() < UNDER_WAY {
                self.recycle();
                let most = limits.iterations.map_or(u64::MAX, |most| most - begun);
                match self.begin_batch(number, most, queue) {
                    Ok(batch) => {
                        begun += batch.descents.len() as u64;
                        number += 1;
                        open.push_back(batch);
                        continue;
                    }
                    Err(error) => failed = Some(error),
                }
            }
            if clock {
                // What is not finished by now would come too late.
                open.drain(..).for_each(|batch| self.abandon(&batch.descents));
            }
            if let Some(batch) = open.pop_front() {
                failed = self.end_batch(batch, &mut open, limits, queue, results).err().or(failed);
                self.iteration.note(began.elapsed());
            } else if let Some(halt) = halt {
                return halt;
            }
            match failed {
                None => failures = 0,
                Some(error) => {
                    failures += 1;
                    let interrupted = error == EvalError::Interrupted;
                    if interrupted || failures == FAILURES {
                        open.drain(..).for_each(|batch| self.abandon(&batch.descents));
                        return match interrupted {
                            true if limits.stop.is_stopped() => Halt::Stopped,
                            true => Halt::Deadline,
                            false => Halt::Failing(error),
                        };
                    }
                }
            }
        }
    }

    fn abandon(&mut self, descents: &[Descent<M::State>]) {
        for descent in descents {
            self.tree.retreat(&descent.path);
        }
    }

    /// Selects a batch and hands its playouts out.
    fn begin_batch(
        &mut self,
        number: u64,
        most: u64,
        queue: &Queue<M::State>,
    ) -> Result<Open<M::State>, EvalError> {
        let mut descents = Vec::new();
        let (batch, opened) = self.open_batch(most, &mut descents);
        if let Err(error) = opened {
            self.abandon(&descents);
            return Err(error);
        }
        let roles = self.tree.roles();
        let per_leaf = batch.per_leaf;
        let mut starts = std::mem::take(&mut self.starts);
        let shares = vec![0.0; starts.len() * roles];
        self.counts.playouts += (starts.len() * per_leaf) as u64;
        // Parts that fill the lanes of a machine, but one for each thread if possible.
        let size = starts.len().div_ceil(self.options.threads);
        let size = size.max(self.machine.lanes() / 4 / per_leaf).max(1);
        let mut jobs = Vec::new();
        let mut place = 0;
        while !starts.is_empty() {
            let rest = starts.split_off(size.min(starts.len()));
            let part = std::mem::replace(&mut starts, rest);
            let count = part.len();
            let first = self.simulation.hand_out((count * per_leaf) as u64);
            let simulation = self.simulation.part(first);
            jobs.push(Job { batch: number, place: place * roles, starts: part, per_leaf, simulation });
            place += count;
        }
        let missing = jobs.len();
        queue.push(jobs);
        Ok(Open {
            number,
            descents,
            per_leaf,
            shares,
            missing,
            log: self.simulation.logs.then(Log::default),
            error: None,
        })
    }

    /// Waits for a batch's playouts, playing some of them, and backs them up.
    fn end_batch(
        &mut self,
        mut batch: Open<M::State>,
        others: &mut VecDeque<Open<M::State>>,
        limits: &Limits,
        queue: &Queue<M::State>,
        results: &Receiver<Done>,
    ) -> Result<(), EvalError> {
        while batch.missing > 0 {
            let done = match queue.try_pop() {
                Some(job) => play(&mut self.machine, job, limits),
                None => results.recv().map_err(|_| EvalError::Interrupted)?,
            };
            let mut all = std::iter::once(&mut batch).chain(others.iter_mut());
            // Parts of batches that were abandoned are of no account.
            let Some(of) = all.find(|of| of.number == done.batch) else { continue };
            of.missing -= 1;
            match done.shares {
                Ok(shares) => {
                    of.shares[done.place..][..shares.len()].copy_from_slice(&shares);
                    self.simulation.learn(&done.simulation);
                    if let Some(log) = &mut of.log {
                        log.append(&done.simulation.log);
                    }
                }
                Err(error) => of.error = Some(error),
            }
        }
        self.shares = batch.shares;
        if let Some(error) = batch.error {
            self.abandon(&batch.descents);
            return Err(error);
        }
        self.back_up(&batch.descents, batch.per_leaf, batch.log.as_ref());
        self.counts.iterations += batch.descents.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::limits::{Halt, Limits};
    use crate::options::MctsOptions;
    use crate::search::Search;
    use crate::toys;
    use ggp_game::{Move, Report, Role};
    use std::time::{Duration, Instant};

    fn options(threads: usize) -> MctsOptions {
        MctsOptions { threads, exploration: 3.0, ..MctsOptions::default() }
    }

    #[test]
    fn who_plays_what_leaves_no_trace() {
        let report = |threads| -> Report {
            let mut search = Search::new(toys::tic_tac_toe(), &options(threads)).unwrap();
            assert_eq!(search.run(&Limits::iterations(700)), Halt::Iterations);
            assert!(search.tree[search.tree.root()].arms.iter().all(|arm| arm.pending == 0));
            Report { elapsed: Duration::ZERO, ..search.report(Role(0)) }
        };
        let first = report(2);
        assert_eq!(first.iterations, 700);
        for _ in 0..5 {
            assert_eq!(report(2), first);
            assert_eq!(report(3), first);
        }
    }

    #[test]
    fn threads_prove_and_block_as_one_does() {
        let mut search = Search::new(toys::tic_tac_toe(), &options(3)).unwrap();
        assert_eq!(search.run(&Limits::iterations(100_000)), Halt::Decided);
        assert_eq!(search.tree.stats(search.tree.root())[0].bounds.proven(), Some(50));
        let state = vec![1, 0, 0, 2, 2, 0, 1, 0, 0, 0];
        let mut search = Search::from_state(toys::tic_tac_toe(), &options(2), state).unwrap();
        search.run(&Limits::iterations(2000));
        assert_eq!(search.best_move(Role(0)), Ok(Some(Move(5))));
    }

    #[test]
    fn the_clock_holds_for_all_threads() {
        // Without proofs nothing else ends it.
        let options = MctsOptions { threads: 2, ..MctsOptions::uct() };
        let mut search = Search::new(toys::tic_tac_toe(), &options).unwrap();
        let began = Instant::now();
        assert_eq!(search.run(&Limits::time(Duration::from_millis(200))), Halt::Deadline);
        assert!(began.elapsed() < Duration::from_millis(300), "{:?}", began.elapsed());
        assert_eq!(search.tree[search.tree.root()].pending, 0);
        assert!(search.playouts() > 100);
    }
}
