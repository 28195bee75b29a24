//! The reasons why a game has no compiled evaluator.

use ggp_game::EvalError;

/// The reason why the compiled evaluator does not take a game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// The terms of a kind (fluents or moves) have an argument whose values are not bounded.
    #[error("its {0} are not known in advance")]
    Unbounded(String),
    /// There are too many possible terms of a kind (fluents or moves), or their texts are too long.
    #[error("it has too many possible {0}, or too long ones")]
    TooMany(String),
    /// A rule cannot be ordered so that each condition has the values that it needs. Holds the relation's name.
    #[error("a rule for `{0}` cannot be evaluated on demand")]
    Unordered(String),
    /// A trial evaluation failed.
    #[error("a trial playout failed: {0}")]
    Trial(EvalError),
    /// A stop flag interrupted the build.
    #[error("compiling its rules was interrupted")]
    Interrupted,
}
