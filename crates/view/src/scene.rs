//! The places of squares in a drawing. A place is the centre of a square, in units of which the width of a square
//! has [`UNIT`]. The y axis points down.

use crate::model::{BoardModel, Cell, Square};
use serde::Serialize;

/// The width of a square.
pub const UNIT: i32 = 100;
/// The room around a board without coordinates.
const MARGIN: i32 = 10;
/// The room between boards, and between boards that are the parts of one board.
const GAP: i32 = 40;
const SEAM: i32 = 14;
/// The size of names is this share of the longer side of a drawing, but no less than [`LEAST`], so that they can be read
/// on a small drawing.
const SHARE: i32 = 25;
const LEAST: i32 = 22;
/// The width of a character in a hundredth of the size of the text.
const CHARACTER: i32 = 62;
/// A track with more squares than this takes several lines.
const LINE: usize = 12;
/// A board that is at least this high, and this many times as high as wide, is drawn in several strips.
const HIGH: usize = 10;
const NARROW: usize = 5;

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
    /// The texts beside and above the boards: names of columns, rows and boards, each with its centre and its size.
    pub texts: Vec<(String, [i32; 2], i32)>,
}

/// The places of the squares of one board, and its size.
struct Block {
    places: Vec<[i32; 2]>,
    size: [i32; 2],
    texts: Vec<(String, [i32; 2], i32)>,
}

/// The width of a text.
fn wide(text: &str, font: i32) -> i32 {
    signed(text.chars().count()) * font * CHARACTER / 100
}

/// The width and the height of boards in lines that begin with the boards `lines`, with `gap` between them.
fn size_of(blocks: &[Block], lines: &[usize], gap: i32) -> [i32; 2] {
    let ends = lines.iter().skip(1).copied().chain([blocks.len()]);
    let sizes = lines.iter().zip(ends).map(|(&start, end)| {
        let line = &blocks[start..end];
        let wide: i32 = line.iter().map(|block| block.size[0] + gap).sum();
        [wide, line.iter().map(|block| block.size[1]).max().unwrap_or(0) + gap]
    });
    sizes.fold([0, 0], |all, line| [all[0].max(line[0]), all[1] + line[1]])
}

/// The size of `text` in a room of the width `room`: at most `font`.
fn fitting(text: &str, font: i32, room: i32) -> i32 {
    font.min(room * 100 / CHARACTER / signed(text.chars().count()).max(1)).max(LEAST / 2)
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
        let named = boards > 1 && !self.joined;
        let gap = if self.joined { SEAM } else { GAP };
        let blocks = |font: i32| (0..boards).map(|board| self.block(font, board)).collect::<Vec<Block>>();
        let rough = blocks(LEAST);
        let lines = self.first_in_lines(&rough);
        let [wide, high] = size_of(&rough, &lines, 0);
        let font = (wide.max(high) / SHARE).max(LEAST);
        let blocks = blocks(font);
        let title = if named { font * 16 / 10 } else { 0 };
        let mut scene = Scene { width: 0, height: 0, places: Vec::new(), cell: self.cell, texts: Vec::new() };
        let mut at = [0, title];
        for (board, block) in blocks.iter().enumerate() {
            if board > 0 && lines.contains(&board) {
                at = [0, scene.height + gap + title];
            }
            let moved = |place: &[i32; 2]| [place[0] + at[0], place[1] + at[1]];
            scene.places.extend(block.places.iter().map(moved));
            if named {
                let centre = [at[0] + block.size[0] / 2, at[1] - title / 2];
                let name = crate::term::words(&self.board_name(board));
                let size = fitting(&name, font, block.size[0] + gap);
                scene.texts.push((name, centre, size));
            }
            if !self.joined {
                let texts = block.texts.iter();
                scene.texts.extend(texts.map(|(text, place, size)| (text.clone(), moved(place), *size)));
            }
            scene.width = scene.width.max(at[0] + block.size[0]);
            scene.height = scene.height.max(at[1] + block.size[1]);
            at[0] += block.size[0] + gap;
        }
        scene
    }

    /// The numbers of the boards with which lines of boards begin. Boards of different sizes fill lines of about one width.
    fn first_in_lines(&self, blocks: &[Block]) -> Vec<usize> {
        if blocks.iter().all(|block| block.size == blocks[0].size) {
            return (0..blocks.len()).step_by(self.boards_across(blocks[0].size)).collect();
        }
        let filled = |most: i32| {
            let (mut lines, mut width) = (vec![0], 0);
            for (board, block) in blocks.iter().enumerate() {
                if width > 0 && width + block.size[0] > most {
                    lines.push(board);
                    width = 0;
                }
                width += block.size[0];
            }
            lines
        };
        let widths = (1..=blocks.len()).map(|count| blocks[..count].iter().map(|block| block.size[0]).sum());
        let shape = |lines: &Vec<usize>| {
            let [wide, high] = size_of(blocks, lines, GAP);
            (f64::from(wide) / f64::from(high)).ln().abs()
        };
        widths.map(filled).min_by(|a, b| shape(a).total_cmp(&shape(b))).unwrap_or_default()
    }

    /// The number of boards side by side, each of `size` if its squares have places of their own.
    fn boards_across(&self, size: [i32; 2]) -> usize {
        let boards = self.board_count();
        if self.joined {
            return (1..=boards).find(|side| side * side >= boards).unwrap_or(1);
        }
        let [width, height] = if self.places.is_empty() {
            [self.columns.values.len(), self.rows.values.len()].map(|count| (count + 1) as f64)
        } else {
            size.map(f64::from)
        };
        // The drawing comes near to a square.
        let shape = |across: usize| {
            let (wide, high) = (across as f64 * width, boards.div_ceil(across) as f64 * height);
            (wide / high / 1.05).ln().abs()
        };
        (1..=boards).min_by(|&a, &b| shape(a).total_cmp(&shape(b))).unwrap_or(1)
    }

    /// The places of one board with names of the size `font`.
    fn block(&self, font: i32, board: usize) -> Block {
        if !self.places.is_empty() {
            return self.placed();
        }
        let track = self.layers.iter().all(|layer| layer.y.is_none()) && !self.stacked;
        if track { self.track(font) } else { self.grid(font, board) }
    }

    /// A track in lines of equal length, with the name of each square below it.
    fn track(&self, font: i32) -> Block {
        let width = self.columns.values.len();
        let line = if width > LINE { width.div_ceil(width.div_ceil(LINE)) } else { width };
        let pitch = UNIT + font * 14 / 10;
        let mut block = Block { places: Vec::new(), size: [0, 0], texts: Vec::new() };
        for (column, name) in self.columns.values.iter().enumerate() {
            let (across, down) = (signed(column % line), signed(column / line));
            let place = [MARGIN + across * UNIT + UNIT / 2, MARGIN + down * pitch + UNIT / 2];
            block.places.push(place);
            let centre = [place[0], place[1] + (pitch) / 2];
            block.texts.push((name.clone(), centre, fitting(name, font, UNIT)));
        }
        block.size =
            [signed(line) * UNIT + 2 * MARGIN, signed(width.div_ceil(line.max(1))) * pitch + 2 * MARGIN];
        block
    }

    /// A board of rows and columns, in several strips if it is high and narrow. Lines at its edges without any squares are
    /// left out.
    fn grid(&self, font: i32, board: usize) -> Block {
        let (columns, rows) = (self.used(board, false), self.used(board, true));
        let strip = rows.len().div_ceil(self.strips(columns.len(), rows.len()));
        let (names, labels) =
            (self.names(&self.rows.values, rows.clone()), self.names(&self.columns.values, columns.clone()));
        let longest = names.iter().map(|name| wide(name, font)).max().unwrap_or(0);
        // Names of rows take no more room than the squares.
        let most = signed(columns.len()) * UNIT;
        let font_of_rows = if longest > most { (font * most / longest).max(LEAST / 2) } else { font };
        let left = names.iter().map(|name| wide(name, font_of_rows)).max().map_or(MARGIN, |wide| wide + font);
        let pitch = left + signed(columns.len()) * UNIT + MARGIN;
        let bottom = MARGIN + signed(strip) * UNIT;
        let place = |row: usize, column: usize| {
            let row = signed(row) - signed(rows.start);
            let column = signed(column) - signed(columns.start);
            let number =
                (row / signed(strip).max(1)).clamp(0, signed(rows.len().saturating_sub(1) / strip.max(1)));
            let down = row - number * signed(strip);
            [number * pitch + left + column * UNIT + UNIT / 2, MARGIN + down * UNIT + UNIT / 2]
        };
        let mut block = Block { places: Vec::new(), size: [0, 0], texts: Vec::new() };
        for row in 0..self.rows.values.len() {
            block.places.extend((0..self.columns.values.len()).map(|column| place(row, column)));
        }
        // 1. The names of the rows: not all of them if they are larger than a row.
        let every = usize::try_from((font_of_rows * 11 / 10).div_euclid(UNIT)).unwrap_or(0) + 1;
        for (number, name) in names.iter().enumerate().filter(|(number, _)| number % every == 0) {
            let [x, y] = place(rows.start + number, columns.start);
            let right = x - UNIT / 2 - font / 3;
            block.texts.push((name.clone(), [right - wide(name, font_of_rows) / 2, y], font_of_rows));
        }
        // 2. The names of the columns: in two lines if they are wider than a column.
        let longest = labels.iter().map(|name| wide(name, font)).max().unwrap_or(0);
        let is_number = labels.iter().all(|name| name.parse::<i64>().is_ok());
        let every = if is_number {
            usize::try_from((longest * 11 / 10).div_euclid(UNIT)).unwrap_or(0) + 1
        } else {
            1
        };
        let two = !is_number && longest > UNIT && labels.len() > 1;
        for start in (0..rows.len().max(1)).step_by(strip.max(1)) {
            for (number, name) in labels.iter().enumerate().filter(|(number, _)| number % every == 0) {
                let x = place(rows.start + start, columns.start + number)[0];
                let down = if two && number % 2 == 1 { font * 12 / 10 } else { 0 };
                let room = if two { 2 * UNIT - font / 2 } else { signed(every) * UNIT };
                block.texts.push((
                    name.clone(),
                    [x, bottom + font * 7 / 10 + down],
                    fitting(name, font, room),
                ));
            }
        }
        let lines = if labels.is_empty() { 0 } else { i32::from(two) + 1 };
        let strips = signed(rows.len().div_ceil(strip.max(1)));
        let right = if two { font } else { 0 };
        block.size = [strips * pitch + right, bottom + MARGIN.max(lines * font * 13 / 10)];
        block
    }

    /// The rows, or the columns, of a board between the first and the last one with a square. Boards that are the parts of
    /// one board have the same ones.
    fn used(&self, board: usize, rows: bool) -> std::ops::Range<usize> {
        let axis = if rows { &self.rows } else { &self.columns };
        let across = if rows { &self.columns } else { &self.rows };
        let all = 0..axis.values.len();
        if self.holes.is_empty() || self.is_grounded() {
            return all;
        }
        let mut count = vec![0; axis.values.len()];
        for hole in self.holes.iter().filter(|hole| self.joined || hole.board == board) {
            if let Some(count) = count.get_mut(if rows { hole.row } else { hole.column }) {
                *count += 1;
            }
        }
        let full = across.values.len() * if self.joined { self.board_count() } else { 1 };
        let exists = |line: &usize| count[*line] < full;
        match (all.clone().find(exists), all.clone().rfind(exists)) {
            (Some(first), Some(last)) => first..last + 1,
            _ => all,
        }
    }

    /// The number of strips in which a board of `width` by `height` squares is drawn.
    fn strips(&self, width: usize, height: usize) -> usize {
        let whole = self.layers.iter().all(|layer| layer.to.is_none());
        if !whole || self.joined || self.stacked || height < HIGH || height < NARROW * width {
            return 1;
        }
        // The drawing comes near to a square.
        let shape = |strips: usize| {
            let (wide, high) = ((strips * (width + 1)) as f64, (height.div_ceil(strips) + 1) as f64);
            (wide / high).ln().abs()
        };
        (1..=height).min_by(|&a, &b| shape(a).total_cmp(&shape(b))).unwrap_or(1)
    }

    /// The names of some rows or columns. Towers need no names, except for bases on which they stand. Numbers after the
    /// same letter stand alone.
    fn names(&self, values: &[String], range: std::ops::Range<usize>) -> Vec<String> {
        let is_thing = |value: &String| self.layers[0].values.iter().flatten().any(|thing| thing == value);
        if self.joined || self.stacked && (values == self.rows.values || values.iter().any(is_thing)) {
            return Vec::new();
        }
        let parts: Option<Vec<(&str, &str)>> =
            values.iter().map(|value| crate::term::letters_and_number(value)).collect();
        let alike = parts.filter(|parts| parts.iter().all(|part| part.0.len() == 1 && part.0 == parts[0].0));
        let name = |number: usize| alike.as_ref().map_or(values[number].as_str(), |parts| parts[number].1);
        range.map(|number| crate::term::words(name(number))).collect()
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
        let texts = names
            .map(|(name, place)| (name.clone(), [place[0] - UNIT * 2 / 5, place[1] - UNIT * 2 / 5], LEAST));
        let texts = texts.collect();
        Block { places, size: [most[0] - least[0], most[1] - least[1]], texts }
    }
}
