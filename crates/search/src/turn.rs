//! The main loop of a search. A batch of iterations has four steps (Browne et al. 2012): 1. selection, 2.
//! expansion, 3. simulation, 4. backpropagation.
//!
//! The loop is split where playouts begin. A thread needs the tree before and after its playouts, but not
//! during them. This lets several threads share one tree; see [`crate::parallel`].

use crate::batch_size::BatchSize;
use crate::beam::Beam;
use crate::descent::Descent;
use crate::history::History;
use crate::limits::{Halt, Limits};
use crate::node::Phase;
use crate::search::Search;
use crate::technique::Technique;
use ggp_game::{EvalError, Playouts};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// The search ends after this many consecutive failures of the machine.
const FAILURES: u32 = 16;

/// The number of nodes that recycling processes for each iteration. An iteration creates fewer nodes, so
/// recycling always finishes.
const RECYCLED: usize = 8;

/// The number of nodes that recycling processes for each iteration when memory is nearly exhausted.
const RECYCLED_IN_HASTE: usize = 32;

/// The time between two updates of a draft: short in comparison with the clocks of a match, long in comparison with
/// the time that an update takes.
pub(crate) const DRAFT_EVERY: Duration = Duration::from_millis(50);

/// The progress of one thread through its batches.
#[derive(Debug)]
pub(crate) struct Turn {
    /// The number of iterations that earlier runs have done.
    before: u64,
    /// The number of consecutive failures of the machine.
    failures: u32,
    /// The size of the current batch, and the time at which the batch began. `None` between batches.
    batch: Option<(BatchSize, Instant)>,
    /// `Ok`, or the error that ended the current batch.
    pub(crate) result: Result<(), EvalError>,
}

impl Turn {
    /// The progress before the first batch of a run. `before` is the number of iterations that earlier runs
    /// have done.
    pub(crate) fn new(before: u64) -> Turn {
        Turn { before, failures: 0, batch: None, result: Ok(()) }
    }
}

impl<M: Playouts> Search<M> {
    /// Searches with one thread until a limit is reached.
    pub(crate) fn run_alone(&mut self, limits: &Limits) -> Halt {
        let mut turn = Turn::new(self.counts.iterations);
        loop {
            match self.take_turn(&mut turn, limits) {
                // 3. Simulation.
                ControlFlow::Continue(per_leaf) => turn.result = self.worker.simulate(per_leaf, limits),
                ControlFlow::Break(halt) => return halt,
            }
        }
    }

    /// Ends the batch of a thread that has played its playouts, and begins the thread's next batch. Returns
    /// the number of playouts that the caller must now play from each leaf of the new batch, or the reason
    /// why the run is over.
    pub(crate) fn take_turn(&mut self, turn: &mut Turn, limits: &Limits) -> ControlFlow<Halt, usize> {
        loop {
            self.end_batch(turn, limits)?;
            self.update_draft(DRAFT_EVERY);
            // The watchdog interrupts playouts in lanes, so an underestimate costs only the last batch. The
            // typical time is therefore enough.
            let interruptible = self.worker.machine.lanes() > 1;
            let expected = if interruptible { self.batch_time.typical() } else { self.batch_time.expected() };
            let done = self.counts.iterations - turn.before + self.in_flight;
            if let Some(halt) = self.is_over(limits, done, expected) {
                return ControlFlow::Break(halt);
            }
            let began = Instant::now();
            self.recycle(limits);
            let left = limits.deadline.remaining().map_or(u32::MAX, |left| self.batch_time.times_in(left));
            let batch = self.plan(left, limits.iterations.map_or(u64::MAX, |most| most - done));
            self.in_flight += batch.leaves as u64;
            turn.batch = Some((batch, began));
            turn.result = self.select_and_expand();
            if turn.result.is_ok() {
                return ControlFlow::Continue(batch.per_leaf);
            }
        }
    }

    /// Prepares the next batch and returns its size. The batch has at most `most` iterations. The time left
    /// suffices for about `left` batches.
    fn plan(&mut self, left: u32, most: u64) -> BatchSize {
        let lanes = self.worker.machine.lanes();
        let visits = self.tree[self.tree.root()].visits;
        let batch = self.options.batch.plan(lanes, self.threads(), visits, left, most);
        let logs = self.has_history() && History::logs_batch(self.batches, lanes);
        self.batches += 1;
        self.worker.batch.descents.resize_with(batch.leaves, Descent::default);
        let simulation = &mut self.worker.simulation;
        simulation.logs = logs;
        simulation.preferred.clone_from(&self.preferred);
        batch
    }

    /// Steps 1 and 2: selection and expansion.
    fn select_and_expand(&mut self) -> Result<(), EvalError> {
        let selection = self.selection();
        // 1. Selection.
        self.worker.select(&mut self.tree, selection, self.two_player.has(Technique::Decisive))?;
        // 2. Expansion.
        self.expand(selection)?;
        // A terminal state is marked in its node and gets no playout. Only a full tree has states without
        // nodes.
        self.worker.simulation.plan.no_terminal_start = !self.tree.is_full();
        Ok(())
    }

    /// Backs up the current batch, or withdraws its descents if the batch failed. Returns
    /// [`ControlFlow::Break`] if the run is over.
    fn end_batch(&mut self, turn: &mut Turn, limits: &Limits) -> ControlFlow<Halt> {
        let Some((BatchSize { leaves, per_leaf }, began)) = turn.batch.take() else {
            return ControlFlow::Continue(());
        };
        self.in_flight -= leaves as u64;
        let result = std::mem::replace(&mut turn.result, Ok(()));
        match result {
            Ok(()) => {
                self.counts.playouts += (self.worker.batch.starts.len() * per_leaf) as u64;
                // 4. Backpropagation.
                self.back_up(per_leaf);
            }
            Err(_) => self.withdraw_descents(),
        }
        match result.and_then(|()| self.search_single_role()) {
            Ok(()) => {
                turn.failures = 0;
                self.counts.iterations += leaves as u64;
                self.batch_time.record(began.elapsed());
                ControlFlow::Continue(())
            }
            Err(EvalError::Interrupted) if limits.stop.is_stopped() => ControlFlow::Break(Halt::Stopped),
            Err(EvalError::Interrupted) => ControlFlow::Break(Halt::Deadline),
            Err(error) => {
                turn.failures += 1;
                if turn.failures == FAILURES {
                    return ControlFlow::Break(Halt::Failing(error));
                }
                ControlFlow::Continue(())
            }
        }
    }

    /// The reason to end the run after `done` iterations; `None` if the run continues. `expected` is the
    /// time that the next batch is expected to take.
    fn is_over(&self, limits: &Limits, done: u64, expected: Duration) -> Option<Halt> {
        let root = self.tree.root();
        let decided = match limits.decided_for {
            Some(role) => self.tree.stats(root)[role.index()].bounds.proven().is_some(),
            None => self.tree.is_exact(root),
        };
        let solved = self.best_variation.as_ref().is_some_and(|best| best.share >= 1.0)
            || self.beam.as_ref().is_some_and(Beam::is_exhausted);
        if self.tree[root].phase == Phase::Ended || decided || solved {
            return Some(Halt::Decided);
        }
        if limits.when_full && self.tree.is_full() && self.tree.recycler.is_idle() {
            return Some(Halt::Full);
        }
        limits.reached(done, expected)
    }

    /// Recycles some nodes that the root no longer reaches, and rarely visited nodes when memory is nearly
    /// exhausted.
    fn recycle(&mut self, limits: &Limits) {
        let machine = &self.worker.machine;
        let crowded = self.tree.is_crowded();
        if crowded && !limits.when_full {
            self.tree.thin();
        }
        let each = if crowded { RECYCLED_IN_HASTE } else { RECYCLED };
        let descents = self.worker.batch.descents.len();
        self.tree.recycle(each * descents.max(1), |state| machine.heap_bytes(state));
    }
}
