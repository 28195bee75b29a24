//! Orientation of a board: which axis is horizontal, and which end is up.
//!
//! By default the first argument is horizontal, and values grow to the right and upwards. The rules may tell otherwise: by
//! names of directions, or by a goal that is read like a page. If a move names one axis alone, pieces drop along the
//! other axis, which is therefore vertical. A board on which the pieces of
//! two roles start left and right of each other is rotated, so that the roles face each other vertically.
//! Names decide only the remaining cases: an axis of letters is horizontal, and axes called `row` and `col`
//! are drawn as named.

use crate::model::{BoardModel, Coordinate, Order, Slot};
use crate::sidecar::{Sidecar, Top};
use crate::stance::stance;
use ggp_game::Fact;
use ggp_gdl::{Atom, Description, Literal, Term};
use std::collections::{BTreeMap, BTreeSet};

/// Orients `model` by the rules in `description`, or by `sidecar`. On entry, the rows of `model` are in
/// ascending order from the top.
pub(crate) fn orient(description: &Description, model: &mut BoardModel, sidecar: &Sidecar) {
    if model.layers.first().is_none_or(|layer| layer.y.is_none()) {
        return;
    }
    if sidecar.x.is_some() {
        if sidecar.top != Some(Top::First) {
            model.rows.values.reverse();
        }
        return;
    }
    if model.index.len() == 2 {
        // For boards arranged in a square, the first of two arguments counts downwards, both for boards and
        // for squares.
        transpose(model);
        return;
    }
    if let Some(told) = stance(description, model) {
        if told.transposed {
            transpose(model);
        }
        if sidecar.top.map_or(!told.downwards, |top| top != Top::First) {
            model.rows.values.reverse();
        }
        return;
    }
    let (across, upright) = lone_axes(model);
    let (x_named, y_named) = names(description, model);
    let letters_upright = model.rows.order_is_letters() && !model.columns.order_is_letters();
    let transposed = if across == upright {
        let rows_across = x_named == Some(Line::Row) && y_named != Some(Line::Row)
            || y_named == Some(Line::Column) && x_named != Some(Line::Column);
        rows_across || (letters_upright && x_named.is_none() && y_named.is_none())
    } else {
        upright
    };
    if transposed {
        transpose(model);
    }
    // Axes called rows count from the top, unless pieces drop along one axis.
    let row_name = if transposed { x_named } else { y_named };
    let downwards = match sidecar.top {
        Some(top) => top == Top::First,
        None => row_name == Some(Line::Row) && across == upright,
    };
    if !downwards {
        model.rows.values.reverse();
    }
}

/// Rotates a board on which the pieces of two roles start left and right of each other. `first` holds the
/// facts of the first state. The role with the smaller index comes to the bottom. Returns whether the board
/// was rotated.
pub(crate) fn face(first: &[Fact], model: &mut BoardModel) -> bool {
    let (across, upright) = lone_axes(model);
    if model.layers.first().is_none_or(|layer| layer.y.is_none())
        || model.index.len() > 1
        || across != upright
    {
        return false;
    }
    let (width, height) = (model.columns.values.len(), model.rows.values.len());
    // For each owner, the columns and the rows on which its pieces start, and the number of pieces.
    let mut sides: BTreeMap<usize, ([BTreeSet<usize>; 2], usize)> = BTreeMap::new();
    for (number, tokens) in model.place(first).squares.iter().enumerate() {
        for owner in tokens.iter().filter(|token| token.layer == 0).filter_map(|token| token.owner) {
            let (lines, count) = sides.entry(owner).or_default();
            lines[0].insert(number % width);
            lines[1].insert(number / width % height);
            *count += 1;
        }
    }
    let sides: Vec<_> = sides.into_values().collect();
    let [(one, several), (two, others)] = sides.as_slice() else { return false };
    let before = |a: &BTreeSet<usize>, b: &BTreeSet<usize>| a.last() < b.first();
    let apart = |axis: usize| before(&one[axis], &two[axis]) || before(&two[axis], &one[axis]);
    if *several.min(others) < 2 || !apart(0) || apart(1) {
        return false;
    }
    // A rotation, not a reflection: the left and right of a piece stay the same from its own view.
    if before(&one[0], &two[0]) {
        transpose(model);
        model.rows.values.reverse();
    } else {
        model.rows.values.reverse();
        transpose(model);
    }
    true
}

/// Two answers: whether some move names a column and no row, and whether some move names a row and no column.
fn lone_axes(model: &BoardModel) -> (bool, bool) {
    let lone = |wanted: fn(&Slot) -> bool, unwanted: fn(&Slot) -> bool| {
        model.moves.iter().any(|mv| {
            let mut slots = mv.slots.iter().map(|slot| &slot.1);
            mv.squares == 1 && slots.clone().any(wanted) && !slots.any(unwanted)
        })
    };
    let column: fn(&Slot) -> bool = |slot| matches!(slot, Slot::Column(_) | Slot::Square(_));
    let row: fn(&Slot) -> bool = |slot| matches!(slot, Slot::Row(_) | Slot::Square(_));
    (lone(column, row), lone(row, column))
}

fn transpose(model: &mut BoardModel) {
    std::mem::swap(&mut model.columns, &mut model.rows);
    for layer in &mut model.layers {
        if let Some(y) = &mut layer.y {
            std::mem::swap(&mut layer.x, y);
        }
    }
    for (_, slot) in model.moves.iter_mut().flat_map(|mv| &mut mv.slots) {
        *slot = match *slot {
            Slot::Column(n) => Slot::Row(n),
            Slot::Row(n) => Slot::Column(n),
            other => other,
        };
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Line {
    Row,
    Column,
}

/// Whether the rulesheet calls the horizontal axis of `model` (first result) and the vertical axis (second
/// result) rows or columns. The names of values and variables decide. Both results are `None` unless the
/// rulesheet calls one axis rows and the other columns.
fn names(description: &Description, model: &BoardModel) -> (Option<Line>, Option<Line>) {
    let Some(layer) = model.layers.first() else { return (None, None) };
    let Some(y) = &layer.y else { return (None, None) };
    let by_values = |values: &[String]| {
        let stems: Vec<&str> =
            values.iter().map(|v| v.trim_end_matches(|c: char| c.is_ascii_digit())).collect();
        let first = *stems.first()?;
        (stems.iter().all(|stem| *stem == first)).then(|| line(first)).flatten()
    };
    let by_variables = |coordinate: &Coordinate| {
        let (mut rows, mut columns) = (0, 0);
        for atom in description.rules.iter().flat_map(|rule| {
            let body = rule.body.iter().filter_map(|literal| match literal {
                Literal::Positive(atom) | Literal::Negative(atom) => Some(atom),
                Literal::Distinct(..) => None,
            });
            body.chain([&rule.head])
        }) {
            match variable(description, atom, &layer.relation, layer.arity, &coordinate.path).and_then(line) {
                Some(Line::Row) => rows += 1,
                Some(Line::Column) => columns += 1,
                None => {}
            }
        }
        match rows.cmp(&columns) {
            std::cmp::Ordering::Greater => Some(Line::Row),
            std::cmp::Ordering::Less => Some(Line::Column),
            std::cmp::Ordering::Equal => None,
        }
    };
    let x_line = by_values(&model.columns.values).or_else(|| by_variables(&layer.x));
    let y_line = by_values(&model.rows.values).or_else(|| by_variables(y));
    // One name alone is not enough evidence: `?c` may mean anything.
    match (x_line, y_line) {
        (Some(a), Some(b)) if a != b => (Some(a), Some(b)),
        _ => (None, None),
    }
}

fn line(name: &str) -> Option<Line> {
    let name = name.trim_start_matches('?').trim_end_matches(|c: char| c.is_ascii_digit());
    match name.to_ascii_lowercase().as_str() {
        "r" | "row" => Some(Line::Row),
        "c" | "col" | "column" => Some(Line::Column),
        _ => None,
    }
}

/// The variable at `path` in the fluent of `atom`. `None` if the term at `path` is not a variable, or if
/// `atom` is not about the fluent `relation` with this arity.
fn variable<'a>(
    description: &'a Description,
    atom: &Atom,
    relation: &str,
    arity: usize,
    path: &[usize],
) -> Option<&'a str> {
    if !matches!(description.name(atom.relation), "true" | "next" | "init") {
        return None;
    }
    let mut term = *atom.args.first()?;
    match description.terms.get(term) {
        Term::Compound(function, args) if description.name(*function) == relation && args.len() == arity => {}
        _ => return None,
    }
    for &argument in path {
        let Term::Compound(_, args) = description.terms.get(term) else { return None };
        term = *args.get(argument)?;
    }
    match description.terms.get(term) {
        Term::Variable(variable) => Some(description.name(*variable)),
        _ => None,
    }
}

impl crate::model::Axis {
    fn order_is_letters(&self) -> bool {
        let letters = |v: &String| v.chars().count() == 1 && v.chars().all(char::is_alphabetic);
        self.order != Order::Given && self.values.iter().all(letters)
    }
}

#[cfg(test)]
mod tests {
    use crate::infer;
    use crate::sample::game;

    #[test]
    fn sides_that_begin_left_and_right_are_turned_to_face_each_other() {
        let rules = |at: &str| {
            let men: String = ["1", "2", "3"]
                .iter()
                .flat_map(|n| [("a", "mine"), ("b", "mine"), ("e", "his")].map(|(m, who)| (m, n, who)))
                .map(|(m, n, who)| format!("(init {})", at.replace('M', m).replace('N', n).replace('W', who)))
                .collect();
            format!(
                "(role mine) (role his) {men} (after a b) (after b c) (after c d) (after d e)
                (after2 1 2) (after2 2 3) (<= (next {0}) (true {0})) (<= (next {1}) (does ?w (go ?m ?n)))
                (<= (legal ?w (go ?o ?n)) (true {0}) (after ?m ?o)) (<= (goal ?r 0) (role ?r))
                (<= terminal (true {2}))",
                at.replace('M', "?m").replace('N', "?n").replace('W', "?w"),
                at.replace('M', "?m").replace('N', "?n").replace('W', "?w"),
                at.replace('M', "c").replace('N', "1").replace('W', "mine"),
            )
        };
        for at in ["(man M N W)", "(man N M W)"] {
            let rules = rules(at);
            let game = game(&rules);
            let model = infer(&game, &[]);
            // The first role is at the bottom.
            assert_eq!(model.rows.values, ["e", "d", "c", "b", "a"], "{at}");
            assert_eq!(model.columns.values.len(), 3, "{at}");
        }
    }
}
