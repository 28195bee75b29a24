//! The board model of a game, inferred or given by a sidecar. `ggp view --json` prints it, and the terminal
//! and the browser draw from it.
//!
//! Invariant: axis values are texts of the game's own constants in the order in which they are drawn: columns
//! from left to right, rows from top to bottom. A [`Square`] holds indices into the axes.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The kind of picture that is drawn of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A board with two axes, whose squares hold things with names.
    Grid,
    /// A board with two axes, whose squares are either marked or not and have no other content.
    Occupancy,
    /// A single row of squares, such as a race track.
    Track,
    /// There is no board; the facts are listed.
    Table,
}

/// The shape in which a square is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cell {
    /// A square.
    #[default]
    Square,
    /// A hexagon. Its corners point up and down.
    Hexagon,
    /// A round pit that holds things that are counted.
    Pit,
    /// A dot, where edges meet.
    Dot,
}

/// The source of the order of an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Facts of the rules that chain the values: `(succ 1 2)`.
    Successor,
    /// The values are integers, in numeric order.
    Integers,
    /// The values are letters, in alphabetic order.
    Letters,
    /// Each value is a common name followed by a number, as in `p1`, `p2`. The numbers give the order.
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
    /// The source of the order of the values.
    pub order: Order,
}

impl Axis {
    /// The index of `value` on the axis. `None` if the axis does not have the value.
    pub fn position(&self, value: &str) -> Option<usize> {
        self.values.iter().position(|v| v == value)
    }
}

/// The part of an argument's text that is a coordinate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TextPart {
    /// The whole argument.
    Whole,
    /// The letters of an argument such as `a12`: here `a`.
    Letters,
    /// The number of an argument such as `a12`: here `12`.
    Number,
}

/// Where in the text of a fact a coordinate stands: in which argument, and in which part of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Coordinate {
    /// The index of an argument of the fact, then the index of an argument within that one, and so on.
    /// Indices are from 0.
    pub path: Vec<usize>,
    /// The part of the argument's text that is the coordinate.
    pub part: TextPart,
}

impl Coordinate {
    /// The coordinate that consists of the whole argument at `path`.
    pub fn whole(path: Vec<usize>) -> Coordinate {
        Coordinate { path, part: TextPart::Whole }
    }

    /// The text of the coordinate in `fact`. `None` if `fact` has no such part.
    pub(crate) fn read<'a>(&self, fact: &'a str) -> Option<&'a str> {
        let text = crate::term::at(fact, &self.path)?;
        self.part_of(text)
    }

    /// The part of `text`, the text of an argument, that is the coordinate. `None` if `text` has no such
    /// part.
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
    /// The number of arguments of the fluent.
    pub arity: usize,
    /// The index, in [`BoardModel::groups`], of the group of boards on which the layer is drawn. It is 0 if
    /// one relation describes all boards.
    pub group: usize,
    /// Where a fact holds the value of its square's column, which is a value of [`BoardModel::columns`].
    pub x: Coordinate,
    /// Where a fact holds the value of its square's row, which is a value of [`BoardModel::rows`]. `None` on
    /// a track.
    pub y: Option<Coordinate>,
    /// Where a fact names its board, if there are several: one coordinate for each axis of
    /// [`BoardModel::index`].
    pub index: Vec<Coordinate>,
    /// Where a fact holds the content of its square, such as the piece on it. Empty for a layer of marks.
    pub content: Vec<Coordinate>,
    /// For each coordinate in [`Layer::content`], the list of the values that it can have. Values are in the
    /// order in which the rulesheet first mentions them. The value that means an empty square is left out.
    pub values: Vec<Vec<String>>,
    /// The content that stands for an empty square. `None` if no content does.
    pub empty: Option<String>,
    /// Whether the facts of the layer only state that every square exists. Nothing is drawn for such a layer.
    #[serde(default)]
    pub ground: bool,
    /// If the facts of the layer are walls on sides of squares: the side for each content, as a step to the right and a
    /// step down. The content is empty if the facts hold only coordinates.
    #[serde(default)]
    pub walls: BTreeMap<String, [i32; 2]>,
    /// If the walls of the layer are signs that compare two squares: whether the square of the fact has the greater value.
    #[serde(default)]
    pub compares: Option<bool>,
    /// Whether the layer marks one square in every state, and not always the same one: that of a man who goes about.
    #[serde(default)]
    pub walker: bool,
    /// If the facts of the layer are edges between two squares: where a fact holds the column and the row of the second
    /// one.
    #[serde(default)]
    pub to: Option<[Coordinate; 2]>,
}

/// One square, given by board, row and column as drawn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Square {
    /// The index of the board, from 0.
    pub board: usize,
    /// The index of the row, from 0 at the top. It is 0 on a track.
    pub row: usize,
    /// The index of the column, from 0 at the left.
    pub column: usize,
}

/// The kind of a fluent beside the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SideKind {
    /// The role whose turn it is.
    Control,
    /// A number, or a number for each role.
    Counter,
    /// A role's hand: the number of each thing that it holds.
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
    /// The number of arguments of the fluent.
    pub arity: usize,
    /// The kind of the fluent.
    pub kind: SideKind,
}

/// The meaning of an argument of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Slot {
    /// The column of one of the squares that the move names. Holds the index, from 0, of that square among
    /// them.
    Column(usize),
    /// The row of one of the squares that the move names. Holds the index, from 0, of that square among them.
    Row(usize),
    /// In a game with several boards, a name for the board of one of the squares that the move names. If
    /// [`BoardModel::index`] has two axes, two such arguments together name the board.
    Index {
        /// The index of that square among the move's squares, from 0.
        square: usize,
        /// The index, in [`BoardModel::index`], of the axis to which the argument's values belong.
        part: usize,
    },
    /// The name of one of the squares that the move names, such as `a12`, which gives both column and row.
    /// Holds the index of that square among them, from 0.
    Square(usize),
    /// Anything else: a piece, a number, a choice.
    Other,
}

impl Slot {
    /// The index, among the move's squares, of the square that the argument helps to name. `None` if it names
    /// no square.
    pub fn square(self) -> Option<usize> {
        match self {
            Slot::Column(square) | Slot::Row(square) | Slot::Square(square) | Slot::Index { square, .. } => {
                Some(square)
            }
            Slot::Other => None,
        }
    }
}

/// How the arguments of one kind of move refer to the board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MovePattern {
    /// The move's function symbol.
    pub name: String,
    /// The number of arguments of the move.
    pub arity: usize,
    /// For each argument that holds a constant, its path and its meaning.
    pub slots: Vec<(Vec<usize>, Slot)>,
    /// The number of squares that the move names.
    pub squares: usize,
    /// The group of each of the move's squares, as an index into [`BoardModel::groups`].
    pub groups: Vec<usize>,
}

/// The board of a game: axes, layers, owners of pieces, and patterns of moves.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BoardModel {
    /// The kind of picture.
    pub kind: Kind,
    /// The names of the roles, in role order.
    pub roles: Vec<String>,
    /// The axis from left to right. Empty if there is no board.
    pub columns: Axis,
    /// The axis from top to bottom. Empty if there is no board; one empty value for a track.
    pub rows: Axis,
    /// The axes that tell several boards apart, outermost first. There are at most two.
    pub index: Vec<Axis>,
    /// For each group, the name of its relation. A group consists of the boards that one relation describes.
    /// Most games have one group; there is no group if there is no board.
    pub groups: Vec<String>,
    /// Whether the board shows towers of things. Each column is then a tower, named by its base, and each row is
    /// a height. Such a board has one layer. Each fact of the layer says that one thing stands on another:
    /// [`Layer::content`] selects the upper one, [`Layer::x`] the thing or base below it.
    #[serde(default)]
    pub stacked: bool,
    /// The fluents on the board. The first one is the board itself. The others are drawn above it.
    pub layers: Vec<Layer>,
    /// The pairs of fluents that are read as one fluent, which is the one in [`BoardModel::layers`].
    #[serde(default)]
    pub fusions: Vec<Fusion>,
    /// The fluents whose facts put up walls along a line of squares.
    #[serde(default)]
    pub barriers: Vec<Barrier>,
    /// The walls that never change: a square and the side of it on which the wall stands, as a step to the right and a
    /// step down.
    #[serde(default)]
    pub fences: Vec<(Square, [i32; 2])>,
    /// The squares on which nothing can ever stand, sorted.
    pub holes: Vec<Square>,
    /// The contents that belong to roles. Maps each such content, for example `wp`, to the index of its role.
    pub owners: BTreeMap<String, usize>,
    /// Maps contents to the glyphs that are drawn for them. All other contents are drawn by labels made of
    /// their names.
    pub glyphs: BTreeMap<String, String>,
    /// Whether squares alternate between light and dark.
    pub chequered: bool,
    /// If squares alternate: whether those are dark whose row and column add up to an odd number (1) or to an even
    /// number (0).
    #[serde(default = "odd")]
    pub dark: usize,
    /// The shape of the squares.
    #[serde(default)]
    pub cell: Cell,
    /// The centres of the squares of one board, in units of a hundredth of a square's width, row by row. Empty if the
    /// squares lie in rows and columns.
    #[serde(default)]
    pub places: Vec<[i32; 2]>,
    /// Whether several boards are the parts of one large board.
    #[serde(default)]
    pub joined: bool,
    /// The number of squares along the side of a box, if lines divide the board into boxes; otherwise 0.
    #[serde(default)]
    pub boxes: usize,
    /// The role that has to connect each side of the board to the opposite one, or the content that does: of the top,
    /// right, bottom and left side.
    #[serde(default)]
    pub sides: [Option<String>; 4],
    /// The contents that stand for blocked squares: they belong to no role and never move.
    #[serde(default)]
    pub blocks: BTreeSet<String>,
    /// The contents that belong to no role, come in the course of play and stay, and that are no blocked squares: trails.
    #[serde(default)]
    pub trails: BTreeSet<String>,
    /// The contents that turn into each other by themselves until the last one goes away, the first of them first: lights
    /// that go out.
    #[serde(default)]
    pub fading: Vec<String>,
    /// If each square holds a value that stays and a state that play changes: the state of squares that are left as they
    /// are, and that of shaded squares.
    #[serde(default)]
    pub shades: Option<[String; 2]>,
    /// The sizes of things that stand on each other, always a smaller one on a larger one, in percent of the largest.
    #[serde(default)]
    pub sizes: BTreeMap<String, u8>,
    /// For each role, whether its men point up (-1) or down (1). Empty if men do not point anywhere.
    #[serde(default)]
    pub ahead: Vec<i32>,
    /// The colour of each role, as `#rrggbb`.
    #[serde(default)]
    pub colours: Vec<String>,
    /// The fluents beside the board.
    pub side: Vec<Side>,
    /// The moves that name squares.
    pub moves: Vec<MovePattern>,
}

fn odd() -> usize {
    1
}

impl Layer {
    /// Whether the marks of the layer do not stand for things. This holds if the layer marks only the empty
    /// squares: `(blank a)` says that nothing is on `a`, while `(ecks b)` puts a thing on `b`. It also holds
    /// if the layer marks all squares.
    pub(crate) fn marks_nothing(&self) -> bool {
        self.ground
            || self.content.is_empty()
                && matches!(self.relation.as_str(), "blank" | "empty" | "free" | "none")
    }
}

/// Two fluents that are read as one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fusion {
    /// The names of the fluent that holds the column and of the one that holds the row.
    pub parts: [String; 2],
    /// The number of arguments of each of the two.
    pub arity: usize,
    /// The index of the argument, from 0, that is the coordinate. The other arguments name the owner.
    pub argument: usize,
}

/// A fluent whose facts shut ways from one line of squares to the next.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Barrier {
    /// The fluent's function symbol.
    pub relation: String,
    /// The number of arguments of the fluent.
    pub arity: usize,
    /// Where a fact names its board: one coordinate for each axis of [`BoardModel::index`].
    pub index: Vec<Coordinate>,
    /// Where a fact names its line, which is a column if [`Barrier::upright`] is set, and a row if not.
    pub line: Coordinate,
    /// Whether the line is a column.
    pub upright: bool,
    /// Where a fact has its content.
    pub content: Coordinate,
    /// For each content, where the ways are shut: values of the axis along the line.
    pub shut: BTreeMap<String, BTreeSet<String>>,
    /// The side of the line on which the barrier stands: a step to the right and a step down.
    pub side: [i32; 2],
}

impl BoardModel {
    /// The axis of lines of squares, which are columns if they are `upright` and rows if not, and the axis along them.
    pub(crate) fn line_axes(&self, upright: bool) -> (&Axis, &Axis) {
        if upright { (&self.columns, &self.rows) } else { (&self.rows, &self.columns) }
    }

    /// The number of boards, at least 1.
    pub fn board_count(&self) -> usize {
        self.groups.len().max(1) * self.index.iter().map(|axis| axis.values.len()).product::<usize>()
    }

    /// The index, from 0, of one board. `group` is the index of its group in [`BoardModel::groups`]. `index`
    /// holds its position on each axis of [`BoardModel::index`].
    pub(crate) fn board_number(&self, group: usize, index: &[usize]) -> usize {
        self.index.iter().zip(index).fold(group, |number, (axis, &at)| number * axis.values.len() + at)
    }

    /// Whether holes are drawn as squares on which nothing stands, because they are the light squares of a chequered
    /// board.
    pub fn is_grounded(&self) -> bool {
        let light = |square: &Square| (square.row + square.column) % 2 != self.dark;
        let squares = self.board_count() * self.columns.values.len() * self.rows.values.len();
        self.chequered && self.holes.len() * 5 >= squares * 2 && self.holes.iter().all(light)
    }

    /// A text that distinguishes the board with the index `number` from the other boards. It consists of the
    /// name of the board's group, if there are several groups, and the board's value on each axis of
    /// [`BoardModel::index`]. Empty if there is a single board.
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

    /// The name of a square, such as `c 4`: the name of its board and its coordinates.
    pub fn square_name(&self, square: Square) -> String {
        let column = self.columns.values.get(square.column).map_or("", String::as_str);
        let row = self.rows.values.get(square.row).map_or("", String::as_str);
        let board = self.board_name(square.board);
        let parts = [board.as_str(), column, row];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}
