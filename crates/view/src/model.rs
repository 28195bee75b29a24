//! The board model of a game, inferred or given by a sidecar. `ggp view --json` prints it, and the terminal
//! and the browser draw from it.
//!
//! Invariant: axis values are texts of the game's own constants in the order in which they are drawn:
//! columns from left to right, rows from top to bottom. A [`Square`] holds indices into them.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The kind of picture that a game gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Squares with two axes and contents.
    Grid,
    /// Squares with two axes that are marked or not.
    Occupancy,
    /// A single row of squares.
    Track,
    /// No board: a list of the facts.
    Table,
}

/// The source of an axis's order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Facts of the rules chain the values: `(succ 1 2)`.
    Successor,
    /// The values are integers, in numeric order.
    Integers,
    /// The values are letters, in alphabetic order.
    Letters,
    /// The values are a common name and a number: `p1`, `p2`.
    Numbered,
    /// The order in which the rulesheet first mentions the values.
    Listed,
    /// The order that a sidecar gives.
    Given,
}

/// The values along one side of a board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Axis {
    /// The values in drawing order: from left to right, or from top to bottom.
    pub values: Vec<String>,
    /// The source of their order.
    pub order: Order,
}

impl Axis {
    /// The index of `value` on the axis; `None` if it is not there.
    pub fn position(&self, value: &str) -> Option<usize> {
        self.values.iter().position(|v| v == value)
    }
}

/// The part of an argument that is a coordinate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TextPart {
    /// The whole argument.
    Whole,
    /// The letters of `a12`.
    Letters,
    /// The number of `a12`.
    Number,
}

/// The position of a coordinate in a fact.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Coordinate {
    /// The argument's number, from 0; then the number within that argument, and so on.
    pub path: Vec<usize>,
    /// The part of the argument.
    pub part: TextPart,
}

impl Coordinate {
    /// The coordinate that is the whole argument at `path`.
    pub fn whole(path: Vec<usize>) -> Coordinate {
        Coordinate { path, part: TextPart::Whole }
    }

    /// The coordinate's text in `fact`, if it has one.
    pub(crate) fn read<'a>(&self, fact: &'a str) -> Option<&'a str> {
        let text = crate::term::at(fact, &self.path)?;
        self.part_of(text)
    }

    /// The coordinate's part of the whole argument `text`.
    pub(crate) fn part_of<'a>(&self, text: &'a str) -> Option<&'a str> {
        match self.part {
            TextPart::Whole => Some(text),
            TextPart::Letters => Some(crate::term::letters_and_number(text)?.0),
            TextPart::Number => Some(crate::term::letters_and_number(text)?.1),
        }
    }
}

/// A fluent that is drawn on the board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Layer {
    /// The fluent's function symbol.
    pub relation: String,
    /// The number of arguments.
    pub arity: usize,
    /// The board's index in [`BoardModel::groups`], if relations tell boards apart; else 0.
    pub group: usize,
    /// The coordinate that holds the column's value.
    pub x: Coordinate,
    /// The coordinate that holds the row's value; `None` on a track.
    pub y: Option<Coordinate>,
    /// The coordinates that tell several boards apart, one for each axis of [`BoardModel::index`].
    pub index: Vec<Coordinate>,
    /// The coordinates that hold the content of the square; empty for a mark.
    pub content: Vec<Coordinate>,
    /// The possible values at each of [`Layer::content`], in the order in which the rulesheet first
    /// mentions them, without the empty content.
    pub values: Vec<Vec<String>>,
    /// The content that stands for an empty square.
    pub empty: Option<String>,
    /// Whether the layer only states that every square exists; nothing is drawn for it.
    #[serde(default)]
    pub ground: bool,
}

/// One square, given by board, row and column as drawn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Square {
    /// The number of the board, from 0.
    pub board: usize,
    /// The row, from 0 at the top; 0 on a track.
    pub row: usize,
    /// The column, from 0 at the left.
    pub column: usize,
}

/// The kind of a fluent beside the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SideKind {
    /// The role whose turn it is.
    Control,
    /// A number: a single one, or one for each role.
    Counter,
    /// The number of each thing that a role has.
    Hand,
    /// A fluent that either holds or does not.
    Flag,
    /// Any other fluent.
    Other,
}

/// A fluent that is shown beside the board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Side {
    /// The fluent's function symbol or constant.
    pub relation: String,
    /// The number of arguments.
    pub arity: usize,
    /// The kind of the fluent.
    pub kind: SideKind,
}

/// The meaning of an argument of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Slot {
    /// The column of the move's square with that number, from 0.
    Column(usize),
    /// The row of the move's square with that number.
    Row(usize),
    /// A value on an index axis, for the board of one of the move's squares.
    Index {
        /// The number of the move's square.
        square: usize,
        /// The number of the axis in [`BoardModel::index`].
        part: usize,
    },
    /// The whole square with that number, such as `a12`.
    Square(usize),
    /// Anything else: a piece, a number, a choice.
    Other,
}

impl Slot {
    /// The number of the square to which the slot belongs, if any.
    pub fn square(self) -> Option<usize> {
        match self {
            Slot::Column(square) | Slot::Row(square) | Slot::Square(square) | Slot::Index { square, .. } => {
                Some(square)
            }
            Slot::Other => None,
        }
    }
}

/// The relation between the arguments of one kind of move and the board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MovePattern {
    /// The move's function symbol.
    pub name: String,
    /// The number of arguments.
    pub arity: usize,
    /// The path and the slot of each leaf argument.
    pub slots: Vec<(Vec<usize>, Slot)>,
    /// The number of squares that the move names.
    pub squares: usize,
    /// The group of each square, an index into [`BoardModel::groups`].
    pub groups: Vec<usize>,
}

/// The board of a game: axes, layers, owners of pieces, and patterns of moves.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BoardModel {
    /// The kind of picture.
    pub kind: Kind,
    /// The names of the roles, in role order.
    pub roles: Vec<String>,
    /// The axis from left to right; empty for a table.
    pub columns: Axis,
    /// The axis from top to bottom; empty for a table, one empty value for a track.
    pub rows: Axis,
    /// The axes that tell several boards apart, outermost first, at most two.
    pub index: Vec<Axis>,
    /// The names of the relations that are boards of their own; one name if there is one board.
    pub groups: Vec<String>,
    /// Whether the board shows towers of things that stand on each other. Columns are the bases and rows
    /// the heights. The only layer's fluent gives what stands (its content) on what (its `x`).
    #[serde(default)]
    pub stacked: bool,
    /// The fluents on the board. The first one is the board itself; later ones are drawn above it.
    pub layers: Vec<Layer>,
    /// The squares on which nothing can ever stand, sorted.
    pub holes: Vec<Square>,
    /// The owner of each owned content, as a role number.
    pub owners: BTreeMap<String, usize>,
    /// The glyphs of contents that are not drawn by their names.
    pub glyphs: BTreeMap<String, String>,
    /// Whether squares alternate between light and dark.
    pub chequered: bool,
    /// The fluents beside the board.
    pub side: Vec<Side>,
    /// The moves that name squares.
    pub moves: Vec<MovePattern>,
}

impl Layer {
    /// Whether the layer marks the empty squares, as `(blank a)` beside `(ecks b)`, or all squares.
    pub(crate) fn marks_nothing(&self) -> bool {
        self.ground
            || self.content.is_empty()
                && matches!(self.relation.as_str(), "blank" | "empty" | "free" | "none")
    }
}

impl BoardModel {
    /// The number of boards, at least 1.
    pub fn board_count(&self) -> usize {
        self.groups.len().max(1) * self.index.iter().map(|axis| axis.values.len()).product::<usize>()
    }

    /// The number of the board with this group and these positions on the index axes.
    pub(crate) fn board_number(&self, group: usize, index: &[usize]) -> usize {
        self.index.iter().zip(index).fold(group, |number, (axis, &at)| number * axis.values.len() + at)
    }

    /// The label that tells board `number` from the others, outermost part first; empty for a single board.
    pub fn board_name(&self, number: usize) -> String {
        let mut rest = number;
        let mut parts = Vec::new();
        for axis in self.index.iter().rev() {
            parts.push(axis.values[rest % axis.values.len()].as_str());
            rest /= axis.values.len();
        }
        if self.groups.len() > 1 {
            parts.push(&self.groups[rest.min(self.groups.len() - 1)]);
        }
        parts.reverse();
        parts.join(" ")
    }

    /// The name of a square, made of its board's name and its coordinates: `c 4`.
    pub fn square_name(&self, square: Square) -> String {
        let column = self.columns.values.get(square.column).map_or("", String::as_str);
        let row = self.rows.values.get(square.row).map_or("", String::as_str);
        let board = self.board_name(square.board);
        let parts = [board.as_str(), column, row];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}
