//! Memory test of the interpreter: one match of a million joint moves, in which every state and every
//! move contains new terms. `cargo run --release -p ggp-tests --bin soak -- [STEPS]`.
//!
//! Each of two random players has an interpreter, and so has the referee. The program prints the resident
//! memory of the process during the match. It fails if the match does not end as expected, or if the
//! second half needs more memory than the second quarter. A full run takes some minutes; STEPS ends the
//! match after that many steps.

use ggp_arena::{Ending, MachineReferee, MatchEvent, MatchSetup, Observer, Referee, Seat};
use ggp_game::{Clocks, Interpreter, StopToken};
use ggp_search::{RandomOptions, RandomPlayer};
use std::process::ExitCode;
use std::time::Duration;

const LEDGER: &str = include_str!("ledger.kif");

/// Number of joint moves of a whole match.
const STEPS: u32 = 1_000_000;

/// Number of memory samples of a match, and number of printed lines.
const SAMPLES: u32 = 1000;
const LINES: u32 = 20;

/// Tolerated growth of memory, because of the allocator: a divisor of the memory, and a constant in bytes.
const NOISE_PART: u64 = 50;
const NOISE: u64 = 1 << 20;

/// The resident memory of this process in bytes; `None` if the system does not report it.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kib| kib << 10)
}

/// An observer that samples the memory during a match of `steps` steps.
struct Watch {
    steps: u32,
    samples: Vec<u64>,
}

impl Observer for Watch {
    fn observe(&mut self, event: MatchEvent<'_>) {
        let MatchEvent::Joint { step, moves, .. } = event else { return };
        let step = step + 1;
        if !step.is_multiple_of((self.steps / SAMPLES).max(1)) {
            return;
        }
        let Some(bytes) = resident() else { return };
        self.samples.push(bytes);
        if (self.samples.len() as u32).is_multiple_of(SAMPLES / LINES) {
            println!("{step:>9} joint moves  {:>6.1} MiB  {}", mib(bytes), moves.join(" "));
        }
    }
}

fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

impl Watch {
    /// The failure of the memory test, if any.
    fn complaint(&self) -> Option<String> {
        let most = |samples: &[u64]| samples.iter().copied().max();
        let half = self.samples.len() / 2;
        let (Some(before), Some(after)) = (most(&self.samples[half / 2..half]), most(&self.samples[half..]))
        else {
            return Some("the system does not tell how much memory is in use".to_owned());
        };
        println!(
            "most in the second quarter {:.1} MiB, in the second half {:.1} MiB",
            mib(before),
            mib(after)
        );
        (after > before + before / NOISE_PART + NOISE)
            .then(|| format!("memory grew by {:.1} MiB", mib(after - before)))
    }
}

fn main() -> ExitCode {
    let steps = match std::env::args().nth(1).map(|text| text.parse::<u32>()) {
        None => STEPS,
        Some(Ok(steps @ 1..=STEPS)) => steps,
        Some(_) => {
            eprintln!("STEPS is a number from 1 to {STEPS}");
            return ExitCode::from(2);
        }
    };
    let game = ggp_tests::game(LEDGER);
    let seat = |seed| {
        let options = RandomOptions { seed: Some(seed) };
        Seat::Player(Box::new(RandomPlayer::new(&options, |game, _, _| Ok(Interpreter::new(game)))))
    };
    let mut seats = [seat(1), seat(2)];
    let clocks = Clocks { start: Duration::MAX, play: Duration::MAX };
    // The limit of a full match is one above its number of moves, so that the terminal state is evaluated
    // too.
    let limit = if steps < STEPS { steps } else { STEPS + 1 };
    let setup = MatchSetup { max_steps: limit, ..MatchSetup::new("soak", clocks) };
    let mut watch = Watch { steps, samples: Vec::new() };
    let mut referee = MachineReferee::new(Interpreter::new(&game));
    let outcome = referee.play(setup, &mut seats, &mut watch, &StopToken::new());
    println!("{:?} after {} joint moves, goals {:?}", outcome.ending, outcome.steps, outcome.goals);
    let mut wrong = Vec::new();
    let ending = if steps < STEPS { Ending::StepLimit } else { Ending::Terminal };
    if outcome.ending != ending || outcome.steps != steps {
        wrong.push(format!("the match should have ended as {ending:?} after {steps} joint moves"));
    }
    if let Some(fault) = outcome.faults.first() {
        wrong.push(format!(
            "{} faults, the first of role {} in step {}",
            outcome.faults.len(),
            fault.role,
            fault.step
        ));
    }
    wrong.extend(watch.complaint());
    for complaint in &wrong {
        eprintln!("WRONG: {complaint}");
    }
    if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
