//! A player somewhere else, spoken to over HTTP: the manager's end.
//!
//! Time-outs are those of the reference server: START the start clock exactly (but never less than
//! the one second that the message says at least), PLAY the play clock
//! and a second, STOP the play clock, ABORT a second, connecting five seconds and never longer
//! than the rest. What START answers is not looked at: a player that is not ready may still play.
//!
//! Invariant: a match that was begun is ended, by STOP, or by ABORT when this is dropped.

use crate::http::post::post;
use crate::http::{Address, Answer, ReplyError};
use crate::scramble::Scramble;
use crate::wire;
use ggp_game::message::{About, Reply, Seen};
use ggp_game::{Clocks, Deadline, Game, Observation, PlayError, Player, Role, StopToken};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What PLAY may take beyond the play clock.
pub const GRACE: Duration = Duration::from_secs(1);

/// The longest wait for a clock that never runs out.
const MAX_PATIENCE: Duration = Duration::from_secs(24 * 3600);

/// How long ABORT waits for its answer.
const ABORT: Duration = Duration::from_secs(1);

/// A player behind an address, in one match.
#[derive(Debug)]
pub struct RemotePlayer {
    address: Address,
    name: String,
    id: String,
    scramble: Option<Arc<Scramble>>,
    game: Option<Arc<Game>>,
    clocks: Clocks,
    /// Whether START was sent and neither STOP nor ABORT.
    begun: bool,
}

impl RemotePlayer {
    /// The player at `address` in the match `id`. Ids are compared exactly and stand in one word.
    pub fn new(address: Address, id: impl Into<String>) -> RemotePlayer {
        let clocks = Clocks { start: Duration::ZERO, play: Duration::ZERO };
        RemotePlayer {
            address,
            name: String::new(),
            id: id.into(),
            scramble: None,
            game: None,
            clocks,
            begun: false,
        }
    }

    /// Names the player in the `Receiver` header.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> RemotePlayer {
        self.name = name.into();
        self
    }

    /// Speaks to it in the words of `scramble`.
    #[must_use]
    pub fn scrambled(mut self, scramble: Arc<Scramble>) -> RemotePlayer {
        self.scramble = Some(scramble);
        self
    }

    /// Asks who listens at `address`.
    ///
    /// # Errors
    /// When nobody answers within `patience`; what is no answer to INFO is an empty [`About`].
    pub fn info(address: &Address, patience: Duration) -> Result<About, ReplyError> {
        let answer = post(address, "", "( INFO )", Instant::now() + patience, &StopToken::new())?;
        Ok(About::parse(&String::from_utf8_lossy(&answer.text)).unwrap_or_default())
    }

    /// Tries whether a player listens at the address: asks INFO, and where nothing readable comes back
    /// START, which every player knows, in a match that ends at once. Each may take `patience`.
    ///
    /// # Errors
    /// When nobody can be reached, or nobody answers as a player does.
    pub fn trial(
        &mut self,
        game: &Arc<Game>,
        role: Role,
        patience: Duration,
        stop: &StopToken,
    ) -> Result<Presence, TrialError> {
        match self.post("( INFO )", patience, stop) {
            Err(error @ (ReplyError::Unreachable(_) | ReplyError::Stopped)) => return Err(error.into()),
            Ok(answer) => {
                if let Ok(about) = About::parse(&String::from_utf8_lossy(&answer.text)) {
                    let is_busy = about.status.as_deref().is_some_and(|s| s.eq_ignore_ascii_case("busy"));
                    return Ok(if is_busy { Presence::Busy } else { Presence::Available });
                }
            }
            Err(_) => {}
        }
        self.game = Some(Arc::clone(game));
        self.clocks = Clocks { start: wire::LEAST_CLOCK, play: wire::LEAST_CLOCK };
        let role = self.words(game.role_name(role));
        let answer = self.post(&wire::start(&self.id, &role, &self.rules(game), self.clocks), patience, stop);
        // Old players do not know ABORT.
        self.stop(Observation::Start);
        let text = String::from_utf8_lossy(&answer?.text).into_owned();
        if Reply::parse_status(&text) == Some(Reply::Busy) {
            return Ok(Presence::Busy);
        }
        Reply::parse_move(&text, |_| true).map_err(|_| TrialError::Strange(text))?;
        Ok(Presence::Available)
    }

    /// Shows it a game that will be played, and waits `clock` for an answer of any kind.
    ///
    /// # Errors
    /// When none comes.
    pub fn preview(&self, game: &Game, clock: Duration) -> Result<(), ReplyError> {
        let text = wire::preview(&self.rules(game), clock);
        self.post(&text, clock, &StopToken::new()).map(|_| ())
    }

    fn rules(&self, game: &Game) -> String {
        self.words(String::from_utf8_lossy(&game.description().source).as_ref())
    }

    /// `text` as this player knows it.
    fn words(&self, text: &str) -> String {
        self.scramble.as_ref().map_or_else(|| text.to_owned(), |scramble| scramble.scramble(text))
    }

    fn post(&self, text: &str, patience: Duration, stop: &StopToken) -> Result<Answer, ReplyError> {
        post(&self.address, &self.name, text, Instant::now() + patience.min(MAX_PATIENCE), stop)
    }

    fn ask(&self, seen: Observation<'_>, stop: &StopToken) -> Result<Answer, PlayError> {
        let patience = self.clocks.play.saturating_add(GRACE);
        self.post(&wire::play(&self.id, &self.seen(seen)), patience, stop).map_err(|error| play_error(&error))
    }

    fn seen(&self, observation: Observation<'_>) -> Seen {
        match observation {
            Observation::Start if self.game.as_deref().is_some_and(Game::has_percepts) => {
                Seen::Percepts { turn: 0, own: None, percepts: Vec::new() }
            }
            Observation::Start => Seen::Nothing,
            Observation::Moves(joint) => Seen::Moves(joint.iter().map(|mv| self.words(mv)).collect()),
            Observation::Percepts { turn, own, seen } => Seen::Percepts {
                turn,
                own: Some(self.words(own)),
                percepts: seen
                    .iter()
                    .map(|f| ggp_game::Fact::from_canonical(self.words(f.as_str())))
                    .collect(),
            },
        }
    }

    /// The move that `answer` gives.
    fn read(&self, answer: &Answer) -> Result<String, PlayError> {
        let text = String::from_utf8_lossy(&answer.text);
        let text = self.scramble.as_ref().map_or_else(|| text.to_string(), |s| s.unscramble(&text));
        let symbols = self.game.as_ref().map(|game| &game.description().symbols);
        let in_rules = |word: &str| symbols.is_some_and(|symbols| symbols.get(word).is_some());
        match Reply::parse_move(&text, in_rules) {
            Ok(Reply::Move(mv)) => Ok(mv),
            Ok(other) => Err(PlayError::BadAnswer(other.to_string())),
            Err(error) => Err(PlayError::BadAnswer(error.to_string())),
        }
    }
}

/// What a player says of itself when it is tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Presence {
    /// It can play.
    Available,
    /// It plays another match.
    Busy,
}

/// Why nobody plays at an address.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// No answer.
    #[error(transparent)]
    Reply(#[from] ReplyError),
    /// An answer that no player gives.
    #[error("it answers START with something else than a word")]
    Strange(String),
}

fn play_error(error: &ReplyError) -> PlayError {
    match error {
        ReplyError::TimedOut | ReplyError::Stopped => PlayError::TimedOut,
        ReplyError::TooLarge => PlayError::BadAnswer(error.to_string()),
        ReplyError::Unreachable(_) | ReplyError::Closed => PlayError::Gone(error.to_string()),
    }
}

impl Player for RemotePlayer {
    /// Waits for the start clock as the message says it, whatever `deadline` says.
    fn start(
        &mut self,
        game: &Arc<Game>,
        role: Role,
        clocks: Clocks,
        _: Deadline,
        stop: &StopToken,
    ) -> Result<(), PlayError> {
        self.game = Some(Arc::clone(game));
        self.clocks = clocks;
        let role = self.words(game.role_name(role));
        let text = wire::start(&self.id, &role, &self.rules(game), clocks);
        self.begun = true;
        let patience = clocks.start.max(wire::LEAST_CLOCK);
        let answer = self.post(&text, patience, stop).map_err(|error| play_error(&error))?;
        tracing::debug!(id = self.id, answer = %String::from_utf8_lossy(&answer.text), "START");
        Ok(())
    }

    /// Waits for the play clock and [`GRACE`].
    fn play(&mut self, seen: Observation<'_>, _: Deadline, stop: &StopToken) -> Result<String, PlayError> {
        self.read(&self.ask(seen, stop)?)
    }

    /// The protocol has no message that asks for nothing; so it is asked, with its whole clock.
    fn observe(&mut self, seen: Observation<'_>) -> Result<(), PlayError> {
        self.ask(seen, &StopToken::new()).map(drop)
    }

    fn stop(&mut self, seen: Observation<'_>) {
        self.begun = false;
        let text = wire::stop(&self.id, &self.seen(seen));
        if let Err(error) = self.post(&text, self.clocks.play, &StopToken::new()) {
            tracing::info!(id = self.id, %error, "STOP");
        }
    }
}

impl Drop for RemotePlayer {
    fn drop(&mut self) {
        if self.begun
            && let Err(error) = self.post(&wire::abort(&self.id), ABORT, &StopToken::new())
        {
            tracing::info!(id = self.id, %error, "ABORT");
        }
    }
}
