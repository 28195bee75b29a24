//! Drawing of a state as SVG. A drawing has three parts: the ground, which never changes, the lines between squares, and
//! the things on squares. A page can use each part alone.

use crate::figure::escaped;
use crate::label::Labels;
use crate::model::{BoardModel, Cell, Kind, Square};
use crate::position::{Beside, Position, Token};
use crate::scene::{Scene, UNIT, signed};
use std::fmt::Write;

/// The largest number of facts that are written on a drawing without a board.
const MAX_FACTS: usize = 16;
/// The largest number of things that are drawn on one square.
const MAX_TOKENS: usize = 4;
/// The largest number of characters in a line of facts.
const MAX_LINE: usize = 40;

const LIGHT: &str = "var(--square, #e9dcc0)";
const DARK: &str = "var(--odd, #b08c62)";
const PIT: &str = "var(--pit, #6e4a2c)";
const SEAM: &str = "var(--seam, #0003)";
const LAST: &str = "var(--last, #e8c33f)";
const SOFT: &str = "var(--soft, #7a7467)";

impl BoardModel {
    /// Draws `position` as an SVG document. The squares in `last` are marked as those of the last move.
    ///
    /// # Examples
    /// ```
    /// use ggp_game::{Fact, Game};
    /// let rules = b"(role red) (row 1) (row 2) (init (at 1 1 red)) (<= (base (at ?x ?y red)) (row ?x) (row ?y))
    ///     (<= (legal red (go ?x ?y)) (row ?x) (row ?y)) (<= (next (at ?x ?y red)) (does red (go ?x ?y)))
    ///     (<= terminal (true (at 2 2 red))) (goal red 0)";
    /// let model = ggp_view::infer(&Game::new(ggp_gdl::parse(rules).unwrap()).unwrap(), &[]);
    /// let position = model.place(&[Fact::new("(at 1 1 red)").unwrap()]);
    /// assert!(model.svg(&position, &[]).starts_with("<svg"));
    /// ```
    pub fn svg(&self, position: &Position, last: &[Square]) -> String {
        if self.kind == Kind::Table {
            return facts(position);
        }
        let scene = self.scene();
        let labels = Labels::new(self, false);
        let mut out = self.ground(&scene);
        for &square in last {
            if let Some(place) = scene.places.get(self.square_number(square)) {
                outline(&mut out, scene.cell, *place, &format!(r#"fill="{LAST}" opacity="0.5""#));
            }
        }
        out.push_str(&self.lines(position, &scene));
        for (tokens, place) in position.squares.iter().zip(&scene.places) {
            for (token, size, at) in self.arranged(tokens) {
                let picture = self.picture(token, &labels);
                let _ = write!(
                    out,
                    r#"<g transform="translate({} {}) scale({:.2})">{picture}</g>"#,
                    place[0] - UNIT / 2 + at[0],
                    place[1] - UNIT / 2 + at[1],
                    f64::from(size) / 100.0,
                );
            }
        }
        document(scene.width, scene.height, &out)
    }

    /// The things on one square, each with its size and its place in the box of the square. A blocked square and a mark
    /// lie below the others.
    pub fn arranged<'a>(&self, tokens: &'a [Token]) -> Vec<(&'a Token, i32, [i32; 2])> {
        let things: Vec<&Token> =
            tokens.iter().filter(|token| !self.draws_lines(token.layer)).take(MAX_TOKENS).collect();
        let is_ground = |token: &Token| {
            self.blocks.contains(&token.content.join(" ")) || token.content.is_empty() && token.layer > 0
        };
        let below = things.iter().filter(|token| is_ground(token));
        let above: Vec<&&Token> = things.iter().filter(|token| !is_ground(token)).collect();
        let whole = share(self.cell, 0, 1);
        let below = below.map(|token| (*token, whole.0, whole.1));
        let place = |(number, token): (usize, &&&'a Token)| {
            let (size, at) = share(self.cell, number, above.len());
            (**token, size, at)
        };
        below.chain(above.iter().enumerate().map(place)).collect()
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
                cell => outline(&mut out, cell, *place, &format!(r#"fill="{fill}" stroke="{SEAM}""#)),
            }
        }
        self.boxes(scene, &mut out);
        for (text, [x, y]) in &scene.texts {
            let size = if text.chars().count() > 3 { 16 } else { 21 };
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

    /// The walls and edges that hold in `position`, as SVG elements.
    pub fn lines(&self, position: &Position, scene: &Scene) -> String {
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
    let half = whole / 2;
    let (column, row) = (signed(number % 2), signed(number / 2));
    let down = if count == 2 { half / 2 } else { row * half };
    (half, [margin + column * half, margin + down])
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

/// The facts of a state without a board, as lines of text.
fn facts(position: &Position) -> String {
    let line = |beside: &Beside| -> Vec<String> {
        let name = words(&beside.relation);
        let rows = beside.rows.iter().map(|row| row.join(" "));
        rows.map(|row| if row.is_empty() { name.clone() } else { format!("{name}: {row}") }).collect()
    };
    let mut lines: Vec<String> = position.side.iter().flat_map(line).collect();
    let hidden = lines.len().saturating_sub(MAX_FACTS);
    lines.truncate(MAX_FACTS);
    if hidden > 0 {
        lines.push(format!("and {hidden} more"));
    }
    if lines.is_empty() {
        lines.push("nothing holds yet".to_owned());
    }
    let mut out = String::new();
    for (number, line) in lines.iter().enumerate() {
        let mut text: String = line.chars().take(MAX_LINE).collect();
        if line.chars().count() > MAX_LINE {
            text.push('…');
        }
        let y = 40 + number * 34;
        let _ = write!(
            out,
            r#"<text x="24" y="{y}" font-size="24" font-family="system-ui, sans-serif" fill="var(--ink, #2c2a24)">{}</text>"#,
            escaped(&text)
        );
    }
    let height = 40 + signed(lines.len()) * 34;
    document(560, height, &out)
}

/// A name of the rules in words: `box_count` and `boxCount` become `box count`.
pub(crate) fn words(name: &str) -> String {
    let mut out = String::new();
    let mut previous = ' ';
    for c in name.chars() {
        if c == '_' || c == '-' {
            out.push(' ');
        } else if c.is_uppercase() && previous.is_lowercase() {
            out.push(' ');
            out.extend(c.to_lowercase());
        } else {
            out.push(c);
        }
        previous = c;
    }
    out
}
