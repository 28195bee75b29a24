//! The state that an author looks at, as one role of a game of hidden information knows it.

use super::desk::{Draft, Step, within_time};
use crate::hidden::SeatView;
use ggp::{Interpreter, Role, StateMachine};
use ggp_game::{InformationSet, Observation};
use serde_json::{Value, json};

/// The maximum number of states that are kept of an information set.
const STATES: usize = 500;

/// The memory of an information set, in bytes.
const MEMORY: usize = 32 << 20;

/// What `role` knows after the line of `steps`: the squares, the facts beside the board, and how many states are
/// possible. Null for a role that does not exist.
///
/// # Errors
/// When the rules cannot be evaluated, or it cannot be determined what the role knows.
pub(super) fn knowledge(draft: &Draft, steps: &[Step], role: usize) -> Result<Value, String> {
    let Some(role) = draft.game.roles().nth(role) else { return Ok(Value::Null) };
    within_time(|stop| {
        let mut machine = Interpreter::new(&draft.game);
        machine.interrupt_on(stop);
        follow(draft, &mut machine, steps, role).map_err(|error| error.to_string())
    })
}

fn follow(
    draft: &Draft,
    machine: &mut Interpreter,
    steps: &[Step],
    role: Role,
) -> Result<Value, ggp_game::PlayError> {
    let mut set = InformationSet::initial_within(machine, role, STATES, MEMORY)?;
    for (turn, pair) in (1..).zip(steps.windows(2)) {
        let [before, after] = pair else { break };
        let state = machine.state_of(&before.moment.facts)?;
        let joint = machine.parse_legal_joint(&state, &after.joint)?;
        let mut seen = Vec::new();
        machine.percepts(&state, &joint, role, &mut seen)?;
        let own = &after.joint[role.index()];
        set.follow(machine, Observation::Percepts { turn, own, seen: &seen }, 0)?;
    }
    let view = SeatView::of(draft.style(), machine, &set, None)?;
    let node = view.node;
    Ok(json!({
        "role": role.index(),
        "squares": node["squares"],
        "side": node["side"],
        "possible": node["possible"],
        "extent": node["extent"],
    }))
}
