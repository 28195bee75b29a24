//! Statistics of random playouts that depend only on the rules and the random streams.

use crate::{Playout, rng};

/// Counts over finished playouts. Machines that agree on the rules have equal counts for equal random
/// streams, in whatever order the playouts end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// The number of playouts.
    pub playouts: u64,
    /// The number of joint moves in all playouts.
    pub steps: u64,
    /// For each role, the sum of its goals, one from the last state of each playout. If the role has several
    /// goals in that state, the largest is added. If it has none, nothing is added.
    pub goal_sums: Vec<u64>,
    /// A hash of the stream index, the steps and the goals of every playout.
    pub checksum: u64,
}

impl Fingerprint {
    /// The counts of zero playouts, for a game with `roles` roles.
    pub fn new(roles: usize) -> Fingerprint {
        Fingerprint { playouts: 0, steps: 0, goal_sums: vec![0; roles], checksum: 0 }
    }

    /// Adds `playout`, which used the random stream with the index `number`.
    #[inline]
    pub fn add(&mut self, number: u64, playout: &Playout<'_>) {
        self.playouts += 1;
        self.steps += u64::from(playout.steps);
        let mut hash = rng::mix(number);
        hash = rng::mix(hash ^ u64::from(playout.steps));
        for (sum, goals) in self.goal_sums.iter_mut().zip(playout.goals) {
            let value = goals.largest().map(|goal| u64::from(goal.value()));
            hash = rng::mix(hash ^ value.unwrap_or(u64::MAX));
            *sum += value.unwrap_or(0);
        }
        // Addition commutes, so the order in which playouts end does not matter.
        self.checksum = self.checksum.wrapping_add(hash);
    }

    /// Adds the counts of `other`. No playout may be counted in both.
    pub fn join(&mut self, other: &Fingerprint) {
        self.playouts += other.playouts;
        self.steps += other.steps;
        self.goal_sums.iter_mut().zip(&other.goal_sums).for_each(|(ours, theirs)| *ours += theirs);
        self.checksum = self.checksum.wrapping_add(other.checksum);
    }
}

#[cfg(test)]
mod tests {
    use super::Fingerprint;
    use crate::{Goal, Goals, Playout};

    /// The fingerprint of `playouts` of a game with one role. Each playout is given as its stream index, its
    /// number of steps, and the role's goal (`None` for no goal).
    fn of(playouts: &[(u64, u32, Option<u8>)]) -> Fingerprint {
        let mut counts = Fingerprint::new(1);
        for &(number, steps, goal) in playouts {
            let goals = [goal.and_then(Goal::new).map_or(Goals::None, Goals::One)];
            let playout = Playout { index: 0, goals: &goals, steps, moves: &[], terminal: true };
            counts.add(number, &playout);
        }
        counts
    }

    #[test]
    fn the_order_does_not_matter_and_everything_else_does() {
        let counts = of(&[(1, 5, Some(0)), (2, 7, Some(100))]);
        assert_eq!((counts.playouts, counts.steps, &counts.goal_sums[..]), (2, 12, &[100][..]));
        assert_eq!(counts, of(&[(2, 7, Some(100)), (1, 5, Some(0))]));
        let mut joined = of(&[(2, 7, Some(100))]);
        joined.join(&of(&[(1, 5, Some(0))]));
        assert_eq!(counts, joined);
        for other in [
            [(1, 5, Some(100)), (2, 7, Some(0))],
            [(1, 7, Some(0)), (2, 5, Some(100))],
            [(1, 5, None), (2, 7, Some(100))],
            [(1, 5, Some(0)), (3, 7, Some(100))],
        ] {
            assert_ne!(counts.checksum, of(&other).checksum, "{other:?}");
        }
    }
}
