//! The measurement of the time until a game is ready. A process measures one game only, so that its CPU time and its
//! largest memory are those of the game; [`of_child`] starts that process.

use crate::meter;
use ggp::{Build, Reasoner, StateMachine};
use ggp_game::Game;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

/// The measurement of one game.
#[derive(Serialize, Deserialize)]
pub struct Readiness {
    /// The name of the machine that evaluates the game.
    pub machine: String,
    /// The reason why the interpreter evaluates it. `None` if a faster machine does.
    pub fallback: Option<String>,
    /// The CPU time of the process in seconds: reading, checking, grounding and compiling the rules.
    pub seconds: f64,
    /// The largest memory of the process. `None` if the system does not report it.
    pub mib: Option<f64>,
    /// The number of ground instances of the rules. `None` without a network.
    pub instances: Option<u64>,
    /// The number of gates that a step takes, in the phase in which it takes the most. `None` without a network.
    pub gates_per_step: Option<usize>,
}

impl Readiness {
    /// Makes the game that `load` gives ready in this process. `limit` bounds the CPU time of grounding and
    /// compiling. Also returns the reasoner.
    ///
    /// # Errors
    /// The error of `load`, or the reason why there is no reasoner.
    pub fn measure(
        load: impl FnOnce() -> Result<Arc<Game>, String>,
        limit: Duration,
    ) -> Result<(Readiness, Reasoner), String> {
        let reasoner = Build::within(limit).reasoner(&load()?).map_err(|error| error.to_string())?;
        let (seconds, mib) = (meter::cpu_time().as_secs_f64(), meter::peak_mib());
        let network = reasoner.as_network();
        let readiness = Readiness {
            machine: reasoner.name().to_owned(),
            fallback: reasoner.fallback().map(ToString::to_string),
            seconds,
            mib,
            instances: network.map(|network| network.net().grounding().instances),
            gates_per_step: network.map(|network| {
                network.report().phases.iter().map(|phase| phase.gates_per_step).max().unwrap_or(0)
            }),
        };
        Ok((readiness, reasoner))
    }
}

/// Starts this program anew with the arguments `args`, and reads the JSON value that it prints.
///
/// # Errors
/// When the process cannot be started, fails, or prints something else. The text holds the first line that it wrote
/// to standard error.
pub fn of_child<'a, T: DeserializeOwned>(args: impl IntoIterator<Item = &'a OsStr>) -> Result<T, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(program).args(args).output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{}: {}", output.status, said.lines().next().unwrap_or_default()));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}
