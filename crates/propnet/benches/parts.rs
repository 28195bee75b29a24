//! Measures the time of each part: grounding, compiling, the gates of a step, the choice of moves, and whole
//! playouts. `cargo bench -p ggp-propnet --bench parts`; append `-- choice` to measure only the part
//! `choice`.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ggp_game::Batches;
use ggp_game::{Game, PlayoutPlan, StateMachine, StopToken};
use ggp_propnet::{GroundLimits, PropNet, PropNetMachine, SweepStep};
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A small game, a game with many legal moves in each state, a game with deep circuits, and a game with many
/// distinct moves overall.
const GAMES: [&str; 4] = ["tic_tac_toe", "breakthrough_holes", "english_draughts", "skirmish"];
/// The number of playouts in each run: 8 for each of the 512 lanes (the playouts that run at once).
const PLAYOUTS: usize = 8 * 512;

fn game(name: &str) -> Arc<Game> {
    let path = format!("{}/../../games/{name}.kif", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read(path).expect("a rulesheet");
    Arc::new(Game::new(ggp_gdl::parse(&text).expect("GDL")).expect("a valid game"))
}

fn ground(game: &Arc<Game>) -> PropNet {
    PropNet::ground(game, &GroundLimits::default(), &StopToken::new()).expect("small enough")
}

fn machine(name: &str) -> PropNetMachine {
    PropNetMachine::new(ground(&game(name))).expect("few moves")
}

fn grounding(c: &mut Criterion) {
    let mut group = c.benchmark_group("grounding");
    for name in GAMES {
        let game = game(name);
        group.bench_function(BenchmarkId::from_parameter(name), |b| b.iter(|| black_box(ground(&game))));
    }
}

fn compiling(c: &mut Criterion) {
    let mut group = c.benchmark_group("compiling");
    for name in GAMES {
        let net = ground(&game(name));
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter(|| black_box(PropNetMachine::new(net.clone()).expect("few moves")));
        });
    }
}

/// The time that `parts` take in the first `sweeps` sweeps of random playouts. A sweep plays one step in all
/// lanes (the playouts that run at once).
fn time_of(machine: &mut PropNetMachine, parts: &[SweepStep], sweeps: u64) -> Duration {
    let start = [machine.initial_state().expect("a state")];
    let (mut taken, mut done) = (Duration::ZERO, 0);
    for first in (0..).step_by(PLAYOUTS) {
        let plan = PlayoutPlan { first, per_start: PLAYOUTS, ..PlayoutPlan::new(1) };
        let mut last = Instant::now();
        let mut observer = |part: SweepStep| {
            let now = Instant::now();
            if done < sweeps && parts.contains(&part) {
                taken += now - last;
            }
            done += u64::from(part == SweepStep::Next);
            last = now;
        };
        machine.observed_playouts(&start, plan, &mut |_| {}, Some(&mut observer)).expect("playable");
        if done >= sweeps {
            break;
        }
    }
    taken
}

fn part(c: &mut Criterion, name: &str, parts: &[SweepStep]) {
    let mut group = c.benchmark_group(name);
    for name in GAMES {
        let mut machine = machine(name);
        group.throughput(Throughput::Elements(machine.lanes() as u64));
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter_custom(|sweeps| time_of(&mut machine, parts, sweeps));
        });
    }
}

fn gates(c: &mut Criterion) {
    part(c, "gates", &[SweepStep::Gates, SweepStep::Next]);
}

fn choice(c: &mut Criterion) {
    part(c, "choice", &[SweepStep::Choice]);
}

fn playouts(c: &mut Criterion) {
    let mut group = c.benchmark_group("playouts");
    group.throughput(Throughput::Elements(PLAYOUTS as u64));
    for name in GAMES {
        let mut machine = machine(name);
        let start = [machine.initial_state().expect("a state")];
        let plan = PlayoutPlan { per_start: PLAYOUTS, ..PlayoutPlan::new(1) };
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter(|| {
                let mut steps = 0;
                let count = &mut |playout: ggp_game::Playout<'_>| steps += playout.steps;
                machine.playouts(&start, plan, count).expect("playable");
                black_box(steps)
            });
        });
    }
}

criterion_group! {
    name = parts;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2));
    targets = grounding, compiling, gates, choice, playouts
}
criterion_main!(parts);
