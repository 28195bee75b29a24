//! Players that are written in Python, served over HTTP.

use crate::game::{Game, Inner};
use crate::interrupt::interruptible;
use crate::state::State;
use ggp::{Build, Clocks, Deadline, Observation, PlayError, Player, Role, StateMachine, StopToken};
use ggp_server::player::{Origin, PlayerConfig, serve_player};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

/// The seconds that a player has if a match has no clock.
const NO_CLOCK: Duration = Duration::from_secs(3600);

/// The share of the start clock in which a network may be built.
const BUILD_SHARE: f64 = 0.5;

/// A player in Python, in one match.
struct PythonPlayer {
    /// Makes the player of a match.
    make: Arc<Py<PyAny>>,
    playing: Option<Playing>,
}

/// A match in play.
struct Playing {
    player: Py<PyAny>,
    game: Arc<Inner>,
    role: Role,
    state: ggp::State,
}

fn unable(error: impl std::fmt::Display) -> PlayError {
    PlayError::Unable(error.to_string())
}

/// The error of a player whose Python code has raised. The traceback goes to standard error.
fn raised(py: Python<'_>, error: &PyErr) -> PlayError {
    error.display(py);
    unable(error)
}

fn seconds(deadline: Deadline) -> f64 {
    deadline.remaining().unwrap_or(NO_CLOCK).min(NO_CLOCK).as_secs_f64()
}

/// The time to build a network. What is left of the start clock is for the player.
fn build_time(deadline: Deadline) -> Duration {
    deadline.remaining().map_or(Build::TIME, |left| Build::TIME.min(left.mul_f64(BUILD_SHARE)))
}

impl Player for PythonPlayer {
    fn start(
        &mut self,
        game: &Arc<ggp::Game>,
        role: Role,
        _: Clocks,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<(), PlayError> {
        if game.has_percepts() {
            return Err(unable("players in Python play no games of hidden information"));
        }
        let inner = Inner::of_game(game, build_time(deadline), stop).map_err(unable)?;
        let mut reasoner = inner.reasoner().clone();
        let state = reasoner.initial_state()?;
        let player = Python::attach(|py| {
            let player = self.make.call0(py)?;
            let game = Game { inner: Arc::clone(&inner) };
            player.call_method1(py, "start", (game, inner.game.role_name(role), seconds(deadline)))?;
            Ok(player)
        });
        let player = player.map_err(|error| Python::attach(|py| raised(py, &error)))?;
        self.playing = Some(Playing { player, game: inner, role, state });
        Ok(())
    }

    fn play(
        &mut self,
        seen: Observation<'_>,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<String, PlayError> {
        let playing = self.playing.as_mut().ok_or_else(|| unable("the match has not begun"))?;
        let mut reasoner = playing.game.reasoner().clone();
        let joint = match seen {
            Observation::Start => None,
            Observation::Moves(joint) => Some(joint),
            Observation::Percepts { .. } => return Err(unable("there are percepts")),
        };
        if let Some(joint) = joint {
            let moves = reasoner.parse_joint(joint)?;
            playing.state = reasoner.next_state(&playing.state, &moves)?;
        }
        let legal = reasoner.legal_texts(&playing.state, playing.role)?;
        if stop.is_stopped() {
            return legal.into_iter().next().ok_or(PlayError::NoMove);
        }
        Python::attach(|py| {
            let state = State::new(&playing.game, playing.state.clone());
            let arguments = (state, joint.map(<[String]>::to_vec), seconds(deadline));
            let chosen = playing.player.call_method1(py, "choose", arguments);
            let chosen: String =
                chosen.and_then(|text| text.extract(py)).map_err(|error| raised(py, &error))?;
            if legal.contains(&chosen) { Ok(chosen) } else { Err(unable(format!("{chosen} is not legal"))) }
        })
    }

    fn stop(&mut self, _: Observation<'_>) {
        let Some(playing) = self.playing.take() else { return };
        Python::attach(|py| {
            if let Err(error) = playing.player.call_method0(py, "stop") {
                error.display(py);
            }
        });
    }
}

/// Serves players that `make` makes, one for each match, until Ctrl-C. `ggp.serve` documents it.
#[pyfunction]
#[pyo3(signature = (make, listening, *, port, bind, name, matches, margin, origins))]
pub(crate) fn serve(
    py: Python<'_>,
    make: Py<PyAny>,
    listening: Py<PyAny>,
    port: u16,
    bind: &str,
    name: String,
    matches: usize,
    margin: f64,
    origins: Vec<String>,
) -> PyResult<()> {
    let failed = |error: std::io::Error| PyOSError::new_err(error.to_string());
    let address: std::net::IpAddr =
        bind.parse().map_err(|_| pyo3::exceptions::PyValueError::new_err(format!("{bind} is no address")))?;
    let origins: Result<Vec<Origin>, _> = origins.iter().map(|origin| origin.parse()).collect();
    let origins = origins.map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))?;
    let listener = TcpListener::bind(SocketAddr::new(address, port)).map_err(failed)?;
    let url = format!("http://{}/", listener.local_addr().map_err(failed)?);
    listening.call1(py, (url,))?;
    let margin = crate::game::duration(margin)?;
    let config = PlayerConfig { name, matches, margin, origins, ponder: false, ..PlayerConfig::default() };
    let make = Arc::new(make);
    let factory = move |_: &str| -> Box<dyn Player> {
        Box::new(PythonPlayer { make: Arc::clone(&make), playing: None })
    };
    interruptible(py, |stop| serve_player(&listener, config, Arc::new(factory), stop))?.map_err(failed)
}
