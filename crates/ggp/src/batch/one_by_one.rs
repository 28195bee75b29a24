//! Lanes without a network: their states are evaluated one after the other. Actions are ranks among the legal moves.

use super::BatchOptions;
use crate::reasoner::{Reasoner, State};
use ggp_game::{EvalError, Fact, Goals, Move, Role, StateMachine, StopToken, rng::Stream};
use ggp_propnet::{IllegalAction, Seeds};

/// Some lanes of a batch, with a machine of their own.
pub(super) struct OneByOne {
    machine: Reasoner,
    start: State,
    seed: u64,
    seeds: Seeds,
    first: u64,
    max_steps: u32,
    nature: Option<usize>,
    lanes: Vec<Lane>,
    /// The lanes that make no steps for now.
    paused: Vec<bool>,
    stop: StopToken,
}

/// One episode.
#[derive(Clone)]
struct Lane {
    state: State,
    /// For each role, the legal moves. Empty once the episode is over.
    legal: Vec<Vec<Move>>,
    /// For each role, its percepts in the last step. Empty in a game without percepts.
    seen: Vec<Vec<Fact>>,
    episode: u32,
    steps: u32,
    is_terminated: bool,
    is_truncated: bool,
    has_just_ended: bool,
    goals: Vec<u8>,
}

impl OneByOne {
    pub(super) fn new(
        reasoner: &Reasoner,
        options: &BatchOptions,
        first: u64,
        count: usize,
    ) -> Result<OneByOne, EvalError> {
        let mut machine = reasoner.clone();
        let start = machine.initial_state()?;
        let roles = machine.game().role_count();
        let lane = Lane {
            state: start.clone(),
            legal: vec![Vec::new(); roles],
            seen: if machine.game().has_percepts() { vec![Vec::new(); roles] } else { Vec::new() },
            episode: 0,
            steps: 0,
            is_terminated: false,
            is_truncated: false,
            has_just_ended: false,
            goals: vec![0; roles],
        };
        let nature = machine.game().nature().map(Role::index);
        let max_steps = options.max_steps.unwrap_or(u32::MAX).max(1);
        let mut lane = lane;
        lane.judge(&mut machine, max_steps)?;
        let lanes = vec![lane; count];
        Ok(OneByOne {
            machine,
            start,
            seed: options.seed,
            seeds: Seeds::One,
            first,
            max_steps,
            nature,
            lanes,
            paused: vec![false; count],
            stop: StopToken::new(),
        })
    }

    pub(super) fn lanes(&self) -> usize {
        self.lanes.len()
    }

    /// The actions that are not legal. No lane changes.
    pub(super) fn check(&self, actions: &[i32]) -> Vec<IllegalAction> {
        let roles = self.start_roles();
        let mut faults = Vec::new();
        for (number, (lane, actions)) in self.lanes.iter().zip(actions.chunks(roles)).enumerate() {
            let moves = !lane.is_over() && !lane.is_stuck() && !self.paused[number];
            for (role, &action) in actions.iter().enumerate().filter(|_| moves) {
                let count = lane.legal[role].len();
                let open = count == 1 || self.nature == Some(role);
                if !usize::try_from(action).map_or(open, |rank| rank < count) {
                    faults.push(IllegalAction { lane: number, role, action });
                }
            }
        }
        faults
    }

    /// Makes a step. `actions` have been checked: `faults` are the illegal ones, whose episodes end.
    pub(super) fn step(
        &mut self,
        actions: Option<&[i32]>,
        faults: &[IllegalAction],
    ) -> Result<(), EvalError> {
        let roles = self.start_roles();
        for (number, lane) in self.lanes.iter_mut().enumerate() {
            self.stop.check()?;
            lane.has_just_ended = false;
            if lane.is_over() || self.paused[number] {
                continue;
            }
            if lane.is_stuck() {
                lane.is_truncated = true;
                lane.end(&mut self.machine)?;
                continue;
            }
            if faults.iter().any(|fault| fault.lane == number) {
                lane.is_terminated = true;
                lane.end(&mut self.machine)?;
                lane.goals.fill(100);
                let own = faults.iter().filter(|fault| fault.lane == number);
                own.for_each(|fault| lane.goals[fault.role] = 0);
                continue;
            }
            let own = actions.map(|actions| &actions[number * roles..][..roles]);
            let stream = stream(self.seeds, self.seed, self.first + number as u64, lane.episode);
            let steps = lane.steps;
            let choose = |(role, legal): (usize, &Vec<Move>)| {
                let given = own.and_then(|own| usize::try_from(own[role]).ok());
                let drawn = |count: usize| stream.below(steps, Role(role as u8), count as u32) as usize;
                legal[given.unwrap_or_else(|| drawn(legal.len()))]
            };
            let joint: Vec<Move> = lane.legal.iter().enumerate().map(choose).collect();
            for (role, seen) in lane.seen.iter_mut().enumerate() {
                self.machine.percepts(&lane.state, &joint, Role(role as u8), seen)?;
            }
            lane.state = self.machine.next_state(&lane.state, &joint)?;
            lane.steps += 1;
            lane.judge(&mut self.machine, self.max_steps)?;
        }
        if self.machine.has_many_moves() {
            self.machine.release_moves();
            for lane in self.lanes.iter_mut().filter(|lane| !lane.is_over()) {
                lane.find_legal(&mut self.machine)?;
            }
        }
        Ok(())
    }

    /// From now on, the lanes that `paused` accepts make no steps.
    pub(super) fn pause(&mut self, paused: impl Fn(usize) -> bool) {
        self.paused.iter_mut().enumerate().for_each(|(lane, one)| *one = paused(lane));
    }

    fn start_roles(&self) -> usize {
        self.machine.game().role_count()
    }

    pub(super) fn reset(&mut self, chosen: impl Fn(usize) -> bool) {
        for number in (0..self.lanes.len()).filter(|&lane| chosen(lane)) {
            let episode = self.lanes[number].episode + 1;
            self.begin(number, episode);
        }
    }

    pub(super) fn reset_ended(&mut self) {
        let over: Vec<bool> = self.lanes.iter().map(Lane::is_over).collect();
        self.reset(|lane| over[lane]);
    }

    pub(super) fn restart(&mut self, seed: u64, seeds: Seeds) {
        (self.seed, self.seeds) = (seed, seeds);
        (0..self.lanes.len()).for_each(|lane| self.begin(lane, 0));
    }

    fn begin(&mut self, number: usize, episode: u32) {
        let lane = &mut self.lanes[number];
        lane.state = self.start.clone();
        (lane.episode, lane.steps) = (episode, 0);
        (lane.is_terminated, lane.is_truncated, lane.has_just_ended) = (false, false, false);
        lane.goals.fill(0);
        lane.seen.iter_mut().for_each(Vec::clear);
        if lane.judge(&mut self.machine, self.max_steps).is_err() {
            // The initial state has been evaluated before, so this is an interruption or a lack of memory.
            lane.is_truncated = true;
        }
    }

    pub(super) fn are_over(&self) -> bool {
        self.lanes.iter().all(Lane::is_over)
    }

    pub(super) fn facts(&mut self, lane: usize) -> Result<Vec<Fact>, EvalError> {
        self.machine.facts_of(&self.lanes[lane].state)
    }

    /// From now on, steps end soon after `stop` is raised, and leave some lanes behind.
    pub(super) fn interrupt_on(&mut self, stop: &StopToken) {
        self.stop = stop.clone();
        self.machine.interrupt_on(stop);
    }

    pub(super) fn is_terminated(&self, lane: usize) -> bool {
        self.lanes[lane].is_terminated
    }

    pub(super) fn is_truncated(&self, lane: usize) -> bool {
        self.lanes[lane].is_truncated
    }

    pub(super) fn has_just_ended(&self, lane: usize) -> bool {
        self.lanes[lane].has_just_ended
    }

    pub(super) fn goals(&self, lane: usize) -> &[u8] {
        &self.lanes[lane].goals
    }

    pub(super) fn steps(&self, lane: usize) -> u32 {
        self.lanes[lane].steps
    }

    pub(super) fn episode(&self, lane: usize) -> u32 {
        self.lanes[lane].episode
    }

    /// The percepts of `role` in the lane's last step.
    pub(super) fn percepts(&self, lane: usize, role: usize) -> &[Fact] {
        self.lanes[lane].seen.get(role).map_or(&[], Vec::as_slice)
    }

    /// The text of the legal move with the rank `rank`.
    pub(super) fn move_text(&self, lane: usize, role: usize, rank: usize) -> Option<&str> {
        Some(self.machine.move_text(*self.lanes[lane].legal[role].get(rank)?))
    }

    /// The number of legal moves of `role` in the lane.
    pub(super) fn count(&self, lane: usize, role: usize) -> usize {
        self.lanes[lane].legal[role].len()
    }

    /// The role whose turn it is, as for lanes with a network, but without knowledge of waiting roles.
    pub(super) fn turn(&self, lane: usize) -> i8 {
        let lane = &self.lanes[lane];
        let players = (0..lane.legal.len()).filter(|&role| Some(role) != self.nature);
        let mut choosing = players.clone().filter(|&role| lane.legal[role].len() > 1);
        match (choosing.next(), choosing.next()) {
            _ if lane.is_over() => -1,
            (Some(one), None) => one as i8,
            (Some(_), Some(_)) => -1,
            (None, _) => players.clone().next().map_or(-1, |role| role as i8),
        }
    }

    /// 32 random bits for `role` in the next step of the lane.
    pub(super) fn bits(&self, lane: usize, role: usize) -> u32 {
        let Lane { episode, steps, .. } = self.lanes[lane];
        let stream = stream(self.seeds, self.seed, self.first + lane as u64, episode);
        stream.bits(steps, Role(role as u8))
    }
}

/// The random stream of an episode, as for lanes with a network.
fn stream(seeds: Seeds, seed: u64, lane: u64, episode: u32) -> Stream {
    match seeds {
        Seeds::One => Stream::new(seed, lane | (u64::from(episode) << 32)),
        Seeds::ByLane => Stream::new(seed.wrapping_add(lane), u64::from(episode) << 32),
    }
}

impl Lane {
    fn is_over(&self) -> bool {
        self.is_terminated || self.is_truncated
    }

    /// Whether a role has no legal move although the episode is not over.
    fn is_stuck(&self) -> bool {
        self.legal.iter().any(Vec::is_empty)
    }

    /// Evaluates whether the episode is over, and else the legal moves.
    fn judge(&mut self, machine: &mut Reasoner, max_steps: u32) -> Result<(), EvalError> {
        self.is_terminated = machine.is_terminal(&self.state)?;
        self.is_truncated = !self.is_terminated && self.steps >= max_steps;
        if self.is_over() { self.end(machine) } else { self.find_legal(machine) }
    }

    fn find_legal(&mut self, machine: &mut Reasoner) -> Result<(), EvalError> {
        for role in machine.game().clone().roles() {
            machine.legal_moves(&self.state, role, &mut self.legal[role.index()])?;
        }
        Ok(())
    }

    fn end(&mut self, machine: &mut Reasoner) -> Result<(), EvalError> {
        self.legal.iter_mut().for_each(Vec::clear);
        self.has_just_ended = true;
        let mut goals = vec![Goals::None; self.goals.len()];
        machine.goals(&self.state, &mut goals)?;
        for (goal, known) in self.goals.iter_mut().zip(goals) {
            *goal = known.score().value();
        }
        Ok(())
    }
}
