//! Sizes measured in trial playouts, by which the conditions of rules are ordered.

use crate::code::Mode;
use ggp_datalog::RelationId;
use rustc_hash::FxHashMap;

/// The assumed size of a relation that has not been measured: the number of tuples, and the number of distinct
/// values in each column.
const UNSEEN: (f64, f64) = (60.0, 8.0);

/// The assumed number of answers for each free argument of a procedure that has not been asked, and its cost.
const ANSWERS: f64 = 4.0;
const COST: f64 = 60.0;

/// The assumed share of true answers of a procedure without free arguments that has not been asked.
const HOLDS: f64 = 0.5;

/// The assumed number of tuples of an input that was always empty.
const RARE: f64 = 0.25;

/// The measurements.
#[derive(Clone, Default, Debug)]
pub(crate) struct Measured {
    /// For each input, the number of states, the sum of its sizes, and for each column the sum of the numbers
    /// of distinct values.
    pub(crate) inputs: Vec<(f64, f64, Vec<f64>)>,
    /// For each relation and choice of modes, the number of questions, of answers, and of operations.
    pub(crate) procedures: FxHashMap<(RelationId, Vec<Mode>), (f64, f64, f64)>,
}

impl Measured {
    /// Records one state's tuples of an input.
    pub(crate) fn observe(&mut self, input: usize, arity: usize, rows: &[u32], len: usize) {
        if self.inputs.len() <= input {
            self.inputs.resize(input + 1, (0.0, 0.0, Vec::new()));
        }
        let seen = &mut self.inputs[input];
        seen.0 += 1.0;
        seen.1 += len as f64;
        seen.2.resize(arity, 0.0);
        for column in 0..arity {
            let mut values: Vec<u32> = (0..len).map(|row| rows[row * arity + column]).collect();
            values.sort_unstable();
            values.dedup();
            seen.2[column] += values.len() as f64;
        }
    }

    /// The expected number of an input's tuples that agree with a key over the columns for which `bound` holds.
    pub(crate) fn input(&self, input: usize, arity: usize, bound: impl Fn(usize) -> bool) -> f64 {
        let Some((states, tuples, distinct)) = self.inputs.get(input).filter(|seen| seen.0 > 0.0) else {
            return (0..arity).filter(|&c| bound(c)).fold(UNSEEN.0, |n, _| n / UNSEEN.1);
        };
        let columns = (0..arity.min(distinct.len())).filter(|&column| bound(column));
        columns.fold((tuples / states).max(RARE), |rows, c| rows / (distinct[c] / states).max(1.0))
    }

    /// The expected numbers of answers and of operations for a question. `most` is the largest possible number of
    /// answers.
    pub(crate) fn procedure(&self, relation: RelationId, modes: &[Mode], most: f64) -> (f64, f64) {
        match self.procedures.get(&(relation, modes.to_vec())) {
            Some(&(questions, answers, cost)) if questions > 0.0 => {
                (answers / questions, 3.0 + cost / questions)
            }
            _ => {
                let free = modes.iter().filter(|&&mode| mode == Mode::Free).count();
                if free == 0 {
                    return (HOLDS, COST);
                }
                let rows = ANSWERS.powf(free as f64).min(most);
                (rows, COST * rows.max(1.0))
            }
        }
    }
}
