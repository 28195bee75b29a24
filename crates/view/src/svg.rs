//! Drawing of a state as SVG. A drawing has three parts: the ground, which never changes, the lines between squares, and
//! the things on squares. A page can use each part alone.

use crate::change::Changes;
use crate::figure::{Stand, is_small};
use crate::label::Labels;
use crate::model::{BoardModel, Cell, Kind, Square};
use crate::position::{Line, Position, Token};
use crate::scene::{Scene, UNIT, signed};
use ggp_game::escaped;
use std::fmt::Write;

/// The largest number of things that are drawn on one square.
const MAX_TOKENS: usize = 9;

const LIGHT: &str = "var(--square, #e9dcc0)";
const DARK: &str = "var(--odd, #b08c62)";
const PIT: &str = "var(--pit, #6e4a2c)";
/// The lines between squares, as wide as a pixel at any size.
const SEAM: &str = r#"stroke="var(--seam, #0004)" vector-effect="non-scaling-stroke""#;
const LAST: &str = "var(--last, #e8c33f)";
const SOFT: &str = "var(--soft, #7a7467)";

impl BoardModel {
    /// Draws `position` as an SVG document, with the facts beside the board below it. What `last`, the difference to the
    /// position before, tells of the last move is marked.
    ///
    /// # Examples
    /// ```
    /// use ggp_game::{Fact, Game};
    /// let rules = b"(role red) (row 1) (row 2) (init (at 1 1 red)) (<= (base (at ?x ?y red)) (row ?x) (row ?y))
    ///     (<= (legal red (go ?x ?y)) (row ?x) (row ?y)) (<= (next (at ?x ?y red)) (does red (go ?x ?y)))
    ///     (<= terminal (true (at 2 2 red))) (goal red 0)";
    /// let model = ggp_view::infer(&Game::new(ggp_gdl::parse(rules).unwrap()).unwrap(), &[]);
    /// let position = model.place(&[Fact::new("(at 1 1 red)").unwrap()]);
    /// assert!(model.svg(&position, &ggp_view::Changes::default()).starts_with("<svg"));
    /// ```
    pub fn svg(&self, position: &Position, last: &Changes) -> String {
        if self.kind == Kind::Table {
            let ([width, height], elements) = self.page(position);
            return document(width, height, &elements);
        }
        let scene = self.scene();
        let labels = Labels::new(self, false);
        let mut board = self.ground(&scene);
        for square in last.squares() {
            if let Some(place) = scene.places.get(self.square_number(square)) {
                outline(&mut board, scene.cell, *place, &format!(r#"fill="{LAST}" opacity="0.5""#));
            }
        }
        board.push_str(&self.lines(position, &scene, &last.lines));
        let grounded = self.is_grounded();
        for (number, (tokens, place)) in position.squares.iter().zip(&scene.places).enumerate() {
            if !grounded && self.holes.binary_search(&self.square(number)).is_ok() {
                continue;
            }
            for (token, size, at) in self.arranged(tokens) {
                let picture = self.picture(token, &labels);
                let _ = write!(
                    board,
                    r#"<g transform="translate({} {}) scale({:.2})">{picture}</g>"#,
                    place[0] - UNIT / 2 + at[0],
                    place[1] - UNIT / 2 + at[1],
                    f64::from(size) / 100.0,
                );
            }
        }
        let mut captions = String::new();
        let (size, right) =
            self.write_captions(position, &labels, [scene.width, scene.height], &mut captions);
        if right > 0 {
            board = format!(r#"<g transform="translate({right} 0)">{board}</g>"#);
        }
        document(size[0], size[1], &(board + &captions))
    }

    /// The things on one square, each with its size and its place in the box of the square. A man stands on a place such as
    /// a door, and before other things; a mark lies in a corner.
    pub fn arranged<'a>(&self, tokens: &'a [Token]) -> Vec<(&'a Token, i32, [i32; 2])> {
        let things: Vec<&Token> =
            tokens.iter().filter(|token| !self.draws_lines(token.layer)).take(MAX_TOKENS).collect();
        let whole = share(self.cell, 0, 1);
        let mut below: Vec<&Token> = Vec::new();
        let mut men: Vec<&Token> = Vec::new();
        let mut items: Vec<&Token> = Vec::new();
        let mut marks: Vec<&Token> = Vec::new();
        for &token in &things {
            match self.role_of(token) {
                Stand::Ground => below.push(token),
                Stand::Man => men.push(token),
                Stand::Item => items.push(token),
                Stand::Mark => marks.push(token),
            }
        }
        if !men.is_empty() || !items.is_empty() {
            below.retain(|token| !self.is_hole(token));
        }
        let mut out: Vec<(&Token, i32, [i32; 2])> =
            below.iter().map(|token| (*token, whole.0, whole.1)).collect();
        // Of lights that go out, the one that lasts longest counts.
        if let Some(light) = items.iter().filter_map(|token| self.light(token)).min() {
            items.sort_by_key(|token| self.light(token) != Some(light));
            marks.splice(0..0, items.drain(1..));
        }
        if men.len() + items.len() == 0 {
            items = std::mem::take(&mut marks);
        }
        match (men.as_slice(), items.as_slice()) {
            (&[man], [_, ..]) => {
                for (number, item) in items.iter().take(2).enumerate() {
                    let size = whole.0 * 45 / 100;
                    out.push((
                        *item,
                        size,
                        [
                            UNIT - size - whole.1[0],
                            if number == 0 { whole.1[1] } else { UNIT - size - whole.1[1] },
                        ],
                    ));
                }
                out.push((man, whole.0 * 80 / 100, [whole.1[0] / 2, UNIT - whole.0 * 80 / 100 - whole.1[1]]));
            }
            (&[one, two], []) => {
                let size = whole.0 * 64 / 100;
                out.push((one, size, whole.1));
                out.push((two, size, [UNIT - size - whole.1[0], UNIT - size - whole.1[1]]));
            }
            _ => {
                let all = || men.iter().chain(&items);
                for (number, token) in all().enumerate() {
                    let (size, at) = share(self.cell, number, all().count());
                    out.push((*token, size, at));
                }
            }
        }
        for (number, mark) in marks.iter().enumerate() {
            let small = whole.0 > 60 && is_small(&mark.content.join(" "));
            let (size, at) = if small { (whole.0 * 9 / 10, [38, -20]) } else { corner(self.cell, number) };
            out.push((*mark, size, at));
        }
        out
    }

    /// How a thing stands on a square that it shares.
    fn role_of(&self, token: &Token) -> Stand {
        if token.content.is_empty() {
            return match self.layers.get(token.layer) {
                Some(layer) if layer.walker => Stand::Man,
                _ if self.is_stroke(token) => Stand::Item,
                _ => Stand::Mark,
            };
        }
        if self.blocks.contains(&token.content.join(" ")) { Stand::Ground } else { self.stand(token) }
    }

    /// The place of a light among those that go out.
    fn light(&self, token: &Token) -> Option<usize> {
        self.fading.iter().position(|value| token.content.first() == Some(value))
    }

    /// The squares, their frame and their names, as SVG elements.
    pub fn ground(&self, scene: &Scene) -> String {
        let mut out = String::new();
        let width = self.columns.values.len().max(1);
        let height = self.rows.values.len().max(1);
        let grounded = self.is_grounded();
        self.borders(scene, &mut out);
        for (number, place) in scene.places.iter().enumerate() {
            let square = Square {
                board: number / (width * height),
                row: number / width % height,
                column: number % width,
            };
            if self.holes.binary_search(&square).is_ok() && !grounded {
                continue;
            }
            let dark = self.chequered && (square.row + square.column) % 2 == self.dark;
            let fill = match scene.cell {
                Cell::Pit => PIT,
                _ if dark => DARK,
                _ => LIGHT,
            };
            match scene.cell {
                Cell::Dot => {
                    let _ =
                        write!(out, r#"<circle cx="{}" cy="{}" r="9" fill="{SOFT}"/>"#, place[0], place[1]);
                }
                // Light and dark squares need no lines.
                cell => {
                    let line = if self.chequered { "" } else { SEAM };
                    outline(&mut out, cell, *place, &format!(r#"fill="{fill}" {line}"#));
                }
            }
        }
        self.boxes(scene, &mut out);
        for (text, [x, y], size) in &scene.texts {
            let _ = write!(
                out,
                r#"<text x="{x}" y="{y}" text-anchor="middle" dominant-baseline="central" font-size="{size}" font-family="system-ui, sans-serif" fill="{SOFT}">{}</text>"#,
                escaped(text)
            );
        }
        out
    }

    /// The coloured sides of a board that roles connect.
    fn borders(&self, scene: &Scene, out: &mut String) {
        let width = self.columns.values.len();
        let height = self.rows.values.len();
        for (side, name) in self.sides.iter().enumerate() {
            let Some(colour) = name.as_ref().and_then(|name| self.colour_of(name)) else { continue };
            let squares: Vec<usize> = match side {
                0 => (0..width).collect(),
                1 => (0..height).map(|row| row * width + width - 1).collect(),
                2 => (0..width).map(|column| (height - 1) * width + column).collect(),
                _ => (0..height).map(|row| row * width).collect(),
            };
            let outward =
                [[0, -UNIT * 11 / 50], [UNIT * 11 / 50, 0], [0, UNIT * 11 / 50], [-UNIT * 11 / 50, 0]][side];
            for place in squares.iter().filter_map(|&number| scene.places.get(number)) {
                let place = [place[0] + outward[0], place[1] + outward[1]];
                outline(out, scene.cell, place, &format!(r#"fill="{colour}""#));
            }
        }
    }

    /// The lines around the boxes of a board such as that of a sudoku.
    fn boxes(&self, scene: &Scene, out: &mut String) {
        let side = self.boxes;
        if side == 0 {
            return;
        }
        for place in scene.places.chunks(self.columns.values.len().max(1)).step_by(side) {
            for place in place.iter().step_by(side) {
                let (x, y, size) = (place[0] - UNIT / 2, place[1] - UNIT / 2, UNIT * signed(side));
                let _ = write!(
                    out,
                    r#"<rect x="{x}" y="{y}" width="{size}" height="{size}" fill="none" stroke="var(--ink, #2c2a24)" stroke-width="5"/>"#
                );
            }
        }
    }

    /// The walls, edges and signs that hold in `position`, as SVG elements. Those in `last` are marked.
    pub fn lines(&self, position: &Position, scene: &Scene, last: &[Line]) -> String {
        let mut out = String::new();
        for line in &position.lines {
            let Some(&from) = scene.places.get(self.square_number(line.from)) else { continue };
            let to = match line.to {
                Some(to) => scene.places.get(self.square_number(to)).copied(),
                None => None,
            };
            let [a, b] = if let Some(to) = to {
                [from, to]
            } else {
                // A wall stands on the side of its square.
                let half = UNIT / 2;
                let middle = [from[0] + line.side[0] * half, from[1] + line.side[1] * half];
                let along = [line.side[1] * half, line.side[0] * half];
                [[middle[0] - along[0], middle[1] - along[1]], [middle[0] + along[0], middle[1] + along[1]]]
            };
            if let Some(greater) = line.compares {
                sign(&mut out, from, line.side, greater);
                continue;
            }
            if line.to.is_some() && last.contains(line) {
                let _ = write!(
                    out,
                    r#"<path d="M{} {}L{} {}" stroke="{LAST}" stroke-width="30" stroke-linecap="round"/>"#,
                    a[0], a[1], b[0], b[1]
                );
            }
            let colour = line
                .owner
                .and_then(|role| self.colours.get(role))
                .map_or("var(--wall, #3a352b)", String::as_str);
            let _ = write!(
                out,
                r#"<path d="M{} {}L{} {}" stroke="{colour}" stroke-width="10" stroke-linecap="round"/>"#,
                a[0], a[1], b[0], b[1]
            );
        }
        out
    }
}

/// Draws a sign at the border of the square at `place` and its neighbour on `side`.
fn sign(out: &mut String, place: [i32; 2], side: [i32; 2], greater: bool) {
    let middle = [place[0] + side[0] * UNIT / 2, place[1] + side[1] * UNIT / 2];
    // The sign points at the smaller value.
    let turn = match (side, greater) {
        ([1, 0], true) | ([-1, 0], false) => 0,
        ([0, 1], true) | ([0, -1], false) => 90,
        ([-1, 0], true) | ([1, 0], false) => 180,
        _ => 270,
    };
    let _ = write!(
        out,
        r#"<g transform="translate({} {}) rotate({turn})"><circle r="17" fill="{LIGHT}"/><path d="M-7 -13L9 0L-7 13" fill="none" stroke="var(--wall, #3a352b)" stroke-width="7" stroke-linecap="round" stroke-linejoin="round"/></g>"#,
        middle[0], middle[1]
    );
}

/// The size and the place, within its square, of the mark with index `number` beside other things.
fn corner(cell: Cell, number: usize) -> (i32, [i32; 2]) {
    let (size, near, far) = match cell {
        Cell::Square => (38, 2, 60),
        Cell::Pit => (50, 4, 46),
        _ => (30, 18, 52),
    };
    (size, [[far, near], [near, far], [far, far], [near, near]][number % 4])
}

/// The size and the place, within its square, of the thing with index `number` among `count` things there.
fn share(cell: Cell, number: usize, count: usize) -> (i32, [i32; 2]) {
    let whole = match cell {
        Cell::Square | Cell::Pit => 92,
        Cell::Hexagon => 78,
        Cell::Dot => 60,
    };
    let margin = (UNIT - whole) / 2;
    if cell == Cell::Dot {
        // What is not an edge lies in the middle of four dots.
        return (whole, [margin + UNIT / 2, margin - UNIT / 2]);
    }
    if count == 1 {
        return (whole, [margin, margin]);
    }
    let across = if count > 4 { 3 } else { 2 };
    let part = whole / across;
    let (column, row) = (signed(number) % across, signed(number) / across);
    let down = if count == 2 { part / 2 } else { row * part };
    (part, [margin + column * part, margin + down])
}

/// Draws the outline of a square around `place`.
fn outline(out: &mut String, cell: Cell, place: [i32; 2], attributes: &str) {
    let [x, y] = place;
    let half = UNIT / 2;
    let _ = match cell {
        Cell::Hexagon => {
            // A regular hexagon with a corner at the top; neighbours in a row touch.
            let (long, short) = (58, 29);
            write!(
                out,
                r#"<path d="M{x} {}L{} {}V{}L{x} {}L{} {}V{}Z" {attributes}/>"#,
                y - long,
                x + half,
                y - short,
                y + short,
                y + long,
                x - half,
                y + short,
                y - short,
            )
        }
        Cell::Pit | Cell::Dot => {
            write!(out, r#"<circle cx="{x}" cy="{y}" r="46" {attributes}/>"#)
        }
        Cell::Square => {
            write!(
                out,
                r#"<rect x="{}" y="{}" width="{UNIT}" height="{UNIT}" {attributes}/>"#,
                x - half,
                y - half
            )
        }
    };
}

fn document(width: i32, height: i32, elements: &str) -> String {
    format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">{elements}</svg>"#
    )
}
