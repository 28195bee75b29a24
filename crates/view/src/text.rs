//! Drawing of a state as text for a terminal: boards with their coordinates, then the facts beside them.
//!
//! Colour codes are written only if the style asks for them. The squares of the last move are in reverse
//! video with colour; without colour, they are in brackets, or followed by `'` where brackets do not fit.
//! Lines keep within the requested width if the board's columns allow it. Several boards are placed side by
//! side as far as they fit.

use crate::label::{Labels, label_all};
use crate::model::{BoardModel, Kind, SideKind, Square};
use crate::owner::is_called_empty;
use crate::position::{Beside, Position, Possible, Token};
use rustc_hash::FxHashSet;
use std::ops::Range;

/// The style of a drawing.
#[derive(Clone, Copy, Debug)]
pub struct Style<'a> {
    /// Whether to use ANSI colour codes.
    pub colour: bool,
    /// Whether to write ASCII characters only.
    pub ascii: bool,
    /// The width of the terminal in columns.
    pub width: usize,
    /// The squares of the last joint move, which are marked.
    pub last: &'a [Square],
}

impl Default for Style<'_> {
    fn default() -> Self {
        Style { colour: false, ascii: false, width: 80, last: &[] }
    }
}

/// The ANSI foreground colours of the roles, in order. These light colours are readable on black and on grey.
const ROLE_COLOURS: [&str; 8] = ["36", "33", "35", "32", "34", "31", "96", "93"];
const DIM: &str = "2";
const BOLD: &str = "1";
/// The ANSI code for the squares of the last move: reverse video.
const LAST: &str = "7";
/// The largest number of facts that are listed beside a board.
const MAX_LISTED: usize = 12;
/// The largest number of things that are shown on one square.
const MAX_TOKENS: usize = 3;
/// The most characters that the name of a row takes beside its board. A longer name is cut.
const MAX_MARGIN: usize = 40;

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
    /// Draws `position` as text; every line ends with a line feed.
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
            possible(position, style, out);
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
        shorten(&mut long);
        wrap(&long, "  ", style.width, out);
        possible(position, style, out);
    }
}

/// Lists the facts that may be true, the most probable first.
fn possible(position: &Position, style: Style<'_>, out: &mut String) {
    let text = |possible: &Possible| format!("{} {} %", possible.fact, possible.percent);
    let mut items: Vec<String> = position.possible.iter().map(text).collect();
    shorten(&mut items);
    if let Some(first) = items.first_mut() {
        first.insert_str(0, "possible: ");
    }
    wrap(&items, ", ", style.width, out);
}

/// Replaces the facts beyond the first [`MAX_LISTED`] by their number.
fn shorten(facts: &mut Vec<String>) {
    let hidden = facts.len().saturating_sub(MAX_LISTED);
    facts.truncate(MAX_LISTED);
    if hidden > 0 {
        facts.push(format!("and {hidden} more"));
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

/// Writes `items` in lines of at most `width` characters. Only a line that consists of a single item may be
/// longer.
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

/// The state of one drawing.
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

    /// The number of characters that the content of each square may take.
    fn square_width(&self) -> usize {
        let row_of_one = self.model.rows.values.len() == 1;
        let names = self.model.columns.values.iter().map(|v| v.chars().count().min(3)).max().unwrap_or(1);
        let contents =
            self.position.squares.iter().map(|tokens| self.content(tokens).0.chars().count()).max();
        let room = self.style.width.saturating_sub(self.margin() + 3);
        let most = (room / self.model.columns.values.len().max(1)).saturating_sub(1).max(1);
        contents.unwrap_or(1).max(if row_of_one { names } else { 1 }).min(most)
    }

    /// The text on a square with these tokens, and the role whose colour the text has. A question mark ends
    /// the text if some token is not certain.
    fn content(&self, tokens: &[Token]) -> (String, Option<usize>) {
        let mut parts: Vec<String> = Vec::new();
        let mut marks = String::new();
        let mut owner = None;
        let doubt = if tokens.iter().any(is_uncertain) { "?" } else { "" };
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
        (parts.join("/") + &marks + doubt, owner)
    }

    fn boards(&self, out: &mut String) {
        let width = self.square_width();
        let columns = self.model.columns.values.len();
        let fitting = self.style.width.saturating_sub(2) / self.pitch(width);
        if self.margin() == 0 && columns > fitting.max(1) {
            // A long track takes several lines.
            for start in (0..columns).step_by(fitting.max(1)) {
                for board in 0..self.model.board_count() {
                    for line in self.board(board, width, start..columns.min(start + fitting.max(1))) {
                        out.push_str(line.trim_end());
                        out.push('\n');
                    }
                }
            }
            return;
        }
        let boards: Vec<Vec<String>> =
            (0..self.model.board_count()).map(|b| self.board(b, width, 0..columns)).collect();
        let wide = self.board_width(width);
        let gap = 3;
        let fitting = ((self.style.width + gap) / (wide + gap)).max(1);
        // Boards told apart by two arguments are arranged in a square.
        let inner = self.model.index.last().map_or(boards.len(), |axis| axis.values.len());
        let across = if self.model.index.len() == 2 && inner <= fitting { inner } else { fitting };
        for (number, row) in boards.chunks(across).enumerate() {
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
        self.model.rows.values.iter().map(|v| v.chars().count()).max().unwrap_or(0).min(MAX_MARGIN)
    }

    /// The number of characters from one square to the next in its row. It includes room for brackets if the
    /// brackets fit.
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

    /// The lines of one board, restricted to the given columns. All lines are equally wide.
    fn board(&self, number: usize, width: usize, columns: Range<usize>) -> Vec<String> {
        let (glyphs, margin, pitch) = (self.glyphs(), self.margin(), self.pitch(width));
        let left = if margin > 0 { " ".repeat(margin + 1) } else { String::new() };
        let inner = pitch * columns.len();
        let total = left.len() + inner + 2;
        let mut lines = Vec::new();
        if self.model.board_count() > 1 {
            let name: String = self.model.board_name(number).chars().take(total - left.len()).collect();
            let pad = total - left.len() - name.chars().count();
            lines.push(format!("{left}{}{}", self.paint(&[BOLD], &name), " ".repeat(pad)));
        }
        let border = |a: &str, b: &str| format!("{left}{a}{}{b}", glyphs.horizontal.repeat(inner));
        lines.push(border(glyphs.corners[0], glyphs.corners[1]));
        for row in 0..self.model.rows.values.len() {
            let name = cut(&self.model.rows.values[row], margin);
            let mut line = String::new();
            if margin > 0 {
                line.push_str(&self.paint(&[DIM], &format!("{name:>margin$} ")));
            }
            line.push_str(glyphs.vertical);
            for column in columns.clone() {
                line.push_str(&self.square(Square { board: number, row, column }, width, pitch));
            }
            line.push_str(glyphs.vertical);
            lines.push(line);
        }
        lines.push(border(glyphs.corners[2], glyphs.corners[3]));
        for line in self.column_names(pitch, columns) {
            lines.push(format!("{left} {} ", self.paint(&[DIM], &line)));
        }
        lines
    }

    /// The lines below the board with the names of the columns. The names stand in one line if they fit.
    /// Otherwise they are shortened, and written vertically if they still do not fit.
    fn column_names(&self, pitch: usize, columns: Range<usize>) -> Vec<String> {
        let names = &self.model.columns.values[columns];
        let longest = |names: &[String]| names.iter().map(|n| n.chars().count()).max().unwrap_or(0);
        let line = |names: &[String]| names.iter().map(|name| centre(name, pitch)).collect::<String>();
        if longest(names) < pitch || longest(names) == 1 {
            return vec![line(names)];
        }
        let values: Vec<&String> = names.iter().collect();
        let short: Vec<String> = if longest(names) <= 3 {
            names.to_vec()
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
        } else if tokens.iter().any(is_uncertain) {
            codes.push(DIM);
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

    /// Writes the meaning of the abbreviations on the board.
    fn legend(&self, out: &mut String) {
        let tokens = self.position.squares.iter().flatten();
        let spelled = tokens.filter(|t| t.content.len() == 1 || self.labels.glyph(t, self.model).is_none());
        let used: FxHashSet<(usize, &str)> =
            spelled.flat_map(|token| token.content.iter().map(String::as_str).enumerate()).collect();
        let mut items: Vec<String> = Vec::new();
        for (place, values) in self.model.layers.iter().flat_map(|layer| layer.values.iter().enumerate()) {
            for value in values.iter().filter(|value| used.contains(&(place, value.as_str()))) {
                let label = self.labels.value(place, value);
                let item = format!("{label} {value}");
                if label.parse::<u64>().is_err() && label != *value && !items.contains(&item) {
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

fn is_uncertain(token: &Token) -> bool {
    token.percent.is_some()
}

/// The first `width` characters of `text`. A longer text is cut and ends with `+`.
fn cut(text: &str, width: usize) -> String {
    if text.chars().nth(width).is_none() {
        return text.to_owned();
    }
    let kept = text.chars().take(width.saturating_sub(1));
    kept.chain(['+']).take(width).collect()
}

/// Centres `text` in `width` characters. A longer text is cut.
fn centre(text: &str, width: usize) -> String {
    let text = cut(text, width);
    let length = text.chars().count();
    let left = (width - length) / 2;
    format!("{}{text}{}", " ".repeat(left), " ".repeat(width - length - left))
}

#[cfg(test)]
mod tests {
    use super::Style;
    use crate::infer::infer;
    use crate::model::Square;
    use crate::sample::game;
    use ggp_game::Fact;

    const RULES: &str = "(role light) (role dark) (line 1) (line 2) (line 3)
        (<= (base (at ?x ?y ?r)) (role ?r) (line ?x) (line ?y) (not (gap ?x ?y))) (gap 2 2)
        (<= (base (turn ?r)) (role ?r))
        (init (at 1 1 light)) (init (at 3 3 dark)) (init (turn light))
        (<= (legal ?r (put ?x ?y)) (true (turn ?r)) (line ?x) (line ?y) (not (gap ?x ?y)))
        (<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
        (<= (next (at ?x ?y ?r)) (does ?r (put ?x ?y)))
        (<= (next (at ?x ?y ?r)) (true (at ?x ?y ?r)))
        (<= (next (turn light)) (true (turn dark))) (<= (next (turn dark)) (true (turn light)))
        (<= (goal ?r 0) (role ?r)) (<= terminal (true (at 2 1 dark)))";

    fn draw(style: Style<'_>) -> String {
        let game = game(RULES);
        let facts = ["(at 1 1 light)", "(at 3 3 dark)", "(turn light)"].map(Fact::from_canonical);
        let model = infer(&game, &[]);
        model.draw(&model.place(&facts), style)
    }

    #[test]
    fn a_board_has_coordinates_a_hole_and_a_marked_square() {
        let last = [Square { board: 0, row: 0, column: 2 }];
        let drawn = draw(Style { ascii: true, last: &last, ..Style::default() });
        let expected = [
            "  +---------+",
            "3 | .  . [d]|",
            "2 | .  #  . |",
            "1 | l  .  . |",
            "  +---------+",
            "    1  2  3",
            "l light, d dark",
            "turn light",
        ];
        assert_eq!(drawn.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_very_long_name_of_a_row_is_cut() {
        // Formatting pads to at most 65,535 characters.
        let name = "n".repeat(70_000);
        let mut model = infer(&game(RULES), &[]);
        model.rows.values[0] = name;
        let drawn = model.draw(&model.place(&[]), Style { ascii: true, ..Style::default() });
        let cut = format!("{}+ |", "n".repeat(39));
        assert!(drawn.lines().any(|line| line.starts_with(&cut)), "{}", drawn.len());
    }

    #[test]
    fn what_is_uncertain_has_a_question_mark_and_its_probability() {
        let game = game(RULES);
        let model = infer(&game, &[]);
        let certain = ["(at 1 1 light)", "(turn light)"].map(Fact::from_canonical);
        let possible = [("(at 1 3 dark)", 0.25), ("(at 3 3 dark)", 0.75), ("(turn dark)", 0.5)]
            .map(|(fact, share)| (Fact::from_canonical(fact), share));
        let position = model.place_known(&certain, &possible);
        let drawn = model.draw(&position, Style { ascii: true, ..Style::default() });
        let expected = ["  +------------+", "3 |  d? .   d? |", "2 |  .   #   . |"];
        let drawn: Vec<&str> = drawn.lines().collect();
        assert_eq!(drawn[0], expected[0], "{drawn:#?}");
        assert!(drawn[1].matches("d?").count() == 2 && drawn[3].contains(" l "), "{drawn:#?}");
        let last = "possible: (at 3 3 dark) 75 %, (turn dark) 50 %, (at 1 3 dark) 25 %";
        assert_eq!(drawn.last(), Some(&last), "{drawn:#?}");
    }

    #[test]
    fn colour_adds_codes_and_nothing_else() {
        let plain = draw(Style::default());
        let coloured = draw(Style { colour: true, ..Style::default() });
        let mut stripped = String::new();
        let mut rest = coloured.as_str();
        while let Some(start) = rest.find('\x1b') {
            stripped.push_str(&rest[..start]);
            let end = rest[start..].find('m').expect("a code ends");
            rest = &rest[start + end + 1..];
        }
        stripped.push_str(rest);
        assert!(coloured.len() > plain.len());
        let trim = |text: &str| text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
        assert_eq!(trim(&stripped), trim(&plain));
        assert!(!plain.contains('\x1b'));
    }
}
