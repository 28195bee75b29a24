//! Monte-Carlo tree search over any state machine (Browne et al. 2012; Finnsson & Björnsson 2008), with
//! players and a solver. [`Search`] holds a machine and its search tree; it can run for a while, report its
//! candidates, continue, and advance with the match. [`MctsPlayer`] plays a match with a search,
//! [`DeterminizingPlayer`] plays games of hidden information, [`RandomPlayer`] plays uniformly at random, and
//! [`Solver`] proves the value of a state for one role.
//!
//! The crate depends on no particular game and no particular machine. A seeded search of one thread that is
//! limited by iterations repeats exactly. Inside the crate a share is a goal divided by 100, so it lies
//! between 0 and 1; the arms of a node are the legal moves of all roles there.

mod alarm;
mod arm;
mod backpropagate;
mod batch;
mod batch_size;
mod beam;
mod bounds;
mod choose;
mod descend;
mod descent;
mod determinize;
mod dice;
mod expand;
mod history;
mod id;
mod learn;
mod limits;
mod mast;
mod node;
mod observation;
mod options;
mod parallel;
mod path;
mod player;
mod prior;
mod prove;
mod random;
mod recycle;
mod recycler;
mod regret;
mod report;
mod root;
mod run;
mod running_match;
mod search;
mod select;
mod setting;
mod simulate;
mod single_role;
mod solve;
mod spec;
mod subgames;
mod table;
mod technique;
#[cfg(test)]
mod test_games;
mod time_estimate;
mod tree;
mod turn;
mod variation;
mod worker;
mod worker_pool;

#[doc(hidden)]
pub use batch_size::BatchSizing;
pub use determinize::{DeterminizeOptions, DeterminizingPlayer, UnsupportedOption};
pub use limits::{Halt, Limits};
pub use options::{MctsOptions, RandomOptions};
pub use player::{MakeMachine, MctsPlayer};
pub use random::RandomPlayer;
pub use search::Search;
pub use solve::{Solution, Solver};
pub use spec::{PlayerSpec, SpecError, SpecOption};
pub use technique::{Technique, Techniques};
