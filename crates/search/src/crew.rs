//! Several threads on one tree: each takes a part of every batch (tree parallelisation, Chaslot, Winands &
//! van den Herik 2008, with the batch as its only lock).
//!
//! Threads work side by side where they only look at the tree: they select and ask for legal moves, then
//! ask for the states beyond the leaves, then play out. In between the thread that asked for the search
//! alone puts into the tree what they have found. Descents that are selected at the same time see each
//! other only as pending, and in no set order: so a run with several threads is not to be repeated.

use crate::limits::{Halt, Limits};
use crate::search::Search;
use crate::technique::Technique;
use crate::worker::{Part, Worker};
use ggp_game::{EvalError, Playouts};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The threads beside the one that asked for the search.
#[derive(Debug)]
pub(crate) struct Crew<M: Playouts> {
    /// What each of them works with.
    pub(crate) workers: Vec<Worker<M>>,
    /// All threads of the search; made when they are first needed.
    pool: Option<ThreadPool>,
}

impl<M: Playouts> Default for Crew<M> {
    fn default() -> Crew<M> {
        Crew { workers: Vec::new(), pool: None }
    }
}

/// Lets all workers do their `work` at once.
///
/// # Errors
/// One of theirs, after all have ended.
pub(crate) fn together<M: Playouts>(
    own: &mut Worker<M>,
    crew: &mut Crew<M>,
    work: impl Fn(&mut Worker<M>) -> Result<(), EvalError> + Sync,
) -> Result<(), EvalError> {
    if crew.workers.is_empty() {
        return work(own);
    }
    let mut done = vec![Ok(()); crew.workers.len()];
    let mine = rayon::scope(|scope| {
        for (worker, done) in crew.workers.iter_mut().zip(&mut done) {
            let work = &work;
            scope.spawn(move |_| *done = work(worker));
        }
        work(own)
    });
    done.into_iter().fold(mine, Result::and)
}

impl<M: Playouts> Search<M> {
    /// Whether several threads search. A role that is alone is searched for by one.
    pub(crate) fn has_crew(&self) -> bool {
        self.options.threads > 1 && self.tree.roles() > 1
    }

    /// Searches with all threads until a limit is reached.
    pub(crate) fn iterate_together(&mut self, limits: &Limits) -> Halt {
        let threads = self.options.threads;
        let pool =
            self.crew.pool.take().map_or_else(|| ThreadPoolBuilder::new().num_threads(threads).build(), Ok);
        // Where the system has no threads to give, one does the work of all.
        let Ok(pool) = pool else { return self.iterate(limits) };
        self.muster();
        let halt = pool.install(|| self.iterate(limits));
        self.crew.pool = Some(pool);
        halt
    }

    /// Gives every thread a machine, with the alarm that this search's heeds.
    fn muster(&mut self) {
        let decisive = self.options.has(Technique::Decisive);
        for number in self.crew.workers.len() + 1..self.options.threads {
            let seed = self.options.seed().wrapping_add(number as u64 * 0x9e37_79b9);
            self.crew.workers.push(Worker::new(self.own.machine.clone(), seed, decisive));
        }
        for worker in &mut self.crew.workers {
            worker.machine = self.own.machine.clone();
        }
    }

    /// The workers, this thread's first.
    pub(crate) fn workers(&self) -> impl Iterator<Item = &Worker<M>> {
        std::iter::once(&self.own).chain(&self.crew.workers)
    }

    /// The workers, this thread's first.
    pub(crate) fn workers_mut(&mut self) -> impl Iterator<Item = &mut Worker<M>> {
        std::iter::once(&mut self.own).chain(&mut self.crew.workers)
    }

    /// Does something with each worker's part of the batch, one after the other.
    pub(crate) fn for_each_part(&mut self, mut act: impl FnMut(&mut Search<M>, &mut Part<M::State>)) {
        for number in 0..=self.crew.workers.len() {
            let mut part = std::mem::take(self.part_mut(number));
            act(self, &mut part);
            *self.part_mut(number) = part;
        }
    }

    fn part_mut(&mut self, number: usize) -> &mut Part<M::State> {
        match number.checked_sub(1) {
            None => &mut self.own.part,
            Some(number) => &mut self.crew.workers[number].part,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::limits::{Halt, Limits};
    use crate::options::MctsOptions;
    use crate::search::Search;
    use crate::toys;
    use ggp_game::{Move, Role};
    use std::time::{Duration, Instant};

    fn options(threads: usize) -> MctsOptions {
        MctsOptions { threads, exploration: 3.0, ..MctsOptions::default() }
    }

    #[test]
    fn all_iterations_of_all_threads_end_up_in_one_tree() {
        for threads in [2, 3] {
            let mut search = Search::new(toys::tic_tac_toe(), &options(threads)).unwrap();
            for iterations in [1, 2, 700, 5] {
                assert_eq!(search.run(&Limits::iterations(iterations)), Halt::Iterations);
            }
            let report = search.report(Role(0));
            assert_eq!(report.iterations, 708);
            // The first descent ends in the root.
            let root = search.tree.root();
            assert_eq!(search.tree[root].visits, 708);
            assert_eq!(search.tree[root].pending.get(), 0);
            let visits: u64 = report.candidates.iter().map(|candidate| candidate.visits).sum();
            assert_eq!(visits, 708);
            assert!(search.tree[root].arms.iter().all(|arm| arm.pending.get() == 0));
        }
    }

    #[test]
    fn the_tree_goes_along_with_the_match() {
        let mut search = Search::new(toys::tic_tac_toe(), &options(2)).unwrap();
        search.run(&Limits::iterations(2000));
        let before = search.nodes();
        search.advance(&[Move(4), Move(toys::NOOP)]).unwrap();
        let kept: u64 = search.report(Role(1)).candidates.iter().map(|c| c.visits).sum();
        assert!(kept > 100, "{kept}");
        search.run(&Limits::iterations(100));
        assert!(search.nodes() < before + 110);
    }

    #[test]
    fn threads_prove_and_block_as_one_does() {
        let mut search = Search::new(toys::tic_tac_toe(), &options(3)).unwrap();
        assert_eq!(search.run(&Limits::iterations(100_000)), Halt::Decided);
        let candidates = search.report(Role(0)).candidates;
        assert_eq!(candidates.iter().filter_map(|candidate| candidate.proven).max(), Some(50));
        let state = vec![1, 0, 0, 2, 2, 0, 1, 0, 0, 0];
        let mut search = Search::from_state(toys::tic_tac_toe(), &options(2), state).unwrap();
        search.run(&Limits::iterations(2000));
        assert_eq!(search.best_move(Role(0)), Ok(Some(Move(5))));
    }

    #[test]
    fn threads_that_draw_by_regret_mix_as_one_does() {
        let (w, d, l) = ([100, 0], [50, 50], [0, 100]);
        let options = MctsOptions { threads: 2, ..MctsOptions::default() };
        let rps = toys::matrix(&[&[d, l, w], &[w, d, l], &[l, w, d]]);
        let mut search = Search::new(rps, &options).unwrap();
        search.run(&Limits::iterations(10_000));
        for role in [Role(0), Role(1)] {
            for (mv, probability) in search.strategy(role).unwrap() {
                assert!((0.2..0.47).contains(&probability), "{mv:?} {probability}");
            }
        }
    }

    #[test]
    fn the_clock_holds_for_all_threads() {
        // Without proofs nothing else ends it.
        let options = MctsOptions { threads: 2, ..MctsOptions::uct() };
        let mut search = Search::new(toys::tic_tac_toe(), &options).unwrap();
        let began = Instant::now();
        assert_eq!(search.run(&Limits::time(Duration::from_millis(200))), Halt::Deadline);
        assert!(began.elapsed() < Duration::from_millis(300), "{:?}", began.elapsed());
        assert_eq!(search.tree[search.tree.root()].pending.get(), 0);
        assert!(search.playouts() > 100);
    }
}
