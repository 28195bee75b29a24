//! Checks that each relation and each function has the same number of arguments everywhere.
//!
//! Section 2 of the specification gives each symbol one arity. A keyword with another arity cannot be
//! evaluated. Any other name that is used with two arities stands for two different relations or functions,
//! so the rules can still be evaluated.

use super::{Checker, Weight, atom_of};
use crate::ast::{Atom, Term};
use crate::diagnostic::Diagnostic;
use crate::symbol::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) fn check(checker: &mut Checker<'_>) {
    keywords(checker);
    relations(checker);
    functions(checker);
}

fn count(arguments: usize) -> String {
    match arguments {
        0 => "no argument".to_owned(),
        1 => "1 argument".to_owned(),
        n => format!("{n} arguments"),
    }
}

/// The atoms of a relation: those in heads first, then those in bodies. `heads` holds indices of rules.
/// `uses` holds pairs of the index of a rule and the index of a literal in its body.
fn occurrences<'a>(checker: &Checker<'a>, heads: &'a [usize], uses: &'a [(usize, usize)]) -> Vec<&'a Atom> {
    let rules = &checker.description.rules;
    let bodies = uses.iter().filter_map(|&(rule, literal)| Some(atom_of(&rules[rule].body[literal])?.0));
    heads.iter().map(|&rule| &rules[rule].head).chain(bodies).collect()
}

fn keywords(checker: &mut Checker<'_>) {
    let relations = checker.relations;
    for relation in &relations.all {
        let Some(keyword) = relation.keyword else { continue };
        if relation.arity == keyword.arity() {
            continue;
        }
        for atom in occurrences(checker, &relation.heads, &relation.uses) {
            let message = format!(
                "`{}` takes {}, not {}",
                keyword.name(),
                count(keyword.arity()),
                count(relation.arity).trim_end_matches(" arguments").trim_end_matches(" argument")
            );
            let diagnostic = Diagnostic::error("keyword-arity", atom.span, message).help(keyword.usage());
            checker.report(Weight::Fatal, diagnostic);
        }
    }
}

fn relations(checker: &mut Checker<'_>) {
    let relations = checker.relations;
    let mut first: FxHashMap<Symbol, usize> = FxHashMap::default();
    for (index, relation) in relations.all.iter().enumerate() {
        let earlier = *first.entry(relation.name).or_insert(index);
        if relation.keyword.is_some() || earlier == index {
            continue;
        }
        let earlier = &relations.all[earlier];
        let here = occurrences(checker, &relation.heads, &relation.uses);
        let there = occurrences(checker, &earlier.heads, &earlier.uses);
        let (Some(here), Some(there)) =
            (here.iter().min_by_key(|a| a.span), there.iter().min_by_key(|a| a.span))
        else {
            continue;
        };
        let name = checker.description.name(relation.name);
        let diagnostic = Diagnostic::error(
            "relation-arity",
            here.span,
            format!(
                "`{name}` is used with {} here and with {} elsewhere",
                count(relation.arity),
                earlier.arity
            ),
        )
        .and_at(there.span, format!("with {} here", count(earlier.arity)))
        .help("these are two different relations; give both the same number of arguments or rename one");
        checker.report(Weight::Breach, diagnostic);
    }
}

fn functions(checker: &mut Checker<'_>) {
    let description = checker.description;
    let mut first: FxHashMap<Symbol, (usize, &Atom)> = FxHashMap::default();
    let mut reported: FxHashSet<(Symbol, usize)> = FxHashSet::default();
    let mut visited = vec![false; description.terms.len()];
    let mut stack = Vec::new();
    for rule in &description.rules {
        for atom in std::iter::once(&rule.head).chain(rule.body.iter().filter_map(|l| Some(atom_of(l)?.0))) {
            stack.extend(atom.args.iter().rev().copied());
            while let Some(term) = stack.pop() {
                if std::mem::replace(&mut visited[term.index()], true) {
                    continue;
                }
                let Term::Compound(function, args) = description.terms.get(term) else { continue };
                stack.extend(args.iter().rev().copied());
                let &mut (arity, there) = first.entry(*function).or_insert((args.len(), atom));
                if arity == args.len() || !reported.insert((*function, args.len())) {
                    continue;
                }
                let name = description.name(*function);
                let span = checker.find_word(atom.span, name);
                let diagnostic = Diagnostic::error(
                    "function-arity",
                    span,
                    format!(
                        "the function `{name}` is used with {} here and with {arity} elsewhere",
                        count(args.len())
                    ),
                )
                .and_at(checker.find_word(there.span, name), format!("with {} here", count(arity)))
                .help("terms of different length never match; give both the same number of arguments");
                checker.report(Weight::Breach, diagnostic);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{accepts, findings, findings_at};
    use crate::Strictness;

    #[test]
    fn keywords_have_their_arity_at_every_level() {
        for strictness in [Strictness::Lenient, Strictness::Strict] {
            assert_eq!(findings_at(strictness, "(goal white)"), ["error keyword-arity (goal white)"]);
        }
        accepts("(<= (terminal) (true (step 2)))");
    }

    #[test]
    fn other_names_are_told_apart_by_arity() {
        let rules = "(p 1) (<= (next (step 3)) (p 1) (p 1 (step 1 1))) (p 1 1)";
        assert_eq!(
            findings(rules),
            ["warning relation-arity (p 1 (step 1 1))", "warning function-arity step"]
        );
        assert_eq!(findings_at(Strictness::Strict, rules)[0], "error relation-arity (p 1 (step 1 1))");
    }

    #[test]
    fn a_relation_and_a_function_may_share_a_name() {
        accepts("(<= (step 1 2) (true (step 1))) (<= (next (step 3)) (step 1 2))");
    }
}
