//! Sizes of a program after each step of its compilation.

use serde::{Deserialize, Serialize};

/// The number of gates of one program after each compilation step, including the gates of the goals. The
/// counts before `mapped` are in two-input gates, the other counts in gates of two or three inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Steps {
    /// The count of gates that the terminal condition, the goals, the legal moves and the next values of the
    /// relevant fluents need, after constant fluents and fluents that the phase determines have been replaced
    /// by their values.
    pub needed: usize,
    /// The count after each move set has been replaced by a disjunction of single moves.
    pub lowered: usize,
    /// The count after each conjunction whose only reader is a conjunction has been merged into its reader.
    pub flattened: usize,
    /// The count after common literals have been factored out.
    pub factored: usize,
    /// The count after common pairs of inputs have been shared.
    pub shared: usize,
    /// The count of gates of two or three inputs. A gate that two sections of a step need may count twice.
    pub mapped: usize,
    /// The count of all gates that run: the mapped gates, and the gates that copy bits to their target rows.
    pub scheduled: usize,
}
