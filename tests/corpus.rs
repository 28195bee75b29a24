//! Compares a state machine with the reference implementation's answers over the whole corpus:
//! `cargo run --release -p ggp-tests --bin corpus -- [--reasoner datalog|propnet] [--walk STEPS]
//! [--seconds N] [--jobs N] [NAME…]`.
//!
//! Prints one line a game (agreed, disagreed, too slow, failed, not grounded) and a last line with
//! the counts; exits with 1 if any game disagreed or failed to load. With `--walk`, the network and
//! the interpreter are compared over that many random steps instead.

use ggp_game::{EvalError, Game, Interpreter, StateMachine, StopToken};
use ggp_propnet::{GroundLimits, PropNet, PropNetMachine};
use ggp_tests::oracle::{Difference, Oracle};
use ggp_tests::walk;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

/// What is asked for.
struct Options {
    seconds: u64,
    propnet: bool,
    walk: Option<usize>,
    jobs: usize,
    names: Vec<String>,
}

impl Options {
    fn parse() -> Options {
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        let mut options = Options { seconds: 60, propnet: false, walk: None, jobs, names: Vec::new() };
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            let mut number = || args.next().and_then(|s| s.parse().ok()).expect("a number");
            match arg.as_str() {
                "--seconds" => options.seconds = number() as u64,
                "--jobs" => options.jobs = number(),
                "--walk" => options.walk = Some(number()),
                "--reasoner" => {
                    options.propnet = match args.next().as_deref() {
                        Some("datalog") => false,
                        Some("propnet") => true,
                        _ => panic!("--reasoner datalog|propnet"),
                    }
                }
                name => options.names.push(name.to_owned()),
            }
        }
        options
    }
}

fn main() {
    let options = Options::parse();
    let names = &options.names;
    let Some(corpus) = ggp_tests::corpus() else { return };
    let mut rules: Vec<PathBuf> = std::fs::read_dir(corpus.join("rules"))
        .expect("the corpus's rules")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "kif"))
        .filter(|path| {
            names.is_empty()
                || names.iter().any(|n| Some(n.as_str()) == path.file_stem().and_then(|s| s.to_str()))
        })
        .collect();
    rules.sort();
    let next = AtomicUsize::new(0);
    let counts = Mutex::new([0usize; VERDICTS.len()]);
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| {
                while let Some(path) = rules.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let begun = Instant::now();
                    let (verdict, why) = judge(path, &corpus, &options);
                    counts.lock().expect("no panic")[verdict as usize] += 1;
                    let name = path.file_stem().expect("a file").to_string_lossy();
                    let mut why = why;
                    if why.len() > 300 {
                        let cut = (0..=300).rev().find(|&i| why.is_char_boundary(i)).unwrap_or(0);
                        why.truncate(cut);
                    }
                    println!(
                        "{}\t{name}\t{:.2} s\t{why}",
                        VERDICTS[verdict as usize],
                        begun.elapsed().as_secs_f64()
                    );
                }
            });
        }
    });
    let counts = counts.into_inner().expect("no panic");
    let text: Vec<String> = VERDICTS.iter().zip(counts).map(|(v, n)| format!("{v} {n}")).collect();
    println!("{} of {}", text.join(", "), rules.len());
    if counts[Verdict::Disagreed as usize] + counts[Verdict::Failed as usize] > 0 {
        std::process::exit(1);
    }
}

const VERDICTS: [&str; 5] = ["agreed", "disagreed", "too slow", "failed", "not grounded"];

#[derive(Clone, Copy)]
enum Verdict {
    Agreed,
    Disagreed,
    TooSlow,
    Failed,
    NotGrounded,
}

fn judge(path: &Path, corpus: &Path, options: &Options) -> (Verdict, String) {
    let name = path.file_stem().expect("a file");
    let mut file = corpus.join("oracle").join(name).into_os_string();
    file.push(".json");
    let oracle = std::fs::read(file).expect("the oracle's answers");
    let oracle: Oracle = serde_json::from_slice(&oracle).expect("the oracle's format");
    let text = std::fs::read(path).expect("a rulesheet");
    let description = match ggp_gdl::parse(&text) {
        Ok(description) => description,
        Err(errors) => return (Verdict::Failed, format!("{errors:?}")),
    };
    let game = match Game::new(description) {
        Ok(game) => Arc::new(game),
        Err(diagnostics) => return (Verdict::Failed, format!("{diagnostics:?}")),
    };
    let stop = StopToken::new();
    // The watchdog ends with the sender: either at the time limit or when the work is done.
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
    let verdict = judge_game(&game, &oracle, options, &stop);
    drop(done);
    watchdog.join().expect("the watchdog only waits");
    verdict
}

fn judge_game(game: &Arc<Game>, oracle: &Oracle, options: &Options, stop: &StopToken) -> (Verdict, String) {
    let mut interpreter = Interpreter::new(game);
    interpreter.interrupt_on(stop);
    if !options.propnet && options.walk.is_none() {
        return compare(oracle, &mut interpreter);
    }
    let net = match PropNet::ground(game, &GroundLimits::default(), stop) {
        Ok(net) => net,
        Err(error) => return (Verdict::NotGrounded, error.to_string()),
    };
    let counts = format!("{:?}", net.counts());
    let mut machine = match PropNetMachine::new(game, net) {
        Ok(machine) => machine,
        Err(error) => return (Verdict::NotGrounded, error.to_string()),
    };
    machine.interrupt_on(stop);
    match options.walk {
        None => compare(oracle, &mut machine),
        Some(steps) => match walk::agree(&mut interpreter, &mut machine, steps, 1) {
            Ok(ended) => (Verdict::Agreed, format!("{steps} steps, {ended} playouts, {counts}")),
            Err(why) if stop.is_stopped() && why.starts_with("after ") => (Verdict::TooSlow, why),
            Err(why) => (Verdict::Disagreed, why),
        },
    }
}

fn compare<M: StateMachine>(oracle: &Oracle, machine: &mut M) -> (Verdict, String) {
    let answer = oracle.compare_playouts(machine).and_then(|()| oracle.compare_perft(machine));
    match answer {
        Ok(()) => (Verdict::Agreed, String::new()),
        Err(Difference::Disagreed(why)) => (Verdict::Disagreed, why),
        Err(Difference::Failed(EvalError::Interrupted)) => (Verdict::TooSlow, String::new()),
        Err(Difference::Failed(error)) => (Verdict::Failed, error.to_string()),
    }
}
