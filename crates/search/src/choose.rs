//! The choice of the move to play after a search.

use crate::arm::Arm;
use crate::draw::index_at;
use crate::node::{Chooser, Phase};
use crate::search::Search;
use crate::technique::Technique;
use crate::variation::Variation;
use ggp_game::{Draft, EvalError, Move, Playouts, Role};
use std::time::{Duration, Instant};

/// An arm can be the secure child only if its visits are at least the visits of the most visited arm
/// divided by this number. Arms with fewer visits may be overrated, because their refutations have not been
/// found yet.
const SECURE_PART: u32 = 2;

/// Replaces [`Constants::secure_spread`](crate::Constants::secure_spread) in a lower bound that is compared with a proven
/// goal. It is smaller, so that the search prefers a probably better move to a proven draw.
const PROVEN_SPREAD: f64 = 0.5;

impl<M: Playouts> Search<M> {
    /// The move that the search plays for `role` at the root; `None` if the role has no legal move.
    ///
    /// In games of one role the move follows the best variation found. Where two roles choose at once, the move is drawn
    /// from [`Search::strategy`]: an opponent who searches alike foresees the best move, and has an answer to it.
    ///
    /// In all other cases proven moves come first: the search plays the shortest win, and avoids or delays a
    /// proven loss. A proven move that attains the role's security level (the goal that the role is proved to
    /// be able to guarantee) is played, unless the lower confidence bound of another move exceeds this level.
    /// The choice among the remaining moves depends on the game. If two roles alternate, the search plays the
    /// secure child (Chaslot et al. 2008): of the frequently visited moves, the one with the highest lower
    /// bound. In other games it plays the most visited move. Ties are broken by the better mean, then at
    /// random.
    ///
    /// # Errors
    /// The machine's errors, if the legal moves are not known yet.
    pub fn best_move(&mut self, role: Role) -> Result<Option<Move>, EvalError> {
        self.open_root()?;
        let root = self.tree.root();
        if self.tree[root].phase == Phase::Ended {
            let state = &self.tree[root].state;
            let mut legal = Vec::new();
            self.worker.machine.legal_moves(state, role, &mut legal)?;
            return Ok((!legal.is_empty()).then(|| legal[self.worker.random.below(legal.len())]));
        }
        if let Some(mixed) = self.mixed_strategy(role) {
            let point = self.worker.random.between(0.0..1.0);
            if let Some(drawn) = index_at(point, mixed) {
                return Ok(Some(self.tree.arms(root, role)[drawn].mv));
            }
        }
        Ok(self.deterministic_move(role))
    }

    /// The move of `role` at the root if the move is not drawn from a mixed strategy. The root must be
    /// open.
    pub(crate) fn deterministic_move(&self, role: Role) -> Option<Move> {
        let best = || self.best_arm(role).map(|arm| self.tree[self.tree.root()].arms[arm].mv);
        self.best_variation.as_ref().and_then(Variation::next).or_else(best)
    }

    /// Writes the best move of `role` to `draft`, now and then during the following runs, until [`Search::end_draft`].
    pub(crate) fn begin_draft(&mut self, role: Role, draft: &Draft) {
        self.draft = Some((role, draft.clone(), Instant::now()));
        self.update_draft(Duration::ZERO);
    }

    /// Updates the draft for the last time, and ends the effect of [`Search::begin_draft`].
    pub(crate) fn end_draft(&mut self) {
        self.update_draft(Duration::ZERO);
        self.draft = None;
    }

    /// Updates the draft if there is one whose last update is at least `every` ago.
    pub(crate) fn update_draft(&mut self, every: Duration) {
        let Some((role, draft, last)) = &mut self.draft else { return };
        if last.elapsed() < every {
            return;
        }
        *last = Instant::now();
        let (role, draft) = (*role, draft.clone());
        let is_known =
            self.tree[self.tree.root()].phase == Phase::Open && self.tree[self.tree.root()].visits > 0;
        let mv = if is_known { self.deterministic_move(role) } else { None };
        draft.set(mv.map(|mv| self.worker.machine.move_text(mv).to_owned()));
    }

    /// The best arm of `role` at the root, by the arms' proofs and statistics and without regard to the best
    /// variation or a mixed strategy. Returns an index into the root's arms. The root must be open.
    pub(crate) fn best_arm(&self, role: Role) -> Option<usize> {
        let root = self.tree.root();
        let arms = &self.tree[root].arms;
        let range = self.tree.arm_range(root, role);
        let level = self.tree.security_level(root, role);
        // With simultaneous moves, an arm's mean depends on the moves that the other roles have made, and
        // these may change.
        let is_alone = matches!(self.tree[root].chooser, Chooser::One(_));
        // Descents skip an arm that attains the security level, so its visits are not comparable with those
        // of other arms. That arm is played unless another arm is surely better.
        let attains = |arm: usize| arms[arm].bounds.proven() == Some(level);
        let is_attained =
            is_alone && level > 0 && self.two_player.has(Technique::Floor) && range.clone().any(attains);
        let surpasses = |arm: usize| {
            arms[arm].bounds.high > level && lower_bound(&arms[arm], PROVEN_SPREAD) * 100.0 > f64::from(level)
        };
        let is_surpassed = is_attained && range.clone().any(surpasses);
        let counts = |arm: usize| match (is_attained, is_surpassed) {
            (false, _) => arms[arm].bounds.high >= level,
            (true, false) => attains(arm),
            (true, true) => surpasses(arm),
        };
        let eligible = range.filter(|&arm| counts(arm));
        let most = eligible.clone().map(|arm| arms[arm].visits).max().unwrap_or(0);
        let known = if is_alone { self.known_visits(most) } else { u32::MAX };
        let rank = |arm: usize| self.rank(&arms[arm], known);
        // Moves are in random order, so keeping the first of equal moves is a random tie-break.
        eligible.reduce(|best, other| if rank(other) > rank(best) { other } else { best })
    }

    /// The strategy of `role` at the root: the role's legal moves with their probabilities. Where two roles choose at once
    /// (with [`Technique::Regret`]) and the role's goal is not proved, it is the average strategy of regret matching near the
    /// end of the game. Further from the end, it is an equilibrium of the values of the joint moves, if the goals of both
    /// roles have a constant sum and the values of the joint moves interact by more than noise. In all other cases the best
    /// move has probability 1. Empty if the game is over.
    ///
    /// # Errors
    /// The machine's errors, if the legal moves are not known yet.
    pub fn strategy(&mut self, role: Role) -> Result<Vec<(Move, f64)>, EvalError> {
        self.open_root()?;
        let root = self.tree.root();
        if self.tree[root].phase == Phase::Ended {
            return Ok(Vec::new());
        }
        let probabilities = self.mixed_strategy(role).unwrap_or_else(|| {
            let best = self.deterministic_move(role);
            self.tree
                .arms(root, role)
                .iter()
                .map(|arm| if Some(arm.mv) == best { 1.0 } else { 0.0 })
                .collect()
        });
        Ok(self.tree.arms(root, role).iter().map(|arm| arm.mv).zip(probabilities).collect())
    }

    /// The number of visits from which a root move has a lower bound, where one role chooses alone and the most visited
    /// move has `most` visits.
    pub(crate) fn known_visits(&self, most: u32) -> u32 {
        if self.two_player.has(Technique::Secure) { (most / SECURE_PART).max(1) } else { u32::MAX }
    }

    /// The part of a root move's sort key that proofs decide: above 0 for a proved win, and more for a shorter one; below 0
    /// for a proved loss, and less for a shorter one, and for a deferred move.
    pub(crate) fn certainty(&self, arm: &Arm) -> i32 {
        let distance = i32::from(self.tree.distance_after(arm));
        match arm.bounds.proven() {
            Some(100) => 1 + i32::from(u16::MAX) - distance,
            Some(0) => distance - i32::from(u16::MAX),
            // The arm is deferred: another move wins at once, this move loses at once, or it is equivalent to
            // a move that is not deferred.
            _ if arm.deferred => 2 - i32::from(u16::MAX),
            _ => 0,
        }
    }

    /// The sort key of a root move; larger is better. A move with fewer than `known` visits has no lower
    /// bound, so it comes after all moves with enough visits.
    pub(crate) fn rank(&self, arm: &Arm, known: u32) -> (i32, f64, u32, f64) {
        let certain = self.certainty(arm);
        let mean = arm.mean().unwrap_or(0.0);
        let spread = self.options.constants.secure_spread;
        let least = if arm.visits < known { f64::NEG_INFINITY } else { lower_bound(arm, spread) };
        (certain, least, arm.visits, mean)
    }
}

/// A lower confidence bound of the arm's mean; −∞ without visits. With few visits it lies below the least
/// possible goal, so that moves with more visits come first.
fn lower_bound(arm: &Arm, spread: f64) -> f64 {
    arm.mean().map_or(f64::NEG_INFINITY, |mean| mean - spread / f64::from(arm.visits).sqrt())
}

#[cfg(test)]
mod tests {
    use crate::bounds::Bounds;
    use crate::limits::Limits;
    use crate::options::MctsOptions;
    use crate::search::Search;
    use crate::technique::{Technique, Techniques};
    use crate::test_games;
    use ggp_game::{Move, Role};

    #[test]
    fn near_the_end_proofs_count_for_more_than_visits() {
        let options = MctsOptions {
            techniques: Techniques::all().with(Technique::Solver, false),
            ..MctsOptions::default()
        };
        let state = vec![1, 2, 1, 2, 2, 0, 0, 1, 0, 0];
        let mut search = Search::from_state(test_games::tic_tac_toe(), &options, state).unwrap();
        search.run(&Limits::iterations(200));
        assert!(search.uses_regrets(), "three steps to the end");
        let root = search.tree.root();
        let lost = search.tree[root].arms.iter_mut().find(|arm| arm.mv == Move(6)).unwrap();
        (lost.visits, lost.bounds) = (1_000_000, Bounds { low: 0, high: 0 });
        assert_eq!(search.best_move(Role(0)), Ok(Some(Move(5))));
    }

    #[test]
    fn the_secure_child_need_not_be_the_most_visited() {
        let choice = |secure: bool, known: &[(u32, f64)]| {
            let techniques = Techniques::all().with(Technique::Secure, secure);
            let options = MctsOptions { techniques, ..MctsOptions::default() };
            let mut search = Search::new(test_games::tic_tac_toe(), &options).unwrap();
            search.run(&Limits::iterations(20));
            let root = search.tree.root();
            for (mv, &(visits, mean)) in known.iter().enumerate() {
                let arm = search.tree[root].arms.iter_mut().find(|arm| arm.mv == Move(mv as u32)).unwrap();
                (arm.visits, arm.sum, arm.bounds) = (visits, f64::from(visits) * mean, Bounds::UNKNOWN);
            }
            let mv = search.best_move(Role(0)).unwrap().unwrap();
            assert_eq!(search.report(Role(0)).candidates[0].mv, mv.0.to_string());
            assert!(search.strategy(Role(0)).unwrap().contains(&(mv, 1.0)));
            mv
        };
        let late = [(10_000, 0.45), (5_000, 0.60), (400, 0.90)];
        assert_eq!(choice(true, &late), Move(1), "the third is hardly known");
        assert_eq!(choice(false, &late), Move(0));
        assert_eq!(choice(true, &[(10_000, 0.45), (6_000, 0.46)]), Move(0), "0.46, give or take 0.05");
        let mut early = [(0, 0.0); 9];
        early[4] = (2, 0.5);
        assert_eq!(choice(true, &early), Move(4), "the only visited move");
    }

    #[test]
    fn a_proven_move_is_played_unless_another_is_surely_better() {
        let choice = |skips_proven: bool, visits: u32, mean: f64, bounds: Bounds| {
            let techniques = Techniques::all().with(Technique::Floor, skips_proven);
            let options = MctsOptions { techniques, ..MctsOptions::default() };
            let mut search = Search::new(test_games::tic_tac_toe(), &options).unwrap();
            search.run(&Limits::iterations(20));
            let root = search.tree.root();
            for arm in &mut search.tree[root].arms {
                (arm.visits, arm.sum, arm.bounds) = match arm.mv {
                    Move(0) => (3, 1.0, Bounds::exact(50)),
                    Move(1) => (visits, f64::from(visits) * mean, bounds),
                    _ => (10, 0.0, Bounds::UNKNOWN),
                };
            }
            search.best_move(Role(0)).unwrap().unwrap()
        };
        assert_eq!(choice(true, 10_000, 0.45, Bounds::UNKNOWN), Move(0));
        assert_eq!(choice(false, 10_000, 0.45, Bounds::UNKNOWN), Move(1), "it would have been visited");
        assert_eq!(choice(true, 10_000, 0.52, Bounds::UNKNOWN), Move(1));
        assert_eq!(choice(true, 100, 0.52, Bounds::UNKNOWN), Move(0), "0.52, give or take 0.05");
        // The move scored well until it was refuted.
        assert_eq!(choice(true, 10_000, 0.9, Bounds::exact(0)), Move(0));
    }
}
