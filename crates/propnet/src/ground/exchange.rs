//! Exchanges a choice with a negation. In the rule
//! `legal(M) :- king(K), own(M), not attacked(M, K)`, the condition `king(K)` chooses one place. If at most one
//! fluent `king(K)` holds in each reachable state, the last condition is equivalent to `not endangered(M)`,
//! with `endangered(M) :- king(K), attacked(M, K)`. The rule then has one instance for each move in place of
//! one for each move and each place, and the attacks are joined with the place at once.
//!
//! 1. [`choices`] finds such rules by their form.
//! 2. [`superset`] makes simpler rules, whose reachable states include those of the game: conditions that are
//!    costly to ground are left out.
//! 3. [`Proofs`] proves on the network of these rules that at most one fluent of each choice holds.
//! 4. [`rewrite`] replaces the negations. [`merge`] then merges rules that differ in one condition.

mod rewrite;
mod sets;
mod superset;
#[cfg(test)]
mod tests;

use super::alternatives::merge;
use super::domains::Bounds;
use super::exclusive::Proofs;
use super::relax::{Relaxed, Rules};
use super::tables::inline_tables;
use super::{GroundError, GroundLimits, network};
use ggp_datalog::{Argument, Literal, RelationId, Variable};
use ggp_game::lower::{Carrier, Form, Lowering};
use ggp_game::{Fact, Game, StopToken};
use rewrite::rewrite;
use rustc_hash::{FxHashMap, FxHashSet};
use sets::{bounds_of, selected, sets};
use std::collections::BTreeMap;
use std::sync::Arc;
use superset::superset;

/// Choices of at most this many relations are tried. Each one needs a superset of its own.
const MOST_SUPERSETS: usize = 3;

/// The result of an exchange.
pub(super) struct Exchanged {
    pub(super) rules: Rules,
    /// The sets of fluents on which the rules rely: at most one fluent of each set holds.
    pub(super) exclusive: Vec<Vec<Fact>>,
    /// The values of some relations' columns, which include those of the game.
    pub(super) bounds: Bounds,
}

/// A choice: a positive condition on a fluent that shares variables with a negated condition.
#[derive(Clone, Debug)]
struct Choice {
    /// The index of the rule.
    rule: usize,
    /// The index of the positive condition.
    fluent: usize,
    /// The index of the negated condition.
    negated: usize,
    /// The variables that the choice binds: those that both conditions share and the head does not read.
    chosen: Vec<Variable>,
}

impl Choice {
    /// The relation of the positive condition, a form of `true`.
    fn relation(&self, lowering: &Lowering) -> RelationId {
        match &lowering.rules[self.rule].body[self.fluent] {
            Literal::Positive(atom) => atom.relation,
            _ => unreachable!("the condition is positive"),
        }
    }

    /// Whether one of `choices` exchanges the same negated condition.
    fn is_in(&self, choices: &[Choice]) -> bool {
        choices.iter().any(|other| (other.rule, other.negated) == (self.rule, self.negated))
    }
}

/// The relations of `choices`, those of many choices first.
fn chosen_relations(lowering: &Lowering, choices: &[Choice]) -> Vec<RelationId> {
    let mut counts: BTreeMap<RelationId, usize> = BTreeMap::new();
    for choice in choices {
        *counts.entry(choice.relation(lowering)).or_default() += 1;
    }
    let mut relations: Vec<(usize, RelationId)> =
        counts.into_iter().map(|(relation, count)| (count, relation)).collect();
    relations.sort_unstable_by_key(|&(count, relation)| (usize::MAX - count, relation));
    relations.into_iter().map(|(_, relation)| relation).collect()
}

/// How often the facts of a relation change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Change {
    Never,
    WithState,
    WithMoves,
}

/// Whether some rule has the form to which the exchange applies.
pub(super) fn may_apply(rules: &Rules, stop: &StopToken) -> Result<bool, GroundError> {
    Ok(!choices(&rules.lowering, &changes(&rules.lowering, stop)?).is_empty())
}

/// Exchanges all choices for which the proof succeeds. `None` if there is none.
pub(super) fn exchange(
    game: &Arc<Game>,
    rules: &Rules,
    limits: &GroundLimits,
    stop: &StopToken,
) -> Result<Option<Exchanged>, GroundError> {
    let mut rules = rules.clone();
    inline_tables(&mut rules.lowering);
    let changes = changes(&rules.lowering, stop)?;
    let choices = choices(&rules.lowering, &changes);
    let limits = limits.for_superset();
    let mut proved: Vec<Choice> = Vec::new();
    let mut exclusive: Vec<Vec<Fact>> = Vec::new();
    let mut bounds = Bounds::default();
    for relation in chosen_relations(&rules.lowering, &choices).into_iter().take(MOST_SUPERSETS) {
        let open: Vec<&Choice> = choices
            .iter()
            .filter(|choice| choice.relation(&rules.lowering) == relation && !choice.is_in(&proved))
            .collect();
        if open.is_empty() {
            continue;
        }
        let Some(superset) = superset(game, &rules, &changes, relation) else { continue };
        let tried = Relaxed::new(game, superset, &limits, stop).and_then(|mut relaxed| {
            let net = network(game, &mut relaxed, &limits, stop, false)?;
            Ok((relaxed, net))
        });
        let (relaxed, net) = match tried {
            Ok(grounded) => grounded,
            Err(GroundError::TooLarge(_)) => continue,
            Err(error) => return Err(error),
        };
        for (relation, columns) in bounds_of(&rules.lowering, &relaxed) {
            bounds.entry(relation).or_insert(columns);
        }
        let mut proofs = Proofs::new(&net);
        for form in relaxed.forms(Carrier::True).iter().filter(|form| columns(form) <= Some(1)) {
            let all: Vec<u32> = sets(&relaxed, &net, form, &|_| false).into_values().flatten().collect();
            if all.len() > 1 {
                proofs.prove(&all);
            }
        }
        let mut known: FxHashMap<Vec<u32>, bool> = FxHashMap::default();
        for choice in open {
            stop.check()?;
            let selected = selected(&rules.lowering, &relaxed, &net, choice);
            let holds = selected
                .iter()
                .all(|set| set.len() < 2 || *known.entry(set.clone()).or_insert_with(|| proofs.prove(set)));
            if holds && !choice.is_in(&proved) {
                proved.push(choice.clone());
            }
        }
        let facts = |set: &Vec<u32>| set.iter().map(|&f| net.fluents[f as usize].fact.clone()).collect();
        exclusive.extend(known.iter().filter(|(_, holds)| **holds).map(|(set, _)| facts(set)));
    }
    if proved.is_empty() {
        return Ok(None);
    }
    exclusive.sort_unstable();
    let mut rules = rewrite(&rules, &proved);
    inline_tables(&mut rules.lowering);
    merge(&mut rules);
    Ok(Some(Exchanged { rules, exclusive, bounds }))
}

/// The number of columns of a form of `true`. `None` for the whole form.
fn columns(form: &Form) -> Option<u32> {
    form.functor.map(|functor| functor.arity.unwrap_or(0))
}

/// How often the facts of each relation change.
fn changes(lowering: &Lowering, stop: &StopToken) -> Result<Vec<Change>, GroundError> {
    let mut changes = vec![Change::Never; lowering.signatures.len()];
    for form in lowering.forms(Carrier::True) {
        changes[form.relation.index()] = Change::WithState;
    }
    for form in lowering.forms(Carrier::Does) {
        changes[form.relation.index()] = Change::WithMoves;
    }
    loop {
        stop.check()?;
        let before = changes.clone();
        for rule in &lowering.rules {
            for literal in &rule.body {
                if let Literal::Positive(atom) | Literal::Negative(atom) = literal {
                    let change = changes[atom.relation.index()];
                    let head = &mut changes[rule.head.relation.index()];
                    *head = (*head).max(change);
                }
            }
        }
        if changes == before {
            return Ok(changes);
        }
    }
}

fn variables(args: &[Argument]) -> FxHashSet<Variable> {
    args.iter().filter_map(|argument| argument.variable()).collect()
}

/// The form of `true` that `relation` is. `None` for any other relation and for the whole form.
fn fluent_form(lowering: &Lowering, relation: RelationId) -> Option<&Form> {
    lowering.forms(Carrier::True).iter().find(|form| form.relation == relation && form.functor.is_some())
}

/// All choices of the rules.
fn choices(lowering: &Lowering, changes: &[Change]) -> Vec<Choice> {
    let derived: FxHashSet<RelationId> = lowering.rules.iter().map(|rule| rule.head.relation).collect();
    let mut choices = Vec::new();
    for (number, rule) in lowering.rules.iter().enumerate() {
        let head = variables(&rule.head.args);
        for (negated, literal) in rule.body.iter().enumerate() {
            let Literal::Negative(negative) = literal else { continue };
            let relation = negative.relation;
            if changes[relation.index()] != Change::WithState || !derived.contains(&relation) {
                continue;
            }
            let read = variables(&negative.args);
            for (fluent, literal) in rule.body.iter().enumerate() {
                let Literal::Positive(positive) = literal else { continue };
                if fluent_form(lowering, positive.relation).is_none() {
                    continue;
                }
                let mut chosen: Vec<Variable> = variables(&positive.args)
                    .into_iter()
                    .filter(|variable| read.contains(variable) && !head.contains(variable))
                    .collect();
                chosen.sort_unstable();
                if !chosen.is_empty() {
                    choices.push(Choice { rule: number, fluent, negated, chosen });
                }
            }
        }
    }
    choices
}
