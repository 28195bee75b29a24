//! The mean lengths and goals of random playouts of the five reference games agree with those that other
//! reasoners measured on the same rules.

use ggp_game::Batches;
use ggp_game::{Interpreter, PlayoutPlan, StateMachine};

const PLAYOUTS: usize = 2_000;
/// Rounding error of the known means, which have one digit after the point.
const ROUNDING: f64 = 0.05;

/// Whether the mean of `samples` is within three standard errors of `known`, apart from rounding.
fn agree(name: &str, what: &str, samples: &[f64], known: f64) {
    let count = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / count;
    let variance = samples.iter().map(|sample| (sample - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let error = (variance / count).sqrt();
    assert!(
        (mean - known).abs() <= 3.0 * error + ROUNDING,
        "{name}: mean {what} {mean:.2}, standard error {error:.2}, known {known}"
    );
}

fn plays(name: &str, length: f64, goals: [f64; 2]) {
    let mut machine = Interpreter::new(&ggp_tests::game(&ggp_tests::rulesheet(name)));
    let initial = machine.initial_state().expect("evaluates");
    let (mut lengths, mut scores) = (Vec::new(), [Vec::new(), Vec::new()]);
    let mut sink = |playout: ggp_game::Playout<'_>| {
        assert!(playout.terminal, "{name}: a playout without end");
        lengths.push(f64::from(playout.steps));
        for (scores, goal) in scores.iter_mut().zip(playout.goals) {
            scores.push(f64::from(goal.only().expect("one goal a role").value()));
        }
    };
    machine.playouts(&vec![initial; PLAYOUTS], PlayoutPlan::new(7), &mut sink).expect("evaluates");
    assert_eq!(lengths.len(), PLAYOUTS, "{name}");
    agree(name, "length", &lengths, length);
    agree(name, "goal of the first role", &scores[0], goals[0]);
    agree(name, "goal of the second role", &scores[1], goals[1]);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "10,000 playouts: for long tests")]
fn two_thousand_playouts_have_the_known_means() {
    plays("breakthrough_holes", 62.3, [50.9, 49.1]);
    plays("pawn_whopping", 34.25, [51.9, 48.1]);
    plays("english_draughts", 69.1, [49.3, 50.7]);
    plays("endgame", 14.0, [0.0, 100.0]);
    plays("skirmish", 59.0, [27.4, 27.0]);
}
