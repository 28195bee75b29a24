//! Lines of text below a drawing: captions, tables, piles, and the meaning of marks.

use crate::caption::{Caption, LINE};
use crate::label::Labels;
use crate::model::{BoardModel, SideKind};
use crate::position::Position;
use crate::scene::signed;
use ggp_game::escaped;
use std::fmt::Write;

/// The least size of the text.
const LEAST: i32 = 20;
/// The width of a character in a hundredth of the size of the text. A wide font still fits.
const CHARACTER: i32 = 56;
/// The same for bold text.
const BOLD: i32 = 66;

impl BoardModel {
    /// Writes the captions of `position` below a drawing of the width and height `size`. Returns the new size, and how far
    /// the drawing moves to the right.
    pub(crate) fn write_captions(
        &self,
        position: &Position,
        labels: &Labels,
        size: [i32; 2],
        out: &mut String,
    ) -> ([i32; 2], i32) {
        let captions = self.captions(position);
        let mut legend = self.owners_in(position);
        legend.extend(self.legend(position, labels));
        if captions.is_empty() && legend.is_empty() {
            return (size, 0);
        }
        let longest = size[0].max(size[1]);
        let font = (longest / signed(LINE) * 2).max(LEAST);
        // Below the drawing, or beside one that is high and narrow.
        let beside = size[0] * 3 < size[1] * 2;
        let width = if beside {
            (size[1] - size[0]).max(font * 9)
        } else {
            size[0].max(longest * 8 / 10).max(font * 12)
        };
        let (x, y) = if beside { (size[0] + font / 2, font) } else { (0, size[1] + font / 3) };
        let mut page = Page { out, font, width, x, y };
        page.legend(&legend);
        let mut run: Vec<String> = Vec::new();
        for caption in &captions {
            if caption.heads.is_empty() {
                run.push(caption.text());
                continue;
            }
            page.flow(&run);
            run.clear();
            page.table(caption);
        }
        page.flow(&run);
        let height = page.y + font / 3;
        if beside {
            return ([x + width, size[1].max(height)], 0);
        }
        ([width, height], (width - size[0]) / 2)
    }

    /// The captions of a position without a board, as a drawing.
    pub(crate) fn page(&self, position: &Position) -> ([i32; 2], String) {
        let mut captions = self.captions(position);
        let line = |caption: Caption| {
            if caption.kind == SideKind::Control {
                Caption { kind: SideKind::Other, ..caption }
            } else {
                caption
            }
        };
        captions = captions.into_iter().map(line).collect();
        let mut out = String::new();
        let mut page = Page { out: &mut out, font: 24, width: 560, x: 0, y: 12 };
        for caption in &captions {
            if let Some(sizes) = caption.pile() {
                page.flow(&[format!("{}, the first one on top", caption.title)]);
                page.pile(&sizes);
            } else if caption.heads.is_empty() {
                page.flow(&[caption.text()]);
            } else {
                page.table(caption);
            }
        }
        if captions.is_empty() {
            page.flow(&["nothing holds yet".to_owned()]);
        }
        let height = page.y + 12;
        ([560, height], out)
    }
}

/// Lines of text, one below the other.
struct Page<'a> {
    out: &'a mut String,
    font: i32,
    width: i32,
    x: i32,
    y: i32,
}

impl Page<'_> {
    fn text(&mut self, x: i32, text: &str, font: i32, bold: bool) {
        let weight = if bold { r#" font-weight="700""# } else { "" };
        let _ = write!(
            self.out,
            r#"<text x="{}" y="{}" dominant-baseline="central" font-size="{font}"{weight} font-family="system-ui, sans-serif" fill="var(--ink, #2c2a24)">{}</text>"#,
            self.x + x,
            self.y + font * 7 / 10,
            escaped(text)
        );
    }

    /// Writes pictures with their names, one after the other.
    fn legend(&mut self, legend: &[(String, String)]) {
        let mut x = self.font / 2;
        for (picture, name) in legend {
            let length = i32::try_from(name.chars().count()).unwrap_or(i32::MAX / 100);
            let wide = self.font * 3 / 2 + length * self.font * CHARACTER / 100;
            if x > self.font && x + wide > self.width {
                (x, self.y) = (self.font / 2, self.y + self.font * 14 / 10);
            }
            let scale = f64::from(self.font) * 1.1 / 100.0;
            let _ = write!(
                self.out,
                r#"<g transform="translate({} {}) scale({scale:.3})">{picture}</g>"#,
                self.x + x,
                self.y
            );
            self.text(x + self.font * 13 / 10, name, self.font, false);
            x += wide + self.font / 2;
        }
        if !legend.is_empty() {
            self.y += self.font * 14 / 10;
        }
    }

    /// Writes texts one after the other, in as many lines as needed. A line is broken between two texts, or between words.
    fn flow(&mut self, texts: &[String]) {
        let room =
            usize::try_from((self.width - self.font) * 100 / (self.font * CHARACTER)).unwrap_or(1).max(8);
        let mut line = String::new();
        for text in texts {
            let length = line.chars().count() + text.chars().count() + 3;
            if !line.is_empty() && length > room {
                self.line(&line);
                line.clear();
            }
            if !line.is_empty() {
                line.push_str("   ");
            }
            for word in text.split(' ') {
                if !line.is_empty() && line.chars().count() + word.chars().count() + 1 > room {
                    self.line(line.trim_end());
                    line.clear();
                }
                if !line.is_empty() && !line.ends_with(' ') {
                    line.push(' ');
                }
                line.push_str(word);
            }
        }
        if !line.is_empty() {
            self.line(&line);
        }
    }

    fn line(&mut self, text: &str) {
        // A text without blanks may be too long for the line.
        let length = i32::try_from(text.chars().count()).unwrap_or(i32::MAX).max(1);
        let font = self.font.min((self.width - self.font) * 100 / CHARACTER / length).max(self.font / 4);
        // Blanks between two texts stay blanks.
        self.text(self.font / 2, &text.replace("   ", "\u{2003}"), font, false);
        self.y += font * 14 / 10;
    }

    /// Draws things of several sizes, one below the other.
    fn pile(&mut self, things: &[(usize, &str)]) {
        let step = self.font * 13 / 10;
        let count = i32::try_from(things.len()).unwrap_or(1).max(1);
        for (size, name) in things {
            let size = i32::try_from(*size).unwrap_or(count);
            let width = self.width / 6 + self.width * 3 / 5 * size / count;
            let _ = write!(
                self.out,
                r##"<rect x="{}" y="{}" width="{width}" height="{}" rx="{}" fill="#d9a253" stroke="#8a5a24" stroke-width="2"/><text x="{}" y="{}" text-anchor="middle" dominant-baseline="central" font-size="{}" font-family="system-ui, sans-serif" fill="#3a2408">{}</text>"##,
                (self.width - width) / 2,
                self.y,
                step - 4,
                step / 3,
                self.width / 2,
                self.y + (step - 4) / 2,
                self.font * 9 / 10,
                escaped(name)
            );
            self.y += step;
        }
    }

    /// Writes a table. If it is too wide, each word of a head has a line of its own.
    fn table(&mut self, caption: &Caption) {
        let room = (self.width - self.font) * 100;
        let fitting = |heads: &[Vec<&str>]| {
            let total = widths(heads, &caption.rows).into_iter().fold(1, i32::saturating_add);
            self.font.min(room / total)
        };
        let mut heads: Vec<Vec<&str>> = caption.heads.iter().map(|head| vec![head.as_str()]).collect();
        if fitting(&heads) < self.font {
            heads = caption.heads.iter().map(|head| head.split(' ').collect()).collect();
        }
        let font = fitting(&heads).max(self.font / 4);
        let widths = widths(&heads, &caption.rows);
        let height = heads.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..height {
            // The last words stand above the values.
            let word = |head: &Vec<&str>| {
                (line + head.len()).checked_sub(height).map_or("", |at| head[at]).to_owned()
            };
            let words: Vec<String> = heads.iter().map(word).collect();
            self.row(&words, &widths, font, true);
        }
        for row in &caption.rows {
            self.row(row, &widths, font, false);
        }
    }

    /// Writes the texts of a table's row, each in a column of one of `widths`. The first one is bold, or all are.
    fn row(&mut self, row: &[String], widths: &[i32], font: i32, bold: bool) {
        let mut x = self.font / 2;
        for (column, (text, width)) in row.iter().zip(widths).enumerate() {
            if !text.is_empty() {
                self.text(x, text, font, bold || column == 0);
            }
            x = x.saturating_add(width.saturating_mul(font) / 100);
        }
        self.y += font * 14 / 10;
    }
}

/// The widths of the columns of a table, in a hundredth of the size of the text, with room between them.
fn widths(heads: &[Vec<&str>], rows: &[Vec<String>]) -> Vec<i32> {
    let wide = |text: &str, character: i32| {
        i32::try_from(text.chars().count()).unwrap_or(i32::MAX).saturating_mul(character)
    };
    let width = |(column, head): (usize, &Vec<&str>)| {
        let character = if column == 0 { BOLD } else { CHARACTER };
        let values = rows.iter().filter_map(|row| row.get(column)).map(|text| wide(text, character));
        let words = head.iter().map(|word| wide(word, BOLD));
        values.chain(words).max().unwrap_or(0).saturating_add(2 * CHARACTER)
    };
    heads.iter().enumerate().map(width).collect()
}

#[cfg(test)]
mod tests {
    use super::{BOLD, CHARACTER, Page};
    use crate::caption::Caption;
    use crate::model::SideKind;

    /// The number that the attribute `name` of an element has.
    fn number(element: &str, name: &str) -> i32 {
        let value = element.split(&format!(" {name}=\"")).nth(1).and_then(|rest| rest.split('"').next());
        value.and_then(|value| value.parse().ok()).expect("a number")
    }

    #[test]
    fn a_wide_table_breaks_its_heads_and_overlaps_nothing() {
        let texts = |row: &[&str]| row.iter().map(|text| (*text).to_owned()).collect::<Vec<String>>();
        let caption = Caption {
            title: String::new(),
            kind: SideKind::Other,
            heads: texts(&["", "number of long lines", "number of high lines", "turn"]),
            rows: vec![texts(&["red", "0", "2", "yes"]), texts(&["blue", "1", "2", "–"])],
        };
        let mut out = String::new();
        let mut page = Page { out: &mut out, font: 20, width: 400, x: 0, y: 0 };
        page.table(&caption);
        page.flow(&["the end".to_owned()]);
        let height = page.y;
        // The left, the right, the middle and half the height of each text.
        let boxes = out.split("<text").skip(1).map(|element| {
            let text = element.split('>').nth(1).and_then(|rest| rest.split('<').next()).unwrap_or("");
            let font = number(element, "font-size");
            let character = if element.contains("font-weight") { BOLD } else { CHARACTER };
            let length = i32::try_from(text.chars().count()).expect("a short text");
            let [x, y] = ["x", "y"].map(|name| number(element, name));
            [x, x + length * font * character / 100, y, font / 2]
        });
        let boxes: Vec<[i32; 4]> = boxes.collect();
        assert_eq!(boxes.len(), 18, "{out}");
        for (number, one) in boxes.iter().enumerate() {
            assert!(one[1] <= 400 && one[2] + one[3] <= height, "{one:?}");
            for other in &boxes[number + 1..] {
                let beside = one[1] <= other[0] || other[1] <= one[0];
                assert!(beside || (one[2] - other[2]).abs() >= one[3] + other[3], "{one:?} {other:?}");
            }
        }
    }
}
