//! One tree of a search: nodes, descents, and what they add up to.

use super::TreeOptions;
use super::root::Gumbel;
use ggp_game::{Move, Role, rng};
use ggp_propnet::BitState;
use rustc_hash::FxHashMap;

/// A tree. Node 0 is the root.
pub(super) struct Tree {
    nodes: Vec<Node>,
    stream: rng::Stream,
    /// The number of draws so far.
    draws: u32,
    pub(super) gumbel: Vec<Gumbel>,
}

pub(super) struct Node {
    state: BitState,
    is_over: bool,
    pub(super) choices: Vec<Choice>,
    /// The nodes after joint choices.
    children: FxHashMap<Box<[u32]>, u32>,
    /// For each role, the value that the caller gave.
    pub(super) values: Vec<f32>,
    goals: Vec<f32>,
}

/// The statistics of one role's moves in a node.
#[derive(Default)]
pub(super) struct Choice {
    pub(super) actions: Vec<u32>,
    moves: Vec<Move>,
    pub(super) logits: Vec<f32>,
    pub(super) priors: Vec<f32>,
    pub(super) visits: Vec<u32>,
    pub(super) sums: Vec<f32>,
}

/// The end of a descent: a node that is new, or that will be.
pub(super) struct Leaf {
    pub(super) tree: usize,
    /// The nodes on the way, each with the choice of each role.
    pub(super) path: Vec<(u32, Box<[u32]>)>,
    /// The joint move that leads from the last of them to the leaf.
    pub(super) joint: Vec<Move>,
    node: u32,
}

impl Choice {
    /// The mean score of a move, or `unvisited`.
    pub(super) fn mean(&self, at: usize, unvisited: f32) -> f32 {
        if self.visits[at] == 0 { unvisited } else { self.sums[at] / self.visits[at] as f32 }
    }

    pub(super) fn all_visits(&self) -> u32 {
        self.visits.iter().sum()
    }

    /// The move that maximises PUCT. Moves without visits count as much as the node's own value `value`.
    fn puct(&self, exploration: f32, value: f32) -> usize {
        let root = (self.all_visits() as f32).sqrt().max(1.0);
        let score = |at: usize| {
            self.mean(at, value) + exploration * self.priors[at] * root / (1.0 + self.visits[at] as f32)
        };
        let best = (1..self.visits.len()).fold((0, score(0)), |best, at| {
            let score = score(at);
            if score > best.1 { (at, score) } else { best }
        });
        best.0
    }
}

impl Tree {
    pub(super) fn new(state: BitState, seed: u64, number: u64) -> Tree {
        let root = Node {
            state,
            is_over: false,
            choices: Vec::new(),
            children: FxHashMap::default(),
            values: Vec::new(),
            goals: Vec::new(),
        };
        Tree { nodes: vec![root], stream: rng::Stream::new(seed, number), draws: 0, gumbel: Vec::new() }
    }

    pub(super) fn root(&self) -> &BitState {
        &self.nodes[0].state
    }

    pub(super) fn root_node(&self) -> &Node {
        &self.nodes[0]
    }

    pub(super) fn parent(&self, leaf: &Leaf) -> &BitState {
        let node = leaf.path.last().map_or(0, |&(node, _)| node);
        &self.nodes[node as usize].state
    }

    pub(super) fn state_of(&self, leaf: &Leaf) -> &BitState {
        &self.nodes[leaf.node as usize].state
    }

    pub(super) fn actions_of(&self, leaf: &Leaf, role: usize) -> &[u32] {
        &self.nodes[leaf.node as usize].choices[role].actions
    }

    /// Random bits, the next of this tree.
    pub(super) fn bits(&mut self) -> u32 {
        self.draws += 1;
        self.stream.bits(self.draws, Role(0))
    }

    /// Descends from the root to a new node. The first round gives the root itself. `None` if the descent ends in a state
    /// in which the game is over, which is counted.
    pub(super) fn descend(
        &mut self,
        tree: usize,
        round: usize,
        options: &TreeOptions,
        nature: Option<usize>,
    ) -> Option<Leaf> {
        let mut path: Vec<(u32, Box<[u32]>)> = Vec::new();
        if round == 0 {
            return Some(Leaf { tree, path, joint: Vec::new(), node: 0 });
        }
        let mut node = 0u32;
        loop {
            if self.nodes[node as usize].is_over {
                let leaf = Leaf { tree, path, joint: Vec::new(), node };
                let goals = self.nodes[node as usize].goals.clone();
                self.back_up(&leaf, &goals);
                return None;
            }
            let roles = self.nodes[node as usize].choices.len();
            let mut joint = Vec::with_capacity(roles);
            for role in 0..roles {
                let count = self.nodes[node as usize].choices[role].actions.len();
                let at = if count == 1 {
                    0
                } else if nature == Some(role) {
                    rng::below(self.bits(), count as u32) as usize
                } else if node == 0 && !self.gumbel.is_empty() {
                    self.gumbel[role].choose(&self.nodes[0], role, round - 1)
                } else {
                    let node = &self.nodes[node as usize];
                    node.choices[role].puct(options.exploration, node.values[role])
                };
                joint.push(at as u32);
            }
            let joint: Box<[u32]> = joint.into();
            let here = &self.nodes[node as usize];
            let next = here.children.get(&joint).copied();
            let of_role = |(choice, &at): (&Choice, &u32)| choice.moves[at as usize];
            let moves = here.choices.iter().zip(&*joint).map(of_role).collect();
            path.push((node, joint));
            match next {
                Some(next) => node = next,
                None => return Some(Leaf { tree, path, joint: moves, node: 0 }),
            }
        }
    }

    /// Adds the node at the end of a descent.
    pub(super) fn add(
        &mut self,
        mut leaf: Leaf,
        state: BitState,
        legal: &[Vec<Move>],
        actions: Vec<Vec<u32>>,
        is_over: bool,
    ) -> Leaf {
        let choice = |(moves, actions): (&Vec<Move>, Vec<u32>)| {
            let count = moves.len();
            Choice {
                actions,
                moves: moves.clone(),
                logits: vec![0.0; count],
                priors: vec![0.0; count],
                visits: vec![0; count],
                sums: vec![0.0; count],
            }
        };
        let choices = legal.iter().zip(actions).map(choice).collect();
        let node = Node {
            state,
            is_over,
            choices,
            children: FxHashMap::default(),
            values: vec![0.0; legal.len()],
            goals: Vec::new(),
        };
        if let Some((parent, joint)) = leaf.path.last() {
            leaf.node = self.nodes.len() as u32;
            self.nodes[*parent as usize].children.insert(joint.clone(), leaf.node);
            self.nodes.push(node);
        } else {
            self.nodes[0] = node;
        }
        leaf
    }

    /// Sets the policy and the values of a leaf.
    pub(super) fn set_policy(&mut self, leaf: &Leaf, logits: &[f32], width: usize, values: &[f32]) {
        let node = &mut self.nodes[leaf.node as usize];
        node.values.copy_from_slice(values);
        for (role, choice) in node.choices.iter_mut().enumerate() {
            let own = &logits[role * width..][..width];
            for (logit, &action) in choice.logits.iter_mut().zip(&choice.actions) {
                let given = own[action as usize];
                *logit = if given.is_nan() { f32::MIN } else { given.clamp(f32::MIN, f32::MAX) };
            }
            choice.priors = softmax(&choice.logits);
        }
    }

    /// Adds the values of a leaf to all nodes above it. The goals of an ended game stay with its node.
    pub(super) fn back_up(&mut self, leaf: &Leaf, values: &[f32]) {
        if self.nodes[leaf.node as usize].is_over {
            self.nodes[leaf.node as usize].goals = values.to_vec();
        }
        for (node, joint) in &leaf.path {
            let choices = &mut self.nodes[*node as usize].choices;
            for ((choice, &at), value) in choices.iter_mut().zip(&**joint).zip(values) {
                choice.visits[at as usize] += 1;
                choice.sums[at as usize] += value;
            }
        }
    }

    /// The actions of `role` at the root, each with its visits.
    pub(super) fn visits(&self, role: usize) -> impl Iterator<Item = (u32, u32)> + '_ {
        let choice = self.nodes[0].choices.get(role).filter(|_| !self.nodes[0].is_over);
        choice
            .into_iter()
            .flat_map(|choice| choice.actions.iter().copied().zip(choice.visits.iter().copied()))
    }

    /// The mean value of the root for `role`.
    pub(super) fn value(&self, role: usize) -> f32 {
        let root = &self.nodes[0];
        if root.is_over {
            return root.goals.get(role).copied().unwrap_or(0.0);
        }
        let Some(choice) = root.choices.get(role) else { return 0.0 };
        let sum: f32 = choice.sums.iter().sum();
        (sum + root.values[role]) / (choice.all_visits() as f32 + 1.0)
    }

    pub(super) fn is_over(&self) -> bool {
        self.nodes[0].is_over
    }
}

/// The exponentials of `logits`, divided by their sum.
pub(super) fn softmax(logits: &[f32]) -> Vec<f32> {
    let largest = logits.iter().copied().fold(f32::MIN, f32::max);
    let mut shares: Vec<f32> = logits.iter().map(|logit| (logit - largest).exp()).collect();
    let sum: f32 = shares.iter().sum();
    for share in &mut shares {
        *share /= sum;
    }
    shares
}
