//! Monte-Carlo tree search over any state machine (Browne et al. 2012; Finnsson & Björnsson 2008).
//!
//! [`Search`] is a machine with the tree that grows on it; it can be run for a while, asked what it
//! thinks, run on, and moved along as the match goes. [`MctsPlayer`] plays a match with one, and
//! [`RandomPlayer`] is what every player must beat. The crate never learns which game it plays or
//! which machine evaluates it.

mod alarm;
mod arm;
mod backpropagate;
mod batch;
mod beam;
mod belief;
mod choose;
mod crew;
mod descend;
mod descent;
mod determinize;
mod dice;
mod expand;
mod history;
mod limits;
mod line;
mod mast;
mod node;
mod options;
mod pace;
mod path;
mod player;
mod prove;
mod random;
mod recycle;
mod regret;
mod report;
mod search;
mod select;
mod setting;
mod simulate;
mod solve;
mod subgames;
mod table;
mod technique;
#[cfg(test)]
mod toys;
mod tree;
mod turn;
mod worker;

pub use batch::Batch;
pub use determinize::{DeterminizeOptions, DeterminizingPlayer, TreeOption};
pub use limits::{Halt, Limits};
pub use options::{MctsOptions, PlayerSpec, RandomOptions, SpecError, SpecOption};
pub use player::{MakeMachine, MctsPlayer};
pub use random::RandomPlayer;
pub use search::Search;
pub use solve::{Solution, Solver};
pub use technique::{Technique, Techniques};
