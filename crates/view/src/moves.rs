//! Moves on squares: which arguments of a move are columns, rows or boards, and so which squares
//! a move goes from and to. What names no square becomes a button.

use crate::domain::Place;
use crate::fluent::columns;
use crate::infer::Evidence;
use crate::model::{BoardModel, Coordinate, MovePattern, Part, Slot, Square};
use crate::position::Position;
use crate::term::{at, split};
use ggp_gdl::Description;
use serde::Serialize;

/// How a move is made on the board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum Gesture {
    /// From a square to another one, perhaps on to more.
    Path {
        /// At least two.
        squares: Vec<Square>,
        /// What the move says beside them.
        rest: Vec<String>,
    },
    /// Something is put on an empty square.
    Place {
        /// Where.
        square: Square,
        /// What the move says beside it.
        rest: Vec<String>,
    },
    /// A square with something on it is chosen: taken, turned, moved by itself.
    Choose {
        /// Where.
        square: Square,
        /// What the move says beside it.
        rest: Vec<String>,
    },
    /// A whole column, or row, is chosen: something is dropped there.
    Line {
        /// The column, from the left.
        column: Option<usize>,
        /// The row, from the top.
        row: Option<usize>,
        /// What the move says beside it.
        rest: Vec<String>,
    },
    /// No square: a button with the move's text.
    Button,
}

impl Gesture {
    /// The squares that it names, in order.
    pub fn squares(&self) -> &[Square] {
        match self {
            Gesture::Path { squares, .. } => squares,
            Gesture::Place { square, .. } | Gesture::Choose { square, .. } => std::slice::from_ref(square),
            Gesture::Line { .. } | Gesture::Button => &[],
        }
    }
}

/// What the arguments of moves name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Axis {
    Column,
    Row,
    Index(usize),
    Square,
    None,
}

/// The patterns of all moves that name columns, rows or squares of `model`.
pub(crate) fn patterns(
    description: &Description,
    evidence: &Evidence<'_>,
    model: &BoardModel,
) -> Vec<MovePattern> {
    let domains = &evidence.domains;
    let mut out = Vec::new();
    if model.layers.is_empty() {
        return out;
    }
    for &(function, arity) in domains.functions(domains.mv()) {
        let leaves = columns(description, domains, domains.mv(), function, arity);
        let mut axes: Vec<(Vec<usize>, Axis)> = Vec::new();
        for leaf in &leaves {
            let axis = axis_of(evidence, model, leaf.place, &leaf.domain, &axes);
            axes.push((leaf.coordinate.path.clone(), axis));
        }
        let (slots, squares) = group_into_squares(&axes, model);
        if squares > 0 {
            let name = description.name(function).to_owned();
            out.push(MovePattern { name, arity, slots, squares });
        }
    }
    out
}

/// What a move's argument names: by the fluents that share variables with it, else by its values.
fn axis_of(
    evidence: &Evidence<'_>,
    model: &BoardModel,
    place: Place,
    domain: &[String],
    before: &[(Vec<usize>, Axis)],
) -> Axis {
    let mut votes: Vec<(Axis, u32)> = Vec::new();
    let mut other = 0;
    for layer in &model.layers {
        let table = evidence.tables.iter().find(|t| t.name == layer.relation && t.arity == layer.arity);
        let Some(table) = table else { continue };
        for column in &table.columns {
            let ties = evidence.domains.ties(column.place, place);
            let is = |coordinate: &Coordinate| *coordinate == column.coordinate;
            let axis = if column.coordinate.part != Part::Whole && is(&layer.x) {
                Axis::Square
            } else if is(&layer.x) {
                Axis::Column
            } else if layer.y.as_ref().is_some_and(is) {
                Axis::Row
            } else if let Some(part) = layer.index.iter().position(is) {
                Axis::Index(part)
            } else {
                other = other.max(ties);
                continue;
            };
            match votes.iter_mut().find(|vote| vote.0 == axis) {
                Some(vote) => vote.1 += ties,
                None => votes.push((axis, ties)),
            }
        }
    }
    let fits = |(axis, ties): (Axis, u32)| -> bool {
        // Rules that tie a move to the board may still allow what is off it.
        let on = |values: &[String]| {
            let on_axis = domain.iter().filter(|v| values.contains(v)).count();
            on_axis >= 2 && (ties > 0 || on_axis * 4 >= domain.len() * 3)
        };
        match axis {
            Axis::Column => on(&model.columns.values),
            Axis::Row => on(&model.rows.values),
            Axis::Index(part) => on(&model.index[part].values),
            Axis::Square => {
                let layer = &model.layers[0];
                domain.len() >= 2
                    && domain.iter().filter(|v| whole_square(layer, model, v).is_some()).count() * 4
                        >= domain.len() * 3
            }
            Axis::None => false,
        }
    };
    votes.retain(|vote| fits(*vote));
    let most = votes.iter().map(|vote| vote.1).max().unwrap_or(0);
    if most == 0 && (other > 0 || votes.is_empty()) {
        return Axis::None;
    }
    let best: Vec<Axis> = votes.iter().filter(|vote| vote.1 * 2 >= most).map(|vote| vote.0).collect();
    // Between equals, the one whose turn it is: columns and rows come in turn.
    let used = |axis: Axis| before.iter().filter(|b| b.1 == axis).count();
    best.into_iter().min_by_key(|&axis| used(axis)).unwrap_or(Axis::None)
}

/// Arguments in order, cut into squares wherever a coordinate would come twice.
fn group_into_squares(axes: &[(Vec<usize>, Axis)], model: &BoardModel) -> (Vec<(Vec<usize>, Slot)>, usize) {
    let mut slots = Vec::with_capacity(axes.len());
    let mut square = 0;
    let mut named: Vec<Axis> = Vec::new();
    for (path, axis) in axes {
        if *axis != Axis::None
            && (named.contains(axis)
                || named.contains(&Axis::Square)
                || (*axis == Axis::Square && !named.is_empty()))
        {
            square += 1;
            named.clear();
        }
        let slot = match axis {
            Axis::Column => Slot::Column(square),
            Axis::Row => Slot::Row(square),
            Axis::Index(part) => Slot::Index { square, part: *part },
            Axis::Square => Slot::Square(square),
            Axis::None => Slot::Other,
        };
        if *axis != Axis::None {
            named.push(*axis);
        }
        slots.push((path.clone(), slot));
    }
    let any = axes.iter().any(|(_, axis)| matches!(axis, Axis::Column | Axis::Row | Axis::Square));
    let squares = if any { square + 1 } else { 0 };
    let _ = model;
    (slots, squares)
}

/// The column and row of a whole square such as `a12`.
fn whole_square(layer: &crate::model::Layer, model: &BoardModel, text: &str) -> Option<(usize, usize)> {
    let column = model.columns.position(layer.x.part_of(text)?)?;
    let row = match &layer.y {
        Some(y) => model.rows.position(y.part_of(text)?)?,
        None => 0,
    };
    Some((column, row))
}

impl BoardModel {
    /// How the move with text `mv` is made on the board, in `position`.
    pub fn gesture(&self, mv: &str, position: &Position) -> Gesture {
        let (name, arguments) = split(mv);
        let pattern = self.moves.iter().find(|p| p.name == name && p.arity == arguments.len());
        let Some(pattern) = pattern else { return Gesture::Button };
        let mut squares: Vec<(Option<usize>, Option<usize>, Vec<Option<usize>>)> =
            vec![(None, None, vec![None; self.index.len()]); pattern.squares];
        let mut rest = Vec::new();
        for (path, slot) in &pattern.slots {
            let Some(text) = at(mv, path) else { return Gesture::Button };
            let known = match *slot {
                Slot::Column(n) => self.columns.position(text).map(|c| squares[n].0 = Some(c)),
                Slot::Row(n) => self.rows.position(text).map(|r| squares[n].1 = Some(r)),
                Slot::Index { square, part } => {
                    self.index[part].position(text).map(|i| squares[square].2[part] = Some(i))
                }
                Slot::Square(n) => whole_square(&self.layers[0], self, text).map(|(column, row)| {
                    (squares[n].0, squares[n].1) = (Some(column), Some(row));
                }),
                Slot::Other => None,
            };
            if known.is_none() {
                rest.push(text.to_owned());
            }
        }
        self.gesture_of(&squares, rest, position)
    }

    fn gesture_of(
        &self,
        squares: &[(Option<usize>, Option<usize>, Vec<Option<usize>>)],
        rest: Vec<String>,
        position: &Position,
    ) -> Gesture {
        let track = self.layers.iter().all(|layer| layer.y.is_none());
        let mut found: Vec<Square> = Vec::new();
        let mut before: Vec<usize> = vec![0; self.index.len()];
        for (column, row, index) in squares {
            let row = if track { Some(0) } else { *row };
            if let (Some(column), Some(row)) = (*column, row) {
                // A board that is not named is the one named before.
                let index: Vec<usize> = index.iter().zip(&before).map(|(i, b)| i.unwrap_or(*b)).collect();
                found.push(Square { board: self.board_number(0, &index), column, row });
                before = index;
            }
        }
        match found.as_slice() {
            [] => match squares {
                [(None, None, _)] | [] => Gesture::Button,
                [(column, row, _)] => Gesture::Line { column: *column, row: *row, rest },
                _ => Gesture::Button,
            },
            &[square] if squares.len() == 1 => {
                let occupied = !position.squares[self.square_number(square)].is_empty();
                if occupied { Gesture::Choose { square, rest } } else { Gesture::Place { square, rest } }
            }
            _ if found.len() == squares.len() => Gesture::Path { squares: found, rest },
            _ => Gesture::Button,
        }
    }
}
