//! Proves the goal that each role can guarantee from the initial state.
//!
//! `cargo run --release -p ggp-search --example solve -- SECONDS MIB FILE…`

use ggp_game::{Game, Interpreter, StateMachine};
use ggp_search::{Limits, Solver};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn main() -> Result<(), String> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [seconds, mib, files @ ..] = &args[..] else {
        return Err("SECONDS MIB FILE… are wanted".to_owned());
    };
    let time = Duration::from_secs_f64(seconds.parse().map_err(|_| "SECONDS is a number")?);
    let mib: usize = mib.parse().map_err(|_| "MIB is a whole number")?;
    for file in files {
        let kif = std::fs::read(file).map_err(|e| format!("{file}: {e}"))?;
        let description = ggp_gdl::parse(&kif).map_err(|_| format!("{file}: does not parse"))?;
        let game = Arc::new(Game::new(description).map_err(|_| format!("{file}: is no game"))?);
        for role in game.roles() {
            let mut machine = Interpreter::new(&game);
            let state = machine.initial_state().map_err(|e| e.to_string())?;
            let mut solver = Solver::new(machine, state, role, mib << 20);
            let began = Instant::now();
            let halt = solver.run(&Limits::time(time));
            let solution = solver.solution();
            println!(
                "{file}\t{}\t{}..={}\t{} states\t{:.1?}\t{halt:?}",
                game.role_name(role),
                solution.low,
                solution.high,
                solution.states,
                began.elapsed()
            );
        }
    }
    Ok(())
}
