//! Measures random playouts per second of CPU time. By default it measures, all in one process, two networks
//! built by hand, the same games grounded from their rulesheets, and hand-written references. If files are
//! given (`cargo bench -p ggp-propnet --bench speed -- FILE…`), it measures these rulesheets instead.

#[allow(
    clippy::cast_possible_wrap,
    clippy::type_complexity,
    clippy::needless_range_loop,
    reason = "board arithmetic"
)]
mod nets;
#[allow(clippy::inline_always, reason = "must be compiled with the callers' processor features")]
mod references;

use ggp_game::{Batches, Game, PlayoutPlan, StateMachine, StopToken};
use ggp_propnet::{GroundLimits, PropNet, PropNetMachine, SweepStep};
use references::Totals;
use rustix::time::{ClockId, clock_gettime};
use std::sync::Arc;

/// The median rate of a hand-written reference, in playouts per second.
fn measure_reference(name: &str, play: fn(u64, u64) -> Totals, playouts: u64) -> f64 {
    let mut rates = Vec::new();
    let mut sum = Totals::default();
    for seed in 0..5 {
        let begin = process_time();
        let totals = play(seed, playouts);
        rates.push(totals.playouts as f64 / process_time().saturating_sub(begin).as_secs_f64());
        sum.playouts += totals.playouts;
        sum.steps += totals.steps;
        sum.first_role_score += totals.first_role_score;
    }
    rates.sort_by(f64::total_cmp);
    println!(
        "{name}, by hand: {:.0} playouts/s (from {:.0} to {:.0}), length {:.2}, first role's goal {:.2}",
        rates[2],
        rates[0],
        rates[4],
        sum.steps as f64 / sum.playouts as f64,
        50.0 * sum.first_role_score as f64 / sum.playouts as f64,
    );
    rates[2]
}

/// The minimum CPU time of one run in seconds.
const RUN: f64 = 0.4;

fn measure(name: &str, machine: &mut PropNetMachine) -> f64 {
    let start = machine.initial_state().unwrap();
    let mut rates = Vec::new();
    let mut playouts = 1024;
    let (mut steps, mut sums, mut count) = (0u64, vec![0u64; machine.game().role_count()], 0u64);
    while rates.len() < 5 {
        let plan = PlayoutPlan { first: count, per_start: playouts, ..PlayoutPlan::new(1) };
        let begin = process_time();
        machine
            .playouts(std::slice::from_ref(&start), plan, &mut |playout| {
                count += 1;
                steps += u64::from(playout.steps);
                for (sum, goal) in sums.iter_mut().zip(playout.goals) {
                    *sum += u64::from(goal.score().value());
                }
            })
            .unwrap();
        let seconds = process_time().saturating_sub(begin).as_secs_f64();
        if seconds < RUN {
            playouts *= 2;
        } else {
            rates.push(playouts as f64 / seconds);
        }
    }
    rates.sort_by(f64::total_cmp);
    let goals: Vec<f64> = sums.iter().map(|&sum| sum as f64 / count as f64).collect();
    println!(
        "{name}: {:.0} playouts/s (from {:.0} to {:.0}), length {:.2}, goals {goals:.2?}; {:?}",
        rates[2],
        rates[0],
        rates[4],
        steps as f64 / count as f64,
        machine.program_counts()
    );
    let mut parts = [0.0; 4];
    let mut last = std::time::Instant::now();
    let plan = PlayoutPlan { per_start: playouts, ..PlayoutPlan::new(2) };
    let mut observer = |part: SweepStep| {
        let now = std::time::Instant::now();
        parts[part as usize] += (now - last).as_secs_f64();
        last = now;
    };
    machine.observed_playouts(std::slice::from_ref(&start), plan, &mut |_| {}, Some(&mut observer)).unwrap();
    let all: f64 = parts.iter().sum();
    println!(
        "  gates {:.0} %, choice {:.0} %, next {:.0} %, bookkeeping {:.0} %",
        100.0 * parts[0] / all,
        100.0 * parts[1] / all,
        100.0 * parts[2] / all,
        100.0 * parts[3] / all
    );
    rates[2]
}

/// The median rate of a rulesheet's playouts, in playouts per second. `None` if the game cannot be grounded.
fn measure_file(file: &str) -> Option<f64> {
    let name = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".kif");
    let text = std::fs::read(file).expect("a readable file");
    let game = Arc::new(Game::new(ggp_gdl::parse(&text).expect("GDL")).expect("a valid game"));
    let begin = process_time();
    match PropNet::ground(&game, &GroundLimits::default(), &StopToken::new()) {
        Err(error) => {
            println!("{name}: {error}");
            None
        }
        Ok(net) => {
            let ground = process_time().saturating_sub(begin).as_secs_f64();
            let counts = net.counts();
            let mut machine = PropNetMachine::new(net).expect("not too large");
            let compile = process_time().saturating_sub(begin).as_secs_f64() - ground;
            println!("{name}: grounded in {ground:.2} s, compiled in {compile:.2} s; {counts:?}");
            Some(measure(name, &mut machine))
        }
    }
}

type Case = (&'static str, fn() -> PropNet, fn(u64, u64) -> Totals, u64);

const CASES: [Case; 2] = [
    ("breakthrough_holes", nets::breakthrough_holes, references::breakthrough_holes, 500_000),
    ("connect_four", nets::connect_four, references::connect_four, 4_000_000),
];

fn main() {
    let files: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    for file in &files {
        let by_net = measure_file(file);
        let stem = std::path::Path::new(file).file_stem().and_then(|stem| stem.to_str());
        let case = CASES.iter().find(|case| stem == Some(case.0));
        if let (Some(by_net), &Some(&(name, _, reference, playouts))) = (by_net, &case) {
            let by_hand = measure_reference(name, reference, playouts);
            println!("  {:.2} times the hand-written reference", by_net / by_hand);
        }
    }
    if !files.is_empty() {
        return;
    }
    for (name, net, reference, playouts) in CASES {
        let net = net();
        println!("{name}: {:?}", net.counts());
        let by_net = measure(&format!("{name}, network by hand"), &mut nets::machine(net));
        let file = format!("{}/../../games/{name}.kif", env!("CARGO_MANIFEST_DIR"));
        let by_rules = measure_file(&file);
        let by_hand = measure_reference(name, reference, playouts);
        println!("  network by hand: {:.2} times the hand-written reference", by_net / by_hand);
        if let Some(by_rules) = by_rules {
            println!("  from the rules: {:.2} times the hand-written reference", by_rules / by_hand);
        }
    }
}

/// The CPU time of this process.
fn process_time() -> std::time::Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    std::time::Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
