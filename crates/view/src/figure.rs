//! Pictures of things, as SVG in a box of 100 by 100: chess and draughts men, stones, crosses and rings, blocks, and for
//! everything else a disc or a plate with its name. A disc belongs to a role, a plate to nobody.

use crate::colour::{is_dark, is_name, of_name};
use crate::label::Labels;
use crate::model::BoardModel;
use crate::position::Token;
use std::fmt::Write;

/// The outlines of chessmen, resting on y = 88.
const CHESSMEN: [(&str, &str); 6] = [
    (
        "♔♚",
        "M46 8h8v8h8v8h-8v8c14-4 28 4 26 20-1 10-8 15-10 20H30c-2-5-9-10-10-20-2-16 12-24 26-20v-8h-8v-8h8zM28 76h44l4 12H24z",
    ),
    (
        "♕♛",
        "M50 12a6 6 0 0 1 3 11l9 20 12-17a6 6 0 1 1 6 3l-8 43H28l-8-43a6 6 0 1 1 6-3l12 17 9-20a6 6 0 0 1 3-11zM28 76h44l4 12H24z",
    ),
    ("♖♜", "M26 16h12v9h7v-9h10v9h7v-9h12v22l-8 7v23H34V45l-8-7zM28 72h44l4 16H24z"),
    (
        "♗♝",
        "M50 8a6 6 0 0 1 4 10c12 9 19 21 17 32-1 8-5 12-9 16l4 6H34l4-6c-4-4-8-8-9-16-2-11 5-23 17-32a6 6 0 0 1 4-10zM47 30v8h-7v7h7v12h6V45h7v-7h-7v-8zM28 76h44l4 12H24z",
    ),
    (
        "♘♞",
        "M38 12l8 8c20 2 32 18 30 44l-2 8H32c-2-14 8-20 14-30-6 5-14 6-18 12l-10-4-2-8 14-22zM38 28a4 4 0 1 0 .1 0zM28 76h46l4 12H24z",
    ),
    (
        "♙♟",
        "M50 20a14 14 0 0 1 9 25l6 5v5h-7c0 8 4 14 10 18H32c6-4 10-10 10-18h-7v-5l6-5a14 14 0 0 1 9-25zM28 76h44l4 12H24z",
    ),
];

const CROWN: &str = "M30 62l-4-28 14 12 10-18 10 18 14-12-4 28z";
/// The radius of a disc.
const DISC: u32 = 38;
/// The largest number of letters that are written on a plate as they are.
const WORD: usize = 9;
/// The largest number of seeds that are drawn in a pit.
const SEEDS: u64 = 12;

/// What a thing looks like, before its colour.
enum Shape<'a> {
    Chessman(&'static str),
    Stone { radius: u32, crowned: bool },
    Cross,
    Ring,
    Block,
    Dot,
    Text(String),
    Labelled { text: String, owned: bool },
    Seeds(u64),
    Mark(&'a str),
}

fn shape<'a>(model: &BoardModel, labels: &'a Labels, token: &Token) -> Shape<'a> {
    let label = labels.of(token, model);
    if let Some((_, outline)) =
        CHESSMEN.iter().find(|(glyphs, _)| !label.is_empty() && glyphs.contains(&label))
    {
        return Shape::Chessman(outline);
    }
    if let Some(mark) = labels.mark(token.layer) {
        let relation = &model.layers[token.layer].relation;
        return stroke(relation).unwrap_or(Shape::Mark(mark));
    }
    let name = token.content.join(" ");
    let is_role = |value: &String| model.roles.iter().any(|role| role.eq_ignore_ascii_case(value));
    match label.as_str() {
        "⛁" | "⛃" => return Shape::Stone { radius: 36, crowned: true },
        "○" | "●" | "⛀" | "⛂" => return Shape::Stone { radius: 36, crowned: false },
        _ => {}
    }
    if let Some(stroke) = stroke(&name) {
        return stroke;
    }
    if model.cell == crate::model::Cell::Pit
        && let Ok(seeds) = label.parse()
    {
        return Shape::Seeds(seeds);
    }
    let only_roles = token.content.len() == 1 && token.content.iter().all(is_role);
    let plain = |role: usize| {
        let names = &model.layers[token.layer].values;
        is_name(&model.roles[role])
            || of_name(&model.roles[role]).is_some()
            || names.iter().flatten().all(is_role)
    };
    let letter = name.len() == 1 && token.owner.is_some_and(|role| of_name(&model.roles[role]).is_some());
    if letter || is_name(&name) || only_roles && token.owner.is_some_and(plain) {
        return Shape::Stone { radius: 36, crowned: false };
    }
    if model.blocks.contains(&name) {
        return Shape::Block;
    }
    if token.owner.is_none() && label.parse::<i64>().is_ok() {
        return Shape::Text(label);
    }
    if is_small(&name) {
        return Shape::Dot;
    }
    let has_glyph = labels.glyph(token, model).is_some();
    let word = if name.chars().count() <= WORD
        && !has_glyph
        && token.content.len() == 1
        && label.chars().count() > 0
    {
        if name.chars().count() > 3 && token.owner.is_none() { name.clone() } else { label }
    } else {
        label
    };
    // The colour shows the owner already.
    let parts = || token.content.iter().enumerate().filter(|(_, value)| !is_role(value));
    let word = if token.content.len() > 1 && token.owner.is_some() && !has_glyph {
        let part = |(place, value): (usize, &String)| match value.to_ascii_lowercase().as_str() {
            value if value.starts_with("unpromot") => String::new(),
            "promoted" => "+".to_owned(),
            _ => labels.value(place, value),
        };
        parts().map(part).collect()
    } else {
        word
    };
    let initial = |role: &String| role.to_ascii_lowercase().starts_with(&name.to_ascii_lowercase());
    let team = token.owner.is_none() && name.len() == 1 && model.roles.iter().any(initial);
    if team && model.colour(token).is_some() {
        return Shape::Stone { radius: 36, crowned: false };
    }
    Shape::Labelled { text: word, owned: token.owner.is_some() }
}

/// Whether a name is that of a thing so small that it is drawn as a dot.
fn is_small(name: &str) -> bool {
    matches!(name.to_ascii_lowercase().as_str(), "pellet" | "dot" | "point" | "pill" | "food" | "crumb")
}

/// The strokes of noughts and crosses.
fn stroke(name: &str) -> Option<Shape<'static>> {
    match name.to_ascii_lowercase().as_str() {
        "x" | "ecks" | "ex" | "cross" => Some(Shape::Cross),
        "o" | "oh" | "nought" | "ring" | "circle" => Some(Shape::Ring),
        _ => None,
    }
}

/// The role that the marks of the layer with index `layer` stand for, if its relation is a stroke of a role.
fn stroke_owner(model: &BoardModel, name: &str) -> Option<usize> {
    let letter = match stroke(name)? {
        Shape::Cross => 'x',
        _ => 'o',
    };
    model.roles.iter().position(|role| role.to_ascii_lowercase().starts_with(letter))
}

impl BoardModel {
    /// Gives roles whose names say no colour the colours of the things that they own, if the names of these things say
    /// one each.
    pub(crate) fn paint(&mut self) {
        if self.roles.iter().any(|role| of_name(role).is_some()) {
            return;
        }
        let colour = |role: usize| {
            let owned = self.owners.iter().filter(|(name, owner)| **owner == role && is_name(name));
            let mut colours = owned.filter_map(|(name, _)| of_name(name));
            let first = colours.next()?;
            colours.all(|colour| colour == first).then(|| first.to_owned())
        };
        let colours: Option<Vec<String>> = (0..self.roles.len()).map(colour).collect();
        if let Some(colours) =
            colours.filter(|colours| (1..colours.len()).all(|n| !colours[..n].contains(&colours[n])))
        {
            self.colours = colours;
        }
    }

    /// The colour of the role or the thing `name`.
    pub(crate) fn colour_of(&self, name: &str) -> Option<&str> {
        let role = self.roles.iter().position(|role| role == name).or_else(|| self.owners.get(name).copied());
        of_name(name).or_else(|| self.colours.get(role?).map(String::as_str))
    }

    /// The colour of `token`. `None` if it has none.
    pub fn colour(&self, token: &Token) -> Option<&str> {
        let name = token.content.join(" ");
        let by_mark = || {
            let relation = &self.layers.get(token.layer).filter(|_| token.content.is_empty())?.relation;
            stroke_owner(self, relation)
        };
        // The name of a colour says more than the colour of an owner whose name says none.
        let owned_by_colour = token.owner.is_some_and(|role| of_name(&self.roles[role]).is_some());
        if !owned_by_colour && let Some(colour) = token.content.iter().find(|value| is_name(value)) {
            return of_name(colour);
        }
        let owner = token.owner.or_else(by_mark).or_else(|| stroke_owner(self, &name));
        // A letter may stand for a team: for all roles with this initial, if they have one colour.
        let team = || {
            let initial = |role: &&String| {
                name.len() == 1 && role.to_ascii_lowercase().starts_with(&name.to_ascii_lowercase())
            };
            let mut colours = self
                .roles
                .iter()
                .zip(&self.colours)
                .filter(|(role, _)| initial(role))
                .map(|(_, colour)| colour);
            let first = colours.next()?;
            (of_name(&name).is_none() && colours.all(|colour| colour == first)).then_some(first)
        };
        match owner.and_then(|role| self.colours.get(role)).or_else(team) {
            Some(colour) => Some(colour),
            None => {
                token.content.iter().find_map(|value| of_name(value)).filter(|_| !self.blocks.contains(&name))
            }
        }
    }

    /// The picture of `token` as SVG elements, in a box of 100 by 100.
    ///
    /// # Examples
    /// ```
    /// use ggp_game::{Fact, Game};
    /// use ggp_view::Labels;
    /// let rules = b"(role red) (row 1) (row 2) (init (at 1 1 red)) (<= (base (at ?x ?y red)) (row ?x) (row ?y))
    ///     (<= (legal red (go ?x ?y)) (row ?x) (row ?y)) (<= (next (at ?x ?y red)) (does red (go ?x ?y)))
    ///     (<= terminal (true (at 2 2 red))) (goal red 0)";
    /// let model = ggp_view::infer(&Game::new(ggp_gdl::parse(rules).unwrap()).unwrap(), &[]);
    /// let position = model.place(&[Fact::new("(at 1 1 red)").unwrap()]);
    /// let token = position.squares.iter().flatten().next().unwrap();
    /// assert!(model.picture(token, &Labels::new(&model, false)).contains("<circle"));
    /// ```
    pub fn picture(&self, token: &Token, labels: &Labels) -> String {
        let shape = shape(self, labels, token);
        let colour = self.colour(token);
        let paint = Paint::new(colour);
        let mut out = String::new();
        match shape {
            Shape::Chessman(outline) => paint.figure(&mut out, outline),
            Shape::Stone { radius, crowned } => {
                paint.disc(&mut out, radius);
                if crowned {
                    let _ = write!(out, r#"<path d="{CROWN}" fill="{}"/>"#, paint.ink);
                }
            }
            Shape::Cross => paint.stroke(&mut out, r#"<path d="M24 24L76 76M76 24L24 76""#),
            Shape::Ring => paint.stroke(&mut out, r#"<circle cx="50" cy="50" r="27""#),
            Shape::Block => {
                let fill = colour.unwrap_or("var(--block, #5c5548)");
                let _ = write!(
                    out,
                    r#"<rect x="3" y="3" width="94" height="94" rx="6" fill="{fill}"/><path d="M3 35H97M3 66H97M34 3V35M66 35V66M34 66V97" stroke="var(--mortar, #7d7565)" stroke-width="3" fill="none"/>"#
                );
            }
            Shape::Dot => {
                out.push_str(
                    r##"<circle cx="50" cy="50" r="13" fill="#e8b923" stroke="#0006" stroke-width="3"/>"##,
                );
            }
            Shape::Text(text) => label(&mut out, &text, 50, "var(--pencil, #2c2a24)", 0.95),
            Shape::Labelled { text, owned } => {
                if owned {
                    paint.disc(&mut out, DISC);
                } else {
                    let _ = write!(
                        out,
                        r#"<rect x="7" y="7" width="86" height="86" rx="10" fill="{}" stroke="{}" stroke-width="2"/>"#,
                        paint.fill, paint.edge
                    );
                }
                label(&mut out, &text, 50, paint.ink, if owned { 0.82 } else { 1.0 });
            }
            Shape::Seeds(seeds) => pit(&mut out, seeds),
            Shape::Mark(mark) => {
                mark_picture(&mut out, mark, token.layer == 0 && self.layers.len() == 1, colour);
            }
        }
        out
    }
}

/// The colours of one thing.
struct Paint<'a> {
    fill: &'a str,
    ink: &'static str,
    edge: &'static str,
    outline: &'static str,
}

impl<'a> Paint<'a> {
    fn new(colour: Option<&'a str>) -> Paint<'a> {
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

    fn disc(&self, out: &mut String, radius: u32) {
        let Paint { fill, edge, .. } = self;
        let _ = write!(
            out,
            r##"<circle cx="50" cy="54" r="{radius}" fill="#0003"/><circle cx="50" cy="50" r="{radius}" fill="{fill}" stroke="{edge}" stroke-width="2"/><circle cx="50" cy="50" r="{}" fill="none" stroke="{}" stroke-width="2" opacity="0.5"/>"##,
            radius.saturating_sub(8),
            if self.ink == "#ffffff" { "#fff8" } else { edge },
        );
    }

    fn figure(&self, out: &mut String, outline: &str) {
        let Paint { fill, outline: stroke, .. } = self;
        let _ = write!(
            out,
            r#"<path d="{outline}" fill="{fill}" stroke="{stroke}" stroke-width="3" stroke-linejoin="round" fill-rule="evenodd"/>"#
        );
    }

    fn stroke(&self, out: &mut String, element: &str) {
        let fill = self.fill;
        let _ = write!(
            out,
            r#"{element} fill="none" stroke="{fill}" stroke-width="13" stroke-linecap="round"/>"#
        );
    }
}

/// Writes a text in the middle of the box. `scale` makes it smaller.
pub(crate) fn label(out: &mut String, text: &str, y: u32, ink: &str, scale: f64) {
    let size = match text.chars().count() {
        0 | 1 => 50.0,
        2 => 38.0,
        3 => 30.0,
        4 => 26.0,
        5 => 23.0,
        6 => 20.0,
        7 => 18.0,
        _ => 150.0 / text.chars().count() as f64,
    } * scale;
    let _ = write!(
        out,
        r#"<text x="50" y="{y}" text-anchor="middle" dominant-baseline="central" font-size="{size:.0}" font-weight="700" font-family="system-ui, sans-serif" fill="{ink}">{}</text>"#,
        escaped(text)
    );
}

/// Draws the seeds in a pit and their number.
fn pit(out: &mut String, seeds: u64) {
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

/// Draws a mark of a layer whose facts name only squares.
fn mark_picture(out: &mut String, mark: &str, alone: bool, colour: Option<&str>) {
    let fill = colour.unwrap_or("var(--mark, #6d5f8d)");
    let _ = match mark {
        "●" if alone => {
            write!(out, r#"<rect x="12" y="12" width="76" height="76" rx="14" fill="{fill}"/>"#)
        }
        "●" | "*" => write!(out, r#"<circle cx="50" cy="50" r="15" fill="{fill}"/>"#),
        "▪" => write!(out, r#"<rect x="68" y="10" width="22" height="22" rx="4" fill="{fill}"/>"#),
        "◦" => {
            write!(out, r#"<circle cx="21" cy="79" r="10" fill="none" stroke="{fill}" stroke-width="6"/>"#)
        }
        _ => write!(out, r#"<path d="M79 66V92M66 79H92" stroke="{fill}" stroke-width="7"/>"#),
    };
}

/// `text` without the characters that mean something in SVG.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn names_are_no_markup() {
        assert_eq!(escaped("<b onload=\"x\">&\u{0}'"), "&lt;b onload=&quot;x&quot;&gt;&amp; &#39;");
    }
}
