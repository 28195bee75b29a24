//! The facts that a role knows and those that it considers possible.

use super::{Extent, InformationSet};
use crate::{EvalError, Fact, StateMachine};
use rustc_hash::FxHashMap;

/// A role's knowledge of the current state.
#[derive(Clone, PartialEq, Debug)]
pub struct Knowledge {
    /// The facts that are true in all states of the information set, sorted bytewise.
    pub certain: Vec<Fact>,
    /// The facts that are true in some, but not all, states of the information set. Each fact has its
    /// probability, which is greater than 0 and less than 1. Sorted bytewise by the facts.
    pub possible: Vec<(Fact, f64)>,
    /// The number of states in the information set.
    pub states: usize,
    /// Whether the set holds all possible states. If it holds only a sample, a fact in `certain` can be
    /// false in a possible state that the sample does not contain.
    pub extent: Extent,
}

impl<M: StateMachine> InformationSet<M> {
    /// The facts that are true in all states of the set, and those that are true in some of them.
    ///
    /// # Errors
    /// When the rules cannot be evaluated.
    pub fn knowledge(&self, machine: &mut M) -> Result<Knowledge, EvalError> {
        // The number of states in which a fact is true decides whether it is certain; sums of weights are inexact.
        let mut shares: FxHashMap<Fact, (usize, f64)> = FxHashMap::default();
        let mut facts = Vec::new();
        for (state, weight) in &self.states {
            machine.facts(state, &mut facts)?;
            for fact in facts.drain(..) {
                let share = shares.entry(fact).or_default();
                share.0 += 1;
                share.1 += weight;
            }
        }
        let (mut certain, mut possible) = (Vec::new(), Vec::new());
        for (fact, (count, share)) in shares {
            if count == self.states.len() {
                certain.push(fact);
            } else {
                possible.push((fact, share));
            }
        }
        certain.sort_unstable();
        possible.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Ok(Knowledge { certain, possible, states: self.states.len(), extent: self.extent })
    }
}
