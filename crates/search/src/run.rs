//! A run of a search, with one thread or several.

use crate::limits::{Halt, Limits};
use crate::search::Search;
use ggp_game::Playouts;
use std::time::Instant;

impl<M: Playouts> Search<M> {
    /// Searches until a limit is reached.
    pub fn run(&mut self, limits: &Limits) -> Halt {
        let began = Instant::now();
        let halt = if self.threads() > 1 { self.run_in_parallel(limits) } else { self.run_alone(limits) };
        self.counts.elapsed += began.elapsed();
        halt
    }
}

#[cfg(test)]
mod tests;
