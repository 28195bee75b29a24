//! Several threads: each grows a tree of its own, and what they think of the moves at the root is
//! added up when one is to be chosen (root parallelisation, Cazenave & Jouandeau 2007; Chaslot, Winands
//! & van den Herik 2008).
//!
//! One tree for all was tried first. In most games the way through the tree takes longer than playouts
//! in lanes do, so whoever only plays has little to do; and the more descents are under way at once, the
//! worse each of them is chosen. Trees apart need no locks, and a run that ends by iterations depends on
//! nothing but the seed and the number of threads.

use crate::arm::Arm;
use crate::limits::{Halt, Limits};
use crate::options::MctsOptions;
use crate::search::{Counts, Search};
use ggp_game::{EvalError, Playouts, Role, StopToken};

/// A move at the root as all trees together see it.
#[derive(Clone, Debug)]
pub(crate) struct Opinion {
    /// Visits and scores of all trees, and what any of them has proved.
    pub(crate) arm: Arm,
    /// In how many steps the game ends below it, where that is proved.
    pub(crate) distance: u16,
}

/// The options of each member of a crew, its number being `member`.
pub(crate) fn options_of(options: &MctsOptions, member: usize) -> MctsOptions {
    MctsOptions {
        seed: Some(options.seed().wrapping_add(member as u64 * 0x9e37_79b9)),
        memory: (options.memory / options.threads.max(1)).max(1),
        threads: 1,
        ..options.clone()
    }
}

impl<M: Playouts> Search<M> {
    /// Searches with all threads until a limit is reached.
    pub(crate) fn iterate_together(&mut self, limits: &Limits) -> Halt {
        let threads = self.options.threads;
        for member in self.crew.len() + 1..threads {
            let options = options_of(&self.options, member);
            match Search::from_state(self.machine.clone(), &options, self.state().clone()) {
                Ok(search) => self.crew.push(search),
                Err(error) => return Halt::Failing(error),
            }
        }
        // Whoever is done before the others has proved what was asked for: then all are done.
        let enough = StopToken::new();
        let part = |member: usize| Limits {
            iterations: limits.iterations.map(|most| (most + (threads - 1 - member) as u64) / threads as u64),
            ..limits.clone()
        };
        let mut crew = std::mem::take(&mut self.crew);
        let halt = std::thread::scope(|scope| {
            for (number, member) in crew.iter_mut().enumerate() {
                // With the alarm that this one heeds.
                member.machine = self.machine.clone();
                let (limits, enough) = (part(number + 1), enough.clone());
                scope.spawn(move || member.iterate_until(&limits, &enough));
            }
            self.iterate_until(&part(0), &enough)
        });
        for member in &mut crew {
            let Counts { iterations, playouts, .. } = std::mem::take(&mut member.counts);
            self.counts.iterations += iterations;
            self.counts.playouts += playouts;
        }
        self.crew = crew;
        halt
    }

    /// Searches until a limit is reached or `enough` is known; tells the others when it is.
    fn iterate_until(&mut self, limits: &Limits, enough: &StopToken) -> Halt {
        self.enough = enough.clone();
        let halt = self.iterate(limits);
        if halt == Halt::Decided {
            enough.stop();
        }
        halt
    }

    /// What all trees together think of `role`'s moves at the root, which is open; in random order.
    pub(crate) fn opinions(&self, role: Role) -> Vec<Opinion> {
        let mut opinions = self.own_opinions(role);
        for member in &self.crew {
            // A member's root may not have been opened yet.
            for theirs in member.own_opinions(role) {
                if let Some(ours) = opinions.iter_mut().find(|ours| ours.arm.mv == theirs.arm.mv) {
                    ours.add(&theirs);
                }
            }
        }
        opinions
    }

    fn own_opinions(&self, role: Role) -> Vec<Opinion> {
        let distance = |arm: &Arm| if arm.child.is_some() { self.tree[arm.child].distance } else { 0 };
        let arms = self.tree.arms(self.tree.root(), role).iter();
        arms.map(|arm| Opinion { arm: arm.clone(), distance: distance(arm) }).collect()
    }

    /// Takes the whole crew somewhere; who cannot follow is let go, and made anew when it is needed.
    pub(crate) fn lead_crew(&mut self, mut go: impl FnMut(&mut Search<M>) -> Result<(), EvalError>) {
        let machine = &self.machine;
        self.crew.retain_mut(|member| {
            // With the alarm that this one heeds.
            member.machine = machine.clone();
            go(member).is_ok()
        });
    }

    /// Whether this search has several threads.
    pub(crate) fn has_crew(&self) -> bool {
        self.options.threads > 1 && self.tree.roles() > 1
    }
}

impl Opinion {
    /// Adds another tree's.
    fn add(&mut self, other: &Opinion) {
        let before = self.arm.bounds.proven();
        self.arm.visits = self.arm.visits.saturating_add(other.arm.visits);
        self.arm.sum += other.arm.sum;
        self.arm.bounds.low = self.arm.bounds.low.max(other.arm.bounds.low);
        self.arm.bounds.high = self.arm.bounds.high.min(other.arm.bounds.high).max(self.arm.bounds.low);
        self.distance = match (before, other.arm.bounds.proven()) {
            (None, Some(_)) => other.distance,
            (Some(0), Some(_)) => self.distance.max(other.distance),
            (Some(_), Some(_)) => self.distance.min(other.distance),
            _ => self.distance,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::Opinion;
    use crate::arm::Arm;
    use crate::limits::{Halt, Limits};
    use crate::node::Bounds;
    use crate::options::MctsOptions;
    use crate::search::Search;
    use crate::toys;
    use ggp_game::{Move, Report, Role};
    use std::time::{Duration, Instant};

    fn options(threads: usize) -> MctsOptions {
        MctsOptions { threads, exploration: 3.0, ..MctsOptions::default() }
    }

    #[test]
    fn a_seeded_run_depends_on_the_seed_and_the_number_of_threads_only() {
        let report = |threads| -> Report {
            let mut search = Search::new(toys::tic_tac_toe(), &options(threads)).unwrap();
            assert_eq!(search.run(&Limits::iterations(700)), Halt::Iterations);
            Report { elapsed: Duration::ZERO, ..search.report(Role(0)) }
        };
        let first = report(3);
        assert_eq!(first.iterations, 700);
        // The first descent of each tree ends in its root.
        assert_eq!(first.candidates.iter().map(|candidate| candidate.visits).sum::<u64>(), 700);
        for _ in 0..5 {
            assert_eq!(report(3), first);
        }
        assert_ne!(report(2), first);
    }

    #[test]
    fn what_one_has_proved_holds_for_all() {
        let opinion = |visits, sum, bounds, distance| Opinion {
            arm: Arm { visits, bounds, sum, ..Arm::new(Move(1)) },
            distance,
        };
        let mut ours = opinion(10, 4.0, Bounds::UNKNOWN, 0);
        ours.add(&opinion(30, 6.0, Bounds::exact(100), 3));
        assert_eq!((ours.arm.visits, ours.arm.sum, ours.distance), (40, 10.0, 3));
        assert_eq!(ours.arm.bounds.proven(), Some(100));
        ours.add(&opinion(1, 1.0, Bounds::exact(100), 1));
        assert_eq!(ours.distance, 1, "the shortest way to a win");
        let mut lost = opinion(1, 0.0, Bounds::exact(0), 2);
        lost.add(&opinion(1, 0.0, Bounds::exact(0), 4));
        assert_eq!(lost.distance, 4, "the longest to a loss");
    }

    #[test]
    fn all_trees_go_along_with_the_match() {
        let mut search = Search::new(toys::tic_tac_toe(), &options(2)).unwrap();
        search.run(&Limits::iterations(2000));
        let before = search.nodes();
        search.advance(&[Move(4), Move(toys::NOOP)]).unwrap();
        assert_eq!(search.crew.len(), 1);
        assert!(search.crew[0].state() == search.state());
        search.run(&Limits::iterations(100));
        assert!(search.nodes() < before + 110);
        search.restart(vec![1, 0, 0, 2, 2, 0, 1, 0, 0, 0]).unwrap();
        assert!(search.crew[0].state() == search.state());
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
