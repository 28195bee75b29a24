//! The places of squares in a drawing. A place is the centre of a square, in units of which the width of a square
//! has [`UNIT`]. The y axis points down.

use crate::model::{BoardModel, Cell, Square};
use serde::Serialize;

/// The width of a square.
pub const UNIT: i32 = 100;
/// The room for the coordinates at the left and below a board.
const RIM: i32 = 36;
/// The room around a board without coordinates.
const MARGIN: i32 = 10;
/// The room between boards, and between boards that are the parts of one board.
const GAP: i32 = 70;
const SEAM: i32 = 14;
/// The room for the name of a board above it.
const TITLE: i32 = 44;
/// A track with more squares than this takes several lines.
const LINE: usize = 12;

/// `number` as a signed number, for the arithmetic of places.
pub(crate) fn signed(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// The places of all squares, and the size of the drawing.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Scene {
    /// The width of the drawing.
    pub width: i32,
    /// The height of the drawing.
    pub height: i32,
    /// The centre of each square, in the order of [`crate::Position::squares`].
    pub places: Vec<[i32; 2]>,
    /// The shape of the squares.
    pub cell: Cell,
    /// The texts beside and above the boards: names of columns, rows and boards, each with its centre.
    pub texts: Vec<(String, [i32; 2])>,
}

/// The places of the squares of one board, and its size.
struct Block {
    places: Vec<[i32; 2]>,
    size: [i32; 2],
    texts: Vec<(String, [i32; 2])>,
}

impl BoardModel {
    /// The places of the squares of all boards.
    ///
    /// # Examples
    /// ```
    /// use ggp_game::Game;
    /// let rules = b"(role a) (row 1) (row 2) (init (at 1 1 a)) (<= (base (at ?x ?y a)) (row ?x) (row ?y))
    ///     (<= (legal a (go ?x ?y)) (row ?x) (row ?y)) (<= (next (at ?x ?y a)) (does a (go ?x ?y)))
    ///     (<= terminal (true (at 2 2 a))) (goal a 0)";
    /// let model = ggp_view::infer(&Game::new(ggp_gdl::parse(rules).unwrap()).unwrap(), &[]);
    /// let places = model.scene().places;
    /// assert_eq!(places[1][0] - places[0][0], ggp_view::UNIT);
    /// ```
    pub fn scene(&self) -> Scene {
        let boards = self.board_count();
        let block = self.block();
        let named = boards > 1 && !self.joined;
        let title = if named { TITLE } else { 0 };
        let gap = if self.joined { SEAM } else { GAP };
        let across = self.boards_across();
        let mut scene = Scene { width: 0, height: 0, places: Vec::new(), cell: self.cell, texts: Vec::new() };
        for board in 0..boards {
            let (column, row) = (signed(board % across), signed(board / across));
            let at = [column * (block.size[0] + gap), row * (block.size[1] + gap + title) + title];
            let moved = |place: &[i32; 2]| [place[0] + at[0], place[1] + at[1]];
            scene.places.extend(block.places.iter().map(moved));
            if named {
                let centre = [at[0] + block.size[0] / 2, at[1] - TITLE / 2];
                scene.texts.push((self.board_name(board), centre));
            }
            if !self.joined {
                scene.texts.extend(block.texts.iter().map(|(text, place)| (text.clone(), moved(place))));
            }
            scene.width = scene.width.max(at[0] + block.size[0]);
            scene.height = scene.height.max(at[1] + block.size[1]);
        }
        scene
    }

    /// The number of boards side by side.
    fn boards_across(&self) -> usize {
        let boards = self.board_count();
        if self.joined {
            return (1..=boards).find(|side| side * side >= boards).unwrap_or(1);
        }
        let [width, height] = [self.columns.values.len(), self.rows.values.len()];
        // The drawing comes near to a square.
        let shape = |across: usize| {
            let (wide, high) =
                ((across * (width + 1)) as f64, (boards.div_ceil(across) * (height + 1)) as f64);
            (wide / high / 1.3).ln().abs()
        };
        (1..=boards).min_by(|&a, &b| shape(a).total_cmp(&shape(b))).unwrap_or(1)
    }

    fn block(&self) -> Block {
        let (width, height) = (self.columns.values.len(), self.rows.values.len());
        if !self.places.is_empty() {
            return self.placed();
        }
        let track = self.layers.iter().all(|layer| layer.y.is_none()) && !self.stacked;
        let line = if track && width > LINE { width.div_ceil(width.div_ceil(LINE)) } else { width };
        let left = if track || self.joined { MARGIN } else { RIM };
        let top = MARGIN;
        let pitch = if track { UNIT + RIM } else { UNIT };
        let mut block = Block { places: Vec::new(), size: [0, 0], texts: Vec::new() };
        for row in 0..height {
            for column in 0..width {
                let (across, down) = (column % line.max(1), row + column / line.max(1));
                let place = [left + signed(across) * UNIT + UNIT / 2, top + signed(down) * pitch + UNIT / 2];
                block.places.push(place);
                if track {
                    block.texts.push((
                        self.columns.values[column].clone(),
                        [place[0], place[1] + UNIT / 2 + RIM / 2],
                    ));
                }
            }
        }
        let right = block.places.iter().map(|p| p[0]).max().unwrap_or(0) + UNIT / 2;
        let bottom = block.places.iter().map(|p| p[1]).max().unwrap_or(0) + UNIT / 2;
        let named = !track && !self.joined;
        if named {
            for (row, name) in self.rows.values.iter().enumerate() {
                block.texts.push((name.clone(), [left / 2, top + signed(row) * UNIT + UNIT / 2]));
            }
            for (column, name) in self.columns.values.iter().enumerate() {
                block.texts.push((name.clone(), [left + signed(column) * UNIT + UNIT / 2, bottom + RIM / 2]));
            }
        }
        block.size = [right + MARGIN, bottom + if named || track { RIM } else { MARGIN }];
        block
    }

    /// The block of a board whose squares have places of their own.
    fn placed(&self) -> Block {
        let existing = |number: &usize| {
            let width = self.columns.values.len().max(1);
            let square = Square { board: 0, row: number / width, column: number % width };
            self.holes.binary_search(&square).is_err()
        };
        let half = UNIT * 6 / 10;
        let drawn = || (0..self.places.len()).filter(existing).map(|number| self.places[number]);
        let least = [0, 1].map(|axis| drawn().map(|place| place[axis]).min().unwrap_or(0) - half - MARGIN);
        let most = [0, 1].map(|axis| drawn().map(|place| place[axis]).max().unwrap_or(0) + half + MARGIN);
        let places = self.places.iter().map(|place| [place[0] - least[0], place[1] - least[1]]).collect();
        let places: Vec<[i32; 2]> = places;
        let track = self.layers.iter().all(|layer| layer.y.is_none()) && self.cell == Cell::Square;
        let names = self.columns.values.iter().zip(&places).filter(|_| track);
        let texts =
            names.map(|(name, place)| (name.clone(), [place[0] - UNIT * 2 / 5, place[1] - UNIT * 2 / 5]));
        let texts = texts.collect();
        Block { places, size: [most[0] - least[0], most[1] - least[1]], texts }
    }
}
