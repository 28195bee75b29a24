//! Errors of the evaluation of rules.

/// An evaluation error that static checks of the rules cannot exclude.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    /// An evaluation exceeded a bound; the text names the rule, if one rule is the cause.
    #[error("{0}")]
    TooLarge(String),
    /// The evaluation was interrupted from outside.
    #[error("interrupted")]
    Interrupted,
    /// The text of a fact or a move that can never occur in this game.
    #[error("`{0}` is not known in this game")]
    UnknownFact(String),
    /// The state was made by another machine, whose states have another form.
    #[error("the state was made by another state machine; convert it by its facts")]
    ForeignState,
}
