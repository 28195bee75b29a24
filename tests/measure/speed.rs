//! The speed of searches.

use crate::duel::think;
use crate::stage;
use ggp_game::{CpuClock, Interpreter, PlayoutPlan, Playouts, Role};
use ggp_search::Search;
use std::path::Path;
use std::time::Duration;

const BUDGET: Duration = Duration::from_secs(2);

pub(crate) fn run(files: &[String]) {
    println!("playouts backed up per second of CPU time");
    println!(
        "game                       lanes       uct  interpreter  :uct  :interp  bare lanes  bare one  share of playouts"
    );
    for file in files {
        let game = stage::game(Path::new(file));
        let machine = stage::network(&game).expect("a network");
        let lanes = backed_up(machine.clone(), "mcts");
        let one = backed_up(machine.clone(), "uct");
        let slow = backed_up(Interpreter::new(&game), "mcts");
        let (bare, single) = (bare(machine.clone(), 4096), bare(machine, 1));
        println!(
            "{:<24} {lanes:>9.0} {one:>9.0} {slow:>9.0} {:>9.1} {:>7.1} {bare:>11.0} {single:>9.0} {:>6.2}",
            stage::name(Path::new(file)),
            lanes / one,
            lanes / slow,
            lanes / bare
        );
    }
}

fn backed_up<M: Playouts>(machine: M, spec: &str) -> f64 {
    let mut search = Search::new(machine, &stage::options(spec, 1)).expect("a search");
    let clock = CpuClock::of_this_thread();
    think(&mut search, BUDGET, |search, limits| search.run(&limits.for_role(Role(0))));
    search.playouts() as f64 / clock.elapsed().as_secs_f64()
}

/// The rate of playouts from the initial state without a search, `count` per call.
pub(crate) fn bare<M: Playouts>(mut machine: M, count: usize) -> f64 {
    let starts = vec![machine.initial_state().expect("a state"); count];
    let clock = CpuClock::of_this_thread();
    let mut played = 0;
    loop {
        let plan = PlayoutPlan { first: played, ..PlayoutPlan::new(1) };
        machine.playouts(&starts, plan, &mut |_| ()).expect("evaluable");
        played += count as u64;
        let used = clock.elapsed();
        if used > BUDGET / 4 {
            return played as f64 / used.as_secs_f64();
        }
    }
}
