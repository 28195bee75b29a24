//! [`Trees`]: tree searches from many states in lockstep, whose leaves the caller evaluates, all of them at once.
//!
//! Each role chooses by its own statistics, the one that maximises PUCT (Rosin 2011, Silver et al. 2017), so roles may
//! choose at the same time. Chance draws. At the root the choice may follow Gumbel noise and sequential halving
//! (Danihelka et al. 2022).

mod root;
#[cfg(test)]
mod tests;
mod tree;

use self::tree::{Leaf, Tree};
use crate::batch_error::BatchError;
use crate::board::Planes;
use crate::reasoner::{Reasoner, State};
use ggp_game::{Batches, Goals, Move, Role, StateMachine};
use ggp_propnet::{BitState, PropNetMachine};

/// How moves are chosen at the root.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Root {
    /// As in all other nodes.
    Puct,
    /// Among this number of moves, drawn by Gumbel noise and the policy, by sequential halving.
    Gumbel(usize),
}

/// The options of [`Trees`].
#[derive(Clone, Debug)]
pub struct TreeOptions {
    /// The number of descents in each tree, besides the evaluation of its root.
    pub simulations: usize,
    /// The weight of the policy against the values.
    pub exploration: f32,
    /// The choice at the root.
    pub root: Root,
    /// The seed of Gumbel noise and of chance.
    pub seed: u64,
}

impl Default for TreeOptions {
    /// 32 simulations with PUCT and the exploration constant 1.25.
    fn default() -> TreeOptions {
        TreeOptions { simulations: 32, exploration: 1.25, root: Root::Puct, seed: 0 }
    }
}

/// Tree searches from many states in lockstep. [`Trees::descend`] gives leaves, and [`Trees::update`] takes their policies
/// and values, until there are no more leaves.
///
/// # Examples
/// ```
/// use ggp::{Reasoner, Role, StateMachine, TreeOptions, Trees};
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap();
/// let mut reasoner = Reasoner::new(&ggp::load("games/tic_tac_toe.kif")?)?;
/// let states = vec![reasoner.initial_state()?; 3];
/// let mut trees = Trees::new(&reasoner, &states, &TreeOptions::default())?;
/// loop {
///     let count = trees.descend(64)?;
///     if count == 0 {
///         break;
///     }
///     // A policy that knows nothing, and values of one half.
///     let (roles, width) = trees.shape();
///     trees.update(&vec![0.0; count * roles * width], &vec![0.5; count * roles]);
/// }
/// assert_eq!(trees.visits(0, Role(0)).iter().sum::<u32>(), 32);
/// # Ok::<(), ggp::Error>(())
/// ```
pub struct Trees {
    machine: PropNetMachine,
    options: TreeOptions,
    all: Vec<Tree>,
    width: usize,
    /// The tree that descends next, and the number of the round, of which the first evaluates the roots.
    next: (usize, usize),
    /// The leaves that wait for their evaluation.
    leaves: Vec<Leaf>,
}

/// The largest number of nodes of all trees together.
const MAX_NODES: usize = 1 << 24;

impl Trees {
    /// Searches from `states`.
    ///
    /// # Errors
    /// [`BatchError::NoNetwork`] without a network, [`BatchError::HiddenInformation`] in a game with percepts,
    /// [`BatchError::TooLarge`] for too many nodes.
    pub fn new(reasoner: &Reasoner, states: &[State], options: &TreeOptions) -> Result<Trees, BatchError> {
        let machine = reasoner.as_network().ok_or(BatchError::NoNetwork)?.clone();
        if reasoner.game().has_percepts() {
            return Err(BatchError::HiddenInformation);
        }
        let nodes = states.len().saturating_mul(options.simulations + 1);
        if nodes > MAX_NODES {
            let what =
                format!("{nodes} nodes are too many, more than {MAX_NODES}: search fewer states at once");
            return Err(BatchError::TooLarge(what));
        }
        let own: Option<Vec<&BitState>> = states.iter().map(State::network).collect();
        let own = own.ok_or(BatchError::NoNetwork)?;
        let width = machine.net().roles().iter().map(|role| role.moves.len()).max().unwrap_or(0);
        let mut trees = Trees {
            machine,
            options: options.clone(),
            all: Vec::new(),
            width,
            next: (0, 0),
            leaves: Vec::new(),
        };
        for (number, state) in own.into_iter().enumerate() {
            trees.all.push(Tree::new(state.clone(), options.seed, number as u64));
        }
        Ok(trees)
    }

    /// The number of roles, and the largest number of moves of a role: the lengths of a leaf's policy.
    pub fn shape(&self) -> (usize, usize) {
        (self.machine.net().roles().len(), self.width)
    }

    /// The number of trees.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are no trees.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Descends in the next trees, until there are `capacity` leaves to evaluate, or the round is over. Descents that end in
    /// terminal states need no evaluation. Returns the number of leaves; 0 once all simulations are done.
    ///
    /// # Errors
    /// [`BatchError::Eval`] if the rules cannot be evaluated.
    pub fn descend(&mut self, capacity: usize) -> Result<usize, BatchError> {
        while self.leaves.is_empty() && self.next.1 <= self.options.simulations {
            // 1. The next trees of this round.
            let first = self.next.0;
            let last = (first + capacity.max(1)).min(self.all.len());
            let round = self.next.1;
            self.next = if last == self.all.len() { (0, round + 1) } else { (last, round) };
            // 2. Descents to new nodes, or to the ends of games.
            let nature = self.machine.game().nature().map(Role::index);
            let mut leaves = Vec::with_capacity(last - first);
            for (number, tree) in (first..).zip(&mut self.all[first..last]) {
                leaves.extend(tree.descend(number, round, &self.options, nature));
            }
            self.expand(leaves)?;
        }
        Ok(self.leaves.len())
    }

    /// The number of leaves that wait for their evaluation.
    pub fn waiting(&self) -> usize {
        self.leaves.len()
    }

    /// Computes the states of `leaves`. Those of ended games are evaluated at once; the others wait.
    fn expand(&mut self, leaves: Vec<Leaf>) -> Result<(), BatchError> {
        let roles = self.machine.net().roles().len();
        let (mut states, mut over, mut goals, mut legal) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        // The roots have their states already.
        let (begun, roots): (Vec<Leaf>, Vec<Leaf>) =
            leaves.into_iter().partition(|leaf| !leaf.path.is_empty());
        {
            let parents: Vec<&BitState> = begun.iter().map(|leaf| self.all[leaf.tree].parent(leaf)).collect();
            let joints: Vec<Move> = begun.iter().flat_map(|leaf| leaf.joint.iter().copied()).collect();
            self.machine.next_states(&parents, &joints, &mut states)?;
        }
        states.extend(roots.iter().map(|leaf| self.all[leaf.tree].root().clone()));
        let leaves: Vec<Leaf> = begun.into_iter().chain(roots).collect();
        let all: Vec<&BitState> = states.iter().collect();
        self.machine.outcomes(&all, &mut over, &mut goals)?;
        self.machine.all_legal_moves(&all, &mut legal)?;
        let of_leaves = leaves.into_iter().zip(&states).zip(over);
        for (((leaf, state), over), (goals, legal)) in
            of_leaves.zip(goals.chunks(roles).zip(legal.chunks(roles)))
        {
            let is_over = over || legal.iter().any(Vec::is_empty);
            let goals: Vec<f32> =
                goals.iter().map(|goals: &Goals| f32::from(goals.score().value()) / 100.0).collect();
            let actions = legal.iter().enumerate().map(|(role, moves)| {
                let action = |&mv: &Move| self.machine.action_of(Role(role as u8), mv).unwrap_or(0);
                moves.iter().map(action).collect()
            });
            let actions: Vec<Vec<u32>> = actions.collect();
            let tree = &mut self.all[leaf.tree];
            let leaf = tree.add(leaf, state.clone(), legal, actions, is_over);
            if is_over {
                tree.back_up(&leaf, &goals);
            } else {
                self.leaves.push(leaf);
            }
        }
        Ok(())
    }

    /// Writes the facts of the leaves, one byte a fluent, leaf after leaf.
    pub fn write_facts(&self, rows: &mut [u8]) {
        let fluents = self.machine.net().fluents().len();
        for (leaf, row) in self.leaves.iter().zip(rows.chunks_mut(fluents.max(1))) {
            let words = self.all[leaf.tree].state_of(leaf).words();
            row.iter_mut().enumerate().for_each(|(at, byte)| *byte = (words[at / 64] >> (at % 64) & 1) as u8);
        }
    }

    /// Writes the facts of the leaves as planes of the board, leaf after leaf.
    pub fn write_planes<T: Copy + From<u8>>(&self, planes: &Planes, out: &mut [T]) {
        for (leaf, out) in self.leaves.iter().zip(out.chunks_mut(planes.size().max(1))) {
            planes.write(self.all[leaf.tree].state_of(leaf).words(), out);
        }
    }

    /// Writes the legal moves of the leaves, one byte a move: leaf after leaf, and role after role.
    pub fn write_legal(&self, mask: &mut [u8]) {
        let (roles, width) = self.shape();
        mask.fill(0);
        for (leaf, mask) in self.leaves.iter().zip(mask.chunks_mut((roles * width).max(1))) {
            for (role, mask) in mask.chunks_mut(width.max(1)).enumerate() {
                for &action in self.all[leaf.tree].actions_of(leaf, role) {
                    mask[action as usize] = 1;
                }
            }
        }
    }

    /// Takes the policies and values of the leaves. `logits` has one number for each leaf, role and action; those of illegal
    /// actions do not count. `values` has one number from 0 to 1 for each leaf and role.
    ///
    /// # Panics
    /// If `logits` or `values` has another length.
    pub fn update(&mut self, logits: &[f32], values: &[f32]) {
        let (roles, width) = self.shape();
        let count = self.leaves.len();
        assert_eq!(
            logits.len(),
            count * roles * width,
            "a logit for each of {count} leaves, role and action"
        );
        assert_eq!(values.len(), count * roles, "a value for each of {count} leaves and role");
        let of_leaves = logits.chunks((roles * width).max(1)).zip(values.chunks(roles));
        for (leaf, (logits, values)) in self.leaves.drain(..).zip(of_leaves) {
            let tree = &mut self.all[leaf.tree];
            let is_root = leaf.path.is_empty();
            tree.set_policy(&leaf, logits, width, values);
            if is_root {
                if let Root::Gumbel(considered) = self.options.root {
                    tree.begin_gumbel(considered, self.options.simulations);
                }
            } else {
                tree.back_up(&leaf, values);
            }
        }
    }

    /// The number of visits of each of `role`'s actions at the root of the tree.
    pub fn visits(&self, tree: usize, role: Role) -> Vec<u32> {
        let mut visits = vec![0; self.width];
        self.all[tree].visits(role.index()).for_each(|(action, count)| visits[action as usize] = count);
        visits
    }

    /// The policy of `role` at the root that the search recommends: the share of visits, or for Gumbel roots the policy
    /// improved by the values. Zero in a state in which the game is over.
    pub fn policy(&self, tree: usize, role: Role) -> Vec<f32> {
        let mut policy = vec![0.0; self.width];
        for (action, share) in self.all[tree].policy(role.index(), self.options.root) {
            policy[action as usize] = share;
        }
        policy
    }

    /// The action of `role` that the search recommends. `None` in a state in which the game is over.
    pub fn best(&self, tree: usize, role: Role) -> Option<u32> {
        self.all[tree].best(role.index(), self.options.root)
    }

    /// The mean value of the root for `role`, from 0 to 1.
    pub fn value(&self, tree: usize, role: Role) -> f32 {
        self.all[tree].value(role.index())
    }
}

impl std::fmt::Debug for Trees {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trees").field("trees", &self.all.len()).finish_non_exhaustive()
    }
}
