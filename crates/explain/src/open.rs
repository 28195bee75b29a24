//! Explanations of atoms with open variables of which no instance holds: the rule that comes nearest to deriving some
//! instance, and its first failing condition.

use super::attempt::Attempt;
use super::{Because, Explainer, Explanation, MAX_DEPTH, MAX_NODES, Verdict, plain};
use ggp_datalog::{Argument, Atom, Literal, RelationId, Rule, Value, Variable};
use ggp_game::EvalError;
use std::collections::BTreeSet;

/// An atom with open variables: its relation, and the value of each argument that has one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Pattern {
    relation: RelationId,
    args: Box<[Option<Value>]>,
}

impl Pattern {
    /// The instance of `atom` in which the variables have the values in `bindings`. `None` if an open variable stands
    /// twice in it: a pattern does not say that two arguments are equal.
    pub(super) fn of(atom: &Atom, bindings: &[Option<Value>]) -> Option<Pattern> {
        let mut open: BTreeSet<usize> = BTreeSet::new();
        let mut is_twice = false;
        let mut value = |argument: &Argument| match argument {
            Argument::Value(value) => Some(*value),
            Argument::Variable(variable) => {
                let value = bindings[variable.index()];
                is_twice |= value.is_none() && !open.insert(variable.index());
                value
            }
        };
        let args = atom.args.iter().map(&mut value).collect();
        (!is_twice).then_some(Pattern { relation: atom.relation, args })
    }
}

/// `rule` with the values that its variables have if its head is an instance of `pattern`, and these values by variable.
/// The head of the result has no arguments, so its variables are open. `None` if the head has no such instance.
fn instance(rule: &Rule, pattern: &Pattern) -> Option<(Rule, Vec<Option<Value>>)> {
    let mut known: Vec<Option<Value>> = vec![None; rule.variables as usize];
    for (argument, value) in rule.head.args.iter().zip(&pattern.args) {
        match (argument, value) {
            (Argument::Value(fixed), Some(value)) if fixed != value => return None,
            (Argument::Variable(variable), Some(value))
                if known[variable.index()].replace(*value).is_some_and(|other| other != *value) =>
            {
                return None;
            }
            _ => {}
        }
    }
    let put = |argument: &mut Argument| {
        if let Some(value) = argument.variable().and_then(|variable: Variable| known[variable.index()]) {
            *argument = Argument::Value(value);
        }
    };
    let mut rule = rule.clone();
    rule.head.args.clear();
    for literal in &mut rule.body {
        match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => atom.args.iter_mut().for_each(put),
            Literal::Distinct(left, right) => [left, right].into_iter().for_each(put),
            Literal::Compose { term, args, .. } => args.iter_mut().chain([term]).for_each(put),
        }
    }
    Some((rule, known))
}

impl Explainer {
    /// Explains why no instance of `pattern` holds. `text` is the text of the condition.
    pub(super) fn why_none(
        &mut self,
        pattern: &Pattern,
        text: String,
        depth: usize,
    ) -> Result<Explanation, EvalError> {
        self.nodes += 1;
        if self.input_of(pattern.relation).is_some() {
            return Ok(plain(text, Verdict::Fails));
        }
        let leaf = |because| Explanation { because, ..plain(text, Verdict::Fails) };
        if depth >= MAX_DEPTH || self.nodes >= MAX_NODES {
            return Ok(leaf(Because::Omitted));
        }
        if !self.asked.insert(pattern.clone()) {
            return Ok(leaf(Because::Elsewhere));
        }
        let mut best: Option<Attempt> = None;
        let mut of = 0;
        for (number, rule, known) in self.instances(pattern) {
            let nothing = vec![Value::from_index(0); rule.variables as usize];
            let Some(mut attempt) = self.attempt_with(number, &rule, &nothing)? else { continue };
            of += 1;
            for (binding, known) in attempt.bindings.iter_mut().zip(known) {
                *binding = known.or(*binding);
            }
            if best.as_ref().is_none_or(|best| attempt.nearness() > best.nearness()) {
                best = Some(attempt);
            }
        }
        let Some(attempt) = best else { return Ok(leaf(Because::NoRule)) };
        let because = Because::Nearest { line: self.line(attempt.rule), of };
        Ok(Explanation { parts: self.conditions_of(&attempt, depth)?, ..leaf(because) })
    }

    /// The rules that could derive an instance of `pattern`, directly or through the rules that copy tuples between the
    /// lowered forms of a relation, each with the values that its variables then have. The nested terms of the heads are
    /// not compared.
    fn instances(&self, pattern: &Pattern) -> Vec<(usize, Rule, Vec<Option<Value>>)> {
        let rules = self.game.description().rules.len();
        let mut found = Vec::new();
        let mut open = vec![pattern.clone()];
        let mut seen = open.clone();
        while let Some(pattern) = open.pop() {
            for &number in &self.rules_of[pattern.relation.index()] {
                let Some((rule, known)) = instance(&self.program.rules()[number], &pattern) else { continue };
                if number < rules {
                    found.push((number, rule, known));
                } else if let [Literal::Positive(copied)] = rule.body.as_slice()
                    && let Some(next) = Pattern::of(copied, &known)
                    && !seen.contains(&next)
                {
                    seen.push(next.clone());
                    open.push(next);
                }
            }
        }
        found.sort_unstable_by_key(|(number, ..)| *number);
        found
    }
}
