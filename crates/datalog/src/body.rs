//! Single rule bodies, solved over a complete database.

use crate::Limits;
use crate::database::Database;
use crate::error::{EvalError, ProgramError};
use crate::join;
use crate::plan::{Plan, Planner, Purpose};
use crate::program::Program;
use crate::rule::{Rule, Variable};
use crate::statistics::Statistics;
use crate::value::Value;

/// A rule body that is planned on its own and solved over a complete database, for explanations and for
/// grounding.
#[derive(Clone, Debug)]
pub struct Body {
    plan: Plan,
}

impl Body {
    /// Plans the body of `rule` so that each assignment of the variables of its positive literals is found once.
    /// The variables `given` are bound beforehand. Adds the indexes that the plan needs to `program`; the caller
    /// then calls [`Database::reindex`] on each database.
    ///
    /// # Errors
    /// Fails when the rule is unsafe.
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

    /// Calls `found` for each solution with the values of the rule's variables. `given` holds values by variable
    /// number; only those of the variables given to [`Body::plan`] are read.
    ///
    /// # Errors
    /// Fails when a bound of `limits` is exceeded, when the evaluation is interrupted, or with the error that
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
