//! Bodies of single rules, solved over a database whose relations are completely evaluated.

use crate::Limits;
use crate::database::Database;
use crate::error::{EvalError, ProgramError};
use crate::join;
use crate::plan::{Plan, Planner, Purpose};
use crate::program::Program;
use crate::rule::{Rule, Variable};
use crate::statistics::Statistics;
use crate::value::Value;

/// A rule body with a join plan of its own, which can be solved over a completely evaluated database.
/// Explanations and grounding use such bodies.
#[derive(Clone, Debug)]
pub struct Body {
    plan: Plan,
}

impl Body {
    /// Plans the body of `rule`. The variables `given` are bound beforehand. The plan finds each assignment
    /// of the variables of the positive literals exactly once. Adds the indexes that the plan needs to
    /// `program`; afterwards, call [`Database::reindex`] on each database.
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

    /// Calls `found` for each solution of the body, with the values of the variables by number. `given` holds
    /// values by number of variable too; only the values of the variables that were given to [`Body::plan`]
    /// are read.
    ///
    /// # Errors
    /// Fails when the evaluation exceeds a bound of `limits` or is interrupted, or with the error that
    /// `found` returns.
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
