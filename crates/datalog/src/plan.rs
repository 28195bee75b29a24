//! Join plans: the order in which a rule's body is joined, and the hash index that each lookup uses.
//!
//! The planner is greedy. It places each test and each composition as soon as enough of its variables are
//! bound. Of the other literals, it next joins the one with the fewest expected tuples. The expected number
//! is the mean size of the relation, divided by the number of distinct values in each bound column;
//! [`Statistics`] gives both.
//!
//! Sometimes neither a later step nor the head reads the variables that a literal binds. The loop over the
//! literal's tuples then stops at the first match. A plan that must find every instance of the rule is the
//! exception: its loops never stop early.

use crate::rule::{Argument, Atom, Literal, RelationId, Rule, Variable};
use crate::statistics::Statistics;
use crate::value::Functor;
use std::collections::BTreeSet;

/// The purpose of a join plan. It decides which solutions of the rule the plan must find.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// The plan finds every head tuple that the rule derives. It may find a tuple more than once.
    Derive,
    /// The plan finds every assignment of values to the variables of the positive literals, each exactly
    /// once.
    Instances,
}

/// The action of a step on one column of a tuple or one argument of a term. The first field is the index of
/// this column or argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Output {
    /// Bind the variable to the column's value.
    Bind(usize, Variable),
    /// Fail unless the column's value equals the argument.
    Check(usize, Argument),
}

/// One step of a plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// Loop over the tuples of the relation. If `delta` is true, loop only over the tuples that the previous
    /// round added. If `once` is true, the loop stops at the first tuple that passes all checks in `outputs`.
    Scan { relation: RelationId, delta: bool, outputs: Box<[Output]>, once: bool },
    /// Loop over the tuples with the key `key` in one hash index of the relation; `index` identifies this
    /// hash index. `outputs` and `once` are as in a scan.
    Lookup { relation: RelationId, index: usize, key: Box<[Argument]>, outputs: Box<[Output]>, once: bool },
    /// Test that the relation contains the tuple (if `holds` is true) or does not contain it (if `holds` is
    /// false).
    Test { relation: RelationId, tuple: Box<[Argument]>, holds: bool },
    /// Test that two values differ.
    Distinct(Argument, Argument),
    /// Test that `functor` is at the root of `term`, which is bound. Then apply `outputs` to the arguments of
    /// the term.
    Take { term: Argument, functor: Functor, outputs: Box<[Output]> },
    /// Intern the term that applies `functor` to `args`, and bind `variable` to this term. All variables of
    /// `args` are bound.
    Make { functor: Functor, args: Box<[Argument]>, variable: Variable },
}

/// The join plan of one rule.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) steps: Box<[Step]>,
    /// The number of loops that continue after a solution has been found. Scans and lookups are nested loops,
    /// and this number counts from the outermost one. The loops further inside stop, because their remaining
    /// rows cannot give a new head tuple.
    pub(crate) resume: usize,
    pub(crate) variables: usize,
    pub(crate) label: u32,
}

/// For each relation, the hash indexes that the plans need. Each hash index is given by its columns, in
/// ascending order.
#[derive(Clone, Default, Debug)]
pub(crate) struct Indexes(Vec<Vec<Vec<usize>>>);

impl Indexes {
    pub(crate) fn new(relations: usize) -> Indexes {
        Indexes(vec![Vec::new(); relations])
    }

    pub(crate) fn of(&self, relation: usize) -> &[Vec<usize>] {
        &self.0[relation]
    }

    fn number(&mut self, relation: RelationId, columns: Vec<usize>) -> usize {
        let known = &mut self.0[relation.index()];
        known.iter().position(|c| *c == columns).unwrap_or_else(|| {
            known.push(columns);
            known.len() - 1
        })
    }
}

/// Plans rules one after the other and collects the hash indexes that the plans need.
pub(crate) struct Planner<'a> {
    pub(crate) statistics: &'a Statistics,
    pub(crate) indexes: &'a mut Indexes,
}

impl Planner<'_> {
    /// Plans `rule`. If `delta` is given, the body literal with this index comes first and reads only the
    /// tuples that the previous round added. The variables in `given` are bound before the join starts. If no
    /// literal binds some variable, returns this variable as the error.
    pub(crate) fn plan(
        &mut self,
        rule: &Rule,
        purpose: Purpose,
        delta: Option<usize>,
        given: &[Variable],
    ) -> Result<Plan, Variable> {
        let mut draft = Draft::new(rule, self.statistics);
        for &variable in given {
            draft.bind(variable);
        }
        if let Some(literal) = delta {
            let Literal::Positive(atom) = &rule.body[literal] else { unreachable!("a delta is positive") };
            draft.scan(atom, true);
            draft.done[literal] = true;
        }
        loop {
            draft.place_tests();
            let Some(literal) = draft.cheapest() else { break };
            let Literal::Positive(atom) = &rule.body[literal] else { unreachable!("cheapest is positive") };
            draft.done[literal] = true;
            let columns: Vec<usize> =
                (0..atom.args.len()).filter(|&c| draft.is_bound(atom.args[c])).collect();
            if columns.is_empty() {
                draft.scan(atom, false);
            } else {
                let index = self.indexes.number(atom.relation, columns.clone());
                draft.lookup(atom, index, &columns);
            }
        }
        draft.finish(purpose)
    }
}

/// A join plan under construction.
struct Draft<'a> {
    rule: &'a Rule,
    /// For each variable, the loop depth of the step that binds it, that is, the number of scans and lookups
    /// up to and including this step; `None` while the variable is unbound.
    bound: Vec<Option<usize>>,
    depth: usize,
    done: Vec<bool>,
    steps: Vec<Step>,
    statistics: &'a Statistics,
    /// For each variable, the indices of the literals in which it occurs.
    readers: Vec<Vec<usize>>,
    /// The indices of the literals to examine again, because more of their variables have been bound.
    changed: BTreeSet<usize>,
    /// For each literal, the expected number of tuples. The number is infinite for literals that are not
    /// positive, and for positive literals that have no estimate yet.
    costs: Vec<f64>,
}

impl<'a> Draft<'a> {
    fn new(rule: &'a Rule, statistics: &'a Statistics) -> Draft<'a> {
        let mut readers = vec![Vec::new(); rule.variables as usize];
        for (number, literal) in rule.body.iter().enumerate() {
            for variable in literal.arguments().filter_map(Argument::variable) {
                readers[variable.index()].push(number);
            }
        }
        Draft {
            rule,
            bound: vec![None; rule.variables as usize],
            depth: 0,
            done: vec![false; rule.body.len()],
            steps: Vec::with_capacity(rule.body.len()),
            statistics,
            readers,
            changed: (0..rule.body.len()).collect(),
            costs: vec![f64::INFINITY; rule.body.len()],
        }
    }

    fn bind(&mut self, variable: Variable) {
        self.bound[variable.index()] = Some(self.depth);
        self.changed.extend(&self.readers[variable.index()]);
    }

    /// The index of the positive literal with the fewest expected tuples among those that are not yet in the
    /// plan; `None` if no such literal is left.
    fn cheapest(&self) -> Option<usize> {
        let open = (0..self.costs.len()).filter(|&l| !self.done[l] && self.costs[l].is_finite());
        open.min_by(|&a, &b| self.costs[a].total_cmp(&self.costs[b]))
    }

    fn is_bound(&self, argument: Argument) -> bool {
        argument.variable().is_none_or(|v| self.bound[v.index()].is_some())
    }

    fn all_bound(&self, args: &[Argument]) -> bool {
        args.iter().all(|&a| self.is_bound(a))
    }

    /// Appends a step for each literal that needs no loop: for a test whose variables are all bound, and for
    /// a composition whose term is bound or whose arguments are all bound. Updates the costs of the remaining
    /// positive literals.
    fn place_tests(&mut self) {
        let rule = self.rule;
        while let Some(number) = self.changed.pop_first() {
            if self.done[number] {
                continue;
            }
            let test = |atom: &Atom, holds| Step::Test {
                relation: atom.relation,
                tuple: atom.args.as_slice().into(),
                holds,
            };
            let step = match &rule.body[number] {
                Literal::Positive(atom) if self.all_bound(&atom.args) => test(atom, true),
                Literal::Negative(atom) if self.all_bound(&atom.args) => test(atom, false),
                Literal::Positive(atom) => {
                    let is_bound = |column: usize| self.is_bound(atom.args[column]);
                    self.costs[number] = self.statistics.fan_out(atom.relation, is_bound);
                    continue;
                }
                Literal::Distinct(a, b) if self.is_bound(*a) && self.is_bound(*b) => Step::Distinct(*a, *b),
                Literal::Compose { term, functor, args } if self.is_bound(*term) => {
                    let columns: Vec<usize> = (0..args.len()).collect();
                    let outputs = self.outputs(args, &columns);
                    Step::Take { term: *term, functor: *functor, outputs }
                }
                Literal::Compose { term: Argument::Variable(variable), functor, args }
                    if self.all_bound(args) =>
                {
                    self.bind(*variable);
                    Step::Make { functor: *functor, args: args.as_slice().into(), variable: *variable }
                }
                _ => continue,
            };
            self.done[number] = true;
            self.steps.push(step);
        }
    }

    /// The outputs for those arguments in `args` whose indices are in `columns`. An unbound variable gives
    /// [`Output::Bind`]; any other argument gives [`Output::Check`].
    fn outputs(&mut self, args: &[Argument], columns: &[usize]) -> Box<[Output]> {
        let mut outputs = Vec::with_capacity(columns.len());
        for &column in columns {
            match args[column] {
                Argument::Variable(v) if self.bound[v.index()].is_none() => {
                    self.bind(v);
                    outputs.push(Output::Bind(column, v));
                }
                argument => outputs.push(Output::Check(column, argument)),
            }
        }
        outputs.into()
    }

    fn scan(&mut self, atom: &Atom, delta: bool) {
        self.depth += 1;
        let columns: Vec<usize> = (0..atom.args.len()).collect();
        let outputs = self.outputs(&atom.args, &columns);
        self.steps.push(Step::Scan { relation: atom.relation, delta, outputs, once: false });
    }

    fn lookup(&mut self, atom: &Atom, index: usize, columns: &[usize]) {
        self.depth += 1;
        let key = columns.iter().map(|&c| atom.args[c]).collect();
        let free: Vec<usize> = (0..atom.args.len()).filter(|c| !columns.contains(c)).collect();
        let outputs = self.outputs(&atom.args, &free);
        self.steps.push(Step::Lookup { relation: atom.relation, index, key, outputs, once: false });
    }

    fn finish(mut self, purpose: Purpose) -> Result<Plan, Variable> {
        let unbound = |literal: &Literal| {
            let free =
                literal.arguments().filter_map(Argument::variable).find(|v| self.bound[v.index()].is_none());
            free.expect("a literal is left over only if a variable is unbound")
        };
        if let Some(number) = self.done.iter().position(|&done| !done) {
            return Err(unbound(&self.rule.body[number]));
        }
        let head = self.rule.head.args.iter().filter_map(|a| a.variable());
        if let Some(variable) = head.clone().find(|v| self.bound[v.index()].is_none()) {
            return Err(variable);
        }
        let resume = match purpose {
            Purpose::Instances => self.depth,
            Purpose::Derive => head.filter_map(|v| self.bound[v.index()]).max().unwrap_or(0),
        };
        if purpose == Purpose::Derive {
            self.mark_once();
        }
        Ok(Plan {
            steps: self.steps.into(),
            resume,
            variables: self.rule.variables as usize,
            label: self.rule.label,
        })
    }

    /// Sets `once` to true in each scan or lookup that binds no variable which a later step or the head
    /// reads.
    fn mark_once(&mut self) {
        let mut read = vec![false; self.rule.variables as usize];
        let note = |read: &mut Vec<bool>, argument: Argument| {
            if let Some(v) = argument.variable() {
                read[v.index()] = true;
            }
        };
        for &argument in &self.rule.head.args {
            note(&mut read, argument);
        }
        for step in self.steps.iter_mut().rev() {
            let unread = |read: &[bool], outputs: &[Output]| {
                outputs.iter().all(|o| !matches!(o, Output::Bind(_, v) if read[v.index()]))
            };
            let read_checks = |read: &mut Vec<bool>, outputs: &[Output]| {
                for output in outputs {
                    if let Output::Check(_, argument) = output {
                        note(read, *argument);
                    }
                }
            };
            match step {
                Step::Scan { outputs, once, .. } => {
                    *once = unread(&read, outputs);
                    read_checks(&mut read, outputs);
                }
                Step::Lookup { outputs, once, key, .. } => {
                    *once = unread(&read, outputs);
                    read_checks(&mut read, outputs);
                    key.iter().for_each(|&a| note(&mut read, a));
                }
                Step::Test { tuple, .. } => tuple.iter().for_each(|&a| note(&mut read, a)),
                Step::Distinct(a, b) => {
                    note(&mut read, *a);
                    note(&mut read, *b);
                }
                Step::Take { term, outputs, .. } => {
                    note(&mut read, *term);
                    read_checks(&mut read, outputs);
                }
                Step::Make { args, .. } => args.iter().for_each(|&a| note(&mut read, a)),
            }
        }
    }
}
