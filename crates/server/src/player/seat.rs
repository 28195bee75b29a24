//! A seat: one match as its player sees it. Follows the state, asks the player, and has a legal
//! move at hand wherever the rules tell one.
//!
//! Invariant: whatever the player does (error, panic, illegal move), the seat has an answer; and
//! what the player is told is canonical text in the spelling of the match's own rules.

use super::position::Position;
use ggp_game::message::Seen as Told;
use ggp_game::{
    Clocks, Deadline, Fact, Game, Observation, PlayError, Player, Role, StopToken,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// An [`Observation`] with its texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Start,
    Moves(Vec<String>),
    Percepts { turn: u32, own: String, seen: Vec<Fact> },
}

impl Seen {
    fn observation(&self) -> Observation<'_> {
        match self {
            Seen::Start => Observation::Start,
            Seen::Moves(joint) => Observation::Moves(joint),
            Seen::Percepts { turn, own, seen } => Observation::Percepts { turn: *turn, own, seen },
        }
    }
}

/// A player at a match.
pub(super) struct Seat {
    game: Arc<Game>,
    role: Role,
    /// `None` once it has panicked.
    player: Option<Box<dyn Player>>,
    /// `None` when nobody tells the state (GDL-II), or it cannot be evaluated within the limits.
    position: Option<Position>,
    /// PLAY messages applied.
    turn: u32,
    /// Whether the rules have percepts.
    hidden: bool,
}

impl Seat {
    /// Takes the seat of `role`.
    pub(super) fn new(game: &Arc<Game>, role: Role, player: Box<dyn Player>) -> Seat {
        let position = Position::initial(game)
            .inspect_err(|error| tracing::warn!(%error, "the initial state cannot be evaluated"))
            .ok();
        let hidden = has_percepts(game);
        Seat { game: Arc::clone(game), role, player: Some(player), position, turn: 0, hidden }
    }

    /// Lets the player prepare. `false` if it cannot play.
    pub(super) fn start(&mut self, clocks: Clocks, deadline: Deadline, stop: &StopToken) -> bool {
        let (game, role) = (Arc::clone(&self.game), self.role);
        match self.ask("start", |player| player.start(&game, role, clocks, deadline, stop)) {
            Some(Ok(())) => true,
            Some(Err(error)) => {
                tracing::warn!(%error, "the player cannot start");
                false
            }
            None => false,
        }
    }

    /// Takes note of what PLAY or STOP tells; `previous` is what was answered before. An error
    /// leaves the seat as it was.
    ///
    /// # Errors
    /// When it names moves that cannot be applied.
    pub(super) fn follow(&mut self, told: &Told, previous: Option<&str>) -> Result<Seen, PlayError> {
        let seen = match told {
            Told::Nothing if self.hidden && self.turn > 0 => self.percepts(previous, &[]),
            Told::Moves(terms) if self.hidden && !self.is_joint(terms, previous) => {
                self.percepts(previous, terms)
            }
            // Turn 0 is the one that begins.
            Told::Nothing | Told::Percepts { turn: 0, .. } => Seen::Start,
            Told::Moves(terms) => Seen::Moves(self.advance(terms)?),
            Told::Percepts { turn, own, percepts } => {
                self.position = None;
                let own = own.as_deref().or(previous).unwrap_or("nil").to_owned();
                Seen::Percepts { turn: *turn, own, seen: percepts.clone() }
            }
        };
        self.turn += 1;
        Ok(seen)
    }

    /// Percepts that came without the turn and our move, as in an old dialect.
    fn percepts(&mut self, previous: Option<&str>, terms: &[String]) -> Seen {
        self.position = None;
        let mut seen: Vec<Fact> = terms.iter().map(|text| Fact::from_canonical(text.as_str())).collect();
        seen.sort_unstable();
        Seen::Percepts { turn: self.turn, own: previous.unwrap_or("nil").to_owned(), seen }
    }

    /// Whether a list that may be percepts is the joint move: it has a move a role, and our own is
    /// the one that we gave.
    fn is_joint(&self, terms: &[String], previous: Option<&str>) -> bool {
        terms.len() == self.game.role_count()
            && previous.is_some_and(|own| own.eq_ignore_ascii_case(&terms[self.role.index()]))
    }

    /// Applies a joint move and returns it in the rules' spelling.
    fn advance(&mut self, terms: &[String]) -> Result<Vec<String>, PlayError> {
        let bad = || PlayError::BadJointMove(format!("({})", terms.join(" ")));
        if terms.len() != self.game.role_count() {
            return Err(bad());
        }
        let Some(position) = &mut self.position else { return Ok(terms.to_vec()) };
        let joint = position.read_joint(terms).ok_or_else(bad)?;
        let texts = position.texts(&joint);
        if let Err(error) = position.advance(&joint) {
            tracing::warn!(%error, "the state cannot be followed any more");
            self.position = None;
        }
        Ok(texts)
    }

    /// A legal move in the present state, if the rules tell one.
    pub(super) fn legal_move(&self) -> Option<String> {
        self.position.as_ref()?.first_legal(self.role)
    }

    /// Asks the player for a move. What it gives is checked where that is possible, and a legal
    /// move stands in for an illegal one and for an error; `nil` for a panic.
    pub(super) fn play(&mut self, seen: &Seen, deadline: Deadline, stop: &StopToken) -> String {
        let instead = self.legal_move();
        let nil = || "nil".to_owned();
        if self.player.is_none() {
            return instead.unwrap_or_else(nil);
        }
        match self.ask("play", |player| player.play(seen.observation(), deadline, stop)) {
            None => nil(),
            Some(Err(error)) => {
                tracing::error!(%error, "the player has no move");
                instead.unwrap_or_else(nil)
            }
            Some(Ok(mv)) => match &mut self.position {
                Some(position) if !position.is_legal(self.role, &mv) => {
                    tracing::error!(%mv, "the player's move is illegal");
                    instead.unwrap_or_else(nil)
                }
                _ => mv,
            },
        }
    }

    /// Lets the player think until `stop` is raised.
    pub(super) fn ponder(&mut self, stop: &StopToken) {
        self.ask("ponder", |player| player.ponder(stop));
    }

    /// The match is over.
    pub(super) fn stop(&mut self, seen: &Seen) {
        self.ask("stop", |player| player.stop(seen.observation()));
    }

    /// Puts a question to the player; `None` if it is gone or panics over it.
    fn ask<T>(&mut self, what: &str, question: impl FnOnce(&mut dyn Player) -> T) -> Option<T> {
        let player = self.player.as_mut()?;
        let answer = catch_unwind(AssertUnwindSafe(|| question(&mut **player))).ok();
        if answer.is_none() {
            tracing::error!(what, "the player panicked; the match goes on without it");
            let player = self.player.take();
            // What has panicked may panic again while it is dropped.
            let _ = catch_unwind(AssertUnwindSafe(|| drop(player)));
        }
        answer
    }
}

/// Whether the rules say what roles see: then they are told that and nothing else.
pub(crate) fn has_percepts(game: &Game) -> bool {
    let description = game.description();
    description.rules.iter().any(|rule| description.name(rule.head.relation) == "sees")
}
