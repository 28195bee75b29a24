//! The player's end: messages in, answers out, thinking on other threads.
//!
//! | message | answer |
//! |---|---|
//! | INFO | `( ( name N ) ( status available ) )`; `busy` when no match more can begin |
//! | PING | `ready`, or `nil` when no match more can begin |
//! | PREVIEW | `ready`; `busy` when no match more can begin, or the rules cannot be read |
//! | START | `ready`; `busy` for an id in play, too many matches, rules or a role that cannot be played; `ready` also when it is late, since managers go on without an answer |
//! | PLAY | a move; `busy` for an unknown id; `nil` for moves that the rules do not know, and for a player that panics |
//! | STOP, ABORT | `done`, `aborted`; `busy` for an unknown id |
//! | anything else | HTTP status 400, its reason, and `nil` |
//!
//! Invariant: an answer leaves at least [`PlayerConfig::margin`] before the clock that its message
//! names, counted from the message's first byte; what does not think is answered at once.

mod clerk;
mod matches;
mod position;
mod thinker;
mod thought;

use crate::http::HttpLimits;
use crate::http::listen::{Respond, listen};
use crate::http::reply::Reply;
use crate::http::request::{Request, decode_target};
use crate::wire::spaced;
use ggp_datalog::Limits;
use ggp_game::message::{About, Request as Message, Seen as Told};
use ggp_game::{Clocks, Player, StopToken};
use matches::Matches;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A clock longer than this is taken as this.
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

/// How a player is served.
#[derive(Clone, Debug)]
pub struct PlayerConfig {
    /// Its name in INFO; what cannot stand in one word becomes `_`.
    pub name: String,
    /// What INFO says of its `species`, if anything.
    pub species: Option<String>,
    /// Matches at once.
    pub matches: usize,
    /// How long before the clock an answer leaves at the latest. Where the clock is hardly longer,
    /// the answer is what there is after 50 ms: a legal move. Players need no margin of their own:
    /// their deadline lies 30 ms before that.
    pub margin: Duration,
    /// How long a match may be silent, beyond its clocks, before it is dropped.
    pub silence: Duration,
    /// Whether players think on others' time.
    pub ponder: bool,
    /// Bounds of connections and messages.
    pub http: HttpLimits,
    /// Bounds of every evaluation of a match's rules.
    pub rules: Limits,
}

impl Default for PlayerConfig {
    /// `ggp`; 4 matches; 200 ms of margin; 2 minutes of silence; pondering; at most a million
    /// terms and 4 million tuples, some 400 MiB, a match.
    fn default() -> PlayerConfig {
        PlayerConfig {
            name: "ggp".to_owned(),
            species: None,
            matches: 4,
            margin: Duration::from_millis(200),
            silence: Duration::from_secs(120),
            ponder: true,
            http: HttpLimits::default(),
            rules: Limits { terms: 1_000_000, depth: 10_000, tuples: 4_000_000, ..Limits::default() },
        }
    }
}

/// Serves a player at `listener` until `stop` is raised; then ends all matches, answers who waits,
/// and returns. A listener that others can reach is warned of in the log.
///
/// # Errors
/// When the listener is not usable.
pub fn serve_player(
    listener: &TcpListener,
    config: PlayerConfig,
    factory: Arc<dyn PlayerFactory>,
    stop: &StopToken,
) -> io::Result<()> {
    let address = listener.local_addr()?;
    if !address.ip().is_loopback() {
        tracing::warn!(%address, "anyone who reaches this address can make this player think");
    }
    tracing::info!(%address, name = config.name, matches = config.matches, "listening");
    let http = config.http.clone();
    listen(listener, &http, stop, &Arc::new(Desk { matches: Matches::new(config, factory) }))
}

/// Reads messages and finds who answers them.
struct Desk {
    matches: Matches,
}

impl Desk {
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
            Message::Play { id, seen } => self.matches.play(&id, without_empty(seen), arrived),
            Message::Stop { id, seen } => self.matches.stop(&id, without_empty(seen)).to_owned(),
            Message::Abort { id } => self.matches.abort(&id).to_owned(),
        }
    }

    /// Spaced as other players have it, for managers that look for its words.
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

/// No moves are told by an empty list as well.
fn without_empty(told: Told) -> Told {
    match told {
        Told::Moves(moves) if moves.is_empty() => Told::Nothing,
        told => told,
    }
}

impl Respond for Desk {
    fn respond(&self, request: &Request) -> Reply {
        let decoded;
        let text = match request.method.as_str() {
            "POST" => &request.text,
            "GET" => {
                decoded = decode_target(&request.target);
                &decoded
            }
            "OPTIONS" => return Reply::ok(""),
            _ => return Reply::refusal(405, "POST, GET and OPTIONS are understood", "nil"),
        };
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
