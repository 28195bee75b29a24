//! The play of a match of hidden information: the referee, the players in the seats, and their clocks.

use super::HiddenSession;
use super::clerk::Clerk;
use super::clocked::Clocked;
use super::screen::{LEAST_TURN, Screen};
use super::seat_person::SeatPerson;
use crate::id::any_id;
use crate::seat_player::SeatPlayer;
use crate::session::{Refusal, wrong};
use ggp_arena::{Ending, MachineReferee, MatchSetup, Outcome, Referee, Seat};
use ggp_game::{Clocks, Interpreter, Player, Role, StopToken};
use ggp_server::http::Address;
use ggp_server::remote::RemotePlayer;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// The start clock. Engines wait for the network of the game in this time, and remote players prepare.
const START: Duration = Duration::from_secs(5);

/// The time beyond the longest clock of the seats after which a turn ends. Each engine and remote player has
/// answered by then.
const GRACE: Duration = Duration::from_millis(300);

/// A match that is being played.
pub(super) struct RunningMatch {
    pub(super) screen: Arc<Screen>,
    stop: StopToken,
}

impl RunningMatch {
    /// Begins a match of `session` in its current state, on a new thread.
    pub(super) fn begin(session: &Arc<HiddenSession>) -> Result<RunningMatch, Refusal> {
        let truth = &session.truth;
        let seats = truth.seats();
        let joints = truth.joint_moves();
        let stop = StopToken::new();
        let screen = Arc::new(Screen::new(Arc::clone(truth), &seats, turn_time(&seats), joints.len()));
        let mut players = Vec::with_capacity(seats.len());
        for (role, seat) in seats.iter().enumerate() {
            players.push(player(session, Role(role as u8), seat.as_ref(), &screen)?);
        }
        // Every player has a clock of its own.
        let clocks = Clocks { start: START, play: Duration::MAX };
        let mut setup = MatchSetup::new(any_id(0), clocks);
        setup.grace = Duration::MAX;
        setup.seed = RandomState::new().hash_one(joints.len());
        setup.parallel = true;
        let given = joints.len() as u32;
        setup.opening = joints;
        let mut clerk = Clerk {
            truth: Arc::clone(truth),
            screen: Arc::clone(&screen),
            given,
            stop: stop.clone(),
            failed: None,
        };
        let machine = Interpreter::new(&truth.known.game);
        let (session, shown, halt) = (Arc::clone(session), Arc::clone(&screen), stop.clone());
        let play = move || {
            let outcome = MachineReferee::new(machine).play(setup, &mut players, &mut clerk, &halt);
            if session.truth.is_closed() {
                return;
            }
            shown.wait_for_turn(outcome.steps as usize, &halt);
            session.end(clerk.failed.take().or_else(|| why_ended(&session, &outcome)));
        };
        match thread::Builder::new().name("hidden match".to_owned()).spawn(play) {
            Ok(_) => Ok(RunningMatch { screen, stop }),
            Err(error) => wrong(format!("no thread can be started for the match: {error}")),
        }
    }

    /// Ends the match without a result.
    pub(super) fn stop(&self) {
        self.stop.stop();
        self.screen.wake();
    }
}

/// The time of each turn. It depends only on the players in the seats.
fn turn_time(seats: &[Option<SeatPlayer>]) -> Duration {
    let longest = seats.iter().flatten().map(SeatPlayer::clock).max().unwrap_or_default();
    if longest.is_zero() { LEAST_TURN } else { longest + GRACE }
}

fn player(
    session: &Arc<HiddenSession>,
    role: Role,
    seat: Option<&SeatPlayer>,
    screen: &Arc<Screen>,
) -> Result<Seat, Refusal> {
    let known = &session.truth.known;
    let memory = (session.truth.config().memory / known.game.role_count()).max(1);
    let clocked = |player: Box<dyn Player>, clock| Seat::Player(Box::new(Clocked { player, clock }));
    Ok(match seat {
        None | Some(SeatPlayer::Random) => Seat::Nature,
        Some(SeatPlayer::Person) => {
            Seat::Player(Box::new(SeatPerson::new(known, role, memory, Arc::clone(screen))?))
        }
        Some(seat @ SeatPlayer::Engine { iterations, .. }) => {
            let seed = RandomState::new().hash_one(role.0);
            clocked(known.player(memory, *iterations, seed)?, seat.clock())
        }
        Some(seat @ SeatPlayer::Remote { url, .. }) => {
            let address: Address = match url.parse() {
                Ok(address) => address,
                Err(error) => return wrong(format!("{error}")),
            };
            clocked(Box::new(RemotePlayer::new(address, format!("web.{}", any_id(0)))), seat.clock())
        }
        Some(SeatPlayer::Elsewhere) => return wrong("the match is played elsewhere"),
    })
}

/// The note about a match that has ended: its faults, and why it has ended if its last state is not terminal.
fn why_ended(session: &HiddenSession, outcome: &Outcome) -> Option<String> {
    let name = |role: usize| session.truth.known.game.role_name(Role(role as u8)).to_owned();
    let ending = match &outcome.ending {
        Ending::Terminal => None,
        Ending::Interrupted => Some("the match was interrupted".to_owned()),
        Ending::Forfeit { role } => Some(format!("{} has forfeited the match", name(*role))),
        Ending::NoLegalMove { role } => Some(format!(
            "the rules are at fault: {} has no legal move, but the game is not over",
            name(*role)
        )),
        Ending::StepLimit => Some(format!("the match was given up after {} steps", outcome.steps)),
        Ending::Unplayed(why) | Ending::RulesFailed(why) => Some(why.clone()),
    };
    let faults = outcome.faults.iter().map(|fault| {
        format!(
            "{} in step {}: {}; a random move was made in its stead",
            name(fault.role),
            fault.step + 1,
            fault.detail
        )
    });
    let notes: Vec<String> = ending.into_iter().chain(faults.take(3)).collect();
    (!notes.is_empty()).then(|| notes.join(". "))
}
