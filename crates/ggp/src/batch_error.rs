//! The errors of a batch.

use ggp_game::EvalError;

/// An error of a [`Batch`](crate::Batch).
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BatchError {
    /// The batch has too many lanes, or none.
    #[error("{0}")]
    TooLarge(String),
    /// An action is not legal, or a role with a choice has none.
    #[error("lane {lane}: {}", illegal(role, *action, text.as_deref()))]
    Illegal {
        /// The lane.
        lane: usize,
        /// The name of the role.
        role: String,
        /// The action. Negative if it is missing.
        action: i32,
        /// The text of the move, if the action stands for one.
        text: Option<String>,
    },
    /// The batch has no network, which the call needs.
    #[error(
        "this game has no network, so its fluents and moves are not known beforehand: read facts of single states, \
         and legal moves as counts"
    )]
    NoNetwork,
    /// The roles see only their percepts, so no role could search from a state.
    #[error(
        "the roles of this game see only their percepts, and none knows the state that such a search begins in: a \
         player keeps the states that its role considers possible; `mcts` is one in matches, in an analysis, and as an \
         opponent"
    )]
    HiddenInformation,
    /// Opponents that search have not seen all steps of an episode.
    #[error(
        "lane {0}: the opponents have not seen all steps of this episode, and a search needs what its role has seen: \
         make every step with the same opponents"
    )]
    UnseenSteps(usize),
    /// The opponents cannot play this game.
    #[error("these opponents cannot play: {0}")]
    Opponents(String),
    /// The threads cannot be started.
    #[error("the threads cannot be started: {0}")]
    Threads(String),
    /// The rules cannot be evaluated.
    #[error(transparent)]
    Eval(#[from] EvalError),
}

fn illegal(role: &str, action: i32, text: Option<&str>) -> String {
    match text {
        _ if action < 0 => format!("{role} has a choice, so it needs an action"),
        Some(text) => format!("the action {action} of {role}, `{text}`, is not legal here"),
        None => format!("{role} has no action {action} here"),
    }
}
