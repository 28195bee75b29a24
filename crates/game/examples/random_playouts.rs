//! Random playouts by the interpreter: `random_playouts FILE SECONDS`.
use ggp_game::{Game, Interpreter, PlayoutPlan, Playouts, StateMachine};
use std::sync::Arc;
fn main() {
    let mut args = std::env::args().skip(1);
    let file = args.next().expect("FILE");
    let seconds: f64 = args.next().expect("SECONDS").parse().expect("a number");
    let t = std::time::Instant::now();
    let game = Arc::new(
        Game::new(ggp_gdl::parse(&std::fs::read(&file).expect("readable")).expect("GDL")).expect("valid"),
    );
    let mut machine = Interpreter::new(&game);
    let build = t.elapsed().as_secs_f64();
    let start = machine.initial_state().expect("a state");
    let t = std::time::Instant::now();
    let (mut n, mut steps, mut goals) = (0u64, 0u64, vec![0f64; game.role_count()]);
    while t.elapsed().as_secs_f64() < seconds {
        let plan = PlayoutPlan { first: n, ..PlayoutPlan::new(1) };
        machine
            .playouts(&[start.clone()], plan, &mut |p| {
                n += 1;
                steps += u64::from(p.steps);
                for (sum, goal) in goals.iter_mut().zip(p.goals) {
                    *sum += goal.map_or(0.0, |g| f64::from(g.value()));
                }
            })
            .expect("playable");
    }
    let s = t.elapsed().as_secs_f64();
    println!(
        "{file} build {build:.2} playouts/s {:.1} steps/s {:.0} length {:.2} goals {:?}",
        n as f64 / s,
        steps as f64 / s,
        steps as f64 / n as f64,
        goals.iter().map(|g| g / n as f64).collect::<Vec<_>>()
    );
}
