//! The least fixpoint of a stratum by semi-naive evaluation. Each round runs a recursive rule once for each
//! of its recursive literals. In the run for a literal, this literal reads only the delta: the tuples that
//! the previous round added (Abiteboul, Hull & Vianu 1995, section 13.1).

use crate::Limits;
use crate::database::Database;
use crate::error::EvalError;
use crate::forecast;
use crate::join;
use crate::plan::Plan;
use crate::program::Program;
use crate::round::Round;
use crate::rule::{Argument, Atom};
use crate::strata::Stratum;

/// Evaluates the stratum with index `number` completely. The strata on which it depends must already be
/// completely evaluated.
pub(crate) fn complete_stratum(
    program: &Program,
    database: &mut Database,
    number: usize,
    limits: &Limits,
) -> Result<(), EvalError> {
    let stratum = &program.strata()[number];
    let mut round = match database.unfinished.take() {
        Some((stratum, round)) if stratum == number => round,
        _ => {
            // A stratum of level 0 is evaluated once, so that a forecast costs little.
            if stratum.relations.iter().all(|&relation| program.level(relation) == 0) {
                foresee(program, database, stratum, limits)?;
            }
            for &rule in &stratum.rules {
                if let Some(plan) = &program.plans[rule].whole {
                    derive(plan, &program.rules()[rule].head, database, (0, 0), limits)?;
                }
            }
            Round { old: vec![0; stratum.relations.len()], new: lengths(stratum, database), rules: 0 }
        }
    };
    while stratum.recursive && round.new != round.old {
        if let Err(error) = round.run(program, database, stratum, limits) {
            database.unfinished = Some((number, round));
            return Err(error);
        }
        round = Round { new: lengths(stratum, database), old: round.new, rules: 0 };
    }
    Ok(())
}

/// The numbers of rows of the relations of `stratum`.
fn lengths(stratum: &Stratum, database: &Database) -> Vec<usize> {
    stratum.relations.iter().map(|&relation| database.relation(relation).len()).collect()
}

impl Round {
    /// Runs the rules of `stratum` that are left on the rows that the round before has added.
    fn run(
        &mut self,
        program: &Program,
        database: &mut Database,
        stratum: &Stratum,
        limits: &Limits,
    ) -> Result<(), EvalError> {
        while let Some(&rule) = stratum.rules.get(self.rules) {
            let (plans, head) = (&program.plans[rule], &program.rules()[rule].head);
            if let Some(plan) = plans.whole.as_ref().filter(|_| plans.every_round) {
                derive(plan, head, database, (0, 0), limits)?;
            }
            for (relation, plan) in &plans.deltas {
                let at = stratum.relations.binary_search(relation).expect("a recursive literal's relation");
                let (old, new) = (self.old[at], self.new[at]);
                if old < new {
                    derive(plan, head, database, (old, new), limits)?;
                }
            }
            self.rules += 1;
        }
        Ok(())
    }
}

/// Fails if some rule of `stratum` without recursive literals is going to derive too many tuples.
fn foresee(
    program: &Program,
    database: &mut Database,
    stratum: &Stratum,
    limits: &Limits,
) -> Result<(), EvalError> {
    for &rule in &stratum.rules {
        let Some(plan) = program.plans[rule].whole.as_ref().filter(|_| !program.plans[rule].every_round)
        else {
            continue;
        };
        let head = &program.rules()[rule].head;
        if forecast::exceeds(plan, head, database, limits.tuples) {
            database.failed = Some(head.relation);
            return Err(EvalError::TooManyTuples { label: plan.label, bound: limits.tuples });
        }
    }
    Ok(())
}

/// The work of inserting one tuple. The unit of work is one row that a join tries.
const ROWS_PER_TUPLE: u64 = 2;

/// Runs `plan`, the plan of a rule with the head `head`. Inserts the head tuple of each solution into the
/// head relation. `delta` is the range of the rows that the previous round added to the relation of the
/// recursive literal, given as the index of the first row and the index after the last row.
fn derive(
    plan: &Plan,
    head: &Atom,
    database: &mut Database,
    delta: (usize, usize),
    limits: &Limits,
) -> Result<(), EvalError> {
    let before = database.tuples;
    let mut tuple = std::mem::take(&mut database.scratch.tuple);
    let result = join::run(plan, database, delta, &[], limits, |database, bindings| {
        tuple.clear();
        tuple.extend(head.args.iter().map(|argument| match argument {
            Argument::Value(value) => *value,
            Argument::Variable(variable) => bindings[variable.index()],
        }));
        let relation = &mut database.relations[head.relation.index()];
        if relation.insert(&tuple) {
            database.tuples += relation.weight();
            if database.tuples > limits.tuples {
                return Err(EvalError::TooManyTuples { label: plan.label, bound: limits.tuples });
            }
        }
        Ok(())
    });
    database.scratch.tuple = tuple;
    if result.is_err() {
        database.failed = Some(head.relation);
    }
    let inserting = (database.tuples - before) as u64 * ROWS_PER_TUPLE;
    database.total_work += inserting;
    database.work[head.relation.index()] += result? + inserting;
    Ok(())
}
