//! The state that an author looks at, and a playout in small pictures.

use super::desk::{Draft, Step, failed};
use super::seat;
use super::view_file::Flaw;
use crate::moment::Moment;
use crate::picture;
use ggp::{Fact, Game};
use ggp_arena::is_nature;
use ggp_game::rng::Stream;
use ggp_ide::Opening;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The maximum number of facts that are listed.
const MAX_FACTS: usize = 2_000;

/// The maximum number of legal moves of one role that are listed.
const MAX_MOVES: usize = 2_000;

/// The maximum number of pictures in a strip. Of a longer playout, the first and the last states are shown.
const PICTURES: usize = 40;

/// The state after the joint moves `moves`. If they lead nowhere, the last state on the way, and why. In a game of hidden
/// information, also what the role with the index `role` knows.
pub(super) fn state(draft: &Draft, moves: &[Vec<String>], role: Option<usize>) -> Result<Value, String> {
    let (steps, problem) = draft.walk(moves);
    let at = steps.len() - 1;
    let before = at.checked_sub(1).map(|before| &*steps[before].moment);
    let Step { joint, moment } = &steps[at];
    let mut node = shown(draft, moment, joint, before);
    let moves: Vec<_> = steps[1..].iter().map(|step| &step.joint).collect();
    node["facts"] = facts(draft, moment, before);
    let had: BTreeSet<&Fact> = moment.facts.iter().collect();
    let gone = before.into_iter().flat_map(|before| &before.facts).filter(|fact| !had.contains(fact));
    node["gone"] = gone.take(MAX_FACTS).map(|fact| json!(fact.as_str())).collect();
    let seen = before.map(|before| draft.percepts(before, joint)).transpose();
    let seen = seen.map_err(|error| failed(&error))?.unwrap_or_default();
    let text = |seen: &Vec<Fact>| seen.iter().map(|fact| json!(fact.as_str())).collect::<Value>();
    let role = role.filter(|_| draft.game.has_percepts());
    node["known"] = match role.map(|role| seat::knowledge(draft, &steps, role)) {
        Some(Ok(known)) => known,
        // The state itself is shown all the same.
        Some(Err(error)) => json!({ "error": error }),
        None => Value::Null,
    };
    node["seen"] = seen.iter().map(text).collect();
    Ok(json!({
        "roles": roles(&draft.game),
        "board": picture::board(draft.style().model),
        "hidden": draft.game.has_percepts(),
        "step": at,
        "moves": moves,
        "problem": problem,
        "flaw": draft.flaw.as_ref().map(Flaw::to_json),
        "node": node,
    }))
}

/// What the lenses of a text need to know of the initial state.
pub(super) fn opening(draft: &Draft) -> Opening {
    let first = draft.first();
    let names = || draft.game.roles().map(|role| draft.game.role_name(role).to_owned());
    let goals = names().zip(first.scores());
    Opening {
        legal: names()
            .zip(&first.legal)
            .map(|(role, moves)| (role, moves.len(), moves.first().cloned()))
            .collect(),
        goals: goals.filter_map(|(role, goal)| Some((role, goal?))).collect(),
        is_over: first.terminal,
    }
}

fn roles(game: &Game) -> Vec<Value> {
    game.roles()
        .map(|role| json!({ "name": game.role_name(role), "nature": is_nature(game, role) }))
        .collect()
}

/// A state for display, with a bounded number of moves.
fn shown(draft: &Draft, moment: &Moment, joint: &[String], before: Option<&Moment>) -> Value {
    if moment.legal.iter().all(|moves| moves.len() <= MAX_MOVES) {
        return picture::moment(draft.style(), moment, joint, before);
    }
    let mut fewer = moment.clone();
    for moves in &mut fewer.legal {
        moves.truncate(MAX_MOVES);
    }
    picture::moment(draft.style(), &fewer, joint, before)
}

/// The facts of a state, each with the square on which it is drawn, and whether the last joint move made it true.
fn facts(draft: &Draft, moment: &Moment, before: Option<&Moment>) -> Value {
    let had: Option<BTreeSet<&Fact>> = before.map(|before| before.facts.iter().collect());
    let fact = |fact: &Fact| {
        let position = draft.style().model.place(std::slice::from_ref(fact));
        json!({
            "fact": fact.as_str(),
            "square": position.squares.iter().position(|tokens| !tokens.is_empty()),
            "new": had.as_ref().is_some_and(|had| !had.contains(fact)),
        })
    };
    moment.facts.iter().take(MAX_FACTS).map(fact).collect()
}

/// A random playout with the seed `seed`, or the line of `moves`, in small pictures.
pub(super) fn strip(draft: &Draft, moves: &[Vec<String>], seed: Option<u64>) -> Value {
    let (steps, problem) = match seed {
        None => draft.walk(moves),
        Some(seed) => {
            let stream = Stream::new(seed, 0);
            draft.play(|at, moment| random_joint(&draft.game, stream, at, moment))
        }
    };
    let (first, last) = (PICTURES / 2, steps.len().saturating_sub(PICTURES / 2));
    let is_shown = |at: usize| at < first || at >= last;
    let picture = |(at, step): (usize, &Step)| {
        let mut picture = json!({
            "step": at,
            "moves": step.joint,
            "terminal": step.moment.terminal,
            "goals": step.moment.scores(),
        });
        let style = draft.style();
        picture::draw(style, &style.model.place(&step.moment.facts), &[], &mut picture);
        picture
    };
    let pictures: Vec<Value> =
        steps.iter().enumerate().filter(|(at, _)| is_shown(*at)).map(picture).collect();
    json!({
        "roles": roles(&draft.game),
        "board": picture::board(draft.style().model),
        "pictures": pictures,
        "moves": steps[1..].iter().map(|step| &step.joint).collect::<Vec<_>>(),
        "problem": problem,
    })
}

/// A random joint move. `None` if the game is over or a role has no move.
fn random_joint(game: &Game, stream: Stream, at: usize, moment: &Moment) -> Option<Vec<String>> {
    let choose = |(role, moves): (ggp::Role, &Vec<String>)| {
        let count = u32::try_from(moves.len()).ok().filter(|&count| count > 0)?;
        let chosen = stream.below(u32::try_from(at).ok()?, role, count);
        moves.get(chosen as usize).cloned()
    };
    if moment.terminal { None } else { game.roles().zip(&moment.legal).map(choose).collect() }
}
