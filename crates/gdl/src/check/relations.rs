//! Reports relations that no rule derives or that no condition uses.
//!
//! The specification allows both, but a condition that never holds, or a rule that no other rule uses, is
//! usually a mistake.

use super::inference::word_at;
use super::pattern::{PAIRS, Pattern, PatternIndex};
use super::typos::{is_slip, suggest};
use super::{Checker, Weight, atom_of, dead, keyword_symbols, operators};
use crate::ast::{Atom, Description, Span, Term};
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
    let used: Vec<&str> = relations
        .all
        .iter()
        .filter(|r| r.keyword.is_none() && !r.uses.is_empty())
        .map(|r| description.name(r.name))
        .collect();
    for relation in relations.all.iter().filter(|r| r.keyword.is_none()) {
        if relation.heads.is_empty() {
            // The check of dead rules reports positive conditions.
            let uses = relation.uses.iter().filter_map(|&(r, l)| atom_of(&description.rules[r].body[l]));
            let uses: Vec<(&Atom, bool)> = uses.collect();
            if let [(atom, true), rest @ ..] = uses.as_slice()
                && rest.iter().all(|&(_, negated)| negated)
            {
                let (weight, diagnostic) = never_produced(checker, atom, true);
                checker.report(weight, diagnostic);
            }
        } else if relation.uses.is_empty() {
            never_used(checker, relation, &used);
        }
    }
    never_read(checker);
    unmatched(checker);
}

/// The finding about the condition `atom`, whose relation has no rule and no fact.
pub(super) fn never_produced(checker: &Checker<'_>, atom: &Atom, negated: bool) -> (Weight, Diagnostic) {
    let description = checker.description;
    let name = description.name(atom.relation);
    let span = checker.keyword_span(atom);
    let holds = if negated { "always holds" } else { "never holds" };
    if checker.inference.is_fluent(atom) {
        let message =
            format!("`{name}` is a part of the state, not a relation, so this condition {holds} as it is");
        let text = checker.text(atom);
        let diagnostic = Diagnostic::warning("fluent-as-relation", atom.span, message)
            .help(format!("ask for it with `true`: `(true {text})`"))
            .edit(Span { start: atom.span.start, end: atom.span.start }, "(true ")
            .edit(Span { start: atom.span.end, end: atom.span.end }, ")");
        return (Weight::Breach, diagnostic);
    }
    let heads = || checker.relations.all.iter().filter(|r| !r.heads.is_empty());
    let produced = || heads().map(|r| (description.name(r.name), r.arity));
    let arity = atom.args.len();
    let unused = heads().filter(|r| r.keyword.is_none() && r.uses.is_empty() && r.arity == arity);
    let keywords = [Keyword::True, Keyword::Does, Keyword::Role].map(|k| (k.name(), k.arity()));
    let same_arity = produced().chain(keywords).filter(|&(_, other)| other == arity);
    let similar = suggest(name, unused.map(|r| description.name(r.name)))
        .or_else(|| suggest(name, same_arity.map(|(name, _)| name)))
        .or_else(|| suggest(name, produced().map(|(name, _)| name)));
    let shown = if produced().any(|(other, _)| other == name) {
        format!("{name}` with this number of arguments")
    } else {
        format!("{name}`")
    };
    let diagnostic = Diagnostic::warning(
        "never-produced",
        span,
        format!("no rule or fact produces `{shown}, so this condition {holds}"),
    );
    if let Some(advice) = operators::advice(checker, atom, negated) {
        return (Weight::Lint, diagnostic.help(advice));
    }
    match similar {
        Some(similar) => (Weight::Breach, diagnostic.did_you_mean(span, similar)),
        None => (Weight::Lint, diagnostic.help("add a rule or a fact for it, or remove the condition")),
    }
}

fn never_used(checker: &mut Checker<'_>, relation: &Relation, used: &[&str]) {
    let description = checker.description;
    let name = description.name(relation.name);
    let rule = &description.rules[relation.heads[0]];
    let head = &rule.head;
    let span = checker.keyword_span(head);
    if checker.inference.is_fluent(head) || checker.inference.is_asked(head) {
        let keyword = if rule.body.is_empty() { Keyword::Init } else { Keyword::Next };
        let message = format!(
            "`{name}` is a part of the state, but this only makes a relation `{name}` that nothing uses"
        );
        let text = checker.text(head);
        let diagnostic = Diagnostic::warning("fluent-as-relation", head.span, message)
            .help(format!("write `({} {text})`", keyword.name()))
            .edit(Span { start: head.span.start, end: head.span.start }, format!("({} ", keyword.name()))
            .edit(Span { start: head.span.end, end: head.span.end }, ")");
        checker.report(Weight::Breach, diagnostic);
        return;
    }
    let diagnostic = Diagnostic::warning("never-used", span, format!("nothing uses the relation `{name}`"));
    let relations = checker.relations.all.iter();
    let without_rules = relations.filter(|r| r.keyword.is_none() && r.heads.is_empty());
    let halves = without_rules.filter(|r| r.arity == relation.arity).map(|r| description.name(r.name));
    let heads = Keyword::ALL.into_iter().filter(|k| !matches!(k, Keyword::True | Keyword::Does));
    let heads: Vec<&str> = heads.map(Keyword::name).collect();
    // A relation with several rules of its own is meant, even if its name resembles another one.
    let others = if relation.heads.len() == 1 { used } else { &[] };
    // Nor is a name misspelled beside the one that it resembles, in a rule that defines the one by the other.
    let beside = |other: &str| {
        let atoms = rule.body.iter().filter_map(|literal| Some(atom_of(literal)?.0));
        atoms.into_iter().any(|atom| description.name(atom.relation) == other)
    };
    let (weight, similar) = match suggest(name, halves).or_else(|| suggest(name, heads)) {
        Some(similar) => (Weight::Breach, Some(similar)),
        None => match suggest(name, others.iter().copied().filter(|other| !beside(other))) {
            Some(similar) if is_slip(name, similar) => (Weight::Breach, Some(similar)),
            similar => (Weight::Lint, similar),
        },
    };
    let diagnostic = match similar {
        Some(similar) => diagnostic.did_you_mean(span, similar),
        None => diagnostic.help("remove its rules, or use it in a condition"),
    };
    checker.report(weight, diagnostic);
}

/// Reports fluents that `init` or `next` makes and no condition asks for, if their name is similar to that of a
/// fluent that is asked for.
fn never_read(checker: &mut Checker<'_>) {
    let description = checker.description;
    let inference = checker.inference;
    let fluent = inference.wide.fluent();
    let Some(asked) = inference.asked() else { return };
    let mut done: FxHashSet<Symbol> = FxHashSet::default();
    for keyword in [Keyword::Init, Keyword::Next] {
        for &rule in checker.relations.rules_of(keyword) {
            let head = &description.rules[rule].head;
            let name = match description.terms.get(head.args[0]) {
                Term::Constant(name) | Term::Compound(name, _) => *name,
                Term::Variable(_) => continue,
            };
            if asked.contains(&name) || !done.insert(name) {
                continue;
            }
            let word = description.name(name);
            let others = asked.iter().map(|&other| description.name(other));
            let Some(span) = word_at(description, &inference.wide, head, fluent, name) else { continue };
            if let Some(similar) = suggest(word, others) {
                let message = format!("`{}` makes `{word}`, but no condition asks for it", keyword.name());
                let diagnostic = Diagnostic::warning("never-read", span, message);
                checker.report(Weight::Breach, diagnostic.did_you_mean(span, similar));
            }
        }
    }
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
            if let Some(need) = checker.inference.unmet(rule, literal) {
                // The check of dead rules reports positive conditions.
                if negated {
                    let (weight, diagnostic) = dead::unmet(checker, atom, need, true);
                    checker.report(weight, diagnostic);
                }
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
                "warning unknown-role black",
                "warning never-matched (p 3)"
            ]
        );
        assert!(all("(<= (next (step 1)) (true ?x) (does ?r ?m) (p ?x)) (p (step 1))").is_empty());
    }
}
