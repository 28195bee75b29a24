//! A remote player, which a manager reaches over HTTP.
//!
//! The times for which the manager waits for an answer are those of ggp-base, the reference server. For START
//! it is the length of the start clock, but at least one second, the shortest clock in a message, unless
//! [`RemotePlayer::with_start_patience`] sets another least time. For PLAY it
//! is the length of the play clock plus one second. For STOP it is the length of the play clock, and for
//! ABORT one second. Each of these times includes the time for connecting, which may take at most five
//! seconds. The content of the answer to START is ignored: a player that is not ready may still play.
//!
//! An HTTP status of 400 or more means that the player has failed, but only if the text is no answer: some players
//! give good answers with odd statuses, and the reference server does not look at the status. With such a status, the
//! answer to PLAY is a move in the words of the rules, and the answer to START is a word such as `ready`. Any other text is
//! the error of a server, even if it is one word.
//!
//! Invariant: every match that was begun is ended, by STOP, or by ABORT when the player is dropped.

use crate::http::post::post;
use crate::http::{Address, Answer, ReplyError};
use crate::scramble::Scramble;
use crate::wire;
use ggp_game::{Clocks, Deadline, Game, Observation, PlayError, Player, Role, StopToken};
use ggp_protocol::{About, LastTurn, Reply};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The time after the play clock during which the answer to PLAY is still accepted.
pub const GRACE: Duration = Duration::from_secs(1);

/// The longest wait for an answer. It applies if a clock has no limit.
const MAX_PATIENCE: Duration = Duration::from_secs(24 * 3600);

/// The wait for the answer to ABORT.
const ABORT: Duration = Duration::from_secs(1);

/// A remote player in one match.
#[derive(Debug)]
pub struct RemotePlayer {
    address: Address,
    name: String,
    id: String,
    scramble: Option<Arc<Scramble>>,
    game: Option<Arc<Game>>,
    clocks: Clocks,
    /// The least time to wait for the answer to START.
    start_patience: Duration,
    /// Whether the match has begun for the player: START was sent, and neither STOP nor ABORT was sent after
    /// it.
    begun: bool,
}

impl RemotePlayer {
    /// The player at `address` in the match `id`, which must be one word.
    pub fn new(address: Address, id: impl Into<String>) -> RemotePlayer {
        let clocks = Clocks { start: Duration::ZERO, play: Duration::ZERO };
        RemotePlayer {
            address,
            name: String::new(),
            id: id.into(),
            scramble: None,
            game: None,
            clocks,
            start_patience: wire::LEAST_CLOCK,
            begun: false,
        }
    }

    /// Sets the player's name in the `Receiver` header.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> RemotePlayer {
        self.name = name.into();
        self
    }

    /// Sets the least time to wait for the answer to START, instead of one second.
    #[must_use]
    pub fn with_start_patience(mut self, patience: Duration) -> RemotePlayer {
        self.start_patience = patience.max(wire::LEAST_CLOCK);
        self
    }

    /// Translates all messages to and from the player with `scramble`.
    #[must_use]
    pub fn scrambled(mut self, scramble: Arc<Scramble>) -> RemotePlayer {
        self.scramble = Some(scramble);
        self
    }

    /// Sends INFO to `address` and returns the answer.
    ///
    /// # Errors
    /// When no reply comes within `patience`. An unreadable reply is no error and gives an empty [`About`].
    pub fn info(address: &Address, patience: Duration) -> Result<About, ReplyError> {
        let answer = post(address, "", "( INFO )", Instant::now() + patience, &StopToken::new())?;
        Ok(About::parse(&String::from_utf8_lossy(&answer.text)).unwrap_or_default())
    }

    /// Checks whether a player answers at the address. Sends INFO. If no readable answer comes, or one with an HTTP status
    /// of 400 or more, sends START, which every player knows, and ends that match at once by STOP. Each answer may take
    /// the time `patience`.
    ///
    /// # Errors
    /// When the address cannot be reached, when START gets no answer, or when the answer to START is not one
    /// that a player would give.
    pub fn trial(
        &mut self,
        game: &Arc<Game>,
        role: Role,
        patience: Duration,
        stop: &StopToken,
    ) -> Result<Presence, TrialError> {
        match self.post("( INFO )", patience, stop) {
            Err(error @ (ReplyError::Unreachable(_) | ReplyError::Stopped)) => return Err(error.into()),
            Ok(answer) if answer.failure().is_none() => {
                if let Ok(about) = About::parse(&String::from_utf8_lossy(&answer.text)) {
                    let is_busy = about.status.as_deref().is_some_and(|s| s.eq_ignore_ascii_case("busy"));
                    return Ok(if is_busy { Presence::Busy } else { Presence::Available });
                }
            }
            Ok(_) | Err(_) => {}
        }
        self.game = Some(Arc::clone(game));
        self.clocks = Clocks { start: wire::LEAST_CLOCK, play: wire::LEAST_CLOCK };
        let role = self.words(game.role_name(role));
        let answer = self.post(&wire::start(&self.id, &role, &self.rules(game), self.clocks), patience, stop);
        // Old players do not know ABORT, so the match is ended by STOP.
        self.stop(Observation::Start);
        let answer = answer?;
        let text = String::from_utf8_lossy(&answer.text).into_owned();
        match (Reply::parse_status(&text), answer.failure()) {
            (Some(Reply::Busy), _) => Ok(Presence::Busy),
            (Some(_), _) => Ok(Presence::Available),
            (None, Some(failure)) => Err(TrialError::Strange(failure)),
            (None, None) => match Reply::parse_move(&text, |_| true) {
                Ok(_) => Ok(Presence::Available),
                Err(_) => Err(TrialError::Strange(text)),
            },
        }
    }

    /// Sends PREVIEW and waits up to `clock` for any answer.
    ///
    /// # Errors
    /// When no answer comes in time.
    pub fn preview(&self, game: &Game, clock: Duration) -> Result<(), ReplyError> {
        let text = wire::preview(&self.rules(game), clock);
        self.post(&text, clock, &StopToken::new()).map(|_| ())
    }

    fn rules(&self, game: &Game) -> String {
        self.words(String::from_utf8_lossy(&game.description().source).as_ref())
    }

    /// `text` as this player receives it: in scrambled words if the match is scrambled, else unchanged.
    fn words(&self, text: &str) -> String {
        self.scramble.as_ref().map_or_else(|| text.to_owned(), |scramble| scramble.scramble(text))
    }

    fn post(&self, text: &str, patience: Duration, stop: &StopToken) -> Result<Answer, ReplyError> {
        post(&self.address, &self.name, text, Instant::now() + patience.min(MAX_PATIENCE), stop)
    }

    fn ask(&self, seen: Observation<'_>, stop: &StopToken) -> Result<Answer, PlayError> {
        let patience = self.clocks.play.saturating_add(GRACE);
        self.post(&wire::play(&self.id, &self.last_turn(seen)), patience, stop)
            .map_err(|error| play_error(&error))
    }

    fn last_turn(&self, observation: Observation<'_>) -> LastTurn {
        match observation {
            Observation::Start if self.game.as_deref().is_some_and(Game::has_percepts) => {
                LastTurn::Percepts { turn: 0, own: None, percepts: Vec::new() }
            }
            Observation::Start => LastTurn::Nothing,
            Observation::Moves(joint) => LastTurn::Moves(joint.iter().map(|mv| self.words(mv)).collect()),
            Observation::Percepts { turn, own, seen } => LastTurn::Percepts {
                turn,
                own: Some(self.words(own)),
                percepts: seen
                    .iter()
                    .map(|f| ggp_game::Fact::from_canonical(self.words(f.as_str())))
                    .collect(),
            },
        }
    }

    /// The move in `answer`, in the symbols of the rules.
    fn read(&self, answer: &Answer) -> Result<String, PlayError> {
        let text = String::from_utf8_lossy(&answer.text);
        let text = self.scramble.as_ref().map_or_else(|| text.to_string(), |s| s.unscramble(&text));
        let symbols = self.game.as_ref().map(|game| &game.description().symbols);
        let in_rules = |word: &str| symbols.is_some_and(|symbols| symbols.get(word).is_some());
        let failure = answer.failure();
        let is_answer = |mv: &str| {
            failure.is_none() || mv.split([' ', '(', ')']).filter(|word| !word.is_empty()).all(in_rules)
        };
        let bad = match Reply::parse_move(&text, in_rules) {
            Ok(Reply::Move(mv)) if is_answer(&mv) => return Ok(mv),
            Ok(other) => other.to_string(),
            Err(error) => error.to_string(),
        };
        Err(failure.map_or(PlayError::BadAnswer(bad), PlayError::Gone))
    }
}

/// The status of a player that answered its trial.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Presence {
    /// The player can play.
    Available,
    /// The player is busy with another match.
    Busy,
}

/// The reason why a trial failed.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// No reply came.
    #[error(transparent)]
    Reply(#[from] ReplyError),
    /// The answer to START does not come from a player: it is not a single expression, or it has an HTTP status of 400 or
    /// more and is no word such as `ready`. Holds the answer, or its status if that is 400 or more.
    #[error("its answer to START is not that of a player")]
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
    /// Sends START and waits for the answer for at most the start clock, or the least time if that is longer.
    /// Ignores the deadline.
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
        let patience = clocks.start.max(self.start_patience);
        let answer = self.post(&text, patience, stop).map_err(|error| play_error(&error))?;
        let text = String::from_utf8_lossy(&answer.text);
        tracing::debug!(id = self.id, answer = %text, "START");
        match answer.failure() {
            Some(failure) if Reply::parse_status(&text).is_none() => Err(PlayError::Gone(failure)),
            _ => Ok(()),
        }
    }

    /// Sends PLAY and waits for the answer for at most the play clock plus [`GRACE`]. Ignores the deadline.
    fn play(&mut self, seen: Observation<'_>, _: Deadline, stop: &StopToken) -> Result<String, PlayError> {
        self.read(&self.ask(seen, stop)?)
    }

    /// Sends PLAY and ignores the move, because the protocol has no message that only informs.
    fn observe(&mut self, seen: Observation<'_>) -> Result<(), PlayError> {
        self.ask(seen, &StopToken::new()).map(drop)
    }

    fn stop(&mut self, seen: Observation<'_>) {
        self.begun = false;
        let text = wire::stop(&self.id, &self.last_turn(seen));
        if let Err(error) = self.post(&text, self.clocks.play, &StopToken::new()) {
            tracing::info!(id = self.id, %error, "STOP");
        }
    }

    /// Sends ABORT.
    fn abort(&mut self, _: Observation<'_>) {
        self.leave();
    }
}

impl Drop for RemotePlayer {
    fn drop(&mut self) {
        self.leave();
    }
}

impl RemotePlayer {
    /// Sends ABORT if the player is in a match that has not ended.
    fn leave(&mut self) {
        if std::mem::take(&mut self.begun)
            && let Err(error) = self.post(&wire::abort(&self.id), ABORT, &StopToken::new())
        {
            tracing::info!(id = self.id, %error, "ABORT");
        }
    }
}
