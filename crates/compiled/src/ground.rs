//! The static relations that can be evaluated once, in full. A static relation with too many tuples is left out:
//! its tuples are derived when they are asked for.

use crate::table::StaticTable;
use ggp_datalog::{Database, EvalError, Limits, Program, RelationId, Value, Values};
use ggp_game::lower::{Lowering, STATE_LEVEL};

/// The maximum number of rows that joins may try for the static relations in one attempt, and the maximum
/// number of their tuples.
const ROWS: u64 = 1_500_000;
const TUPLES: usize = 400_000;

/// The maximum number of relations that are left out one by one. After that, every relation with rules is.
const ATTEMPTS: usize = 8;

/// The static relations with their tuples.
#[derive(Debug)]
pub(crate) struct Ground {
    tables: Vec<Option<StaticTable>>,
}

impl Ground {
    /// Evaluates the static relations of `lowering`. Adds the terms that they make to `values`. `limits`
    /// gives the bounds of terms and the interrupt flag.
    pub(crate) fn new(
        lowering: &Lowering,
        program: &Program,
        values: &mut Values,
        limits: &Limits,
    ) -> Result<Ground, EvalError> {
        let count = lowering.signatures.len();
        let all = || (0..count as u32).map(RelationId);
        let mut left_out = vec![false; count];
        for relation in all() {
            left_out[relation.index()] = program.level(relation) >= STATE_LEVEL;
        }
        let limits = Limits {
            rows: ROWS,
            tuples: limits.tuples.min(TUPLES),
            terms: limits.terms.min(values.len() + TUPLES),
            ..limits.clone()
        };
        for attempt in 0.. {
            if attempt == ATTEMPTS {
                for rule in lowering.rules.iter().filter(|rule| !rule.body.is_empty()) {
                    left_out[rule.head.relation.index()] = true;
                }
            }
            spread(program, &mut left_out);
            let kept: Vec<RelationId> = all().filter(|r| !left_out[r.index()]).collect();
            let mut database = Database::new(program, values.clone());
            match program.evaluate(&mut database, &program.query(&kept), &limits) {
                Ok(()) => {
                    *values = database.values().clone();
                    let mut tables: Vec<Option<StaticTable>> = vec![None; count];
                    for relation in kept {
                        let own = database.relation(relation);
                        let arity = lowering.signatures[relation.index()].arity;
                        let rows = own.rows().flatten().map(|value: &Value| value.index() as u32).collect();
                        tables[relation.index()] = Some(StaticTable::new(arity, own.len(), rows));
                    }
                    return Ok(Ground { tables });
                }
                Err(EvalError::Interrupted) => return Err(EvalError::Interrupted),
                Err(error) => match database.failed() {
                    Some(failed) if attempt < ATTEMPTS => left_out[failed.index()] = true,
                    _ => return Err(error),
                },
            }
        }
        unreachable!("the last attempt returns")
    }

    /// The tuples of `relation`. `None` if the relation is not static, or was left out.
    pub(crate) fn table(&self, relation: RelationId) -> Option<&StaticTable> {
        self.tables[relation.index()].as_ref()
    }

    pub(crate) fn tables(&self) -> impl Iterator<Item = (RelationId, &StaticTable)> {
        let tables = self.tables.iter().enumerate();
        tables.filter_map(|(number, table)| Some((RelationId(number as u32), table.as_ref()?)))
    }

    pub(crate) fn into_tables(self) -> Vec<Option<StaticTable>> {
        self.tables
    }
}

/// Leaves out every relation that depends on one that is left out.
fn spread(program: &Program, left_out: &mut [bool]) {
    for stratum in program.strata() {
        let rules = stratum.rules.iter().map(|&rule| &program.rules()[rule]);
        let reads_left_out = rules.flat_map(|rule| &rule.body).any(|literal| match literal {
            ggp_datalog::Literal::Positive(atom) | ggp_datalog::Literal::Negative(atom) => {
                left_out[atom.relation.index()]
            }
            _ => false,
        });
        if reads_left_out || stratum.relations.iter().any(|relation| left_out[relation.index()]) {
            stratum.relations.iter().for_each(|relation| left_out[relation.index()] = true);
        }
    }
}

/// The values of the program's terms as numbers.
pub(crate) fn number(value: Value) -> u32 {
    value.index() as u32
}

/// Interns the term `text`, if it is one.
pub(crate) fn term(text: &str, values: &mut Values) -> Option<u32> {
    ggp_game::lower::ground_term(text, values).map(number)
}
