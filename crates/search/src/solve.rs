//! A depth-first solver with a table of proven states.
//!
//! It proves the goal that one role can guarantee against all others. In turn-taking zero-sum games this is
//! the value of the game; for a single role it is the best reachable goal. Simultaneous moves give two
//! bounds: the lower bound assumes that all other roles know the role's move, and the upper bound assumes
//! that the role knows the moves of the others. Chance counts as an adversary in the lower bound and as an
//! ally in the upper one.
//!
//! Each pass asks whether the value is at least some goal, the target of the pass. The first target is the
//! highest goal, and later targets are lower (null windows with a table as in MTD; Plaat et al. 1996).
//! Invariant: all bounds on the stack and in the table are valid, even while some states have not been
//! examined. A state that repeats on the current path counts as unknown, so games with cycles may remain
//! unproved.
//!
//! Memory is bounded. The table of proven states and the stack each get a part of the memory. The children
//! of a state are created in batches on demand. In a state with very many joint moves, children that
//! already reach the target are discarded.

mod frame;
mod proof_table;
#[cfg(test)]
mod tests;

use crate::bounds::Bounds;
use crate::limits::{Halt, Limits};
use frame::{Child, Frame, Next, Place};
use ggp_game::{EvalError, Move, Playouts, Role};
use proof_table::ProofTable;
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Duration;

/// Proven bounds of what a role can guarantee in a state, in goals from 0 to 100, and the cost of the proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The goal that the role can guarantee.
    pub low: u8,
    /// A goal that the role cannot exceed against best play. The value is proved if `low` and `high` are equal.
    pub high: u8,
    /// The number of states expanded.
    pub states: u64,
    /// A move that guarantees `low`. `None` if `low` is 0 or the role has no choice.
    pub best: Option<Move>,
}

/// An incremental proof of the goal that one role can guarantee from one state (its maximin value).
///
/// ```
/// use ggp_game::{Game, Interpreter, Role, StateMachine};
/// use ggp_search::{Halt, Limits, Solver};
/// use std::sync::Arc;
///
/// // The player may double the number 1 twice, or stop earlier.
/// let rules = "(role you) (init (n 1)) (double 1 2) (double 2 4)
///     (<= (legal you double) (true (n ?n)) (double ?n ?m)) (legal you stop)
///     (<= (next (n ?m)) (does you double) (true (n ?n)) (double ?n ?m))
///     (<= (next (n ?n)) (does you stop) (true (n ?n))) (<= (next over) (does you stop))
///     (<= terminal (true over)) (<= terminal (true (n 4)))
///     (<= (goal you 10) (true (n 1))) (<= (goal you 0) (true (n 2))) (<= (goal you 100) (true (n 4)))";
/// let game = Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap());
/// let mut machine = Interpreter::new(&game);
/// let state = machine.initial_state().unwrap();
/// let mut solver = Solver::new(machine, state, Role(0), 1 << 20);
/// assert_eq!(solver.run(&Limits::default()), Halt::Decided);
/// let solution = solver.solution();
/// assert_eq!((solution.low, solution.high), (100, 100));
/// assert_eq!(solver.machine().move_text(solution.best.unwrap()), "double");
/// ```
#[derive(Debug)]
pub struct Solver<M: Playouts> {
    machine: M,
    role: Role,
    chance: Option<Role>,
    root: M::State,
    bounds: Bounds,
    best: Option<Move>,
    stack: Vec<Frame<M::State>>,
    on_stack: FxHashSet<M::State>,
    table: ProofTable<M::State>,
    /// For each role and move, the number of states for which the move was part of the joint move that
    /// decided whether the state reaches the target. Moves with larger numbers are tried first (history
    /// heuristic).
    history: FxHashMap<(u8, Move), u32>,
    states: u64,
    /// The bytes of the states on the stack.
    stack_bytes: usize,
    /// The maximum number of bytes of the states on the stack and of the history.
    max_stack_bytes: usize,
}

/// The stack may use the memory divided by this number. The table of proven states uses the rest.
const STACK_PART: usize = 4;

/// The result of one step of a proof.
enum Step {
    /// The current pass continues.
    Continue,
    /// The current pass is over: it has proved or refuted its target, or repeated states leave the target
    /// open.
    Over,
    /// There is no memory for the next children of a state.
    Full,
}

impl<M: Playouts> Solver<M> {
    /// Creates a proof of what `role` can guarantee from `state`, in at most `memory` bytes. The memory of
    /// the machine itself does not count.
    pub fn new(machine: M, state: M::State, role: Role, memory: usize) -> Solver<M> {
        let max_stack_bytes = memory / STACK_PART;
        Solver {
            role,
            chance: machine.game().nature(),
            bounds: Bounds::UNKNOWN,
            best: None,
            stack: Vec::new(),
            on_stack: FxHashSet::default(),
            table: ProofTable::new(memory - max_stack_bytes, machine.heap_bytes(&state)),
            history: FxHashMap::default(),
            states: 0,
            stack_bytes: 0,
            max_stack_bytes,
            root: state,
            machine,
        }
    }

    /// The machine of the proof, which gives the text of the solution's move.
    pub fn machine(&mut self) -> &mut M {
        &mut self.machine
    }

    /// The result so far.
    pub fn solution(&self) -> Solution {
        let Bounds { low, high } = self.bounds;
        Solution { low, high, states: self.states, best: self.best }
    }

    /// The bytes in use, without the memory of the machine itself.
    pub fn bytes(&self) -> usize {
        self.stack_bytes + self.history_bytes() + self.table.bytes()
    }

    /// The bytes of the history.
    fn history_bytes(&self) -> usize {
        self.history.capacity() * (size_of::<((u8, Move), u32)>() + 1)
    }

    /// Continues the proof until a limit is reached. One iteration expands one state. The run ends early
    /// with [`Halt::Decided`] if the value is proved, or if repeated states leave the value open after all
    /// states have been examined. It ends with [`Halt::Full`] if there is no memory for the next children.
    pub fn run(&mut self, limits: &Limits) -> Halt {
        let before = self.states;
        loop {
            if self.bounds.proven().is_some() {
                return Halt::Decided;
            }
            if let Some(halt) = limits.reached(self.states - before, Duration::ZERO) {
                return halt;
            }
            let known = self.bounds;
            let step = if self.stack.is_empty() { self.begin_pass() } else { self.step() };
            match step {
                Ok(Step::Over) if self.bounds == known => return Halt::Decided,
                Ok(Step::Over | Step::Continue) => {}
                Ok(Step::Full) => return Halt::Full,
                Err(EvalError::Interrupted) => return Halt::Stopped,
                Err(error) => return Halt::Failing(error),
            }
        }
    }

    /// The target of the current pass: the goal that the pass proves to be attainable or refutes.
    fn target(&self) -> u8 {
        self.bounds.high
    }

    /// Begins the pass for the next target. If the root is terminal, its goal is the value, and the pass is
    /// over at once.
    fn begin_pass(&mut self) -> Result<Step, EvalError> {
        let (mut over, mut goals) = (Vec::new(), Vec::new());
        self.machine.outcomes(&[&self.root], &mut over, &mut goals)?;
        if over[0] {
            self.bounds = Bounds::exact(goals[self.role.index()].score().value());
            return Ok(Step::Over);
        }
        self.push(self.root.clone())?;
        Ok(Step::Continue)
    }

    /// Pushes `state` onto the stack. The state must not be terminal.
    fn push(&mut self, state: M::State) -> Result<(), EvalError> {
        self.states += 1;
        let mut legal = Vec::new();
        self.machine.all_legal_moves(&[&state], &mut legal)?;
        for (role, moves) in legal.iter_mut().enumerate() {
            let history = |mv: &Move| self.history.get(&(role as u8, *mv)).copied().unwrap_or(0);
            moves.sort_by_key(|mv| std::cmp::Reverse(history(mv)));
        }
        let chance = self.chance.is_some_and(|chance| chance != self.role && legal[chance.index()].len() > 1);
        // The set of states on the stack holds a second copy of the state.
        let of_state = size_of::<M::State>() + 2 * self.machine.heap_bytes(&state);
        self.on_stack.insert(state.clone());
        let mut frame = Frame::new(state, self.role, legal, chance);
        frame.bytes += of_state;
        self.stack_bytes += frame.bytes;
        self.stack.push(frame);
        Ok(())
    }

    /// Creates the next children of the state on top of the stack. `row` is the index of a move of the
    /// solver's role; the children that follow this move are created first. Both bounds of a terminal child
    /// are its goal. Any other child gets the bounds that the table has for it.
    fn create_children(&mut self, row: usize) -> Result<Step, EvalError> {
        let (target, history_bytes) = (self.target(), self.history_bytes());
        let Some(frame) = self.stack.last_mut() else { return Ok(Step::Over) };
        let machine = &self.machine;
        let bytes_of = |state: &M::State| child_bytes(machine, state);
        let discarded = frame.discard_children(row, bytes_of);
        frame.bytes -= discarded;
        self.stack_bytes -= discarded;
        let room =
            self.max_stack_bytes.saturating_sub(self.stack_bytes + history_bytes) / bytes_of(&frame.state);
        let cells = frame.uncreated(row, frame.batch(row).min(room));
        if cells.is_empty() {
            return Ok(Step::Full);
        }
        let mut joints = Vec::new();
        for &cell in &cells {
            frame.push_joint(cell, &mut joints);
        }
        let parents = vec![&frame.state; cells.len()];
        let (mut states, mut over, mut goals) = (Vec::new(), Vec::new(), Vec::new());
        self.machine.next_states(&parents, &joints, &mut states)?;
        self.machine.outcomes(&states.iter().collect::<Vec<_>>(), &mut over, &mut goals)?;
        let own_goals = goals.iter().skip(self.role.index()).step_by(joints.len() / cells.len());
        for ((state, (row, _)), (over, goal)) in
            states.into_iter().zip(cells).zip(over.into_iter().zip(own_goals))
        {
            let bounds = if over { Bounds::exact(goal.score().value()) } else { self.table.get(&state) };
            let bytes = child_bytes(&self.machine, &state);
            frame.bytes += bytes;
            self.stack_bytes += bytes;
            let done = state == frame.state || self.on_stack.contains(&state);
            frame.add(row, Child { state, bounds, done }, target);
        }
        Ok(Step::Continue)
    }

    /// Performs one step in the state on top of the stack: enters a child, creates more children, or returns the
    /// state's bounds to its parent.
    fn step(&mut self) -> Result<Step, EvalError> {
        let Some(frame) = self.stack.last_mut() else { return Ok(Step::Over) };
        match if frame.is_settled() { Next::Leave } else { frame.next() } {
            Next::Enter(place) => self.enter_child(place),
            Next::Create(row) => self.create_children(row),
            Next::Leave => Ok(self.leave()),
        }
    }

    /// Pushes a child onto the stack, unless the child is decided or already on the stack.
    fn enter_child(&mut self, place: Place) -> Result<Step, EvalError> {
        let target = self.target();
        let Some(frame) = self.stack.last_mut() else { return Ok(Step::Over) };
        frame.at = place;
        let child = frame.child(place);
        // Another path may have proved bounds of the child since they were last read.
        child.narrow(self.table.get(&child.state));
        if child.is_decided(target) || self.on_stack.contains(&child.state) {
            frame.finish_child(place, target);
        } else {
            let state = child.state.clone();
            self.push(state)?;
        }
        Ok(Step::Continue)
    }

    /// Pops the state on top of the stack, and narrows the bounds of this state in its parent's frame.
    fn leave(&mut self) -> Step {
        let target = self.target();
        let Some(frame) = self.stack.pop() else { return Step::Over };
        self.on_stack.remove(&frame.state);
        self.stack_bytes -= frame.bytes;
        let bounds = frame.bounds();
        if frame.is_settled()
            && let Some(joint) = frame.deciding(target)
        {
            for (role, &mv) in joint.iter().enumerate() {
                *self.history.entry((role as u8, mv)).or_default() += 1;
            }
        }
        if let Some(below) = self.stack.last_mut() {
            let machine = &self.machine;
            self.table.put(frame.state, bounds, |state| machine.heap_bytes(state));
            let place = below.at;
            below.child(place).narrow(bounds);
            below.finish_child(place, target);
            return Step::Continue;
        }
        if bounds.low > self.bounds.low {
            self.best = frame.best(bounds.low);
        }
        self.bounds.low = self.bounds.low.max(bounds.low);
        self.bounds.high = self.bounds.high.min(bounds.high);
        Step::Over
    }
}

/// The bytes that a child adds to its parent's frame: the child itself, and the counter that the frame may
/// need for the child's column.
fn child_bytes<M: Playouts>(machine: &M, state: &M::State) -> usize {
    size_of::<Child<M::State>>() + machine.heap_bytes(state) + 2 * size_of::<(usize, u32)>()
}
