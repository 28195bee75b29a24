//! The strokes of noughts and crosses, which own a thing by its name.

use crate::model::BoardModel;

/// The stroke of noughts and crosses that `name` names: `x` or `o`.
pub(crate) fn stroke(name: &str) -> Option<char> {
    match name.to_ascii_lowercase().as_str() {
        "x" | "ecks" | "ex" | "cross" => Some('x'),
        "o" | "oh" | "nought" | "ring" | "circle" => Some('o'),
        _ => None,
    }
}

/// The role whose stroke `name` names.
pub(crate) fn stroke_owner(model: &BoardModel, name: &str) -> Option<usize> {
    let letter = stroke(name)?;
    model.roles.iter().position(|role| role.to_ascii_lowercase().starts_with(letter))
}
