//! Domains as text: `1 … 8`, `red, blue`.

use crate::analysis::Analysis;
use crate::names::Space;
use crate::tree::NodeId;
use ggp_gdl::domains::Place;
use rustc_hash::{FxHashMap, FxHashSet};

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

    /// The occurrences of each variable of the form with the index `form`. Variables and occurrences are in the order of
    /// the text.
    pub(crate) fn variables_of(&self, form: usize) -> Vec<Vec<NodeId>> {
        let root = self.tree().forms[form].node;
        let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
        let mut variables: Vec<Vec<NodeId>> = Vec::new();
        for node in root..self.tree().nodes[root].end {
            if self.is_word(node) && self.space(node) == Space::Variable {
                let number = *numbers.entry(self.source(node)).or_insert(variables.len());
                if number == variables.len() {
                    variables.push(Vec::new());
                }
                variables[number].push(node);
            }
        }
        variables
    }

    /// The places from which a variable with these `occurrences` gets its values: those in positive conditions of its
    /// rule, otherwise all of them.
    pub(crate) fn places_of(&self, occurrences: &[NodeId]) -> Vec<Place> {
        let strong = |&node: &NodeId| !self.info(node).in_head && !self.info(node).is_weak;
        let places = self.distinct_places(occurrences.iter().copied().filter(strong));
        if places.is_empty() { self.distinct_places(occurrences.iter().copied()) } else { places }
    }

    /// The places of `nodes`, each once: a rule can repeat one atom any number of times.
    fn distinct_places(&self, nodes: impl Iterator<Item = NodeId>) -> Vec<Place> {
        let mut known: FxHashSet<Place> = FxHashSet::default();
        let place = |node: NodeId| self.model().place(self.text(), self.tree(), self.names(), node);
        nodes.filter_map(place).filter(|&place| known.insert(place)).collect()
    }

    /// The values that a variable with these `occurrences` can have, in words; `None` if none is known.
    pub(crate) fn variable_in_words(&self, occurrences: &[NodeId]) -> Option<String> {
        let mut places = self.places_of(occurrences);
        let model = self.model();
        // A place where anything may stand does not restrict the others.
        if places.iter().any(|&place| !model.domains.is_open(place)) {
            places.retain(|&place| !model.domains.is_open(place));
        } else if let Some(&place) = places.first() {
            return self.domain_in_words(place);
        }
        let (&first, others) = places.split_first()?;
        let mut functions = model.functions(first);
        for &place in others {
            let other: FxHashSet<(&str, usize)> = model.functions(place).into_iter().collect();
            functions.retain(|function| other.contains(function));
        }
        let words = in_words(&model.common(&places), &functions);
        (!words.is_empty()).then_some(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_at_which_a_variable_stands_twice_is_one_place() {
        let analysis = Analysis::new("(p 1) (<= (q ?x) (p ?x) (s ?x ?x) (p ?x))");
        let variables = analysis.variables_of(1);
        assert_eq!((variables.len(), variables[0].len()), (1, 5));
        assert_eq!(analysis.places_of(&variables[0]).len(), 3);
    }

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
