//! Differential walks: two machines of one game must give the same answers in the same states.

use ggp_game::rng::Stream;
use ggp_game::{EvalError, Fact, Goals, Move, Role, StateMachine};

/// Walks at random for `steps` steps and compares all answers of two machines in each state. A walk that
/// ends is followed by a new one. Returns the number of walks.
///
/// # Errors
/// The first difference, or an evaluation error, with the number of steps before it.
pub fn agree<A: StateMachine, B: StateMachine>(
    a: &mut A,
    b: &mut B,
    steps: usize,
    seed: u64,
) -> Result<usize, String> {
    let failed = |error: EvalError| format!("after 0 steps: {error}");
    let roles: Vec<Role> = a.game().roles().collect();
    let (start_a, start_b) = (a.initial_state().map_err(failed)?, b.initial_state().map_err(failed)?);
    let (mut state_a, mut state_b) = (start_a.clone(), start_b.clone());
    let (mut facts_a, mut facts_b): (Vec<Fact>, Vec<Fact>) = (Vec::new(), Vec::new());
    let (mut legal_a, mut legal_b): (Vec<Move>, Vec<Move>) = (Vec::new(), Vec::new());
    let mut ended = 0;
    let mut ply = 0;
    for step in 0..steps {
        let failed = |error: EvalError| format!("after {step} steps: {error}");
        let at = |what: &str| format!("walk {ended}, step {ply}: {what}");
        a.facts(&state_a, &mut facts_a).map_err(failed)?;
        b.facts(&state_b, &mut facts_b).map_err(failed)?;
        same(&at("facts"), &texts(&facts_a), &texts(&facts_b))?;
        let terminal = a.is_terminal(&state_a).map_err(failed)?;
        same(&at("terminal"), &terminal, &b.is_terminal(&state_b).map_err(failed)?)?;
        let (mut goals_a, mut goals_b) = (vec![Goals::None; roles.len()], vec![Goals::None; roles.len()]);
        a.goals(&state_a, &mut goals_a).map_err(failed)?;
        b.goals(&state_b, &mut goals_b).map_err(failed)?;
        same(&at("goals"), &goals_a, &goals_b)?;
        let (mut joint_a, mut joint_b) = (Vec::new(), Vec::new());
        let stream = Stream::new(seed, ended as u64);
        for &role in &roles {
            a.legal_moves(&state_a, role, &mut legal_a).map_err(failed)?;
            b.legal_moves(&state_b, role, &mut legal_b).map_err(failed)?;
            let moves_a: Vec<&str> = legal_a.iter().map(|&mv| a.move_text(mv)).collect();
            let moves_b: Vec<&str> = legal_b.iter().map(|&mv| b.move_text(mv)).collect();
            same(&at("legal moves"), &moves_a, &moves_b)?;
            if !legal_a.is_empty() {
                let chosen = stream.below(ply, role, legal_a.len() as u32) as usize;
                joint_a.push(legal_a[chosen]);
                joint_b.push(legal_b[chosen]);
            }
        }
        if terminal || joint_a.len() < roles.len() || step + 1 == steps {
            (state_a, state_b) = (start_a.clone(), start_b.clone());
            ended += 1;
            ply = 0;
            continue;
        }
        for &role in &roles {
            a.percepts(&state_a, &joint_a, role, &mut facts_a).map_err(failed)?;
            b.percepts(&state_b, &joint_b, role, &mut facts_b).map_err(failed)?;
            same(&at("percepts"), &texts(&facts_a), &texts(&facts_b))?;
        }
        state_a = a.next_state(&state_a, &joint_a).map_err(failed)?;
        state_b = b.next_state(&state_b, &joint_b).map_err(failed)?;
        ply += 1;
    }
    Ok(ended)
}

fn texts(facts: &[Fact]) -> Vec<&str> {
    facts.iter().map(Fact::as_str).collect()
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, a: &T, b: &T) -> Result<(), String> {
    if a == b { Ok(()) } else { Err(format!("{what}: {a:?} against {b:?}")) }
}
