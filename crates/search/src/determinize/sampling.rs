//! Flat Monte-Carlo search over the states of a role's information set.

use ggp_game::rng::Sequence;
use ggp_game::{
    Clocks, Deadline, EvalError, InformationSet, Move, Observation, PlayError, PlayoutPlan, Playouts, Role,
    StopToken,
};
use std::time::{Duration, Instant};

/// The number of iterations between two checks of the clock.
const BATCH: u64 = 4;

/// The player's data for its current match.
pub(super) struct RunningMatch<M: Playouts> {
    pub(super) machine: M,
    pub(super) possible: InformationSet<M>,
    pub(super) role: Role,
    pub(super) clocks: Clocks,
    pub(super) random: Sequence,
    pub(super) playouts: u64,
}

/// The goals of the playouts after one move: their sum and their number.
#[derive(Clone, Copy, Default)]
pub(super) struct MoveStats {
    pub(super) sum: u64,
    pub(super) count: u64,
}

impl MoveStats {
    /// The mean goal. `None` if there are no playouts.
    pub(super) fn mean(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }
}

impl<M: Playouts> RunningMatch<M> {
    /// Updates the information set with an observation.
    pub(super) fn update_states(&mut self, seen: Observation<'_>) -> Result<(), PlayError> {
        let seed = match seen {
            Observation::Percepts { .. } => self.random.below(1 << 30) as u64,
            // Nothing is sampled.
            Observation::Start | Observation::Moves(_) => 0,
        };
        self.possible.follow(&mut self.machine, seen, seed)
    }

    /// Draws `count` states, and for each state a random legal move of every other role. `own` holds the
    /// legal moves of the player's role. Plays one playout after each move of `own` in each drawn state, and
    /// adds the playout's score to the move's entry in `of_moves`.
    fn iterate(&mut self, own: &[Move], count: u64, of_moves: &mut [MoveStats]) -> Result<(), EvalError> {
        let (mut starts, mut legal) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let bits = self.random.below(1 << 30) as u32;
            let Some(state) = self.possible.draw(bits << 2).cloned() else { return Ok(()) };
            let mut joint = Vec::new();
            for role in self.machine.game().clone().roles() {
                self.machine.legal_moves(&state, role, &mut legal)?;
                if legal.is_empty() {
                    return Ok(());
                }
                joint.push(legal[self.random.below(legal.len())]);
            }
            for &mv in own {
                joint[self.role.index()] = mv;
                starts.push(self.machine.next_state(&state, &joint)?);
            }
        }
        let plan =
            PlayoutPlan { first: self.playouts, ..PlayoutPlan::new(self.random.below(1 << 30) as u64) };
        self.playouts += starts.len() as u64;
        let role = self.role.index();
        self.machine.playouts(&starts, plan, &mut |playout| {
            let goals = playout.goals[role];
            let cut_off = !playout.terminal && playout.steps >= plan.max_steps;
            let score = if cut_off { goals.estimate() } else { goals.score() };
            let stats = &mut of_moves[playout.index % own.len()];
            stats.sum += u64::from(score.value());
            stats.count += 1;
        })
    }

    /// Searches until `iterations` are done, `stop` is raised, or the next batch might end after `deadline`.
    /// `own` holds the legal moves of the player's role. Returns the statistics of each of these moves, and
    /// the number of iterations done. Does not search if there is only one move.
    pub(super) fn search(
        &mut self,
        own: &[Move],
        iterations: Option<u64>,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<(Vec<MoveStats>, u64), EvalError> {
        // A batch is expected to take as long as the longest batch so far, and starts only if twice that
        // time is left.
        let mut longest = Duration::ZERO;
        let mut of_moves = vec![MoveStats::default(); own.len()];
        let mut done = 0;
        while own.len() > 1
            && !stop.is_stopped()
            && deadline.remaining().is_none_or(|left| left > 2 * longest)
        {
            let left = iterations.map_or(BATCH, |all| BATCH.min(all - done));
            if left == 0 {
                break;
            }
            let batch = Instant::now();
            let mut more = of_moves.clone();
            match self.iterate(own, left, &mut more) {
                // The moves have unequal numbers of playouts, but even an incomplete batch is better than no
                // information.
                Err(EvalError::Interrupted) if done == 0 => return Ok((more, done)),
                Err(EvalError::Interrupted) => break,
                iterated => iterated?,
            }
            of_moves = more;
            done += left;
            longest = longest.max(batch.elapsed());
        }
        Ok((of_moves, done))
    }

    /// The index of the move with the best mean. A random index if there are no playouts.
    pub(super) fn best(&mut self, of_moves: &[MoveStats]) -> usize {
        if of_moves.iter().all(|stats| stats.count == 0) {
            return self.random.below(of_moves.len());
        }
        let better = |best: usize, next: usize| {
            if of_moves[next].mean() > of_moves[best].mean() { next } else { best }
        };
        (0..of_moves.len()).reduce(better).unwrap_or(0)
    }
}
