//! Several threads on one tree (tree parallelisation with one global mutex, Chaslot, Winands & van den
//! Herik 2008): while some threads run playouts, one thread works on the tree.
//!
//! Each thread has a batch of its own. The other threads see its descents as pending ones. At first, all
//! threads together have no more leaves in flight than one thread alone, so that the tree grows as
//! selectively as with one thread. The operating system schedules the threads, so a run with several
//! threads is not reproducible.

use crate::limits::{Halt, Limits};
use crate::search::Search;
use crate::technique::Technique;
use crate::turn::Turn;
use crate::worker::Worker;
use crate::worker_pool::WorkerPool;
use ggp_game::Playouts;
use rayon::ThreadPoolBuilder;
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The number of attempts to take the lock before a thread sleeps. They last some hundredths of a second: most threads
/// hold the lock for less than a millisecond, and a wake-up takes a part of that.
const SPINS: usize = 100_000;

impl<M: Playouts> Search<M> {
    /// Searches with all threads until a limit is reached.
    pub(crate) fn run_in_parallel(&mut self, limits: &Limits) -> Halt {
        let others = self.threads() - 1;
        let threads =
            self.pool.threads.take().map_or_else(|| ThreadPoolBuilder::new().num_threads(others).build(), Ok);
        // If the system cannot create threads, the calling thread searches alone.
        let Ok(threads) = threads else { return self.run_alone(limits) };
        let mut workers = self.create_workers();
        let Some((mine, others)) = workers.split_first_mut() else { return self.run_alone(limits) };
        let before = self.counts.iterations;
        let search = Mutex::new(&mut *self);
        let halt = threads.in_place_scope(|scope| {
            for worker in others {
                scope.spawn(|_| {
                    run_worker(&search, worker, Turn::new(before), limits);
                });
            }
            run_worker(&search, mine, Turn::new(before), limits)
        });
        self.pool = WorkerPool { workers, threads: Some(threads) };
        halt
    }

    /// Creates a worker for every thread. The workers' machines are clones of the search's machine, so the
    /// same watchdog interrupts them.
    fn create_workers(&mut self) -> Vec<Worker<M>> {
        let mut workers = std::mem::take(&mut self.pool.workers);
        for worker in &mut workers {
            worker.machine = self.worker.machine.clone();
        }
        let decisive = self.options.has(Technique::Decisive);
        for number in workers.len()..self.threads() {
            let seed = self.options.seed().wrapping_add((number as u64 + 1).wrapping_mul(0x9e37_79b9));
            workers.push(Worker::new(self.worker.machine.clone(), seed, decisive));
        }
        workers
    }
}

/// The loop of one thread. Under the lock it swaps `worker` into the search and works on the tree; it plays
/// its playouts without the lock.
fn run_worker<M: Playouts>(
    search: &Mutex<&mut Search<M>>,
    worker: &mut Worker<M>,
    mut turn: Turn,
    limits: &Limits,
) -> Halt {
    loop {
        let mut guard = lock_spinning(search);
        std::mem::swap(&mut guard.worker, worker);
        let next = guard.take_turn(&mut turn, limits);
        std::mem::swap(&mut guard.worker, worker);
        drop(guard);
        match next {
            // 3. Simulation.
            ControlFlow::Continue(per_leaf) => turn.result = worker.simulate(per_leaf, limits),
            ControlFlow::Break(halt) => return halt,
        }
    }
}

/// Takes the lock: spins first, then sleeps until the lock is free.
fn lock_spinning<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    for _ in 0..SPINS {
        if let Ok(guard) = mutex.try_lock() {
            return guard;
        }
        std::thread::yield_now();
    }
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use crate::limits::{Halt, Limits};
    use crate::options::MctsOptions;
    use crate::search::Search;
    use crate::test_games::{self, Rules, TestMachine, TicTacToe};
    use ggp_game::{Move, Role};
    use std::collections::HashSet;
    use std::sync::{Arc, Mutex};
    use std::thread::{self, ThreadId};
    use std::time::{Duration, Instant};

    fn options(threads: usize) -> MctsOptions {
        MctsOptions { threads, exploration: 3.0, ..MctsOptions::default() }
    }

    /// Tic-tac-toe that records which threads ask for next states.
    #[derive(Clone, Default)]
    struct Recorded(Arc<Mutex<HashSet<ThreadId>>>);

    impl Rules for Recorded {
        fn initial(&self) -> Vec<u8> {
            TicTacToe.initial()
        }
        fn is_over(&self, state: &[u8]) -> bool {
            TicTacToe.is_over(state)
        }
        fn legal(&self, state: &[u8], role: usize) -> Vec<u32> {
            TicTacToe.legal(state, role)
        }
        fn next(&self, state: &[u8], joint: &[u32]) -> Vec<u8> {
            self.0.lock().unwrap().insert(thread::current().id());
            TicTacToe.next(state, joint)
        }
        fn goal(&self, state: &[u8], role: usize) -> Option<u8> {
            TicTacToe.goal(state, role)
        }
    }

    #[test]
    fn all_threads_take_part() {
        for threads in 1..=3 {
            let rules = Recorded::default();
            let seen = Arc::clone(&rules.0);
            let options = MctsOptions { threads, ..MctsOptions::uct() };
            let mut search = Search::new(TestMachine::new(rules, &["x", "o"]), &options).unwrap();
            assert_eq!(search.threads(), threads);
            let began = Instant::now();
            search.run(&Limits::iterations(1000));
            // The system may start a thread late.
            while seen.lock().unwrap().len() < threads {
                assert!(began.elapsed() < Duration::from_secs(60), "{:?} of {threads}", seen.lock().unwrap());
                search.run(&Limits::iterations(1000));
            }
            assert_eq!(seen.lock().unwrap().len(), threads);
        }
    }

    #[test]
    fn all_iterations_of_all_threads_end_up_in_one_tree() {
        for threads in [2, 3] {
            let mut search = Search::new(test_games::tic_tac_toe(), &options(threads)).unwrap();
            for iterations in [1, 2, 700, 5] {
                assert_eq!(search.run(&Limits::iterations(iterations)), Halt::Iterations);
            }
            let report = search.report(Role(0));
            assert_eq!(report.iterations, 708);
            // The first descent ends at the root.
            let root = search.tree.root();
            assert_eq!(search.tree[root].visits, 708);
            assert_eq!(search.tree[root].pending, 0);
            let visits: u64 = report.candidates.iter().map(|candidate| candidate.visits).sum();
            assert_eq!(visits, 708);
            assert!(search.tree[root].arms.iter().all(|arm| arm.pending == 0));
        }
    }

    #[test]
    fn the_tree_goes_along_with_the_match() {
        let mut search = Search::new(test_games::tic_tac_toe(), &options(2)).unwrap();
        search.run(&Limits::iterations(2000));
        let before = search.nodes();
        search.advance(&[Move(4), Move(test_games::NOOP)]).unwrap();
        let kept: u64 = search.report(Role(1)).candidates.iter().map(|c| c.visits).sum();
        assert!(kept > 100, "{kept}");
        search.run(&Limits::iterations(100));
        assert!(search.nodes() < before + 110);
    }

    #[test]
    fn threads_prove_and_block_as_one_does() {
        let mut search = Search::new(test_games::tic_tac_toe(), &options(3)).unwrap();
        assert_eq!(search.run(&Limits::iterations(100_000)), Halt::Decided);
        let candidates = search.report(Role(0)).candidates;
        assert_eq!(candidates.iter().filter_map(|candidate| candidate.proven).max(), Some(50));
        let state = vec![1, 0, 0, 2, 2, 0, 1, 0, 0, 0];
        let mut search = Search::from_state(test_games::tic_tac_toe(), &options(2), state).unwrap();
        search.run(&Limits::iterations(2000));
        assert_eq!(search.best_move(Role(0)), Ok(Some(Move(5))));
    }

    #[test]
    fn threads_that_draw_by_regret_mix_as_one_does() {
        let (w, d, l) = ([100, 0], [50, 50], [0, 100]);
        let options = MctsOptions { threads: 2, ..MctsOptions::default() };
        let rps = test_games::matrix(&[&[d, l, w], &[w, d, l], &[l, w, d]]);
        let mut search = Search::new(rps, &options).unwrap();
        search.run(&Limits::iterations(10_000));
        for role in [Role(0), Role(1)] {
            for (mv, probability) in search.strategy(role).unwrap() {
                assert!((0.2..0.47).contains(&probability), "{mv:?} {probability}");
            }
        }
    }

    #[test]
    fn descents_in_flight_survive_thinning_by_another_thread() {
        let options = MctsOptions { threads: 3, memory: 1, ..MctsOptions::uct() };
        let mut search = Search::new(test_games::tic_tac_toe(), &options).unwrap();
        for _ in 0..30 {
            search.run(&Limits::iterations(1000));
            let root = &search.tree[search.tree.root()];
            assert_eq!(root.pending, 0);
            assert!(root.arms.iter().all(|arm| arm.pending == 0));
            assert!(search.bytes() < (1 << 20) + 4096, "{}", search.bytes());
        }
    }

    #[test]
    fn the_clock_holds_for_all_threads() {
        // Without the solver only the limit ends the run.
        let options = MctsOptions { threads: 2, ..MctsOptions::uct() };
        let mut search = Search::new(test_games::tic_tac_toe(), &options).unwrap();
        let began = Instant::now();
        assert_eq!(search.run(&Limits::time(Duration::from_millis(200))), Halt::Deadline);
        assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
        assert_eq!(search.tree[search.tree.root()].pending, 0);
        assert!(search.playouts() > 100);
    }
}
