//! A run of a search, with one thread or several.

use crate::limits::{Halt, Limits};
use crate::search::Search;
use ggp_game::Playouts;
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
}

#[cfg(test)]
mod tests;
