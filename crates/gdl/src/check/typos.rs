//! Detects names that are probably misspelled.
//!
//! Two names are similar if they differ by one substituted, missing, additional or transposed letter; four in
//! five spelling errors are of this kind (Damerau 1964).

use super::inference::word_at;
use super::{Checker, Weight};
use crate::ast::Span;
use crate::diagnostic::Diagnostic;
use crate::domains::Give;
use crate::keyword::{Connective, Keyword};
use crate::lexer::{Lexer, TokenKind};
use rustc_hash::FxHashMap;

/// The minimum length of the names to check, in characters. Shorter names such as `x1` and `y1` often differ
/// by one letter on purpose.
const SHORTEST: usize = 5;
/// The minimum length of a value that is compared with the other values of its place, in characters.
const SHORTEST_VALUE: usize = 3;
/// The maximum length of the names to check, in bytes. It keeps the work linear in the text.
const LONGEST: usize = 40;
/// A name with at least this many occurrences counts as correct. A similar name that occurs only once is then
/// suspect.
const OFTEN: usize = 3;

/// The candidate most similar to `name`; `None` if no candidate is similar enough. Looks at the first 10,000
/// candidates only.
pub(super) fn suggest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LONGEST {
        return None;
    }
    let most = if name.chars().count() < SHORTEST { 1 } else { 2 };
    candidates
        .into_iter()
        .take(10_000)
        .filter(|c| *c != name && c.len() <= LONGEST && c.len().abs_diff(name.len()) <= 2 * most)
        .map(|c| (distance(name, c), c))
        .filter(|&(d, c)| d <= most && 2 * d < c.chars().count().min(name.chars().count()))
        .min_by_key(|&(d, _)| d)
        .map(|(_, c)| c)
}

/// The value most similar to `name` among the values of one place, of which there are few. They may be shorter than
/// names in general.
pub(super) fn suggest_value<'a>(name: &str, values: &[&'a str]) -> Option<&'a str> {
    const FEW: usize = 12;
    let near = || {
        let is_near = |value: &&&str| {
            value.chars().count().max(name.chars().count()) >= SHORTEST_VALUE && is_slip(name, value)
        };
        if values.len() <= FEW { values.iter().find(is_near).copied() } else { None }
    };
    let contains = || {
        let is_part = |value: &&&str| {
            value.len() >= SHORTEST_VALUE
                && distance(name, value) == 1
                && !ends_in_digit(name)
                && !ends_in_digit(value)
        };
        if values.len() <= FEW { values.iter().find(is_part).copied() } else { None }
    };
    suggest(name, values.iter().copied()).or_else(near).or_else(contains)
}

fn ends_in_digit(name: &str) -> bool {
    name.ends_with(|c: char| c.is_ascii_digit())
}

/// The Damerau-Levenshtein distance (optimal string alignment) of two names, in characters.
fn distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().collect();
    let right: Vec<char> = right.chars().collect();
    let width = right.len() + 1;
    let mut table = vec![0; (left.len() + 1) * width];
    for i in 0..=left.len() {
        for j in 0..=right.len() {
            table[i * width + j] = if i == 0 || j == 0 {
                i + j
            } else {
                let changed = usize::from(left[i - 1] != right[j - 1]);
                let mut best = table[(i - 1) * width + j - 1] + changed;
                best = best.min(table[(i - 1) * width + j] + 1).min(table[i * width + j - 1] + 1);
                if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                    best = best.min(table[(i - 2) * width + j - 2] + 1);
                }
                best
            };
        }
    }
    table[left.len() * width + right.len()]
}

/// Reports names that occur once and are one edit away from a name that occurs at least `OFTEN` times.
pub(super) fn check(checker: &mut Checker<'_>) {
    let source = &checker.description.source;
    let mut names: Vec<(&str, Span, usize)> = Vec::new();
    let mut by_name: FxHashMap<&str, usize> = FxHashMap::default();
    for token in Lexer::new(source).filter(|t| t.kind == TokenKind::Word) {
        let Ok(name) = std::str::from_utf8(&source[token.span.range()]) else { continue };
        let is_word = name.len() <= LONGEST && name.chars().count() >= SHORTEST && !name.starts_with('?');
        if !is_word || Keyword::of(name).is_some() || Connective::of(name).is_some() {
            continue;
        }
        let next = names.len();
        let at = *by_name.entry(name).or_insert(next);
        if at == next {
            names.push((name, token.span, 0));
        }
        names[at].2 += 1;
    }
    // If two names have distance 1, deleting at most one letter from each of them can give the same string.
    let mut by_shortened: FxHashMap<String, Vec<usize>> = FxHashMap::default();
    for (at, &(name, _, count)) in names.iter().enumerate() {
        if count >= OFTEN {
            for shortened in shortenings(name) {
                by_shortened.entry(shortened).or_default().push(at);
            }
        }
    }
    for &(name, span, count) in &names {
        if count != 1 {
            continue;
        }
        let similar = shortenings(name)
            .filter_map(|shortened| by_shortened.get(&shortened))
            .flatten()
            .map(|&at| names[at])
            .filter(|&(other, ..)| is_slip(name, other))
            .max_by_key(|&(.., count)| count);
        if let Some((other, first, count)) = similar {
            let diagnostic = Diagnostic::warning(
                "probable-typo",
                span,
                format!("`{name}` occurs only here, while `{other}` occurs {count} times"),
            )
            .and_at(first, format!("`{other}` first stands here"))
            .did_you_mean(span, other);
            checker.report(Weight::Lint, diagnostic);
        }
    }
}

/// Reports a constant that stands once in the text, in a head, if it is one edit away from another value of its
/// place that stands there at least [`OFTEN`] times. Such values may be shorter than [`SHORTEST`].
pub(super) fn check_values(checker: &mut Checker<'_>) {
    let description = checker.description;
    let wide = &checker.inference.wide;
    let mut counts: FxHashMap<&[u8], usize> = FxHashMap::default();
    for token in Lexer::new(&description.source).filter(|token| token.kind == TokenKind::Word) {
        *counts.entry(&description.source[token.span.range()]).or_default() += 1;
    }
    let count = |name: &str| counts.get(name.as_bytes()).copied().unwrap_or(0);
    for (rule, clause) in checker.rules().map(|(_, rule)| rule).zip(&checker.inference.clauses.all) {
        for &give in &clause.gives {
            let Give::Constant(place, value) = give else { continue };
            let name = description.name(value);
            let length = name.chars().count();
            if count(name) != 1 || !(SHORTEST_VALUE..SHORTEST).contains(&length) || wide.is_open(place) {
                continue;
            }
            let others = wide.constants(place).iter().map(|&other| description.name(other));
            let similar = others.filter(|other| count(other) >= OFTEN && is_slip(name, other));
            let Some(other) = similar.max_by_key(|other| count(other)) else { continue };
            let Some(span) = word_at(description, wide, &rule.head, place, value) else { continue };
            let message = format!("`{name}` occurs only here, while `{other}` occurs {} times", count(other));
            let diagnostic = Diagnostic::warning("probable-typo", span, message).did_you_mean(span, other);
            checker.report(Weight::Lint, diagnostic);
        }
    }
}

/// The word `name` itself, and each variant of it with one letter deleted.
fn shortenings(name: &str) -> impl Iterator<Item = String> + '_ {
    let without = name.char_indices().map(|(at, c)| format!("{}{}", &name[..at], &name[at + c.len_utf8()..]));
    std::iter::once(name.to_owned()).chain(without)
}

/// Whether `name` is probably a misspelling of `right`: the two names have distance 1 and differ in letters.
/// A different digit or sign is usually intended, as in `row1` and `row2`, and so is an additional letter at
/// either end, as in `pawn` and `pawns`.
pub(super) fn is_slip(name: &str, right: &str) -> bool {
    // The check in `case` reports names that differ only by case.
    if name.to_lowercase() == right.to_lowercase() || distance(name, right) != 1 {
        return false;
    }
    let contains = |long: &str, short: &str| long.starts_with(short) || long.ends_with(short);
    if contains(name, right) || contains(right, name) {
        return false;
    }
    let letters = |text: &str| -> Vec<char> { text.chars().collect() };
    let (left, right) = (letters(name), letters(right));
    let same_start = left.iter().zip(&right).take_while(|(a, b)| a == b).count();
    let same_end = left.iter().rev().zip(right.iter().rev()).take_while(|(a, b)| a == b).count();
    let middle = |all: &[char]| {
        let end = (all.len() - same_end.min(all.len())).max(same_start);
        all[same_start..end].iter().all(|c| c.is_alphabetic())
    };
    middle(&left) && middle(&right)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{accepts, findings};
    use super::*;

    #[test]
    fn a_lone_name_next_to_a_common_one_is_suspect() {
        let common =
            "(init (control white)) (<= terminal (true (control white)) (not (true (control white))))";
        assert_eq!(
            findings(&format!("{common} (<= terminal (true (contrl white)))")),
            ["warning probable-typo contrl"]
        );
        accepts(&format!("{common} (<= terminal (true (control2 white)))"));
    }

    #[test]
    fn four_kinds_of_slips_are_one_apart() {
        for other in ["contrl", "contorl", "cantrol", "conttrol"] {
            assert_eq!(distance("control", other), 1, "{other}");
            assert!(is_slip(other, "control"), "{other}");
        }
        assert_eq!(distance("", "abc"), 3);
        assert!(!is_slip("row12", "row22"));
        assert!(!is_slip("pawns", "pawn"));
        assert!(!is_slip("across", "cross"));
        assert_eq!(suggest("leagl", ["goal", "legal"]), Some("legal"));
        assert_eq!(suggest("x", ["y"]), None);
        assert_eq!(suggest("?x", ["?y"]), None);
    }
}
