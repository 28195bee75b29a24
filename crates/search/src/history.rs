//! The history of moves: the mean score of each move over all states where it was played, as a prior for
//! arms without visits (the history heuristic, Schaeffer 1989; in general game playing, Finnsson &
//! Björnsson 2010 for playouts and Sironi & Winands 2016, HRAVE, for the tree).

use crate::path::Path;
use crate::tree::Tree;
use ggp_game::{Goal, Move, Role};
use std::hash::Hash;

/// The maximum number of moves in a [`Log`]. A playout that would exceed it is not logged.
const MAX_ENTRIES: usize = 1 << 17;

/// On a machine with several lanes, only one batch in this many is logged after the first [`ALWAYS_LOGGED`]
/// batches, since recording the moves of playouts in lanes costs more than playing them.
const LOGGED_ONE_IN: u64 = 8;

/// The number of batches at the beginning of a search, all of which are logged.
const ALWAYS_LOGGED: u64 = 8;

/// The mean of a move is shrunk towards the mean of its role (over all moves of the role), as if the move had been
/// played in this many more playouts.
const SHRINK: f64 = 16.0;

/// A log: the moves of some playouts, each with its role and with the goal that the role got in that playout.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    entries: Vec<(Role, u8, Move)>,
}

impl Log {
    /// Adds a playout: its joint `moves` in order and its `scores`, one for each role.
    pub(crate) fn add(&mut self, moves: &[Move], scores: &[Goal]) {
        if self.entries.len() + moves.len() > MAX_ENTRIES {
            return;
        }
        for joint in moves.chunks_exact(scores.len()) {
            for (role, (&mv, score)) in joint.iter().zip(scores).enumerate() {
                self.entries.push((Role(role as u8), score.value(), mv));
            }
        }
    }

    /// Removes all entries.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct MoveStats {
    goals: u64,
    count: u64,
}

impl MoveStats {
    fn add(&mut self, goals: u64, count: u64) {
        self.goals += goals;
        self.count += count;
    }

    /// Halves the count, rounded down, and keeps the mean.
    fn decay(&mut self) {
        if self.count % 2 == 1 {
            self.goals -= self.goals / self.count;
        }
        self.goals /= 2;
        self.count /= 2;
    }

    /// The mean share of the move minus `mean_of_role`. It is computed as if the move had been played in `weight` more
    /// playouts whose mean is `expected` above the mean of the role.
    fn lead(self, mean_of_role: f64, expected: f64, weight: f64) -> f64 {
        let count = self.count as f64;
        (self.goals as f64 / 100.0 - count * mean_of_role + weight * expected) / (count + weight)
    }
}

/// For every move of every role, the sum of the goals and the number of the playouts with that move.
#[derive(Debug)]
pub(crate) struct History {
    of_role: Vec<Vec<MoveStats>>,
    all: Vec<MoveStats>,
}

impl History {
    /// An empty history for `roles` roles.
    pub(crate) fn new(roles: usize) -> History {
        History { of_role: vec![Vec::new(); roles], all: vec![MoveStats::default(); roles] }
    }

    /// Whether the batch with the index `batch` is logged. `lanes` is the number of playouts that the
    /// machine runs at once.
    pub(crate) fn logs_batch(batch: u64, lanes: usize) -> bool {
        lanes == 1 || batch < ALWAYS_LOGGED || batch.is_multiple_of(LOGGED_ONE_IN)
    }

    /// Adds `count` playouts in which `role` played `mv`; `goals` is the sum of their goals.
    pub(crate) fn add(&mut self, role: Role, mv: Move, goals: u64, count: u64) {
        let of_moves = &mut self.of_role[role.index()];
        let at = mv.0 as usize;
        if of_moves.len() <= at {
            of_moves.resize(at + 1, MoveStats::default());
        }
        of_moves[at].add(goals, count);
        self.all[role.index()].add(goals, count);
    }

    /// Adds the moves on a descent's path. The descent has `playouts` playouts, and `shares` holds each
    /// role's mean share over these playouts.
    pub(crate) fn add_path<S: Eq + Hash>(
        &mut self,
        tree: &Tree<S>,
        path: &Path,
        shares: &[f64],
        playouts: usize,
    ) {
        for (depth, &id) in path.nodes().iter().enumerate() {
            for (role, (&arm, share)) in path.chosen(depth).iter().zip(shares).enumerate() {
                let mv = tree[id].arms[arm as usize].mv;
                self.add(
                    Role(role as u8),
                    mv,
                    (share * 100.0 * playouts as f64).round() as u64,
                    playouts as u64,
                );
            }
        }
    }

    /// Adds all entries of `log`.
    pub(crate) fn add_log(&mut self, log: &Log) {
        for &(role, goal, mv) in &log.entries {
            self.add(role, mv, u64::from(goal), 1);
        }
    }

    /// The number of roles.
    pub(crate) fn roles(&self) -> usize {
        self.of_role.len()
    }

    /// The mean share of `role` over the whole history; 0.5 without playouts.
    fn role_mean(&self, role: usize) -> f64 {
        let all = self.all[role];
        if all.count == 0 { 0.5 } else { all.goals as f64 / 100.0 / all.count as f64 }
    }

    /// Every move that has been played, with its role and its lead: the mean of the move minus the mean of
    /// the role, in shares.
    pub(crate) fn leads(&self) -> impl Iterator<Item = (Role, Move, f64)> {
        self.of_role.iter().enumerate().flat_map(move |(role, of_moves)| {
            let mean_of_role = self.role_mean(role);
            let played = of_moves.iter().enumerate().filter(|(_, stats)| stats.count > 0);
            played.map(move |(mv, stats)| {
                (Role(role as u8), Move(mv as u32), stats.lead(mean_of_role, 0.0, SHRINK))
            })
        })
    }

    /// The lead of `mv`, as if `role` had played it in `weight` more playouts whose lead is `expected`.
    pub(crate) fn lead_beside(&self, role: Role, mv: Move, expected: f64, weight: f64) -> f64 {
        let stats = self.of_role[role.index()].get(mv.0 as usize).copied().unwrap_or_default();
        stats.lead(self.role_mean(role.index()), expected, weight)
    }

    /// Halves all sums and counts, since older playouts say less about the current state.
    pub(crate) fn decay(&mut self) {
        self.of_role.iter_mut().flatten().chain(&mut self.all).for_each(MoveStats::decay);
    }

    /// Replaces `out` by the advantage of each of `moves` for `role`: the mean of the move minus the
    /// average of the means of all `moves`, in shares. A move that was never played has the mean of the role.
    pub(crate) fn advantages(&self, role: Role, moves: impl Iterator<Item = Move>, out: &mut Vec<f32>) {
        out.clear();
        out.extend(moves.map(|mv| self.lead_beside(role, mv, 0.0, SHRINK) as f32));
        let mean = out.iter().sum::<f32>() / out.len().max(1) as f32;
        for advantage in out {
            *advantage -= mean;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{History, Log};
    use ggp_game::{Goal, Move, Role};

    #[test]
    fn older_playouts_count_half_and_keep_their_mean() {
        let mut history = History::new(1);
        for (mv, goals, count) in [(0, 100, 1), (1, 300, 3), (2, 150, 5), (3, 1000, 20)] {
            history.add(Role(0), Move(mv), goals, count);
        }
        history.decay();
        let of = |mv: usize| (history.of_role[0][mv].goals, history.of_role[0][mv].count);
        assert_eq!([0, 1, 2, 3].map(of), [(0, 0), (100, 1), (60, 2), (500, 10)]);
    }

    #[test]
    fn moves_of_won_playouts_have_an_advantage() {
        let goal = |value| Goal::new(value).unwrap();
        let mut log = Log::default();
        for _ in 0..100 {
            log.add(&[Move(1), Move(7), Move(2), Move(7)], &[goal(100), goal(0)]);
            log.add(&[Move(3), Move(7)], &[goal(0), goal(100)]);
        }
        let mut history = History::new(2);
        history.add_log(&log);
        let mut out = Vec::new();
        history.advantages(Role(0), [1, 2, 3, 9].map(Move).into_iter(), &mut out);
        assert!(out[0] > 0.2 && (out[0] - out[1]).abs() < 1e-6 && out[2] < -0.4, "{out:?}");
        assert!(out.iter().sum::<f32>().abs() < 1e-5);
        assert!(out[2] < out[3] && out[3] < out[0], "a move that was never played has the mean of the role");
        history.advantages(Role(1), [7].map(Move).into_iter(), &mut out);
        assert_eq!(out, [0.0]);
        history.decay();
        history.advantages(Role(0), [1, 3].map(Move).into_iter(), &mut out);
        assert!(out[0] > 0.3 && out[1] < -0.3, "{out:?}");
    }
}
