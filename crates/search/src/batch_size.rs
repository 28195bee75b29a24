//! The size of a batch: its number of leaves, and the number of playouts from each leaf.
//!
//! A machine with many lanes (playouts that it runs at once) plays hundreds of playouts in about the time
//! of a few. However, the leaves of one batch are chosen before any of them has a score, so small batches
//! let the tree grow more selectively. Batches therefore grow with the tree, and small batches fill the
//! lanes with several playouts from each leaf.

/// The parameters that determine the size of batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchSizing {
    /// The maximum number of playouts in one batch of a thread. `None` stands for two playouts for each lane
    /// of the machine, so that a lane whose first playout ends early starts a second one. On a machine with
    /// one lane, `None` stands for 1 playout.
    pub lanes: Option<usize>,
    /// The number of root visits for each leaf of a batch: the batch has as many leaves as the root's visits
    /// divided by this number, within the limits that the other parameters set.
    pub visits_per_leaf: u32,
    /// The minimum number of leaves, where the limits allow as many.
    pub least_leaves: u32,
    /// The maximum number of playouts from one leaf.
    pub max_per_leaf: u32,
    /// The minimum number of playouts from one leaf. If `lanes` is smaller than this number, `lanes` is the
    /// minimum. A minimum above 1 pays since a playout in a lane costs less than a descent through the tree.
    pub min_per_leaf: u32,
}

/// The default number of playouts in a batch for each lane of the machine.
const ROUNDS: usize = 2;

/// The number of root visits that are needed for each leaf in flight (chosen but not backed up yet) before
/// all threads together may have more leaves in flight than a single thread would have. With so many visits,
/// the loss of selectivity is small. With a quarter of them, two threads are hardly better than one (techniques.md).
const VISITS_PER_LEAF_IN_FLIGHT: u32 = 128;

/// If the time left suffices for few batches, the number of leaves is multiplied by this number divided by
/// the number of these batches (rounded down, at least 1). Without this factor all remaining batches would
/// be small, and most lanes would stay idle.
const FEW_BATCHES: u32 = 8;

/// The size of one batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BatchSize {
    pub(crate) leaves: usize,
    pub(crate) per_leaf: usize,
}

impl Default for BatchSizing {
    fn default() -> BatchSizing {
        BatchSizing { lanes: None, visits_per_leaf: 1, least_leaves: 1, max_per_leaf: 64, min_per_leaf: 4 }
    }
}

impl BatchSizing {
    /// Batches of one leaf with one playout.
    pub fn single() -> BatchSizing {
        BatchSizing { lanes: Some(1), visits_per_leaf: 1, least_leaves: 1, max_per_leaf: 1, min_per_leaf: 1 }
    }

    /// The size of the next batch of one thread. `lanes` is the number of playouts that the machine runs at
    /// once, `workers` is the number of threads, and `visits` is the number of the root's visits. The time
    /// left suffices for about `left` batches. The batch has at most `most` leaves.
    pub(crate) fn plan(self, lanes: usize, workers: usize, visits: u32, left: u32, most: u64) -> BatchSize {
        let all = self.lanes.unwrap_or(if lanes > 1 { ROUNDS * lanes } else { 1 }).max(1);
        let enough = (all / self.min_per_leaf.max(1) as usize).max(1);
        let least = all / enough;
        // Until the root has enough visits, all threads together have no more leaves in flight than one
        // thread alone.
        let each =
            ((visits / VISITS_PER_LEAF_IN_FLIGHT) as usize / workers).clamp(enough.div_ceil(workers), enough);
        let speed_up = (FEW_BATCHES / left.max(1)).max(1);
        let grown = (visits.max(1).saturating_mul(speed_up) / self.visits_per_leaf.max(1)) as usize / workers;
        let leaves = grown
            .max(self.least_leaves as usize)
            .clamp(1, each)
            .min(usize::try_from(most).unwrap_or(usize::MAX))
            .max(1);
        // Each thread fills its machine's lanes at least once, whatever the other threads have in flight.
        let lanes = (all / workers).max(all.min(lanes));
        BatchSize {
            leaves,
            per_leaf: (lanes / leaves).max(least).clamp(1, self.max_per_leaf.max(1) as usize),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BatchSize, BatchSizing};
    use crate::limits::{Halt, Limits};
    use crate::options::MctsOptions;
    use crate::search::Search;
    use crate::test_games;
    use ggp_game::{Move, Role};

    #[test]
    fn batches_grow_with_the_tree_and_keep_the_lanes_busy() {
        let batch = BatchSizing { visits_per_leaf: 10, max_per_leaf: 16, ..BatchSizing::default() };
        assert_eq!(batch.plan(512, 1, 0, u32::MAX, u64::MAX), BatchSize { leaves: 1, per_leaf: 16 });
        assert_eq!(batch.plan(512, 1, 1000, u32::MAX, u64::MAX), BatchSize { leaves: 100, per_leaf: 10 });
        assert_eq!(batch.plan(512, 1, 100_000, u32::MAX, u64::MAX), BatchSize { leaves: 256, per_leaf: 4 });
        assert_eq!(batch.plan(512, 1, 100_000, u32::MAX, 7), BatchSize { leaves: 7, per_leaf: 16 });
        assert_eq!(batch.plan(1, 1, 100_000, u32::MAX, u64::MAX), BatchSize { leaves: 1, per_leaf: 1 });
        assert_eq!(
            BatchSizing::single().plan(512, 1, 100_000, u32::MAX, u64::MAX),
            BatchSize { leaves: 1, per_leaf: 1 }
        );
    }

    #[test]
    fn short_searches_begin_with_many_leaves() {
        let batch = BatchSizing { least_leaves: 64, ..BatchSizing::default() };
        assert_eq!(batch.plan(512, 1, 0, u32::MAX, u64::MAX), BatchSize { leaves: 64, per_leaf: 16 });
        assert_eq!(batch.plan(512, 1, 100, u32::MAX, u64::MAX).leaves, 100);
        assert_eq!(batch.plan(512, 1, 0, u32::MAX, 7).leaves, 7);
        assert_eq!(batch.plan(1, 1, 0, u32::MAX, u64::MAX), BatchSize { leaves: 1, per_leaf: 1 });
    }

    #[test]
    fn batches_grow_faster_when_there_is_time_for_few() {
        let batch = BatchSizing::default();
        let leaves = |left| {
            let mut visits = 0;
            for left in (1..=left).rev() {
                visits += batch.plan(512, 1, visits, left, u64::MAX).leaves as u32;
            }
            visits
        };
        assert_eq!(batch.plan(512, 1, 3, 8, u64::MAX), batch.plan(512, 1, 3, u32::MAX, u64::MAX));
        assert_eq!(batch.plan(512, 1, 0, 2, u64::MAX), BatchSize { leaves: 4, per_leaf: 64 });
        assert!(leaves(4) > 200, "{}", leaves(4));
    }

    #[test]
    fn workers_share_out_the_leaves_of_one_until_the_tree_is_large() {
        let batch = BatchSizing::default();
        for (workers, leaves) in [(1, 256), (2, 128), (4, 64)] {
            let plan = batch.plan(512, workers, 2000, u32::MAX, u64::MAX);
            assert_eq!(plan.leaves, leaves, "of each of {workers}");
            assert!((512..=1024).contains(&(plan.leaves * plan.per_leaf)), "lanes stay busy: {plan:?}");
            let large = batch.plan(512, workers, 1_000_000, u32::MAX, u64::MAX);
            assert_eq!(large, BatchSize { leaves: 256, per_leaf: 4 }, "of each of {workers}");
        }
        assert_eq!(batch.plan(1, 3, 1_000_000, u32::MAX, u64::MAX), BatchSize { leaves: 1, per_leaf: 1 });
    }

    #[test]
    fn large_batches_come_to_the_same_moves() {
        let options = MctsOptions {
            batch: BatchSizing {
                lanes: Some(64),
                visits_per_leaf: 4,
                max_per_leaf: 8,
                min_per_leaf: 1,
                ..BatchSizing::default()
            },
            exploration: 3.0,
            ..MctsOptions::default()
        };
        let state = vec![1, 0, 0, 2, 2, 0, 1, 0, 0, 0];
        let mut search = Search::from_state(test_games::tic_tac_toe(), &options, state).unwrap();
        search.run(&Limits::iterations(3000));
        assert_eq!(search.best_move(Role(0)), Ok(Some(Move(5))));

        let mut whole = Search::new(test_games::tic_tac_toe(), &options).unwrap();
        assert_eq!(whole.run(&Limits::iterations(200_000)), Halt::Decided);
        assert_eq!(whole.tree.stats(whole.tree.root())[0].bounds.proven(), Some(50));

        let plain = MctsOptions { batch: options.batch, ..MctsOptions::uct() };
        let mut uct = Search::new(test_games::gamble(), &plain).unwrap();
        uct.run(&Limits::iterations(5000));
        assert_eq!(uct.best_move(Role(0)), Ok(Some(Move(1))));
        assert_eq!(uct.tree[uct.tree.root()].pending, 0);
        assert!(uct.tree[uct.tree.root()].arms.iter().all(|arm| arm.pending == 0));
    }
}
