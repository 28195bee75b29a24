//! The board models of `ggp_view`, and functions that infer the board of a game from sampled states.

pub use ggp_view::*;

use ggp_game::{Fact, StateMachine, rng};
use std::time::{Duration, Instant};

/// A board is inferred from the states of this number of random playouts.
const SAMPLE_PLAYOUTS: u64 = 4;
/// The maximum number of states that are taken from each of the [`SAMPLE_PLAYOUTS`] playouts.
const SAMPLE_STEPS: u32 = 24;

/// The time limit for sampling the states from which a board is inferred.
const SAMPLE_TIME: Duration = Duration::from_millis(500);

/// The board of `machine`'s game, inferred from its rules and from the states of a few random playouts.
///
/// # Examples
/// ```
/// use ggp::{Reasoner, StateMachine};
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap();
/// let mut reasoner = Reasoner::interpreter(&ggp::load("games/connect_four.kif")?);
/// let model = ggp::board::of_game(&mut reasoner);
/// assert_eq!((model.columns.values.len(), model.rows.values.len()), (7, 6));
/// # Ok::<(), ggp::Error>(())
/// ```
pub fn of_game<M: StateMachine>(machine: &mut M) -> BoardModel {
    let samples = sample(machine);
    infer(machine.game(), &samples)
}

/// The same as [`of_game`], except that the parts that `sidecar` describes replace the inferred parts. A
/// sidecar is a description of a game's board that a person has written.
///
/// # Errors
/// When the sidecar does not fit the rules.
pub fn of_game_with<M: StateMachine>(machine: &mut M, sidecar: &Sidecar) -> Result<BoardModel, SidecarError> {
    let samples = sample(machine);
    infer_with(machine.game(), &samples, sidecar)
}

/// The states of a random playout, from the initial state on: `steps` steps, or as many as it has. The playout is the
/// same for the same rules and `seed`.
///
/// # Examples
/// ```
/// use ggp::Reasoner;
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap();
/// let mut reasoner = Reasoner::interpreter(&ggp::load("games/tic_tac_toe.kif")?);
/// assert_eq!(ggp::board::random_states(&mut reasoner, 3, 0).len(), 4);
/// # Ok::<(), ggp::Error>(())
/// ```
pub fn random_states<M: StateMachine>(machine: &mut M, steps: u32, seed: u64) -> Vec<M::State> {
    let stream = rng::Stream::new(seed, 0);
    let mut states: Vec<M::State> = machine.initial_state().into_iter().collect();
    for step in 0..steps {
        let Some(next) = states.last().and_then(|state| random_step(machine, state, stream, step)) else {
            break;
        };
        states.push(next);
    }
    states
}

/// The states of a few random playouts, each as a list of facts. Sampling ends at the first evaluation error
/// and hides it, because the caller's own evaluations meet the error again.
fn sample<M: StateMachine>(machine: &mut M) -> Vec<Vec<Fact>> {
    let began = Instant::now();
    let mut states = Vec::new();
    for playout in 0..SAMPLE_PLAYOUTS {
        let stream = rng::Stream::new(0, playout);
        let Ok(mut state) = machine.initial_state() else { return states };
        for step in 0..SAMPLE_STEPS {
            let mut facts = Vec::new();
            if began.elapsed() > SAMPLE_TIME || machine.facts(&state, &mut facts).is_err() {
                return states;
            }
            states.push(facts);
            let Some(next) = random_step(machine, &state, stream, step) else { break };
            state = next;
        }
    }
    states
}

/// The state after a random joint move. `None` if `state` is terminal, or if the rules cannot be evaluated.
fn random_step<M: StateMachine>(
    machine: &mut M,
    state: &M::State,
    stream: rng::Stream,
    step: u32,
) -> Option<M::State> {
    if machine.is_terminal(state).ok()? {
        return None;
    }
    let roles = machine.game().roles();
    let mut joint = Vec::new();
    let mut legal = Vec::new();
    for role in roles {
        machine.legal_moves(state, role, &mut legal).ok()?;
        if legal.is_empty() {
            return None;
        }
        joint.push(legal[stream.below(step, role, legal.len() as u32) as usize]);
    }
    machine.next_state(state, &joint).ok()
}
