//! Differential tests of playouts: the random playouts of a network, in all kinds of SIMD lanes and one
//! by one, against those of another machine with the same random streams.

use crate::oracle::Difference;
use ggp_game::{Fingerprint, Goals, PlayoutPlan, Playouts};
use ggp_propnet::{Cpu, PropNetMachine};

/// Number of playouts that the network also plays one by one.
const ALONE: usize = 32;

/// A completed playout.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Outcome {
    goals: Vec<Goals>,
    steps: u32,
    terminal: bool,
    /// The texts of the moves, if requested.
    moves: Vec<String>,
}

/// Plays `plan` from the initial state. Returns the counts, and the outcomes by number.
fn play<M: Playouts>(
    machine: &mut M,
    plan: PlayoutPlan<'_>,
) -> Result<(Fingerprint, Vec<Outcome>), Difference> {
    let start = [machine.initial_state()?];
    let mut counts = Fingerprint::new(machine.game().role_count());
    let mut outcomes = vec![None; plan.per_start];
    let mut made = vec![Vec::new(); plan.per_start];
    let mut twice = None;
    machine.playouts(&start, plan, &mut |playout| {
        counts.add(plan.first + playout.index as u64, &playout);
        let (goals, moves) = (playout.goals.to_vec(), Vec::new());
        let outcome = Outcome { goals, steps: playout.steps, terminal: playout.terminal, moves };
        if outcomes[playout.index].replace(outcome).is_some() {
            twice = Some(playout.index);
        }
        made[playout.index] = playout.moves.to_vec();
    })?;
    if let Some(index) = twice {
        return Err(Difference::Disagreed(format!("playout {index} ended twice")));
    }
    let mut all = Vec::new();
    for (index, (outcome, moves)) in outcomes.into_iter().zip(made).enumerate() {
        let lost = || Difference::Disagreed(format!("playout {index} never ended"));
        let moves = moves.iter().map(|&mv| machine.move_text(mv).to_owned()).collect();
        all.push(Outcome { moves, ..outcome.ok_or_else(lost)? });
    }
    Ok((counts, all))
}

/// Compares the first `count` playouts from the initial state with seed `seed`. The moves and outcomes of
/// `judge` and `network` must be equal: in lanes of each kind that this processor supports, and, for the
/// first 32 playouts, one by one. Returns the counts that `ggp bench --playouts` prints.
///
/// # Errors
/// The first difference, with the answer of `judge` first, or an evaluation error.
pub fn agree<J: Playouts>(
    judge: &mut J,
    network: &PropNetMachine,
    count: usize,
    seed: u64,
) -> Result<Fingerprint, Difference> {
    let plan = PlayoutPlan { per_start: count, moves: true, ..PlayoutPlan::new(seed) };
    let (counts, expected) = play(judge, plan)?;
    for cpu in Cpu::available() {
        let mut lanes = network.clone().limited_to(cpu);
        for moves in [true, false] {
            let (got, outcomes) = play(&mut lanes, PlayoutPlan { moves, ..plan })?;
            let how = format!("lanes of kind {}", cpu.name());
            same(&how, &expected, &outcomes, moves)?;
            if got != counts {
                return Err(Difference::Disagreed(format!("{how}: {counts:?} against {got:?}")));
            }
        }
    }
    let mut alone = network.clone();
    for (number, expected) in expected.iter().enumerate().take(ALONE) {
        let plan = PlayoutPlan { first: number as u64, per_start: 1, ..plan };
        let (_, outcomes) = play(&mut alone, plan)?;
        let how = format!("playout {number} alone");
        same(&how, std::slice::from_ref(expected), &outcomes, true)?;
    }
    Ok(counts)
}

/// Compares the outcomes of playouts, and their moves if `moves` is set.
fn same(how: &str, expected: &[Outcome], got: &[Outcome], moves: bool) -> Result<(), Difference> {
    for (number, (expected, got)) in expected.iter().zip(got).enumerate() {
        let apart = expected.moves.iter().zip(&got.moves).position(|(one, two)| one != two);
        if let Some(at) = apart.filter(|_| moves) {
            let roles = expected.goals.len();
            let (one, two) = (&expected.moves[at], &got.moves[at]);
            let place = format!("{how}, playout {number}, step {}, role {}", at / roles, at % roles);
            return Err(Difference::Disagreed(format!("{place}: {one} against {two}")));
        }
        let brief = |one: &Outcome| (one.steps, one.terminal, one.goals.clone());
        if brief(expected) != brief(got) || moves && expected.moves.len() != got.moves.len() {
            let (one, two) = (brief(expected), brief(got));
            let what = format!("{how}, playout {number}: steps, terminal, goals: {one:?} against {two:?}");
            return Err(Difference::Disagreed(what));
        }
    }
    Ok(())
}
