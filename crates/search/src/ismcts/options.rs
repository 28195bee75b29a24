//! The options of information-set search, and their conversion from those of a tree search.

use crate::limits::before_margin;
use crate::options::MctsOptions;
use crate::technique::Technique;
use ggp_game::{Clocks, Deadline};
use std::time::Duration;

/// The options of [`InformationSetPlayer`](crate::InformationSetPlayer).
#[derive(Clone, Debug, PartialEq)]
pub struct InformationSetOptions {
    /// The number of iterations for each move; `None` for as many as the clock allows. With 0 the player
    /// plays at random.
    pub iterations: Option<u64>,
    /// The memory bound of the information sets and the tree in bytes.
    pub memory: usize,
    /// The exploration constant of UCB1, for goals scaled to the range from 0 to 1.
    pub exploration: f64,
    /// The time reserved at the end of each clock for sending the answer.
    pub margin: Duration,
    /// The seed of the player's random numbers.
    pub seed: u64,
}

/// The error message for an option of tree search that the player for games of hidden information does not
/// support.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the option `{option}` does not apply to a game of hidden information: {why}; remove it \
     (iterations, memory, c, margin and seed apply)"
)]
pub struct UnsupportedOption {
    option: &'static str,
    why: &'static str,
}

impl Default for InformationSetOptions {
    fn default() -> InformationSetOptions {
        let MctsOptions { margin, exploration, .. } = MctsOptions::default();
        let memory = MctsOptions::default().memory_bytes();
        InformationSetOptions { iterations: None, memory, exploration, margin, seed: 0 }
    }
}

impl TryFrom<&MctsOptions> for InformationSetOptions {
    type Error = UnsupportedOption;

    /// Takes over those options of a tree search that also apply to an information-set search.
    ///
    /// # Errors
    /// [`UnsupportedOption`] if any other option differs from its default. The defaults are those of `mcts`
    /// if most techniques are enabled, otherwise those of `uct`.
    fn try_from(options: &MctsOptions) -> Result<InformationSetOptions, UnsupportedOption> {
        const NO_TECHNIQUE: &str =
            "the player there is an information-set search, which has no such technique";
        // The options do not store the player's name. If most techniques are enabled, the defaults are those
        // of `mcts`, otherwise those of `uct`.
        let on = Technique::ALL.into_iter().filter(|&one| options.has(one)).count();
        let usual = if 2 * on > Technique::ALL.len() { MctsOptions::default() } else { MctsOptions::uct() };
        let switched = Technique::ALL.into_iter().find(|&one| options.has(one) != usual.has(one));
        let refused = [
            (switched.map_or("", Technique::name), switched.is_some(), NO_TECHNIQUE),
            ("threads", options.threads != usual.threads, "the player there uses one thread"),
            ("prior_weight", options.prior_weight != usual.prior_weight, NO_TECHNIQUE),
        ];
        match refused.into_iter().find(|&(_, is_given, _)| is_given) {
            Some((option, _, why)) => Err(UnsupportedOption { option, why }),
            None => Ok(InformationSetOptions {
                iterations: options.iterations,
                memory: options.memory_bytes(),
                exploration: options.exploration,
                margin: options.margin,
                seed: options.seed(),
            }),
        }
    }
}

impl InformationSetOptions {
    /// The time by which the move must be chosen: `deadline` minus the margin. If there is neither a deadline
    /// nor a number of iterations, the deadline is the end of a play clock that starts now.
    pub(super) fn clock(&self, clocks: Clocks, deadline: Deadline) -> Deadline {
        let untimed = self.iterations.is_none() && deadline.0.is_none();
        before_margin(if untimed { Deadline::after(clocks.play) } else { deadline }, self.margin)
    }
}
