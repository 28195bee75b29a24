//! A player for games of hidden information (GDL-II): flat Monte-Carlo search over determinized states.
//!
//! Each iteration draws a state from the role's information set, treats it as known to all roles
//! (determinization; Long, Sturtevant, Buro & Furtak 2010), and plays one playout after each legal move of
//! the role. The player makes the move with the best mean. The player does not value hiding or gathering
//! information. If it observes joint moves instead of percepts, it is a plain flat Monte-Carlo player.

mod options;
mod sampling;

pub use self::options::{DeterminizeOptions, UnsupportedOption};
use self::sampling::RunningMatch;
use crate::interrupt::{interrupt_at, release};
use crate::observation::not_started;
use crate::player::MakeMachine;
use ggp_game::rng::Sequence;
use ggp_game::{
    Candidate, Clocks, Deadline, Game, InformationSet, Move, Observation, PlayError, Player, Playouts, Role,
    SearchReport, StopToken,
};
use std::sync::Arc;
use std::time::Instant;

/// The maximum number of states in the information set.
const STATES: usize = 1000;

/// Plays one role by determinized flat Monte-Carlo search.
///
/// ```
/// use ggp_game::{Clocks, Deadline, Fact, Game, Interpreter, Observation, Player, Role, StopToken};
/// use ggp_search::{DeterminizeOptions, DeterminizingPlayer};
/// use std::{sync::Arc, time::Duration};
///
/// // A coin falls; the player hears on which side and then names that side.
/// let rules = "(role random) (role you) (side heads) (side tails) (init falling)
///     (<= (legal random (drop ?s)) (side ?s) (true falling)) (<= (legal you listen) (true falling))
///     (<= (next (lies ?s)) (does random (drop ?s))) (<= (sees you (heard ?s)) (does random (drop ?s)))
///     (<= (legal random wait) (not (true falling)))
///     (<= (legal you (name ?s)) (side ?s) (not (true falling)))
///     (<= (next right) (does you (name ?s)) (true (lies ?s))) (<= (next over) (not (true falling)))
///     (<= terminal (true over)) (goal random 0)
///     (<= (goal you 100) (true right)) (<= (goal you 0) (not (true right)))";
/// let game = Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap());
/// let options = DeterminizeOptions { iterations: Some(10), ..DeterminizeOptions::default() };
/// let mut player = DeterminizingPlayer::new(options, |game, _, _| Ok(Interpreter::new(game)));
/// let (stop, never, second) = (StopToken::new(), Deadline::never(), Duration::from_secs(1));
/// let clocks = Clocks { start: second, play: second };
/// player.start(&game, Role(1), clocks, never, &stop).unwrap();
/// assert_eq!(player.play(Observation::Start, never, &stop).unwrap(), "listen");
/// let heard = [Fact::from_canonical("(heard tails)")];
/// let percepts = Observation::Percepts { turn: 1, own: "listen", seen: &heard };
/// assert_eq!(player.play(percepts, never, &stop).unwrap(), "(name tails)");
/// ```
pub struct DeterminizingPlayer<M: Playouts> {
    options: DeterminizeOptions,
    make: MakeMachine<M>,
    current: Option<RunningMatch<M>>,
    report: Option<SearchReport>,
}

impl<M: Playouts> DeterminizingPlayer<M> {
    /// Creates a player with `options`. `make` creates the player's machine for each match.
    pub fn new(
        options: DeterminizeOptions,
        make: impl FnMut(&Arc<Game>, Deadline, &StopToken) -> Result<M, PlayError> + Send + 'static,
    ) -> DeterminizingPlayer<M> {
        DeterminizingPlayer { options, make: Box::new(make), current: None, report: None }
    }
}

impl<M: Playouts> Player for DeterminizingPlayer<M> {
    fn start(
        &mut self,
        game: &Arc<Game>,
        role: Role,
        clocks: Clocks,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<(), PlayError> {
        (self.current, self.report) = (None, None);
        let mut machine = (self.make)(game, deadline, stop)?;
        let state = machine.initial_state()?;
        let each = size_of::<M::State>() + machine.heap_bytes(&state);
        let bound = InformationSet::<M>::bound_within(self.options.memory, each).min(STATES);
        let possible = InformationSet::certain(state, role, bound);
        let random = Sequence::new(self.options.seed);
        self.current = Some(RunningMatch { machine, possible, role, clocks, random, playouts: 0 });
        Ok(())
    }

    fn play(
        &mut self,
        seen: Observation<'_>,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<String, PlayError> {
        let began = Instant::now();
        let running = self.current.as_mut().ok_or_else(not_started)?;
        running.machine.interrupt_on(stop);
        running.update_states(seen)?;
        if running.machine.has_many_moves() {
            running.machine.release_moves();
        }
        let mut own = Vec::new();
        running.possible.legal_moves(&mut running.machine, &mut own)?;
        if own.is_empty() {
            return Err(PlayError::NoMove);
        }
        let deadline = self.options.clock(running.clocks, deadline);
        let watched = interrupt_at(&mut running.machine, deadline, stop);
        let searched = running.search(&own, self.options.iterations, deadline, stop);
        drop(watched);
        release(&mut running.machine);
        let (of_moves, done) = searched?;
        let best = running.best(&of_moves);
        let text = |&mv: &Move| running.machine.move_text(mv).to_owned();
        let mut candidates: Vec<Candidate> = own
            .iter()
            .zip(&of_moves)
            .map(|(mv, stats)| Candidate {
                mv: text(mv),
                visits: stats.count,
                score: stats.mean(),
                proven: None,
            })
            .collect();
        candidates.sort_by(|a, b| b.score.unwrap_or(0.0).total_cmp(&a.score.unwrap_or(0.0)));
        let playouts = of_moves.iter().map(|stats| stats.count).sum();
        let elapsed = began.elapsed();
        self.report =
            Some(SearchReport { candidates, iterations: done, playouts, elapsed, ..SearchReport::default() });
        Ok(text(&own[best]))
    }

    fn observe(&mut self, seen: Observation<'_>) -> Result<(), PlayError> {
        // The update must not be interrupted, because later observations build on it.
        let running = self.current.as_mut().ok_or_else(not_started)?;
        release(&mut running.machine);
        running.update_states(seen)
    }

    fn report(&self) -> Option<SearchReport> {
        self.report.clone()
    }

    fn reasoner(&self) -> Option<&'static str> {
        self.current.as_ref().map(|running| running.machine.name())
    }

    fn stop(&mut self, _: Observation<'_>) {
        self.current = None;
    }
}

#[cfg(test)]
mod tests;
