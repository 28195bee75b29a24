//! The working data of one thread of a search, and its batch.
//!
//! Data flow: [`Worker::select`] takes descents down the tree and requests the legal moves of the leaves that
//! they reach. After these leaves are opened, [`Worker::request_children`] requests the next states. After
//! these states have nodes, [`Worker::simulate`] plays playouts from them. The results stay in the worker
//! until the search adds them to the tree.

use crate::batch::Batch;
use crate::descend::{Groups, Selection};
use crate::descent::{Descent, DescentState};
use crate::limits::Limits;
use crate::node::Phase;
use crate::simulate::Simulation;
use crate::tree::Tree;
use ggp_game::rng::Sequence;
use ggp_game::{EvalError, Playouts};

/// One thread's machine, random numbers, playouts and batch.
#[derive(Debug)]
pub(crate) struct Worker<M: Playouts> {
    pub(crate) machine: M,
    pub(crate) random: Sequence,
    pub(crate) simulation: Simulation,
    groups: Groups,
    pub(crate) batch: Batch<M::State>,
}

impl<M: Playouts> Worker<M> {
    /// Creates a worker for `machine`. `decisive` enables decisive moves in playouts.
    pub(crate) fn new(machine: M, seed: u64, decisive: bool) -> Worker<M> {
        let roles = machine.game().role_count();
        let simulation = Simulation::new(seed, roles, decisive);
        Worker {
            machine,
            random: Sequence::new(seed),
            simulation,
            groups: Groups::default(),
            batch: Batch::default(),
        }
    }

    /// Takes each descent from the root to a node with known goals, or to a point that needs the machine.
    /// Then requests the legal moves in all unopened leaves that were reached, and with `defers` also the
    /// decisive moves there.
    ///
    /// # Errors
    /// The machine's errors.
    pub(crate) fn select(
        &mut self,
        tree: &mut Tree<M::State>,
        selection: Selection,
        defers: bool,
    ) -> Result<(), EvalError> {
        let Batch { descents, unopened, legal, decisive, .. } = &mut self.batch;
        unopened.clear();
        decisive.clear();
        selection.descend(tree, descents, &mut self.groups, &mut self.random);
        for descent in descents {
            let id = descent.path.leaf();
            if matches!(descent.progress, DescentState::Unopened) && !unopened.contains(&id) {
                unopened.push(id);
            }
        }
        if unopened.is_empty() {
            return Ok(());
        }
        let states: Vec<&M::State> = unopened.iter().map(|&id| &tree[id].state).collect();
        self.machine.all_legal_moves(&states, legal)?;
        if defers { self.machine.decisive_moves(&states, decisive) } else { Ok(()) }
    }

    /// Continues the descents from the leaves that have been opened since [`Worker::select`]. Requests the
    /// next state of each descent whose next state has no node yet. Also requests whether each of these
    /// states is terminal, and its goals.
    ///
    /// # Errors
    /// The machine's errors.
    pub(crate) fn request_children(
        &mut self,
        tree: &mut Tree<M::State>,
        selection: Selection,
    ) -> Result<(), EvalError> {
        let Batch { descents, childless, joints, states, over, goals, .. } = &mut self.batch;
        childless.clear();
        joints.clear();
        states.clear();
        for (number, Descent { path, progress }) in descents.iter_mut().enumerate() {
            let id = path.leaf();
            if let DescentState::Unopened = progress {
                *progress = DescentState::Known;
                let is_proved = selection.stops_at_proofs && id != tree.root() && tree.is_exact(id);
                if tree[id].phase == Phase::Open && !is_proved {
                    selection.choose_arms(tree, path, id, &mut self.random);
                    *progress = DescentState::Childless;
                }
            }
            if let DescentState::Childless = progress {
                childless.push(number);
                joints.extend(path.last_chosen().iter().map(|&arm| tree[id].arms[arm as usize].mv));
            }
        }
        if childless.is_empty() {
            return Ok(());
        }
        let parents: Vec<&M::State> =
            childless.iter().map(|&number| &tree[descents[number].path.leaf()].state).collect();
        self.machine.next_states(&parents, joints, states)?;
        self.machine.outcomes(&states.iter().collect::<Vec<_>>(), over, goals)
    }

    /// Plays `per_leaf` playouts from the state of every descent that waits for playouts.
    ///
    /// # Errors
    /// The machine's errors; [`EvalError::Interrupted`] if a limit was reached first.
    pub(crate) fn simulate(&mut self, per_leaf: usize, limits: &Limits) -> Result<(), EvalError> {
        let Batch { descents, starts, shares, .. } = &mut self.batch;
        starts.clear();
        for Descent { progress, .. } in descents {
            if let DescentState::Ready(_) = progress
                && let DescentState::Ready(state) = std::mem::replace(progress, DescentState::Playing)
            {
                starts.push(state);
            }
        }
        self.simulation.run(&mut self.machine, starts, per_leaf, limits, shares)
    }
}
