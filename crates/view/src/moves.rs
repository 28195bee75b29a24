//! Moves on squares. The module finds which arguments of a move name columns, rows or boards, and from these
//! the squares that the move names. A move that names nothing on the board becomes a button.

use crate::evidence::Evidence;
use crate::fluent::columns;
use crate::model::{BoardModel, Coordinate, MovePattern, Slot, Square, TextPart};
use crate::position::Position;
use crate::term::at;
use ggp_game::split_term;
use ggp_gdl::Description;
use ggp_gdl::domains::Place;
use serde::Serialize;

/// The way in which a move is made on the board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum Gesture {
    /// A thing goes from one square to another, or along several squares.
    Path {
        /// The squares in the order in which the move names them, at least two.
        squares: Vec<Square>,
        /// The arguments of the move that name nothing on the board.
        rest: Vec<String>,
    },
    /// A thing is put on an empty square.
    Place {
        /// The square.
        square: Square,
        /// The arguments of the move that name nothing on the board.
        rest: Vec<String>,
    },
    /// An occupied square is chosen, for example to take or to turn the thing on it.
    Choose {
        /// The square.
        square: Square,
        /// The arguments of the move that name nothing on the board.
        rest: Vec<String>,
    },
    /// A whole column or row is chosen, for example to drop something there.
    Line {
        /// The index of the column, from 0 at the left. `None` if a row is chosen.
        column: Option<usize>,
        /// The index of the row, from 0 at the top. `None` if a column is chosen.
        row: Option<usize>,
        /// The arguments of the move that name nothing on the board.
        rest: Vec<String>,
    },
    /// The move names nothing on the board; a button shows the text of the move.
    Button,
}

impl Gesture {
    /// The squares that the gesture names, in the order of the move's arguments.
    pub fn squares(&self) -> &[Square] {
        match self {
            Gesture::Path { squares, .. } => squares,
            Gesture::Place { square, .. } | Gesture::Choose { square, .. } => std::slice::from_ref(square),
            Gesture::Line { .. } | Gesture::Button => &[],
        }
    }
}

/// The part of the board that an argument of a move names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Axis {
    Column,
    Row,
    Index(usize),
    Square,
    None,
}

/// The patterns of those moves that name columns, rows or squares of `model`.
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
        let (slots, squares) = cut_into_squares(&axes);
        if squares > 0 {
            let name = description.name(function).to_owned();
            let groups = (0..squares).map(|square| {
                let places = slots.iter().zip(&leaves).filter(|((_, slot), _)| slot.square() == Some(square));
                group_of(evidence, model, &places.map(|(_, leaf)| leaf.place).collect::<Vec<_>>())
            });
            let groups = groups.collect();
            out.push(MovePattern { name, arity, slots, squares, groups });
        }
    }
    out
}

/// The index, in [`BoardModel::groups`], of the group to which a square of a move belongs. `places` are the
/// arguments of the move that name the square. The chosen group is the one whose fluents share the most
/// variables with these arguments.
fn group_of(evidence: &Evidence<'_>, model: &BoardModel, places: &[Place]) -> usize {
    let mut votes = vec![0u32; model.groups.len().max(1)];
    for layer in &model.layers {
        let table = evidence.tables.iter().find(|t| t.name == layer.relation && t.arity == layer.arity);
        for column in table.iter().flat_map(|table| &table.columns) {
            votes[layer.group] += places.iter().map(|&p| evidence.domains.ties(column.place, p)).sum::<u32>();
        }
    }
    let most = votes.iter().max().copied();
    votes.iter().position(|&vote| Some(vote) == most).unwrap_or(0)
}

/// The part of the board that an argument of a move names: a column, a row, a board or a whole square. The
/// fluents that share variables with the argument decide. If there are none, the values of the argument
/// decide.
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
            let axis = if column.coordinate.part != TextPart::Whole && is(&layer.x) {
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
        // The rules may tie a move's argument to the board and still allow values off the board.
        let on = |values: &[String]| {
            let on_axis = domain.iter().filter(|v| values.contains(v)).count();
            on_axis >= 2 && (ties > 0 || on_axis * 2 >= domain.len())
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
    // Of candidates with similar votes, the one used least so far wins, since columns and rows alternate.
    let used = |axis: Axis| before.iter().filter(|b| b.1 == axis).count();
    best.into_iter().min_by_key(|&axis| used(axis)).unwrap_or(Axis::None)
}

/// Divides the arguments of a move, in order, among the squares that they name. A new square begins where one
/// square would get two columns, two rows or the like. Returns the slots of the arguments and the number of
/// squares.
fn cut_into_squares(axes: &[(Vec<usize>, Axis)]) -> (Vec<(Vec<usize>, Slot)>, usize) {
    let mut slots = Vec::with_capacity(axes.len());
    let mut square = 0;
    let mut named: Vec<Axis> = Vec::new();
    for (path, axis) in axes {
        let whole = *axis == Axis::Square && !named.is_empty();
        if *axis != Axis::None && (whole || named.contains(axis) || named.contains(&Axis::Square)) {
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
    (slots, if any { square + 1 } else { 0 })
}

/// The indices of the column and the row of the square that `text` names as a whole, such as `a12`. `None` if
/// `text` names no square.
fn whole_square(layer: &crate::model::Layer, model: &BoardModel, text: &str) -> Option<(usize, usize)> {
    let column = model.columns.position(layer.x.part_of(text)?)?;
    let row = match &layer.y {
        Some(y) => model.rows.position(y.part_of(text)?)?,
        None => 0,
    };
    Some((column, row))
}

/// The coordinates that a move gives for one of its squares, as indices on the axes of the board. `None` for
/// a coordinate that the move does not give.
#[derive(Clone, Default, Debug)]
struct Named {
    column: Option<usize>,
    row: Option<usize>,
    index: Vec<Option<usize>>,
}

impl BoardModel {
    /// The gesture that makes the move with the text `mv` in `position`.
    pub fn gesture(&self, mv: &str, position: &Position) -> Gesture {
        if self.stacked {
            return self.gesture_on_towers(mv, position);
        }
        let Some((pattern, named, rest)) = self.read(mv) else { return Gesture::Button };
        self.gesture_of(pattern, &named, rest, position)
    }

    /// The squares that the move with the text `mv` names.
    pub(crate) fn squares_of(&self, mv: &str) -> Vec<Square> {
        self.read(mv).map_or_else(Vec::new, |(pattern, named, _)| self.found(pattern, &named))
    }

    /// The pattern of the move with the text `mv`, the coordinates that it gives, and its other arguments.
    fn read(&self, mv: &str) -> Option<(&MovePattern, Vec<Named>, Vec<String>)> {
        let (name, arguments) = split_term(mv);
        let pattern = self.moves.iter().find(|p| p.name == name && p.arity == arguments.len())?;
        let mut named =
            vec![Named { index: vec![None; self.index.len()], ..Named::default() }; pattern.squares];
        let mut rest = Vec::new();
        for (path, slot) in &pattern.slots {
            let text = at(mv, path)?;
            let known = match *slot {
                Slot::Column(n) => self.columns.position(text).map(|c| named[n].column = Some(c)),
                Slot::Row(n) => self.rows.position(text).map(|r| named[n].row = Some(r)),
                Slot::Index { square, part } => {
                    self.index[part].position(text).map(|i| named[square].index[part] = Some(i))
                }
                Slot::Square(n) => whole_square(&self.layers[0], self, text).map(|(column, row)| {
                    (named[n].column, named[n].row) = (Some(column), Some(row));
                }),
                Slot::Other => None,
            };
            if known.is_none() {
                rest.push(text.to_owned());
            }
        }
        Some((pattern, named, rest))
    }

    /// The squares of which a move gives all coordinates.
    fn found(&self, pattern: &MovePattern, named: &[Named]) -> Vec<Square> {
        let track = self.layers.iter().all(|layer| layer.y.is_none());
        let mut found: Vec<Square> = Vec::new();
        let mut before: Vec<usize> = vec![0; self.index.len()];
        for (square, &group) in named.iter().zip(&pattern.groups) {
            let row = if track { Some(0) } else { square.row };
            if let (Some(column), Some(row)) = (square.column, row) {
                // A square without a board index is on the board of the square before it.
                before = square.index.iter().zip(&before).map(|(i, b)| i.unwrap_or(*b)).collect();
                found.push(Square { board: self.board_number(group, &before), row, column });
            }
        }
        found
    }

    fn gesture_of(
        &self,
        pattern: &MovePattern,
        named: &[Named],
        rest: Vec<String>,
        position: &Position,
    ) -> Gesture {
        let found = self.found(pattern, named);
        match found.as_slice() {
            [] => match named {
                [one] if one.column.is_some() || one.row.is_some() => {
                    Gesture::Line { column: one.column, row: one.row, rest }
                }
                _ => Gesture::Button,
            },
            &[square] if named.len() == 1 => {
                let tokens = &position.squares[self.square_number(square)];
                let occupied = tokens.iter().any(|token| token.layer == 0 || !token.content.is_empty());
                if occupied { Gesture::Choose { square, rest } } else { Gesture::Place { square, rest } }
            }
            _ if found.len() == named.len() => Gesture::Path { squares: found, rest },
            _ => Gesture::Button,
        }
    }
}
