//! The options of the determinizing player, and their conversion from those of a tree search.

use crate::limits::before_margin;
use crate::options::MctsOptions;
use crate::technique::Technique;
use ggp_game::{Clocks, Deadline};
use std::time::Duration;

/// The options of [`DeterminizingPlayer`](crate::DeterminizingPlayer).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeterminizeOptions {
    /// The number of iterations for each move; `None` for as many as the clock allows. With 0 the player
    /// plays at random.
    pub iterations: Option<u64>,
    /// The memory bound of the information set in bytes.
    pub memory: usize,
    /// The time reserved at the end of each clock for sending the answer.
    pub margin: Duration,
    /// The seed of the player's random numbers.
    pub seed: u64,
}

/// The error message for an option of tree search that the determinizing player does not support.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the option `{option}` does not apply to a game of hidden information: {why}; remove it \
     (iterations, memory, margin and seed apply)"
)]
pub struct UnsupportedOption {
    option: &'static str,
    why: &'static str,
}

impl Default for DeterminizeOptions {
    fn default() -> DeterminizeOptions {
        let MctsOptions { margin, .. } = MctsOptions::default();
        let memory = MctsOptions::default().memory_bytes();
        DeterminizeOptions { iterations: None, memory, margin, seed: 0 }
    }
}

impl TryFrom<&MctsOptions> for DeterminizeOptions {
    type Error = UnsupportedOption;

    /// Takes over those options of a tree search that also apply without a tree.
    ///
    /// # Errors
    /// [`UnsupportedOption`] if any other option differs from its default. The defaults are those of `mcts`
    /// if most techniques are enabled, otherwise those of `uct`.
    fn try_from(options: &MctsOptions) -> Result<DeterminizeOptions, UnsupportedOption> {
        const NO_TREE: &str = "the player there samples possible states and has no search tree";
        // The options do not store the player's name. If most techniques are enabled, the defaults are those
        // of `mcts`, otherwise those of `uct`.
        let on = Technique::ALL.into_iter().filter(|&one| options.has(one)).count();
        let usual = if 2 * on > Technique::ALL.len() { MctsOptions::default() } else { MctsOptions::uct() };
        let switched = Technique::ALL.into_iter().find(|&one| options.has(one) != usual.has(one));
        let refused = [
            (switched.map_or("", Technique::name), switched.is_some(), NO_TREE),
            ("c", options.exploration.total_cmp(&usual.exploration).is_ne(), NO_TREE),
            ("threads", options.threads != usual.threads, "the player there uses one thread"),
            ("prior_weight", options.prior_weight != usual.prior_weight, NO_TREE),
        ];
        match refused.into_iter().find(|&(_, is_given, _)| is_given) {
            Some((option, _, why)) => Err(UnsupportedOption { option, why }),
            None => Ok(DeterminizeOptions {
                iterations: options.iterations,
                memory: options.memory_bytes(),
                margin: options.margin,
                seed: options.seed(),
            }),
        }
    }
}

impl DeterminizeOptions {
    /// The time by which the move must be chosen: `deadline` minus the margin. If there is neither a deadline
    /// nor a number of iterations, the deadline is the end of a play clock that starts now.
    pub(super) fn clock(&self, clocks: Clocks, deadline: Deadline) -> Deadline {
        let untimed = self.iterations.is_none() && deadline.0.is_none();
        before_margin(if untimed { Deadline::after(clocks.play) } else { deadline }, self.margin)
    }
}
