//! A player prepares its first move by a trial of minimax values and by self-play.

use super::knowledge::Knowledge;
use super::learner::{DESCENTS, Learner};
use super::minimax_trial::MinimaxTrial;
use crate::limits::{Halt, Limits};
use crate::options::MctsOptions;
use crate::search::Search;
use crate::technique::Technique;
use ggp_game::{AnonymousRules, Deadline, PlayError, Playouts, Role, StopToken};
use std::time::{Duration, Instant};

/// The part of the start clock that goes to self-play.
const LEARNING: f64 = 0.6;
/// The part of the start clock that goes to the trial of minimax values. A trial that is promising but not decided after it
/// goes on for as long again.
const TRYING: f64 = 0.15;
/// A shorter start clock goes to the search of the first state alone.
const LEAST_CLOCK: Duration = Duration::from_secs(5);
/// Without a file of knowledge, a shorter start clock has no self-play: what it teaches is lost after the match.
const LEAST_CLOCK_WITHOUT_FILE: Duration = Duration::from_secs(15);
/// Self-play ends after this part of its time if the policy explains too little by then.
const PATIENCE: f64 = 0.5;
/// The time of a search before all that, which finds out whether the game is solved at once.
const PROBE: Duration = Duration::from_millis(50);

impl<M: Playouts> Search<M> {
    /// Prepares the first move of `role`. Minimax values are used if they win short matches: those that the file of knowledge
    /// tells of, or those that have a part of the time to `clock`, the end of the start clock. Then follows self-play, if there
    /// is a file of knowledge, a number of descents for it, or much time: this search uses the policy if that does not lose.
    /// Self-play goes on from the lesson of the game in the file, for the given descents, or for a part of the time. Returns the
    /// learner if there is a file for what it learns in the match.
    ///
    /// # Errors
    /// When the file of knowledge cannot be read.
    pub fn study(
        &mut self,
        role: Role,
        clock: Deadline,
        stop: &StopToken,
    ) -> Result<Option<Learner<M>>, PlayError> {
        let options = self.options.clone();
        let file = options.knowledge.as_deref();
        let by_clock = clock.remaining().filter(|&left| options.iterations.is_none() && left >= LEAST_CLOCK);
        // A game that is solved at once needs nothing more.
        let probe = Limits::time(PROBE).or_when(stop).for_role(role);
        if by_clock.is_some() && self.run(&probe) == Halt::Decided {
            return Ok(None);
        }
        let is_worth_it = file.is_some()
            || options.self_play.is_some()
            || by_clock.is_some_and(|left| left >= LEAST_CLOCK_WITHOUT_FILE);
        if !options.has(Technique::Learn) || !is_worth_it {
            self.decide_minimax(None, by_clock, stop);
            return Ok(None);
        }
        let knowledge = file.map_or_else(|| Ok(Knowledge::default()), Knowledge::read);
        let lesson = file.and(knowledge.as_ref().ok()).and_then(|knowledge| {
            let rules = AnonymousRules::new(self.machine().game().description());
            knowledge.lesson(&rules)
        });
        // A player's iterations are those of its moves. Self-play learns more from shorter searches.
        let of_self_play =
            MctsOptions { iterations: options.iterations.map(|most| most.min(DESCENTS)), ..options.clone() };
        let mut learner = Learner::new(self.machine(), &of_self_play, lesson);
        let known = learner.as_mut().and_then(|learner| learner.minimax.take());
        let minimax = self.decide_minimax(known, by_clock, stop);
        let Some(mut learner) = learner else { return Ok(None) };
        learner.minimax = minimax;
        // A game that cannot be learnt needs no file, so a bad one is no error there.
        knowledge.map_err(|error| PlayError::Unable(error.to_string()))?;
        // A policy is optional: the search does without it after an error.
        let learnt = match (options.self_play, by_clock) {
            (Some(most), _) => {
                let limits = Limits::iterations(most).until(clock).or_when(stop);
                learner.run(&limits, options.threads, |_| true)
            }
            (None, Some(left)) => {
                let (began, time) = (Instant::now(), left.mul_f64(LEARNING));
                let limits = Limits::time(time).or_when(stop);
                learner.run(&limits, options.threads, |generation| {
                    generation.passes() || began.elapsed() < time.mul_f64(PATIENCE)
                })
            }
            (None, None) => Ok(()),
        };
        if let (Ok(()), Some(policy)) = (learnt, learner.used()) {
            let _ = self.use_policy(policy);
        }
        Ok(file.is_some().then_some(learner))
    }

    /// Uses minimax values if the matches that are `known` say so. If these decide nothing, plays more in a part of `clock`, the
    /// time to the end of the start clock; none without it. Returns what is known then. Minimax values are optional: the search
    /// does without them after an error.
    fn decide_minimax(
        &mut self,
        known: Option<MinimaxTrial>,
        clock: Option<Duration>,
        stop: &StopToken,
    ) -> Option<MinimaxTrial> {
        if !self.options.has(Technique::Minimax) {
            return known;
        }
        let new = || clock.and_then(|_| MinimaxTrial::new(self.machine()));
        let mut trial = known.or_else(new)?;
        self.evaluation = trial.is_won().then(|| trial.evaluation.clone());
        let Some(time) = clock.map(|clock| clock.mul_f64(TRYING)) else { return Some(trial) };
        for is_first in [true, false] {
            if trial.is_decided() || !is_first && !trial.is_promising() {
                break;
            }
            let Ok(more) = self.go_on_with(trial.clone(), &Limits::time(time).or_when(stop)) else { break };
            trial = more;
        }
        Some(trial)
    }
}
