//! A state as text for a terminal: boards with their coordinates, then what is beside them.
//!
//! Colour is asked for, never assumed; without it the last move's squares stand in brackets and
//! every mark is a character. Lines keep within the width asked for wherever the board's columns
//! allow it; several boards stand side by side as far as they fit.

use crate::label::{Labels, label_all};
use crate::model::{BoardModel, Kind, SideKind, Square};
use crate::owner::is_called_empty;
use crate::position::{Beside, Position, Token};

/// How to draw.
#[derive(Clone, Copy, Debug)]
pub struct Style<'a> {
    /// Whether to use ANSI colour codes.
    pub colour: bool,
    /// Whether to keep to ASCII.
    pub ascii: bool,
    /// The width of the terminal in columns.
    pub width: usize,
    /// The squares of the last joint move, to be marked.
    pub last: &'a [Square],
}

impl Default for Style<'_> {
    fn default() -> Self {
        Style { colour: false, ascii: false, width: 80, last: &[] }
    }
}

/// The foreground colours of the roles, in order: light, so that they read on dark and on grey.
const ROLE_COLOURS: [&str; 8] = ["36", "33", "35", "32", "34", "31", "96", "93"];
const DIM: &str = "2";
const BOLD: &str = "1";
/// The background of the last move's squares.
const LAST: &str = "7";
/// How many facts are listed beside a board.
const MAX_LISTED: usize = 12;
/// How many things are shown on one square.
const MAX_TOKENS: usize = 3;

struct Glyphs {
    empty: &'static str,
    hole: &'static str,
    vertical: &'static str,
    horizontal: &'static str,
    corners: [&'static str; 4],
}

const UNICODE: Glyphs =
    Glyphs {
        empty: "·", hole: "▒", vertical: "│", horizontal: "─", corners: ["┌", "┐", "└", "┘"]
    };
const ASCII: Glyphs =
    Glyphs { empty: ".", hole: "#", vertical: "|", horizontal: "-", corners: ["+", "+", "+", "+"] };

impl BoardModel {
    /// `position` as lines of text, each ended.
    pub fn draw(&self, position: &Position, style: Style<'_>) -> String {
        let mut out = String::new();
        if self.kind != Kind::Table {
            let labels = Labels::new(self, style.ascii);
            let canvas = Canvas { model: self, position, style, labels: &labels };
            canvas.boards(&mut out);
            canvas.legend(&mut out);
        }
        self.beside(position, style, &mut out);
        out
    }

    fn beside(&self, position: &Position, style: Style<'_>, out: &mut String) {
        if self.kind == Kind::Table {
            let mut facts: Vec<String> = position.side.iter().flat_map(fact_texts).collect();
            facts.sort_unstable();
            for fact in facts {
                out.push_str(&fact);
                out.push('\n');
            }
            return;
        }
        let mut short: Vec<String> = Vec::new();
        let mut long: Vec<String> = Vec::new();
        for beside in &position.side {
            match beside.kind {
                SideKind::Other => long.extend(fact_texts(beside)),
                SideKind::Flag => short.push(beside.relation.clone()),
                SideKind::Control | SideKind::Counter => {
                    let rows: Vec<String> = beside.rows.iter().map(|row| row.join(" ")).collect();
                    short.push(format!("{} {}", beside.relation, rows.join(", ")));
                }
                SideKind::Hand => {
                    let rows = beside.rows.iter().filter(|row| row.last().is_none_or(|n| n != "0"));
                    let rows: Vec<String> = rows.map(|row| row.join(" ")).collect();
                    let rows = if rows.is_empty() { "none".to_owned() } else { rows.join(", ") };
                    short.push(format!("{} {rows}", beside.relation));
                }
            }
        }
        let separator = if style.ascii { " | " } else { " · " };
        wrap(&short, separator, style.width, out);
        let hidden = long.len().saturating_sub(MAX_LISTED);
        long.truncate(MAX_LISTED);
        if hidden > 0 {
            long.push(format!("and {hidden} more"));
        }
        wrap(&long, "  ", style.width, out);
    }
}

fn fact_texts(beside: &Beside) -> Vec<String> {
    let text = |row: &Vec<String>| {
        if row.is_empty() {
            beside.relation.clone()
        } else {
            format!("({} {})", beside.relation, row.join(" "))
        }
    };
    beside.rows.iter().map(text).collect()
}

/// Writes `items` in lines of at most `width`, as far as no item is longer.
fn wrap(items: &[String], separator: &str, width: usize, out: &mut String) {
    let gap = separator.chars().count();
    let mut used = 0;
    for item in items {
        let length = item.chars().count();
        if used > 0 && used + gap + length > width {
            out.push('\n');
            used = 0;
        }
        if used > 0 {
            out.push_str(separator);
            used += gap;
        }
        out.push_str(item);
        used += length;
    }
    if used > 0 {
        out.push('\n');
    }
}

/// One drawing.
struct Canvas<'a> {
    model: &'a BoardModel,
    position: &'a Position,
    style: Style<'a>,
    labels: &'a Labels,
}

impl Canvas<'_> {
    fn glyphs(&self) -> &'static Glyphs {
        if self.style.ascii { &ASCII } else { &UNICODE }
    }

    fn paint(&self, codes: &[&str], text: &str) -> String {
        if !self.style.colour || codes.is_empty() {
            return text.to_owned();
        }
        format!("\x1b[{}m{text}\x1b[0m", codes.join(";"))
    }

    /// How many characters a square has for its content.
    fn square_width(&self) -> usize {
        let row_of_one = self.model.rows.values.len() == 1;
        let names = self.model.columns.values.iter().map(|v| v.chars().count().min(3)).max().unwrap_or(1);
        let contents =
            self.position.squares.iter().map(|tokens| self.content(tokens).0.chars().count()).max();
        let room = self.style.width.saturating_sub(self.margin() + 3);
        let most = (room / self.model.columns.values.len().max(1)).saturating_sub(1).max(1);
        contents.unwrap_or(1).max(if row_of_one { names } else { 1 }).min(most)
    }

    /// What is written on a square, and whose colour it has.
    fn content(&self, tokens: &[Token]) -> (String, Option<usize>) {
        let mut parts: Vec<String> = Vec::new();
        let mut marks = String::new();
        let mut owner = None;
        for token in tokens {
            if let Some(mark) = self.labels.mark(token.layer) {
                marks.push_str(mark);
                continue;
            }
            let label = self.labels.of(token, self.model);
            if !parts.contains(&label) {
                parts.push(label);
            }
            owner = token.owner.or(owner);
        }
        if parts.len() > MAX_TOKENS {
            parts.truncate(MAX_TOKENS - 1);
            parts.push("+".to_owned());
        }
        (parts.join("/") + &marks, owner)
    }

    fn boards(&self, out: &mut String) {
        let width = self.square_width();
        let boards: Vec<Vec<String>> = (0..self.model.board_count()).map(|b| self.board(b, width)).collect();
        let wide = self.board_width(width);
        let gap = 3;
        let fitting = ((self.style.width + gap) / (wide + gap)).max(1);
        // Boards told apart by two arguments stand in a square of boards.
        let inner = self.model.index.last().map_or(boards.len(), |axis| axis.values.len());
        let across = if self.model.index.len() == 2 && inner <= fitting { inner } else { fitting };
        let mut rows: Vec<&[Vec<String>]> = boards.chunks(across).collect();
        if self.model.index.len() == 2 && rows.is_empty() {
            rows.push(&boards);
        }
        for (number, row) in rows.iter().enumerate() {
            if number > 0 {
                out.push('\n');
            }
            let height = row.iter().map(Vec::len).max().unwrap_or(0);
            for line in 0..height {
                let mut text = String::new();
                for (i, board) in row.iter().enumerate() {
                    if i > 0 {
                        text.push_str(&" ".repeat(gap));
                    }
                    text.push_str(board.get(line).map_or("", String::as_str));
                }
                out.push_str(text.trim_end());
                out.push('\n');
            }
        }
    }

    fn margin(&self) -> usize {
        self.model.rows.values.iter().map(|v| v.chars().count()).max().unwrap_or(0)
    }

    /// The characters from one square to the next: room for brackets where it fits.
    fn pitch(&self, width: usize) -> usize {
        let columns = self.model.columns.values.len();
        let room = self.style.width.saturating_sub(self.margin() + 4);
        if columns * (width + 2) <= room { width + 2 } else { width + 1 }
    }

    fn board_width(&self, width: usize) -> usize {
        let margin = self.margin();
        let frame = if margin > 0 { margin + 3 } else { 2 };
        frame + self.pitch(width) * self.model.columns.values.len()
    }

    /// The lines of one board, all equally wide.
    fn board(&self, number: usize, width: usize) -> Vec<String> {
        let (glyphs, margin, pitch) = (self.glyphs(), self.margin(), self.pitch(width));
        let total = self.board_width(width);
        let left = if margin > 0 { " ".repeat(margin + 1) } else { String::new() };
        let inner = pitch * self.model.columns.values.len();
        let mut lines = Vec::new();
        if self.model.board_count() > 1 {
            let name: String = self.model.board_name(number).chars().take(total - left.len()).collect();
            let pad = total - left.len() - name.chars().count();
            lines.push(format!("{left}{}{}", self.paint(&[BOLD], &name), " ".repeat(pad)));
        }
        let border = |a: &str, b: &str| format!("{left}{a}{}{b}", glyphs.horizontal.repeat(inner));
        lines.push(border(glyphs.corners[0], glyphs.corners[1]));
        for row in 0..self.model.rows.values.len() {
            let name = &self.model.rows.values[row];
            let mut line = String::new();
            if margin > 0 {
                line.push_str(&self.paint(&[DIM], &format!("{name:>margin$} ")));
            }
            line.push_str(glyphs.vertical);
            for column in 0..self.model.columns.values.len() {
                line.push_str(&self.square(Square { board: number, column, row }, width, pitch));
            }
            line.push_str(glyphs.vertical);
            lines.push(line);
        }
        lines.push(border(glyphs.corners[2], glyphs.corners[3]));
        for line in self.column_names(pitch) {
            lines.push(format!("{left} {} ", self.paint(&[DIM], &line)));
        }
        lines
    }

    /// The names under the columns: in one line if they fit, else shortened, else from top to
    /// bottom.
    fn column_names(&self, pitch: usize) -> Vec<String> {
        let names = &self.model.columns.values;
        let longest = |names: &[String]| names.iter().map(|n| n.chars().count()).max().unwrap_or(0);
        let line = |names: &[String]| names.iter().map(|name| centre(name, pitch)).collect::<String>();
        if longest(names) < pitch || longest(names) == 1 {
            return vec![line(names)];
        }
        let values: Vec<&String> = names.iter().collect();
        let short: Vec<String> = if longest(names) <= 3 {
            names.clone()
        } else {
            let labels = label_all(&values, self.model, self.style.ascii);
            let short = |name: &String| {
                labels.iter().find(|label| label.0 == *name).map_or_else(String::new, |l| l.1.clone())
            };
            names.iter().map(short).collect()
        };
        if longest(&short) < pitch {
            return vec![line(&short)];
        }
        let letter = |name: &String, i: usize| name.chars().nth(i).unwrap_or(' ').to_string();
        let lines = 0..longest(&short);
        lines.map(|i| short.iter().map(|name| centre(&letter(name, i), pitch)).collect()).collect()
    }

    fn square(&self, square: Square, width: usize, pitch: usize) -> String {
        let glyphs = self.glyphs();
        let tokens = &self.position.squares[self.model.square_number(square)];
        let is_last = self.style.last.contains(&square);
        let (mut text, owner) = self.content(tokens);
        let mut codes: Vec<&str> = Vec::new();
        if text.is_empty() {
            codes.push(DIM);
            let is_hole = self.model.holes.binary_search(&square).is_ok();
            text = if is_hole { glyphs.hole.repeat(width) } else { glyphs.empty.to_owned() };
        } else if let Some(owner) = owner {
            codes.extend([BOLD, ROLE_COLOURS[owner % ROLE_COLOURS.len()]]);
        }
        let text = centre(&text, width);
        if pitch < width + 2 {
            let mark = if is_last { "'" } else { " " };
            if is_last && self.style.colour {
                codes.push(LAST);
                return self.paint(&codes, &format!("{text} "));
            }
            return format!("{}{mark}", self.paint(&codes, &text));
        }
        let (open, close) = if is_last { ("[", "]") } else { (" ", " ") };
        if is_last && self.style.colour {
            codes.retain(|code| *code != DIM);
            codes.push(LAST);
            return self.paint(&codes, &format!(" {text} "));
        }
        format!("{open}{}{close}", self.paint(&codes, &text))
    }

    /// What the abbreviations on the board mean.
    fn legend(&self, out: &mut String) {
        let mut items: Vec<String> = Vec::new();
        for token in self.position.squares.iter().flatten() {
            for (place, value) in token.content.iter().enumerate() {
                let label = self.labels.value(place, value);
                let item = format!("{label} {value}");
                let plain = label.parse::<u64>().is_ok() || label == *value;
                if !plain && !items.contains(&item) {
                    items.push(item);
                }
            }
        }
        let empty = self.model.layers.iter().filter_map(|layer| layer.empty.as_ref());
        items.extend(empty.filter(|e| !is_called_empty(e)).map(|e| format!("{} {e}", self.glyphs().empty)));
        let marks =
            self.model.layers.iter().enumerate().filter_map(|(number, layer)| {
                Some(format!("{} {}", self.labels.mark(number)?, layer.relation))
            });
        let marks: Vec<String> = marks.collect();
        if self.model.layers.len() > 1 {
            items.extend(marks);
        }
        wrap(&items, if self.style.ascii { ", " } else { " · " }, self.style.width, out);
    }
}

/// `text` in the middle of `width` characters; one that is too long is cut, and ends with `+`.
fn centre(text: &str, width: usize) -> String {
    let length = text.chars().count();
    if length > width {
        let kept = text.chars().take(width.saturating_sub(1));
        return kept.chain(['+']).take(width).collect();
    }
    let left = (width - length) / 2;
    format!("{}{text}{}", " ".repeat(left), " ".repeat(width - length - left))
}
