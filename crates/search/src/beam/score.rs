//! The score of a state in the beam search. Pruning keeps the states with the highest scores.

use ggp_game::rng::Sequence;

/// The score weights of each round of the beam search. The rounds go through this list and then start again
/// at its beginning. They vary the weights because no weights suit every game.
const SCORE_WEIGHTS: [ScoreWeights; 4] = [
    ScoreWeights { noise: 0.001, mobility: 0.0 },
    ScoreWeights { noise: 0.001, mobility: 1.0 },
    ScoreWeights { noise: 0.03, mobility: 0.0 },
    ScoreWeights { noise: 0.3, mobility: 0.3 },
];

/// The weight of a state's present goal value, relative to the weight of its nearness to the best goal.
const GOAL_WEIGHT: f32 = 0.5;

/// The weights of a score's terms, relative to the weight of the nearness to the best goal.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScoreWeights {
    /// The weight of a random number from 0 to 1.
    noise: f32,
    /// The weight of mobility, a term that grows with the number of legal moves. In constraint puzzles, many
    /// legal moves suggest few mistakes.
    pub(super) mobility: f32,
}

impl ScoreWeights {
    /// The weights of the round with the index `round`.
    pub(super) fn of_round(round: usize) -> ScoreWeights {
        SCORE_WEIGHTS[round % SCORE_WEIGHTS.len()]
    }

    /// The score of a state without the term for mobility. `nearness` estimates how near the state is to the goal,
    /// from 0 to 1, and `share` is its present goal divided by 100.
    pub(super) fn of_goal(self, nearness: f32, share: f32, random: &mut Sequence) -> f32 {
        nearness + GOAL_WEIGHT * share + self.noise * random.between(0.0..1.0) as f32
    }

    /// The term for mobility in the score of a state with `moves` legal moves. `branching` is the
    /// approximate number of new successors of a state.
    pub(super) fn of_moves(self, moves: usize, branching: usize) -> f32 {
        let moves = moves as f32;
        self.mobility * moves / (moves + branching as f32)
    }
}
