//! Step 1, select, in all nodes from the root to a leaf.

use crate::belief::Belief;
use crate::descent::{Descent, Stand};
use crate::dice::Dice;
use crate::node::{Chooser, Node, NodeId, Phase};
use crate::path::Path;
use crate::regret::draw_arm;
use crate::select::{Choices, Known, Prior, choose_arm, choose_chance_arm, may_surpass};
use crate::tree::Tree;
use ggp_game::Role;
use std::hash::Hash;
use std::ops::Range;

/// Where several roles choose at once, each one's exploration constant is drawn anew from this
/// range, relative to the set one. Left constant, roles whose statistics are alike move in step
/// and never see what would happen if only one of them moved differently.
const SWAY: Range<f64> = 0.5..1.5;

/// How arms are chosen in one batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selection {
    pub(crate) exploration: f64,
    pub(crate) chance: Option<Role>,
    /// Whether roles that choose at once draw by regret.
    pub(crate) draws: bool,
    /// Whether a descent ends where all goals are proved.
    pub(crate) stops_at_proofs: bool,
    /// Whether what is proved is not looked at again while something else may be better.
    pub(crate) has_floors: bool,
    /// What is thought of arms before they are tried, if anything is.
    pub(crate) belief: Option<Belief>,
}

/// Descents that have come the same way so far: they go on together, so that what they have in common is
/// worked out once, until each goes its own way.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    /// The numbers of the descents, group by group.
    order: Vec<u32>,
    /// Where each descent goes next, by its number.
    next: Vec<NodeId>,
    /// Groups with the node that they come to.
    waiting: Vec<(NodeId, Range<usize>)>,
    choices: Choices,
}

impl Selection {
    /// Takes all `descents` from the root down to where something has to be found out: see [`Stand`].
    pub(crate) fn descend<S: Eq + Hash + Clone>(
        self,
        tree: &mut Tree<S>,
        descents: &mut [Descent<S>],
        groups: &mut Groups,
        dice: &mut Dice,
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
                self.descend_alone(tree, &mut descents[alone as usize], id, dice);
            } else if !group.is_empty() {
                self.descend_once(tree, descents, groups, group, id, dice);
            }
        }
    }

    /// Takes one descent on from `id`.
    fn descend_alone<S: Eq + Hash + Clone>(
        self,
        tree: &mut Tree<S>,
        descent: &mut Descent<S>,
        mut id: NodeId,
        dice: &mut Dice,
    ) {
        let path = &mut descent.path;
        descent.stand = loop {
            if let Some(stand) = self.arrive(tree, path, id) {
                break stand;
            }
            self.leave(tree, path, id, dice);
            let child = tree[id].child(path.last_chosen());
            if !child.is_some() {
                break Stand::Childless;
            }
            id = child;
        };
    }

    /// Takes a group of descents from `id` to its children.
    fn descend_once<S: Eq + Hash + Clone>(
        self,
        tree: &mut Tree<S>,
        descents: &mut [Descent<S>],
        groups: &mut Groups,
        group: Range<usize>,
        id: NodeId,
        dice: &mut Dice,
    ) {
        let Groups { order, next, waiting, choices } = groups;
        let members = &mut order[group.clone()];
        let mut has_ended = false;
        for &number in &*members {
            let Descent { path, stand } = &mut descents[number as usize];
            if let Some(arrived) = self.arrive(tree, path, id) {
                *stand = arrived;
                has_ended = true;
            }
        }
        if has_ended {
            return;
        }
        for role in tree.each_role() {
            self.choose_all(tree, id, role, members.len(), choices, dice);
            let is_any_below = choices.chosen.iter().any(|&(_, is_below)| is_below);
            let floor = if is_any_below { self.floor(tree, id, role) } else { None };
            for (&number, &(arm, is_below)) in members.iter().zip(&choices.chosen) {
                let path = &mut descents[number as usize].path;
                path.choose([arm]);
                if is_below {
                    cut(tree, path, floor);
                }
            }
        }
        for &number in &*members {
            let Descent { path, stand } = &mut descents[number as usize];
            let child = tree[id].child(path.last_chosen());
            next[number as usize] = child;
            if !child.is_some() {
                *stand = Stand::Childless;
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

    /// Enters `id`, unless that closes a circle; where the descent stands, if it ends there.
    fn arrive<S: Eq + Hash + Clone>(
        self,
        tree: &mut Tree<S>,
        path: &mut Path,
        id: NodeId,
    ) -> Option<Stand<S>> {
        if path.nodes().contains(&id) {
            // The game goes in a circle here: play out from where it closes.
            return Some(Stand::Ready(tree[id].state.clone()));
        }
        let is_root = path.nodes().is_empty();
        path.enter(id);
        tree[id].pending += 1;
        let node = &tree[id];
        match node.phase {
            Phase::Leaf if !is_root && (node.visits == 0 || tree.is_full()) => {
                Some(Stand::Ready(node.state.clone()))
            }
            Phase::Leaf => Some(Stand::Unopened),
            Phase::Ended => Some(Stand::Known),
            Phase::Open if !is_root && self.stops_at_proofs && tree.is_exact(id) => Some(Stand::Known),
            Phase::Open => None,
        }
    }

    /// Chooses an arm for every role in an open node that a descent has entered.
    pub(crate) fn leave<S: Eq + Hash>(
        self,
        tree: &mut Tree<S>,
        path: &mut Path,
        id: NodeId,
        dice: &mut Dice,
    ) {
        for role in tree.each_role() {
            let (arm, is_below) = self.choose(tree, id, role, dice);
            path.choose([arm]);
            if is_below {
                cut(tree, path, self.floor(tree, id, role));
            }
        }
    }

    /// A child where all goals are proved that comes to the best one proved for `role` there; none if nothing else
    /// may be better.
    fn floor<S: Eq + Hash>(self, tree: &Tree<S>, id: NodeId, role: Role) -> Option<NodeId> {
        let bounds = tree.stats(id)[role.index()].bounds;
        if !self.has_floors || bounds.low == 0 || bounds.low == bounds.high {
            return None;
        }
        let arms = tree.arms(id, role);
        let proved = arms.iter().find(|arm| {
            arm.bounds.proven() == Some(bounds.low) && arm.child.is_some() && tree.is_exact(arm.child)
        })?;
        may_surpass(arms, bounds.low).then_some(proved.child)
    }

    /// What is proved there for `role`.
    fn known<S: Eq + Hash>(self, tree: &Tree<S>, id: NodeId, role: Role) -> Known {
        let is_alone = tree[id].chooser == Chooser::One(role);
        let is_floor = is_alone && self.floor(tree, id, role).is_some();
        Known { low: tree.stats(id)[role.index()].bounds.low, is_floor }
    }

    /// Chooses an arm for `role` there: its position in the node, and whether it is below the floor.
    fn choose<S: Eq + Hash>(
        self,
        tree: &mut Tree<S>,
        id: NodeId,
        role: Role,
        dice: &mut Dice,
    ) -> (u32, bool) {
        let several = tree[id].chooser == Chooser::Several;
        let range = tree.arm_range(id, role);
        let (choice, is_below) = if range.len() == 1 {
            (0, false)
        } else if self.chance == Some(role) {
            (choose_chance_arm(&tree[id].arms[range.clone()], dice), false)
        } else if several && self.draws {
            tree.begin_regrets(id);
            let low = tree.stats(id)[role.index()].bounds.low;
            let Node { arms, regrets, visits, .. } = &mut tree[id];
            (draw_arm(&arms[range.clone()], &mut regrets[range.clone()], *visits, low, dice), false)
        } else {
            let prior = self.prior(tree, id, role);
            let known = self.known(tree, id, role);
            let node = &tree[id];
            // The descent under way is not yet one of the arms' pulls.
            let total = node.visits.saturating_add(node.pending).saturating_sub(1);
            let sway = if several { dice.between(SWAY) } else { 1.0 };
            choose_arm(&node.arms[range.clone()], total, self.exploration * sway, known, prior)
        };
        let arm = range.start + choice;
        if several || range.len() > 1 {
            let pending = &mut tree[id].arms[arm].pending;
            *pending = pending.saturating_add(1);
        }
        (arm as u32, is_below)
    }

    /// Chooses an arm for `role` for each of `count` descents that have entered an open node, into
    /// `choices`.
    fn choose_all<S: Eq + Hash>(
        self,
        tree: &mut Tree<S>,
        id: NodeId,
        role: Role,
        count: usize,
        choices: &mut Choices,
        dice: &mut Dice,
    ) {
        let several = tree[id].chooser == Chooser::Several;
        let range = tree.arm_range(id, role);
        if range.len() == 1 || self.chance == Some(role) || several && self.draws {
            choices.chosen.clear();
            choices.chosen.extend((0..count).map(|_| self.choose(tree, id, role, dice)));
            return;
        }
        let known = self.known(tree, id, role);
        let prior = self.prior(tree, id, role);
        let node = &mut tree[id];
        let arms = &mut node.arms[range.clone()];
        let total = node.visits.saturating_add(node.pending).saturating_sub(count as u32);
        let sways = (0..count).map(|_| if several { dice.between(SWAY) as f32 } else { 1.0 });
        choices.choose(sways, arms, total, self.exploration, known, prior);
        for (arm, &pulled) in arms.iter_mut().zip(&choices.pulled) {
            arm.pending = arm.pending.saturating_add(u16::try_from(pulled).unwrap_or(u16::MAX));
        }
        for (arm, _) in &mut choices.chosen {
            *arm += range.start as u32;
        }
    }

    /// What is expected of `role`'s arms before they are tried.
    fn prior<S: Eq + Hash>(self, tree: &Tree<S>, id: NodeId, role: Role) -> Prior {
        match self.belief {
            Some(belief) if tree[id].visits > 0 => Prior { mean: tree.mean(id, role.index()), belief },
            _ => Prior::NONE,
        }
    }
}

/// Cuts `path`, which has been taken on by an arm below the `floor`.
fn cut<S: Eq + Hash>(tree: &Tree<S>, path: &mut Path, floor: Option<NodeId>) {
    if let Some(proved) = floor {
        path.cut(tree.stats(proved).iter().map(|stats| stats.bounds.low));
    }
}
