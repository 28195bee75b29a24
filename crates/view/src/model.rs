//! The board of a game, as inferred or as a sidecar says: what `ggp view --json` prints and what
//! the terminal and the browser draw from.
//!
//! Invariant: axis values are texts of the game's own constants, in the order in which they are
//! drawn: columns from left to right, rows from top to bottom. A [`Square`] indexes them.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What kind of picture a game gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Squares of two axes that hold something.
    Grid,
    /// Squares of two axes that are marked or not.
    Occupancy,
    /// A row of places.
    Track,
    /// No board: the facts.
    Table,
}

/// How an axis came by its order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Facts of the rules chain its values: `(succ 1 2)`.
    Successor,
    /// By number.
    Integers,
    /// By letter.
    Letters,
    /// A common name and a number: `p1`, `p2`.
    Numbered,
    /// As the rulesheet first mentions them.
    Listed,
    /// As a sidecar gives them.
    Given,
}

/// The values along one side of a board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Axis {
    /// The values as drawn: from left to right, or from top to bottom.
    pub values: Vec<String>,
    /// How they came by their order.
    pub order: Order,
}

impl Axis {
    /// The place of `value` on the axis.
    pub fn position(&self, value: &str) -> Option<usize> {
        self.values.iter().position(|v| v == value)
    }
}

/// Which part of an argument a coordinate is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// All of it.
    Whole,
    /// The letters of `a12`.
    Letters,
    /// The number of `a12`.
    Number,
}

/// Where in a fact a coordinate stands.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Coordinate {
    /// The argument's number, from 0; then that argument's argument's, and so on.
    pub path: Vec<usize>,
    /// Which part of it.
    pub part: Part,
}

impl Coordinate {
    /// A whole argument.
    pub fn whole(path: Vec<usize>) -> Coordinate {
        Coordinate { path, part: Part::Whole }
    }

    /// Its text in `fact`.
    pub(crate) fn read<'a>(&self, fact: &'a str) -> Option<&'a str> {
        let text = crate::term::at(fact, &self.path)?;
        self.part_of(text)
    }

    /// Its part of the whole argument `text`.
    pub(crate) fn part_of<'a>(&self, text: &'a str) -> Option<&'a str> {
        match self.part {
            Part::Whole => Some(text),
            Part::Letters => Some(crate::term::letters_and_number(text)?.0),
            Part::Number => Some(crate::term::letters_and_number(text)?.1),
        }
    }
}

/// A fluent that is drawn on the board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Layer {
    /// The fluent's function.
    pub relation: String,
    /// How many arguments it has.
    pub arity: usize,
    /// Which of several boards it is on, where relations rather than arguments tell: 0 else.
    pub group: usize,
    /// Where it has the column's value.
    pub x: Coordinate,
    /// Where it has the row's value; none on a track.
    pub y: Option<Coordinate>,
    /// Where it says which of several boards, as many as the model has [`BoardModel::index`].
    pub index: Vec<Coordinate>,
    /// Where it says what is on the square; nothing for a mark.
    pub content: Vec<Coordinate>,
    /// What can stand at each of [`Layer::content`], as the rulesheet first mentions it, without
    /// what is empty.
    pub values: Vec<Vec<String>>,
    /// The content that stands for an empty square.
    pub empty: Option<String>,
    /// Whether it only says that all squares exist; nothing is drawn for it.
    #[serde(default)]
    pub ground: bool,
}

/// One square: of which board, in which column and row, counted as drawn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Square {
    /// The board, from 0.
    pub board: usize,
    /// The row, from the top; 0 on a track.
    pub row: usize,
    /// The column, from the left.
    pub column: usize,
}

/// What kind of thing a fluent beside the board is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SideKind {
    /// Whose turn it is.
    Control,
    /// A number, alone or one for each role.
    Counter,
    /// How many of what a role has.
    Hand,
    /// Holds or does not hold.
    Flag,
    /// Anything else.
    Other,
}

/// A fluent beside the board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Side {
    /// The fluent's function or constant.
    pub relation: String,
    /// How many arguments it has.
    pub arity: usize,
    /// What it is.
    pub kind: SideKind,
}

/// What an argument of a move is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Slot {
    /// The column of the square with that number, from 0.
    Column(usize),
    /// The row of the square with that number.
    Row(usize),
    /// The `part`-th index of the board of the square with that number.
    Index {
        /// Which square.
        square: usize,
        /// Which of [`BoardModel::index`].
        part: usize,
    },
    /// The whole square with that number, such as `a12`.
    Square(usize),
    /// Something else: a piece, a number, a choice.
    Other,
}

impl Slot {
    /// The number of the square that it is part of.
    pub fn square(self) -> Option<usize> {
        match self {
            Slot::Column(square) | Slot::Row(square) | Slot::Square(square) | Slot::Index { square, .. } => {
                Some(square)
            }
            Slot::Other => None,
        }
    }
}

/// How the arguments of one kind of move relate to the board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MovePattern {
    /// The move's function.
    pub name: String,
    /// How many arguments it has.
    pub arity: usize,
    /// What each leaf argument is: where it stands, and its slot.
    pub slots: Vec<(Vec<usize>, Slot)>,
    /// How many squares it names.
    pub squares: usize,
    /// Which of [`BoardModel::groups`] each of them is on.
    pub groups: Vec<usize>,
}

/// The board of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BoardModel {
    /// What kind of picture it is.
    pub kind: Kind,
    /// The roles, in order.
    pub roles: Vec<String>,
    /// The axis from left to right; empty for a table.
    pub columns: Axis,
    /// The axis from top to bottom; one empty value on a track.
    pub rows: Axis,
    /// The arguments that tell several boards apart, outermost first, at most two.
    pub index: Vec<Axis>,
    /// The names of the relations that are boards of their own; one where there is one board.
    pub groups: Vec<String>,
    /// Whether things stand on things: columns are the towers' bases and rows their heights, and the
    /// one layer's fluent says what stands (its content) on what (its `x`).
    #[serde(default)]
    pub stacked: bool,
    /// The fluents on the board, the first one the board itself; later ones are drawn above.
    pub layers: Vec<Layer>,
    /// Squares that nothing can ever stand on, sorted.
    pub holes: Vec<Square>,
    /// Which role each content belongs to, by the role's number.
    pub owners: BTreeMap<String, usize>,
    /// How contents are drawn, where not by their name.
    pub glyphs: BTreeMap<String, String>,
    /// Whether squares alternate between light and dark.
    pub chequered: bool,
    /// The fluents beside the board.
    pub side: Vec<Side>,
    /// The moves that name squares.
    pub moves: Vec<MovePattern>,
}

impl Layer {
    /// Whether it marks the squares that have nothing on them, `(blank a)` beside `(ecks b)`, or all.
    pub(crate) fn marks_nothing(&self) -> bool {
        self.ground
            || self.content.is_empty()
                && matches!(self.relation.as_str(), "blank" | "empty" | "free" | "none")
    }
}

impl BoardModel {
    /// How many boards there are: at least 1.
    pub fn board_count(&self) -> usize {
        self.groups.len().max(1) * self.index.iter().map(|axis| axis.values.len()).product::<usize>()
    }

    /// The board of a group and the positions on the index axes.
    pub(crate) fn board_number(&self, group: usize, index: &[usize]) -> usize {
        self.index.iter().zip(index).fold(group, |number, (axis, &at)| number * axis.values.len() + at)
    }

    /// What tells board `number` from the others, outermost first; empty when it is the only one.
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

    /// The name of a square as its coordinates: `c 4`.
    pub fn square_name(&self, square: Square) -> String {
        let column = self.columns.values.get(square.column).map_or("", String::as_str);
        let row = self.rows.values.get(square.row).map_or("", String::as_str);
        let board = self.board_name(square.board);
        let parts = [board.as_str(), column, row];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}
