//! The instances of the rules over what is possible, as gates.
//!
//! A rule without `does` is joined once; each solution is a conjunction of the signals of its
//! dynamic conditions. A rule with `does` is joined in two parts: first the conditions on the
//! state, then, for each assignment of the variables that both parts share, the moves that fit,
//! collected into sets and remembered, so that ten thousand moves that leave a cell alone cost
//! one set for the cell and not ten thousand instances for each content.

use super::recursion::{Alternative, solve};
use super::relax::Relaxed;
use super::{GroundError, GroundLimits, Moves, Signals};
use crate::net::{NetBuilder, Signal};
use crate::report::GroundCounts;
use ggp_datalog::{
    Argument, Atom, Body, Database, EvalError, Functor, Limits, Literal, RelationId, Rule, Value, Variable,
};
use ggp_game::StopToken;
use ggp_game::lower::Carrier;
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hash;

/// Makes gates of all rules.
pub(super) struct Instances<'a> {
    pub(super) relaxed: &'a mut Relaxed,
    pub(super) moves: &'a Moves,
    pub(super) limits: &'a GroundLimits,
    pub(super) stop: &'a StopToken,
}

/// A rule taken apart.
struct Split {
    rule: Rule,
    /// The first join: conditions on the state, and what is static of them.
    state: Body,
    /// The second join, with the variables that it is given; none if the rule has no `does`.
    moves: Option<(Body, Vec<Variable>)>,
    /// Positive dynamic conditions.
    holds: Vec<Atom>,
    /// Negative conditions that may fail.
    fails: Vec<Atom>,
    /// Positive conditions on moves.
    does: Vec<(Atom, MoveForm)>,
    /// Variables that the second join binds and the head or `fails` read.
    bound_later: Vec<Variable>,
}

/// A form of `does`: the function of its moves, or none for the whole form.
#[derive(Clone, Copy)]
struct MoveForm(Option<Functor>);

impl MoveForm {
    /// The move of a tuple of `does`, if there is such a term.
    fn of_tuple(self, tuple: &[Value], database: &Database) -> Option<Value> {
        match self.0 {
            None => Some(tuple[1]),
            Some(functor) => database.values().find(functor, &tuple[1..]),
        }
    }
}

/// A role's and a move's number.
type RoleMove = (u32, u32);

/// What a set of moves of a second condition goes with: the variables bound later, the set of
/// the first condition and how many moves it was made of, the second's role, and the moves of all
/// further conditions.
type Rectangle = (Vec<Value>, (Signal, usize), Option<u32>, Vec<RoleMove>);

/// Numbers by key, in the order in which the keys came.
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

/// What the second join gives for one assignment of what it is given: for each assignment of the
/// variables bound later, sets of moves, one a condition on moves.
struct Fitting {
    bound: Vec<Value>,
    sets: Vec<Signal>,
    /// How many choices of one move a condition it stands for.
    by_move: u64,
}

/// The solutions found for a stratum's heads.
struct Found {
    /// Head relation, its row, and one way to derive it.
    plain: Vec<(RelationId, u32, Signal)>,
    recursive: Vec<Alternative>,
    counts: GroundCounts,
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
            splits.push(rules.into_iter().map(|rule| self.split(rule)).collect());
        }
        let relaxed = &mut *self.relaxed;
        relaxed.database.reindex(&relaxed.program);
        let mut count = 0;
        for (stratum, splits) in strata.iter().zip(splits) {
            if splits.is_empty() {
                continue;
            }
            // The facts of a recursive stratum are numbered one relation after the other.
            let mut first: FxHashMap<RelationId, u32> = FxHashMap::default();
            let mut facts = 0;
            if stratum.recursive {
                for &relation in &stratum.relations {
                    first.insert(relation, facts);
                    facts += self.relaxed.rows(relation).len() as u32;
                }
            }
            counts.rules += splits.len();
            let mut found = Found { plain: Vec::new(), recursive: Vec::new(), counts };
            let before = count;
            for split in &splits {
                self.instantiate(split, builder, signals, &first, &mut found)?;
                count = before + found.plain.len() + found.recursive.len();
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
                    let signal = builder.or(group.iter().map(|&(_, _, signal)| signal));
                    signals.set(group[0].0, group[0].1 as usize, signal);
                    counts.gates -= 1;
                }
            }
        }
        Ok(counts)
    }

    /// The form of `does` that `relation` is.
    fn move_form(&self, relation: RelationId) -> Option<MoveForm> {
        let mut forms = self.relaxed.forms(Carrier::Does).iter();
        forms.find(|form| form.relation == relation).map(|form| MoveForm(form.functor))
    }

    /// Takes a rule apart and plans its joins.
    fn split(&mut self, rule: Rule) -> Split {
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
                // Static negations are exact where the relaxed rules kept them; checking them
                // against the possible facts is exact for all static relations.
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
        // What is static and reads nothing that only moves bind belongs to the first join.
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
        Split { state: self.plan(&rule, state, &[]), moves, holds, fails, does, bound_later, rule }
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
        // 1. The conditions on the state, one solution after the other.
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
        // 2. The moves that fit each.
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
            if found.plain.len() + found.recursive.len() > self.limits.instances {
                return Err(GroundError::TooLarge(format!("more than {} instances", self.limits.instances)));
            }
        }
        Ok(())
    }

    /// Whether a rule without variables has a solution.
    fn succeeds(&mut self, split: &Split, limits: &Limits) -> Result<bool, GroundError> {
        let mut any = false;
        split.state.for_each(&mut self.relaxed.database, &[], limits, |_, _| {
            any = true;
            Ok(())
        })?;
        Ok(any)
    }

    /// The moves that fit `bindings`, as sets.
    fn fitting(
        &mut self,
        split: &Split,
        moves: &Body,
        bindings: &[Value],
        builder: &mut NetBuilder,
        limits: &Limits,
    ) -> Result<Vec<Fitting>, GroundError> {
        // By what is bound later and by the moves of all conditions but the first, the moves that
        // fit the first.
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
        // Moves of a second condition that go with the same set of the first make a set too.
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

    /// One instance: its head, and the conjunction of its conditions.
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
            // Whatever is only wanted is no condition, and was left out of the exact rules.
            debug_assert!(!self.relaxed.is_wanted(atom.relation));
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
            // What is not possible does not hold.
            if let Some(signal) = signal {
                conditions.push(!signal);
            }
        }
        let inputs = (conditions.len() + recursive.len()).max(1);
        let rest = builder.and(conditions);
        if rest == Signal::FALSE {
            return;
        }
        let head = split.rule.head.relation;
        let Some(row) = self.relaxed.rows(head).find(&tuple(&split.rule.head)) else {
            return; // Nobody wants it.
        };
        found.counts.kept += 1;
        // A gate less for each head is taken off when its stratum is done.
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
