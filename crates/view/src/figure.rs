//! Pictures of things, as SVG in a box of 100 by 100: chess and draughts men, stones, crosses and rings, blocks, and for
//! everything else a disc or a plate with its name. A disc belongs to a role, a plate to nobody.

use crate::colour::{is_name, of_name};
use crate::emblem::{Emblem, emblem};
use crate::label::Labels;
use crate::model::{BoardModel, Cell};
use crate::paint::{Paint, label, mark_picture, pit};
use crate::position::Token;
use ggp_game::split_term;
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
/// The colour of a mark in a pit, unlike that of seeds.
const IN_PIT: &str = "#4fc3c7";
/// The radius of a disc.
const DISC: u32 = 38;
/// The largest number of letters of a word that are written on a plate as they are.
const WORD: usize = 9;

/// The colours of kinds of persons that belong to no role.
const PERSONS: [&str; 4] = ["#2f6fd0", "#b0413e", "#2f8f57", "#8a5a3a"];

/// What a thing looks like, before its colour.
enum Shape<'a> {
    Chessman(&'static str),
    Emblem { emblem: Emblem, text: String, kind: usize },
    Trail,
    Lamp { text: String, light: f64 },
    Shaded(String),
    Bar(u8),
    Wedge { text: String, ahead: i32, promoted: bool },
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
        return mark_shape(model, token, mark);
    }
    let name = token.content.join(" ");
    if let Some(shape) = told_shape(model, labels, token, &label) {
        return shape;
    }
    let is_role = |value: &String| model.roles.iter().any(|role| role.eq_ignore_ascii_case(value));
    match label.as_str() {
        "⛁" | "⛃" => return Shape::Stone { radius: 36, crowned: true },
        "○" | "●" | "⛀" | "⛂" => return Shape::Stone { radius: 36, crowned: false },
        _ => {}
    }
    if let Some(stroke) = stroke(&name) {
        return stroke;
    }
    if labels.glyph(token, model).is_none()
        && let Some(shape) = pictured(model, token)
    {
        return shape;
    }
    if model.cell == Cell::Pit
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
    if model.trails.contains(&name) && token.content.len() == 1 {
        return Shape::Trail;
    }
    if token.owner.is_none() && label.parse::<i64>().is_ok() {
        return Shape::Text(label);
    }
    if is_small(&name) {
        return Shape::Dot;
    }
    let has_glyph = labels.glyph(token, model).is_some();
    let name = name.replace(['(', ')'], "");
    let longest = crate::term::words(&name).split(' ').map(|word| word.chars().count()).max().unwrap_or(0);
    let word = if longest <= WORD
        && name.chars().count() <= 2 * WORD
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
    if token.owner.is_some() && model.has_one_kind() {
        return Shape::Stone { radius: 36, crowned: false };
    }
    let initial = |role: &String| role.to_ascii_lowercase().starts_with(&name.to_ascii_lowercase());
    let team = token.owner.is_none() && name.len() == 1 && model.roles.iter().any(initial);
    if team && model.colour(token).is_some() {
        return Shape::Stone { radius: 36, crowned: false };
    }
    Shape::Labelled { text: word, owned: token.owner.is_some() }
}

/// The picture of a mark of a layer whose facts name only squares. A mark that goes about as the only one of its kind is a
/// man.
fn mark_shape<'a>(model: &BoardModel, token: &Token, mark: &'a str) -> Shape<'a> {
    let layer = &model.layers[token.layer];
    if let Some(stroke) = stroke(&layer.relation) {
        return stroke;
    }
    if let Some(emblem) = emblem(&layer.relation, std::iter::empty()) {
        return Shape::Emblem { emblem, text: String::new(), kind: 0 };
    }
    if layer.walker && !model.glyphs.contains_key(&layer.relation) {
        let first = model.layers.iter().position(|layer| layer.walker) == Some(token.layer);
        if first {
            return Shape::Stone { radius: 34, crowned: false };
        }
    }
    Shape::Mark(mark)
}

/// The shape of a thing of which the rules tell more than a name: a light that goes out, a square that is shaded, a thing
/// with a size, a man that goes ahead.
fn told_shape<'a>(model: &BoardModel, labels: &Labels, token: &Token, label: &str) -> Option<Shape<'a>> {
    let first = token.content.first()?;
    if let Some(place) = model.fading.iter().position(|value| value == first) {
        let light = 1.0 - place as f64 / model.fading.len() as f64;
        return Some(Shape::Lamp { text: label.to_owned(), light });
    }
    if let ([number, state], Some([plain, shaded])) = (token.content.as_slice(), &model.shades) {
        return match state {
            state if state == plain => Some(Shape::Text(labels.value(0, number))),
            state if state == shaded => Some(Shape::Shaded(labels.value(0, number))),
            _ => None,
        };
    }
    if let Some(size) = model.sizes.get(first) {
        return Some(Shape::Bar(*size));
    }
    let ahead = *model.ahead.get(token.owner?).filter(|ahead| **ahead != 0)?;
    let kind = token.content.iter().enumerate().find(|(_, value)| !model.roles.contains(value))?;
    let states = || token.content.iter().skip(kind.0 + 1);
    Some(Shape::Wedge {
        text: labels.value(kind.0, kind.1).to_uppercase(),
        ahead,
        promoted: states().any(|value| value.to_ascii_lowercase().starts_with("promoted")),
    })
}

/// The picture that the name of a thing tells.
fn pictured<'a>(model: &BoardModel, token: &Token) -> Option<Shape<'a>> {
    let kinds: Vec<(usize, &String)> =
        token.content.iter().enumerate().filter(|(_, value)| !model.roles.contains(value)).collect();
    // A role may be called like the thing that it moves.
    let (place, kind) = match kinds.as_slice() {
        [] => (0, token.content.first().filter(|_| token.content.len() == 1)?),
        [only] => *only,
        _ => return None,
    };
    let others = model.layers[token.layer].values.get(place)?;
    let own = token.owner.map(|role| model.roles[role].as_str()).filter(|role| *role != kind);
    let name = own.and_then(|role| kind.strip_prefix(role)).unwrap_or(kind);
    // A term such as `(key brass)` is a key.
    let name = split_term(name).0;
    let emblem = emblem(name, others.iter())?;
    // A role may be called left, and gold may be a metal.
    if matches!(emblem, Emblem::Gem | Emblem::Arrow(_)) && token.owner.is_some() {
        return None;
    }
    // Persons of one kind are told apart by their numbers, and from other persons by an initial.
    let is_person =
        |value: &&String| crate::emblem::emblem(value, std::iter::empty()) == Some(Emblem::Person);
    let text = if emblem == Emblem::Person && others.iter().filter(is_person).count() > 1 {
        let number: String = name.chars().filter(char::is_ascii_digit).collect();
        format!("{}{number}", name.chars().next().unwrap_or(' '))
    } else {
        String::new()
    };
    // Each kind of persons has its own colour.
    let stem = |value: &String| value.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    let mut stems: Vec<String> = others.iter().filter(is_person).map(stem).collect();
    stems.dedup();
    let kind = stems.iter().position(|known| *known == stem(&name.to_owned())).unwrap_or(0);
    Some(Shape::Emblem { emblem, text, kind })
}

/// Whether a name is that of a thing so small that it is drawn as a dot.
pub(crate) fn is_small(name: &str) -> bool {
    matches!(name.to_ascii_lowercase().as_str(), "pellet" | "dot" | "point" | "pill" | "food" | "crumb")
}

/// The stroke of noughts and crosses that `name` names.
fn stroke(name: &str) -> Option<Shape<'static>> {
    Some(if crate::stroke::stroke(name)? == 'x' { Shape::Cross } else { Shape::Ring })
}

/// How a thing stands on a square that it shares with others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stand {
    /// Below all others, on the whole square.
    Ground,
    /// Before the others.
    Man,
    /// Behind a man, and beside other things.
    Item,
    /// In a corner.
    Mark,
}

impl BoardModel {
    /// Whether each role that owns things owns things of one kind only, so that the colour of its owner tells all about a
    /// thing.
    fn has_one_kind(&self) -> bool {
        let one = self.layers.iter().all(|layer| layer.content.len() <= 1 && layer.to.is_none());
        let owned = |role: usize| self.owners.iter().filter(|(_, owner)| **owner == role).count();
        one && (0..self.roles.len()).filter(|role| owned(*role) == 1).count() >= 2
            && (0..self.roles.len()).all(|role| owned(role) <= 1)
    }

    /// How a thing that has a name stands on a square that it shares.
    pub(crate) fn stand(&self, token: &Token) -> Stand {
        let name = token.content.join(" ");
        let emblem = match pictured(self, token) {
            Some(Shape::Emblem { emblem, .. }) => Some(emblem),
            _ => None,
        };
        match emblem {
            _ if is_small(&name) => Stand::Mark,
            Some(
                Emblem::Hole | Emblem::Door | Emblem::Trap | Emblem::Flame | Emblem::Flag | Emblem::Arrow(_),
            ) => Stand::Ground,
            Some(Emblem::Person | Emblem::Mummy | Emblem::Ghost(_) | Emblem::Muncher | Emblem::Ship) => {
                Stand::Man
            }
            _ if token.owner.is_some() => Stand::Man,
            _ => Stand::Item,
        }
    }

    /// Whether a thing is a hole, which is not seen below a man.
    pub(crate) fn is_hole(&self, token: &Token) -> bool {
        matches!(pictured(self, token), Some(Shape::Emblem { emblem: Emblem::Hole, .. }))
    }

    /// Whether a thing is drawn as a disc in the colour of its owner, not in one that its own name tells.
    pub(crate) fn is_disc(&self, token: &Token) -> bool {
        let labels = Labels::new(self, false);
        let round = matches!(
            shape(self, &labels, token),
            Shape::Stone { .. } | Shape::Labelled { .. } | Shape::Chessman(_) | Shape::Emblem { .. }
        );
        round && !token.content.iter().any(|value| of_name(value).is_some())
    }

    /// Whether the marks of a layer are noughts or crosses.
    pub(crate) fn is_stroke(&self, token: &Token) -> bool {
        self.layers.get(token.layer).is_some_and(|layer| stroke(&layer.relation).is_some())
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
            Shape::Chessman(outline) => paint.figure(&mut out, outline, colour.is_none()),
            Shape::Emblem { emblem, text, kind } => {
                let own = colour.or_else(|| PERSONS.get(kind).copied().filter(|_| emblem == Emblem::Person));
                emblem.draw(&mut out, own);
                if !text.is_empty() {
                    label(&mut out, &text, 72, "#ffffff", 0.7);
                }
            }
            Shape::Lamp { text, light } => {
                let _ = write!(
                    out,
                    r##"<rect x="4" y="4" width="92" height="92" rx="10" fill="#f5c518" opacity="{:.2}"/>"##,
                    0.35 + 0.65 * light
                );
                label(&mut out, &text, 50, "#2c2a24", 0.95);
            }
            Shape::Trail => {
                let fill = colour.unwrap_or("#8f9d62");
                let _ = write!(out, r#"<rect x="2" y="2" width="96" height="96" rx="24" fill="{fill}"/>"#);
            }
            Shape::Shaded(text) => {
                out.push_str(r##"<rect x="-3" y="-3" width="106" height="106" fill="#2c2a24"/>"##);
                label(&mut out, &text, 50, "#b9b2a3", 0.95);
            }
            Shape::Bar(size) => {
                let width = 16 + u32::from(size) * 84 / 100;
                let _ = write!(
                    out,
                    r##"<rect x="{}" y="24" width="{width}" height="56" rx="14" fill="#a8672f" stroke="#0007" stroke-width="2.5"/>"##,
                    50.0 - f64::from(width) / 2.0
                );
                let number: String = token.content.concat().chars().filter(char::is_ascii_digit).collect();
                label(&mut out, &number, 53, "#fff7e0", 0.7);
            }
            Shape::Wedge { text, ahead, promoted } => {
                paint.wedge(&mut out, ahead);
                let ink = if promoted { "#d0393f" } else { paint.ink };
                label(&mut out, &text, if ahead < 0 { 58 } else { 44 }, ink, 0.8);
            }
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
                let colour = colour.or((self.cell == Cell::Pit).then_some(IN_PIT));
                mark_picture(&mut out, mark, token.layer == 0 && self.layers.len() == 1, colour);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use crate::Labels;
    use crate::sample::{facts, model};

    #[test]
    fn a_thing_that_is_a_term_is_pictured_by_its_function_or_has_its_words_on_a_plate() {
        let rules = "(role r) (line 1) (line 2) (line 3) (after 1 2) (after 2 3) (init (lying 2 2 (key brass)))
            (init (lying 1 1 (cup (of tin)))) (init (lying 3 3 (cup (of tin)))) (init (lying 3 1 (cup (of tin))))
            (<= (legal r (take ?x ?y)) (line ?x) (line ?y))
            (<= (next (lying ?x ?y ?t)) (true (lying ?x ?y ?t)) (not (does r (take ?x ?y))))
            (<= (goal r 0) (role r)) (<= terminal (not (true (lying 2 2 (key brass)))))";
        let model = model(rules);
        let position = model.place(&facts(&["(lying 2 2 (key brass))", "(lying 3 3 (cup (of tin)))"]));
        let labels = Labels::new(&model, false);
        let pictures: Vec<String> =
            position.squares.iter().flatten().map(|token| model.picture(token, &labels)).collect();
        // The first row is at the bottom.
        let [cup, key] = pictures.as_slice() else { panic!("{pictures:?}") };
        assert!(cup.contains(">cup of<") && cup.contains(">tin<"), "{cup}");
        assert!(key.contains("<circle") && !key.contains("<text"), "{key}");
    }
}
