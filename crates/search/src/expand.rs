//! Step 2, expansion: creates nodes and gives them their legal moves.

use crate::batch::Batch;
use crate::descend::Selection;
use crate::descent::{Descent, DescentState};
use crate::id::NodeId;
use crate::node::{Chooser, Phase};
use crate::search::Search;
use crate::technique::Technique;
use ggp_game::{EvalError, Goals, Move, Playouts, RestrictedMoves, Verdict};

impl<M: Playouts> Search<M> {
    /// The node of `state`, found or created.
    ///
    /// # Errors
    /// The machine's errors. The tree is then unchanged.
    pub(crate) fn node_of(&mut self, state: M::State) -> Result<NodeId, EvalError> {
        if let Some(id) = self.tree.find(&state) {
            return Ok(id);
        }
        let over = self.worker.machine.is_terminal(&state)?;
        if over {
            self.worker.machine.goals(&state, &mut self.goals)?;
        }
        let heap = self.worker.machine.heap_bytes(&state);
        let id = self.tree.add(state, heap);
        if over {
            self.tree.end(id, &self.goals);
        }
        Ok(id)
    }

    /// Opens the root unless it is open or terminal.
    ///
    /// # Errors
    /// The machine's errors. The root is then unchanged.
    pub(crate) fn open_root(&mut self) -> Result<(), EvalError> {
        let root = self.tree.root();
        if self.tree[root].phase != Phase::Leaf {
            return Ok(());
        }
        let (mut legal, mut decisive) = (Vec::new(), Vec::new());
        let state = &self.tree[root].state;
        self.worker.machine.all_legal_moves(&[state], &mut legal)?;
        if self.two_player.has(Technique::Decisive) {
            self.worker.machine.decisive_moves(&[state], &mut decisive)?;
        }
        self.open(root, &mut legal)?;
        self.order(root, &legal, &mut decisive);
        Ok(())
    }

    /// Advances every descent that waits at a leaf, either to a start state of playouts or to known goals.
    /// The machine evaluates the states of all these descents in one batch.
    ///
    /// # Errors
    /// The machine's errors. Every node of the tree is consistent after an error.
    pub(crate) fn expand(&mut self, selection: Selection) -> Result<(), EvalError> {
        self.ask_policy()?;
        let mut batch = std::mem::take(&mut self.worker.batch);
        let opened = self.open_leaves(&mut batch);
        self.worker.batch = batch;
        opened?;
        self.worker.request_children(&mut self.tree, selection)?;
        let mut batch = std::mem::take(&mut self.worker.batch);
        self.enter_children(&mut batch);
        self.worker.batch = batch;
        Ok(())
    }

    /// Opens the leaves of the batch with the legal moves that the worker has received from its machine.
    fn open_leaves(&mut self, batch: &mut Batch<M::State>) -> Result<(), EvalError> {
        let roles = self.tree.roles();
        let decisive =
            batch.decisive.chunks_exact_mut(roles).map(Some).chain(std::iter::repeat_with(|| None));
        for (&id, legal) in batch.unopened.iter().zip(batch.legal.chunks_exact_mut(roles)) {
            self.open(id, legal)?;
        }
        let leaves = batch.unopened.iter().zip(batch.legal.chunks_exact(roles)).zip(decisive);
        for ((&id, legal), decisive) in leaves {
            self.order(id, legal, decisive.unwrap_or_default());
        }
        Ok(())
    }

    /// Opens a leaf with its `legal` moves. The search treats a state in which some role has no legal move as the end
    /// of the game.
    fn open(&mut self, id: NodeId, legal: &mut [Vec<Move>]) -> Result<(), EvalError> {
        if legal.iter().any(Vec::is_empty) {
            self.worker.machine.goals(&self.tree[id].state, &mut self.goals)?;
            self.tree.end(id, &self.goals);
        } else {
            for moves in legal.iter_mut() {
                self.worker.random.shuffle(moves);
            }
            self.tree.open(id, legal);
        }
        Ok(())
    }

    /// Sets the advantages of the arms of a node opened with `legal` moves, and defers some of them (see `defer`).
    fn order(&mut self, id: NodeId, legal: &[Vec<Move>], decisive: &mut [RestrictedMoves]) {
        if self.tree[id].phase == Phase::Open {
            self.set_advantages(id);
            self.defer(id, legal, decisive);
        }
    }

    /// Advances the descents in `childless` to their next states. Creates a node for each state without a
    /// node if the memory suffices.
    fn enter_children(&mut self, batch: &mut Batch<M::State>) {
        let Batch { descents, childless, states, over, goals, .. } = batch;
        let goals = goals.chunks_exact(self.tree.roles());
        for (((&number, state), &over), goals) in
            childless.iter().zip(states.drain(..)).zip(&*over).zip(goals)
        {
            self.enter_child(&mut descents[number], state, over.then_some(goals));
        }
    }

    /// Defers arms of a node opened with `legal` moves: all but one of each class of equivalent moves and, if one
    /// role decides alone, the moves that are not among its `decisive` ones. With the solver, also sets the bounds
    /// that are known of the decisive moves.
    fn defer(&mut self, id: NodeId, legal: &[Vec<Move>], decisive: &mut [RestrictedMoves]) {
        if !self.options.has(Technique::Decisive) {
            return;
        }
        for role in self.tree.each_role().filter(|role| legal[role.index()].len() > 1) {
            self.distinct.clone_from(&legal[role.index()]);
            self.worker.machine.distinct_moves(role, &mut self.distinct);
            let is_alone = self.tree[id].chooser == Chooser::One(role);
            let decisive = decisive.get_mut(role.index()).filter(|_| is_alone);
            let (first, verdict) = decisive
                .map_or((&mut [][..], Verdict::Open), |RestrictedMoves { moves, verdict }| (moves, *verdict));
            self.tree.defer(id, role, &mut self.distinct, first);
            if self.proves_decisive() {
                self.tree.decide(id, role, verdict);
            }
        }
    }

    /// Whether the verdicts on decisive moves become proven bounds. They say nothing of the goal of chance.
    fn proves_decisive(&self) -> bool {
        self.two_player.has(Technique::Solver) && self.chance.is_none()
    }

    /// Advances a descent to its next state, `state`. Creates a node for a state without a node if the
    /// memory suffices. `goals` holds the goals of a terminal state; `None` if the state is not terminal.
    fn enter_child(&mut self, descent: &mut Descent<M::State>, state: M::State, goals: Option<&[Goals]>) {
        let Descent { path, progress } = descent;
        let parent = path.leaf();
        // Another descent of the batch may have created the child.
        let linked = self.tree[parent].child(path.last_chosen());
        let known = if linked.is_some() { Some(linked) } else { self.tree.find(&state) };
        let child = match known {
            Some(child) => child,
            None if self.tree.is_full() => {
                *progress = DescentState::Ready(state);
                return;
            }
            None => {
                let heap = self.worker.machine.heap_bytes(&state);
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
            *progress = DescentState::Ready(state);
            return;
        }
        path.enter(child);
        let node = &mut self.tree[child];
        node.pending += 1;
        let known =
            node.phase == Phase::Ended || self.options.has(Technique::Solver) && self.tree.is_exact(child);
        *progress = if known { DescentState::Known } else { DescentState::Ready(state) };
    }
}
