//! Training data: the nodes of a search in which one role chooses.

use crate::limits::Limits;
use crate::node::{Chooser, Phase};
use crate::policy::{Sample, SampleArm};
use crate::search::Search;
use ggp_game::{EvalError, Move, Playouts};
use std::time::Duration;

/// A node becomes a sample if it has at least this many visits.
const LEAST_VISITS: u32 = 32;
/// An arm with this many visits has half of the weight of an arm with very many.
const HALF_WEIGHT: f32 = 16.0;

impl<M: Playouts> Search<M> {
    /// Appends the nodes of the tree with enough visits in which a role other than chance chooses alone, until `out` has
    /// `most` samples or a limit is reached.
    ///
    /// # Errors
    /// The machine's errors.
    pub(crate) fn append_samples(
        &mut self,
        out: &mut Vec<Sample>,
        most: usize,
        limits: &Limits,
    ) -> Result<(), EvalError> {
        for id in self.tree.ids() {
            if out.len() >= most || limits.reached(0, Duration::ZERO).is_some() {
                break;
            }
            let Some(node) = self.tree.get(id) else { continue };
            let Chooser::One(role) = node.chooser else { continue };
            if node.phase != Phase::Open || node.visits < LEAST_VISITS || self.chance == Some(role) {
                continue;
            }
            let arms = self.tree.arms(id, role);
            let mut advantages = Vec::new();
            self.history.advantages(role, arms.iter().map(|arm| arm.mv), &mut advantages);
            let (mut found, mut moves): (Vec<SampleArm>, Vec<Move>) = (Vec::new(), Vec::new());
            for (arm, advantage) in arms.iter().zip(advantages).filter(|(arm, _)| !arm.is_redundant) {
                let (share, weight) = match (arm.bounds.proven(), arm.mean()) {
                    (Some(goal), _) => (f32::from(goal) / 100.0, 1.0),
                    (None, Some(mean)) => {
                        (mean as f32, arm.visits as f32 / (arm.visits as f32 + HALF_WEIGHT))
                    }
                    (None, None) => continue,
                };
                moves.push(arm.mv);
                found.push(SampleArm { after: Box::default(), share, advantage, weight });
            }
            if found.len() > 1 {
                let state = node.state.clone();
                let mut joints = Vec::new();
                self.tree.append_joints(id, role, moves.iter().copied(), &mut joints);
                let mut after = Vec::new();
                self.worker.machine.next_states(&vec![&state; moves.len()], &joints, &mut after)?;
                let machine = &self.worker.machine;
                for (arm, after) in found.iter_mut().zip(&after) {
                    arm.after = machine.fluent_words(after).into();
                }
                out.push(Sample { before: machine.fluent_words(&state).into(), role, arms: found });
            }
        }
        Ok(())
    }
}
