//! The evaluation of a query, stratum by stratum. A completely evaluated stratum is not evaluated again
//! before the database is cleared.

use crate::Limits;
use crate::database::Database;
use crate::error::EvalError;
use crate::fixpoint;
use crate::program::{Program, Query, relation_of};
use crate::statistics::Statistics;

impl Program {
    /// Evaluates the strata of `query` that are not yet completely evaluated.
    ///
    /// # Errors
    /// Fails when the evaluation exceeds a bound of `limits` or is interrupted. The database must then be
    /// cleared before further use (see [`Database::roll_back`]), unless the program is evaluated further with other
    /// limits or other plans: that goes on with the round of the recursion in which the evaluation failed.
    pub fn evaluate(&self, database: &mut Database, query: &Query, limits: &Limits) -> Result<(), EvalError> {
        for &stratum in &query.strata {
            if !database.complete[stratum as usize] {
                fixpoint::complete_stratum(self, database, stratum as usize, limits)?;
                database.complete[stratum as usize] = true;
            }
        }
        Ok(())
    }

    /// Like [`Program::evaluate`], but plans each stratum just before evaluating it. At that point the sizes
    /// of the relations from lower strata are known. Records in `statistics` the sizes of the inputs and of
    /// the relations that it evaluates.
    ///
    /// # Errors
    /// Fails for the same reasons as [`Program::evaluate`].
    pub fn evaluate_adaptively(
        &mut self,
        database: &mut Database,
        query: &Query,
        limits: &Limits,
        statistics: &mut Statistics,
    ) -> Result<(), EvalError> {
        let inputs = (0..self.strata().len()).filter(|&s| self.strata()[s].rules.is_empty());
        let inputs = inputs.flat_map(|s| self.strata()[s].relations.iter().copied());
        database.observe(statistics, inputs);
        for &stratum in &query.strata {
            let stratum = stratum as usize;
            if !database.complete[stratum] {
                self.plan_stratum(stratum, statistics).expect("planned before, so safe");
                let rules = self.strata()[stratum].rules.iter().map(|&r| &self.rules()[r]);
                database.add_indexes(self, rules.flat_map(|rule| &rule.body).filter_map(relation_of));
                fixpoint::complete_stratum(self, database, stratum, limits)?;
                database.complete[stratum] = true;
                database.observe(statistics, self.strata()[stratum].relations.iter().copied());
            }
        }
        Ok(())
    }
}
