//! Instantiates the rules over the possible facts, as gates.
//!
//! A rule without `does` is joined once; each solution yields the conjunction of the signals of the rule's
//! dynamic conditions. A rule with `does` is joined in two parts: first the conditions on the state, then,
//! for each assignment of the variables that both parts share, the fitting moves. These moves become move
//! sets, which are memoised. For example, ten thousand moves that leave a cell unchanged cost one set for the
//! cell, instead of ten thousand instances for each mark that the cell can contain.

use super::disjunction::{Way, any_of};
use super::recursion::{Alternative, solve};
use super::relax::Relaxed;
use super::{GroundError, GroundLimits, Moves, Signals};
use crate::builder::NetBuilder;
use crate::net::GroundCounts;
use crate::node::Signal;
use ggp_datalog::{
    Argument, Atom, Body, Database, EvalError, Functor, Limits, Literal, RelationId, Rule, Value, Variable,
};
use ggp_game::StopToken;
use ggp_game::lower::Carrier;
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hash;

/// Instantiates all rules.
pub(super) struct Instances<'a> {
    pub(super) relaxed: &'a mut Relaxed,
    pub(super) moves: &'a Moves,
    pub(super) limits: &'a GroundLimits,
    pub(super) stop: &'a StopToken,
    /// Whether disjunctions share sub-disjunctions. Otherwise each disjunction is one node.
    pub(super) shares_disjunctions: bool,
}

/// A rule split into two joins.
struct Split {
    /// The index of the rule within the stratum.
    number: u32,
    rule: Rule,
    /// The first join: the conditions on the state, and the static conditions whose variables all occur in
    /// them. In a rule without `does`, the first join has all static conditions.
    state: Body,
    /// The second join, with the variables that it takes from the first one. `None` for a rule without
    /// `does`.
    moves: Option<(Body, Vec<Variable>)>,
    /// The positive conditions on dynamic relations, except `does`.
    holds: Vec<Atom>,
    /// Negative conditions on dynamic relations.
    fails: Vec<Atom>,
    /// Positive conditions on moves (`does`).
    does: Vec<(Atom, MoveForm)>,
    /// The variables that only the second join binds and that occur in the rule's head or in `fails`.
    bound_later: Vec<Variable>,
    /// The variables that the rule's head lacks.
    local: Vec<Variable>,
}

/// How a relation of `does` facts stores their moves. Given a function symbol, each move is a term with this
/// root, and the relation has one column for each argument of the term. `None` if one column holds the move
/// as a whole term.
#[derive(Clone, Copy)]
struct MoveForm(Option<Functor>);

impl MoveForm {
    /// The move that `tuple`, a row of a relation of this form, stores. `None` if the term of the move has
    /// not been created.
    fn of_tuple(self, tuple: &[Value], database: &Database) -> Option<Value> {
        match self.0 {
            None => Some(tuple[1]),
            Some(functor) => database.values().find(functor, &tuple[1..]),
        }
    }
}

/// The index of a role, and the index of one of its moves.
type RoleMove = (u32, u32);

/// A key that groups the solutions of the second join. Solutions with equal keys agree in everything except
/// the move of the second `does` condition, and their moves of this condition form one set. The key consists
/// of the values of [`Split::bound_later`], the move set of the first `does` condition with its size, the
/// role of the second condition (`None` if there is no second condition), and the role and move of each
/// further condition.
type Rectangle = (Vec<Value>, (Signal, usize), Option<u32>, Vec<RoleMove>);

/// Lists of indices, grouped by key. The keys are in the order of their first occurrence.
struct Grouped<K> {
    groups: Vec<(K, Vec<u32>)>,
    places: FxHashMap<K, usize>,
}

impl<K> Default for Grouped<K> {
    fn default() -> Self {
        Grouped { groups: Vec::new(), places: FxHashMap::default() }
    }
}

impl<K: Clone + Eq + Hash> Grouped<K> {
    fn add(&mut self, key: K, number: u32) {
        if let Some(&place) = self.places.get(&key) {
            self.groups[place].1.push(number);
        } else {
            self.places.insert(key.clone(), self.groups.len());
            self.groups.push((key, vec![number]));
        }
    }
}

/// A solution of the second join: the values of [`Split::bound_later`], and one move set for each condition
/// on moves.
struct Fitting {
    bound: Vec<Value>,
    sets: Vec<Signal>,
    /// The number of ways to take one move from each set of `sets`.
    by_move: u64,
}

/// The instances of rules whose heads belong to one stratum.
struct Found {
    /// For each instance in a stratum that is not recursive, the relation and the row of its head, and the
    /// signal of its condition.
    plain: Vec<(RelationId, u32, Signal)>,
    /// The same for disjunctions that share sub-disjunctions.
    ways: Vec<(RelationId, u32, Way)>,
    recursive: Vec<Alternative>,
    counts: GroundCounts,
}

impl Found {
    /// The number of instances.
    fn len(&self) -> usize {
        self.plain.len() + self.ways.len() + self.recursive.len()
    }
}

impl Instances<'_> {
    /// Sets the signals of all derived facts.
    pub(super) fn build(
        mut self,
        builder: &mut NetBuilder,
        signals: &mut Signals,
    ) -> Result<GroundCounts, GroundError> {
        let mut counts = GroundCounts::default();
        let strata = self.relaxed.exact.strata().to_vec();
        let mut splits: Vec<Vec<Split>> = Vec::with_capacity(strata.len());
        for stratum in &strata {
            let dynamic = stratum.relations.iter().all(|&r| self.relaxed.is_dynamic(r));
            let rules = stratum.rules.iter().filter(|_| dynamic);
            let rules: Vec<Rule> = rules.map(|&r| self.relaxed.exact.rules()[r].clone()).collect();
            splits.push((0..).zip(rules).map(|(number, rule)| self.split(number, rule)).collect());
        }
        let relaxed = &mut *self.relaxed;
        relaxed.database.reindex(&relaxed.program);
        let mut count = 0;
        for (stratum, splits) in strata.iter().zip(splits) {
            if splits.is_empty() {
                continue;
            }
            // Number the facts of a recursive stratum consecutively, relation by relation.
            let mut first: FxHashMap<RelationId, u32> = FxHashMap::default();
            let mut facts = 0;
            if stratum.recursive {
                for &relation in &stratum.relations {
                    first.insert(relation, facts);
                    facts += self.relaxed.rows(relation).len() as u32;
                }
            }
            counts.rules += splits.len();
            let mut found = Found { plain: Vec::new(), ways: Vec::new(), recursive: Vec::new(), counts };
            let before = count;
            for split in &splits {
                self.instantiate(split, builder, signals, &first, &mut found)?;
                count = before + found.len();
                if builder.node_count() > self.limits.nodes || count > self.limits.instances {
                    return Err(GroundError::TooLarge(format!(
                        "{count} instances, {} nodes",
                        builder.node_count()
                    )));
                }
            }
            counts = found.counts;
            if stratum.recursive {
                let heads: FxHashSet<u32> = found.recursive.iter().map(|one| one.head).collect();
                counts.gates -= heads.len() as u64;
                let solved = solve(builder, facts as usize, &found.recursive);
                for (&relation, &first) in &first {
                    for row in 0..self.relaxed.rows(relation).len() {
                        signals.set(relation, row, solved[first as usize + row]);
                    }
                }
            } else {
                found.plain.sort_unstable();
                for group in found.plain.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
                    self.stop.check()?;
                    let signal = builder.or(group.iter().map(|&(_, _, signal)| signal));
                    signals.set(group[0].0, group[0].1 as usize, signal);
                    counts.gates -= 1;
                }
                found.ways.sort_by_key(|way| (way.0, way.1));
                for group in found.ways.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
                    self.stop.check()?;
                    let mut ways: Vec<Way> = group.iter().map(|&(_, _, way)| way).collect();
                    let signal = any_of(builder, &mut ways);
                    signals.set(group[0].0, group[0].1 as usize, signal);
                    counts.gates -= 1;
                }
            }
        }
        Ok(counts)
    }

    /// The form in which `relation` stores moves, if it is a relation of `does` facts. `None` for any other
    /// relation.
    fn move_form(&self, relation: RelationId) -> Option<MoveForm> {
        let mut forms = self.relaxed.forms(Carrier::Does).iter();
        forms.find(|form| form.relation == relation).map(|form| MoveForm(form.functor))
    }

    /// Splits the rule with the index `number` of its stratum, and plans its joins.
    fn split(&mut self, number: u32, rule: Rule) -> Split {
        let (mut holds, mut fails, mut does) = (Vec::new(), Vec::new(), Vec::new());
        let (mut state, mut later, mut fixed) = (Vec::new(), Vec::new(), Vec::new());
        for literal in &rule.body {
            match literal {
                Literal::Positive(atom) => match self.move_form(atom.relation) {
                    Some(form) => {
                        does.push((atom.clone(), form));
                        later.push(literal.clone());
                    }
                    None if self.relaxed.is_dynamic(atom.relation) => {
                        holds.push(atom.clone());
                        state.push(literal.clone());
                    }
                    None => fixed.push(literal.clone()),
                },
                // Only negations of dynamic relations become conditions of instances. Negations of static
                // relations are checked against the possible facts, which are exact for static relations.
                Literal::Negative(atom) if self.relaxed.is_dynamic(atom.relation) => fails.push(atom.clone()),
                other => fixed.push(other.clone()),
            }
        }
        let variables = |literals: &[Literal]| -> Vec<Variable> {
            let mut all: Vec<Variable> =
                literals.iter().flat_map(Literal::arguments).filter_map(Argument::variable).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        // A static condition belongs to the first join unless it reads a variable that only moves bind.
        if does.is_empty() {
            state.append(&mut fixed);
        } else {
            let of_state = variables(&state);
            let (early, late): (Vec<Literal>, Vec<Literal>) = fixed.into_iter().partition(|literal| {
                literal.arguments().filter_map(Argument::variable).all(|v| of_state.contains(&v))
            });
            state.extend(early);
            later.extend(late);
        }
        let (of_state, of_moves) = (variables(&state), variables(&later));
        let read = rule.head.args.iter().chain(fails.iter().flat_map(|atom| &atom.args));
        let mut bound_later: Vec<Variable> =
            read.filter_map(|a| a.variable()).filter(|v| !of_state.contains(v)).collect();
        bound_later.sort_unstable();
        bound_later.dedup();
        let given: Vec<Variable> = of_moves.into_iter().filter(|v| of_state.contains(v)).collect();
        let moves = (!does.is_empty()).then(|| (self.plan(&rule, later, &given), given));
        let is_local = |variable: &Variable| !rule.head.args.contains(&Argument::Variable(*variable));
        let local: Vec<Variable> = variables(&rule.body).into_iter().filter(is_local).collect();
        let state = self.plan(&rule, state, &[]);
        Split { number, rule, state, moves, holds, fails, does, bound_later, local }
    }

    fn plan(&mut self, rule: &Rule, body: Vec<Literal>, given: &[Variable]) -> Body {
        let head = Atom { relation: rule.head.relation, args: Vec::new() };
        let part = Rule { head, body, variables: rule.variables, label: rule.label };
        let Relaxed { program, statistics, .. } = &mut *self.relaxed;
        Body::plan(program, &part, given, statistics).expect("a part of a safe rule")
    }

    fn limits(&self) -> Limits {
        Limits { interrupt: Some(self.stop.flag()), ..Limits::default() }
    }

    /// Collects the instances of one rule.
    fn instantiate(
        &mut self,
        split: &Split,
        builder: &mut NetBuilder,
        signals: &Signals,
        first: &FxHashMap<RelationId, u32>,
        found: &mut Found,
    ) -> Result<(), GroundError> {
        let limits = self.limits();
        // 1. The solutions of the conditions on the state.
        let mut solutions: Vec<Value> = Vec::new();
        let width = split.rule.variables as usize;
        let bound = self.limits.instances;
        let too_many = EvalError::TooManyTuples { label: split.rule.label, bound };
        split.state.for_each(&mut self.relaxed.database, &[], &limits, |_, bindings| {
            solutions.extend_from_slice(bindings);
            if solutions.len() > bound * width.max(1) { Err(too_many.clone()) } else { Ok(()) }
        })?;
        let count = match solutions.len().checked_div(width) {
            Some(count) => count,
            None => usize::from(self.succeeds(split, &limits)?),
        };
        // 2. The fitting moves for each solution.
        let mut memo: FxHashMap<Vec<Value>, Vec<Fitting>> = FxHashMap::default();
        for number in 0..count {
            self.stop.check()?;
            let mut bindings = solutions[number * width..(number + 1) * width].to_vec();
            let Some((moves, given)) = &split.moves else {
                found.counts.instances += 1;
                found.counts.instances_by_move += 1;
                self.conclude(split, &bindings, &[], builder, signals, first, found);
                continue;
            };
            let key: Vec<Value> = given.iter().map(|v| bindings[v.index()]).collect();
            if !memo.contains_key(&key) {
                let fitting = self.fitting(split, moves, &bindings, builder, &limits)?;
                memo.insert(key.clone(), fitting);
            }
            for fitting in &memo[&key] {
                for (variable, &value) in split.bound_later.iter().zip(&fitting.bound) {
                    bindings[variable.index()] = value;
                }
                found.counts.instances += 1;
                found.counts.instances_by_move += fitting.by_move;
                self.conclude(split, &bindings, &fitting.sets, builder, signals, first, found);
            }
            if found.len() > self.limits.instances {
                return Err(GroundError::TooLarge(format!(
                    "more than {} instances of rules",
                    self.limits.instances
                )));
            }
        }
        Ok(())
    }

    /// For a rule that has no variables: whether its first join has a solution.
    fn succeeds(&mut self, split: &Split, limits: &Limits) -> Result<bool, GroundError> {
        let mut any = false;
        split.state.for_each(&mut self.relaxed.database, &[], limits, |_, _| {
            any = true;
            Ok(())
        })?;
        Ok(any)
    }

    /// The solutions of the second join for the variables bound in `bindings`, with their moves as move sets.
    fn fitting(
        &mut self,
        split: &Split,
        moves: &Body,
        bindings: &[Value],
        builder: &mut NetBuilder,
        limits: &Limits,
    ) -> Result<Vec<Fitting>, GroundError> {
        // Group the moves of the first condition by the variables bound later and the moves of the other
        // conditions.
        let mut sets: Grouped<(Vec<Value>, Vec<RoleMove>, u32)> = Grouped::default();
        let known = self.moves;
        moves.for_each(&mut self.relaxed.database, bindings, limits, |database, bindings| {
            let number = |(atom, form): &(Atom, MoveForm)| {
                let tuple: Vec<Value> = atom.args.iter().map(|&a| value_of(a, bindings)).collect();
                known.number(tuple[0], form.of_tuple(&tuple, database)?)
            };
            let numbers: Option<Vec<RoleMove>> = split.does.iter().map(number).collect();
            if let Some(mut numbers) = numbers {
                let (role, mv) = numbers.remove(0);
                let bound = split.bound_later.iter().map(|v| bindings[v.index()]).collect();
                sets.add((bound, numbers, role), mv);
            }
            Ok(())
        })?;
        // Group the moves of the second condition that have the same set of the first condition.
        let mut rectangles: Grouped<Rectangle> = Grouped::default();
        for ((bound, mut others, role), members) in sets.groups {
            let firsts = members.len();
            let set = builder.move_set(role as usize, &members);
            let second = (!others.is_empty()).then(|| others.remove(0));
            let (second, mv) = second.map_or((None, 0), |(role, mv)| (Some(role), mv));
            rectangles.add((bound, (set, firsts), second, others), mv);
        }
        let fitting =
            rectangles.groups.into_iter().map(|((bound, (set, firsts), second, others), members)| {
                let by_move = (firsts * members.len()) as u64;
                let mut sets = vec![set];
                sets.extend(second.map(|role| builder.move_set(role as usize, &members)));
                sets.extend(others.into_iter().map(|(role, mv)| builder.move_set(role as usize, &[mv])));
                Fitting { bound, sets, by_move }
            });
        Ok(fitting.collect())
    }

    /// Adds one instance: the fact of its head, and the conjunction of its conditions.
    #[expect(clippy::too_many_arguments, reason = "all of them are the instance")]
    fn conclude(
        &self,
        split: &Split,
        bindings: &[Value],
        sets: &[Signal],
        builder: &mut NetBuilder,
        signals: &Signals,
        first: &FxHashMap<RelationId, u32>,
        found: &mut Found,
    ) {
        let tuple =
            |atom: &Atom| -> Vec<Value> { atom.args.iter().map(|&a| value_of(a, bindings)).collect() };
        let mut conditions: Vec<Signal> = sets.to_vec();
        let mut recursive: Vec<u32> = Vec::new();
        for atom in &split.holds {
            // Exact rules contain no demand predicates.
            debug_assert!(!self.relaxed.is_demand(atom.relation));
            let row = self.relaxed.rows(atom.relation).find(&tuple(atom)).expect("joined from there");
            match first.get(&atom.relation) {
                Some(first) => recursive.push(first + row as u32),
                None => conditions.push(signals.of(atom.relation, row)),
            }
        }
        for atom in &split.fails {
            let tuple = tuple(atom);
            let signal = match self.move_form(atom.relation) {
                None => {
                    self.relaxed.rows(atom.relation).find(&tuple).map(|row| signals.of(atom.relation, row))
                }
                Some(form) => {
                    let mv = form.of_tuple(&tuple, &self.relaxed.database);
                    let number = mv.and_then(|mv| self.moves.number(tuple[0], mv));
                    number.map(|(role, mv)| builder.move_set(role as usize, &[mv]))
                }
            };
            // A fact that is not possible is always false, so its negation is always true.
            if let Some(signal) = signal {
                conditions.push(!signal);
            }
        }
        let inputs = (conditions.len() + recursive.len()).max(1);
        let head = split.rule.head.relation;
        let Some(row) = self.relaxed.rows(head).find(&tuple(&split.rule.head)) else {
            return; // The network does not need the head.
        };
        if self.shares_disjunctions && !first.contains_key(&head) {
            let local = split.local.iter().map(|variable| bindings[variable.index()]);
            let way = Way::new(builder, split.number, local, conditions);
            if !way.is_impossible() {
                found.counts.kept += 1;
                found.counts.gates += inputs as u64;
                found.ways.push((head, row as u32, way));
            }
            return;
        }
        let rest = builder.and(conditions);
        if rest == Signal::FALSE {
            return;
        }
        found.counts.kept += 1;
        // The disjunction for a head needs one gate less than the head has instances. The caller subtracts
        // one gate for each head after the stratum.
        found.counts.gates += inputs as u64;
        match first.get(&head) {
            Some(first) => {
                found.recursive.push(Alternative { head: first + row as u32, facts: recursive.into(), rest });
            }
            None => found.plain.push((head, row as u32, rest)),
        }
    }
}

fn value_of(argument: Argument, bindings: &[Value]) -> Value {
    match argument {
        Argument::Value(value) => value,
        Argument::Variable(variable) => bindings[variable.index()],
    }
}
