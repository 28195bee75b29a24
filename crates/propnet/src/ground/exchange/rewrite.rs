//! Rewrites the rules for the choices that are proved.

use super::Choice;
use crate::ground::relax::Rules;
use ggp_datalog::{Argument, Atom, Literal, RelationId, Rule, Signature, Variable};
use ggp_game::lower::Lowering;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

/// A relation with more rules than this is not unfolded.
const MOST_UNFOLDED: usize = 64;

/// Replaces the negated condition of each of `choices`.
pub(super) fn rewrite(rules: &Rules, choices: &[Choice]) -> Rules {
    let mut lowering = rules.lowering.clone();
    let mut demanded = rules.demanded.clone();
    let mut known: FxHashMap<(Atom, Atom, Vec<Argument>), RelationId> = FxHashMap::default();
    for choice in choices {
        let rule = lowering.rules[choice.rule].clone();
        let (Literal::Positive(fluent), Literal::Negative(negated)) =
            (&rule.body[choice.fluent], &rule.body[choice.negated])
        else {
            continue;
        };
        // The new relation has a column for each variable that is not chosen.
        let mut names: FxHashMap<Variable, Variable> = FxHashMap::default();
        let mut kept: Vec<Argument> = Vec::new();
        for &argument in fluent.args.iter().chain(&negated.args) {
            let Some(variable) = argument.variable() else { continue };
            let next = Variable(names.len() as u32);
            if let Entry::Vacant(entry) = names.entry(variable) {
                entry.insert(next);
                if !choice.chosen.contains(&variable) {
                    kept.push(argument);
                }
            }
        }
        let rename = |argument: Argument| match argument {
            Argument::Variable(variable) => Argument::Variable(names[&variable]),
            Argument::Value(_) => argument,
        };
        let (own_fluent, own_negated) = (fluent.map(rename), negated.map(rename));
        let columns: Vec<Argument> = kept.iter().copied().map(rename).collect();
        let next = RelationId(lowering.signatures.len() as u32);
        let key = (own_fluent.clone(), own_negated.clone(), columns.clone());
        let relation = *known.entry(key).or_insert(next);
        if relation == next {
            let of = |atom: &Atom| lowering.signatures[atom.relation.index()].name.clone();
            let name = format!("{} for one {}", of(negated), of(fluent));
            lowering.signatures.push(Signature { name, arity: columns.len(), level: 0 });
            demanded.resize(next.index(), false);
            demanded.push(demanded[negated.relation.index()]);
            let head = Atom { relation, args: columns };
            let new =
                unfolded(&rules.lowering, &head, own_fluent, &own_negated, names.len() as u32, rule.label);
            lowering.rules.extend(new);
        }
        lowering.rules[choice.rule].body[choice.negated] = Literal::Negative(Atom { relation, args: kept });
    }
    Rules::rewritten(lowering, demanded)
}

/// The rules `head :- fluent, atom`, with the conditions of each rule that derives `atom` in place of `atom`.
/// If `atom` depends on itself or has many rules, it stays. `count` is the number of variables.
fn unfolded(
    lowering: &Lowering,
    head: &Atom,
    fluent: Atom,
    atom: &Atom,
    count: u32,
    label: u32,
) -> Vec<Rule> {
    let of_atom: Vec<&Rule> =
        lowering.rules.iter().filter(|rule| rule.head.relation == atom.relation).collect();
    if of_atom.len() > MOST_UNFOLDED || depends_on(lowering, atom.relation, atom.relation) {
        let body = vec![Literal::Positive(fluent), Literal::Positive(atom.clone())];
        return vec![Rule { head: head.clone(), body, variables: count, label }];
    }
    of_atom.into_iter().filter_map(|rule| unfold(rule, head, &fluent, atom, count)).collect()
}

/// The rule `head :- fluent, atom`, with the conditions of `rule` in place of `atom`. `None` if the head of
/// `rule` does not unify with `atom`.
fn unfold(rule: &Rule, head: &Atom, fluent: &Atom, atom: &Atom, count: u32) -> Option<Rule> {
    // The variables of `rule` come after those of `head`.
    let moved = |argument: Argument| match argument {
        Argument::Variable(variable) => Argument::Variable(Variable(variable.0 + count)),
        Argument::Value(_) => argument,
    };
    let total = count + rule.variables;
    let mut unified: Vec<Option<Argument>> = vec![None; total as usize];
    let resolve = |unified: &[Option<Argument>], mut argument: Argument| {
        while let Argument::Variable(variable) = argument {
            match unified[variable.index()] {
                Some(next) => argument = next,
                None => break,
            }
        }
        argument
    };
    for (&inner, &outer) in rule.head.args.iter().zip(&atom.args) {
        let (inner, outer) = (resolve(&unified, moved(inner)), resolve(&unified, outer));
        match (inner, outer) {
            (a, b) if a == b => {}
            (Argument::Variable(variable), other) | (other, Argument::Variable(variable)) => {
                unified[variable.index()] = Some(other);
            }
            (Argument::Value(_), Argument::Value(_)) => return None,
        }
    }
    let place = |argument: Argument| resolve(&unified, argument);
    let inner = |argument: Argument| resolve(&unified, moved(argument));
    let mut body = vec![Literal::Positive(fluent.map(place))];
    body.extend(rule.body.iter().map(|literal| literal.map(inner)));
    Some(Rule { head: head.map(place), body, variables: total, label: rule.label })
}

/// Whether a rule that derives `from`, or a relation that it reads, reads `to`.
fn depends_on(lowering: &Lowering, from: RelationId, to: RelationId) -> bool {
    let mut seen: FxHashSet<RelationId> = FxHashSet::default();
    let mut open = vec![from];
    while let Some(relation) = open.pop() {
        for rule in lowering.rules.iter().filter(|rule| rule.head.relation == relation) {
            for literal in &rule.body {
                let (Literal::Positive(atom) | Literal::Negative(atom)) = literal else { continue };
                if atom.relation == to {
                    return true;
                }
                if seen.insert(atom.relation) {
                    open.push(atom.relation);
                }
            }
        }
    }
    false
}
