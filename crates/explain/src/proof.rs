//! Proofs of atoms that hold: for each atom, a rule instance that derives the atom. The proofs are
//! well-founded even if the rules are recursive.

use super::{
    Because, Explainer, Explanation, Ground, Instance, MAX_DEPTH, MAX_INSTANCES, MAX_NODES, Verdict, ground,
    plain,
};
use ggp_datalog::{Argument, Body, Literal, Rule, Value, Variable};
use ggp_game::EvalError;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

impl Explainer {
    pub(super) fn why(&mut self, atom: &Ground, depth: usize) -> Result<Explanation, EvalError> {
        let text = self.text(atom);
        let leaf = |because| Explanation { text, verdict: Verdict::Holds, because, parts: Vec::new() };
        self.nodes += 1;
        if let Some(input) = self.input_of(atom.0) {
            return Ok(leaf(input));
        }
        if depth >= MAX_DEPTH || self.nodes >= MAX_NODES {
            return Ok(leaf(Because::Omitted));
        }
        let Some((number, bindings)) = self.proof(atom)? else { return Ok(leaf(Because::Omitted)) };
        if let Some(same) = self.pass(number, atom) {
            return self.why(&same, depth);
        }
        let line = self.line(number);
        if self.program.rules()[number].body.is_empty() {
            return Ok(leaf(Because::Rule(line)));
        }
        if !self.shown.insert(atom.clone()) {
            return Ok(leaf(Because::Elsewhere));
        }
        let mut explanation = leaf(Because::Rule(line));
        for (place, literal) in self.conditions(number) {
            let text = self.condition_text(number, literal, |v| Some(bindings[v.index()]));
            let part = match &self.program.rules()[number].body[place] {
                Literal::Positive(atom) => {
                    let ground = ground(atom, &bindings);
                    self.why(&ground, depth + 1)?
                }
                _ => plain(text, Verdict::Holds),
            };
            explanation.parts.push(part);
        }
        Ok(explanation)
    }

    /// A rule instance that derives `atom`, which must hold. `None` if the search reached its bound
    /// [`MAX_INSTANCES`] before it found one.
    pub(super) fn proof(&mut self, atom: &Ground) -> Result<Option<Instance>, EvalError> {
        if let Some(known) = self.proofs.get(atom) {
            return Ok(Some(known.clone()));
        }
        if self.strata[atom.0.index()].1 {
            self.prove(atom)?;
            return Ok(self.proofs.get(atom).cloned());
        }
        for number in self.rules_of[atom.0.index()].clone() {
            if let Some(same) = self.pass(number, atom) {
                if self.holds(&same) {
                    return Ok(Some((number, Box::default())));
                }
            } else if let Some(bindings) = self.solutions(number, atom, true)?.pop() {
                return Ok(Some((number, bindings)));
            }
        }
        Ok(None)
    }

    /// Stores in `proofs` the shortest proofs of `atom`, and of all atoms of the same stratum on which `atom`
    /// may depend.
    fn prove(&mut self, atom: &Ground) -> Result<(), EvalError> {
        let stratum = self.strata[atom.0.index()].0;
        let mut numbers: FxHashMap<Ground, usize> = FxHashMap::from_iter([(atom.clone(), 0)]);
        let mut atoms = vec![atom.clone()];
        // An instance consists of the index of its head in `atoms`, the instance itself, and the count of
        // body atoms that are not proved yet. For each atom, `waiting` lists the instances that need the
        // atom.
        let mut instances: Vec<(usize, Instance, usize)> = Vec::new();
        let mut waiting: Vec<Vec<usize>> = vec![Vec::new()];
        let mut next = 0;
        while next < atoms.len() && instances.len() < MAX_INSTANCES {
            let head = atoms[next].clone();
            for number in self.rules_of[head.0.index()].clone() {
                let found: Vec<(Instance, Vec<Ground>)> = match self.pass(number, &head) {
                    Some(same) if !self.holds(&same) => continue,
                    Some(same) => vec![((number, Box::default()), vec![same])],
                    None => {
                        let solutions = self.solutions(number, &head, false)?;
                        let body = &self.program.rules()[number].body;
                        let needed = |bindings: &[Value]| {
                            let positive = body.iter().filter_map(|literal| match literal {
                                Literal::Positive(atom) => Some(ground(atom, bindings)),
                                _ => None,
                            });
                            positive.filter(|(r, _)| self.strata[r.index()].0 == stratum).collect()
                        };
                        solutions
                            .into_iter()
                            .map(|b| (needed(&b), b))
                            .map(|(n, b)| ((number, b), n))
                            .collect()
                    }
                };
                for (instance, needed) in found {
                    let id = instances.len();
                    instances.push((next, instance, needed.len()));
                    for ground in needed {
                        let number = *numbers.entry(ground.clone()).or_insert_with(|| {
                            atoms.push(ground);
                            waiting.push(Vec::new());
                            atoms.len() - 1
                        });
                        waiting[number].push(id);
                    }
                }
            }
            next += 1;
        }
        let ready = instances.iter().enumerate().filter(|(_, (_, _, open))| *open == 0);
        let mut queue: VecDeque<usize> = ready.map(|(id, _)| id).collect();
        while let Some(id) = queue.pop_front() {
            let (head, instance, _) = &instances[id];
            let head = *head;
            if self.proofs.contains_key(&atoms[head]) {
                continue;
            }
            self.proofs.insert(atoms[head].clone(), instance.clone());
            for &waiter in &waiting[head] {
                instances[waiter].2 -= 1;
                if instances[waiter].2 == 0 {
                    queue.push_back(waiter);
                }
            }
        }
        Ok(())
    }

    /// The assignments of values to variables under which the rule with the index `number` derives `atom`.
    /// Stops after one assignment if `first_only` is true, otherwise after [`MAX_INSTANCES`].
    pub(super) fn solutions(
        &mut self,
        number: usize,
        atom: &Ground,
        first_only: bool,
    ) -> Result<Vec<Box<[Value]>>, EvalError> {
        let Some(given) = self.given(number, atom) else { return Ok(Vec::new()) };
        if !self.bodies.contains_key(&number) {
            let rule = self.program.rules()[number].clone();
            let Some(body) = self.plan(&rule) else { return Ok(Vec::new()) };
            self.bodies.insert(number, body);
        }
        let body = self.bodies[&number].clone();
        self.solve(&body, &given, first_only)
    }

    /// Plans the evaluation of the body of `rule` when the variables of the head are bound. `None` if the
    /// rule is unsafe.
    pub(super) fn plan(&mut self, rule: &Rule) -> Option<Body> {
        let given: Vec<Variable> = rule.head.args.iter().filter_map(|a| a.variable()).collect();
        let body = Body::plan(&mut self.program, rule, &given, &self.statistics).ok()?;
        self.database.reindex(&self.program);
        Some(body)
    }

    pub(super) fn solve(
        &mut self,
        body: &Body,
        given: &[Value],
        first_only: bool,
    ) -> Result<Vec<Box<[Value]>>, EvalError> {
        let mut found: Vec<Box<[Value]>> = Vec::new();
        let most = if first_only { 1 } else { MAX_INSTANCES };
        let result = body.for_each(&mut self.database, given, &self.limits, |_, bindings| {
            found.push(bindings.into());
            // An error of the callback is the only way to stop early. The number of solutions distinguishes
            // this error from a real interruption.
            if found.len() < most { Ok(()) } else { Err(ggp_datalog::EvalError::Interrupted) }
        });
        match result {
            Err(error) if found.len() < most => Err(self.game.eval_error(&error)),
            _ => Ok(found),
        }
    }

    /// The values that the variables of the rule with the index `number` have when its head is `atom`. The
    /// vector also has an entry for each variable outside of the head; its value there means nothing. `None`
    /// if the head does not match.
    pub(super) fn given(&self, number: usize, (relation, tuple): &Ground) -> Option<Vec<Value>> {
        let rule = &self.program.rules()[number];
        if rule.head.relation != *relation {
            return None;
        }
        let mut given: Vec<Option<Value>> = vec![None; rule.variables as usize];
        for (argument, &value) in rule.head.args.iter().zip(tuple) {
            match argument {
                Argument::Value(fixed) if *fixed != value => return None,
                Argument::Value(_) => {}
                Argument::Variable(v) if given[v.index()].is_some_and(|other| other != value) => return None,
                Argument::Variable(v) => given[v.index()] = Some(value),
            }
        }
        Some(given.into_iter().map(|value| value.unwrap_or(Value::from_index(0))).collect())
    }

    /// The atom from which the rule with the index `number` copies `atom`, if that rule is a bridge rule
    /// (which copies tuples from one lowered form of a relation to another) and its head matches. Otherwise
    /// `None`.
    pub(super) fn pass(&mut self, number: usize, atom: &Ground) -> Option<Ground> {
        if number < self.game.description().rules.len() {
            return None;
        }
        let mut bindings = self.given(number, atom)?;
        let rule = self.program.rules()[number].clone();
        let head: Vec<Variable> = rule.head.args.iter().filter_map(|a| a.variable()).collect();
        for literal in &rule.body {
            let Literal::Compose { term: Argument::Variable(term), functor, args } = literal else {
                continue;
            };
            let args: Vec<Variable> = args.iter().filter_map(|a| a.variable()).collect();
            if head.contains(term) {
                let values = self.database.values();
                if values.functor(bindings[term.index()]) != *functor {
                    return None;
                }
                for (arg, &value) in args.iter().zip(values.arguments(bindings[term.index()])) {
                    bindings[arg.index()] = value;
                }
            } else {
                let args: Vec<Value> = args.iter().map(|a| bindings[a.index()]).collect();
                bindings[term.index()] = self.database.values_mut().term(*functor, &args);
            }
        }
        rule.body.iter().find_map(|literal| match literal {
            Literal::Positive(atom) => Some(ground(atom, &bindings)),
            _ => None,
        })
    }
}
