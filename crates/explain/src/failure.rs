//! Explanations of atoms that do not hold: the rule that comes nearest to deriving the atom, and the first
//! failing condition of that rule.

use super::attempt::Attempt;
use super::open::Pattern;
use super::{Because, Explainer, Explanation, Ground, MAX_DEPTH, MAX_NODES, Verdict, ground, plain};
use ggp_datalog::{Atom, Literal, Value};
use ggp_game::EvalError;
use rustc_hash::FxHashSet;
use std::cmp::Ordering;

impl Explainer {
    /// Explains why a GDL atom fails. `atoms` are the atoms of the lowered program that stand for the GDL
    /// atom; none of them holds.
    pub(super) fn why_not(&mut self, atoms: &[Ground], depth: usize) -> Result<Explanation, EvalError> {
        let text = self.text(&atoms[0]);
        let leaf = |because| Explanation { text, verdict: Verdict::Fails, because, parts: Vec::new() };
        self.nodes += 1;
        if let Some(input) = self.input_of(atoms[0].0) {
            return Ok(leaf(input));
        }
        if depth >= MAX_DEPTH || self.nodes >= MAX_NODES {
            return Ok(leaf(Because::Omitted));
        }
        if !self.shown.insert(atoms[0].clone()) {
            return Ok(leaf(Because::Elsewhere));
        }
        let mut best: Option<Attempt> = None;
        let mut of = 0;
        for (number, atom) in self.candidates(atoms) {
            let Some(attempt) = self.attempt(number, &atom)? else { continue };
            of += 1;
            if best.as_ref().is_none_or(|best| attempt.nearness() > best.nearness()) {
                best = Some(attempt);
            }
        }
        let Some(attempt) = best else { return Ok(leaf(Because::NoRule)) };
        let because = Because::Nearest { line: self.line(attempt.rule), of };
        let mut explanation = leaf(because);
        explanation.parts = self.conditions_of(&attempt, depth)?;
        Ok(explanation)
    }

    /// The explanations of the conditions of an attempt's rule.
    pub(super) fn conditions_of(
        &mut self,
        attempt: &Attempt,
        depth: usize,
    ) -> Result<Vec<Explanation>, EvalError> {
        let mut parts = Vec::with_capacity(attempt.order.len());
        for (index, &(place, literal)) in attempt.order.iter().enumerate() {
            let text = self.condition_text(attempt.rule, literal, |v| attempt.bindings[v.index()]);
            parts.push(match index.cmp(&attempt.reached) {
                Ordering::Less => plain(text, Verdict::Holds),
                Ordering::Equal => self.failing(attempt, place, text, depth)?,
                Ordering::Greater => plain(text, Verdict::Untried),
            });
        }
        Ok(parts)
    }

    /// Explains the condition at which an attempt fails.
    fn failing(
        &mut self,
        attempt: &Attempt,
        place: usize,
        text: String,
        depth: usize,
    ) -> Result<Explanation, EvalError> {
        let rule = &self.program.rules()[attempt.rule];
        let known = |atom: &Atom| {
            atom.args.iter().all(|a| a.variable().is_none_or(|v| attempt.bindings[v.index()].is_some()))
        };
        let values: Vec<Value> = attempt.bindings.iter().map(|v| v.unwrap_or(Value::from_index(0))).collect();
        match &rule.body[place] {
            Literal::Positive(atom) if known(atom) => {
                let atom = ground(atom, &values);
                self.why_not(&[atom], depth + 1)
            }
            Literal::Negative(atom) if known(atom) => {
                let atom = ground(atom, &values);
                let holds = self.why(&atom, depth + 1)?;
                Ok(Explanation { parts: vec![holds], ..plain(text, Verdict::Fails) })
            }
            Literal::Positive(atom) => {
                let pattern = Pattern::of(atom, &attempt.bindings);
                pattern.map_or_else(
                    || Ok(plain(text.clone(), Verdict::Fails)),
                    |pattern| self.why_none(&pattern, text.clone(), depth + 1),
                )
            }
            _ => Ok(plain(text, Verdict::Fails)),
        }
    }

    /// The rules that could derive one of `atoms`, directly or through bridge rules (which copy tuples
    /// between the lowered forms of a relation). Each rule is given by its index in the program and by the
    /// atom that the rule's head matches, except that the nested terms of the head are not compared.
    fn candidates(&mut self, atoms: &[Ground]) -> Vec<(usize, Ground)> {
        let mut found = Vec::new();
        let mut seen: FxHashSet<Ground> = atoms.iter().cloned().collect();
        let mut open: Vec<Ground> = atoms.to_vec();
        while let Some(atom) = open.pop() {
            for number in self.rules_of[atom.0.index()].clone() {
                if number < self.game.description().rules.len() {
                    if self.given(number, &atom).is_some() {
                        found.push((number, atom.clone()));
                    }
                } else if let Some(same) = self.pass(number, &atom)
                    && seen.insert(same.clone())
                {
                    open.push(same);
                }
            }
        }
        found.sort_unstable_by_key(|(number, _)| *number);
        found
    }

    /// Tries to derive `atom` with the rule with the index `number`. Finds the longest prefix of the rule's
    /// conditions that some assignment satisfies when the head is `atom`. The conditions are in the order of
    /// the text, except that a negation or a `distinct` comes only after its variables are bound. `None` if a
    /// nested term of the head does not match.
    fn attempt(&mut self, number: usize, atom: &Ground) -> Result<Option<Attempt>, EvalError> {
        let given = self.given(number, atom).expect("a candidate's head fits");
        let rule = self.program.rules()[number].clone();
        self.attempt_with(number, &rule, &given)
    }
}
