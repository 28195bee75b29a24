//! Decomposed rules as a whole: the rules before the decomposition, and the rules of their parts with the definitions of
//! other parts put in. Forecasts of the numbers of facts need them, because a part is not evaluated before the parts on
//! which it depends.

use ggp_datalog::{Argument, Literal, RelationId, Rule, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

/// The definition of a part with more conditions than this replaces no condition.
const LONGEST_UNFOLDED: usize = 200;

/// Those of the rules `undivided` that differ from their form in `rules`, the rules after a decomposition, and the rules
/// of the parts, which are the relations from the index `first` on, where they depend on other parts.
pub(super) fn whole_rules(undivided: Vec<Rule>, rules: &[Rule], first: usize) -> Vec<Rule> {
    let left: FxHashSet<&Rule> = rules.iter().collect();
    let mut whole: Vec<Rule> = undivided.into_iter().filter(|rule| !left.contains(rule)).collect();
    whole.extend(unfolded_parts(rules, first));
    whole
}

/// The rules of the parts of decomposed rules, which are the relations from the index `first` on, in which
/// definitions replace all conditions on parts with one rule. Rules in which nothing is replaced are left out.
fn unfolded_parts(rules: &[Rule], first: usize) -> Vec<Rule> {
    let mut counts: FxHashMap<RelationId, usize> = FxHashMap::default();
    for rule in rules {
        *counts.entry(rule.head.relation).or_default() += 1;
    }
    let mut definitions: FxHashMap<RelationId, Rule> = FxHashMap::default();
    let mut unfolded = Vec::new();
    // A part comes after the parts on which it depends.
    for rule in rules.iter().filter(|rule| rule.head.relation.index() >= first) {
        let whole = unfold(rule, &definitions);
        if whole.body.len() != rule.body.len() {
            unfolded.push(whole.clone());
        }
        if counts[&rule.head.relation] == 1 && whole.body.len() <= LONGEST_UNFOLDED {
            definitions.insert(rule.head.relation, whole);
        }
    }
    unfolded
}

/// `rule` with the conditions on the relations of `definitions` replaced by the bodies of these rules, whose heads have
/// different variables as arguments.
fn unfold(rule: &Rule, definitions: &FxHashMap<RelationId, Rule>) -> Rule {
    let mut body = Vec::with_capacity(rule.body.len());
    let mut variables = rule.variables;
    for literal in &rule.body {
        let definition = match literal {
            Literal::Positive(atom) => definitions.get(&atom.relation).map(|definition| (atom, definition)),
            _ => None,
        };
        let Some((atom, definition)) = definition else {
            body.push(literal.clone());
            continue;
        };
        let mut images: Vec<Option<Argument>> = vec![None; definition.variables as usize];
        for (parameter, &argument) in definition.head.args.iter().zip(&atom.args) {
            if let Argument::Variable(variable) = parameter {
                images[variable.index()] = Some(argument);
            }
        }
        let mut image = |argument: Argument| match argument {
            Argument::Variable(variable) => *images[variable.index()].get_or_insert_with(|| {
                variables += 1;
                Argument::Variable(Variable(variables - 1))
            }),
            Argument::Value(_) => argument,
        };
        body.extend(definition.body.iter().map(|literal| literal.map(&mut image)));
    }
    Rule { body, variables, ..rule.clone() }
}

#[cfg(test)]
mod tests {
    use super::whole_rules;
    use ggp_datalog::decompose::decompose;
    use ggp_datalog::{Argument, Atom, Literal, RelationId, Rule, Signature, Variable};

    fn holds(relation: u32, args: &[u32]) -> Literal {
        let args = args.iter().map(|&number| Argument::Variable(Variable(number))).collect();
        Literal::Positive(Atom { relation: RelationId(relation), args })
    }

    #[test]
    fn the_parts_of_a_decomposed_rule_are_unfolded() {
        // path(a, e) :- edge(a, b), edge(b, c), edge(c, d), edge(d, e)
        let signature = |name: &str| Signature { name: name.into(), arity: 2, level: 0 };
        let signatures = vec![signature("edge"), signature("path")];
        let Literal::Positive(head) = holds(1, &[0, 4]) else { unreachable!("it is positive") };
        let body = (0..4).map(|from| holds(0, &[from, from + 1])).collect();
        let rule = Rule { head, body, variables: 5, label: 0 };
        let parts = decompose(signatures, vec![rule.clone()]);
        let whole = whole_rules(vec![rule.clone()], &parts.rules, 2);
        assert_eq!(whole[0], rule, "the rule was decomposed");
        let is_edge = |literal: &Literal| matches!(literal, Literal::Positive(atom) if atom.relation.0 == 0);
        for part in &whole[1..] {
            assert!(part.body.iter().all(is_edge), "{part:?}");
            // A path of edges, whose ends are the columns of the part.
            let mut ends: Vec<Argument> = part.body.iter().flat_map(Literal::arguments).collect();
            let inner =
                |ends: &[Argument], end: &Argument| ends.iter().filter(|other| *other == end).count() == 2;
            let all = ends.clone();
            ends.retain(|end| !inner(&all, end));
            assert_eq!(ends.len(), 2);
            assert!(ends.iter().all(|end| part.head.args.contains(end)), "{part:?}");
        }
        assert_eq!(whole.len(), 2, "of the two parts, one depends on the other");
        assert_eq!(whole[1].body.len(), 3);
        assert!(whole_rules(vec![rule.clone()], &[rule], 2).is_empty(), "nothing was decomposed");
    }
}
