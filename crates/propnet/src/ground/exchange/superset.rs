//! Rules with more reachable states than the game, which are quick to ground.

use super::{Change, columns, variables};
use crate::ground::relax::Rules;
use ggp_datalog::{Argument, Literal, RelationId, Rule, Variable};
use ggp_game::Game;
use ggp_game::lower::{Carrier, Form};
use rustc_hash::{FxHashMap, FxHashSet};

/// Rules whose reachable states include those of `rules`. They have only the fluents of the relation
/// `chosen` and those with at most one argument, no goals and no end. Each condition that is left out makes more
/// facts true; negations of relations with such facts are left out too. `None` if a rule without these conditions
/// is not safe.
pub(super) fn superset(game: &Game, rules: &Rules, changes: &[Change], chosen: RelationId) -> Option<Rules> {
    let lowering = &rules.lowering;
    let has_whole = [Carrier::True, Carrier::Next, Carrier::Init]
        .iter()
        .any(|&carrier| lowering.forms(carrier).iter().any(|form| form.functor.is_none()));
    let is_kept = |form: &Form| has_whole || columns(form) <= Some(1) || form.relation == chosen;
    let kept: FxHashSet<_> =
        lowering.forms(Carrier::True).iter().filter(|form| is_kept(form)).map(|form| form.functor).collect();
    let left_out = |carrier: Carrier| -> FxHashSet<RelationId> {
        let forms = lowering.forms(carrier).iter();
        forms.filter(|form| !has_whole && !kept.contains(&form.functor)).map(|form| form.relation).collect()
    };
    let (no_fluents, no_next) = (left_out(Carrier::True), left_out(Carrier::Next));
    let description = game.description();
    let mut no_heads: FxHashSet<RelationId> = no_next;
    no_heads.extend(lowering.forms(Carrier::Sees).iter().map(|form| form.relation));
    no_heads.extend(lowering.relation(description, "goal", 2));
    no_heads.extend(lowering.relation(description, "terminal", 0));
    let is_input = |relation: RelationId| {
        [Carrier::True, Carrier::Does]
            .iter()
            .any(|&carrier| lowering.forms(carrier).iter().any(|form| form.relation == relation))
    };
    // 1. The relations that have more facts than in the game.
    let mut inexact = vec![false; changes.len()];
    let stays = |literal: &Literal, inexact: &[bool]| match literal {
        Literal::Positive(atom) => !no_fluents.contains(&atom.relation),
        Literal::Negative(atom) if is_input(atom.relation) => !no_fluents.contains(&atom.relation),
        Literal::Negative(atom) => {
            changes[atom.relation.index()] != Change::WithState && !inexact[atom.relation.index()]
        }
        _ => true,
    };
    loop {
        let before = inexact.clone();
        for rule in &lowering.rules {
            let reads_more = rule.body.iter().any(|literal| match literal {
                Literal::Positive(atom) => inexact[atom.relation.index()],
                _ => false,
            });
            if reads_more || !rule.body.iter().all(|literal| stays(literal, &inexact)) {
                inexact[rule.head.relation.index()] = true;
            }
        }
        if inexact == before {
            break;
        }
    }
    // 2. The rules without the conditions that do not stay, as far as moves and states depend on them.
    let mut by_head: FxHashMap<RelationId, Vec<&Rule>> = FxHashMap::default();
    for rule in lowering.rules.iter().filter(|rule| !no_heads.contains(&rule.head.relation)) {
        by_head.entry(rule.head.relation).or_default().push(rule);
    }
    let mut open: Vec<RelationId> = [Carrier::Init, Carrier::Next, Carrier::Legal]
        .iter()
        .flat_map(|&carrier| lowering.forms(carrier).iter().map(|form| form.relation))
        .collect();
    let mut superset = lowering.clone();
    superset.rules.clear();
    let mut seen: FxHashSet<RelationId> = open.iter().copied().collect();
    while let Some(head) = open.pop() {
        for rule in by_head.get(&head).into_iter().flatten() {
            let body = rule.body.iter().filter(|literal| stays(literal, &inexact)).cloned().collect();
            let rule = safe(Rule { body, ..(*rule).clone() })?;
            for literal in &rule.body {
                let (Literal::Positive(atom) | Literal::Negative(atom)) = literal else { continue };
                if seen.insert(atom.relation) {
                    open.push(atom.relation);
                }
            }
            superset.rules.push(rule);
        }
    }
    Some(Rules::rewritten(superset, vec![false; rules.demanded.len()]))
}

/// `rule` without the conditions that have unbound variables. `None` if a variable of the head is unbound.
fn safe(mut rule: Rule) -> Option<Rule> {
    let mut bound: FxHashSet<Variable> = FxHashSet::default();
    for literal in &rule.body {
        if let Literal::Positive(atom) = literal {
            bound.extend(variables(&atom.args));
        }
    }
    let is_bound =
        |bound: &FxHashSet<Variable>, a: &Argument| a.variable().is_none_or(|v| bound.contains(&v));
    loop {
        let before = bound.len();
        for literal in &rule.body {
            let Literal::Compose { term, args, .. } = literal else { continue };
            if is_bound(&bound, term) || args.iter().all(|argument| is_bound(&bound, argument)) {
                bound.extend(literal.arguments().filter_map(Argument::variable));
            }
        }
        if bound.len() == before {
            break;
        }
    }
    rule.body.retain(|literal| literal.arguments().all(|argument| is_bound(&bound, &argument)));
    rule.head.args.iter().all(|argument| is_bound(&bound, argument)).then_some(rule)
}
