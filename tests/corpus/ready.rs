//! The table of the time until each game is ready, and of the machine that then plays it.
//!
//! Each game is measured in a process of its own, so that its CPU time and its largest memory are its own. No
//! process reads or writes the cache of networks.

use crate::name_of;
use crate::options::{ALONE, Options};
use ggp::{Build, Reasoner, StateMachine};
use ggp_tests::meter;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The memory that a game may take to count as ready, in MiB.
const MOST_MIB: f64 = 2048.0;

/// The times whose games the last lines count.
const TIMES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(10)];

/// The measurement of one game.
#[derive(Serialize, Deserialize)]
struct Readiness {
    /// The name of the machine that evaluates the game.
    machine: String,
    /// The reason why the interpreter evaluates it. `None` if a faster machine does.
    fallback: Option<String>,
    /// The CPU time of the process in seconds: reading, checking, grounding and compiling the rules.
    seconds: f64,
    /// The largest memory of the process. `None` if the system does not report it.
    mib: Option<f64>,
    /// The number of gates that a step takes, in the phase in which it takes the most. `None` without a network.
    gates_per_step: Option<usize>,
}

impl Readiness {
    /// Makes the game of the file `rules` ready in this process. `limit` bounds the CPU time of grounding and
    /// compiling.
    fn measure(rules: &Path, limit: Duration) -> Result<Readiness, String> {
        let game = ggp::load(rules).map_err(|error| error.to_string())?;
        let reasoner = Build::within(limit).reasoner(&game).map_err(|error| error.to_string())?;
        let gates = reasoner.as_network().map(|network| {
            network.report().phases.iter().map(|phase| phase.gates_per_step).max().unwrap_or(0)
        });
        Ok(Readiness {
            machine: reasoner.name().to_owned(),
            fallback: reasoner.fallback().map(ToString::to_string),
            seconds: meter::cpu_time().as_secs_f64(),
            mib: meter::peak_mib(),
            gates_per_step: gates,
        })
    }

    /// Whether the game is ready on a machine that is faster than the interpreter, in at most `time` of CPU time
    /// and [`MOST_MIB`] of memory.
    fn within(&self, time: Duration) -> bool {
        self.machine != Reasoner::INTERPRETER
            && self.seconds <= time.as_secs_f64()
            && self.mib.is_none_or(|mib| mib <= MOST_MIB)
    }

    fn print(&self, name: &str) {
        let machine = if self.machine == Reasoner::INTERPRETER { "none" } else { &self.machine };
        let mib = self.mib.map_or_else(|| "–".to_owned(), |mib| format!("{mib:.0}"));
        let gates = self.gates_per_step.map_or_else(|| "–".to_owned(), |gates| gates.to_string());
        let why = self.fallback.as_deref().unwrap_or_default();
        println!("{name:<40} {machine:<10} {:>8.2} {mib:>8} {gates:>10}  {why}", self.seconds);
    }
}

/// Measures the game of the file `rules` in this process and prints the result as one line of JSON.
pub(crate) fn print_alone(rules: &Path, options: &Options) -> ExitCode {
    match Readiness::measure(rules, Duration::from_secs(options.seconds)) {
        Ok(readiness) => {
            println!("{}", serde_json::to_string(&readiness).expect("a measurement becomes JSON"));
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// Measures the game of the file `rules` in a process of its own.
fn measure_alone(rules: &Path, options: &Options) -> Result<Readiness, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(program)
        .arg(ALONE)
        .arg(rules)
        .args(["--seconds", &options.seconds.to_string()])
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{}: {}", output.status, said.lines().next().unwrap_or_default()));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}

/// Prints the table of the games of `rules`, and the numbers of games that are ready in time.
pub(crate) fn run(rules: &[PathBuf], options: &Options) -> ExitCode {
    println!("{:<40} {:<10} {:>8} {:>8} {:>10}", "game", "machine", "CPU s", "MiB", "gates/step");
    let next = AtomicUsize::new(0);
    let all: Mutex<Vec<Readiness>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..options.jobs() {
            scope.spawn(|| {
                while let Some(path) = rules.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let measured = measure_alone(path, options);
                    let mut all = all.lock().expect("no panic");
                    match measured {
                        Ok(readiness) => {
                            readiness.print(&name_of(path));
                            all.push(readiness);
                        }
                        Err(why) => println!("{:<40} failed: {why}", name_of(path)),
                    }
                }
            });
        }
    });
    let all = all.into_inner().expect("no panic");
    let ready = |time: Duration| all.iter().filter(|readiness| readiness.within(time)).count();
    for time in TIMES {
        println!("ready within {} s and {MOST_MIB} MiB: {} of {}", time.as_secs(), ready(time), rules.len());
    }
    let (in_time, seconds) = (ready(options.within), options.within.as_secs_f64());
    if in_time < options.least {
        eprintln!(
            "{in_time} games are ready within {seconds} s, and {} are the least that must",
            options.least
        );
        return ExitCode::FAILURE;
    }
    if all.len() < rules.len() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
