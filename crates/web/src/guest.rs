//! Remote players, which take a seat in a session by the GGP protocol.
//!
//! The protocol cannot return to an earlier state. When a session continues from an earlier state, the
//! player gets a new match of a game whose initial state is that state. Each request runs on a thread of
//! its own, because it blocks.

use crate::history::Node;
use crate::pool::lock;
use crate::session::Session;
use ggp_game::{Clocks, Deadline, Observation, PlayError, Player, Role, StopToken};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Start clock of a remote player.
const START: Duration = Duration::from_secs(5);

/// A remote player and the number of the last state it was told.
pub(crate) struct Guest {
    player: Box<dyn Player>,
    at: usize,
}

/// A request to a remote player for its move in a state. In a terminal state it announces the end of the
/// match.
pub(crate) struct Question {
    pub(crate) role: usize,
    pub(crate) url: String,
    pub(crate) clock: Duration,
    pub(crate) at: usize,
    pub(crate) turn: u64,
    pub(crate) node: Arc<Node>,
    pub(crate) stop: StopToken,
}

/// Sends the request on a new thread, which passes the answer to [`Session::answer`].
pub(crate) fn ask(session: &Arc<Session>, question: Question) {
    let asking = Arc::clone(session);
    let (role, turn) = (question.role, question.turn);
    let work = move || {
        let guest = lock(&asking.guests)[question.role].take();
        if question.node.moment.terminal {
            if let Some(mut guest) = guest {
                guest.player.stop(Observation::Moves(&question.node.joint));
            }
            return;
        }
        let (role, turn) = (question.role, question.turn);
        let answer = match play(&asking, guest, &question) {
            Ok((guest, mv)) => {
                lock(&asking.guests)[role] = Some(guest);
                Ok(mv)
            }
            Err(why) => Err(why),
        };
        asking.answer(role, turn, answer);
    };
    if let Err(error) = thread::Builder::new().name("guest".to_owned()).spawn(work) {
        // The caller holds the session's lock, so this cannot call `answer`.
        tracing::error!(%error, role, turn, "no thread for a player elsewhere");
    }
}

fn play(session: &Session, guest: Option<Guest>, question: &Question) -> Result<(Guest, String), String> {
    let Question { role, at, node, stop, clock, .. } = question;
    let text = |error: PlayError| error.to_string();
    let continues = |guest: &Guest| node.parent == Some(guest.at);
    let (mut guest, seen) = if let Some(guest) = guest.filter(continues) {
        (guest, Observation::Moves(&node.joint))
    } else {
        let id = format!("web.{}.{}", &session.id[..8], question.turn);
        let mut player = session.workshop.remote(&question.url, &id)?;
        let game = match node.parent {
            None => Arc::clone(&session.known.game),
            Some(_) => session.workshop.game_from(&session.known.game, Session::facts(node))?,
        };
        let clocks = Clocks { start: START, play: *clock };
        player.start(&game, Role(*role as u8), clocks, Deadline::after(START), stop).map_err(text)?;
        (Guest { player, at: *at }, Observation::Start)
    };
    let mv = guest.player.play(seen, Deadline::after(*clock), stop).map_err(text)?;
    guest.at = *at;
    Ok((guest, mv))
}
