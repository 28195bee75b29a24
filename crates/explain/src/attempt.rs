//! Attempts to derive an atom with one rule: how many of its conditions some assignment of its variables satisfies.

use super::Explainer;
use ggp_datalog::{Argument, Literal, Rule, Value};
use ggp_game::EvalError;

/// An attempt to derive an atom with one rule.
pub(super) struct Attempt {
    pub(super) rule: usize,
    /// The conditions of the rule, in the order of testing. Each is given by two indices: its place in the
    /// body of the lowered rule, and its place in the body of the rule in the rulesheet.
    pub(super) order: Vec<(usize, usize)>,
    /// The largest number of conditions at the start of `order` that some assignment of the variables
    /// satisfies together. The next condition of `order` is the one that fails.
    pub(super) reached: usize,
    /// The values of the rule's variables in an assignment that satisfies the first `reached` conditions of
    /// `order`. `None` for a variable that these conditions and the head leave unbound.
    pub(super) bindings: Vec<Option<Value>>,
}

impl Attempt {
    /// The key by which attempts are compared: the share of the rule's conditions that hold before the first
    /// failing one, then their number. The attempt with the largest key comes nearest to a derivation.
    pub(super) fn nearness(&self) -> (f64, usize) {
        (self.reached as f64 / self.order.len().max(1) as f64, self.reached)
    }
}

impl Explainer {
    /// Tries to satisfy the conditions of `rule`, an instance of the rule with the index `number`. The variables of its
    /// head have the values in `given`. `None` if a nested term of the head does not match these values.
    pub(super) fn attempt_with(
        &mut self,
        number: usize,
        rule: &Rule,
        given: &[Value],
    ) -> Result<Option<Attempt>, EvalError> {
        let order = self.reading_order(number, rule);
        let places: Vec<usize> = order.iter().map(|&(place, _)| place).collect();
        // Binary search for the longest satisfiable prefix: a solution of a prefix also satisfies every
        // shorter one.
        let (mut low, mut high) = (0, order.len());
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if self.first_solution(&shortened(rule, &places[..middle]), given)?.is_some() {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        let known = bound(rule, &places[..low]);
        // The failing condition can hold a term that no condition before it needs.
        let terms = (0..rule.body.len()).filter(|&place| is_known_term(&rule.body[place], &known));
        let kept: Vec<usize> = places[..low].iter().copied().chain(terms).collect();
        let Some(solution) = self.first_solution(&shortened(rule, &kept), given)? else { return Ok(None) };
        let bindings = known.iter().zip(&solution).map(|(&known, &value)| known.then_some(value)).collect();
        Ok(Some(Attempt { rule: number, reached: low.min(order.len().saturating_sub(1)), order, bindings }))
    }

    /// An assignment of values to variables that satisfies the body of `rule`. The variables of its head have the values
    /// in `given`. `None` if there is no such assignment.
    fn first_solution(&mut self, rule: &Rule, given: &[Value]) -> Result<Option<Box<[Value]>>, EvalError> {
        let Some(body) = self.plan(rule) else { return Ok(None) };
        Ok(self.solve(&body, given, true)?.pop())
    }

    /// The conditions of `rule`, an instance of the rule with the index `number`, in an order in which each can be
    /// tested. Each is given by two indices: its place in the body of the lowered rule, and its place in the body of the
    /// rule in the rulesheet.
    fn reading_order(&self, number: usize, rule: &Rule) -> Vec<(usize, usize)> {
        let mut open = self.conditions(number);
        let mut order: Vec<(usize, usize)> = Vec::with_capacity(open.len());
        while !open.is_empty() {
            let places: Vec<usize> = order.iter().map(|&(place, _)| place).collect();
            let known = bound(rule, &places);
            let is_ready = |&(place, _): &(usize, usize)| match &rule.body[place] {
                Literal::Positive(_) => true,
                test => test.arguments().all(|a| is_known(a, &known)),
            };
            let next = open.iter().position(is_ready).unwrap_or(0);
            order.push(open.remove(next));
        }
        order
    }
}

/// Whether `argument` has a value if the variables that are true in `known` have one.
fn is_known(argument: Argument, known: &[bool]) -> bool {
    argument.variable().is_none_or(|v| known[v.index()])
}

/// Whether `literal` is a [`Literal::Compose`] and all its variables are `known`.
fn is_known_term(literal: &Literal, known: &[bool]) -> bool {
    matches!(literal, Literal::Compose { .. }) && literal.arguments().all(|a| is_known(a, known))
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
            let news: Vec<Argument> = if is_known(*term, &known) {
                args.clone()
            } else if args.iter().all(|&a| is_known(a, &known)) {
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

/// `rule` with a smaller body. It keeps the literals at `places`, and each [`Literal::Compose`] that builds
/// or takes apart a compound term of these literals or of the head. A compound term that is a value, as in an
/// instance of a rule, is taken apart too.
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
                && term.variable().is_none_or(|v| needed[v.index()])
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
