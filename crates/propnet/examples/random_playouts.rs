//! Plays N random playouts of the game in FILE with its network: `random_playouts FILE N`.
use ggp_game::Batches;
use ggp_game::{Game, PlayoutPlan, StateMachine, StopToken};
use ggp_propnet::{GroundLimits, PropNet, PropNetMachine};
use std::sync::Arc;
fn main() {
    let mut args = std::env::args().skip(1);
    let file = args.next().expect("FILE");
    let count: usize = args.next().expect("N").parse().expect("a number");
    let t = std::time::Instant::now();
    let game = Arc::new(
        Game::new(ggp_gdl::parse(&std::fs::read(&file).expect("readable")).expect("GDL")).expect("valid"),
    );
    let net = PropNet::ground(&game, &GroundLimits::default(), &StopToken::new()).expect("ground");
    let ground = t.elapsed().as_secs_f64();
    let mut machine = PropNetMachine::new(net).expect("compiled");
    let build = t.elapsed().as_secs_f64();
    let start = machine.initial_state().expect("a state");
    let starts = vec![start; count];
    let t = std::time::Instant::now();
    let (mut n, mut steps, mut goals) = (0u64, 0u64, vec![0f64; game.role_count()]);
    machine
        .playouts(&starts, PlayoutPlan::new(1), &mut |p| {
            n += 1;
            steps += u64::from(p.steps);
            for (sum, goal) in goals.iter_mut().zip(p.goals) {
                *sum += f64::from(goal.score().value());
            }
        })
        .expect("playable");
    let s = t.elapsed().as_secs_f64();
    println!(
        "{file} ground {ground:.2} build {build:.2} playouts/s {:.0} steps/s {:.0} length {:.2} goals {:.2?} {:?}",
        n as f64 / s,
        steps as f64 / s,
        steps as f64 / n as f64,
        goals.iter().map(|g| g / n as f64).collect::<Vec<_>>(),
        machine.program_counts()
    );
}
