//! Painting of things: discs, figures, strokes, cards and marks, as SVG in a box of 100 by 100.

use crate::colour::is_dark;
use crate::term::words;
use ggp_game::escaped;
use std::fmt::Write;

/// The largest number of seeds that are drawn in a pit.
const SEEDS: u64 = 12;
/// The width of a bold character, as a share of the size of the text.
const WIDE: f64 = 0.66;
/// The longest word that stands on one line of a card.
const LINE: usize = 5;

/// The colours of one thing.
pub(crate) struct Paint<'a> {
    pub(crate) fill: &'a str,
    pub(crate) ink: &'static str,
    pub(crate) edge: &'static str,
    outline: &'static str,
}

impl<'a> Paint<'a> {
    pub(crate) fn new(colour: Option<&'a str>) -> Paint<'a> {
        match colour {
            Some(fill) if is_dark(fill) => Paint { fill, ink: "#ffffff", edge: "#0008", outline: "#f2ecdd" },
            Some(fill) => Paint { fill, ink: "#1d2022", edge: "#0008", outline: "#15181a" },
            None => Paint {
                fill: "var(--plate, #fbf7ec)",
                ink: "var(--plate-ink, #2c2a24)",
                edge: "var(--plate-edge, #0005)",
                outline: "#15181a",
            },
        }
    }

    pub(crate) fn disc(&self, out: &mut String, radius: u32) {
        let Paint { fill, edge, .. } = self;
        let _ = write!(
            out,
            r##"<circle cx="50" cy="54" r="{radius}" fill="#0003"/><circle cx="50" cy="50" r="{radius}" fill="{fill}" stroke="{edge}" stroke-width="2"/><circle cx="50" cy="50" r="{}" fill="none" stroke="{}" stroke-width="2" opacity="0.5"/>"##,
            radius.saturating_sub(8),
            if self.ink == "#ffffff" { "#fff8" } else { edge },
        );
    }

    /// A figure. One that belongs to nobody is dark, so that it is seen on a light board.
    pub(crate) fn figure(&self, out: &mut String, outline: &str, alone: bool) {
        let (fill, stroke) = if alone { ("#35291f", "#f2ecdd") } else { (self.fill, self.outline) };
        let _ = write!(
            out,
            r#"<path d="{outline}" fill="{fill}" stroke="{stroke}" stroke-width="3" stroke-linejoin="round" fill-rule="evenodd"/>"#
        );
    }

    /// A wedge that points up, or down if `ahead` is positive.
    pub(crate) fn wedge(&self, out: &mut String, ahead: i32) {
        let Paint { fill, edge, .. } = self;
        let turn = if ahead < 0 { "" } else { r#" transform="rotate(180 50 50)""# };
        let _ = write!(
            out,
            r#"<path d="M50 6L78 22L88 92H12L22 22Z" fill="{fill}" stroke="{edge}" stroke-width="3" stroke-linejoin="round"{turn}/>"#
        );
    }

    pub(crate) fn stroke(&self, out: &mut String, element: &str) {
        let fill = self.fill;
        let _ = write!(
            out,
            r#"{element} fill="none" stroke="{fill}" stroke-width="13" stroke-linecap="round"/>"#
        );
    }
}

/// Writes a text in the middle of the box. `scale` makes it smaller. A text of several words takes several lines. Every
/// line fits the box.
pub(crate) fn label(out: &mut String, text: &str, y: u32, ink: &str, scale: f64) {
    let lines = lines(text);
    let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(1).max(1);
    let most = match longest {
        1 => 50.0,
        2 => 38.0,
        3 => 30.0,
        _ => 84.0 / (WIDE * longest as f64),
    };
    let size = most.min(72.0 / lines.len() as f64) * scale;
    let first = f64::from(y) - size * (lines.len() as f64 - 1.0) / 2.0;
    for (number, line) in lines.iter().enumerate() {
        let _ = write!(
            out,
            r#"<text x="50" y="{:.0}" text-anchor="middle" dominant-baseline="central" font-size="{size:.0}" font-weight="700" font-family="system-ui, sans-serif" fill="{ink}">{}</text>"#,
            first + size * number as f64,
            escaped(line)
        );
    }
}

/// The lines of a text on a card. A short text is one line; a longer one is broken between its words.
fn lines(text: &str) -> Vec<String> {
    if text.chars().count() <= LINE {
        return vec![text.to_owned()];
    }
    let spelled = words(text);
    let mut lines: Vec<String> = Vec::new();
    for word in spelled.split(' ').filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < LINE + 1 => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    if lines.is_empty() { vec![text.to_owned()] } else { lines }
}

/// Draws the seeds in a pit and their number.
pub(crate) fn pit(out: &mut String, seeds: u64) {
    for seed in 0..seeds.min(SEEDS) {
        let (row, column) = (seed / 4, seed % 4);
        let (x, y) = (26 + column * 16, 22 + row * 16);
        let _ = write!(
            out,
            r##"<circle cx="{x}" cy="{y}" r="7" fill="#f3e3b6" stroke="#6b5a2c" stroke-width="1.5"/>"##
        );
    }
    label(out, &seeds.to_string(), 80, "#fff7e0", 0.62);
}

/// Draws a mark of a layer whose facts name only squares. `alone` says that the game has no other things. A glyph that a
/// view gives in place of a mark is written.
pub(crate) fn mark_picture(out: &mut String, mark: &str, alone: bool, colour: Option<&str>) {
    let fill = |own| colour.unwrap_or(own);
    let _ = match mark {
        "●" if alone => {
            let fill = fill("var(--mark, #6d5f8d)");
            write!(out, r#"<rect x="12" y="12" width="76" height="76" rx="14" fill="{fill}"/>"#)
        }
        "●" => {
            let fill = fill("var(--mark, #6d5f8d)");
            write!(out, r#"<circle cx="50" cy="50" r="24" fill="{fill}"/>"#)
        }
        "▪" => {
            let fill = fill("var(--mark-2, #b3542d)");
            write!(out, r#"<rect x="26" y="26" width="48" height="48" rx="6" fill="{fill}"/>"#)
        }
        "◦" => {
            let fill = fill("var(--mark-3, #2c7a74)");
            write!(out, r#"<circle cx="50" cy="50" r="22" fill="none" stroke="{fill}" stroke-width="11"/>"#)
        }
        "+" => {
            let fill = fill("var(--mark-4, #7a6a1e)");
            write!(out, r#"<path d="M50 24V76M24 50H76" stroke="{fill}" stroke-width="14"/>"#)
        }
        glyph => {
            label(out, glyph, 50, fill("var(--ink, #2c2a24)"), 1.0);
            Ok(())
        }
    };
}

#[cfg(test)]
mod tests {
    use super::mark_picture;

    #[test]
    fn each_mark_has_its_own_picture_and_a_glyph_is_written() {
        let picture = |mark: &str| {
            let mut out = String::new();
            mark_picture(&mut out, mark, false, None);
            out
        };
        let pictures = ["●", "▪", "◦", "+", "█", "o"].map(picture);
        for (number, one) in pictures.iter().enumerate() {
            assert!(!pictures[..number].contains(one), "{one}");
        }
        assert!(pictures[3].contains("<path") && pictures[4].contains(">█</text>"), "{pictures:?}");
    }
}
