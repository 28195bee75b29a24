//! The sets of fluents of which a choice takes one, and the values of columns in a superset.

use super::{Choice, fluent_form};
use crate::ground::domains::Bounds;
use crate::ground::relax::Relaxed;
use crate::net::PropNet;
use ggp_datalog::{Argument, Literal, Rule, Value};
use ggp_game::lower::{Carrier, Form, Lowering};
use rustc_hash::{FxHashMap, FxHashSet};

/// The possible fluents of `form`, by the values of the columns that are not chosen.
pub(super) fn sets(
    relaxed: &Relaxed,
    net: &PropNet,
    form: &Form,
    is_chosen: &dyn Fn(usize) -> bool,
) -> FxHashMap<Vec<Value>, Vec<u32>> {
    let mut sets: FxHashMap<Vec<Value>, Vec<u32>> = FxHashMap::default();
    for (row, tuple) in relaxed.rows(form.relation).rows().enumerate() {
        let Some(value) = relaxed.carried(form, row, 0) else { continue };
        let text = relaxed.text(value);
        let Ok(fluent) = net.fluents.binary_search_by(|fluent| fluent.fact.as_str().cmp(&text)) else {
            continue;
        };
        let key = tuple.iter().enumerate().filter(|&(column, _)| !is_chosen(column)).map(|(_, &v)| v);
        sets.entry(key.collect()).or_default().push(fluent as u32);
    }
    for set in sets.values_mut() {
        set.sort_unstable();
    }
    sets
}

/// The values of the columns of moves and fluents in the superset `relaxed`. Terms that `lowering` does not
/// contain have other numbers elsewhere; a column with such a term has no bound. Relations without facts may
/// have been left out.
pub(super) fn bounds_of(lowering: &Lowering, relaxed: &Relaxed) -> Bounds {
    let forms = [Carrier::True, Carrier::Next, Carrier::Legal, Carrier::Does];
    let relations = forms.iter().flat_map(|&carrier| lowering.forms(carrier)).map(|form| form.relation);
    let mut bounds = Bounds::default();
    for relation in relations.filter(|&relation| !relaxed.rows(relation).is_empty()) {
        let column = |column: usize| {
            let values: FxHashSet<Value> = relaxed.rows(relation).rows().map(|row| row[column]).collect();
            values.iter().all(|value| value.index() < lowering.values.len()).then_some(values)
        };
        bounds.insert(relation, (0..lowering.signatures[relation.index()].arity).map(column).collect());
    }
    bounds
}

/// The sets of fluents of which `choice` takes one. Static conditions of the rule restrict the columns that
/// are not chosen.
pub(super) fn selected(
    lowering: &Lowering,
    relaxed: &Relaxed,
    net: &PropNet,
    choice: &Choice,
) -> Vec<Vec<u32>> {
    let rule = &lowering.rules[choice.rule];
    let Literal::Positive(atom) = &rule.body[choice.fluent] else { return Vec::new() };
    let Some(form) = fluent_form(lowering, atom.relation) else { return Vec::new() };
    let is_chosen = |column: usize| {
        atom.args[column].variable().is_some_and(|variable| choice.chosen.contains(&variable))
    };
    let fixed: Vec<Argument> =
        atom.args.iter().enumerate().filter(|&(column, _)| !is_chosen(column)).map(|(_, &a)| a).collect();
    let allowed: Vec<Option<FxHashSet<Value>>> =
        fixed.iter().map(|&argument| values_of(rule, relaxed, argument)).collect();
    let fits = |key: &Vec<Value>| {
        key.iter().zip(&allowed).all(|(value, allowed)| allowed.as_ref().is_none_or(|a| a.contains(value)))
    };
    let mut selected: Vec<Vec<u32>> = sets(relaxed, net, form, &is_chosen)
        .into_iter()
        .filter(|(key, _)| fits(key))
        .map(|(_, set)| set)
        .collect();
    selected.sort_unstable();
    selected
}

/// The values that `argument` can have by the static conditions of `rule`. `None` if they do not restrict it.
fn values_of(rule: &Rule, relaxed: &Relaxed, argument: Argument) -> Option<FxHashSet<Value>> {
    let variable = match argument {
        Argument::Value(value) => return Some([value].into_iter().collect()),
        Argument::Variable(variable) => variable,
    };
    let mut all: Option<FxHashSet<Value>> = None;
    for literal in &rule.body {
        let Literal::Positive(atom) = literal else { continue };
        // A relation without rows may not have been evaluated.
        if relaxed.is_dynamic(atom.relation) || relaxed.rows(atom.relation).is_empty() {
            continue;
        }
        let Some(column) = atom.args.iter().position(|a| a.variable() == Some(variable)) else { continue };
        let fits = |row: &&[Value]| {
            atom.args.iter().zip(*row).all(|(argument, value)| match argument {
                Argument::Value(constant) => constant == value,
                Argument::Variable(_) => true,
            })
        };
        let values: FxHashSet<Value> =
            relaxed.rows(atom.relation).rows().filter(fits).map(|row| row[column]).collect();
        all = Some(match all {
            None => values,
            Some(all) => all.intersection(&values).copied().collect(),
        });
    }
    all
}
