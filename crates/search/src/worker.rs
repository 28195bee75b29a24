//! What one thread of a search works with, and its part of what is under way.
//!
//! Data flow: [`Worker::select`] takes descents down the tree and asks for the legal moves of the leaves they
//! find; once those are opened [`Worker::follow`] asks for the states beyond; once those have nodes
//! [`Worker::play`] plays them out. What has been found out waits in the worker until the search puts it into
//! the tree.

use crate::descend::{Groups, Selection};
use crate::descent::{Descent, Stand};
use crate::dice::Dice;
use crate::limits::Limits;
use crate::node::{NodeId, Phase};
use crate::simulate::Simulation;
use crate::tree::Tree;
use ggp_game::{EvalError, Goals, Move, Playouts};

/// One thread's machine, random draws, playouts and batch.
#[derive(Debug)]
pub(crate) struct Worker<M: Playouts> {
    pub(crate) machine: M,
    pub(crate) dice: Dice,
    pub(crate) simulation: Simulation,
    groups: Groups,
    pub(crate) part: Part<M::State>,
}

/// A thread's part of what is under way: the descents of its batch, and what has been found out about them.
#[derive(Debug)]
pub(crate) struct Part<S> {
    pub(crate) descents: Vec<Descent<S>>,
    /// Leaves that descents have found without legal moves, each once.
    pub(crate) unopened: Vec<NodeId>,
    /// The legal moves there, role by role, leaf by leaf.
    pub(crate) legal: Vec<Vec<Move>>,
    /// Those of them that are not deferred; empty where the machine cannot tell.
    pub(crate) decisive: Vec<Vec<Move>>,
    /// Descents that have come to where no node has been made, by their numbers.
    pub(crate) childless: Vec<usize>,
    /// The joint moves that lead there.
    joints: Vec<Move>,
    /// The states there, whether they are terminal, and their goals, role by role.
    pub(crate) states: Vec<S>,
    pub(crate) over: Vec<bool>,
    pub(crate) goals: Vec<Goals>,
    /// Where playouts begin, descent by descent.
    pub(crate) starts: Vec<S>,
    /// The means of their scores, role by role.
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
    /// One that works with `machine` and draws by `seed`; whether those who can win at once do in
    /// playouts.
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

    /// Takes all descents from the root to where something has to be found out, and asks for the legal
    /// moves of leaves that have none; with `defers` also which of them decide.
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

    /// Goes on from leaves that have been opened since, and asks for the states that descents come to
    /// where no node has been made, whether they are terminal, and for their goals.
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

    /// Plays `per_leaf` playouts from wherever a descent has come to whose goals are not known.
    ///
    /// # Errors
    /// Those of the machine; [`EvalError::Interrupted`] when a limit was reached first.
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
