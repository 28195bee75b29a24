//! Positions: the tokens of a state on the squares of a board, and the facts beside the board.

use crate::fusion::fused;
use crate::model::{Axis, Barrier, BoardModel, Coordinate, Layer, SideKind, Square};
use crate::scene::signed;
use crate::term::at;
use ggp_game::Fact;
use ggp_game::split_term;
use rustc_hash::FxHashMap;
use serde::Serialize;

/// A token: a thing on a square.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Token {
    /// The values of the content, such as `white` and `pawn`; empty for a mark.
    pub content: Vec<String>,
    /// The index of the role that owns the token. `None` if no role owns it.
    pub owner: Option<usize>,
    /// The index of the layer from which the token comes.
    pub layer: usize,
    /// The probability in percent, 1 to 99, that the token is on its square; `None` if it is certain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent: Option<u8>,
}

/// A fact that may be true.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Possible {
    /// The fact.
    pub fact: String,
    /// The probability, in percent from 1 to 99, that the fact is true.
    pub percent: u8,
}

/// The facts of one fluent that are shown beside the board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Beside {
    /// The name of the fluent.
    pub relation: String,
    /// The kind of the fluent.
    pub kind: SideKind,
    /// The arguments of each fact of the fluent, in the order of the facts. For a flag that holds, there is
    /// one empty list.
    pub rows: Vec<Vec<String>>,
}

/// A line: an edge between two squares, or a wall on a side of a square.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Line {
    /// The square where the edge begins, or on whose side the wall stands.
    pub from: Square,
    /// The square where the edge ends. `None` for a wall.
    pub to: Option<Square>,
    /// The side of the square on which the wall stands: a step to the right and a step down.
    pub side: [i32; 2],
    /// The index of the role that owns the line.
    pub owner: Option<usize>,
    /// If the line is a sign between two squares: whether the value of `from` is the greater one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compares: Option<bool>,
}

/// A state as it is drawn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Position {
    /// The tokens on each square, those of the bottom layer first. Empty contents are left out. Squares are
    /// ordered by board, then from top to bottom, then from left to right. A fact that draws a line has a token, too, for
    /// drawings without lines ([`BoardModel::draws_lines`]).
    pub squares: Vec<Vec<Token>>,
    /// The lines between and beside squares.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Line>,
    /// The facts beside the board, in the order of [`BoardModel::side`]. Fluents that are not in the model
    /// come last.
    pub side: Vec<Beside>,
    /// The facts that may be true, on the board and beside it, the most probable first. Empty if the whole
    /// state is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub possible: Vec<Possible>,
}

impl Line {
    /// A wall that belongs to no role, on a side of `from`.
    pub(crate) fn wall(from: Square, side: [i32; 2]) -> Line {
        Line { from, to: None, side, owner: None, compares: None }
    }
}

impl BoardModel {
    /// The index of `square` in [`Position::squares`].
    pub fn square_number(&self, square: Square) -> usize {
        let columns = self.columns.values.len();
        (square.board * self.rows.values.len() + square.row) * columns + square.column
    }

    /// The square of a fact of `layer`. The function `value` gives the text that the fact has at a
    /// coordinate. `None` if the fact is not on the board.
    pub(crate) fn square_at<'a>(
        &self,
        layer: &Layer,
        value: impl Fn(&Coordinate) -> Option<&'a str>,
    ) -> Option<Square> {
        let column = self.columns.position(value(&layer.x)?)?;
        let row = match &layer.y {
            Some(y) => self.rows.position(value(y)?)?,
            None => 0,
        };
        let mut index = Vec::with_capacity(self.index.len());
        for (axis, coordinate) in self.index.iter().zip(&layer.index) {
            index.push(axis.position(value(coordinate)?)?);
        }
        if index.len() < self.index.len() {
            return None;
        }
        Some(Square { board: self.board_number(layer.group, &index), row, column })
    }

    /// Places `facts` on the board and beside it.
    pub fn place(&self, facts: &[Fact]) -> Position {
        let count = self.board_count() * self.rows.values.len() * self.columns.values.len();
        let mut squares: Vec<Vec<Token>> = vec![Vec::new(); count];
        let mut side: Vec<Beside> = self
            .side
            .iter()
            .map(|side| Beside { relation: side.relation.clone(), kind: side.kind, rows: Vec::new() })
            .collect();
        let mut beside: FxHashMap<(&str, usize), usize> =
            self.side.iter().enumerate().map(|(i, s)| ((s.relation.as_str(), s.arity), i)).collect();
        let mut towers: Vec<&str> = Vec::new();
        let mut lines: Vec<Line> = Vec::new();
        lines.extend(self.fences.iter().map(|&(from, side)| Line::wall(from, side)));
        let facts = fused(&self.fusions, facts);
        for fact in &*facts {
            let text = fact.as_str();
            let (function, arguments) = split_term(text);
            let is_layer = |l: &Layer| l.relation == function && l.arity == arguments.len();
            if self.stacked && self.layers.iter().any(is_layer) {
                towers.push(text);
                continue;
            }
            let line = self.line(text);
            let mut placed = line.is_some();
            lines.extend(line);
            lines.extend(self.barriers.iter().flat_map(|barrier| barrier.walls(self, text)));
            for (square, token) in self.tokens(text) {
                placed = true;
                squares[square].extend(token);
            }
            // A wall beyond the board stands on its rim.
            let is_wall = || self.layers.iter().any(|layer| is_layer(layer) && !layer.walls.is_empty());
            if !placed && !is_wall() {
                let at = *beside.entry((function, arguments.len())).or_insert_with(|| {
                    side.push(Beside {
                        relation: function.to_owned(),
                        kind: SideKind::Other,
                        rows: Vec::new(),
                    });
                    side.len() - 1
                });
                side[at].rows.push(arguments.into_iter().map(str::to_owned).collect());
            }
        }
        if self.stacked {
            self.pile(&towers, &mut squares);
        }
        for tokens in &mut squares {
            tokens.sort_by_key(|token| token.layer);
        }
        side.retain(|beside| !beside.rows.is_empty());
        Position { squares, lines, side, possible: Vec::new() }
    }

    /// Places what a role knows. The facts of `certain` are placed as by [`BoardModel::place`]. Each fact of
    /// `possible` is given with the probability that it is true. All of these are listed in
    /// [`Position::possible`]; those on the board, except on towers, are placed on their squares too.
    ///
    /// # Examples
    /// ```
    /// use ggp_game::{Fact, Game};
    /// use ggp_view::infer;
    /// let rules = b"(role a) (row 1) (row 2) (init (at 1 1 a)) (<= (base (at ?x ?y a)) (row ?x) (row ?y))
    ///     (<= (legal a (go ?x ?y)) (row ?x) (row ?y)) (<= (next (at ?x ?y a)) (does a (go ?x ?y)))
    ///     (<= terminal (true (at 2 2 a))) (goal a 0)";
    /// let model = infer(&Game::new(ggp_gdl::parse(rules).unwrap()).unwrap(), &[]);
    /// let there = (Fact::new("(at 2 1 a)").unwrap(), 0.25);
    /// let known = model.place_known(&[], &[there]);
    /// let percents: Vec<_> = known.squares.iter().flatten().map(|token| token.percent).collect();
    /// assert_eq!(percents, [Some(25)]);
    /// assert_eq!(known.possible[0].fact, "(at 2 1 a)");
    /// ```
    pub fn place_known(&self, certain: &[Fact], possible: &[(Fact, f64)]) -> Position {
        let mut position = self.place(certain);
        let percent = |share: f64| (share * 100.0).round().clamp(1.0, 99.0) as u8;
        for (fact, share) in possible {
            if !self.stacked {
                for (square, token) in self.tokens(fact.as_str()) {
                    let token = token.map(|token| Token { percent: Some(percent(*share)), ..token });
                    position.squares[square].extend(token);
                }
            }
            position.possible.push(Possible { fact: fact.as_str().to_owned(), percent: percent(*share) });
        }
        position.squares.iter_mut().for_each(|tokens| tokens.sort_by_key(|token| token.layer));
        position.possible.sort_by(|a, b| b.percent.cmp(&a.percent).then_with(|| a.fact.cmp(&b.fact)));
        position
    }

    /// The squares on which the fact `text` lies, given as indices of [`Position::squares`], each with the token
    /// that the fact puts there, if any. A fact beside the board lies on no square.
    fn tokens<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, Option<Token>)> + 'a {
        let (function, arguments) = split_term(text);
        let arity = arguments.len();
        let layers = self.layers.iter().enumerate();
        layers.filter(move |(_, layer)| layer.relation == function && layer.arity == arity).filter_map(
            move |(number, layer)| {
                let square = self.square_at(layer, |coordinate| coordinate.read(text))?;
                Some((self.square_number(square), self.token(layer, number, text)))
            },
        )
    }

    /// Whether the facts of the layer with the index `layer` are drawn as lines.
    pub fn draws_lines(&self, layer: usize) -> bool {
        self.layers.get(layer).is_some_and(|layer| layer.to.is_some() || !layer.walls.is_empty())
    }

    /// The line that the fact `text` draws, if any. A wall of a square next to the board stands on the rim of the board.
    fn line(&self, text: &str) -> Option<Line> {
        let (function, arguments) = split_term(text);
        let layer = self.layers.iter().find(|l| l.relation == function && l.arity == arguments.len())?;
        let owner =
            layer.content.iter().filter_map(|c| at(text, &c.path)).find_map(|value| self.owner(value));
        if let Some([x, y]) = &layer.to {
            let from = self.square_at(layer, |coordinate| coordinate.read(text))?;
            let column = self.columns.position(x.read(text)?)?;
            let row = self.rows.position(y.read(text)?)?;
            let to = Square { row, column, ..from };
            let step = [signed(to.column) - signed(from.column), signed(to.row) - signed(from.row)];
            if !self.fences.is_empty() && step[0].abs() + step[1].abs() == 1 {
                // What lies between two squares of a maze is a door.
                return Some(Line { owner, ..Line::wall(from, step) });
            }
            let to = Some(to);
            return Some(Line { from, to, side: [0, 0], owner, compares: None });
        }
        let content: Vec<&str> = layer.content.iter().filter_map(|c| at(text, &c.path)).collect();
        let side = *layer.walls.get(&content.join(" "))?;
        let column = self.columns.position(layer.x.read(text)?);
        let row = self.rows.position(layer.y.as_ref()?.read(text)?);
        let far = |axis: &Axis, step: i32| if step > 0 { 0 } else { axis.values.len() - 1 };
        let (column, row, side) = match (column, row, side) {
            (Some(column), Some(row), side) => (column, row, side),
            (None, Some(row), [x, 0]) if x != 0 => (far(&self.columns, x), row, [-x, 0]),
            (Some(column), None, [0, y]) if y != 0 => (column, far(&self.rows, y), [0, -y]),
            _ => return None,
        };
        Some(Line { from: Square { board: 0, row, column }, to: None, side, owner, compares: layer.compares })
    }

    /// The index of the role that owns the content `value`.
    fn owner(&self, value: &str) -> Option<usize> {
        self.roles.iter().position(|role| role == value).or_else(|| self.owners.get(value).copied())
    }

    /// The token that a fact of the layer with index `number` puts on its square. `None` if the content means
    /// an empty square. Also `None` if there are several layers and the marks of this one show no thing
    /// ([`Layer::marks_nothing`]).
    fn token(&self, layer: &Layer, number: usize, fact: &str) -> Option<Token> {
        let content: Vec<String> =
            layer.content.iter().filter_map(|c| at(fact, &c.path)).map(str::to_owned).collect();
        let nothing = layer.empty.is_some() && content.first() == layer.empty.as_ref();
        if nothing || layer.marks_nothing() && self.layers.len() > 1 {
            return None;
        }
        let by_role = content.iter().find_map(|value| self.roles.iter().position(|role| role == value));
        let owner = by_role.or_else(|| content.iter().find_map(|value| self.owners.get(value).copied()));
        Some(Token { content, owner, layer: number, percent: None })
    }
}
impl Barrier {
    /// The walls that the fact `text` puts up on the board of `model`.
    fn walls(&self, model: &BoardModel, text: &str) -> Vec<Line> {
        let walls = || -> Option<Vec<Line>> {
            let (function, arguments) = split_term(text);
            if function != self.relation || arguments.len() != self.arity {
                return None;
            }
            let (lines, along) = model.line_axes(self.upright);
            let line = lines.position(self.line.read(text)?)?;
            let index = model.index.iter().zip(&self.index);
            let index: Option<Vec<usize>> =
                index.map(|(axis, coordinate)| axis.position(coordinate.read(text)?)).collect();
            let board = model.board_number(0, &index?);
            let wall = |place: usize| {
                let (column, row) = if self.upright { (line, place) } else { (place, line) };
                Line::wall(Square { board, row, column }, self.side)
            };
            let shut = self.shut.get(self.content.read(text)?)?;
            Some(shut.iter().filter_map(|value| along.position(value)).map(wall).collect())
        };
        walls().unwrap_or_default()
    }
}
