//! Compares a state machine with the reference implementation's answers over the whole corpus:
//! `cargo run --release -p ggp-tests --bin corpus -- [--seconds N] [NAME…]`.
//!
//! Prints one line a game (agreed, disagreed, too slow, failed) and a last line with the counts;
//! exits with 1 if any game disagreed or failed to load.

use ggp_game::{EvalError, Game, Interpreter, StateMachine, StopToken};
use ggp_tests::oracle::{Difference, Oracle};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

fn main() {
    let mut seconds = 60;
    let mut names: Vec<String> = Vec::new();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--seconds" => seconds = args.next().and_then(|s| s.parse().ok()).expect("--seconds N"),
            name => names.push(name.to_owned()),
        }
    }
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
    let counts = Mutex::new([0usize; 4]);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(path) = rules.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let begun = Instant::now();
                    let (verdict, why) = judge(path, &corpus, Duration::from_secs(seconds));
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

const VERDICTS: [&str; 4] = ["agreed", "disagreed", "too slow", "failed"];

#[derive(Clone, Copy)]
enum Verdict {
    Agreed,
    Disagreed,
    TooSlow,
    Failed,
}

fn judge(path: &Path, corpus: &Path, limit: Duration) -> (Verdict, String) {
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
    let mut machine = Interpreter::new(&game);
    let stop = StopToken::new();
    machine.interrupt_on(&stop);
    // The watchdog ends with the sender: either at the time limit or when the work is done.
    let (done, wait) = mpsc::channel::<()>();
    let watchdog = std::thread::spawn({
        let stop = stop.clone();
        move || {
            if wait.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
                stop.stop();
            }
        }
    });
    let answer = oracle.compare_playouts(&mut machine).and_then(|()| oracle.compare_perft(&mut machine));
    drop(done);
    watchdog.join().expect("the watchdog only waits");
    match answer {
        Ok(()) => (Verdict::Agreed, String::new()),
        Err(Difference::Disagreed(why)) => (Verdict::Disagreed, why),
        Err(Difference::Failed(EvalError::Interrupted)) => (Verdict::TooSlow, String::new()),
        Err(Difference::Failed(error)) => (Verdict::Failed, error.to_string()),
    }
}
