//! What can go wrong while rules are evaluated.

/// What checks of the rules cannot exclude.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    /// More terms or tuples than the configured bound; the text names the rule.
    #[error("{0}")]
    TooLarge(String),
    /// Stopped from outside.
    #[error("interrupted")]
    Interrupted,
    /// A fact or move that can never occur in this game.
    #[error("`{0}` is not known in this game")]
    UnknownFact(String),
}
