//! The table of the time until each game is ready, and of the machine that then plays it.
//!
//! Each game is measured in a process of its own, so that its CPU time and its largest memory are its own. No
//! process reads or writes the cache of networks.

use crate::name_of;
use crate::options::{ALONE, Options};
use ggp::Reasoner;
use ggp_tests::readiness::{self, Readiness};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The memory that a game may take to count as ready, in MiB.
const MOST_MIB: f64 = 2048.0;

/// The times whose games the last lines count.
const TIMES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(10)];

/// Whether the game of `readiness` is ready on a machine that is faster than the interpreter, in at most `time` of
/// CPU time and [`MOST_MIB`] of memory.
fn is_within(readiness: &Readiness, time: Duration) -> bool {
    readiness.machine != Reasoner::INTERPRETER
        && readiness.seconds <= time.as_secs_f64()
        && readiness.mib.is_none_or(|mib| mib <= MOST_MIB)
}

fn print(readiness: &Readiness, name: &str) {
    let machine = if readiness.machine == Reasoner::INTERPRETER { "none" } else { &readiness.machine };
    let mib = readiness.mib.map_or_else(|| "–".to_owned(), |mib| format!("{mib:.0}"));
    let gates = readiness.gates_per_step.map_or_else(|| "–".to_owned(), |gates| gates.to_string());
    let why = readiness.fallback.as_deref().unwrap_or_default();
    println!("{name:<40} {machine:<10} {:>8.2} {mib:>8} {gates:>10}  {why}", readiness.seconds);
}

/// Measures the game of the file `rules` in this process and prints the result as one line of JSON.
pub(crate) fn print_alone(rules: &Path, options: &Options) -> ExitCode {
    let load = || ggp::load(rules).map_err(|error| error.to_string());
    match Readiness::measure(load, Duration::from_secs(options.seconds)) {
        Ok((readiness, _)) => {
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
    let seconds = options.seconds.to_string();
    readiness::of_child([ALONE.as_ref(), rules.as_os_str(), "--seconds".as_ref(), seconds.as_ref()])
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
                            print(&readiness, &name_of(path));
                            all.push(readiness);
                        }
                        Err(why) => println!("{:<40} failed: {why}", name_of(path)),
                    }
                }
            });
        }
    });
    let all = all.into_inner().expect("no panic");
    let ready = |time: Duration| all.iter().filter(|readiness| is_within(readiness, time)).count();
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
