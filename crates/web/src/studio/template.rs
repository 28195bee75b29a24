//! The templates from which an author begins: small complete games.

use serde_json::{Value, json};

/// A template: its name, its title, one sentence about it, and its text.
type Template = (&'static str, &'static str, &'static str, &'static str);

const TEMPLATES: &[Template] = &[
    (
        "turns",
        "A board game with turns",
        "Two players take turns to place a stone on a board of 4×4; three in a row win.",
        include_str!("../../templates/turns.kif"),
    ),
    (
        "puzzle",
        "A puzzle",
        "One player presses lamps until all are lit, in at most five steps.",
        include_str!("../../templates/puzzle.kif"),
    ),
    (
        "simultaneous",
        "Moves at the same time",
        "Two runners choose a pace at the same time; if both dash, both stumble.",
        include_str!("../../templates/simultaneous.kif"),
    ),
    (
        "hidden",
        "Hidden information",
        "Chance hides a coin in one of three boxes; the player may look into one, then guesses.",
        include_str!("../../templates/hidden.kif"),
    ),
];

/// The templates without their texts, as JSON.
pub(super) fn about() -> Value {
    let about = |(name, title, about, _): &Template| json!({ "name": name, "title": title, "about": about });
    TEMPLATES.iter().map(about).collect()
}

/// The text of a template. `None` if there is none of that name.
pub(super) fn text(name: &str) -> Option<&'static str> {
    TEMPLATES.iter().find(|(known, ..)| *known == name).map(|(.., text)| *text)
}
