//! [`Batch`]: many episodes of one game, which step together.

mod against;
mod expansion;
mod histories;
mod one_by_one;
mod planes;
mod reading;
mod tally;
#[cfg(test)]
mod tests;
mod thought;

pub use self::against::{Opponents, UnfitOpponents};
pub use self::expansion::Expansion;
pub use self::reading::Rows;
pub use self::tally::Tally;

use self::histories::History;
use self::one_by_one::OneByOne;
use crate::batch_error::BatchError;
use crate::reasoner::{Reasoner, State};
use ggp_game::{EvalError, Role, StateMachine, StopToken};
use ggp_propnet::{Checked, Episodes, IllegalAction, Seeds};
use rayon::prelude::*;
use std::fmt::{self, Debug, Formatter};

/// The treatment of an action that is not legal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Illegal {
    /// The step is refused as a whole, and no lane changes.
    IsRefused,
    /// The lane's episode is over. The roles at fault get the goal 0, and the others get 100.
    EndsEpisode,
}

/// The options of a [`Batch`].
#[derive(Clone, Debug)]
pub struct BatchOptions {
    /// The seed of all draws.
    pub seed: u64,
    /// The number of threads, at least 1. Results do not depend on it.
    pub threads: usize,
    /// The number of steps after which an episode is cut off. `None` for no limit.
    pub max_steps: Option<u32>,
    /// The treatment of an action that is not legal.
    pub illegal: Illegal,
}

impl Default for BatchOptions {
    /// The seed 0, one thread, no limit of steps; illegal actions are refused.
    fn default() -> BatchOptions {
        BatchOptions { seed: 0, threads: 1, max_steps: None, illegal: Illegal::IsRefused }
    }
}

/// Many episodes of one game, one in each lane, which step together. An episode is one play of the game. Where it is
/// over, the lane keeps its last state until [`Batch::reset`] begins its next episode.
///
/// On the network, an action is the index of a move in the role's table of moves ([`Reasoner::moves`]). Without a
/// network the moves of a game are not known beforehand: an action is then the rank of a move among the role's legal
/// moves, ordered by their texts.
///
/// The draws of an episode depend only on the seed, the number of its lane and its number in the lane. The first
/// episode of lane `i` makes the moves of playout `i` of that seed, if all of its moves are drawn.
///
/// # Examples
/// ```
/// use ggp::{Batch, BatchOptions, Reasoner};
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap();
/// let reasoner = Reasoner::new(&ggp::load("games/connect_four.kif")?)?;
/// let mut batch = Batch::new(&reasoner, 1000, &BatchOptions { seed: 1, ..BatchOptions::default() })?;
/// while !batch.is_over() {
///     batch.step(None)?;
/// }
/// let won = (0..1000).filter(|&lane| batch.goals(lane)[0] == 100).count();
/// assert!((450..650).contains(&won), "the first player wins more than half of random games");
/// # Ok::<(), ggp::Error>(())
/// ```
pub struct Batch {
    reasoner: Reasoner,
    inner: Inner,
    lanes: usize,
    roles: usize,
    illegal: Illegal,
    /// The lanes whose episodes ended in steps before the last one that belong to the same call.
    earlier: Vec<usize>,
    /// Whether the last call made any step.
    has_stepped: bool,
    /// For each lane, what the roles have seen. Empty unless opponents search in a game of hidden information.
    histories: Vec<History>,
    /// The threads that step the blocks of lanes. `None` for the calling thread.
    pool: Option<rayon::ThreadPool>,
}

enum Inner {
    Network(Vec<Episodes>),
    OneByOne(Vec<OneByOne>),
}

/// The largest number of lanes.
const MAX_LANES: usize = 1 << 24;
/// The most memory that the lanes of a batch take, in bytes.
const MAX_BYTES: usize = 8 << 30;

/// The step of one block of lanes.
struct Step<'a, B, C> {
    number: usize,
    block: &'a mut B,
    checked: Option<C>,
    outcome: Result<(), EvalError>,
}

impl<'a, B, C> Step<'a, B, C> {
    fn of(blocks: &'a mut [B]) -> Vec<Step<'a, B, C>> {
        let steps = blocks.iter_mut().enumerate();
        steps.map(|(number, block)| Step { number, block, checked: None, outcome: Ok(()) }).collect()
    }
}

/// Calls `call` with each item, on the threads of `pool` if there are any.
fn each<T: Send>(pool: Option<&rayon::ThreadPool>, items: &mut [T], call: impl Fn(&mut T) + Sync + Send) {
    match pool {
        Some(pool) => pool.install(|| items.par_iter_mut().for_each(&call)),
        None => items.iter_mut().for_each(call),
    }
}

impl Batch {
    /// A batch of `lanes` lanes, whose episodes begin in the initial state, on the machine of `reasoner`. On the network,
    /// the first batch of a game compiles a program.
    ///
    /// # Errors
    /// [`BatchError::TooLarge`] for too many lanes, [`BatchError::Eval`] if the rules cannot be evaluated.
    pub fn new(reasoner: &Reasoner, lanes: usize, options: &BatchOptions) -> Result<Batch, BatchError> {
        if lanes == 0 || lanes > MAX_LANES {
            return Err(BatchError::TooLarge(format!("a batch has 1 to {MAX_LANES} lanes, not {lanes}")));
        }
        let roles = reasoner.game().role_count();
        let inner = if let Some(machine) = reasoner.as_network() {
            let mut blocks: Vec<Episodes> = Vec::new();
            for first in (0..lanes).step_by(Episodes::LANES) {
                let count = Episodes::LANES.min(lanes - first);
                let block = machine.episodes(options.seed, first as u64, count, &StopToken::new())?;
                let bytes = block.bytes() * lanes.div_ceil(Episodes::LANES);
                if bytes > MAX_BYTES {
                    let (mib, most) = (bytes >> 20, MAX_BYTES >> 20);
                    let what =
                        format!("{lanes} lanes of this game take {mib} MiB; at most {most} are allowed");
                    return Err(BatchError::TooLarge(what));
                }
                blocks.push(block);
            }
            if let Some(max_steps) = options.max_steps {
                for block in &mut blocks {
                    block.limit_steps(max_steps);
                }
            }
            Inner::Network(blocks)
        } else {
            // Each thread has one block, because a block has a machine of its own.
            let size = lanes.div_ceil(options.threads.max(1));
            let firsts = (0..lanes).step_by(size);
            let blocks =
                firsts.map(|first| OneByOne::new(reasoner, options, first as u64, size.min(lanes - first)));
            Inner::OneByOne(blocks.collect::<Result<_, _>>()?)
        };
        let pool = (options.threads > 1)
            .then(|| rayon::ThreadPoolBuilder::new().num_threads(options.threads).build());
        let pool = pool.transpose().map_err(|error| BatchError::Threads(error.to_string()))?;
        Ok(Batch {
            reasoner: reasoner.clone(),
            inner,
            lanes,
            roles,
            illegal: options.illegal,
            earlier: Vec::new(),
            has_stepped: false,
            histories: Vec::new(),
            pool,
        })
    }

    /// The number of lanes.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// The number of roles.
    pub fn roles(&self) -> usize {
        self.roles
    }

    /// Whether the batch runs on the network. Without it, there are neither rows of fluents nor masks of moves.
    pub fn is_network(&self) -> bool {
        matches!(self.inner, Inner::Network(_))
    }

    /// The number of lanes of a block.
    fn size(&self) -> usize {
        match &self.inner {
            Inner::Network(_) => Episodes::LANES,
            Inner::OneByOne(blocks) => blocks.first().map_or(1, OneByOne::lanes),
        }
    }

    /// Makes a step in each lane whose episode is not over. `actions` has one action for each lane and role. In lanes
    /// whose episodes are over, actions do not count. A negative action stands for the only legal move of the role, and
    /// for a drawn one if the role is chance. Without `actions`, every role makes a random legal move.
    ///
    /// # Errors
    /// [`BatchError::Illegal`] if an action is not legal and [`BatchOptions::illegal`] refuses it: no lane has changed
    /// then. [`BatchError::Eval`] if the rules cannot be evaluated.
    pub fn step(&mut self, actions: Option<&[i32]>) -> Result<(), BatchError> {
        self.earlier.clear();
        self.has_stepped = true;
        let (ends, roles, size) = (self.illegal == Illegal::EndsEpisode, self.roles, self.size());
        let part = |at: usize| actions.map(|actions| &actions[at * size * roles..]);
        match &mut self.inner {
            Inner::Network(blocks) => {
                let mut steps: Vec<Step<'_, Episodes, Checked>> = Step::of(blocks);
                if actions.is_some() {
                    each(self.pool.as_ref(), &mut steps, |step| {
                        step.checked = part(step.number).map(|actions| step.block.check(actions));
                    });
                    let fault = |step: &Step<'_, _, Checked>| {
                        Some((step.number * size, step.checked.as_ref()?.fault()?))
                    };
                    if let Some((first, fault)) = steps.iter().find_map(fault).filter(|_| !ends) {
                        return Err(self.illegal(first, fault));
                    }
                }
                each(self.pool.as_ref(), &mut steps, |step| match (part(step.number), &step.checked) {
                    (Some(actions), Some(checked)) => step.block.step_checked(actions, checked),
                    _ => step.block.step_at_random(),
                });
            }
            Inner::OneByOne(blocks) => {
                let mut steps: Vec<Step<'_, OneByOne, Vec<IllegalAction>>> = Step::of(blocks);
                if actions.is_some() {
                    let check = |step: &mut Step<'_, OneByOne, _>| {
                        step.checked = part(step.number).map(|actions| step.block.check(actions));
                    };
                    steps.iter_mut().for_each(check);
                    let fault = |step: &Step<'_, _, Vec<IllegalAction>>| {
                        Some((step.number * size, *step.checked.as_ref()?.first()?))
                    };
                    if let Some((first, fault)) = steps.iter().find_map(fault).filter(|_| !ends) {
                        return Err(self.illegal(first, fault));
                    }
                }
                each(self.pool.as_ref(), &mut steps, |step| {
                    let faults = step.checked.as_deref().unwrap_or_default();
                    step.outcome = step.block.step(part(step.number), faults);
                });
                steps.into_iter().try_for_each(|step| step.outcome)?;
            }
        }
        Ok(())
    }

    /// The error for `fault` in a block whose first lane is `first`.
    fn illegal(&self, first: usize, fault: IllegalAction) -> BatchError {
        let role = Role(fault.role as u8);
        BatchError::Illegal {
            lane: first + fault.lane,
            role: self.reasoner.game().role_name(role).to_owned(),
            action: fault.action,
            text: self.reasoner.move_at(role, fault.action).map(str::to_owned),
        }
    }

    /// Begins the next episode in each lane that `chosen` accepts.
    pub fn reset(&mut self, chosen: impl Fn(usize) -> bool) {
        let size = self.size();
        match &mut self.inner {
            Inner::Network(blocks) => {
                (0..).zip(blocks).for_each(|(at, block)| block.reset(|lane| chosen(at * size + lane)));
            }
            Inner::OneByOne(blocks) => {
                (0..).zip(blocks).for_each(|(at, block)| block.reset(|lane| chosen(at * size + lane)));
            }
        }
    }

    /// Begins the next episode in each lane whose episode is over.
    pub fn reset_ended(&mut self) {
        match &mut self.inner {
            Inner::Network(blocks) => blocks.iter_mut().for_each(Episodes::reset_ended),
            Inner::OneByOne(blocks) => blocks.iter_mut().for_each(OneByOne::reset_ended),
        }
    }

    /// Begins the first episode of `seed` in all lanes.
    pub fn restart(&mut self, seed: u64, seeds: Seeds) {
        self.histories.clear();
        match &mut self.inner {
            Inner::Network(blocks) => blocks.iter_mut().for_each(|block| block.restart(seed, seeds)),
            Inner::OneByOne(blocks) => blocks.iter_mut().for_each(|block| block.restart(seed, seeds)),
        }
    }

    /// Makes random steps until all episodes are over, or `stop` is raised.
    ///
    /// # Errors
    /// [`EvalError::Interrupted`] if `stop` is raised: some lanes may then have made a step more than others. Also the
    /// errors of the evaluation.
    pub fn roll_out(&mut self, stop: &StopToken) -> Result<(), BatchError> {
        self.interrupt_on(stop);
        let mut outcome = Ok(());
        while outcome.is_ok() && !self.is_over() {
            outcome = stop.check().map_err(BatchError::Eval).and_then(|()| self.step(None));
        }
        self.interrupt_on(&StopToken::new());
        outcome
    }

    fn interrupt_on(&mut self, stop: &StopToken) {
        match &mut self.inner {
            // A step on the network is short.
            Inner::Network(_) => {}
            Inner::OneByOne(blocks) => blocks.iter_mut().for_each(|block| block.interrupt_on(stop)),
        }
    }

    /// The state of the lane, for `reasoner`, a reasoner of the same game.
    ///
    /// # Errors
    /// The errors of the evaluation.
    pub fn state(&mut self, lane: usize, reasoner: &mut Reasoner) -> Result<State, EvalError> {
        let (block, lane) = (lane / self.size(), lane % self.size());
        match &mut self.inner {
            Inner::Network(blocks) if reasoner.is_network() => {
                Ok(State::of_network(blocks[block].state(lane)))
            }
            Inner::Network(blocks) => {
                let state = State::of_network(blocks[block].state(lane));
                reasoner.state_of(&self.reasoner.facts_of(&state)?)
            }
            Inner::OneByOne(blocks) => reasoner.state_of(&blocks[block].facts(lane)?),
        }
    }
}

impl Debug for Batch {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch")
            .field("machine", &self.reasoner.name())
            .field("lanes", &self.lanes)
            .finish_non_exhaustive()
    }
}

impl Reasoner {
    /// The texts of `role`'s moves, which are the role's actions. `None` without a network: the moves are not known
    /// beforehand then.
    pub fn moves(&self, role: Role) -> Option<Vec<&str>> {
        let moves = &self.as_network()?.net().roles()[role.index()].moves;
        Some(moves.iter().map(|mv| &*mv.text).collect())
    }

    /// The text of the move that is `role`'s action `action`. `None` if there is none, or no network.
    pub(crate) fn move_at(&self, role: Role, action: i32) -> Option<&str> {
        let moves = &self.as_network()?.net().roles()[role.index()].moves;
        Some(&moves.get(usize::try_from(action).ok()?)?.text)
    }

    /// The facts of the rows of fluents. `None` without a network: the facts are not known beforehand then.
    pub fn fluents(&self) -> Option<Vec<&str>> {
        Some(self.as_network()?.net().fluents().iter().map(|fluent| fluent.fact.as_str()).collect())
    }

    /// The percepts that `role` may get. `None` without a network: they are not known beforehand then.
    pub fn percepts_of(&self, role: Role) -> Option<Vec<&str>> {
        let sees = &self.as_network()?.net().roles()[role.index()].sees;
        Some(sees.iter().map(|(fact, _)| fact.as_str()).collect())
    }

    /// The state whose fluents are the bits of `words`, in the order of [`Reasoner::fluents`].
    ///
    /// # Errors
    /// Without a network, and if `words` is no state of this game.
    pub fn state_of_words(&self, words: &[u64]) -> Result<State, EvalError> {
        let machine = self.as_network().ok_or(EvalError::ForeignState)?;
        Ok(State::of_network(machine.state_of_words(words)?))
    }
}
