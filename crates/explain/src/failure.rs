//! Explanations of atoms that do not hold: the rule that comes nearest to deriving the atom, and the first
//! failing condition of that rule.

use super::{Because, Explainer, Explanation, Ground, MAX_DEPTH, MAX_NODES, Verdict, ground, plain};
use ggp_datalog::{Argument, Atom, Literal, Rule, Value};
use ggp_game::EvalError;
use rustc_hash::FxHashSet;
use std::cmp::Ordering;

/// An attempt to derive an atom with one rule.
struct Attempt {
    rule: usize,
    /// The conditions of the rule, in the order of testing. Each is given by two indices: its place in the
    /// body of the lowered rule, and its place in the body of the rule in the rulesheet.
    order: Vec<(usize, usize)>,
    /// The largest number of conditions at the start of `order` that some assignment of the variables
    /// satisfies together. The next condition of `order` is the one that fails.
    reached: usize,
    /// The values of the rule's variables in an assignment that satisfies the first `reached` conditions of
    /// `order`. `None` for a variable that these conditions and the head leave unbound.
    bindings: Vec<Option<Value>>,
}

impl Attempt {
    /// The key by which attempts are compared: the share of the rule's conditions that hold before the first
    /// failing one, then their number. The attempt with the largest key comes nearest to a derivation.
    fn nearness(&self) -> (f64, usize) {
        (self.reached as f64 / self.order.len().max(1) as f64, self.reached)
    }
}

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
        let candidates = self.candidates(atoms);
        let mut best: Option<Attempt> = None;
        for (number, atom) in &candidates {
            let attempt = self.attempt(*number, atom)?;
            if best.as_ref().is_none_or(|best| attempt.nearness() > best.nearness()) {
                best = Some(attempt);
            }
        }
        let Some(attempt) = best else { return Ok(leaf(Because::NoRule)) };
        let because = Because::Nearest { line: self.line(attempt.rule), of: candidates.len() };
        let mut explanation = leaf(because);
        for (index, &(place, literal)) in attempt.order.iter().enumerate() {
            let text = self.condition_text(attempt.rule, literal, |v| attempt.bindings[v.index()]);
            let part = match index.cmp(&attempt.reached) {
                Ordering::Less => plain(text, Verdict::Holds),
                Ordering::Equal => self.failing(&attempt, place, text, depth)?,
                Ordering::Greater => plain(text, Verdict::Untried),
            };
            explanation.parts.push(part);
        }
        Ok(explanation)
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
            _ => Ok(plain(text, Verdict::Fails)),
        }
    }

    /// The rules that could derive one of `atoms`, directly or through bridge rules (which copy tuples
    /// between the lowered forms of a relation). Each rule is given by its index in the program and by the
    /// atom that the rule's head matches.
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
    /// the text, except that a negation or a `distinct` comes only after its variables are bound.
    fn attempt(&mut self, number: usize, atom: &Ground) -> Result<Attempt, EvalError> {
        let order = self.reading_order(number);
        let given = self.given(number, atom).expect("a candidate's head fits");
        let rule = self.program.rules()[number].clone();
        // Binary search for the longest satisfiable prefix: a solution of a prefix also satisfies every
        // shorter one.
        let (mut low, mut high) = (0, order.len());
        let mut solution: Box<[Value]> = given.clone().into();
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            let places: Vec<usize> = order[..middle].iter().map(|&(place, _)| place).collect();
            let shortened = shortened(&rule, &places);
            let found = match self.plan(&shortened) {
                Some(body) => self.solve(&body, &given, true)?.pop(),
                None => None,
            };
            match found {
                Some(bindings) => (low, solution) = (middle, bindings),
                None => high = middle - 1,
            }
        }
        let places: Vec<usize> = order[..low].iter().map(|&(place, _)| place).collect();
        let known = bound(&rule, &places);
        if low == 0 {
            // No condition was solved, but the head may fix variables inside composed terms.
            if let Some(body) = self.plan(&shortened(&rule, &[])) {
                solution = self.solve(&body, &given, true)?.pop().unwrap_or(solution);
            }
        }
        let bindings = known.iter().zip(&solution).map(|(&known, &value)| known.then_some(value)).collect();
        Ok(Attempt { rule: number, reached: low.min(order.len().saturating_sub(1)), order, bindings })
    }

    /// The conditions of the rule with the index `number`, in an order in which each can be tested. Each is
    /// given by two indices: its place in the body of the lowered rule, and its place in the body of the rule
    /// in the rulesheet.
    fn reading_order(&self, number: usize) -> Vec<(usize, usize)> {
        let rule = &self.program.rules()[number];
        let mut open = self.conditions(number);
        let mut order: Vec<(usize, usize)> = Vec::with_capacity(open.len());
        while !open.is_empty() {
            let places: Vec<usize> = order.iter().map(|&(place, _)| place).collect();
            let known = bound(rule, &places);
            let is_ready = |&(place, _): &(usize, usize)| match &rule.body[place] {
                Literal::Positive(_) => true,
                test => test.arguments().all(|a| a.variable().is_none_or(|v| known[v.index()])),
            };
            let next = open.iter().position(is_ready).unwrap_or(0);
            order.push(open.remove(next));
        }
        order
    }
}

/// For each variable, whether it is bound once the head and the positive conditions at `places` (indices into
/// the body of `rule`) are matched.
fn bound(rule: &Rule, places: &[usize]) -> Vec<bool> {
    let mut known = vec![false; rule.variables as usize];
    let mut note = |argument: Argument| {
        argument.variable().is_some_and(|v| !std::mem::replace(&mut known[v.index()], true))
    };
    for &argument in &rule.head.args {
        note(argument);
    }
    for &place in places {
        if let Literal::Positive(atom) = &rule.body[place] {
            for &argument in &atom.args {
                note(argument);
            }
        }
    }
    loop {
        let mut changed = false;
        for literal in &rule.body {
            let Literal::Compose { term, args, .. } = literal else { continue };
            let is_known = |a: Argument| a.variable().is_none_or(|v| known[v.index()]);
            let news: Vec<Argument> = if is_known(*term) {
                args.clone()
            } else if args.iter().all(|&a| is_known(a)) {
                vec![*term]
            } else {
                continue;
            };
            for variable in news.into_iter().filter_map(Argument::variable) {
                changed |= !std::mem::replace(&mut known[variable.index()], true);
            }
        }
        if !changed {
            return known;
        }
    }
}

/// `rule` with a smaller body. It keeps the conditions at `places`, and each [`Literal::Compose`] that builds
/// or takes apart a compound term of these conditions or of the head.
fn shortened(rule: &Rule, places: &[usize]) -> Rule {
    let mut needed = vec![false; rule.variables as usize];
    let mut kept = vec![false; rule.body.len()];
    for &argument in &rule.head.args {
        argument.variable().into_iter().for_each(|v| needed[v.index()] = true);
    }
    for &place in places {
        kept[place] = true;
        rule.body[place].arguments().filter_map(Argument::variable).for_each(|v| needed[v.index()] = true);
    }
    loop {
        let mut changed = false;
        for (place, literal) in rule.body.iter().enumerate() {
            if let Literal::Compose { term, args, .. } = literal
                && !kept[place]
                && term.variable().is_some_and(|v| needed[v.index()])
            {
                kept[place] = true;
                changed = true;
                args.iter().filter_map(|a| a.variable()).for_each(|v| needed[v.index()] = true);
            }
        }
        if !changed {
            break;
        }
    }
    let body = rule.body.iter().zip(kept).filter(|(_, kept)| *kept).map(|(literal, _)| literal.clone());
    Rule { body: body.collect(), ..rule.clone() }
}
