//! The matches of a run that still have to be played.

use crate::plan::{Fixture, Plan};
use crate::shard::Shard;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// The fixtures of one shard that have no result, in the order of the plan.
#[derive(Debug)]
pub(crate) struct Queue {
    plan: Arc<Plan>,
    shard: Shard,
    /// The number of matches over all shards.
    total: u64,
    /// The plan indices of the matches that have results.
    done: HashSet<u64>,
    /// All fixtures before this index have been taken.
    next: u64,
}

impl Queue {
    /// The fixtures of `shard` among the first `total` of `plan`, without those in `done`.
    pub(crate) fn new(plan: Arc<Plan>, shard: Shard, total: u64, done: HashSet<u64>) -> Queue {
        Queue { plan, shard, total, done, next: 0 }
    }

    /// Takes the next fixture. `None` if none is left.
    pub(crate) fn take(&mut self) -> Option<Fixture> {
        while self.next < self.total {
            let number = self.next;
            self.next += 1;
            if !self.done.contains(&number) && self.shard.contains(self.plan.encounter(number)) {
                return Some(self.plan.fixture(number));
            }
        }
        None
    }

    /// Notes that the match with index `number` has a result. False if that is known, or if the run does not ask for
    /// this match.
    pub(crate) fn finish(&mut self, number: u64) -> bool {
        number < self.total && self.shard.contains(self.plan.encounter(number)) && self.done.insert(number)
    }

    /// The indices of the entrants, of whom there are `count`, that still have matches to play.
    pub(crate) fn entrants(&self, count: usize) -> BTreeSet<usize> {
        let mut entrants = BTreeSet::new();
        for number in (self.next..self.total).filter(|number| !self.done.contains(number)) {
            if entrants.len() == count {
                break;
            }
            if self.shard.contains(self.plan.encounter(number)) {
                entrants.extend(self.plan.fixture(number).seats.into_iter().flatten());
            }
        }
        entrants
    }
}
