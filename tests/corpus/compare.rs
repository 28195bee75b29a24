//! The comparison of a machine with the answers of the reference implementation, or with another machine.

use crate::name_of;
use crate::options::{Options, Reasoner};
use ggp_compiled::{CompiledMachine, Refusal};
use ggp_game::{EvalError, Game, Interpreter, StateMachine, StopToken};
use ggp_propnet::{PropNet, PropNetMachine};
use ggp_tests::oracle::{Difference, Oracle};
use ggp_tests::{perft_table, playouts, walk};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

/// Compares the games of `rules`. Prints a line for each, and a last one with the counts.
pub(crate) fn run(rules: &[PathBuf], corpus: &Path, options: &Options) -> ExitCode {
    let (counts, work) = compare_all(rules, corpus, options);
    let text: Vec<String> = VERDICTS.iter().zip(counts).map(|(v, n)| format!("{v} {n}")).collect();
    println!("{} of {}", text.join(", "), rules.len());
    if options.reasoner == Reasoner::Both {
        let Work { steps, playouts, playout_steps, sequences } = work;
        println!("{steps} steps walked, {playouts} playouts of {playout_steps} steps, perft {sequences}");
    }
    let agreed = counts[Verdict::Agreed as usize];
    if agreed < options.least {
        eprintln!("{agreed} games agreed, and {} are the least that must", options.least);
        return ExitCode::FAILURE;
    }
    match counts[Verdict::Disagreed as usize] + counts[Verdict::Failed as usize] {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// Compares the games of `rules` and prints a line for each. Returns the number of games by verdict, and
/// the amount of work.
fn compare_all(rules: &[PathBuf], corpus: &Path, options: &Options) -> ([usize; VERDICTS.len()], Work) {
    let next = AtomicUsize::new(0);
    let all = Mutex::new(([0; VERDICTS.len()], Work::default()));
    std::thread::scope(|scope| {
        for _ in 0..options.jobs() {
            scope.spawn(|| {
                while let Some(path) = rules.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let begun = Instant::now();
                    let Judgement { verdict, mut why, work } = judge(path, corpus, options);
                    let seconds = begun.elapsed().as_secs_f64();
                    let mut all = all.lock().expect("no panic");
                    all.0[verdict as usize] += 1;
                    all.1.add(&work);
                    let cut = (0..=300.min(why.len())).rev().find(|&at| why.is_char_boundary(at));
                    why.truncate(cut.unwrap_or(0));
                    println!("{}\t{}\t{seconds:.2} s\t{why}", VERDICTS[verdict as usize], name_of(path));
                }
            });
        }
    });
    all.into_inner().expect("no panic")
}

const VERDICTS: [&str; 5] = ["agreed", "disagreed", "too slow", "failed", "left out"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Agreed,
    Disagreed,
    TooSlow,
    Failed,
    /// The network of the game exceeds the limits, or the game cannot be compiled.
    LeftOut,
}

struct Judgement {
    verdict: Verdict,
    why: String,
    work: Work,
}

impl Judgement {
    fn new(verdict: Verdict, why: String) -> Judgement {
        Judgement { verdict, why, work: Work::default() }
    }

    fn of(difference: Difference) -> Judgement {
        match difference {
            Difference::Disagreed(why) => Judgement::new(Verdict::Disagreed, why),
            Difference::Failed(EvalError::Interrupted) => Judgement::new(Verdict::TooSlow, String::new()),
            Difference::Failed(error) => Judgement::new(Verdict::Failed, error.to_string()),
        }
    }
}

/// The amount of work of a comparison.
#[derive(Default)]
struct Work {
    steps: u64,
    playouts: u64,
    playout_steps: u64,
    sequences: u64,
}

impl Work {
    fn add(&mut self, other: &Work) {
        self.steps += other.steps;
        self.playouts += other.playouts;
        self.playout_steps += other.playout_steps;
        self.sequences += other.sequences;
    }
}

fn judge(path: &Path, corpus: &Path, options: &Options) -> Judgement {
    let text = std::fs::read(path).expect("a rulesheet");
    let description = match ggp_gdl::parse(&text) {
        Ok(description) => description,
        Err(errors) => return Judgement::new(Verdict::Failed, format!("{errors:?}")),
    };
    let game = match Game::new(description) {
        Ok(game) => Arc::new(game),
        Err(diagnostics) => return Judgement::new(Verdict::Failed, format!("{diagnostics:?}")),
    };
    let stop = StopToken::new();
    // The watchdog thread ends at the time limit, or when `done` is dropped after the work.
    let (done, wait) = mpsc::channel::<()>();
    let limit = Duration::from_secs(options.seconds);
    let watchdog = std::thread::spawn({
        let stop = stop.clone();
        move || {
            if wait.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
                stop.stop();
            }
        }
    });
    let oracle = corpus.join("oracle").join(format!("{}.json", name_of(path)));
    let judgement = judge_game(&game, &oracle, options, &stop);
    drop(done);
    watchdog.join().expect("the watchdog only waits");
    judgement
}

fn judge_game(game: &Arc<Game>, oracle: &Path, options: &Options, stop: &StopToken) -> Judgement {
    let mut interpreter = Interpreter::new(game);
    interpreter.interrupt_on(stop);
    if options.reasoner == Reasoner::Datalog {
        return ask_oracle(oracle, &mut interpreter);
    }
    if options.reasoner == Reasoner::Compiled {
        return match CompiledMachine::new(game, stop) {
            Ok(mut machine) => {
                machine.interrupt_on(stop);
                ask_oracle(oracle, &mut machine)
            }
            Err(Refusal::Interrupted) => Judgement::new(Verdict::TooSlow, "compiling".to_owned()),
            Err(refusal) => Judgement::new(Verdict::LeftOut, refusal.to_string()),
        };
    }
    let net = match PropNet::ground(game, &options.limits(), stop) {
        Ok(net) => net,
        Err(_) if stop.is_stopped() => return Judgement::new(Verdict::TooSlow, "grounding".to_owned()),
        Err(error) => return Judgement::new(Verdict::LeftOut, error.to_string()),
    };
    let mut network = match PropNetMachine::new(net) {
        Ok(machine) => machine,
        Err(error) => return Judgement::new(Verdict::LeftOut, error.to_string()),
    };
    network.interrupt_on(stop);
    let answered = ask_oracle(oracle, &mut network);
    match (options.reasoner, answered.verdict) {
        (Reasoner::Both, Verdict::Agreed) => compare_both(&mut interpreter, &mut network, options, stop),
        _ => answered,
    }
}

/// Compares `machine` with the answers of the reference implementation in the file `oracle`.
fn ask_oracle<M: StateMachine>(oracle: &Path, machine: &mut M) -> Judgement {
    let oracle = std::fs::read(oracle).expect("the oracle's answers");
    let oracle: Oracle = serde_json::from_slice(&oracle).expect("the oracle's format");
    let steps: usize = oracle.playouts.iter().map(|playout| playout.steps.len()).sum();
    if steps == 0 {
        return Judgement::new(Verdict::Failed, "the reference implementation has played nothing".to_owned());
    }
    match oracle.compare_playouts(machine).and_then(|()| oracle.compare_perft(machine)) {
        Ok(()) => {
            let depth = (oracle.perft.len() + oracle.perft_extra.len()).saturating_sub(1);
            Judgement::new(Verdict::Agreed, format!("{steps} steps, perft to depth {depth}"))
        }
        Err(difference) => Judgement::of(difference),
    }
}

/// Maximum number of states of one depth that perft visits.
const MOST_STATES: u64 = 2_000;

/// Compares interpreter and network by a random walk, playouts and perft.
fn compare_both(
    interpreter: &mut Interpreter,
    network: &mut PropNetMachine,
    options: &Options,
    stop: &StopToken,
) -> Judgement {
    if let Err(why) = walk::agree(interpreter, network, options.walk, 1) {
        let verdict = if stop.is_stopped() { Verdict::TooSlow } else { Verdict::Disagreed };
        return Judgement::new(verdict, why);
    }
    let counts = match playouts::agree(interpreter, network, options.playouts, 1) {
        Ok(counts) => counts,
        Err(difference) => return Judgement::of(difference),
    };
    let perft = match perft_table::agree(interpreter, network, MOST_STATES) {
        Ok(counts) => counts,
        Err(difference) => return Judgement::of(difference),
    };
    let sequences = perft.iter().sum();
    let work = Work {
        steps: options.walk as u64,
        playouts: counts.playouts,
        playout_steps: counts.steps,
        sequences,
    };
    let why = format!(
        "steps {}, goal sums {:?}, checksum {:016x}, perft {perft:?}",
        counts.steps, counts.goal_sums, counts.checksum
    );
    Judgement { verdict: Verdict::Agreed, why, work }
}
