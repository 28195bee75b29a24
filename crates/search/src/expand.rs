//! Step 2, expand: making nodes and giving them their legal moves.

use crate::node::{NodeId, Phase};
use crate::search::Search;
use ggp_game::{EvalError, Playouts, Role};

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

    /// Gives a leaf its legal moves. A state in which some role has none ends the game as far as
    /// the search is concerned.
    ///
    /// # Errors
    /// Those of the machine; the node is as before then.
    pub(crate) fn open(&mut self, id: NodeId) -> Result<(), EvalError> {
        if self.tree[id].phase != Phase::Leaf {
            return Ok(());
        }
        for role in 0..self.tree.roles() {
            let state = &self.tree[id].state;
            self.machine.legal_moves(state, Role(role as u8), &mut self.legal[role])?;
            if self.legal[role].is_empty() {
                self.machine.goals(state, &mut self.goals)?;
                self.tree.end(id, &self.goals);
                return Ok(());
            }
        }
        for moves in &mut self.legal {
            self.dice.shuffle(moves);
        }
        self.tree.open(id, &self.legal);
        Ok(())
    }

    /// The state after the arms chosen in an open node.
    ///
    /// # Errors
    /// Those of the machine.
    pub(crate) fn state_after(&mut self, id: NodeId) -> Result<M::State, EvalError> {
        let node = &self.tree[id];
        for (mv, &arm) in self.joint.iter_mut().zip(&self.chosen) {
            *mv = node.arms[arm as usize].mv;
        }
        self.machine.next_state(&node.state, &self.joint)
    }
}
