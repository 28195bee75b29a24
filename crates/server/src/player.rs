//! The player's side of the protocol. It reads messages and answers them, while players think on other
//! threads.
//!
//! | message | answer |
//! |---|---|
//! | INFO | `( ( name N ) ( status available ) )`; `busy` if no further match can begin |
//! | PING | `ready`, or `nil` if no further match can begin |
//! | PREVIEW | `ready`; `busy` if no further match can begin, or the rules cannot be read |
//! | START | `ready`; `busy` for an id in play, too many matches, rules or a role that cannot be played; `ready` also if the player is late, because managers go on without an answer |
//! | PLAY | a move; `busy` for an unknown id; `nil` for moves that the rules lack, or if the player panics |
//! | STOP, ABORT | `done`, `aborted`; `busy` for an unknown id |
//! | any message from a page in a browser that is not allowed | HTTP status 403, how to allow it, and `nil` |
//! | anything else | HTTP status 400, its reason, and `nil` |
//!
//! Invariants: the clock starts with the message's first byte. The answer to START or PLAY is sent at least
//! [`PlayerConfig::margin`] before the end of the clock; if that would leave less than 50 ms to find an
//! answer, it is sent within 50 ms. Messages that need no thinking are answered at once.

mod lines;
mod match_worker;
mod matches;
mod origin;
mod pending_answer;
mod player_worker;
mod running_matches;
mod tracked_state;

pub use lines::{LineError, serve_lines};
pub use origin::{Origin, OriginError};

use crate::http::HttpLimits;
use crate::http::listen::{Respond, listen};
use crate::http::reply::Reply;
use crate::http::request::{Request, decode_target};
use crate::wire::spaced;
use ggp_datalog::Limits;
use ggp_game::{Clocks, Player, StopToken};
use ggp_protocol::{About, LastTurn, Request as Message};
use matches::Matches;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The longest clock of a match. Longer clocks in messages are shortened to this time.
const MAX_CLOCK: Duration = Duration::from_secs(7 * 24 * 3600);

/// Makes a player for each match.
pub trait PlayerFactory: Send + Sync + 'static {
    /// A player for the match `id`.
    fn make(&self, id: &str) -> Box<dyn Player>;
}

impl<F: Fn(&str) -> Box<dyn Player> + Send + Sync + 'static> PlayerFactory for F {
    fn make(&self, id: &str) -> Box<dyn Player> {
        self(id)
    }
}

/// The settings of a served player.
#[derive(Clone, Debug)]
pub struct PlayerConfig {
    /// The name that INFO gives. Characters that cannot be part of one word become `_`.
    pub name: String,
    /// The `species` that INFO gives. If `None`, INFO gives no species.
    pub species: Option<String>,
    /// The maximum number of simultaneous matches.
    pub matches: usize,
    /// The minimum time between sending an answer and the end of the clock. The margin shrinks if the clock
    /// is so short that less than 50 ms would be left to find an answer. At least 50 ms are always left,
    /// because this time suffices to find a legal move. Players need no margin of their own: the deadline
    /// that they receive is up to 30 ms before the latest time at which the answer is sent.
    pub margin: Duration,
    /// The time, in addition to its clocks, after which a silent match is dropped. After a PLAY, the next
    /// message must come within three play clocks and this time. After START, it must come within the start
    /// clock, two play clocks and this time.
    pub silence: Duration,
    /// Whether players ponder, that is, think between their answer and the next message.
    pub ponder: bool,
    /// The pages that may send messages from a browser. Requests of programs need no permission.
    pub origins: Vec<Origin>,
    /// The bounds of connections and messages.
    pub http: HttpLimits,
    /// The bounds of every evaluation of the rules of a match.
    pub rules: Limits,
}

impl Default for PlayerConfig {
    /// The default settings: the name `ggp`, 4 matches, a margin of 200 ms, 2 minutes of silence,
    /// pondering, and no pages. Each match has at most a million terms and 4 million tuples, which take about 400 MiB.
    fn default() -> PlayerConfig {
        PlayerConfig {
            name: "ggp".to_owned(),
            species: None,
            matches: 4,
            margin: Duration::from_millis(200),
            silence: Duration::from_secs(120),
            ponder: true,
            origins: Vec::new(),
            http: HttpLimits::default(),
            rules: Limits { terms: 1_000_000, depth: 10_000, tuples: 4_000_000, ..Limits::default() },
        }
    }
}

/// Serves a player at `listener` until `stop` is raised. Then ends all matches, answers all waiting requests,
/// and returns. Logs a warning if other machines can reach the listener.
///
/// # Errors
/// When the listener cannot be used.
pub fn serve_player(
    listener: &TcpListener,
    config: PlayerConfig,
    factory: Arc<dyn PlayerFactory>,
    stop: &StopToken,
) -> io::Result<()> {
    let address = listener.local_addr()?;
    if !address.ip().is_loopback() {
        tracing::warn!(%address, "the address is not local: anyone who can reach it can start matches");
    }
    tracing::info!(%address, name = config.name, matches = config.matches, "listening");
    let http = config.http.clone();
    listen(listener, &http, stop, &Arc::new(Dispatcher { matches: Matches::new(config, factory) }))
}

/// Parses messages and dispatches them to the matches.
struct Dispatcher {
    matches: Matches,
}

impl Dispatcher {
    fn answer(&self, message: Message<'_>, arrived: Instant) -> String {
        match message {
            Message::Info => self.info(),
            Message::Ping => if self.matches.has_room() { "ready" } else { "nil" }.to_owned(),
            Message::Preview { rules, .. } => {
                let fine = ggp_gdl::parse_rules(&rules).is_ok() && self.matches.has_room();
                if fine { "ready" } else { "busy" }.to_owned()
            }
            Message::Start { id, role, rules, clocks } => {
                let clocks = Clocks { start: clocks.start.min(MAX_CLOCK), play: clocks.play.min(MAX_CLOCK) };
                self.matches.start(&id, &role, rules.into_owned(), clocks, arrived)
            }
            Message::Play { id, last_turn } => self.matches.play(&id, without_empty(last_turn), arrived),
            Message::Stop { id, last_turn } => self.matches.stop(&id, without_empty(last_turn)).to_owned(),
            Message::Abort { id } => self.matches.abort(&id).to_owned(),
        }
    }

    /// The answer to INFO. It has a space between all tokens, as other players send it, because some managers
    /// search it for whole words.
    fn info(&self) -> String {
        let config = self.matches.config();
        let status = if self.matches.has_room() { "available" } else { "busy" };
        let about = About {
            name: Some(config.name.clone()),
            status: Some(status.to_owned()),
            species: config.species.clone(),
        };
        spaced(&about.to_string())
    }
}

/// Replaces an empty list of moves by [`LastTurn::Nothing`], because some managers write `()` instead of
/// `nil` before the first turn.
fn without_empty(last_turn: LastTurn) -> LastTurn {
    match last_turn {
        LastTurn::Moves(moves) if moves.is_empty() => LastTurn::Nothing,
        last_turn => last_turn,
    }
}

impl Respond for Dispatcher {
    fn respond(&self, request: &Request) -> Reply {
        let decoded;
        let text = match request.method.as_str() {
            "POST" => &request.text,
            "GET" => {
                decoded = decode_target(&request.target);
                &decoded
            }
            // A browser asks whether a page may send a message. The message itself is refused, with a reason for the page.
            "OPTIONS" => return Reply::ok(""),
            _ => return Reply::refusal(405, "only POST, GET and OPTIONS are supported", "nil"),
        };
        if let Some(origin) = origin::foreign(request, &self.matches.config().origins) {
            tracing::warn!(?origin, "a message of a page in a browser is refused: --allow-origin allows it");
            return Reply::refusal(
                403,
                &format!("pages are not allowed: serve with --allow-origin {origin}"),
                "nil",
            );
        }
        match Message::parse(text) {
            Ok(message) => {
                let (verb, id) = (message.verb(), message.match_id().unwrap_or("").to_owned());
                let answer = self.answer(message, request.arrived);
                tracing::debug!(verb, id, %answer, elapsed = ?request.arrived.elapsed(), "answered");
                Reply::ok(answer)
            }
            Err(error) => {
                tracing::info!(%error, "not a message");
                Reply::refusal(400, &error.to_string(), "nil")
            }
        }
    }

    fn tick(&self) {
        self.matches.tend();
    }

    fn close(&self) {
        self.matches.close();
    }
}
