//! Nearness to a goal: the goal condition evaluated as fuzzy logic (as in Schiffel & Thielscher 2007). The
//! value of a conjunction is the mean of its parts, and the value of a disjunction is their maximum. Below a
//! certain depth a condition is a leaf of value 1 or 0.

use crate::circuit::Sharing;
use crate::cpu::Kernels;
use crate::guard::Sizes;
use crate::latch::Kept;
use crate::net::{Fluent, NetMove, NetRole, PropNet};
use crate::node::{Node, Signal};
use crate::program::{Layout, ONES, Outputs, Program, state_row};
use crate::rows::Bits;
use crate::schedule::Compiler;
use crate::state::BitState;
use crate::transpose::{BATCH, transpose};
use ggp_game::{EvalError, Fact, GoalParts, Role, StopToken};

/// A condition that is nested deeper than this becomes a leaf: it counts as 1 if it holds and as 0 if not.
const DEPTH: usize = 6;
/// A condition becomes a leaf if the number of its inputs plus the number of leaves found so far exceeds this
/// bound.
const PARTS: usize = 4096;

/// A fuzzy condition.
#[derive(Clone, Debug)]
enum Fuzzy {
    /// The leaf with this index.
    Leaf(usize),
    /// The conjunction of the parts.
    All(Vec<Fuzzy>),
    /// The disjunction of the parts.
    Any(Vec<Fuzzy>),
}

/// Evaluates the nearness of states to one role's best goal, between 0 and 1.
#[derive(Clone, Debug)]
pub(crate) struct Nearness {
    role: Role,
    condition: Fuzzy,
    leaves: Leaves,
}

/// The values of the leaves of a condition in a batch of states.
#[derive(Clone, Debug)]
struct Leaves {
    program: Program,
    rows: Vec<u64>,
}

impl Nearness {
    /// Prepares the evaluation for the best goal of `role` in `net`.
    ///
    /// # Errors
    /// [`EvalError::Interrupted`] soon after `stop` is raised.
    pub(crate) fn new(net: &PropNet, role: Role, stop: &StopToken) -> Result<Nearness, EvalError> {
        let goals = net.roles()[role.index()].goals.iter();
        let best = goals.max_by_key(|(goal, _)| goal.value()).map_or(Signal::FALSE, |&(_, signal)| signal);
        let mut leaves = Vec::new();
        let condition = fuzzy(net, best, DEPTH, &mut leaves);
        let bare = restricted_to(net, &leaves);
        let fluents: Vec<u32> = (0..bare.fluents.len() as u32).collect();
        let moves = bare.roles.iter().map(|role| (0..role.moves.len() as u32).collect()).collect();
        let outputs = Outputs {
            net: &bare,
            fluents: &fluents,
            moves,
            percepts: true,
            kept: Kept::default(),
            verdicts: &[],
        };
        let program =
            Compiler::new(&outputs, Sharing::Once, stop)?.compile(Layout::Keep, Sizes::LANES, stop)?;
        let mut rows = vec![0; program.rows];
        rows[ONES as usize] = !0;
        Ok(Nearness { role, condition, leaves: Leaves { program, rows } })
    }

    /// The role whose goal is evaluated.
    pub(crate) fn role(&self) -> Role {
        self.role
    }

    /// Appends the nearness of each state to `out`.
    pub(crate) fn measure(&mut self, states: &[&BitState], out: &mut Vec<f32>) {
        for states in states.chunks(BATCH) {
            self.leaves.run(states);
            let values = self.leaves.value(&self.condition);
            out.extend_from_slice(&values[..states.len()]);
        }
    }

    /// Replaces `out` by the parts of the goal that hold in each state. `out` becomes empty if the goal is not a
    /// conjunction.
    pub(crate) fn parts(&mut self, states: &[&BitState], out: &mut GoalParts) {
        let mut parts = Vec::new();
        conjuncts(&self.condition, &mut parts);
        out.clear(parts.len());
        let mut columns = vec![[0u64; BATCH]; parts.len().div_ceil(BATCH)];
        let mut words = vec![0; columns.len()];
        for states in states.chunks(BATCH) {
            self.leaves.run(states);
            columns.fill([0; BATCH]);
            for (number, part) in parts.iter().enumerate() {
                columns[number / BATCH][number % BATCH] = self.leaves.holds(part);
            }
            columns.iter_mut().for_each(transpose);
            for state in 0..states.len() {
                words.iter_mut().zip(&columns).for_each(|(word, column)| *word = column[state]);
                out.push(&words);
            }
        }
    }
}

impl Leaves {
    fn run(&mut self, states: &[&BitState]) {
        self.load(states);
        for blocks in [&self.program.terminal_blocks, &self.program.legal_blocks, &self.program.next_blocks] {
            Kernels::run_packed(blocks, &self.program.gates, &mut self.rows);
        }
    }

    /// In which states a condition holds, as bits.
    fn holds(&self, condition: &Fuzzy) -> u64 {
        match condition {
            Fuzzy::Leaf(leaf) => {
                let (row, negated) = self.program.percepts[0][*leaf];
                self.rows[row as usize].negate_if(negated)
            }
            Fuzzy::All(parts) => parts.iter().fold(!0, |all, part| all & self.holds(part)),
            Fuzzy::Any(parts) => parts.iter().fold(0, |any, part| any | self.holds(part)),
        }
    }

    fn load(&mut self, states: &[&BitState]) {
        let fluents = self.program.next.len();
        for (block, rows) in self.rows[state_row(0)..][..fluents].chunks_mut(64).enumerate() {
            let mut words = [0; 64];
            for (word, state) in words.iter_mut().zip(states) {
                *word = state.words()[block];
            }
            transpose(&mut words);
            rows.copy_from_slice(&words[..rows.len()]);
        }
    }

    fn value(&self, condition: &Fuzzy) -> [f32; BATCH] {
        match condition {
            Fuzzy::Leaf(leaf) => {
                let (row, negated) = self.program.percepts[0][*leaf];
                let word = self.rows[row as usize].negate_if(negated);
                std::array::from_fn(|lane| (word >> lane & 1) as f32)
            }
            Fuzzy::All(parts) => {
                let mut sum = [0.0; BATCH];
                for part in parts {
                    let value = self.value(part);
                    sum.iter_mut().zip(value).for_each(|(sum, value)| *sum += value);
                }
                sum.map(|sum| sum / parts.len() as f32)
            }
            Fuzzy::Any(parts) => {
                let mut most = [0.0f32; BATCH];
                for part in parts {
                    let value = self.value(part);
                    most.iter_mut().zip(value).for_each(|(most, value)| *most = most.max(value));
                }
                most
            }
        }
    }
}

/// Appends the parts of a conjunction, and of conjunctions among its parts. Appends nothing for other conditions.
fn conjuncts<'a>(condition: &'a Fuzzy, out: &mut Vec<&'a Fuzzy>) {
    if let Fuzzy::All(parts) = condition {
        for part in parts {
            match part {
                Fuzzy::All(_) => conjuncts(part, out),
                Fuzzy::Leaf(_) | Fuzzy::Any(_) => out.push(part),
            }
        }
    }
}

/// Converts `signal` to a fuzzy condition. Parts that are too deep or too many become leaves.
fn fuzzy(net: &PropNet, signal: Signal, depth: usize, leaves: &mut Vec<Signal>) -> Fuzzy {
    if let Node::And(inputs) = &net.nodes()[signal.node()]
        && depth > 0
        && leaves.len() + inputs.len() <= PARTS
    {
        let negated = signal.is_negated();
        let part = |&input: &Signal| fuzzy(net, input.negated_if(negated), depth - 1, leaves);
        let parts = inputs.iter().map(part).collect();
        return if negated { Fuzzy::Any(parts) } else { Fuzzy::All(parts) };
    }
    leaves.push(signal);
    Fuzzy::Leaf(leaves.len() - 1)
}

/// A network that computes only `leaves`, as percepts of the first role.
fn restricted_to(net: &PropNet, leaves: &[Signal]) -> PropNet {
    let mut bare = net.clone();
    bare.terminal = Signal::FALSE;
    bare.fluents.iter_mut().for_each(|fluent: &mut Fluent| fluent.next = Signal::FALSE);
    for role in &mut bare.roles {
        role.moves.iter_mut().for_each(|mv: &mut NetMove| mv.legal = Signal::FALSE);
        *role = NetRole { moves: std::mem::take(&mut role.moves), ..NetRole::default() };
    }
    if let Some(first) = bare.roles.first_mut() {
        first.sees = leaves.iter().map(|&leaf| (Fact::from_canonical("part"), leaf)).collect();
    }
    bare
}
