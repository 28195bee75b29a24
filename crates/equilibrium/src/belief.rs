//! Best play of one role against chance: a search over beliefs.
//!
//! A belief is the probability distribution over the possible current states, given the role's moves and
//! percepts so far. The belief is a sufficient statistic of the history (Kaelbling, Littman & Cassandra
//! 1998). Equal beliefs have equal values and are evaluated once, so the cost depends on the number of
//! different beliefs, not on the number of histories. For each move, the search computes an upper bound: the
//! value of the move if the role saw every later state. The search tries the moves in descending order of
//! this bound, and stops at the first move whose bound is not above the best value so far.

use crate::Budget;
use crate::unfold::perceive;
use ggp_game::{EvalError, Fact, Move, Role, StateMachine};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The best play of a role against chance.
#[derive(Clone, PartialEq, Debug)]
pub struct BestPlay {
    /// The expected goal, from 0 to 100.
    pub value: f64,
    /// The number of beliefs that were evaluated.
    pub beliefs: usize,
    /// The number of different states that the search visited.
    pub states: usize,
    /// The moves of best play: for each turn, one move for each sequence of percepts that the role can have
    /// received before this turn. The moves are in preorder: a move comes before the moves that follow it in
    /// a match. Turns in which the role has only one legal move are left out.
    pub plan: Vec<PlannedMove>,
}

/// A move of best play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlannedMove {
    /// The history after which the role makes the move: for each earlier turn, the role's move and then its
    /// percepts.
    pub history: Vec<Vec<String>>,
    /// The move.
    pub mv: String,
}

/// The reason why best play was not computed.
#[derive(Debug, thiserror::Error)]
pub enum BeliefError {
    /// The rules could not be evaluated.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// The beliefs do not fit into [`Budget::bytes`].
    #[error("more than {beliefs} beliefs over {states} states fill {mib} MiB")]
    Full {
        /// The number of beliefs so far.
        beliefs: usize,
        /// The number of states so far.
        states: usize,
        /// The bound on memory, in MiB.
        mib: usize,
    },
    /// The deadline passed, or the stop flag was set.
    #[error("the time ended after {beliefs} beliefs over {states} states")]
    Stopped {
        /// The number of beliefs so far.
        beliefs: usize,
        /// The number of states so far.
        states: usize,
    },
    /// The role has different legal moves in two states that it cannot tell apart, or it has no legal move in
    /// a state that is not terminal.
    #[error("{role} has different legal moves after equal moves and percepts, or no legal move at all")]
    LegalMovesUnknown {
        /// The role's name.
        role: String,
    },
    /// A match can have more turns than the search allows. The value is the maximum number of turns.
    #[error("a match can take more than {0} turns")]
    TooLong(usize),
}

/// A belief: pairs of a state's index and the state's probability in units of 2^-40, in ascending order of
/// the indices.
type Belief = Rc<[(u32, u64)]>;

/// The number of units that make up the probability 1 in a belief. Probabilities are rounded to whole units,
/// so that nearly equal beliefs become equal.
const UNITS: f64 = (1u64 << 40) as f64;

/// The maximum number of turns of a match. The search fails if a match can have more.
const MAX_TURNS: usize = 500;

/// One possible result of a move of the role in a state. Different moves of `random` can lead to different
/// results.
#[derive(Clone, Copy)]
struct Outcome {
    share: f64,
    next: u32,
    /// The index of the role's percepts in `Search::percepts`.
    percepts: u32,
}

/// The results of evaluating one state.
#[derive(Clone)]
struct Known {
    /// The role's goal if the state is terminal; `None` otherwise.
    goal: Option<f64>,
    /// The role's legal moves; empty in a terminal state.
    legal: Rc<[Move]>,
    /// For each legal move, its outcomes.
    outcomes: Rc<[Rc<[Outcome]>]>,
    /// The expected goal of best play from this state on, if the role saw every state; `None` until this
    /// number is needed.
    seen_value: Option<f64>,
}

struct Search<'a, M: StateMachine> {
    machine: &'a mut M,
    role: Role,
    nature: Option<Role>,
    sees: bool,
    budget: &'a Budget<'a>,
    numbers: FxHashMap<M::State, u32>,
    states: Vec<M::State>,
    known: Vec<Option<Known>>,
    percepts: Vec<Vec<Fact>>,
    percept_numbers: FxHashMap<Vec<Fact>, u32>,
    /// For each belief that has been evaluated, its value and the index of the best move among the legal
    /// moves.
    values: FxHashMap<Belief, (f64, u32)>,
    /// The approximate number of bytes that the states, beliefs and outcomes take.
    bytes: usize,
    /// The number of histories that have been looked at for the plan.
    planned: usize,
}

/// Computes the best play of `role` from the initial state of the game of `machine`. The game must have no
/// other role except `random`.
///
/// # Errors
/// Fails when the rules cannot be evaluated, when the role has no legal move or cannot know which moves are
/// legal, when a match can be too long, and when the budget is used up.
pub fn best_play<M: StateMachine>(
    machine: &mut M,
    role: Role,
    budget: &Budget<'_>,
) -> Result<BestPlay, BeliefError> {
    let game = machine.game().clone();
    let root = machine.initial_state()?;
    let mut search = Search {
        nature: game.nature(),
        sees: game.has_percepts(),
        machine,
        role,
        budget,
        numbers: FxHashMap::default(),
        states: Vec::new(),
        known: Vec::new(),
        percepts: Vec::new(),
        percept_numbers: FxHashMap::default(),
        values: FxHashMap::default(),
        bytes: 0,
        planned: 0,
    };
    let root = search.number(root);
    let belief: Belief = [(root, UNITS as u64)].into();
    let value = search.value(&belief, 0)?;
    let mut plan = Vec::new();
    search.plan(&belief, &mut Vec::new(), &mut plan)?;
    Ok(BestPlay { value, beliefs: search.values.len(), states: search.states.len(), plan })
}

impl<M: StateMachine> Search<'_, M> {
    fn number(&mut self, state: M::State) -> u32 {
        if let Some(&number) = self.numbers.get(&state) {
            return number;
        }
        let number = self.states.len() as u32;
        self.bytes += 2 * (size_of::<M::State>() + self.machine.heap_bytes(&state)) + size_of::<Known>();
        self.states.push(state.clone());
        self.numbers.insert(state, number);
        self.known.push(None);
        number
    }

    fn check(&self) -> Result<(), BeliefError> {
        let (beliefs, states) = (self.values.len(), self.states.len());
        if self.budget.stop.is_stopped() || self.budget.deadline.is_over() {
            return Err(BeliefError::Stopped { beliefs, states });
        }
        if self.bytes > self.budget.bytes {
            return Err(BeliefError::Full { beliefs, states, mib: self.budget.bytes >> 20 });
        }
        Ok(())
    }

    /// The error for a state in which `role` has no legal move, or cannot know which moves are legal.
    fn unknown_moves(&self, role: Role) -> BeliefError {
        BeliefError::LegalMovesUnknown { role: self.machine.game().role_name(role).to_owned() }
    }

    /// The results of evaluating the state with index `number`. Evaluates the state only at the first call
    /// for it.
    fn known(&mut self, number: u32) -> Result<Known, BeliefError> {
        if let Some(known) = &self.known[number as usize] {
            return Ok(known.clone());
        }
        self.check()?;
        let state = self.states[number as usize].clone();
        let known = if self.machine.is_terminal(&state)? {
            let goal = self.machine.goals_of(&state)?[self.role.index()].score();
            let goal = f64::from(goal.value());
            Known { goal: Some(goal), legal: [].into(), outcomes: [].into(), seen_value: Some(goal) }
        } else {
            let mut legal = Vec::new();
            self.machine.legal_moves(&state, self.role, &mut legal)?;
            if legal.is_empty() {
                return Err(self.unknown_moves(self.role));
            }
            let mut outcomes = Vec::with_capacity(legal.len());
            for &mv in &legal {
                outcomes.push(self.outcomes(&state, mv)?);
            }
            Known { goal: None, legal: legal.into(), outcomes: outcomes.into(), seen_value: None }
        };
        self.known[number as usize] = Some(known.clone());
        Ok(known)
    }

    /// The outcomes of the role's move `mv` in `state`. Outcomes with the same next state and the same
    /// percepts are merged.
    fn outcomes(&mut self, state: &M::State, mv: Move) -> Result<Rc<[Outcome]>, BeliefError> {
        let mut joint = vec![Move(0); self.machine.game().role_count()];
        let mut drawn = vec![mv];
        if let Some(nature) = self.nature {
            self.machine.legal_moves(state, nature, &mut drawn)?;
            if drawn.is_empty() {
                return Err(self.unknown_moves(nature));
            }
        }
        let share = 1.0 / drawn.len() as f64;
        let mut percepts = Vec::new();
        let mut outcomes: Vec<Outcome> = Vec::new();
        for by_chance in drawn {
            if let Some(nature) = self.nature {
                joint[nature.index()] = by_chance;
            }
            joint[self.role.index()] = mv;
            perceive(self.machine, self.sees, state, &joint, self.role, &mut percepts)?;
            let percepts = self.percepts_number(&percepts);
            let next = self.machine.next_state(state, &joint)?;
            let next = self.number(next);
            match outcomes.iter_mut().find(|o| (o.next, o.percepts) == (next, percepts)) {
                Some(outcome) => outcome.share += share,
                None => outcomes.push(Outcome { share, next, percepts }),
            }
        }
        self.bytes += outcomes.len() * size_of::<Outcome>();
        Ok(outcomes.into())
    }

    fn percepts_number(&mut self, percepts: &[Fact]) -> u32 {
        if let Some(&number) = self.percept_numbers.get(percepts) {
            return number;
        }
        let number = self.percepts.len() as u32;
        self.percepts.push(percepts.to_vec());
        self.percept_numbers.insert(percepts.to_vec(), number);
        number
    }

    /// The expected goal of best play from the state with index `number` on, if the role saw every state.
    /// `turn` is the turn in which this state occurs. Turns are counted from 0.
    fn seen_value(&mut self, number: u32, turn: usize) -> Result<f64, BeliefError> {
        if turn > MAX_TURNS {
            return Err(BeliefError::TooLong(MAX_TURNS));
        }
        let known = self.known(number)?;
        if let Some(value) = known.seen_value {
            return Ok(value);
        }
        let mut best: f64 = 0.0;
        for outcomes in known.outcomes.iter() {
            let mut value = 0.0;
            for outcome in outcomes.iter() {
                value += outcome.share * self.seen_value(outcome.next, turn + 1)?;
            }
            best = best.max(value);
        }
        if let Some(known) = &mut self.known[number as usize] {
            known.seen_value = Some(best);
        }
        Ok(best)
    }

    /// The value of `belief` in the turn `turn`. Turns are counted from 0.
    fn value(&mut self, belief: &Belief, turn: usize) -> Result<f64, BeliefError> {
        if let Some(&(value, _)) = self.values.get(belief) {
            return Ok(value);
        }
        if turn > MAX_TURNS {
            return Err(BeliefError::TooLong(MAX_TURNS));
        }
        self.check()?;
        // 1. The legal moves, which must be the same in all states of the belief that are not terminal.
        let mut ended = 0.0;
        let mut open: Vec<(f64, Known)> = Vec::with_capacity(belief.len());
        for &(state, units) in belief.iter() {
            let known = self.known(state)?;
            let share = units as f64 / UNITS;
            match known.goal {
                Some(goal) => ended += share * goal,
                None => open.push((share, known)),
            }
        }
        let Some((_, first)) = open.first() else { return Ok(self.keep(belief, ended, 0)) };
        let legal = first.legal.clone();
        if legal.is_empty() || open.iter().any(|(_, known)| known.legal != legal) {
            return Err(self.unknown_moves(self.role));
        }
        // 2. An upper bound for each move: its value for a role that sees every state from now on.
        let mut bounds = Vec::with_capacity(legal.len());
        for mv in 0..legal.len() {
            let mut bound = 0.0;
            for (share, known) in &open {
                for outcome in known.outcomes[mv].iter() {
                    bound += share * outcome.share * self.seen_value(outcome.next, turn + 1)?;
                }
            }
            bounds.push((bound, mv));
        }
        bounds.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        // 3. The value of each move that may be the best: the mean value of the beliefs to which the move
        // leads, weighted by their probabilities.
        let (mut best, mut best_move) = (f64::NEG_INFINITY, 0);
        for (bound, mv) in bounds {
            if bound <= best + TOLERANCE {
                break;
            }
            let mut value = 0.0;
            for (_, share, next) in beliefs_after(&open, mv) {
                value += share * self.value(&next, turn + 1)?;
            }
            if value > best + TOLERANCE {
                (best, best_move) = (value, mv);
            }
        }
        Ok(self.keep(belief, ended + best, best_move))
    }

    /// Stores the value and the best move of `belief`, and returns the value.
    fn keep(&mut self, belief: &Belief, value: f64, best: usize) -> f64 {
        self.bytes += belief.len() * size_of::<(u32, u64)>() + BELIEF_BYTES;
        self.values.insert(Rc::clone(belief), (value, best as u32));
        value
    }

    /// Appends to `plan` the moves of best play from `belief` on. `history` is the history that leads to
    /// `belief`.
    fn plan(
        &mut self,
        belief: &Belief,
        history: &mut Vec<Vec<String>>,
        plan: &mut Vec<PlannedMove>,
    ) -> Result<(), BeliefError> {
        let mut open = Vec::new();
        for &(state, units) in belief.iter() {
            let known = self.known(state)?;
            if known.goal.is_none() {
                open.push((units as f64 / UNITS, known));
            }
        }
        let Some((_, first)) = open.first() else { return Ok(()) };
        self.planned += 1;
        if plan.len() == MAX_PLAN || self.planned > MOST_HISTORIES {
            return Ok(());
        }
        self.check()?;
        let best = self.values.get(belief).map_or(0, |&(_, best)| best as usize);
        let mv = self.machine.move_text(first.legal[best]).to_owned();
        if first.legal.len() > 1 {
            self.bytes +=
                history.iter().flatten().map(|word| word.len() + size_of::<String>()).sum::<usize>();
            plan.push(PlannedMove { history: history.clone(), mv: mv.clone() });
        }
        for (percepts, _, next) in beliefs_after(&open, best) {
            let percepts = self.percepts[percepts as usize].iter().map(|fact| fact.as_str().to_owned());
            history.push(std::iter::once(mv.clone()).chain(percepts).collect());
            self.plan(&next, history, plan)?;
            history.pop();
        }
        Ok(())
    }
}

/// The maximum number of moves in a plan. Further moves are left out.
const MAX_PLAN: usize = 100_000;
/// The maximum number of histories that are looked at for a plan. In most of them the role may have no choice.
const MOST_HISTORIES: usize = 20 * MAX_PLAN;

/// Expected goals of two moves count as equal if they differ by at most this much.
const TOLERANCE: f64 = 1e-9;

/// An estimate of the bytes that a stored belief takes in addition to its states and their probabilities.
const BELIEF_BYTES: usize = 80;

/// The beliefs to which the legal move with index `mv` leads: one belief for each list of percepts that can
/// follow the move. `open` describes the current belief: it holds the probability of each state that is not
/// terminal, and the results of evaluating this state. Each returned entry holds the index of a list of
/// percepts in `Search::percepts`, the probability of these percepts, and the belief after them. The entries
/// are in ascending order of the index.
fn beliefs_after(open: &[(f64, Known)], mv: usize) -> Vec<(u32, f64, Belief)> {
    let mut parts: Vec<(u32, u32, f64)> = Vec::new();
    for (share, known) in open {
        parts.extend(known.outcomes[mv].iter().map(|o| (o.percepts, o.next, share * o.share)));
    }
    parts.sort_by_key(|&(percepts, next, _)| (percepts, next));
    let mut beliefs = Vec::new();
    for group in parts.chunk_by(|a, b| a.0 == b.0) {
        let sum: f64 = group.iter().map(|part| part.2).sum();
        let of_state = |states: &[(u32, u32, f64)]| {
            let share: f64 = states.iter().map(|part| part.2).sum();
            (states[0].1, (share / sum * UNITS).round() as u64)
        };
        let belief: Belief = group.chunk_by(|a, b| a.1 == b.1).map(of_state).collect();
        beliefs.push((group[0].0, sum, belief));
    }
    beliefs
}
