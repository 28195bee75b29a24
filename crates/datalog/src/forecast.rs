//! Foretells that a rule derives too many tuples, from random descents through its join plan.
//!
//! The nested loops of a plan are a tree: each row of a loop is a branch. A descent takes one branch at random in
//! each loop, and weighs the product of the numbers of branches if it reaches a solution, otherwise nothing. The
//! expected weight is the number of leaves (Knuth 1975, estimating the efficiency of backtrack programs). Branches
//! that give equal values to all variables of the head count as one here, so the expected weight is at most the
//! number of distinct head tuples. If that number is within the bound, a descent weighs [`MARGIN`] times the bound
//! with a probability of at most one in [`MARGIN`], whatever the tree looks like.

use crate::database::Database;
use crate::join::{fill, read, value_of};
use crate::plan::{Output, Plan, Step};
use crate::relation::{NONE, Relation};
use crate::rule::{Argument, Atom, Variable};
use crate::value::Value;
use std::hash::{DefaultHasher, Hasher};

/// The number of descents of a forecast.
const DESCENTS: usize = 64;

/// A descent is heavy if it weighs at least this many times the bound. A forecast needs more than half of its
/// descents to be heavy: the probability that it is wrong is below 10⁻¹¹.
const MARGIN: f64 = 8.0;

/// The number of the descent after which a forecast gives up if none was heavy.
const FIRST: usize = 8;

/// A descent looks at no more than this many rows of a loop that has conditions. Fewer branches make it lighter.
const ROWS: usize = 256;

/// Descents through a join plan.
struct Descents<'a> {
    plan: &'a Plan,
    /// For each variable, whether solutions with different values of it have different head tuples.
    kept: Vec<bool>,
    bindings: Vec<Value>,
    key: Vec<Value>,
    /// The rows that a loop may take, each with the values of the kept variables that it binds.
    branches: Vec<(Vec<Value>, u32)>,
    /// How many numbers have been drawn. A number is the hash of its place in this count.
    drawn: u64,
}

/// Whether `plan`, the plan of a rule with the head `head`, derives more than `bound` distinct tuples, by a forecast
/// that is wrong with a negligible probability. The relations of the body must be completely evaluated. `false` means
/// that nothing is known. Interns terms that the rule composes.
pub(crate) fn exceeds(plan: &Plan, head: &Atom, database: &mut Database, bound: usize) -> bool {
    let bound = bound as f64 + 1.0;
    if most_solutions(plan, database) < bound {
        return false;
    }
    let kept = kept_variables(plan, head);
    let is_product = plan.steps.iter().all(|step| match step {
        Step::Scan { outputs, .. } => outputs.iter().all(|output| binds_kept(*output, &kept)),
        Step::Make { .. } => true,
        _ => false,
    });
    let (bindings, key, branches) = (vec![Value(0); plan.variables], Vec::new(), Vec::new());
    let mut descents = Descents { plan, kept, bindings, key, branches, drawn: 0 };
    if is_product {
        // All descents weigh the same.
        return descents.weight(database) >= bound;
    }
    let mut heavy = 0;
    for number in 0..DESCENTS {
        heavy += usize::from(descents.weight(database) >= bound * MARGIN);
        if number == FIRST && heavy == 0 {
            return false;
        }
    }
    heavy * 2 > DESCENTS
}

/// An upper bound on the number of solutions of `plan`.
fn most_solutions(plan: &Plan, database: &Database) -> f64 {
    let rows = plan.steps.iter().map(|step| match step {
        Step::Scan { relation, .. } | Step::Lookup { relation, .. } => {
            database.relation(*relation).len() as f64
        }
        _ => 1.0,
    });
    rows.product()
}

/// Whether `output` binds a variable that is kept.
fn binds_kept(output: Output, kept: &[bool]) -> bool {
    matches!(output, Output::Bind(_, variable) if kept[variable.index()])
}

/// For each variable of `plan`, whether its value follows from the tuple of `head`.
fn kept_variables(plan: &Plan, head: &Atom) -> Vec<bool> {
    let mut kept = vec![false; plan.variables];
    let variable = |argument: &Argument| argument.variable();
    for variable in head.args.iter().filter_map(variable) {
        kept[variable.index()] = true;
    }
    for step in plan.steps.iter().rev() {
        match step {
            Step::Make { args, variable: term, .. } if kept[term.index()] => {
                args.iter().filter_map(variable).for_each(|arg: Variable| kept[arg.index()] = true);
            }
            Step::Take { term: Argument::Variable(term), outputs, .. } => {
                let argument = |output: &Output| match output {
                    Output::Bind(_, variable) => kept[variable.index()],
                    Output::Check(_, argument) => argument.variable().is_none_or(|arg| kept[arg.index()]),
                };
                kept[term.index()] |= outputs.iter().all(argument);
            }
            _ => {}
        }
    }
    kept
}

impl Descents<'_> {
    /// A random number below `bound`.
    fn below(&mut self, bound: usize) -> usize {
        self.drawn += 1;
        let mut hash = DefaultHasher::new();
        hash.write_u64(self.drawn);
        ((u128::from(hash.finish()) * bound as u128) >> 64) as usize
    }

    /// The weight of one descent.
    fn weight(&mut self, database: &mut Database) -> f64 {
        let mut weight = 1.0;
        let plan = self.plan;
        for step in &plan.steps {
            let holds = match step {
                Step::Scan { relation, outputs, .. } => {
                    let relation = database.relation(*relation);
                    self.branches.clear();
                    let rows = relation.len();
                    if rows > 0 && outputs.iter().all(|output| binds_kept(*output, &self.kept)) {
                        let row = self.below(rows);
                        weight *= rows as f64;
                        read(outputs, relation.row(row), &mut self.bindings)
                    } else {
                        (0..rows.min(ROWS)).for_each(|row| self.add_branch(relation, row, outputs));
                        self.take_branch(relation, outputs, &mut weight)
                    }
                }
                Step::Lookup { relation, index, key: args, outputs, .. } => {
                    let relation = database.relation(*relation);
                    fill(&mut self.key, args, &self.bindings);
                    self.branches.clear();
                    let mut row = relation.newest(*index, &self.key);
                    for _ in 0..ROWS {
                        if row == NONE {
                            break;
                        }
                        self.add_branch(relation, row as usize, outputs);
                        row = relation.older(*index, row);
                    }
                    self.take_branch(relation, outputs, &mut weight)
                }
                Step::Test { relation, tuple, holds } => {
                    fill(&mut self.key, tuple, &self.bindings);
                    database.relation(*relation).contains(&self.key) == *holds
                }
                Step::Distinct(a, b) => value_of(*a, &self.bindings) != value_of(*b, &self.bindings),
                Step::Take { term, functor, outputs } => {
                    let term = value_of(*term, &self.bindings);
                    database.values.functor(term) == *functor
                        && read(outputs, database.values.arguments(term), &mut self.bindings)
                }
                Step::Make { functor, args, variable } => {
                    fill(&mut self.key, args, &self.bindings);
                    self.bindings[variable.index()] = database.values.term(*functor, &self.key);
                    true
                }
            };
            if !holds {
                return 0.0;
            }
        }
        weight
    }

    /// Adds the row with the index `row` to the branches of a loop, if it passes the checks of `outputs`.
    fn add_branch(&mut self, relation: &Relation, row: usize, outputs: &[Output]) {
        if read(outputs, relation.row(row), &mut self.bindings) {
            let values = outputs.iter().filter_map(|output| match output {
                Output::Bind(_, variable) if self.kept[variable.index()] => {
                    Some(self.bindings[variable.index()])
                }
                _ => None,
            });
            self.branches.push((values.collect(), row as u32));
        }
    }

    /// Takes one of the branches at random: first the values of the kept variables, then a row with these values.
    /// Multiplies `weight` by the number of the former. Returns whether there is a branch.
    fn take_branch(&mut self, relation: &Relation, outputs: &[Output], weight: &mut f64) -> bool {
        let mut branches = std::mem::take(&mut self.branches);
        branches.sort_unstable();
        let groups = branches.chunk_by(|one, two| one.0 == two.0).count();
        let chosen = if groups == 0 { 0 } else { self.below(groups) };
        let group = branches.chunk_by(|one, two| one.0 == two.0).nth(chosen);
        let row = group.map(|group| group[self.below(group.len())].1);
        *weight *= groups as f64;
        self.branches = branches;
        row.is_some_and(|row| read(outputs, relation.row(row as usize), &mut self.bindings))
    }
}

#[cfg(test)]
mod tests {
    use super::exceeds;
    use crate::database::Database;
    use crate::rule::{Argument, Atom, Literal, RelationId, Rule, Signature, Variable};
    use crate::value::{Functor, Values};
    use crate::{Limits, Program};

    /// The number of values that `item` holds. `next` relates each of them to the following one.
    const ITEMS: usize = 10;

    /// The program with `item`, `next` and the rule `head(args) :- body`, and a database with the facts.
    fn program(head: &[Argument], body: &[Literal], variables: u32, values: Values) -> (Program, Database) {
        let mut values = values;
        let items: Vec<_> = (0..ITEMS).map(|item| values.constant(&item.to_string())).collect();
        let relation = |name: &str, arity| Signature { name: name.into(), arity, level: 0 };
        let signatures = vec![relation("item", 1), relation("next", 2), relation("head", head.len())];
        let atom = Atom { relation: RelationId(2), args: head.to_vec() };
        let rule = Rule { head: atom, body: body.to_vec(), variables, label: 0 };
        let program = Program::new(signatures, vec![rule]).expect("a program");
        let mut database = Database::new(&program, values);
        for (number, &item) in items.iter().enumerate() {
            database.insert(RelationId(0), &[item]);
            if let Some(&next) = items.get(number + 1) {
                database.insert(RelationId(1), &[item, next]);
            }
        }
        (program, database)
    }

    fn var(number: u32) -> Argument {
        Argument::Variable(Variable(number))
    }

    fn of(relation: u32, args: &[Argument]) -> Literal {
        Literal::Positive(Atom { relation: RelationId(relation), args: args.to_vec() })
    }

    /// The largest power of two that the forecast says to be exceeded, and the number of tuples of `head`.
    fn forecast(head: &[Argument], body: &[Literal], variables: u32, values: Values) -> (usize, usize) {
        let (program, mut database) = program(head, body, variables, values);
        let plan = program.plans[0].whole.as_ref().expect("a plan");
        let mut is_exceeded = |bound: &usize| exceeds(plan, &program.rules()[0].head, &mut database, *bound);
        let bounds = (0..30).map(|bits| 1 << bits);
        let exceeded = bounds.take_while(|bound| is_exceeded(bound)).last().unwrap_or(0);
        let query = program.query(&[RelationId(2)]);
        program.evaluate(&mut database, &query, &Limits::default()).expect("it is small");
        (exceeded, database.relation(RelationId(2)).len())
    }

    #[test]
    fn a_product_is_foretold() {
        let all: Vec<Argument> = (0..5).map(var).collect();
        let body: Vec<Literal> = all.iter().map(|&x| of(0, &[x])).collect();
        let (exceeded, tuples) = forecast(&all, &body, 5, Values::default());
        assert_eq!(tuples, 100_000);
        assert_eq!(exceeded, 65_536, "the forecast of a product is exact");
    }

    #[test]
    fn variables_that_the_head_lacks_do_not_count() {
        // next(0, 1), item(2), item(3): the head has the last two variables only.
        let body = [of(1, &[var(0), var(1)]), of(1, &[var(1), var(4)]), of(0, &[var(2)]), of(0, &[var(3)])];
        let (exceeded, tuples) = forecast(&[var(2), var(3)], &body, 5, Values::default());
        assert_eq!(tuples, 100);
        assert!((1..100).contains(&exceeded), "{exceeded}");
    }

    #[test]
    fn a_term_keeps_its_parts() {
        let mut values = Values::default();
        let functor = Functor { name: values.name("pair"), arity: Some(2) };
        let term = Literal::Compose { term: var(3), functor, args: vec![var(0), var(1)] };
        let body = [of(0, &[var(0)]), of(0, &[var(1)]), of(0, &[var(2)]), term];
        let (exceeded, tuples) = forecast(&[var(3), var(2)], &body, 4, values);
        assert_eq!((exceeded, tuples), (512, 1000));
    }

    #[test]
    fn few_solutions_are_never_foretold_to_be_many() {
        // Five items in a row: nearly all branches lead to nothing.
        let all: Vec<Argument> = (0..5).map(var).collect();
        let items = all.iter().map(|&x| of(0, &[x]));
        let body: Vec<Literal> = items.chain(all.windows(2).map(|pair| of(1, pair))).collect();
        let (exceeded, tuples) = forecast(&all, &body, 5, Values::default());
        assert_eq!(tuples, ITEMS - 4);
        assert!(exceeded < tuples, "{exceeded}");
    }
}
