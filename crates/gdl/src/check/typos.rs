//! Detects names that are probably misspelled.
//!
//! Two names are similar if they differ by one substituted, missing, additional or transposed letter; four in
//! five spelling errors are of this kind (Damerau 1964).

use super::inference::word_at;
use super::{Checker, Weight, atom_of};
use crate::ast::Span;
use crate::diagnostic::Diagnostic;
use crate::domains::Give;
use crate::keyword::{Connective, Keyword};
use crate::lexer::{Lexer, TokenKind};
use rustc_hash::FxHashMap;

/// The minimum length of the names to check, in characters. Shorter names such as `x1` and `y1` often differ
/// by one letter on purpose.
const SHORTEST: usize = 3;
/// The length in characters from which a name may be a misspelling of another one by another letter, or by two edits.
/// Shorter names such as `king` and `ring` are often different on purpose.
const LONG: usize = 5;
/// The maximum length of the names to check, in bytes. It keeps the work linear in the text.
const LONGEST: usize = 40;
/// A short value with at least this many occurrences counts as correct. A similar value of the same place that occurs
/// only once is then suspect.
const OFTEN: usize = 3;
/// The maximum number of names that are compared because deleting a letter from each gives the same string.
const ALIKE: usize = 16;

/// The candidate of which `name` is probably a misspelling; `None` if no candidate is similar enough. Looks at the
/// first 10,000 candidates only.
pub fn suggest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LONGEST {
        return None;
    }
    let most = if name.chars().count() < LONG { 1 } else { 2 };
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
            value.chars().count().max(name.chars().count()) >= SHORTEST && is_slip(name, value)
        };
        if values.len() <= FEW { values.iter().find(is_near).copied() } else { None }
    };
    let contains = || {
        let is_part = |value: &&&str| {
            value.len() >= SHORTEST
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

/// Reports names that occur once and are one edit away from another name.
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
    for (at, &(name, ..)) in names.iter().enumerate() {
        for shortened in shortenings(name) {
            let alike = by_shortened.entry(shortened).or_default();
            if alike.len() < ALIKE {
                alike.push(at);
            }
        }
    }
    for (at, &(name, span, count)) in names.iter().enumerate() {
        if count != 1 {
            continue;
        }
        let similar = shortenings(name)
            .filter_map(|shortened| by_shortened.get(&shortened))
            .flatten()
            // Of two names that stand once each, the later one is suspect.
            .filter(|&&other| names[other].2 > 1 || other < at)
            .map(|&other| names[other])
            .filter(|&(other, _, count)| is_slip(name, other) && is_unlikely(name, other, count))
            .filter(|&(other, first, _)| !defines(checker, span, other) && !defines(checker, first, name))
            .max_by_key(|&(.., count)| count);
        if let Some((other, first, count)) = similar {
            let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
            let message = format!("`{name}` occurs only here, while `{other}` occurs {times}");
            let diagnostic = Diagnostic::warning("probable-typo", span, message)
                .and_at(first, format!("`{other}` stands here"))
                .did_you_mean(span, other);
            checker.report(Weight::Lint, diagnostic);
        }
    }
}

/// Whether two names of distance 1 are hardly ever used for two things: one that stands `count` times in the text, and
/// one that stands there once.
fn is_unlikely(name: &str, right: &str, count: usize) -> bool {
    let shorter = name.chars().count().min(right.chars().count());
    let is_other_letter = name.chars().count() == right.chars().count()
        && edited(name, right).is_some_and(|(_, left, _)| left.chars().count() == 1);
    match (count, is_other_letter) {
        (1, true) => false,
        (1, false) => shorter >= LONG - 1,
        (_, true) => shorter >= LONG,
        (_, false) => true,
    }
}

/// Whether the word `span` is the relation of a head, in a rule that defines it by the relation `other`.
fn defines(checker: &Checker<'_>, span: Span, other: &str) -> bool {
    let description = checker.description;
    let end = description.rules.partition_point(|rule| rule.span.start <= span.start);
    let Some(last) = description.rules[..end].last() else { return false };
    if checker.keyword_span(&last.head) != span {
        return false;
    }
    // The alternatives of one source rule have the same span.
    let alternatives = description.rules[..end].iter().rev().take_while(|rule| rule.span == last.span);
    let mut atoms = alternatives.flat_map(|rule| &rule.body).filter_map(|literal| Some(atom_of(literal)?.0));
    atoms.any(|atom| description.name(atom.relation) == other)
}

/// Reports a short constant that stands once in the text, in a head, if it is one edit away from another value of its
/// place that stands in the text at least [`OFTEN`] times.
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
            if count(name) != 1 || !(SHORTEST..LONG).contains(&length) || wide.is_open(place) {
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
    let contains = |long: &str, short: &str| long.starts_with(short) || long.ends_with(short);
    if contains(name, right) || contains(right, name) {
        return false;
    }
    edited(name, right)
        .is_some_and(|(_, left, right)| left.chars().chain(right.chars()).all(char::is_alphabetic))
}

/// For two names of distance 1: the number of bytes before the difference, and the parts that differ. `None` if the
/// distance is another one, or if the names differ only by case, which the check in `case` reports.
pub(super) fn edited<'a>(name: &'a str, right: &'a str) -> Option<(usize, &'a str, &'a str)> {
    if name.to_lowercase() == right.to_lowercase() || distance(name, right) != 1 {
        return None;
    }
    let same = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
        pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
    };
    let before = same(&mut name.chars().zip(right.chars()));
    let after = same(&mut name[before..].chars().rev().zip(right[before..].chars().rev()));
    Some((before, &name[before..name.len() - after], &right[before..right.len() - after]))
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
