//! A board and its states as JSON for a page. All texts in the JSON are data; the page never interprets them
//! as markup.

use crate::gesture::{by_name, squares};
use crate::history::Node;
use crate::known::Known;
use ggp_arena::GoalsGiven;
use ggp_view::{BoardModel, Gesture, Position, Square, Token};
use serde_json::{Value, json};

/// The properties of a board that do not change during a match.
pub(crate) fn board(known: &Known) -> Value {
    let model = &known.model;
    let number = |square: &Square| model.square_number(*square);
    json!({
        "kind": model.kind,
        "columns": model.columns.values,
        "rows": model.rows.values,
        "boards": (0..model.board_count()).map(|board| model.board_name(board)).collect::<Vec<_>>(),
        "holes": model.holes.iter().map(number).collect::<Vec<_>>(),
        "chequered": model.chequered,
    })
}

fn token(known: &Known, token: &Token) -> Value {
    let mark = known.labels.mark(token.layer);
    let glyph = known.labels.glyph(token, &known.model).is_some()
        || token.content.iter().any(|value| known.model.glyphs.contains_key(value));
    json!({
        "label": mark.map_or_else(|| known.labels.of(token, &known.model), str::to_owned),
        "glyph": glyph,
        "mark": mark.is_some(),
        "name": token.content.join(" "),
        "owner": token.owner,
        "layer": token.layer,
        "percent": token.percent,
    })
}

fn gesture(model: &BoardModel, mv: &str, position: &Position) -> Value {
    let gesture = model.gesture(mv, position);
    let squares: Vec<usize> = gesture.squares().iter().map(|&s| model.square_number(s)).collect();
    match gesture {
        Gesture::Path { rest, .. } => json!({"move": mv, "kind": "path", "squares": squares, "rest": rest}),
        Gesture::Place { rest, .. } => json!({"move": mv, "kind": "place", "squares": squares, "rest": rest}),
        Gesture::Choose { rest, .. } => {
            json!({"move": mv, "kind": "choose", "squares": squares, "rest": rest})
        }
        Gesture::Line { column, row, rest } => {
            json!({"move": mv, "kind": "line", "column": column, "row": row, "rest": rest})
        }
        Gesture::Button => match by_name(mv, position) {
            Some(square) => {
                let none: [&str; 0] = [];
                json!({"move": mv, "kind": "choose", "squares": [square], "rest": none})
            }
            None => json!({"move": mv, "kind": "button"}),
        },
    }
}

/// The tokens on each square of `position`.
pub(crate) fn squares_of(known: &Known, position: &Position) -> Value {
    let tokens = |tokens: &Vec<Token>| tokens.iter().map(|one| token(known, one)).collect::<Vec<_>>();
    json!(position.squares.iter().map(tokens).collect::<Vec<_>>())
}

/// The moves `legal`, each with the squares that it names in `position`.
pub(crate) fn gestures(known: &Known, legal: &[String], position: &Position) -> Vec<Value> {
    legal.iter().map(|mv| gesture(&known.model, mv, position)).collect()
}

/// The JSON of the state `node` for display: its squares, the squares of the joint move that led to it, the
/// legal moves, and the goals. `number` is the index of the state in the history. `before` is the preceding
/// state; `None` for the first state.
pub(crate) fn node(known: &Known, number: usize, node: &Node, before: Option<&Node>) -> Value {
    let model = &known.model;
    let position = model.place(&node.moment.facts);
    let earlier = before.map(|before| model.place(&before.moment.facts));
    let last: Vec<Vec<usize>> = earlier
        .map_or_else(Vec::new, |earlier| node.joint.iter().map(|mv| squares(model, mv, &earlier)).collect());
    let legal: Vec<Vec<Value>> =
        node.moment.legal.iter().map(|moves| gestures(known, moves, &position)).collect();
    json!({
        "number": number,
        "parent": node.parent,
        "moves": node.joint,
        "last": last,
        "squares": squares_of(known, &position),
        "side": position.side,
        "legal": legal,
        "terminal": node.moment.terminal,
        "goals": node.moment.scores(),
        "given": GoalsGiven::of(&node.moment.goals),
        "thoughts": node.thoughts.iter().map(Option::as_deref).collect::<Vec<_>>(),
    })
}
