//! Step 1, selection: the descents of a batch from the root to their leaves.

use crate::descent::{Descent, DescentState};
use crate::id::NodeId;
use crate::node::{Chooser, Node, Phase};
use crate::path::Path;
use crate::prior::{Prior, PriorModel};
use crate::regret::draw_arm;
use crate::select::{Exploration, GroupChoice, SecurityLevel, choose_arm, choose_chance_arm, may_surpass};
use crate::tree::Tree;
use ggp_game::Role;
use ggp_game::rng::Sequence;
use std::hash::Hash;
use std::ops::Range;

/// Where several roles move simultaneously, each selection multiplies the configured exploration constant by
/// a factor drawn from this range. With a constant factor, roles with equal statistics always change their
/// moves together and never observe the result of a deviation by one of them alone.
const EXPLORATION_FACTORS: Range<f64> = 0.5..1.5;

/// The parameters of selection in one batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selection {
    pub(crate) exploration: Exploration,
    pub(crate) chance: Option<Role>,
    /// Whether roles with simultaneous moves select their arms by regret matching.
    pub(crate) uses_regrets: bool,
    /// Whether a descent ends at a node where the goals of all roles are proved.
    pub(crate) stops_at_proofs: bool,
    /// Whether descents use security levels. A role's security level is the goal that the role is proved to
    /// be able to guarantee. Once a proven move attains it, descents explore only moves that may surpass it.
    pub(crate) uses_security_levels: bool,
    /// The model that gives arms their priors. `None` if the search keeps no history of moves.
    pub(crate) prior: Option<PriorModel>,
}

/// The descents of a batch, in groups that have followed the same path so far. The search evaluates the arms of a
/// node once for all members of a group. Where the members choose different arms, the group is split.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    /// The indices of the descents, group by group.
    order: Vec<u32>,
    /// The node that each descent enters next, indexed by the descent.
    next: Vec<NodeId>,
    /// The groups that still descend. Each entry holds the node that the group enters next, and the range of
    /// the group's members in `order`.
    waiting: Vec<(NodeId, Range<usize>)>,
    choice: GroupChoice,
}

impl Selection {
    /// Takes each of `descents` from the root down until it reaches a node with known goals, or a point at which
    /// the machine must be asked. [`DescentState`] lists these points.
    pub(crate) fn descend<S: Eq + Hash + Clone>(
        self,
        tree: &mut Tree<S>,
        descents: &mut [Descent<S>],
        groups: &mut Groups,
        random: &mut Sequence,
    ) {
        for descent in &mut *descents {
            descent.path.clear(tree.roles());
        }
        groups.order.clear();
        groups.order.extend(0..descents.len() as u32);
        groups.next.clear();
        groups.next.resize(descents.len(), NodeId::NONE);
        groups.waiting.push((tree.root(), 0..descents.len()));
        while let Some((id, group)) = groups.waiting.pop() {
            if let [alone] = groups.order[group.clone()] {
                self.descend_alone(tree, &mut descents[alone as usize], id, random);
            } else if !group.is_empty() {
                self.descend_group(tree, descents, groups, group, id, random);
            }
        }
    }

    /// Continues one descent from the node `id` until it ends or needs the machine.
    fn descend_alone<S: Eq + Hash + Clone>(
        self,
        tree: &mut Tree<S>,
        descent: &mut Descent<S>,
        mut id: NodeId,
        random: &mut Sequence,
    ) {
        let path = &mut descent.path;
        descent.progress = loop {
            if let Some(progress) = self.enter(tree, path, id) {
                break progress;
            }
            self.choose_arms(tree, path, id, random);
            let child = tree[id].child(path.last_chosen());
            if !child.is_some() {
                break DescentState::Childless;
            }
            id = child;
        };
    }

    /// Takes a group of descents from the node `id` to its children, and splits the group by the arms chosen.
    fn descend_group<S: Eq + Hash + Clone>(
        self,
        tree: &mut Tree<S>,
        descents: &mut [Descent<S>],
        groups: &mut Groups,
        group: Range<usize>,
        id: NodeId,
        random: &mut Sequence,
    ) {
        let Groups { order, next, waiting, choice } = groups;
        let members = &mut order[group.clone()];
        let mut has_ended = false;
        for &number in &*members {
            let Descent { path, progress } = &mut descents[number as usize];
            if let Some(arrived) = self.enter(tree, path, id) {
                *progress = arrived;
                has_ended = true;
            }
        }
        if has_ended {
            return;
        }
        for role in tree.each_role() {
            self.choose_for_group(tree, id, role, members.len(), choice, random);
            let is_any_below = choice.chosen.iter().any(|&(_, is_below)| is_below);
            let proven = if is_any_below { self.attaining_child(tree, id, role) } else { None };
            for (&number, &(arm, is_below)) in members.iter().zip(&choice.chosen) {
                let path = &mut descents[number as usize].path;
                path.choose([arm]);
                if is_below {
                    cut(tree, path, proven);
                }
            }
        }
        for &number in &*members {
            let Descent { path, progress } = &mut descents[number as usize];
            let child = tree[id].child(path.last_chosen());
            next[number as usize] = child;
            if !child.is_some() {
                *progress = DescentState::Childless;
            }
        }
        members.sort_by_key(|&number| next[number as usize].0);
        let mut from = group.start;
        for run in members.chunk_by(|&a, &b| next[a as usize] == next[b as usize]) {
            let child = next[run[0] as usize];
            if child.is_some() {
                waiting.push((child, from..from + run.len()));
            }
            from += run.len();
        }
    }

    /// Enters the node `id`, unless it is already on the path. Returns the progress of the descent if it
    /// ends in this node or needs the machine here; `None` if it continues.
    fn enter<S: Eq + Hash + Clone>(
        self,
        tree: &mut Tree<S>,
        path: &mut Path,
        id: NodeId,
    ) -> Option<DescentState<S>> {
        if path.nodes().contains(&id) {
            // The path has a cycle: the playout starts from the repeated state.
            return Some(DescentState::Ready(tree[id].state.clone()));
        }
        let is_root = path.nodes().is_empty();
        path.enter(id);
        tree[id].pending += 1;
        let node = &tree[id];
        match node.phase {
            Phase::Leaf if !is_root && (node.visits == 0 || tree.is_full()) => {
                Some(DescentState::Ready(node.state.clone()))
            }
            Phase::Leaf => Some(DescentState::Unopened),
            Phase::Ended => Some(DescentState::Known),
            Phase::Open if !is_root && self.stops_at_proofs && tree.is_exact(id) => Some(DescentState::Known),
            Phase::Open => None,
        }
    }

    /// Chooses an arm for every role in an open node that a descent has entered.
    pub(crate) fn choose_arms<S: Eq + Hash>(
        self,
        tree: &mut Tree<S>,
        path: &mut Path,
        id: NodeId,
        random: &mut Sequence,
    ) {
        for role in tree.each_role() {
            let (arm, is_below) = self.choose(tree, id, role, random);
            path.choose([arm]);
            if is_below {
                cut(tree, path, self.attaining_child(tree, id, role));
            }
        }
    }

    /// A child of `id` that attains `role`'s security level and in which the goals of all roles are proved.
    /// `None` if there is no such child, or if the search does not use security levels. Also `None` if no
    /// other arm may surpass the level, if the level is 0, or if the role's goal in `id` is proved.
    fn attaining_child<S: Eq + Hash>(self, tree: &Tree<S>, id: NodeId, role: Role) -> Option<NodeId> {
        let bounds = tree.stats(id)[role.index()].bounds;
        if !self.uses_security_levels || bounds.low == 0 || bounds.low == bounds.high {
            return None;
        }
        let arms = tree.arms(id, role);
        let proved = arms.iter().find(|arm| {
            arm.bounds.proven() == Some(bounds.low) && arm.child.is_some() && tree.is_exact(arm.child)
        })?;
        may_surpass(arms, bounds.low).then_some(proved.child)
    }

    /// The security level of `role` in `id`.
    fn security_level<S: Eq + Hash>(self, tree: &Tree<S>, id: NodeId, role: Role) -> SecurityLevel {
        let is_alone = tree[id].chooser == Chooser::One(role);
        let is_attained = is_alone && self.attaining_child(tree, id, role).is_some();
        SecurityLevel { goal: tree.stats(id)[role.index()].bounds.low, is_attained }
    }

    /// Chooses an arm for `role` in the node `id`. Returns the index of the arm in the node and a flag. The
    /// flag is true if a proven arm attains the role's security level and the chosen arm's upper confidence
    /// bound is below that level.
    fn choose<S: Eq + Hash>(
        self,
        tree: &mut Tree<S>,
        id: NodeId,
        role: Role,
        random: &mut Sequence,
    ) -> (u32, bool) {
        let several = tree[id].chooser == Chooser::Several;
        let range = tree.arm_range(id, role);
        let (choice, is_below) = if range.len() == 1 {
            (0, false)
        } else if self.chance == Some(role) {
            (choose_chance_arm(&tree[id].arms[range.clone()], random), false)
        } else if several && self.uses_regrets {
            tree.allocate_regrets(id);
            let low = tree.stats(id)[role.index()].bounds.low;
            let Node { arms, regrets, visits, .. } = &mut tree[id];
            (draw_arm(&arms[range.clone()], &mut regrets[range.clone()], *visits, low, random), false)
        } else {
            let prior = self.prior(tree, id, role);
            let level = self.security_level(tree, id, role);
            let node = &tree[id];
            // The current descent is already pending in the node, but not yet in any arm.
            let total = node.visits.saturating_add(node.pending).saturating_sub(1);
            let factor = if several { random.between(EXPLORATION_FACTORS) } else { 1.0 };
            choose_arm(&node.arms[range.clone()], total, self.exploration.times(factor), level, prior)
        };
        let arm = range.start + choice;
        if several || range.len() > 1 {
            let pending = &mut tree[id].arms[arm].pending;
            *pending = pending.saturating_add(1);
        }
        (arm as u32, is_below)
    }

    /// Chooses an arm for `role` in the node `id` for each of `count` descents. Writes the arms to
    /// `choice.chosen`.
    fn choose_for_group<S: Eq + Hash>(
        self,
        tree: &mut Tree<S>,
        id: NodeId,
        role: Role,
        count: usize,
        choice: &mut GroupChoice,
        random: &mut Sequence,
    ) {
        let several = tree[id].chooser == Chooser::Several;
        let range = tree.arm_range(id, role);
        if range.len() == 1 || self.chance == Some(role) || several && self.uses_regrets {
            choice.chosen.clear();
            choice.chosen.extend((0..count).map(|_| self.choose(tree, id, role, random)));
            return;
        }
        let level = self.security_level(tree, id, role);
        let prior = self.prior(tree, id, role);
        let node = &mut tree[id];
        let arms = &mut node.arms[range.clone()];
        let total = node.visits.saturating_add(node.pending).saturating_sub(count as u32);
        let factors =
            (0..count).map(|_| if several { random.between(EXPLORATION_FACTORS) as f32 } else { 1.0 });
        choice.choose(factors, arms, total, self.exploration, level, prior);
        for (arm, &pulled) in arms.iter_mut().zip(&choice.pulled) {
            arm.pending = arm.pending.saturating_add(u16::try_from(pulled).unwrap_or(u16::MAX));
        }
        for (arm, _) in &mut choice.chosen {
            *arm += range.start as u32;
        }
    }

    /// The prior of `role`'s arms in `id`.
    fn prior<S: Eq + Hash>(self, tree: &Tree<S>, id: NodeId, role: Role) -> Prior {
        match self.prior {
            Some(model) if tree[id].visits > 0 => Prior { mean: tree.mean(id, role.index()), model },
            _ => Prior::NONE,
        }
    }
}

/// Cuts `path` at its last node (see [`Path`]). `proven` is a child of that node; the goals that are proved
/// for this child become the goals of the cut. Does nothing if `proven` is `None`.
fn cut<S: Eq + Hash>(tree: &Tree<S>, path: &mut Path, proven: Option<NodeId>) {
    if let Some(proven) = proven {
        path.cut(tree.stats(proven).iter().map(|stats| stats.bounds.low));
    }
}
