//! Episodes: plays of the game that a caller steps, one in each lane. Moves come from the caller or are drawn.
//!
//! All lanes step together, in any phase of the game. A lane whose episode is over keeps its last state until the caller
//! begins the lane's next episode.
//!
//! The draws of an episode depend only on the seed, the lane's number and the number of the episode in its lane. The
//! first episode of lane `i` draws the moves of playout `i` of the seed.

mod chosen;
mod phase;
mod reading;
#[cfg(test)]
mod tests;

pub use self::chosen::{Checked, IllegalAction};

use self::phase::{ANY, MoveRows, rows_of_moves};

use super::shared::Shared;
use super::{PropNetMachine, WORDS};
use crate::cpu::Kernels;
use crate::evaluator::PhasePrograms;
use crate::lanes::{Outcomes, move_rows, set_rows};
use crate::leaves::LegalRows;
use crate::net::PropNet;
use crate::program::{Layout, ONES, state_row};
use crate::rows::Row;
use crate::select::{Keys, NO_MOVE, Scratch};
use ggp_game::{EvalError, Role, StopToken, rng};
use std::sync::Arc;

type Lanes = Row<WORDS>;

/// Up to [`Episodes::LANES`] episodes of one game, which step together.
///
/// An action of a role is the index of a move in [`NetRole::moves`](crate::NetRole::moves).
///
/// # Examples
/// ```
/// use ggp_game::{Game, StopToken};
/// use ggp_propnet::{GroundLimits, PropNet, PropNetMachine};
/// use std::sync::Arc;
/// let rules = b"(role a) (legal a x) (legal a y) (<= (next won) (does a y)) (next over) (<= terminal (true over))
///     (<= (goal a 100) (true won)) (<= (goal a 0) (not (true won)))";
/// let game = Arc::new(Game::new(ggp_gdl::parse(rules).unwrap()).unwrap());
/// let net = PropNet::ground(&game, &GroundLimits::default(), &StopToken::new()).unwrap();
/// let machine = PropNetMachine::new(net).unwrap();
/// let mut episodes = machine.episodes(1, 0, 2, &StopToken::new()).unwrap();
/// episodes.step(&[0, 1]).unwrap();
/// assert!(episodes.is_terminated(0) && episodes.is_terminated(1));
/// assert_eq!((episodes.goals(0), episodes.goals(1)), (&[0][..], &[100][..]));
/// ```
#[derive(Clone, Debug)]
pub struct Episodes {
    shared: Arc<Shared>,
    kernels: Kernels,
    rows: Vec<Lanes>,
    scratch: Scratch<WORDS>,
    keys: Keys,
    seed: u64,
    seeds: Seeds,
    /// The number of lane 0. The other lanes have the numbers that follow.
    first: u64,
    lanes: usize,
    /// The lanes in use.
    used: Lanes,
    /// The lanes whose episodes are not over.
    live: Lanes,
    /// The lanes that make no steps for now.
    paused: Lanes,
    terminated: Lanes,
    truncated: Lanes,
    /// The lanes whose episodes ended in the last step.
    ended: Lanes,
    /// For each lane, the number of its episode.
    episode: Vec<u32>,
    /// For each lane, the number of the step before which its episode began.
    began: Vec<u64>,
    /// For each lane whose episode is over, the number of its steps.
    length: Vec<u32>,
    /// For each lane and role, the goal of the episode. 0 while the episode runs.
    goals: Vec<u8>,
    max_steps: u32,
    /// The first step after which an episode may have reached `max_steps`.
    cut_off_at: u64,
    /// The number of steps that the lanes have made together.
    steps: u64,
    outcomes: Outcomes<WORDS>,
    evaluated: Evaluated,
    /// For each role, the move row that each lane has chosen, for roles with many moves.
    chosen: Vec<Vec<u32>>,
    row_of: Arc<MoveRows>,
    /// The place of the program that is used.
    at: usize,
    /// For each state row, a word of equal bits: the value of the fluent in the initial state. The rows of the percepts
    /// of all roles follow those of the fluents.
    initial: Arc<[u64]>,
    is_over_at_once: bool,
    /// State rows of lanes that do not step, and move rows while a draw overwrites them.
    held: Vec<Lanes>,
    transposed: Vec<u64>,
}

/// Which seed the lanes of a block have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seeds {
    /// All lanes have the seed of the block.
    One,
    /// The lane with the number `i` draws as the lane 0 of the seed of the block plus `i`.
    ByLane,
}

/// How far the current states are evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Evaluated {
    Nothing,
    /// The rows hold the values of the terminal section, but not of the legal section.
    Terminal,
    /// The move rows say which moves are legal.
    Legal,
}

impl PropNetMachine {
    /// Episodes in `lanes` lanes, all in the initial state. Lane 0 has the number `first`. The first call compiles
    /// the programs.
    ///
    /// # Errors
    /// [`EvalError::TooLarge`] for more than [`Episodes::LANES`] lanes, [`EvalError::Interrupted`] soon after `stop`
    /// is raised.
    pub fn episodes(
        &self,
        seed: u64,
        first: u64,
        lanes: usize,
        stop: &StopToken,
    ) -> Result<Episodes, EvalError> {
        if lanes > Episodes::LANES {
            return Err(EvalError::TooLarge(format!("{lanes} episodes do not fit in one block of lanes")));
        }
        self.shared.episodes(stop)?;
        let mut episodes = Episodes::new(Arc::clone(&self.shared), self.kernels, seed, first, lanes);
        episodes.is_over_at_once = {
            let used = episodes.used;
            episodes.begin(used);
            episodes.judge(Row::ZERO, Row::ZERO);
            episodes.terminated.any()
        };
        Ok(episodes)
    }
}

/// The programs of episodes, which [`PropNetMachine::episodes`] has compiled.
fn programs(shared: &Shared) -> &PhasePrograms {
    shared.episodes.get().expect("compiled before the first episode")
}

impl Episodes {
    /// The largest number of lanes.
    pub const LANES: usize = 64 * WORDS;

    fn new(shared: Arc<Shared>, kernels: Kernels, seed: u64, first: u64, lanes: usize) -> Episodes {
        let all = programs(&shared);
        let mut rows = vec![Row::ZERO; all.rows];
        rows[ONES as usize] = Row::ONES;
        let moves: Vec<usize> = shared.net.roles.iter().map(|role| role.moves.len()).collect();
        let row_of = rows_of_moves(all, &moves);
        let holds = |&at: &u32| shared.net.fluents.get(at as usize).is_some_and(|fluent| fluent.initial);
        let initial = all.fluents.iter().map(|at| if holds(at) { !0 } else { 0 });
        let initial: Arc<[u64]> = initial.collect();
        let (roles, scratch) = (shared.net.roles.len(), all.scratch);
        let used = Row::ONES.first(lanes);
        Episodes {
            shared,
            kernels,
            rows,
            scratch: Scratch::new(scratch),
            keys: Keys::new(WORDS),
            seed,
            seeds: Seeds::One,
            first,
            lanes,
            used,
            live: Row::ZERO,
            paused: Row::ZERO,
            terminated: Row::ZERO,
            truncated: Row::ZERO,
            ended: Row::ZERO,
            episode: vec![0; lanes],
            began: vec![0; lanes],
            length: vec![0; lanes],
            goals: vec![0; lanes * roles],
            max_steps: u32::MAX,
            cut_off_at: u64::MAX,
            steps: 0,
            outcomes: Outcomes::default(),
            evaluated: Evaluated::Nothing,
            chosen: vec![vec![NO_MOVE; Episodes::LANES]; roles],
            row_of: Arc::new(row_of),
            at: ANY,
            initial,
            is_over_at_once: false,
            held: Vec::new(),
            transposed: Vec::new(),
        }
    }

    /// An estimate of the memory of one value, in bytes.
    pub fn bytes(&self) -> usize {
        let chosen: usize = self.chosen.iter().map(|of_role| size_of_val(&of_role[..])).sum();
        self.rows.len() * size_of::<Lanes>() + self.lanes * 24 + size_of_val(&self.goals[..]) + chosen
    }

    /// The number of lanes in use.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// The network of the game.
    pub fn net(&self) -> &PropNet {
        &self.shared.net
    }

    /// Ends episodes without a terminal state once they have made `max_steps` steps. It counts for steps that follow.
    pub fn limit_steps(&mut self, max_steps: u32) {
        self.max_steps = max_steps.max(1);
        self.cut_off_at = 0;
    }

    /// From now on, the lanes that `paused` accepts make no steps. Their episodes stay as they are.
    pub fn pause(&mut self, paused: impl Fn(usize) -> bool) {
        self.paused = Row::ZERO;
        (0..self.lanes).filter(|&lane| paused(lane)).for_each(|lane| self.paused.set(lane));
    }

    /// The lanes that make steps.
    fn moving(&self) -> Lanes {
        self.live & !self.paused
    }

    /// Begins the next episode in each lane that `chosen` accepts.
    pub fn reset(&mut self, chosen: impl Fn(usize) -> bool) {
        let mut lanes = Row::ZERO;
        (0..self.lanes).filter(|&lane| chosen(lane)).for_each(|lane| lanes.set(lane));
        self.begin_next(lanes);
    }

    /// Begins the next episode in each lane whose episode is over.
    pub fn reset_ended(&mut self) {
        self.begin_next(self.used & !self.live);
    }

    fn begin_next(&mut self, lanes: Lanes) {
        lanes.for_each_lane(|lane| self.episode[lane] = self.episode[lane].wrapping_add(1));
        self.begin(lanes);
    }

    /// Begins the first episode of `seed` in all lanes.
    pub fn restart(&mut self, seed: u64, seeds: Seeds) {
        (self.seed, self.seeds) = (seed, seeds);
        self.episode.fill(0);
        self.begin(self.used);
    }

    fn begin(&mut self, lanes: Lanes) {
        if !lanes.any() {
            return;
        }
        let before = rng::counter(self.steps as u32, Role(0));
        let roles = self.shared.net.roles.len();
        lanes.for_each_lane(|lane| {
            let key = self.stream(lane).key();
            let position = Keys::position(lane, WORDS);
            self.keys.low[position] = (key as u32).wrapping_sub(before);
            self.keys.high[position] = (key >> 32) as u32;
            self.began[lane] = self.steps;
            self.goals[lane * roles..][..roles].fill(0);
        });
        let states = state_row(0)..state_row(self.initial.len());
        self.kernels.write_states(&mut self.rows[states.clone()], &self.initial, &lanes);
        // Kept unknowns belong to one episode: they start as false.
        let kept = programs(&self.shared).kept_rows;
        self.rows[states.end..][..kept].iter_mut().for_each(|row| *row &= !lanes);
        self.live |= lanes;
        self.terminated &= !lanes;
        self.truncated &= !lanes;
        self.ended &= !lanes;
        self.cut_off_at = self.cut_off_at.min(self.steps + u64::from(self.max_steps));
        self.evaluated = Evaluated::Nothing;
        if self.is_over_at_once {
            self.judge(Row::ZERO, Row::ZERO);
        }
    }

    /// The random stream of the lane's episode.
    fn stream(&self, lane: usize) -> rng::Stream {
        let (number, episode) = (self.first + lane as u64, u64::from(self.episode[lane]) << EPISODE_SHIFT);
        match self.seeds {
            Seeds::One => rng::Stream::new(self.seed, number | episode),
            Seeds::ByLane => rng::Stream::new(self.seed.wrapping_add(number), episode),
        }
    }

    /// Makes a step in each lane whose episode is not over. Every role makes a random legal move.
    pub fn step_at_random(&mut self) {
        self.evaluate_legal();
        let mut stuck = Row::ZERO;
        for place in 0..self.shared.net.roles.len() {
            stuck |= self.moving() & !self.draw(place);
        }
        self.advance(stuck, Row::ZERO);
    }

    /// Draws a move for the role `role` in each lane: the move rows then say which move is chosen. Returns the lanes
    /// in which the role has a legal move.
    fn draw(&mut self, role: usize) -> Lanes {
        let phase = &programs(&self.shared).phases[self.at];
        let choice = &phase.program.choices[role];
        let Some(tree) = &phase.trees[role] else {
            return if choice.moves.is_empty() { Row::ZERO } else { self.rows[choice.base as usize] };
        };
        let counter = rng::counter(self.steps as u32, Role(choice.role as u8));
        let area = move_rows(&mut self.rows, choice);
        match &choice.sets {
            None => self.kernels.choose(area, tree, &mut self.scratch, &self.keys, counter),
            Some(sets) => {
                let chosen = &mut self.chosen[choice.role];
                let legal = &mut LegalRows::Computed(area.as_chunks().0);
                let some = self.kernels.find(legal, tree, &mut self.scratch, &self.keys, counter, chosen);
                set_rows(&mut self.rows, sets, chosen);
                some
            }
        }
    }

    /// Computes the next states from the chosen moves. The lanes of `stuck` and of `illegal`, and those whose episodes
    /// are over, keep their states.
    fn advance(&mut self, stuck: Lanes, illegal: Lanes) {
        let shared = Arc::clone(&self.shared);
        let programs = programs(&shared);
        let program = &programs.phases[self.at].program;
        let states = state_row(0)..state_row(programs.fluents.len() + programs.kept_rows);
        let still = self.used & (!self.moving() | stuck | illegal);
        if still.any() {
            self.held.clear();
            self.held.extend_from_slice(&self.rows[states.clone()]);
        }
        self.kernels.run_blocks(&program.next_blocks, &program.gates, &mut self.rows);
        if still.any() {
            for (row, &before) in self.rows[states].iter_mut().zip(&self.held) {
                *row = *row & !still | before & still;
            }
        }
        self.steps += 1;
        // The draws of a lane that has made no step wait for its next one.
        let one = rng::counter(1, Role(0));
        (self.live & self.paused).for_each_lane(|lane| {
            self.began[lane] += 1;
            let low = &mut self.keys.low[Keys::position(lane, WORDS)];
            *low = low.wrapping_sub(one);
        });
        self.evaluated = Evaluated::Nothing;
        self.judge(stuck, illegal);
    }

    /// Ends the episodes that are over: those in terminal states, and those in the lanes of `stuck` and `illegal`,
    /// whose last step was none.
    fn judge(&mut self, stuck: Lanes, illegal: Lanes) {
        self.find_phase();
        let shared = Arc::clone(&self.shared);
        let program = &programs(&shared).phases[self.at].program;
        self.kernels.run_blocks(&program.terminal_blocks, &program.gates, &mut self.rows);
        self.evaluated = Evaluated::Terminal;
        let (row, negated) = program.terminal;
        let stopped = stuck | illegal;
        let terminal = self.rows[row as usize].negated_if(negated) & self.live & !stopped;
        let cut_off = if self.steps >= self.cut_off_at { self.overdue() & !terminal } else { Row::ZERO };
        self.terminated |= terminal | illegal;
        self.truncated |= stuck | cut_off;
        self.ended = terminal | stopped | cut_off;
        if !self.ended.any() {
            return;
        }
        self.live &= !self.ended;
        self.kernels.run_blocks(&program.goal_blocks, &program.gates, &mut self.rows);
        self.outcomes.find(self.ended, &self.rows, &program.goals, &shared.net.roles);
        // The goal section overwrites rows of the terminal section.
        self.evaluated = Evaluated::Nothing;
        let roles = shared.net.roles.len();
        let Episodes { outcomes, goals, length, began, .. } = self;
        let steps = self.steps;
        self.ended.for_each_lane(|lane| {
            length[lane] = (steps - began[lane]) as u32 - u32::from(stopped.has(lane));
            let of_lane = &mut goals[lane * roles..][..roles];
            for (goal, known) in of_lane.iter_mut().zip(outcomes.goals_of(lane)) {
                *goal = known.score().value();
            }
        });
    }

    /// The lanes whose episodes have reached the limit of steps.
    fn overdue(&mut self) -> Lanes {
        let mut overdue = Row::ZERO;
        let mut next = u64::MAX;
        self.live.for_each_lane(|lane| {
            let due = self.began[lane] + u64::from(self.max_steps);
            if due <= self.steps {
                overdue.set(lane);
            } else {
                next = next.min(due);
            }
        });
        self.cut_off_at = next;
        overdue
    }

    /// Evaluates which moves are legal.
    fn evaluate_legal(&mut self) {
        if self.evaluated == Evaluated::Legal {
            return;
        }
        if self.evaluated == Evaluated::Nothing {
            self.find_phase();
        }
        let program = &programs(&self.shared).phases[self.at].program;
        if self.evaluated == Evaluated::Nothing && program.layout == Layout::Share {
            self.kernels.run_blocks(&program.terminal_blocks, &program.gates, &mut self.rows);
        }
        self.kernels.run_blocks(&program.legal_blocks, &program.gates, &mut self.rows);
        self.evaluated = Evaluated::Legal;
    }
}

/// The bits of a stream's number below this one are the number of the lane, the others the number of the episode.
const EPISODE_SHIFT: u32 = 32;
