//! Compares machines on the published rulesheets: `cargo run --release -p ggp-tests --bin corpus --
//! [OPTION…] [NAME…]`.
//!
//! With `--reasoner datalog`, `compiled` or `propnet`, the program compares the interpreter, the compiled
//! evaluator or the network with the answers of the reference implementation. With `--reasoner both`, it compares interpreter and
//! network with each other by a random walk, playouts in lanes, and perft. It prints a line per game (agreed, disagreed, too
//! slow, failed, left out) and a last line with the counts. The exit code is 1 if any game disagreed or
//! failed, or if fewer agreed than `--least` requires.

use ggp_compiled::{CompiledMachine, Refusal};
use ggp_game::{EvalError, Game, Interpreter, StateMachine, StopToken};
use ggp_propnet::{GroundLimits, PropNet, PropNetMachine};
use ggp_tests::oracle::{Difference, Oracle};
use ggp_tests::{perft_table, playouts, walk};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

const USAGE: &str = "\
usage: corpus [OPTION…] [NAME…]
  --reasoner datalog|compiled|propnet|both   which machines are compared [datalog]
  --small          leave out the games whose networks take more than some seconds to build, told by counts
  --walk STEPS     how long the walk of both machines is [250]
  --playouts N     how many playouts both machines play [700]
  --least N        fail unless so many games agree [1]
  --seconds N      give a game up after so long [60]
  --jobs N         how many games are compared at once [one a processor]";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reasoner {
    Datalog,
    Compiled,
    Propnet,
    Both,
}

/// The command line.
struct Options {
    reasoner: Reasoner,
    small: bool,
    walk: usize,
    playouts: usize,
    least: usize,
    seconds: u64,
    jobs: usize,
    names: Vec<String>,
}

impl Options {
    fn parse(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut options = Options {
            reasoner: Reasoner::Datalog,
            small: false,
            walk: 250,
            // More playouts than lanes, so that some lanes play a second one.
            playouts: 700,
            least: 1,
            seconds: 60,
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            names: Vec::new(),
        };
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--reasoner" => {
                    options.reasoner = match args.next().as_deref() {
                        Some("datalog") => Reasoner::Datalog,
                        Some("compiled") => Reasoner::Compiled,
                        Some("propnet") => Reasoner::Propnet,
                        Some("both") => Reasoner::Both,
                        _ => return Err("--reasoner wants datalog, compiled, propnet or both".to_owned()),
                    }
                }
                "--small" => options.small = true,
                "--walk" => options.walk = number(&arg, args.next())?,
                "--playouts" => options.playouts = number(&arg, args.next())?,
                "--least" => options.least = number(&arg, args.next())?,
                "--seconds" => options.seconds = number(&arg, args.next())?,
                "--jobs" => options.jobs = number(&arg, args.next())?,
                _ if arg.starts_with('-') => return Err(format!("there is no option `{arg}`")),
                _ => options.names.push(arg),
            }
        }
        Ok(options)
    }

    /// The limits of grounding. `--small` has limits on sizes only, so that the same games are left out
    /// on every computer.
    fn limits(&self) -> GroundLimits {
        if !self.small {
            return GroundLimits::default();
        }
        GroundLimits {
            tuples: 1_000_000,
            rows: 20_000_000,
            instances: 1_000_000,
            nodes: 1_000_000,
            ..GroundLimits::default()
        }
    }
}

fn number<T: FromStr>(option: &str, text: Option<String>) -> Result<T, String> {
    text.and_then(|text| text.parse().ok()).ok_or_else(|| format!("{option} wants a number"))
}

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(why) => {
            eprintln!("{why}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let Some(corpus) = ggp_tests::corpus() else { return ExitCode::FAILURE };
    let mut rules = ggp_tests::rulesheets_in(&corpus.join("rules"));
    if let Some(unknown) = options.names.iter().find(|name| !rules.iter().any(|path| name_of(path) == **name))
    {
        eprintln!("there is no rulesheet `{unknown}` in {}", corpus.display());
        return ExitCode::from(2);
    }
    rules.retain(|path| options.names.is_empty() || options.names.contains(&name_of(path)));
    let (counts, work) = compare_all(&rules, &corpus, &options);
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

fn name_of(path: &Path) -> String {
    path.file_stem().expect("a file").to_string_lossy().into_owned()
}

/// Compares the games of `rules` and prints a line for each. Returns the number of games by verdict, and
/// the amount of work.
fn compare_all(rules: &[PathBuf], corpus: &Path, options: &Options) -> ([usize; VERDICTS.len()], Work) {
    let next = AtomicUsize::new(0);
    let all = Mutex::new(([0; VERDICTS.len()], Work::default()));
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
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

#[derive(Clone, Copy)]
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
    match options.reasoner {
        Reasoner::Both => compare_both(&mut interpreter, &mut network, options, stop),
        _ => ask_oracle(oracle, &mut network),
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
