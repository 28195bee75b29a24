//! Short names of contents: as they are up to three characters, else cut to the fewest that tell
//! them apart.

use crate::model::BoardModel;
use crate::position::Token;
use rustc_hash::{FxHashMap, FxHashSet};

/// The longest label of one value.
const MAX_LABEL: usize = 3;

/// The label of each content of a model.
#[derive(Debug)]
pub(crate) struct Labels {
    labels: FxHashMap<String, String>,
    ascii: bool,
    /// The longest label of any content by itself.
    pub(crate) width: usize,
}

impl Labels {
    /// The labels of the contents of `model`; glyphs count unless they are to be ASCII.
    pub(crate) fn new(model: &BoardModel, ascii: bool) -> Labels {
        let mut labels: FxHashMap<String, String> = FxHashMap::default();
        let mut taken: FxHashSet<String> = FxHashSet::default();
        let mut long: Vec<&String> = Vec::new();
        for value in &model.contents {
            match model.glyphs.get(value).filter(|glyph| !ascii || glyph.is_ascii()) {
                Some(glyph) => {
                    labels.insert(value.clone(), glyph.clone());
                }
                None if value.chars().count() <= MAX_LABEL => {
                    taken.insert(value.clone());
                    labels.insert(value.clone(), value.clone());
                }
                None => long.push(value),
            }
        }
        for (number, value) in long.iter().enumerate() {
            let label = abbreviations(value)
                .into_iter()
                .find(|label| !taken.contains(label) && is_unique(label, value, &long))
                .or_else(|| abbreviations(value).into_iter().find(|label| !taken.contains(label)))
                .unwrap_or_else(|| format!("#{number}"));
            taken.insert(label.clone());
            labels.insert((*value).clone(), label);
        }
        let width = labels.values().map(|label| label.chars().count()).max().unwrap_or(1);
        Labels { labels, ascii, width: width.min(MAX_LABEL) }
    }

    /// The label of one value.
    pub(crate) fn value(&self, value: &str) -> String {
        self.labels.get(value).cloned().unwrap_or_else(|| value.chars().take(MAX_LABEL).collect())
    }

    /// The label of a token: of its owner's name and of what it is.
    pub(crate) fn of(&self, token: &Token, model: &BoardModel) -> String {
        let whole = token.content.join(" ");
        if let Some(glyph) = model.glyphs.get(&whole).filter(|glyph| !self.ascii || glyph.is_ascii()) {
            return glyph.clone();
        }
        token.content.iter().map(|value| self.value(value)).collect()
    }
}

/// Whether no other value that has to be shortened begins as `label` does.
fn is_unique(label: &str, value: &str, long: &[&String]) -> bool {
    let folded = label.to_lowercase();
    !long.iter().any(|other| other.as_str() != value && other.to_lowercase().starts_with(&folded))
}

/// What could stand for a long name, best first: its beginning, its capitals, its consonants.
fn abbreviations(value: &str) -> Vec<String> {
    let letters: Vec<char> = value.chars().filter(|c| c.is_alphanumeric()).collect();
    let mut out: Vec<String> = Vec::new();
    let Some(&first) = letters.first() else { return out };
    // Where words join: `bluePawn`, `blue_pawn`.
    let mut words = vec![first];
    let mut previous = first;
    let mut after_break = false;
    for c in value.chars().skip(1) {
        let joint = c.is_uppercase() && previous.is_lowercase() || c.is_ascii_digit() && !previous.is_ascii_digit();
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
