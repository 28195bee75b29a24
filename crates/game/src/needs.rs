//! Which relations a rule depends on, directly or through other rules.

use ggp_gdl::{Description, Keyword, Literal, Rule};
use rustc_hash::{FxHashMap, FxHashSet};

/// The names of the relations that the conditions of `rule` ask for in the first state, where `init` makes the fluents.
pub(crate) fn asked<'a>(description: &'a Description, rule: &'a Rule) -> impl Iterator<Item = &'a str> {
    rule.body.iter().filter_map(Literal::atom).map(move |atom| match description.name(atom.relation) {
        name if name == Keyword::True.name() => Keyword::Init.name(),
        name => name,
    })
}

/// The relations `names` and all that they need.
pub(crate) fn needed<'a>(
    description: &'a Description,
    names: impl IntoIterator<Item = &'a str>,
) -> FxHashSet<&'a str> {
    let mut rules: FxHashMap<&str, Vec<&'a Rule>> = FxHashMap::default();
    for rule in &description.rules {
        rules.entry(description.name(rule.head.relation)).or_default().push(rule);
    }
    let mut open: Vec<&'a str> = names.into_iter().collect();
    let mut all: FxHashSet<&'a str> = FxHashSet::default();
    while let Some(name) = open.pop() {
        if all.insert(name) {
            let rules = rules.get(name).into_iter().flatten().copied();
            open.extend(rules.flat_map(|rule| asked(description, rule)));
        }
    }
    all
}
