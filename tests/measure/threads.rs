//! What threads add to a search: its iterations per second of wall clock time with one thread, with several threads,
//! and those of so many searches side by side, which is what the processors can do where nothing is shared.

use crate::stage;
use ggp_game::{Playouts, Role, rng::Sequence};
use ggp_search::{Limits, Search};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// The plies of the positions that are searched, after random moves.
const PLIES: [usize; 3] = [4, 10, 20];

/// The searches of each position with each number of threads.
const ROUNDS: u64 = 5;

pub(crate) fn run(args: &[String]) {
    let [threads, seconds, files @ ..] = args else { panic!("THREADS SECONDS FILE…") };
    let threads: usize = threads.parse().expect("THREADS");
    let time = Duration::from_secs_f64(seconds.parse().expect("SECONDS"));
    println!("iterations per second of wall clock time");
    println!("game                           one   threads  ratio  side by side  ratio");
    let with_threads = format!("mcts:threads={threads}");
    for file in files {
        let game = stage::game(Path::new(file));
        let machine = stage::network(&game).expect("a network");
        let (mut one, mut several, mut apart) = (Rate::default(), Rate::default(), Rate::default());
        for plies in PLIES {
            for seed in 0..ROUNDS {
                let state = after(machine.clone(), plies, seed);
                let search = |spec| Rate::of(machine.clone(), spec, seed, &state, time);
                one.add(search("mcts"));
                several.add(search(&with_threads));
                thread::scope(|scope| {
                    let searches: Vec<_> = (0..threads).map(|_| scope.spawn(|| search("mcts"))).collect();
                    for search in searches {
                        apart.add(search.join().expect("a rate"));
                    }
                });
            }
        }
        let [one, several, apart] =
            [one.per_second(), several.per_second(), threads as f64 * apart.per_second()];
        println!(
            "{:<24} {one:>9.0} {several:>9.0} {:>6.2} {apart:>13.0} {:>6.2}",
            stage::name(Path::new(file)),
            several / one,
            apart / one
        );
    }
}

/// The iterations of some searches, and their time.
#[derive(Clone, Copy, Default)]
struct Rate {
    iterations: u64,
    time: Duration,
}

impl Rate {
    /// Lets the player `spec` search `state`. A search that ends early counts with the time that it takes.
    fn of<M: Playouts>(machine: M, spec: &str, seed: u64, state: &M::State, time: Duration) -> Rate {
        let mut search =
            Search::from_state(machine, &stage::options(spec, seed), state.clone()).expect("a search");
        // The first run creates the threads and their machines.
        search.run(&Limits::iterations(1));
        let began = Instant::now();
        search.run(&Limits::time(time).for_role(Role(0)));
        Rate { iterations: search.report(Role(0)).iterations, time: began.elapsed() }
    }

    fn add(&mut self, other: Rate) {
        self.iterations += other.iterations;
        self.time += other.time;
    }

    fn per_second(self) -> f64 {
        self.iterations as f64 / self.time.as_secs_f64()
    }
}

/// The state after random moves, before the end of the game.
fn after<M: Playouts>(mut machine: M, plies: usize, seed: u64) -> M::State {
    let mut random = Sequence::new(seed);
    let mut state = machine.initial_state().expect("a state");
    let roles: Vec<Role> = machine.game().roles().collect();
    for _ in 0..plies {
        let mut joint = Vec::new();
        for &role in &roles {
            let mut legal = Vec::new();
            machine.legal_moves(&state, role, &mut legal).expect("evaluable");
            joint.push(legal[random.below(legal.len())]);
        }
        let next = machine.next_state(&state, &joint).expect("evaluable");
        if machine.is_terminal(&next).expect("evaluable") {
            break;
        }
        state = next;
    }
    state
}
