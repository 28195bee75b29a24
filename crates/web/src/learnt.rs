//! The lesson of a game, which self-play has taught: for the engines, and for the pages.

use ggp::{Game, Generation, Learner, Lesson, Role, Trial};
use ggp_game::AnonymousRules;
use serde_json::{Value, json};
use std::path::Path;

/// The number of features that are told.
pub const FEATURES: usize = 10;

/// The lesson of one game.
#[derive(Clone, Debug)]
pub(crate) struct Learnt {
    pub(crate) lesson: Lesson,
    /// The lesson in the form that pages show ([`lesson`]).
    pub(crate) shown: Value,
}

impl Learnt {
    /// What `file` holds of `game`. `None` if it holds nothing of it, or cannot be read, which the log tells.
    pub(crate) fn read(file: &Path, game: &Game) -> Option<Learnt> {
        match Learner::known(file, game) {
            Ok(lesson) => lesson.map(|lesson| Learnt { shown: self::lesson(game, &lesson), lesson }),
            Err(error) => {
                tracing::warn!(%error, "engines play without the file of knowledge");
                None
            }
        }
    }
}

/// The test of one generation of self-play as JSON.
pub fn generation(one: &Generation) -> Value {
    json!({
        "matches": one.matches, "descents": one.descents, "positions": one.samples,
        "by_history": one.by_history, "by_policy": one.by_policy, "used": one.passes(),
    })
}

/// What `lesson` holds of `game` as JSON: the test of each generation, the oldest first; the ten features that weigh
/// most, in the words of the rules, with the lead that a move gains by them, in standard deviations of the values of a
/// state's moves; the last matches against the search without the policy, or null, and whether searches use the policy; and
/// the same of minimax values.
pub fn lesson(game: &Game, lesson: &Lesson) -> Value {
    let name = |role: Role| game.role_name(role);
    let features = lesson.features(&AnonymousRules::new(game.description()), FEATURES);
    let features = features.iter().map(|one| {
        json!({ "role": name(one.role), "fluent": one.fluent, "beside": one.beside, "weight": one.weight })
    });
    let matches = |trial: Trial| json!({ "matches": trial.matches, "share": trial.share });
    json!({
        "generations": lesson.generations().iter().map(generation).collect::<Vec<_>>(),
        "features": features.collect::<Vec<_>>(),
        "trial": lesson.trial().map(matches),
        "used": lesson.is_used(),
        "minimax": { "trial": lesson.minimax_trial().map(matches), "used": lesson.uses_minimax() },
    })
}
