//! Finds the solutions of a single rule's body over a database whose relations are completely evaluated.

use crate::Limits;
use crate::database::Database;
use crate::error::{EvalError, ProgramError};
use crate::forecast;
use crate::join;
use crate::plan::{Plan, Planner, Purpose};
use crate::program::Program;
use crate::rule::{Atom, Rule, Variable};
use crate::statistics::Statistics;
use crate::value::Value;

/// A rule body with its own join plan. [`Body::for_each`] finds the solutions of the body over a completely
/// evaluated database. Explanations and grounding use such bodies.
#[derive(Clone, Debug)]
pub struct Body {
    plan: Plan,
}

impl Body {
    /// Plans the body of `rule`. The variables in `given` are bound before the join starts. The plan finds
    /// each assignment of values to the variables of the positive literals exactly once. Adds to `program`
    /// the indexes that the plan needs, so call [`Database::reindex`] afterwards on each database.
    ///
    /// # Errors
    /// Fails when the rule is unsafe, that is, when no literal binds one of its variables.
    pub fn plan(
        program: &mut Program,
        rule: &Rule,
        given: &[Variable],
        statistics: &Statistics,
    ) -> Result<Body, ProgramError> {
        let mut planner = Planner { statistics, indexes: &mut program.indexes };
        let plan = planner
            .plan(rule, Purpose::Instances, None, given)
            .map_err(|v| ProgramError::Unsafe { label: rule.label, variable: v.0 })?;
        Ok(Body { plan })
    }

    /// Whether the rule with this body and the head `head` derives more than `bound` distinct tuples. The answer
    /// comes from a forecast, is wrong with a negligible probability, and takes at most some milliseconds. `false`
    /// means that nothing is known. The relations of the body must be completely evaluated.
    pub fn derives_more_than(&self, bound: usize, head: &Atom, database: &mut Database) -> bool {
        forecast::exceeds(&self.plan, head, database, bound)
    }

    /// Calls `found` for each solution of the body and passes it the values of the variables, indexed by
    /// variable. `given` is indexed by variable too. Only its values for the variables that were given to
    /// [`Body::plan`] are read.
    ///
    /// # Errors
    /// Fails when the evaluation exceeds a bound of `limits` or is interrupted. If `found` returns an error,
    /// stops and returns this error.
    pub fn for_each(
        &self,
        database: &mut Database,
        given: &[Value],
        limits: &Limits,
        mut found: impl FnMut(&Database, &[Value]) -> Result<(), EvalError>,
    ) -> Result<(), EvalError> {
        join::run(&self.plan, database, (0, 0), given, limits, |database, bindings| {
            found(database, bindings)
        })?;
        Ok(())
    }
}
