//! Relations that lead from a value of an axis to the next one, such as `(succ 1 2)`.

use crate::model::{Axis, BoardModel};
use crate::scene::signed;
use ggp_gdl::{Description, Term};
use std::collections::BTreeMap;

/// A relation with two arguments is a step along an axis if at least this share of its facts are one.
const STEPS: f64 = 0.7;

/// A relation that leads from one value of an axis to the next one: its name, and the step to the right or down.
pub(crate) struct Step<'a> {
    pub(crate) name: &'a str,
    pub(crate) column: i32,
    pub(crate) row: i32,
}

/// The relations that lead from one value of an axis of `model` to the next one.
pub(crate) fn steps<'a>(description: &'a Description, model: &BoardModel) -> Vec<Step<'a>> {
    let mut facts: BTreeMap<&str, Vec<[&str; 2]>> = BTreeMap::new();
    for rule in description.rules.iter().filter(|rule| rule.body.is_empty() && rule.head.args.len() == 2) {
        let constant = |i: usize| match description.terms.get(rule.head.args[i]) {
            Term::Constant(constant) => Some(description.name(*constant)),
            _ => None,
        };
        if let (Some(a), Some(b)) = (constant(0), constant(1)) {
            facts.entry(description.name(rule.head.relation)).or_default().push([a, b]);
        }
    }
    let step = |pairs: &[[&str; 2]], axis: &Axis| {
        let along = |[a, b]: &[&str; 2]| Some(signed(axis.position(b)?) - signed(axis.position(a)?));
        let found: Vec<i32> = pairs.iter().filter_map(along).collect();
        let enough = found.len() * 2 >= axis.values.len();
        let share =
            |by: i32| found.iter().filter(|step| **step == by).count() as f64 >= STEPS * found.len() as f64;
        [1, -1].into_iter().find(|by| enough && share(*by)).unwrap_or(0)
    };
    let steps = facts.iter().map(|(name, pairs)| Step {
        name,
        column: step(pairs, &model.columns),
        row: step(pairs, &model.rows),
    });
    steps.filter(|step| step.column != 0 || step.row != 0).collect()
}
