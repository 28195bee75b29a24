//! Splitting relations by a constant argument, so that programs are stratified which only look
//! as if they were not: `goal(R, 0) ← not goal(R, 100)` negates another part of `goal`.
//!
//! Where a relation depends on itself through negation, each of its argument positions is tried:
//! the rules with constant `c` there define a part of their own, the rules with a variable there
//! a general part, and the relation itself becomes the union of its parts. Literals with constant
//! `c` read the part (and what the general part has at `c`).

use crate::rule::{Argument, Atom, Literal, RelationId, Rule, Signature};
use crate::strata::{dependency_graph, negative_cycles};
use crate::value::{Value, Values};
use rustc_hash::FxHashMap;

/// Splits relations of `rules` until none depends on itself through negation, or nothing is left
/// to split. New relations are appended to `signatures`; the relations given keep their meaning.
pub fn split_by_constants(signatures: &mut Vec<Signature>, rules: &mut Vec<Rule>, values: &Values) {
    let mut tried: FxHashMap<RelationId, usize> = FxHashMap::default();
    loop {
        let graph = dependency_graph(signatures.len(), rules);
        let cycles = negative_cycles(&graph);
        let next = cycles.iter().flatten().find_map(|&relation| {
            let column = tried.get(&relation).copied().unwrap_or(0);
            (column < signatures[relation.index()].arity).then_some((relation, column))
        });
        let Some((relation, column)) = next else { return };
        tried.insert(relation, column + 1);
        let parts = split(relation, column, signatures, rules, values);
        // A part may have to be split again, by another column.
        for part in parts {
            tried.insert(part, column + 1);
        }
    }
}

/// Splits one relation by one column. The new relations; none when no rule has a constant there.
fn split(
    relation: RelationId,
    column: usize,
    signatures: &mut Vec<Signature>,
    rules: &mut Vec<Rule>,
    values: &Values,
) -> Vec<RelationId> {
    let mut constants: Vec<Value> = Vec::new();
    let mut general = false;
    for rule in rules.iter().filter(|rule| rule.head.relation == relation) {
        match rule.head.args[column] {
            Argument::Value(value) if !constants.contains(&value) => constants.push(value),
            Argument::Value(_) => {}
            Argument::Variable(_) => general = true,
        }
    }
    if constants.is_empty() {
        return Vec::new();
    }
    let mut add = |suffix: &str| {
        let whole = &signatures[relation.index()];
        let part = Signature { name: format!("{}[{}={suffix}]", whole.name, column + 1), ..whole.clone() };
        signatures.push(part);
        RelationId(signatures.len() as u32 - 1)
    };
    // The part of each constant: its rules, and the general part's tuples with that constant.
    let parts: FxHashMap<Value, RelationId> = constants.iter().map(|&c| (c, add(&values.text(c)))).collect();
    let general = general.then(|| add("*"));
    let mut nothing = None;
    for rule in rules.iter_mut() {
        if rule.head.relation == relation {
            rule.head.relation = match rule.head.args[column] {
                Argument::Value(value) => parts[&value],
                Argument::Variable(_) => general.expect("seen above"),
            };
        }
        for literal in &mut rule.body {
            let (Literal::Positive(atom) | Literal::Negative(atom)) = literal else { continue };
            if atom.relation == relation
                && let Argument::Value(value) = atom.args[column]
            {
                // A constant that no rule names is found in the general part alone, or nowhere.
                let part = parts.get(&value).copied().or(general);
                atom.relation = part.unwrap_or_else(|| *nothing.get_or_insert_with(|| add("none")));
            }
        }
    }
    let arity = signatures[relation.index()].arity;
    let label = rules.first().map_or(0, |rule| rule.label);
    let mut copy = |from: RelationId, to: RelationId, fixed: Option<Value>| {
        let args: Vec<Argument> = (0..arity)
            .map(|c| match fixed {
                Some(value) if c == column => Argument::Value(value),
                _ => Argument::Variable(crate::rule::Variable(c as u32)),
            })
            .collect();
        rules.push(Rule {
            head: Atom { relation: to, args: args.clone() },
            body: vec![Literal::Positive(Atom { relation: from, args })],
            variables: arity as u32,
            label,
        });
    };
    for constant in &constants {
        copy(parts[constant], relation, None);
        if let Some(general) = general {
            copy(general, parts[constant], Some(*constant));
        }
    }
    if let Some(general) = general {
        copy(general, relation, None);
    }
    constants.iter().map(|c| parts[c]).chain(general).collect()
}
