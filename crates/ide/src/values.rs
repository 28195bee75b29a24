//! Domains as text: `1 … 8`, `red, blue`.

use crate::analysis::Analysis;
use crate::names::Space;
use crate::tree::NodeId;
use ggp_gdl::domains::Place;

/// The maximum number of values that are listed.
const LISTED: usize = 8;

/// The maximum number of functions that are listed.
const FUNCTIONS: usize = 4;

/// A domain in a few words. Integers without a gap are written as a range, and beyond eight values the rest is counted.
pub(crate) fn in_words(constants: &[&str], functions: &[(&str, usize)]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let numbers: Option<Vec<i64>> = constants.iter().map(|name| name.parse().ok()).collect();
    match numbers {
        Some(mut numbers) if numbers.len() > 2 => {
            numbers.sort_unstable();
            let (first, last) = (numbers[0], numbers[numbers.len() - 1]);
            if last.abs_diff(first) == numbers.len() as u64 - 1 {
                parts.push(format!("{first} … {last}"));
            } else {
                list(&numbers.iter().map(i64::to_string).collect::<Vec<_>>(), &mut parts);
            }
        }
        _ => list(constants, &mut parts),
    }
    for (name, arity) in functions.iter().take(FUNCTIONS) {
        parts.push(format!("({name}{})", " _".repeat((*arity).min(LISTED))));
    }
    if functions.len() > FUNCTIONS {
        parts.push(format!("{} more functions", functions.len() - FUNCTIONS));
    }
    parts.join(", ")
}

fn list(names: &[impl AsRef<str>], parts: &mut Vec<String>) {
    parts.extend(names.iter().take(LISTED).map(|name| name.as_ref().to_owned()));
    if names.len() > LISTED {
        parts.push(format!("{} more", names.len() - LISTED));
    }
}

impl Analysis {
    /// The domain at a place in words; `None` if it is empty.
    pub(crate) fn domain_in_words(&self, place: Place) -> Option<String> {
        let words = in_words(&self.model().constants(place), &self.model().functions(place));
        let is_open = self.model().domains.is_open(place);
        (!words.is_empty()).then(|| if is_open { format!("{words}, or others") } else { words })
    }

    /// The places from which the variable `word` gets its values: those in positive conditions of its rule, otherwise
    /// all of them.
    pub(crate) fn places_of_variable(&self, word: NodeId) -> Vec<Place> {
        debug_assert_eq!(self.space(word), Space::Variable);
        let place = |node: NodeId| self.model().place(self.text(), self.tree(), self.names(), node);
        let same = self.same(word);
        let strong = |&node: &NodeId| !self.info(node).in_head && !self.info(node).is_weak;
        let places: Vec<Place> = same.iter().copied().filter(strong).filter_map(place).collect();
        if places.is_empty() { same.into_iter().filter_map(place).collect() } else { places }
    }

    /// The values that the variable `word` can have, in words; `None` if none is known.
    pub(crate) fn variable_in_words(&self, word: NodeId) -> Option<String> {
        let mut places = self.places_of_variable(word);
        // A place where anything may stand does not restrict the others.
        if places.iter().any(|&place| !self.model().domains.is_open(place)) {
            places.retain(|&place| !self.model().domains.is_open(place));
        } else if let Some(&place) = places.first() {
            return self.domain_in_words(place);
        }
        let mut functions = places.first().map_or_else(Vec::new, |&place| self.model().functions(place));
        functions
            .retain(|function| places.iter().all(|&place| self.model().functions(place).contains(function)));
        let words = in_words(&self.model().common(&places), &functions);
        (!words.is_empty()).then_some(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_in_words() {
        assert_eq!(in_words(&["2", "1", "3"], &[]), "1 … 3");
        assert_eq!(in_words(&["10", "20", "40"], &[]), "10, 20, 40");
        assert_eq!(in_words(&["b", "a"], &[("pair", 2)]), "b, a, (pair _ _)");
        assert_eq!(
            in_words(&["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"], &[]),
            "a, b, c, d, e, f, g, h, 2 more"
        );
        assert_eq!(in_words(&[], &[]), "");
    }
}
