//! Errors of the evaluation of rules.

/// An evaluation error that static checks of the rules cannot exclude.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    /// An evaluation exceeded a bound. The text states the bound and, if one rule is the cause, names that
    /// rule.
    #[error("{0}")]
    TooLarge(String),
    /// A stop flag interrupted the evaluation.
    #[error("interrupted")]
    Interrupted,
    /// A fact or a move, given as text, can never occur in this game.
    #[error("`{0}` is not known in this game")]
    UnknownFact(String),
    /// Two facts of a state never hold together in a match, and the machine relies on that. The interpreter
    /// evaluates such a state.
    #[error(
        "`{0}` and `{1}` never hold together in a match of this game; the interpreter evaluates such a state"
    )]
    NeverTogether(String, String),
    /// The state was made by another machine than the one that should evaluate it, and the states of the two
    /// machines have different forms.
    #[error("the state was made by another state machine; convert it by its facts")]
    ForeignState,
}
