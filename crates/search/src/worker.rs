//! The working data of one thread of a search, and its batch.
//!
//! Data flow: [`Worker::select`] takes descents down the tree and asks for the legal moves of the leaves that
//! they reach. After those leaves are opened, [`Worker::follow`] asks for the next states. After those states
//! have nodes, [`Worker::play`] plays them out. The results stay in the worker until the search adds them to
//! the tree.

use crate::descend::{Groups, Selection};
use crate::descent::{Descent, Stand};
use crate::dice::Dice;
use crate::id::NodeId;
use crate::limits::Limits;
use crate::node::Phase;
use crate::simulate::Simulation;
use crate::tree::Tree;
use ggp_game::{EvalError, Goals, Move, Playouts};

/// One thread's machine, random numbers, playouts and batch.
#[derive(Debug)]
pub(crate) struct Worker<M: Playouts> {
    pub(crate) machine: M,
    pub(crate) dice: Dice,
    pub(crate) simulation: Simulation,
    groups: Groups,
    pub(crate) part: Part<M::State>,
}

/// One thread's batch: its descents and the machine's answers for them.
#[derive(Debug)]
pub(crate) struct Part<S> {
    pub(crate) descents: Vec<Descent<S>>,
    /// The leaves without legal moves that descents have reached, without duplicates.
    pub(crate) unopened: Vec<NodeId>,
    /// The legal moves of those leaves, leaf by leaf and role by role.
    pub(crate) legal: Vec<Vec<Move>>,
    /// The decisive moves among them; empty if the machine cannot tell.
    pub(crate) decisive: Vec<Vec<Move>>,
    /// The numbers of the descents whose next state has no node yet.
    pub(crate) childless: Vec<usize>,
    /// The joint moves to those states.
    joints: Vec<Move>,
    /// Those states, whether each is terminal, and the goals of each, role by role.
    pub(crate) states: Vec<S>,
    pub(crate) over: Vec<bool>,
    pub(crate) goals: Vec<Goals>,
    /// The start states of playouts, in the order of their descents.
    pub(crate) starts: Vec<S>,
    /// The mean shares of each start's playouts, role by role.
    pub(crate) shares: Vec<f64>,
}

impl<S> Default for Part<S> {
    fn default() -> Part<S> {
        Part {
            descents: Vec::new(),
            unopened: Vec::new(),
            legal: Vec::new(),
            decisive: Vec::new(),
            childless: Vec::new(),
            joints: Vec::new(),
            states: Vec::new(),
            over: Vec::new(),
            goals: Vec::new(),
            starts: Vec::new(),
            shares: Vec::new(),
        }
    }
}

impl<M: Playouts> Worker<M> {
    /// Creates a worker for `machine` with a seed; `decisive` enables decisive moves in playouts.
    pub(crate) fn new(machine: M, seed: u64, decisive: bool) -> Worker<M> {
        let roles = machine.game().role_count();
        let simulation = Simulation::new(seed, roles, decisive);
        Worker {
            machine,
            dice: Dice::new(seed),
            simulation,
            groups: Groups::default(),
            part: Part::default(),
        }
    }

    /// Takes all descents from the root to where the machine must be asked, and asks for the legal moves of
    /// unopened leaves. With `defers` it also asks for the decisive ones among them.
    ///
    /// # Errors
    /// Those of the machine.
    pub(crate) fn select(
        &mut self,
        tree: &mut Tree<M::State>,
        selection: Selection,
        defers: bool,
    ) -> Result<(), EvalError> {
        let Part { descents, unopened, legal, decisive, .. } = &mut self.part;
        unopened.clear();
        decisive.clear();
        selection.descend(tree, descents, &mut self.groups, &mut self.dice);
        for descent in descents {
            let id = descent.path.leaf();
            if matches!(descent.stand, Stand::Unopened) && !unopened.contains(&id) {
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

    /// Continues from leaves that have been opened since [`Worker::select`]. Asks for the next states that
    /// have no node yet, for whether they are terminal, and for their goals.
    ///
    /// # Errors
    /// Those of the machine.
    pub(crate) fn follow(
        &mut self,
        tree: &mut Tree<M::State>,
        selection: Selection,
    ) -> Result<(), EvalError> {
        let Part { descents, childless, joints, states, over, goals, .. } = &mut self.part;
        childless.clear();
        joints.clear();
        states.clear();
        for (number, Descent { path, stand }) in descents.iter_mut().enumerate() {
            let id = path.leaf();
            if let Stand::Unopened = stand {
                *stand = Stand::Known;
                if tree[id].phase == Phase::Open {
                    selection.leave(tree, path, id, &mut self.dice);
                    *stand = Stand::Childless;
                }
            }
            if let Stand::Childless = stand {
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
    /// Those of the machine; [`EvalError::Interrupted`] if a limit was reached first.
    pub(crate) fn play(&mut self, per_leaf: usize, limits: &Limits) -> Result<(), EvalError> {
        let Part { descents, starts, shares, .. } = &mut self.part;
        starts.clear();
        for Descent { stand, .. } in descents {
            if let Stand::Ready(_) = stand
                && let Stand::Ready(state) = std::mem::replace(stand, Stand::Playing)
            {
                starts.push(state);
            }
        }
        self.simulation.run(&mut self.machine, starts, per_leaf, limits, shares)
    }
}
