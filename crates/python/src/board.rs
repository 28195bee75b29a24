//! Pictures of positions as SVG, from the board that is inferred from the rules.

use ggp::board::{BoardModel, Kind, Labels, Position, Style, Token};
use std::fmt::Write;

/// The side of a square, in units of the picture.
const SIDE: usize = 40;
/// The space around a board, in which the names of columns and rows stand.
const MARGIN: usize = 24;
/// The height of a line of text beside the board.
const LINE: usize = 16;
/// The largest number of lines beside the board.
const MAX_LINES: usize = 24;
/// The fill and the text colour of the tokens of each role, and last those of tokens without an owner.
const COLOURS: [(&str, &str); 7] = [
    ("#fafafa", "#222"),
    ("#333", "#fff"),
    ("#c0392b", "#fff"),
    ("#2471a3", "#fff"),
    ("#d4ac0d", "#222"),
    ("#1e8449", "#fff"),
    ("#cfc9bd", "#222"),
];

/// `position` as an SVG picture.
pub(crate) fn svg(model: &BoardModel, position: &Position) -> String {
    let mut body = String::new();
    let (mut width, mut height) = (2 * MARGIN, MARGIN);
    if model.kind != Kind::Table {
        let labels = Labels::new(model, false);
        let (columns, rows) = (model.columns.values.len(), model.rows.values.len());
        for board in 0..model.board_count() {
            let name = model.board_name(board);
            if !name.is_empty() {
                text(&mut body, MARGIN, height, "start", "#444", &name);
                height += LINE;
            }
            for row in 0..rows {
                let y = height + row * SIDE;
                let label = &model.rows.values[row];
                text(&mut body, MARGIN - 6, y + SIDE / 2 + 5, "end", "#888", label);
                for column in 0..columns {
                    let square = (board * rows + row) * columns + column;
                    let tokens = position.squares.get(square).map_or(&[][..], Vec::as_slice);
                    let is_hole = model.holes.iter().any(|hole| model.square_number(*hole) == square);
                    let is_dark = model.chequered && (row + column) % 2 == 1;
                    let fill = if is_hole {
                        "#999"
                    } else if is_dark {
                        "#d9cbb2"
                    } else {
                        "#efe6d5"
                    };
                    let x = MARGIN + column * SIDE;
                    let _ = write!(
                        body,
                        "<rect x=\"{x}\" y=\"{y}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"{fill}\" \
                         stroke=\"#b8ab92\"/>"
                    );
                    for one in tokens {
                        token(&mut body, model, &labels, one, x, y);
                    }
                }
            }
            height += rows * SIDE;
            for (column, label) in model.columns.values.iter().enumerate() {
                text(&mut body, MARGIN + column * SIDE + SIDE / 2, height + LINE, "middle", "#888", label);
            }
            height += 2 * LINE;
            width = width.max(2 * MARGIN + columns * SIDE);
        }
    }
    for line in beside(position).into_iter().take(MAX_LINES) {
        text(&mut body, MARGIN, height, "start", "#444", &line);
        width = width.max(2 * MARGIN + 8 * line.chars().count());
        height += LINE;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} \
         {height}\" font-family=\"sans-serif\" font-size=\"12\">{body}</svg>"
    )
}

fn token(body: &mut String, model: &BoardModel, labels: &Labels, token: &Token, x: usize, y: usize) {
    let content = if token.content.is_empty() {
        labels.mark(token.layer).map_or_else(String::new, str::to_owned)
    } else {
        labels.of(token, model)
    };
    if content.is_empty() {
        return;
    }
    let last = COLOURS.len() - 1;
    let (fill, ink) = COLOURS[token.owner.map_or(last, |owner| owner % last)];
    let (x, y, radius) = (x + SIDE / 2, y + SIDE / 2, SIDE * 2 / 5);
    let _ = write!(body, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"#555\"/>");
    text(body, x, y + 5, "middle", ink, &content);
}

/// The facts beside the board, one line a relation.
fn beside(position: &Position) -> Vec<String> {
    let rows = |rows: &[Vec<String>]| rows.iter().map(|row| row.join(" ")).collect::<Vec<_>>().join(", ");
    let held = position.side.iter().filter(|side| !side.rows.is_empty());
    held.map(|side| format!("{} {}", side.relation, rows(&side.rows)).trim_end().to_owned()).collect()
}

fn text(body: &mut String, x: usize, y: usize, anchor: &str, fill: &str, content: &str) {
    let mut escaped = String::new();
    for letter in content.chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            letter if letter.is_control() => escaped.push(char::REPLACEMENT_CHARACTER),
            letter => escaped.push(letter),
        }
    }
    let _ =
        write!(body, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" fill=\"{fill}\">{escaped}</text>");
}

/// `position` as text.
pub(crate) fn drawing(model: &BoardModel, position: &Position) -> String {
    model.draw(position, Style::default())
}
