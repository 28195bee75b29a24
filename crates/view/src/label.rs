//! Labels: short texts that are drawn for the things on squares. If all names of things have at most three
//! characters, each name is its own label. If some name is longer, all names of three or more characters are
//! replaced by short labels that differ from each other.

use crate::model::BoardModel;
use crate::position::Token;
use rustc_hash::{FxHashMap, FxHashSet};

/// The largest number of characters of a value's label.
const MAX_LABEL: usize = 3;

/// The labels of the values that stand for things on squares, and the marks of layers. A mark is a character
/// such as `●`. Equal values may have different labels at different indices in [`Token::content`], so a label
/// is found by value and index.
#[derive(Debug)]
pub struct Labels {
    by_value: FxHashMap<(usize, String), String>,
    marks: Vec<Option<String>>,
    ascii: bool,
}

/// The marks: characters that are drawn for layers whose facts hold only coordinates, so that no thing has a
/// name. The first such layer gets the first mark, and so on. A glyph for the name of the fluent replaces the mark.
const MARKS: [&str; 4] = ["●", "▪", "◦", "+"];
const ASCII_MARKS: [&str; 4] = ["*", "+", "o", "~"];

impl Labels {
    /// Makes the labels of the contents of `model`. If `ascii` is true, only glyphs in ASCII are used.
    pub fn new(model: &BoardModel, ascii: bool) -> Labels {
        let mut by_value = FxHashMap::default();
        let places = model.layers.iter().map(|layer| layer.values.len()).max().unwrap_or(0);
        for place in 0..places {
            let mut values: Vec<&String> = Vec::new();
            for value in model.layers.iter().filter_map(|layer| layer.values.get(place)).flatten() {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            for (value, label) in label_all(&values, model, ascii) {
                by_value.insert((place, value), label);
            }
        }
        let mut count = 0;
        let marks = model.layers.iter().map(|layer| {
            let nothing = layer.marks_nothing() && model.layers.len() > 1;
            (layer.content.is_empty() && !nothing).then(|| {
                count += 1;
                let mark = if ascii { ASCII_MARKS[(count - 1) % 4] } else { MARKS[(count - 1) % 4] };
                let glyph = model.glyphs.get(&layer.relation).filter(|glyph| !ascii || glyph.is_ascii());
                glyph.cloned().unwrap_or_else(|| mark.to_owned())
            })
        });
        Labels { marks: marks.collect(), by_value, ascii }
    }

    /// The mark that is drawn on the squares of the layer with index `layer`. `None` if the layer shows
    /// things with labels instead, or shows nothing.
    pub fn mark(&self, layer: usize) -> Option<&str> {
        self.marks.get(layer)?.as_deref()
    }

    /// The label of `value`, which is at the index `place` in [`Token::content`].
    pub(crate) fn value(&self, place: usize, value: &str) -> String {
        let label = self.by_value.get(&(place, value.to_owned())).cloned();
        label.unwrap_or_else(|| value.chars().take(MAX_LABEL).collect())
    }

    /// The glyph in `model` that stands for all values of [`Token::content`] together. `None` if there is no
    /// such glyph, or if only ASCII may be used and the glyph is not ASCII.
    pub fn glyph<'a>(&self, token: &Token, model: &'a BoardModel) -> Option<&'a String> {
        model.glyphs.get(&token.content.join(" ")).filter(|glyph| !self.ascii || glyph.is_ascii())
    }

    /// The label of a token.
    pub fn of(&self, token: &Token, model: &BoardModel) -> String {
        if let Some(glyph) = self.glyph(token, model) {
            return glyph.clone();
        }
        token.content.iter().enumerate().map(|(place, value)| self.value(place, value)).collect()
    }
}

/// Labels that distinguish `values` from each other, as pairs of a value and its label. An abbreviation is no glyph of
/// `model`, so that no two things look alike.
pub(crate) fn label_all(values: &[&String], model: &BoardModel, ascii: bool) -> Vec<(String, String)> {
    let glyph = |value: &String| model.glyphs.get(value).filter(|glyph| !ascii || glyph.is_ascii());
    let drawn: FxHashSet<&String> = values.iter().filter_map(|&value| glyph(value)).collect();
    let mut labels: Vec<(String, String)> = Vec::new();
    let mut taken: FxHashSet<String> = model.glyphs.values().cloned().collect();
    let mut long: Vec<&String> = Vec::new();
    // If a name is longer than three characters, names of three characters are cut too: `red` becomes `r`
    // beside `blue`.
    let cut =
        values.iter().any(|value| value.chars().count() > MAX_LABEL && !model.glyphs.contains_key(*value));
    let longest = if cut { 2 } else { MAX_LABEL };
    for &value in values {
        match glyph(value) {
            Some(glyph) => labels.push((value.clone(), glyph.clone())),
            None if value.chars().count() <= longest && !drawn.contains(&value) => {
                taken.insert(value.clone());
                labels.push((value.clone(), value.clone()));
            }
            None => long.push(value),
        }
    }
    // Beside a king, a knight is an N, as chess players write it.
    let is = |value: &String, name: &str| value.eq_ignore_ascii_case(name);
    if long.iter().any(|value| is(value, "king"))
        && let Some(at) = long.iter().position(|value| is(value, "knight"))
        && taken.insert("n".to_owned())
    {
        labels.push((long.remove(at).clone(), "n".to_owned()));
    }
    for (number, value) in long.iter().enumerate() {
        let candidates = abbreviations(value);
        let free = |label: &&String| !taken.contains(*label);
        let label = candidates.iter().filter(free).find(|label| is_unique(label, value, &long));
        let label = label.or_else(|| candidates.iter().find(free)).cloned();
        let label = label.unwrap_or_else(|| format!("#{number}"));
        taken.insert(label.clone());
        labels.push(((*value).clone(), label));
    }
    labels
}

/// Whether no value in `long` other than `value` begins with `label`. Upper and lower case count as equal.
fn is_unique(label: &str, value: &str, long: &[&String]) -> bool {
    let folded = label.to_lowercase();
    !long.iter().any(|other| other.as_str() != value && other.to_lowercase().starts_with(&folded))
}

/// Abbreviations of a long name, best first: the initials of its words, then its first one to three letters,
/// then its first letter followed by one or two of its later consonants.
fn abbreviations(value: &str) -> Vec<String> {
    let letters: Vec<char> = value.chars().filter(|c| c.is_alphanumeric()).collect();
    let mut out: Vec<String> = Vec::new();
    let Some(&first) = letters.first() else { return out };
    // Word boundaries as in `bluePawn` and `blue_pawn`.
    let mut words = vec![first];
    let mut previous = first;
    let mut after_break = false;
    for c in value.chars().skip(1) {
        let joint =
            c.is_uppercase() && previous.is_lowercase() || c.is_ascii_digit() && !previous.is_ascii_digit();
        if c.is_alphanumeric() && (after_break || joint) {
            words.push(c);
        }
        after_break = !c.is_alphanumeric();
        previous = c;
    }
    let text = |chars: &[char]| chars.iter().collect::<String>();
    if (2..=MAX_LABEL).contains(&words.len()) {
        out.push(text(&words));
    }
    out.extend((1..=MAX_LABEL.min(letters.len())).map(|n| text(&letters[..n])));
    let rest = letters.iter().skip(1).filter(|c| !"aeiouAEIOU".contains(**c));
    for c in rest.clone() {
        out.push(text(&[first, *c]));
    }
    for (i, a) in rest.clone().enumerate() {
        for b in rest.clone().skip(i + 1) {
            out.push(text(&[first, *a, *b]));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{abbreviations, label_all};
    use crate::sample::model;

    #[test]
    fn no_label_looks_like_the_glyph_of_another_thing() {
        let rules = "(role a) (legal a go) (next on) (<= terminal (true on)) (goal a 100)";
        let mut model = model(rules);
        let glyph = |(name, glyph): (&str, &str)| (name.to_owned(), glyph.to_owned());
        model.glyphs.extend([("stone", "c"), ("x", "o")].map(glyph));
        let names = ["stone", "coin", "x", "o"].map(str::to_owned);
        let values: Vec<&String> = names.iter().collect();
        let labels = label_all(&values, &model, false);
        let of = |name: &str| labels.iter().find(|label| label.0 == name).map(|label| label.1.as_str());
        assert_eq!(
            [of("stone"), of("coin"), of("x"), of("o")],
            [Some("c"), Some("co"), Some("o"), Some("#1")]
        );
    }

    #[test]
    fn names_are_cut_where_words_join_then_at_the_start_then_by_consonants() {
        assert_eq!(abbreviations("bluePawn")[0], "bP");
        assert_eq!(abbreviations("blue_pawn")[0], "bp");
        assert_eq!(abbreviations("terrorist3")[0], "t3");
        let king = abbreviations("king");
        assert_eq!(king[..4], ["k", "ki", "kin", "kn"]);
        assert!(abbreviations("").is_empty() && abbreviations("++").is_empty());
    }
}
