//! `MctsPlayer`: a player that chooses its moves by Monte-Carlo tree search.

use crate::interrupt::{interrupt_at, release};
use crate::learn::Knowledge;
use crate::limits::{Limits, before_margin};
use crate::observation::{joint_texts, not_started};
use crate::options::MctsOptions;
use crate::running_match::{LazySearch, RunningMatch};
use crate::search::Search;
use ggp_game::{
    Clocks, Deadline, Draft, Game, Observation, PlayError, Player, Playouts, Role, SearchReport, StopToken,
};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// The time of the training with the searches of a match, after its end.
const LAST_TRAINING: Duration = Duration::from_secs(1);

/// A function that creates a player's machine for a game. The function must return by the deadline, or when
/// the stop token is raised.
pub type MakeMachine<M> = Box<dyn FnMut(&Arc<Game>, Deadline, &StopToken) -> Result<M, PlayError> + Send>;

/// Plays one role by Monte-Carlo tree search.
///
/// Every move is legal, even if the search had no time: it comes from the machine's list of legal moves in
/// the state after the observed joint moves.
///
/// ```
/// use ggp_game::{Clocks, Deadline, Game, Interpreter, Observation, Player, Role, StopToken};
/// use ggp_search::{MctsOptions, MctsPlayer};
/// use std::{sync::Arc, time::Duration};
///
/// let rules = "(role you) (init start) (<= terminal (not (true start)))
///     (<= (legal you (take ?n)) (prize ?n)) (prize 10) (prize 90)
///     (<= (next (got ?n)) (does you (take ?n)))
///     (<= (goal you ?n) (true (got ?n)))";
/// let game = Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap());
/// let options = MctsOptions { iterations: Some(20), ..MctsOptions::default() };
/// let mut player = MctsPlayer::new(options, |game, _, _| Ok(Interpreter::new(game)));
/// let (stop, second) = (StopToken::new(), Duration::from_secs(1));
/// let clocks = Clocks { start: second, play: second };
/// player.start(&game, Role(0), clocks, Deadline::never(), &stop).unwrap();
/// let mv = player.play(Observation::Start, Deadline::never(), &stop).unwrap();
/// assert_eq!(mv, "(take 90)");
/// ```
pub struct MctsPlayer<M: Playouts> {
    options: MctsOptions,
    make: MakeMachine<M>,
    current: Option<RunningMatch<M>>,
    report: Option<SearchReport>,
    draft: Draft,
}

impl<M: Playouts> MctsPlayer<M> {
    /// Creates a player with `options`. `make` creates the player's machine for each match.
    pub fn new(
        options: MctsOptions,
        make: impl FnMut(&Arc<Game>, Deadline, &StopToken) -> Result<M, PlayError> + Send + 'static,
    ) -> MctsPlayer<M> {
        MctsPlayer { options, make: Box::new(make), current: None, report: None, draft: Draft::default() }
    }

    /// The search of the current match. `None` without a match, and before the match's initial state has
    /// been evaluated.
    pub fn search(&mut self) -> Option<&mut Search<M>> {
        self.current.as_mut().and_then(|running| running.search.get())
    }
}

impl<M: Playouts> Player for MctsPlayer<M> {
    fn start(
        &mut self,
        game: &Arc<Game>,
        role: Role,
        clocks: Clocks,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<(), PlayError> {
        (self.current, self.report) = (None, None);
        let machine = (self.make)(game, deadline, stop)?;
        let mut search = LazySearch::Pending(Box::new(machine));
        let clock = before_margin(deadline, self.options.margin);
        // A player that is limited by iterations must repeat exactly, so the start clock must not affect its
        // search.
        let timed = self.options.iterations.is_none();
        let watched = timed.then(|| interrupt_at(search.machine(), clock, stop));
        let mut learner = None;
        match search.get_or_create(&self.options) {
            // The first move needs the legal moves. A timeout here does not fail the start.
            Ok(search) => {
                let opened = search.choices(role).is_ok();
                if opened {
                    learner = search.study(role, clock, stop)?;
                }
                if opened && timed && deadline.0.is_some() {
                    search.run(&Limits::default().until(clock).or_when(stop).for_role(role));
                }
            }
            // A timeout in the evaluation of the initial state does not fail the start either.
            Err(PlayError::TimedOut) => {}
            Err(error) => return Err(error),
        }
        drop(watched);
        release(search.machine());
        self.current = Some(RunningMatch { search, role, clocks, pending_moves: VecDeque::new(), learner });
        Ok(())
    }

    fn play(
        &mut self,
        seen: Observation<'_>,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<String, PlayError> {
        let clock = before_margin(deadline, self.options.margin);
        let running = self.current.as_mut().ok_or_else(not_started)?;
        running.pending_moves.extend(joint_texts(seen)?.map(<[String]>::to_vec));
        let watched = clock.0.is_some().then(|| interrupt_at(running.search.machine(), clock, stop));
        let mv = running.choose(&self.options, clock, stop, &self.draft);
        if watched.is_some() {
            drop(watched);
            release(running.search.machine());
        }
        let text = running.search.machine().move_text(mv?).to_owned();
        self.report = running.search.get().map(|search| search.report(running.role));
        if let Some(SearchReport { candidates, .. }) = &mut self.report
            && let Some(chosen) = candidates.iter().position(|one| one.mv == text)
        {
            // The report begins with the best move, and the player may have drawn another.
            candidates[..=chosen].rotate_right(1);
        }
        Ok(text)
    }

    /// Stores the joint move. The next call of `play` advances the search, since only that call has a
    /// deadline.
    fn observe(&mut self, seen: Observation<'_>) -> Result<(), PlayError> {
        let running = self.current.as_mut().ok_or_else(not_started)?;
        running.pending_moves.extend(joint_texts(seen)?.map(<[String]>::to_vec));
        Ok(())
    }

    fn draft(&self) -> Option<Draft> {
        Some(self.draft.clone())
    }

    fn ponder(&mut self, stop: &StopToken) {
        if let Some(RunningMatch { search, role, .. }) = &mut self.current
            && let Some(search) = search.get()
            && self.options.iterations.is_none()
        {
            // Pondering has no deadline, so the stop flag interrupts the machine directly.
            search.machine().interrupt_on(stop);
            search.run(&Limits::default().or_when(stop).or_when_full().for_role(*role));
            release(search.machine());
        }
    }

    fn report(&self) -> Option<SearchReport> {
        self.report.clone()
    }

    fn reasoner(&self) -> Option<&'static str> {
        let running = self.current.as_ref()?;
        Some(match &running.search {
            LazySearch::Pending(machine) => machine.name(),
            LazySearch::Created(search) => search.worker.machine.name(),
        })
    }

    fn stop(&mut self, _seen: Observation<'_>) {
        let Some(RunningMatch { mut search, learner, .. }) = self.current.take() else { return };
        if let (Some(mut learner), Some(file)) = (learner, &self.options.knowledge) {
            learner.end_match(search.get().map(|search| &*search), &Limits::time(LAST_TRAINING));
            if let Err(error) = Knowledge::add_to(file, learner.rules(), learner.lesson()) {
                tracing::warn!("what was learnt is lost: {error}");
            }
        }
    }
}

#[cfg(test)]
mod tests;
