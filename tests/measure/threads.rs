//! The gain of threads: the iterations per second of wall clock time of a search with one thread and with several threads,
//! and of so many searches side by side. The last is what the processors can do where threads share nothing.

use crate::probe::{NetPosition, draw};
use crate::{stage, suite};
use ggp_propnet::PropNetMachine;
use ggp_search::{Limits, Search};
use std::ops::RangeInclusive;
use std::thread;
use std::time::{Duration, Instant};

/// The plies of the positions that are searched.
const PLIES: RangeInclusive<u32> = 4..=20;

/// The number of positions of a game.
const POSITIONS: u64 = 15;

pub(crate) fn run(args: &[String]) {
    let [threads, seconds, games @ ..] = args else { panic!("THREADS SECONDS GAME…") };
    let threads: usize = threads.parse().expect("THREADS");
    let time = Duration::from_secs_f64(seconds.parse().expect("SECONDS"));
    println!("iterations per second of wall clock time");
    println!("game                           one   threads  ratio  side by side  ratio");
    let with_threads = format!("mcts:threads={threads}");
    for game in games {
        let mut machine = suite::network(game);
        let (mut one, mut several, mut apart) = (Rate::default(), Rate::default(), Rate::default());
        for number in 0..POSITIONS {
            let Some(position) = draw(&mut machine, 1, number, &PLIES) else { continue };
            let search = |spec| Rate::of(&machine, spec, number, &position, time);
            one.add(search("mcts"));
            several.add(search(&with_threads));
            thread::scope(|scope| {
                let searches: Vec<_> = (0..threads).map(|_| scope.spawn(|| search("mcts"))).collect();
                for search in searches {
                    apart.add(search.join().expect("a rate"));
                }
            });
        }
        let [one, several, apart] =
            [one.per_second(), several.per_second(), threads as f64 * apart.per_second()];
        println!(
            "{:<24} {one:>9.0} {several:>9.0} {:>6.2} {apart:>13.0} {:>6.2}",
            suite::name(game),
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
    /// Lets the player `spec` search `position`. A search that ends early counts with the time that it takes.
    fn of(machine: &PropNetMachine, spec: &str, seed: u64, position: &NetPosition, time: Duration) -> Rate {
        let options = stage::options(spec, seed);
        let mut search =
            Search::from_state(machine.clone(), &options, position.state.clone()).expect("a search");
        // The first run creates the threads and their machines.
        search.run(&Limits::iterations(1));
        let began = Instant::now();
        search.run(&Limits::time(time).for_role(position.role));
        Rate { iterations: search.iterations(), time: began.elapsed() }
    }

    fn add(&mut self, other: Rate) {
        self.iterations += other.iterations;
        self.time += other.time;
    }

    fn per_second(self) -> f64 {
        self.iterations as f64 / self.time.as_secs_f64()
    }
}
