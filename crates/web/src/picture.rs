//! A board and its states as JSON for a page. All texts in the JSON are data; the page never interprets them
//! as markup.

use crate::gesture::{by_name, squares};
use crate::history::Node;
use crate::moment::Moment;
use crate::style::Style;
use ggp_arena::GoalsGiven;
use ggp_view::{BoardModel, Gesture, Line, Position, Square, Token};
use serde_json::{Value, json};

/// The properties of a board that do not change during a match.
pub(crate) fn board(model: &BoardModel) -> Value {
    let number = |square: &Square| model.square_number(*square);
    let scene = model.scene();
    json!({
        "ground": model.ground(&scene),
        "width": scene.width,
        "height": scene.height,
        "cell": scene.cell,
        "places": scene.places,
        "colours": model.colours,
        "grounded": model.is_grounded(),
        "kind": model.kind,
        "columns": model.columns.values,
        "rows": model.rows.values,
        "boards": (0..model.board_count()).map(|board| model.board_name(board)).collect::<Vec<_>>(),
        "holes": model.holes.iter().map(number).collect::<Vec<_>>(),
        "chequered": model.chequered,
    })
}

fn token(style: Style<'_>, (token, size, at): (&Token, i32, [i32; 2])) -> Value {
    let Style { model, labels } = style;
    let mark = labels.mark(token.layer);
    json!({
        "label": mark.map_or_else(|| labels.of(token, model), str::to_owned),
        "picture": model.picture(token, labels),
        "size": size,
        "at": at,
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

/// Gives `shown` all that a page draws of `position`: the things on each square, the lines, of which `changed` are marked,
/// the facts beside the board, and what the marks mean.
pub(crate) fn draw(style: Style<'_>, position: &Position, changed: &[Line], shown: &mut Value) {
    let model = style.model;
    shown["squares"] = squares_of(style, position);
    shown["lines"] = json!(model.lines(position, &model.scene(), changed));
    shown["side"] = json!(model.captions(position));
    shown["legend"] = json!(model.legend(position, style.labels));
}

/// The tokens on each square of `position`.
fn squares_of(style: Style<'_>, position: &Position) -> Value {
    let tokens = |tokens: &Vec<Token>| {
        let things = style.model.arranged(tokens);
        things.into_iter().map(|one| token(style, one)).collect::<Vec<_>>()
    };
    json!(position.squares.iter().map(tokens).collect::<Vec<_>>())
}

/// The moves `legal`, each with the squares that it names in `position`.
pub(crate) fn gestures(model: &BoardModel, legal: &[String], position: &Position) -> Vec<Value> {
    legal.iter().map(|mv| gesture(model, mv, position)).collect()
}

/// The squares of the last moves: where things slid from and to and where new ones came, as the difference of the
/// positions tells. If it tells nothing, or too much, the squares that the joint move `joint` names.
fn last(model: &BoardModel, joint: &[String], before: &Position, after: &Position) -> Vec<Vec<usize>> {
    let changes = model.changes(before, after);
    if changes.squares().is_empty() {
        return joint.iter().map(|mv| squares(model, mv, before)).collect();
    }
    let number = |square: &Square| model.square_number(*square);
    let slides = changes.slides.iter().map(|(from, to)| vec![number(from), number(to)]);
    slides.chain(changes.new.iter().map(|square| vec![number(square)])).collect()
}

/// The JSON of the state `moment` for display: its squares, the squares of the joint move `joint` that led to it, the
/// legal moves, and the goals. `before` is the preceding state; `None` for the first state.
pub(crate) fn moment(style: Style<'_>, moment: &Moment, joint: &[String], before: Option<&Moment>) -> Value {
    let model = style.model;
    let position = model.place(&moment.facts);
    let earlier = before.map(|before| model.place(&before.facts));
    let changed = earlier.as_ref().map_or_else(Vec::new, |earlier| model.changes(earlier, &position).lines);
    let last = earlier.map_or_else(Vec::new, |earlier| last(model, joint, &earlier, &position));
    let legal: Vec<Vec<Value>> = moment.legal.iter().map(|moves| gestures(model, moves, &position)).collect();
    let mut shown = json!({
        "moves": joint,
        "last": last,
        "legal": legal,
        "terminal": moment.terminal,
        "goals": moment.scores(),
        "given": GoalsGiven::of(&moment.goals),
    });
    draw(style, &position, &changed, &mut shown);
    shown
}

/// The JSON of the state `node` of a session for display. `number` is its index in the history. `before` is the
/// preceding state; `None` for the first state.
pub(crate) fn node(style: Style<'_>, number: usize, node: &Node, before: Option<&Node>) -> Value {
    let mut shown = moment(style, &node.moment, &node.joint, before.map(|before| &before.moment));
    shown["number"] = json!(number);
    shown["parent"] = json!(node.parent);
    shown["thoughts"] = json!(node.thoughts.iter().map(Option::as_deref).collect::<Vec<_>>());
    shown
}
