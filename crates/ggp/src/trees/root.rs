//! The choice at the root: Gumbel noise with sequential halving, and what the search recommends (Danihelka et al. 2022).

use super::Root;
use super::tree::{Choice, Node, Tree, softmax};

/// The choice of one role at the root.
pub(super) struct Gumbel {
    /// For each move, Gumbel noise.
    noise: Vec<f32>,
    /// For each simulation, the number of visits of the moves among which it chooses.
    visits: Vec<u32>,
}

/// The weight of a value against a logit, before any visit and for each visit of the move that has most.
const VALUE_SCALE: f32 = 0.1;
const VISITS_OFFSET: f32 = 50.0;

impl Gumbel {
    /// The move of the role with the index `role` in a simulation: of those with the right number of visits the best.
    pub(super) fn choose(&self, root: &Node, role: usize, simulation: usize) -> usize {
        let choice = &root.choices[role];
        let scores = self.scores(choice, root.values[role]);
        let wanted = self.visits.get(simulation).copied();
        let fits = |at: &usize| wanted.is_none_or(|wanted| choice.visits[*at] == wanted);
        best_of((0..scores.len()).filter(fits), &scores).unwrap_or(0)
    }

    /// For each move, its noise, its logit and its value together.
    fn scores(&self, choice: &Choice, value: f32) -> Vec<f32> {
        self.noise.iter().zip(improved(choice, value)).map(|(noise, logit)| noise + logit).collect()
    }
}

fn best_of(moves: impl Iterator<Item = usize>, scores: &[f32]) -> Option<usize> {
    moves.fold(None, |best: Option<usize>, at| match best {
        Some(best) if scores[best] >= scores[at] => Some(best),
        _ => Some(at),
    })
}

/// The logits of `choice` plus the scaled values of its moves. Moves without visits get the mixed value. The values of the
/// moves are stretched to the range from 0 to 1.
fn improved(choice: &Choice, value: f32) -> Vec<f32> {
    let visited = (0..choice.visits.len()).filter(|&at| choice.visits[at] > 0);
    let (mut weight, mut weighted) = (0.0, 0.0);
    for at in visited {
        weight += choice.priors[at];
        weighted += choice.priors[at] * choice.mean(at, 0.0);
    }
    let visits = choice.all_visits() as f32;
    let mean = if weight > 0.0 { weighted / weight } else { value };
    let mixed = (value + visits * mean) / (1.0 + visits);
    let most = choice.visits.iter().copied().max().unwrap_or(0) as f32;
    let scale = (VISITS_OFFSET + most) * VALUE_SCALE;
    let largest = choice.logits.iter().copied().fold(f32::MIN, f32::max);
    let means: Vec<f32> = (0..choice.logits.len()).map(|at| choice.mean(at, mixed)).collect();
    let (low, high) =
        means.iter().fold((f32::MAX, f32::MIN), |(low, high), &mean| (low.min(mean), high.max(mean)));
    let range = (high - low).max(1e-8);
    let score = |(logit, mean): (&f32, f32)| logit - largest + scale * (mean - low) / range;
    choice.logits.iter().zip(means).map(score).collect()
}

/// For each of `simulations`, the number of visits of the moves among which it chooses, if `considered` moves are
/// considered at first and half of them are left after each phase.
fn halving(considered: usize, simulations: usize) -> Vec<u32> {
    if considered <= 1 {
        return (0..simulations as u32).collect();
    }
    let phases = considered.next_power_of_two().trailing_zeros() as usize;
    let (mut visits, mut left, mut sequence) = (vec![0; considered], considered, Vec::new());
    while sequence.len() < simulations {
        for _ in 0..(simulations / (phases * left)).max(1) {
            sequence.extend_from_slice(&visits[..left]);
            visits[..left].iter_mut().for_each(|visits| *visits += 1);
        }
        left = (left / 2).max(2);
    }
    sequence.truncate(simulations);
    sequence
}

impl Tree {
    /// Draws the noise of the root.
    pub(super) fn begin_gumbel(&mut self, considered: usize, simulations: usize) {
        let counts: Vec<usize> = self.root_node().choices.iter().map(|choice| choice.actions.len()).collect();
        self.gumbel = counts
            .into_iter()
            .map(|count| {
                let noise = (0..count).map(|_| {
                    let uniform = (f64::from(self.bits()) + 0.5) / 4_294_967_296.0;
                    -(-uniform.ln()).ln() as f32
                });
                let noise: Vec<f32> = noise.collect();
                Gumbel { noise, visits: halving(considered.clamp(1, count.max(1)), simulations) }
            })
            .collect();
    }

    /// The actions of `role`, each with its share in the policy that the search recommends.
    pub(super) fn policy(&self, role: usize, root: Root) -> Vec<(u32, f32)> {
        if self.is_over() {
            return Vec::new();
        }
        let node = self.root_node();
        let Some(choice) = node.choices.get(role) else { return Vec::new() };
        let visits = choice.all_visits();
        let shares = match root {
            Root::Puct if visits > 0 => choice.visits.iter().map(|&one| one as f32 / visits as f32).collect(),
            Root::Puct => choice.priors.clone(),
            Root::Gumbel(_) => softmax(&improved(choice, node.values[role])),
        };
        choice.actions.iter().copied().zip(shares).collect()
    }

    /// The action of `role` that the search recommends: the one with most visits, and with Gumbel noise the best of those.
    pub(super) fn best(&self, role: usize, root: Root) -> Option<u32> {
        let node = self.root_node();
        let choice = node.choices.get(role).filter(|_| !self.is_over())?;
        let most = choice.visits.iter().copied().max()?;
        let scores = match (root, self.gumbel.get(role)) {
            (Root::Gumbel(_), Some(gumbel)) => gumbel.scores(choice, node.values[role]),
            _ => choice.priors.clone(),
        };
        let moves = (0..choice.visits.len()).filter(|&at| choice.visits[at] == most);
        choice.actions.get(best_of(moves, &scores)?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::halving;

    #[test]
    fn half_of_the_moves_are_left_after_each_phase() {
        // Four moves and eight simulations: each gets one visit, then the best two get two more each.
        assert_eq!(halving(4, 8), [0, 0, 0, 0, 1, 1, 2, 2]);
        assert_eq!(halving(1, 3), [0, 1, 2]);
        assert_eq!(halving(3, 2), [0, 0]);
        for (considered, simulations) in [(16, 32), (7, 50), (2, 9)] {
            assert_eq!(halving(considered, simulations).len(), simulations);
        }
    }
}
