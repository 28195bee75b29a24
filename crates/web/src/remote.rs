//! Remote players. The server calls them over the GGP protocol, and each plays a role in a session.
//!
//! The protocol cannot return to an earlier state. When a session continues from an earlier state, the remote
//! player gets a new match of a game whose initial state is that state. A request blocks, so each one runs on
//! a thread of its own.

use crate::history::Node;
use crate::known::{Known, game_from};
use ggp_game::{Clocks, Deadline, Observation, PlayError, Player, Role, StopToken};
use ggp_server::http::Address;
use ggp_server::remote::RemotePlayer;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// The start clock of a remote player.
const START: Duration = Duration::from_secs(5);

/// A remote player whose match has started.
pub(crate) struct RemoteSeat {
    player: Box<dyn Player>,
    url: String,
    clock: Duration,
    /// The index, in the session's history, of the last state that the player was told.
    at: usize,
}

impl RemoteSeat {
    /// Whether `question` goes to this player and continues its match: it has the same clock, and its state
    /// follows the last one that the player was told.
    fn continues_with(&self, question: &Question) -> bool {
        self.url == question.url && self.clock == question.clock && question.node.parent == Some(self.at)
    }
}

/// A request to a remote player for its move in a state. If the state is terminal, the request announces the
/// end of the match.
pub(crate) struct Question {
    pub(crate) known: Arc<Known>,
    /// The id of the session. The match ids that the player receives contain its first 8 characters.
    pub(crate) session: String,
    pub(crate) role: usize,
    pub(crate) url: String,
    pub(crate) clock: Duration,
    /// The index, in the session's history, of the state in which the player is asked.
    pub(crate) at: usize,
    pub(crate) turn: u64,
    pub(crate) node: Arc<Node>,
    pub(crate) stop: StopToken,
}

/// Sends the request `question` on a new thread. `take` returns the remote player that was kept after an
/// earlier request, or `None` if there is none. If the match of that player does not continue with the
/// question, for example because the seat has another player now, that player is dropped, which ends its
/// match. `receive` is called with the remote player and its answer. If the player does not answer, `receive`
/// gets the reason instead, and the player is dropped. `receive` is not called for a terminal state.
pub(crate) fn ask(
    question: Question,
    take: impl FnOnce() -> Option<RemoteSeat> + Send + 'static,
    receive: impl FnOnce(Result<(RemoteSeat, String), String>) + Send + 'static,
) {
    let (role, turn) = (question.role, question.turn);
    let work = move || {
        let seat = take().filter(|seat| seat.continues_with(&question));
        if question.node.moment.terminal {
            if let Some(mut seat) = seat {
                seat.player.stop(Observation::Moves(&question.node.joint));
            }
            return;
        }
        receive(play(seat, &question));
    };
    if let Err(error) = thread::Builder::new().name("remote".to_owned()).spawn(work) {
        // The caller holds the session's lock, so `receive` cannot be called here.
        tracing::error!(%error, role, turn, "no thread for a remote player");
    }
}

fn play(seat: Option<RemoteSeat>, question: &Question) -> Result<(RemoteSeat, String), String> {
    let Question { known, session, role, url, at, node, stop, clock, .. } = question;
    let text = |error: PlayError| error.to_string();
    let (mut seat, seen) = if let Some(seat) = seat {
        (seat, Observation::Moves(&node.joint))
    } else {
        let id = format!("web.{}.{}", &session[..8], question.turn);
        let address: Address = url.parse().map_err(|error| format!("{error}"))?;
        let mut player: Box<dyn Player> = Box::new(RemotePlayer::new(address, &id));
        let game = match node.parent {
            None => Arc::clone(&known.game),
            Some(_) => {
                game_from(&known.game, &node.moment.facts).ok_or("the position cannot be written as rules")?
            }
        };
        let clocks = Clocks { start: START, play: *clock };
        player.start(&game, Role(*role as u8), clocks, Deadline::after(START), stop).map_err(text)?;
        (RemoteSeat { player, url: url.clone(), clock: *clock, at: *at }, Observation::Start)
    };
    let mv = seat.player.play(seen, Deadline::after(*clock), stop).map_err(text)?;
    seat.at = *at;
    Ok((seat, mv))
}
