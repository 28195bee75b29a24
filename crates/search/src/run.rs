//! A run of a search, with one thread or several.

use crate::limits::{Halt, Limits};
use crate::node::Phase;
use crate::search::Search;
use ggp_game::{Move, Playouts, Role};
use std::time::Instant;

impl<M: Playouts> Search<M> {
    /// Searches until a limit is reached or the search is decided, and returns the reason why the run
    /// ended. Later runs continue the same tree. The elapsed time, iterations and playouts of all runs add
    /// up in [`Search::report`].
    ///
    /// ```
    /// use ggp_game::{Game, Interpreter, Role};
    /// use ggp_search::{Halt, Limits, MctsOptions, Search};
    /// use std::sync::Arc;
    ///
    /// let rules = "(role you) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (<= (at ?n) (true (at ?n)))
    ///     (legal you walk) (legal you rest) (<= terminal (at 3)) (<= (goal you 100) (at 3))
    ///     (<= (goal you 0) (not (at 3))) (<= (next (at ?n)) (does you rest) (at ?n))
    ///     (<= (next (at ?m)) (does you walk) (at ?n) (succ ?n ?m))";
    /// let game = Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap());
    /// let mut search = Search::new(Interpreter::new(&game), &MctsOptions::uct()).unwrap();
    /// assert_eq!(search.run(&Limits::iterations(50)), Halt::Iterations);
    /// assert_eq!(search.run(&Limits::iterations(50)), Halt::Iterations);
    /// assert_eq!(search.report(Role(0)).iterations, 100);
    /// ```
    pub fn run(&mut self, limits: &Limits) -> Halt {
        let began = Instant::now();
        let halt = if self.threads() > 1 { self.run_in_parallel(limits) } else { self.run_alone(limits) };
        self.counts.elapsed += began.elapsed();
        halt
    }

    /// Searches as [`Search::run`] does, and selects at the root only those moves of `role` that are among `moves`
    /// (`searchmoves` of the protocol UCI). The other moves keep their statistics. They are selected only when none
    /// of `moves` can win any more. Moves that are not legal have no effect.
    pub fn run_among(&mut self, limits: &Limits, role: Role, moves: &[Move]) -> Halt {
        if let Err(error) = self.open_root() {
            return Halt::Failing(error);
        }
        let root = self.tree.root();
        if self.tree[root].phase == Phase::Ended {
            return self.run(limits);
        }
        let range = self.tree.arm_range(root, role);
        let deferred: Vec<bool> = self.tree.arms(root, role).iter().map(|arm| arm.deferred).collect();
        for arm in &mut self.tree[root].arms[range.clone()] {
            arm.deferred |= !moves.contains(&arm.mv);
        }
        let halt = self.run(limits);
        for (arm, was_deferred) in self.tree[root].arms[range].iter_mut().zip(deferred) {
            arm.deferred = was_deferred;
        }
        halt
    }
}

#[cfg(test)]
mod tests;
