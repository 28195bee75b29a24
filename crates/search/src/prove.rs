//! The MCTS solver: backs up proven bounds from the ends of the game. For every node and role it keeps a
//! lower and an upper bound of the goal under rational play of all roles (score-bounded Monte-Carlo tree
//! search, Cazenave & Saffidine 2010; generalised to any number of roles as in max^n, Luckhardt & Irani
//! 1986).
//!
//! In rational play, a role that decides alone takes a move that is best for itself. If several moves are
//! proved to be equally good for it, it may take any of them. Where several roles choose simultaneously, a
//! role's lower bound is the value of its best move against the worst replies, and its upper bound is the
//! value of the best joint move. The bounds after a chance move are the means of the bounds of its outcomes,
//! rounded outward.
//!
//! Invariant: bounds never widen, and they contain the outcome of rational play. Proofs start only from ends
//! of the game, so repeated states prove nothing.

use crate::arm::Arm;
use crate::bounds::Bounds;
use crate::id::NodeId;
use crate::node::Chooser;
use crate::path::Path;
use crate::tree::Tree;
use ggp_game::{Ending, Role, Verdict};
use std::hash::Hash;

/// In a node with more joint moves than this, the solver waits until every joint move has a child node
/// before it narrows the node's bounds. To examine so many joint moves costs more than an iteration.
const JOINTS: usize = 64;

impl<S: Eq + Hash> Tree<S> {
    /// Backs up the proven bounds of the last node of `path` to the nodes above it, one after the other.
    /// Stops at the first node whose bounds do not change. `chance` is the chance role of the game, if there
    /// is one.
    pub(crate) fn prove(&mut self, path: &Path, chance: Option<Role>) {
        let is_bounded = self.stats(path.leaf()).iter().any(|stats| stats.bounds != Bounds::UNKNOWN);
        if !is_bounded {
            return;
        }
        for &id in path.nodes().iter().rev().skip(1) {
            let changed = match self[id].chooser {
                Chooser::Nobody => self.prove_forced(id),
                Chooser::One(role) if chance == Some(role) => self.prove_chance(id, role),
                Chooser::One(role) => self.prove_choice(id, role),
                Chooser::Several => self.prove_joint(id, chance),
            };
            if !changed {
                return;
            }
        }
    }

    /// Narrows the bounds of `role` in a node. Returns whether they changed.
    fn narrow(&mut self, id: NodeId, role: usize, low: u8, high: u8) -> bool {
        let bounds = &mut self.stats_mut(id)[role].bounds;
        let before = *bounds;
        bounds.low = bounds.low.max(low);
        bounds.high = bounds.high.min(high).max(bounds.low);
        *bounds != before
    }

    /// Sets the bounds that are known when a node is opened: the goals after moves of `role`, which decides alone,
    /// and after which the game ends within two moves (see [`Verdict`]).
    pub(crate) fn decide(&mut self, id: NodeId, role: Role, verdict: Verdict) {
        let (ending, steps, decides) = match verdict {
            Verdict::Open => return,
            Verdict::Wins(ending) => (ending, 1, true),
            Verdict::OthersLose(ending) => (ending, 2, false),
            Verdict::Loses(ending) => (ending, 2, true),
        };
        let range = self.arm_range(id, role);
        let node = &mut self[id];
        node.ending = Some(ending);
        for arm in node.arms[range].iter_mut().filter(|arm| decides != arm.deferred && !arm.is_redundant) {
            arm.bounds = bounds_of(ending, role.index());
        }
        if decides {
            node.distance = steps;
            for (role, stats) in self.stats_mut(id).iter_mut().enumerate() {
                stats.bounds = bounds_of(ending, role);
            }
        }
    }

    /// The proven bounds of the goal of `role` after `arm` of the node `id`, where one role decides alone.
    fn bounds_after(&self, id: NodeId, arm: &Arm, role: usize) -> Bounds {
        match self[id].ending {
            _ if arm.child.is_some() => self.stats(arm.child)[role].bounds,
            Some(ending) if arm.bounds.proven().is_some() => bounds_of(ending, role),
            _ => Bounds::UNKNOWN,
        }
    }

    fn child_bounds(&self, child: NodeId, role: usize) -> Bounds {
        if child.is_some() { self.stats(child)[role].bounds } else { Bounds::UNKNOWN }
    }

    /// The number of steps from the state after `arm` to the end of the game. It has a meaning only if the goals
    /// after the arm are proved.
    pub(crate) fn distance_after(&self, arm: &Arm) -> u16 {
        if arm.child.is_some() { self[arm.child].distance } else { u16::from(arm.deferred) }
    }

    /// The same for the child `child`; 0 for [`NodeId::NONE`].
    fn distance_of(&self, child: NodeId) -> u16 {
        if child.is_some() { self[child].distance } else { 0 }
    }

    fn prove_forced(&mut self, id: NodeId) -> bool {
        let child = self[id].arms[0].child;
        self[id].distance = self.distance_of(child).saturating_add(1);
        let mut changed = false;
        for role in 0..self.roles() {
            let bounds = self.child_bounds(child, role);
            changed |= self.narrow(id, role, bounds.low, bounds.high);
        }
        changed
    }

    fn prove_chance(&mut self, id: NodeId, chance: Role) -> bool {
        let range = self.arm_range(id, chance);
        let count = range.len() as u32;
        let mut changed = false;
        for role in 0..self.roles() {
            let (mut low, mut high) = (0u32, 0u32);
            for arm in range.clone() {
                let bounds = self.child_bounds(self[id].arms[arm].child, role);
                low += u32::from(bounds.low);
                high += u32::from(bounds.high);
            }
            changed |= self.narrow(id, role, (low / count) as u8, high.div_ceil(count) as u8);
        }
        changed
    }

    /// Narrows the bounds of a node where one role decides and takes the best move for itself.
    fn prove_choice(&mut self, id: NodeId, chooser: Role) -> bool {
        let range = self.arm_range(id, chooser);
        let own = chooser.index();
        let (mut low, mut high) = (0, 0);
        for arm in range.clone() {
            if self[id].arms[arm].is_redundant {
                continue;
            }
            let bounds = self.bounds_after(id, &self[id].arms[arm], own);
            self[id].arms[arm].bounds = bounds;
            low = low.max(bounds.low);
            high = high.max(bounds.high);
        }
        let mut changed = self.narrow(id, own, low, high);
        // If the best goal is proved, the role takes any move proved to give it. Otherwise it may take any
        // move whose upper bound reaches the lower bound.
        let settled = low == high;
        let taken = |bounds: Bounds| if settled { bounds.low == low } else { bounds.high >= low };
        let (mut nearest, mut farthest) = (u16::MAX, 0);
        let mut others = vec![(u8::MAX, 0u8); self.roles()];
        for arm in &self[id].arms[range] {
            if arm.is_redundant || !taken(arm.bounds) {
                continue;
            }
            for (role, (low, high)) in others.iter_mut().enumerate() {
                let bounds = self.bounds_after(id, arm, role);
                *low = (*low).min(bounds.low);
                *high = (*high).max(bounds.high);
            }
            let distance = self.distance_after(arm);
            nearest = nearest.min(distance);
            farthest = farthest.max(distance);
        }
        for (role, (low, high)) in others.into_iter().enumerate() {
            if role != own {
                changed |= self.narrow(id, role, low, high);
            }
        }
        if settled {
            // A proven 0 is delayed as long as possible; any other proven goal is taken as soon as possible.
            self[id].distance = if low == 0 { farthest } else { nearest }.saturating_add(1);
        }
        changed
    }

    /// Narrows the bounds of a node where several roles choose simultaneously. Each role can guarantee the
    /// value of its best move against the worst replies, and no role but `chance` makes a move that is proved
    /// not to be best.
    fn prove_joint(&mut self, id: NodeId, chance: Option<Role>) -> bool {
        let arms_of = |role: usize| self.arm_range(id, Role(role as u8)).map(|arm| arm as u32);
        let mut arms: Vec<Vec<u32>> = (0..self.roles()).map(|role| arms_of(role).collect()).collect();
        let joints = arms.iter().try_fold(1usize, |product, arms| product.checked_mul(arms.len()));
        let made = self[id].joints.as_ref().map_or(0, |joints| joints.len());
        if joints.is_none_or(|joints| joints > JOINTS && joints > made) {
            return false;
        }
        for arm in &mut self[id].arms {
            arm.bounds = Bounds { low: 100, high: 0 };
        }
        let mut farthest = 0;
        for_each_joint(&arms, |chosen| {
            let child = self[id].child(chosen);
            farthest = farthest.max(self.distance_of(child));
            for (role, &arm) in chosen.iter().enumerate() {
                let bounds = self.child_bounds(child, role);
                let arm = &mut self[id].arms[arm as usize];
                arm.bounds.low = arm.bounds.low.min(bounds.low);
                arm.bounds.high = arm.bounds.high.max(bounds.high);
            }
        });
        self[id].distance = farthest.saturating_add(1);
        let mut changed = false;
        for (role, arms) in arms.iter_mut().enumerate() {
            if chance.is_some_and(|chance| chance.index() == role) {
                continue;
            }
            let bounds = |arm: &u32| self[id].arms[*arm as usize].bounds;
            let low = arms.iter().map(|arm| bounds(arm).low).max().unwrap_or(0);
            let high = arms.iter().map(|arm| bounds(arm).high).max().unwrap_or(100);
            arms.retain(|arm| if low == high { bounds(arm).low == low } else { bounds(arm).high >= low });
            changed |= self.narrow(id, role, low, high);
        }
        let mut outcome = vec![(u8::MAX, 0u8); self.roles()];
        for_each_joint(&arms, |chosen| {
            let child = self[id].child(chosen);
            for (role, (low, high)) in outcome.iter_mut().enumerate() {
                let bounds = self.child_bounds(child, role);
                *low = (*low).min(bounds.low);
                *high = (*high).max(bounds.high);
            }
        });
        for (role, (low, high)) in outcome.into_iter().enumerate() {
            changed |= self.narrow(id, role, low, high);
        }
        changed
    }
}

/// The goal of the player `role` at the end `ending` of a game of two players.
fn bounds_of(ending: Ending, role: usize) -> Bounds {
    let goal = if role == ending.winner.index() { ending.best } else { ending.least };
    Bounds::exact(goal.value())
}

/// Calls `see` with every combination of one arm from each list of `arms`. No list may be empty.
fn for_each_joint(arms: &[Vec<u32>], mut see: impl FnMut(&[u32])) {
    let mut places = vec![0; arms.len()];
    let mut chosen: Vec<u32> = arms.iter().map(|arms| arms[0]).collect();
    loop {
        see(&chosen);
        let Some(role) = (0..arms.len()).rev().find(|&role| places[role] + 1 < arms[role].len()) else {
            return;
        };
        places[role] += 1;
        places[role + 1..].fill(0);
        for role in role..arms.len() {
            chosen[role] = arms[role][places[role]];
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::limits::{Halt, Limits};
    use crate::options::MctsOptions;
    use crate::search::Search;
    use crate::technique::{Technique, Techniques};
    use crate::test_games::{self, NOOP, Rules, TestMachine};
    use ggp_game::{Move, Role};

    fn proven<R: Rules>(
        machine: TestMachine<R>,
        iterations: u64,
    ) -> (Search<TestMachine<R>>, Vec<Option<u8>>) {
        let mut search = Search::new(machine, &MctsOptions::default()).unwrap();
        search.run(&Limits::iterations(iterations));
        let goals = search.tree.stats(search.tree.root()).iter().map(|s| s.bounds.proven()).collect();
        (search, goals)
    }

    /// The goal of the first role under rational play from `state`, by exhaustive search.
    fn exhaust(rules: &test_games::Heap, state: &[u8]) -> u8 {
        let turn = usize::from(state[1]);
        if rules.is_over(state) {
            return rules.goal(state, 0).unwrap();
        }
        let values = rules.legal(state, turn).into_iter().map(|mv| {
            let mut joint = [NOOP; 2];
            joint[turn] = mv;
            exhaust(rules, &rules.next(state, &joint))
        });
        if turn == 0 { values.max().unwrap() } else { values.min().unwrap() }
    }

    #[test]
    fn tic_tac_toe_is_a_draw() {
        // A proof needs visits to bad moves. Either more exploration or the skipping of proven moves provides
        // them.
        let eager = MctsOptions { exploration: 3.0, ..MctsOptions::default() };
        let mut search = Search::new(test_games::tic_tac_toe(), &eager).unwrap();
        assert_eq!(search.run(&Limits::iterations(100_000)), Halt::Decided);
        let mut search = Search::new(test_games::tic_tac_toe(), &MctsOptions::default()).unwrap();
        assert_eq!(search.run(&Limits::iterations(200_000)), Halt::Decided);
        let report = search.report(Role(0));
        assert!(report.candidates.iter().all(|c| c.proven.is_none_or(|goal| goal <= 50)), "{report:?}");
        assert_eq!(search.tree.stats(search.tree.root())[0].bounds.proven(), Some(50));
    }

    #[test]
    fn proofs_of_small_heaps_agree_with_exhaustive_search() {
        for size in 1..=14 {
            let machine = test_games::heap(size, 2);
            let truth = exhaust(&machine.rules, &machine.rules.initial());
            let (mut search, goals) = proven(machine, 20_000);
            assert_eq!(goals, [Some(truth), Some(100 - truth)], "a heap of {size}");
            if truth == 100 {
                assert_eq!(search.best_move(Role(0)), Ok(Some(Move(u32::from(size % 4)))));
            }
        }
    }

    #[test]
    fn a_win_takes_the_short_way() {
        // Both roles have two in a row: x is to move and wins at once.
        let state = vec![1, 1, 0, 2, 2, 0, 0, 0, 0, 0];
        let mut search =
            Search::from_state(test_games::tic_tac_toe(), &MctsOptions::default(), state).unwrap();
        assert_eq!(search.run(&Limits::default()), Halt::Decided);
        assert_eq!(search.best_move(Role(0)), Ok(Some(Move(2))));
    }

    #[test]
    fn the_longest_resistance_is_chosen() {
        // x threatens the diagonal. If the opponent blocks it, x has a fork and wins two plies later.
        let state = vec![1, 2, 0, 0, 1, 0, 0, 0, 0, 1];
        let mut search =
            Search::from_state(test_games::tic_tac_toe(), &MctsOptions::default(), state).unwrap();
        assert_eq!(search.run(&Limits::default()), Halt::Decided);
        let report = search.report(Role(1));
        assert!(report.candidates.iter().all(|c| c.proven == Some(0)), "{report:?}");
        assert_eq!(search.best_move(Role(1)), Ok(Some(Move(8))));
    }

    #[test]
    fn simultaneous_moves_prove_only_what_one_can_force() {
        let (w, d, l) = ([100, 0], [50, 50], [0, 100]);
        let (_, rps) = proven(test_games::matrix(&[&[d, l, w], &[w, d, l], &[l, w, d]]), 2000);
        assert_eq!(rps, [None, None]);
        let (mut search, forced) = proven(test_games::matrix(&[&[w, l, d], &[w, w, w]]), 2000);
        assert_eq!(forced, [Some(100), Some(0)]);
        assert_eq!(search.best_move(Role(0)), Ok(Some(Move(1))));
        assert!(search.strategy(Role(0)).unwrap().contains(&(Move(1), 1.0)));
    }

    #[test]
    fn chance_proves_no_more_than_its_mean() {
        let (search, goals) = proven(test_games::gamble(), 500);
        assert_eq!(goals[0], Some(60), "53 or 54 on the coin is less");
        let coin = search.report(Role(0)).candidates.into_iter().find(|c| c.mv == "2").unwrap();
        assert_eq!(coin.proven, None);
    }

    /// Chance and one role choose at once. The move of chance decides the goals of both.
    #[derive(Clone)]
    struct Toss;

    impl Rules for Toss {
        fn initial(&self) -> Vec<u8> {
            vec![0]
        }

        fn is_over(&self, state: &[u8]) -> bool {
            state[0] != 0
        }

        fn legal(&self, _: &[u8], _: usize) -> Vec<u32> {
            vec![1, 2]
        }

        fn next(&self, _: &[u8], joint: &[u32]) -> Vec<u8> {
            vec![joint[0] as u8]
        }

        fn goal(&self, state: &[u8], _: usize) -> Option<u8> {
            Some(if state[0] == 1 { 100 } else { 0 })
        }
    }

    #[test]
    fn chance_beside_a_player_does_not_choose_what_is_best_for_it() {
        let (_, goals) = proven(TestMachine::new(Toss, &["random", "you"]), 500);
        assert_eq!(goals, [None, None]);
    }

    #[test]
    fn a_ring_is_proved_although_its_states_repeat() {
        let options = MctsOptions {
            techniques: Techniques::all().with(Technique::Line, false),
            ..MctsOptions::default()
        };
        let mut search = Search::new(test_games::ring(), &options).unwrap();
        search.run(&Limits::iterations(2000));
        assert_eq!(search.tree.stats(search.tree.root())[0].bounds.proven(), Some(100));
    }
}
