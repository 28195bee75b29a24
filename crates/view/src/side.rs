//! The fluents beside the board: control, counters, hands, flags.

use crate::candidate::clash;
use crate::evidence::Evidence;
use crate::model::{BoardModel, Order, Side, SideKind};

/// The fluents that no layer of `model` draws, in the order in which the rules mention them. Flags come last.
pub(crate) fn side(evidence: &Evidence<'_>, model: &BoardModel) -> Vec<Side> {
    let drawn = |name: &str, arity| model.layers.iter().any(|l| l.relation == name && l.arity == arity);
    let mut out = Vec::new();
    for (number, table) in evidence.tables.iter().enumerate() {
        if !drawn(&table.name, table.arity) {
            out.push(Side { relation: table.name.clone(), arity: table.arity, kind: kind(evidence, number) });
        }
    }
    out.extend(evidence.flags.iter().map(|flag| Side {
        relation: flag.clone(),
        arity: 0,
        kind: SideKind::Flag,
    }));
    out
}

fn kind(evidence: &Evidence<'_>, number: usize) -> SideKind {
    let table = &evidence.tables[number];
    let at_most_one = table.states.iter().all(|state| state.len() <= 1);
    let roles: Vec<bool> = (0..table.columns.len()).map(|c| evidence.is_role_column(number, c)).collect();
    let number_like = |column: usize| {
        let order = evidence.axis(number, column).order;
        matches!(order, Order::Successor | Order::Integers | Order::Numbered)
    };
    match roles.as_slice() {
        [] => SideKind::Flag,
        [true] if at_most_one && evidence.roles.len() > 1 => SideKind::Control,
        [false] if at_most_one && number_like(0) => SideKind::Counter,
        [true, false] if number_like(1) && clash(&table.states, &[0]) == 0.0 => SideKind::Counter,
        [false, true] if number_like(0) && clash(&table.states, &[1]) == 0.0 => SideKind::Counter,
        [true, false, false] if number_like(2) && clash(&table.states, &[0, 1]) == 0.0 => SideKind::Hand,
        _ => SideKind::Other,
    }
}
