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

use super::alternatives::merge;
use super::domains::Bounds;
use super::exclusive::Proofs;
use super::relax::{Relaxed, Rules};
use super::{GroundError, GroundLimits, network};
use crate::net::PropNet;
use ggp_datalog::{Argument, Atom, Literal, RelationId, Rule, Signature, Value, Variable};
use ggp_game::lower::{Carrier, Form, Lowering};
use ggp_game::{Fact, Game, StopToken};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A relation with more rules than this is not unfolded.
const MOST_UNFOLDED: usize = 64;

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
    let mut relations: Vec<(usize, RelationId)> = counts.into_iter().map(|(relation, count)| (count, relation)).collect();
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
pub(super) fn may_apply(game: &Game, rules: &Rules) -> bool {
    let _ = game;
    !choices(&rules.lowering, &changes(&rules.lowering)).is_empty()
}

/// Exchanges all choices for which the proof succeeds. `None` if there is none.
pub(super) fn exchange(
    game: &Arc<Game>,
    rules: &Rules,
    limits: &GroundLimits,
    stop: &StopToken,
) -> Result<Option<Exchanged>, GroundError> {
    let changes = changes(&rules.lowering);
    let choices = choices(&rules.lowering, &changes);
    let mut proved: Vec<Choice> = Vec::new();
    let mut exclusive: Vec<Vec<Fact>> = Vec::new();
    let mut bounds = Bounds::default();
    for relation in chosen_relations(&rules.lowering, &choices) {
        let open: Vec<&Choice> = choices
            .iter()
            .filter(|choice| choice.relation(&rules.lowering) == relation && !choice.is_in(&proved))
            .collect();
        if open.is_empty() {
            continue;
        }
        let Some(superset) = superset(game, rules, &changes, relation) else { continue };
        let tried = Relaxed::new(game, superset, limits, stop).and_then(|mut relaxed| {
            super::tmp("superset facts");
            let net = network(game, &mut relaxed, limits, stop)?;
            Ok((relaxed, net))
        });
        let (relaxed, net) = match tried {
            Ok(grounded) => grounded,
            Err(GroundError::TooLarge(_)) => continue,
            Err(error) => return Err(error),
        };
        super::tmp("superset net");
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
            let holds = selected.iter().all(|set| {
                set.len() < 2 || *known.entry(set.clone()).or_insert_with(|| proofs.prove(set))
            });
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
    let mut rules = rewrite(rules, &proved);
    merge(&mut rules);
    Ok(Some(Exchanged { rules, exclusive, bounds }))
}

/// The number of columns of a form of `true`. `None` for the whole form.
fn columns(form: &Form) -> Option<u32> {
    form.functor.map(|functor| functor.arity.unwrap_or(0))
}

/// How often the facts of each relation change.
fn changes(lowering: &Lowering) -> Vec<Change> {
    let mut changes = vec![Change::Never; lowering.signatures.len()];
    for form in lowering.forms(Carrier::True) {
        changes[form.relation.index()] = Change::WithState;
    }
    for form in lowering.forms(Carrier::Does) {
        changes[form.relation.index()] = Change::WithMoves;
    }
    loop {
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
            return changes;
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

/// Rules whose reachable states include those of `rules`. They have only the fluents of the relation
/// `chosen` and those with at most one argument, no goals and no end. Each condition that is left out makes more facts true;
/// negations of relations with such facts are left out too. `None` if a rule without these conditions is not
/// safe.
fn superset(game: &Game, rules: &Rules, changes: &[Change], chosen: RelationId) -> Option<Rules> {
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

/// The possible fluents of `form`, by the values of the columns that are not chosen.
fn sets(
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
    sets.values_mut().for_each(|set| set.sort_unstable());
    sets
}

/// The values of the columns of moves and fluents in the superset `relaxed`. Terms that `lowering` does not
/// contain have other numbers elsewhere; a column with such a term has no bound. Relations without facts may
/// have been left out.
fn bounds_of(lowering: &Lowering, relaxed: &Relaxed) -> Bounds {
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
fn selected(lowering: &Lowering, relaxed: &Relaxed, net: &PropNet, choice: &Choice) -> Vec<Vec<u32>> {
    let rule = &lowering.rules[choice.rule];
    let Literal::Positive(atom) = &rule.body[choice.fluent] else { return Vec::new() };
    let Some(form) = fluent_form(lowering, atom.relation) else { return Vec::new() };
    let is_chosen =
        |column: usize| atom.args[column].variable().is_some_and(|variable| choice.chosen.contains(&variable));
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

/// Replaces the negated condition of each of `choices`.
fn rewrite(rules: &Rules, choices: &[Choice]) -> Rules {
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
            if !names.contains_key(&variable) {
                names.insert(variable, next);
                if !choice.chosen.contains(&variable) {
                    kept.push(argument);
                }
            }
        }
        let rename = |argument: &Argument| match argument {
            Argument::Variable(variable) => Argument::Variable(names[variable]),
            value => *value,
        };
        let renamed = |atom: &Atom| Atom { args: atom.args.iter().map(rename).collect(), ..atom.clone() };
        let (own_fluent, own_negated) = (renamed(fluent), renamed(negated));
        let columns: Vec<Argument> = kept.iter().map(rename).collect();
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
            let new = unfolded(&rules.lowering, &head, own_fluent, &own_negated, names.len() as u32, rule.label);
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
        value => value,
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
    let place = |argument: &Argument| resolve(&unified, *argument);
    let placed = |atom: &Atom| Atom { args: atom.args.iter().map(place).collect(), ..atom.clone() };
    let inner = |argument: &Argument| resolve(&unified, moved(*argument));
    let inners = |atom: &Atom| Atom { args: atom.args.iter().map(inner).collect(), ..atom.clone() };
    let mut body = vec![Literal::Positive(placed(fluent))];
    body.extend(rule.body.iter().map(|literal| match literal {
        Literal::Positive(atom) => Literal::Positive(inners(atom)),
        Literal::Negative(atom) => Literal::Negative(inners(atom)),
        Literal::Distinct(a, b) => Literal::Distinct(inner(a), inner(b)),
        Literal::Compose { term, functor, args } => {
            Literal::Compose { term: inner(term), functor: *functor, args: args.iter().map(inner).collect() }
        }
    }));
    Some(Rule { head: placed(head), body, variables: total, label: rule.label })
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
