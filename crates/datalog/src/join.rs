//! Runs a join plan: nested loops over scans and index lookups.
//!
//! An explicit stack holds the loops in progress, so a long rule does not need a deep call stack.

use crate::Limits;
use crate::database::Database;
use crate::error::EvalError;
use crate::plan::{Output, Plan, Step};
use crate::relation::{NONE, Relation};
use crate::rule::Argument;
use crate::scratch::{Frame, Scratch};
use crate::value::Value;

/// The number of rows that a join tries between two checks of the interrupt flag and the bound on work.
const ROWS_PER_CHECK: u64 = 1 << 14;

/// The value of `argument`, where `bindings` holds the values of the variables.
#[inline]
pub(crate) fn value_of(argument: Argument, bindings: &[Value]) -> Value {
    match argument {
        Argument::Value(value) => value,
        Argument::Variable(variable) => bindings[variable.index()],
    }
}

/// Applies `outputs` to the row `columns`. Returns whether all checks hold.
#[inline]
pub(crate) fn read(outputs: &[Output], columns: &[Value], bindings: &mut [Value]) -> bool {
    outputs.iter().all(|output| match *output {
        Output::Bind(column, variable) => {
            bindings[variable.index()] = columns[column];
            true
        }
        Output::Check(column, argument) => columns[column] == value_of(argument, bindings),
    })
}

/// Sets `key` to the values of `args`.
#[inline]
pub(crate) fn fill(key: &mut Vec<Value>, args: &[Argument], bindings: &[Value]) {
    key.clear();
    key.extend(args.iter().map(|&a| value_of(a, bindings)));
}

/// Runs `plan` and calls `found` for each solution with the values of the variables, indexed by variable.
/// `delta` is the range of the rows that the previous round added, given as the index of the first row and
/// the index after the last row. A scan whose `delta` flag is set reads only these rows. `given` holds the
/// values of the variables that are bound before the join starts, and is indexed by variable too. Returns the
/// number of rows tried.
pub(crate) fn run(
    plan: &Plan,
    database: &mut Database,
    delta: (usize, usize),
    given: &[Value],
    limits: &Limits,
    mut found: impl FnMut(&mut Database, &[Value]) -> Result<(), EvalError>,
) -> Result<u64, EvalError> {
    let mut scratch = std::mem::take(&mut database.scratch);
    scratch.bindings.clear();
    scratch.bindings.extend_from_slice(given);
    scratch.bindings.resize(plan.variables, Value(0));
    scratch.frames.clear();
    let result = run_steps(plan, database, delta, limits, &mut scratch, &mut found);
    database.scratch = scratch;
    result
}

/// Fails if the evaluation is interrupted or has done more work than `limits` allow.
fn check_work(database: &Database, plan: &Plan, limits: &Limits) -> Result<(), EvalError> {
    if limits.is_interrupted() {
        return Err(EvalError::Interrupted);
    }
    if database.total_work > limits.rows {
        return Err(EvalError::TooMuchWork { label: plan.label, bound: limits.rows });
    }
    Ok(())
}

/// Checks the bounds of `limits` on terms after `term` has been interned. Fails if there are too many terms,
/// or if `term` is nested too deep or its text is too long.
fn check_term(term: Value, database: &Database, plan: &Plan, limits: &Limits) -> Result<(), EvalError> {
    let (values, label) = (&database.values, plan.label);
    if values.size() > limits.terms {
        return Err(EvalError::TooManyTerms { label, bound: limits.terms });
    }
    if values.depth(term) > limits.depth {
        return Err(EvalError::TooDeep { label, bound: limits.depth });
    }
    if values.text_len(term) > limits.text {
        return Err(EvalError::TooLong { label, bound: limits.text });
    }
    Ok(())
}

fn run_steps(
    plan: &Plan,
    database: &mut Database,
    delta: (usize, usize),
    limits: &Limits,
    scratch: &mut Scratch,
    found: &mut impl FnMut(&mut Database, &[Value]) -> Result<(), EvalError>,
) -> Result<u64, EvalError> {
    let Scratch { bindings, frames, key, .. } = scratch;
    let mut next = 0;
    let mut rows = 0;
    check_work(database, plan, limits)?;
    loop {
        // 1. Forward: run one step. A test holds or fails for the current bindings. A scan or lookup pushes a
        // frame.
        let holds = match plan.steps.get(next) {
            None => {
                found(database, bindings)?;
                frames.truncate(plan.resume);
                false
            }
            Some(Step::Scan { relation, delta: is_delta, .. }) => {
                let (start, end) = if *is_delta { delta } else { (0, database.relation(*relation).len()) };
                frames.push(Frame { step: next as u32, cursor: start as u32, end: end as u32 });
                false
            }
            Some(Step::Lookup { relation, index, key: args, .. }) => {
                fill(key, args, bindings);
                let cursor = database.relation(*relation).newest(*index, key);
                if cursor != NONE {
                    frames.push(Frame { step: next as u32, cursor, end: NONE });
                }
                false
            }
            Some(Step::Test { relation, tuple, holds }) => {
                fill(key, tuple, bindings);
                database.relation(*relation).contains(key) == *holds
            }
            Some(Step::Distinct(a, b)) => value_of(*a, bindings) != value_of(*b, bindings),
            Some(Step::Take { term, functor, outputs }) => {
                let term = value_of(*term, bindings);
                database.values.functor(term) == *functor
                    && read(outputs, database.values.arguments(term), bindings)
            }
            Some(Step::Make { functor, args, variable }) => {
                fill(key, args, bindings);
                let term = database.values.term(*functor, key);
                bindings[variable.index()] = term;
                check_term(term, database, plan, limits)?;
                true
            }
        };
        if holds {
            next += 1;
            continue;
        }
        // 2. Back: take the next row of the innermost scan or lookup that still has rows.
        next = loop {
            let Some(frame) = frames.last_mut() else {
                database.total_work += rows % ROWS_PER_CHECK;
                return Ok(rows);
            };
            let step = frame.step as usize;
            rows += 1;
            if rows % ROWS_PER_CHECK == 0 {
                database.total_work += ROWS_PER_CHECK;
                check_work(database, plan, limits)?;
            }
            let (relation, row, outputs, once): (&Relation, u32, _, _) = match &plan.steps[step] {
                Step::Scan { relation, outputs, once, .. } if frame.cursor < frame.end => {
                    frame.cursor += 1;
                    (database.relation(*relation), frame.cursor - 1, outputs, once)
                }
                Step::Lookup { relation, index, outputs, once, .. } if frame.cursor != NONE => {
                    let relation = database.relation(*relation);
                    let row = frame.cursor;
                    frame.cursor = relation.older(*index, row);
                    (relation, row, outputs, once)
                }
                _ => {
                    frames.pop();
                    continue;
                }
            };
            if !read(outputs, relation.row(row as usize), bindings) {
                continue;
            }
            if *once {
                // Popping the frame would shift the frames that `resume` counts, so mark it as finished
                // instead.
                frame.cursor = NONE;
                frame.end = 0;
            }
            break step + 1;
        };
    }
}
