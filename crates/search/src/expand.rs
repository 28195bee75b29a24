//! Step 2, expand: making nodes and giving them their legal moves.

use crate::descent::{Descent, Stand};
use crate::node::{Chooser, NodeId, Phase};
use crate::path::Path;
use crate::search::Search;
use crate::technique::Technique;
use ggp_game::{EvalError, Goal, Move, Playouts};

impl<M: Playouts> Search<M> {
    /// The node of `state`, new or found.
    ///
    /// # Errors
    /// Those of the machine; the tree is as before then.
    pub(crate) fn node_of(&mut self, state: M::State) -> Result<NodeId, EvalError> {
        if let Some(id) = self.tree.find(&state) {
            return Ok(id);
        }
        let over = self.machine.is_terminal(&state)?;
        if over {
            self.machine.goals(&state, &mut self.goals)?;
        }
        let heap = self.machine.heap_bytes(&state);
        let id = self.tree.add(state, heap);
        if over {
            self.tree.end(id, &self.goals);
        }
        Ok(id)
    }

    /// Gives the root its legal moves, unless it has them. A state in which some role has none
    /// ends the game as far as the search is concerned.
    ///
    /// # Errors
    /// Those of the machine; the node is as before then.
    pub(crate) fn open_root(&mut self) -> Result<(), EvalError> {
        let root = self.tree.root();
        if self.tree[root].phase != Phase::Leaf {
            return Ok(());
        }
        let mut path = Path::default();
        path.enter(root);
        self.open_leaves(&[Descent { path, stand: Stand::Unopened }])
    }

    /// Brings every descent that stands in a leaf on, to a state to play out from or to known
    /// goals. What has to be asked is asked for all of them at once.
    ///
    /// # Errors
    /// Those of the machine; the tree holds only whole nodes then.
    pub(crate) fn expand(&mut self, descents: &mut [Descent<M::State>]) -> Result<(), EvalError> {
        self.open_leaves(descents)?;
        let mut childless = Vec::new();
        for (number, Descent { path, stand }) in descents.iter_mut().enumerate() {
            let id = path.leaf();
            if let Stand::Unopened = stand {
                *stand = Stand::Known;
                if self.tree[id].phase == Phase::Open {
                    self.choose_arms(id);
                    path.choose(&self.chosen);
                    *stand = Stand::Childless;
                }
            }
            if let Stand::Childless = stand {
                childless.push(number);
            }
        }
        if childless.is_empty() {
            return Ok(());
        }

        self.joints.clear();
        let mut parents = Vec::with_capacity(childless.len());
        for &number in &childless {
            let path = &descents[number].path;
            let node = &self.tree[path.leaf()];
            self.joints.extend(path.last_chosen().iter().map(|&arm| node.arms[arm as usize].mv));
            parents.push(&node.state);
        }
        let mut states = Vec::new();
        self.machine.next_states(&parents, &self.joints, &mut states)?;
        let (mut over, mut goals) = (Vec::new(), Vec::new());
        self.machine.outcomes(&states.iter().collect::<Vec<_>>(), &mut over, &mut goals)?;
        let goals = goals.chunks_exact(self.tree.roles());
        for (((number, state), over), goals) in childless.into_iter().zip(states).zip(over).zip(goals) {
            self.enter_child(&mut descents[number], state, over.then_some(goals));
        }
        Ok(())
    }

    /// Asks for the legal moves in every node that a descent has found without.
    fn open_leaves(&mut self, descents: &[Descent<M::State>]) -> Result<(), EvalError> {
        let mut leaves: Vec<NodeId> = Vec::new();
        for descent in descents {
            let id = descent.path.leaf();
            if matches!(descent.stand, Stand::Unopened) && !leaves.contains(&id) {
                leaves.push(id);
            }
        }
        if leaves.is_empty() {
            return Ok(());
        }
        let states: Vec<&M::State> = leaves.iter().map(|&id| &self.tree[id].state).collect();
        self.machine.all_legal_moves(&states, &mut self.legal)?;
        if self.defers {
            self.machine.decisive_moves(&states, &mut self.decisive)?;
        } else {
            self.decisive.clear();
        }
        let roles = self.tree.roles();
        let mut legal = std::mem::take(&mut self.legal);
        let mut done = Ok(());
        for (number, (id, legal)) in leaves.into_iter().zip(legal.chunks_exact_mut(roles)).enumerate() {
            if legal.iter().any(Vec::is_empty) {
                done = self.machine.goals(&self.tree[id].state, &mut self.goals);
                if done.is_err() {
                    break;
                }
                self.tree.end(id, &self.goals);
            } else {
                for moves in legal.iter_mut() {
                    self.dice.shuffle(moves);
                }
                self.tree.open(id, legal);
                self.expect(id);
                self.defer(id, number, legal);
            }
        }
        self.legal = legal;
        done
    }

    /// Defers arms of a node opened with `legal` moves, the one of that `number` of those that are opened
    /// together: of moves that come to the same all but one and, where a role decides alone, all that are not
    /// decisive.
    fn defer(&mut self, id: NodeId, number: usize, legal: &[Vec<Move>]) {
        if !self.options.has(Technique::Decisive) {
            return;
        }
        for role in self.tree.each_role().filter(|role| legal[role.index()].len() > 1) {
            let decisive = self.decisive.get(number * legal.len() + role.index());
            let decisive = decisive.filter(|_| self.tree[id].chooser == Chooser::One(role));
            if let Some(moves) = decisive.filter(|moves| !moves.is_empty()) {
                self.tree.defer(id, role, moves);
            } else {
                self.first.clone_from(&legal[role.index()]);
                self.machine.one_of_twins(role, &mut self.first);
                self.tree.defer(id, role, &self.first);
            }
        }
    }

    /// Notes what is thought of the arms of an open node before they are tried.
    pub(crate) fn expect(&mut self, id: NodeId) {
        if !self.has_history() {
            return;
        }
        for role in self.tree.each_role() {
            let range = self.tree.arm_range(id, role);
            if range.len() > 1 {
                let arms = &mut self.tree[id].arms[range];
                self.history.advantages(role, arms.iter().map(|arm| arm.mv), &mut self.advantages);
                for (arm, &advantage) in arms.iter_mut().zip(&self.advantages) {
                    arm.advantage = advantage;
                }
            }
        }
    }

    /// Goes on to `state`, whose node is made if there is none and there is room; `goals` if it is
    /// terminal.
    fn enter_child(
        &mut self,
        descent: &mut Descent<M::State>,
        state: M::State,
        goals: Option<&[Option<Goal>]>,
    ) {
        let Descent { path, stand } = descent;
        let parent = path.leaf();
        // Another descent may have been here just before.
        let linked = self.tree[parent].child(path.last_chosen());
        let known = if linked.is_some() { Some(linked) } else { self.tree.find(&state) };
        let child = match known {
            Some(child) => child,
            None if self.tree.is_full() => {
                *stand = Stand::Ready(state);
                return;
            }
            None => {
                let heap = self.machine.heap_bytes(&state);
                let child = self.tree.add(state.clone(), heap);
                if let Some(goals) = goals {
                    self.tree.end(child, goals);
                }
                child
            }
        };
        if !linked.is_some() {
            self.tree.link(parent, path.last_chosen(), child);
        }
        if path.nodes().contains(&child) {
            *stand = Stand::Ready(state);
            return;
        }
        path.enter(child);
        let node = &mut self.tree[child];
        node.pending += 1;
        let known =
            node.phase == Phase::Ended || self.options.has(Technique::Solver) && self.tree.is_exact(child);
        *stand = if known { Stand::Known } else { Stand::Ready(state) };
    }
}
