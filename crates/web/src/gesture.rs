//! The squares that a move names on the board.

use ggp_view::{BoardModel, Gesture, Position, Square};

/// The indices of the squares that the move `mv` names; the first and the last one of a column or row that it names.
pub(crate) fn squares(model: &BoardModel, mv: &str, position: &Position) -> Vec<usize> {
    let squares = model.gesture(mv, position);
    if let Gesture::Line { column, row, .. } = squares {
        let ends = |line: Option<usize>, axis: &[String]| {
            line.map_or([0, axis.len().saturating_sub(1)], |at| [at; 2])
        };
        let columns = ends(column, &model.columns.values);
        let rows = ends(row, &model.rows.values);
        let square = |end: usize| Square { board: 0, row: rows[end], column: columns[end] };
        return [0, 1].map(|end| model.square_number(square(end))).to_vec();
    }
    let squares = squares.squares().iter().map(|&square| model.square_number(square));
    let named = by_name(mv, position).filter(|_| squares.len() == 0);
    squares.chain(named).collect()
}

/// For a move with a single argument that is the name of a piece, such as `(slide 6)` for the tile `6`: the
/// index of the square with that piece. `None` for other moves, and unless exactly one square has a piece of
/// that name.
pub(crate) fn by_name(mv: &str, position: &Position) -> Option<usize> {
    let (_, name) = mv.strip_prefix('(')?.strip_suffix(')')?.split_once(' ')?;
    let mut named = position.squares.iter().enumerate().filter(|(_, tokens)| {
        tokens.iter().any(|token| token.layer == 0 && token.content.len() == 1 && token.content[0] == name)
    });
    named.next().map(|(square, _)| square).filter(|_| named.next().is_none())
}

/// The move `mv` in words: the squares from which and to which it goes, or its name with its square, and what else it
/// says; as in `b3–a4`, `mark b2` or `b7–b8 queen`.
pub(crate) fn words(model: &BoardModel, mv: &str, position: &Position) -> String {
    let plain = mv.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(mv);
    let gesture = model.gesture(mv, position);
    let (Gesture::Path { rest, .. } | Gesture::Place { rest, .. } | Gesture::Choose { rest, .. }) = &gesture
    else {
        return plain.to_owned();
    };
    let names: Vec<String> =
        gesture.squares().iter().map(|&square| short(&model.square_name(square))).collect();
    let name = plain.split(' ').next().unwrap_or_default();
    let mut words = if names.len() > 1 { names.join("–") } else { format!("{name} {}", names.join(" ")) };
    for value in rest {
        words.push(' ');
        words.push_str(value);
    }
    words
}

/// The name of a square without blanks: `b3` for a letter and a number, `2,3` otherwise.
fn short(name: &str) -> String {
    let parts: Vec<&str> = name.split_whitespace().collect();
    match parts[..] {
        [column, row]
            if column.bytes().all(|b| b.is_ascii_alphabetic()) && row.bytes().all(|b| b.is_ascii_digit()) =>
        {
            format!("{column}{row}")
        }
        _ => parts.join(","),
    }
}

/// Whether the page offers the move `mv` as a button. The page does so if the move names no square.
fn is_button(model: &BoardModel, mv: &str, position: &Position) -> bool {
    model.gesture(mv, position) == Gesture::Button && by_name(mv, position).is_none()
}

/// Whether a player with the moves `legal` has to decide: there are several, or one that is made on the board
/// instead of by a button.
pub(crate) fn decides(model: &BoardModel, legal: &[String], position: &Position) -> bool {
    legal.len() > 1 || legal.iter().any(|mv| !is_button(model, mv, position))
}
