//! Reports relations that no rule derives or that no condition uses.
//!
//! The specification allows both, but a condition that never holds, or a rule that no other rule uses, is
//! usually a mistake.

use super::pattern::{PAIRS, Pattern, PatternIndex};
use super::typos::suggest;
use super::{Checker, Weight, atom_of, keyword_symbols};
use crate::ast::{Atom, Description};
use crate::diagnostic::Diagnostic;
use crate::keyword::Keyword;
use crate::symbol::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};

/// A relation: a name with an arity.
#[derive(Debug)]
pub(super) struct Relation {
    pub(super) name: Symbol,
    pub(super) arity: usize,
    pub(super) keyword: Option<Keyword>,
    /// The indices of the rules with this relation in the head.
    pub(super) heads: Vec<usize>,
    /// The body literals with this relation. Each is given by two indices: that of the rule, and that of the
    /// literal in the rule's body.
    pub(super) uses: Vec<(usize, usize)>,
}

/// All relations of a description, in order of first occurrence.
#[derive(Debug)]
pub(super) struct Relations {
    pub(super) all: Vec<Relation>,
    by_name: FxHashMap<(Symbol, usize), usize>,
}

impl Relations {
    pub(super) fn of(description: &Description) -> Relations {
        let keywords = keyword_symbols(description);
        let mut relations = Relations { all: Vec::new(), by_name: FxHashMap::default() };
        for (r, rule) in description.rules.iter().enumerate() {
            relations.entry(&rule.head, &keywords).heads.push(r);
            for (l, literal) in rule.body.iter().enumerate() {
                if let Some((atom, _)) = atom_of(literal) {
                    relations.entry(atom, &keywords).uses.push((r, l));
                }
            }
        }
        relations
    }

    fn entry(&mut self, atom: &Atom, keywords: &FxHashMap<Symbol, Keyword>) -> &mut Relation {
        let (name, arity) = (atom.relation, atom.args.len());
        let next = self.all.len();
        let index = *self.by_name.entry((name, arity)).or_insert(next);
        if index == next {
            let keyword = keywords.get(&name).copied();
            self.all.push(Relation { name, arity, keyword, heads: Vec::new(), uses: Vec::new() });
        }
        &mut self.all[index]
    }

    /// The relation with the name and the arity of `keyword`; `None` if the description does not use this
    /// relation.
    pub(super) fn keyword(&self, keyword: Keyword) -> Option<&Relation> {
        self.all.iter().find(|r| r.keyword == Some(keyword) && r.arity == keyword.arity())
    }

    /// The indices of the rules with `keyword` and its correct arity in the head.
    pub(super) fn rules_of(&self, keyword: Keyword) -> &[usize] {
        self.keyword(keyword).map_or(&[], |r| &r.heads)
    }
}

pub(super) fn check(checker: &mut Checker<'_>) {
    let relations = checker.relations;
    let description = checker.description;
    let produced: Vec<&str> =
        relations.all.iter().filter(|r| !r.heads.is_empty()).map(|r| description.name(r.name)).collect();
    let used: Vec<&str> = relations
        .all
        .iter()
        .filter(|r| r.keyword.is_none() && !r.uses.is_empty())
        .map(|r| description.name(r.name))
        .collect();
    for relation in relations.all.iter().filter(|r| r.keyword.is_none()) {
        if relation.heads.is_empty() {
            never_produced(checker, relation, &produced);
        } else if relation.uses.is_empty() {
            never_used(checker, relation, &used);
        }
    }
    unmatched(checker);
}

fn never_produced(checker: &mut Checker<'_>, relation: &Relation, produced: &[&str]) {
    let description = checker.description;
    let name = description.name(relation.name);
    let keywords = [Keyword::True.name(), Keyword::Does.name(), Keyword::Role.name()];
    let similar = suggest(name, produced.iter().copied().chain(keywords));
    // Report only the first use of each relation.
    let Some(&(rule, literal)) = relation.uses.first() else { return };
    let Some((atom, negated)) = atom_of(&description.rules[rule].body[literal]) else { return };
    let holds = if negated { "always holds" } else { "never holds" };
    let span = checker.find_word(atom.span, name);
    let shown = if produced.contains(&name) {
        format!("{name}` with this number of arguments")
    } else {
        format!("{name}`")
    };
    let diagnostic = Diagnostic::warning(
        "never-produced",
        span,
        format!("no rule or fact produces `{shown}, so this condition {holds}"),
    );
    let diagnostic = match similar {
        Some(similar) => diagnostic.did_you_mean(span, similar),
        None => diagnostic.help("add a rule or a fact for it, or remove the condition"),
    };
    checker.report(Weight::Lint, diagnostic);
}

fn never_used(checker: &mut Checker<'_>, relation: &Relation, used: &[&str]) {
    let description = checker.description;
    let name = description.name(relation.name);
    let heads = Keyword::ALL.map(Keyword::name);
    let similar_keyword = suggest(name, heads);
    let span = checker.find_word(description.rules[relation.heads[0]].head.span, name);
    let diagnostic = Diagnostic::warning("never-used", span, format!("nothing uses the relation `{name}`"));
    let diagnostic = match similar_keyword.or_else(|| suggest(name, used.iter().copied())) {
        Some(similar) => diagnostic.did_you_mean(span, similar),
        None => diagnostic.help("remove its rules, or use it in a condition"),
    };
    checker.report(Weight::Lint, diagnostic);
}

/// Reports conditions that no head matches because of a constant, for example `(true (control blakc))` if the
/// rules write `black`.
fn unmatched(checker: &mut Checker<'_>) {
    let relations = checker.relations;
    let description = checker.description;
    let mut budget = PAIRS;
    let has_arity = |r: &&Relation| r.keyword.is_none_or(|k| k.arity() == r.arity);
    for relation in relations.all.iter().filter(has_arity) {
        let sources: &[Keyword] = match relation.keyword {
            Some(Keyword::True) => &[Keyword::Init, Keyword::Next],
            Some(Keyword::Does) => &[Keyword::Legal],
            // The keyword is misplaced. The check of keywords reports this.
            Some(_) if relation.heads.is_empty() => continue,
            _ => &[],
        };
        let mut heads: Vec<usize> = sources.iter().flat_map(|&k| relations.rules_of(k)).copied().collect();
        if sources.is_empty() {
            heads.clone_from(&relation.heads);
        }
        // Other checks report relations without any head.
        if heads.is_empty() {
            continue;
        }
        let patterns = heads.iter().map(|&rule| Pattern::of(description, &description.rules[rule].head));
        let index = PatternIndex::new(&description.terms, patterns.collect());
        let mut done: FxHashSet<Pattern> = FxHashSet::default();
        for &(rule, literal) in &relation.uses {
            let Some((atom, negated)) = atom_of(&description.rules[rule].body[literal]) else { continue };
            let pattern = Pattern::of(description, atom);
            if !done.insert(pattern.clone()) {
                continue;
            }
            let effort = index.effort(&description.terms, &pattern);
            if effort > budget {
                return;
            }
            budget -= effort;
            if !index.matches(&description.terms, &pattern).is_empty() {
                continue;
            }
            let text = checker.text(atom);
            let holds = if negated { "always holds" } else { "never holds" };
            let what = match relation.keyword {
                Some(Keyword::True) => "no `init` or `next` makes it true",
                Some(Keyword::Does) => "no `legal` allows it",
                _ => "no rule or fact produces it",
            };
            let condition = if negated { format!("`(not {text})`") } else { format!("`{text}`") };
            let diagnostic =
                Diagnostic::warning("never-matched", atom.span, format!("{condition} {holds}: {what}"))
                    .help("compare its constants with those of the rules that should produce it");
            checker.report(Weight::Lint, diagnostic);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::findings_at;
    use crate::Strictness;

    fn all(rules: &str) -> Vec<String> {
        findings_at(Strictness::Default, rules)
    }

    #[test]
    fn what_nothing_produces_or_uses() {
        assert_eq!(
            all("(<= (next (step 1)) (open 1) (not (shut 1))) (<= (gone ?x) (true (step ?x)))"),
            ["warning never-produced open", "warning never-produced shut", "warning never-used gone"]
        );
        assert_eq!(all("(<= (goal white 0) (not (goal white 100)) (r 1)) (r 1)").len(), 1);
    }

    #[test]
    fn what_no_constant_matches() {
        assert_eq!(
            all("(<= (next (step 1)) (true (stepp 1)) (not (does black go)) (p 3)) (p 1)"),
            [
                "warning never-matched (true (stepp 1))",
                "warning never-matched (does black go)",
                "warning never-matched (p 3)"
            ]
        );
        assert!(all("(<= (next (step 1)) (true ?x) (does ?r ?m) (p ?x)) (p 1)").is_empty());
    }
}
