//! Monte-Carlo tree search over any state machine (Browne et al. 2012; Finnsson & Björnsson 2008), with
//! players and a solver. [`Search`] holds a machine and its search tree; it runs for a while, reports its
//! candidate moves, continues, and advances with the match. [`MctsPlayer`] plays a match with a search,
//! [`InformationSetPlayer`] plays games of hidden information, [`RandomPlayer`] plays uniformly at random, and
//! [`Solver`] proves the goal that one role can guarantee. [`PlayerSpec`] reads players from texts such as
//! `mcts:iterations=200`.
//!
//! The crate depends on no particular game and no particular machine. A search with one thread, a seed and
//! a limit of iterations is exactly reproducible. A search with a time limit or several threads is not.
//! Memory is bounded by [`MctsOptions::memory`], and a run ends at the first of its [`Limits`]. Inside the
//! crate, a share is a goal divided by 100 (from 0 to 1), and the arms of a node are the legal moves of all
//! roles in its state.
//!
//! ```
//! use ggp_game::{Game, Interpreter, Role, StateMachine};
//! use ggp_search::{Halt, Limits, MctsOptions, Search};
//! use std::sync::Arc;
//!
//! // Two players alternate in taking one or two of four sticks; the player that takes the last stick wins.
//! let rules = "(role a) (role b) (init (heap 4)) (init (turn a)) (other a b) (other b a)
//!     (minus 4 1 3) (minus 4 2 2) (minus 3 1 2) (minus 3 2 1) (minus 2 1 1) (minus 2 2 0) (minus 1 1 0)
//!     (<= (legal ?r (take ?n)) (true (turn ?r)) (true (heap ?h)) (minus ?h ?n ?rest))
//!     (<= (legal ?r wait) (true (turn ?o)) (other ?r ?o))
//!     (<= (next (heap ?rest)) (does ?r (take ?n)) (true (heap ?h)) (minus ?h ?n ?rest))
//!     (<= (next (turn ?o)) (true (turn ?r)) (other ?r ?o))
//!     (<= terminal (true (heap 0)))
//!     (<= (goal ?r 100) (role ?r) (not (true (turn ?r)))) (<= (goal ?r 0) (true (turn ?r)))";
//! let game = Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap());
//! let mut search = Search::new(Interpreter::new(&game), &MctsOptions::default()).unwrap();
//! assert_eq!(search.run(&Limits::iterations(1000)), Halt::Decided);
//! let best = search.best_move(Role(0)).unwrap().unwrap();
//! assert_eq!(search.machine().move_text(best), "(take 1)");
//! assert_eq!(search.report(Role(0)).candidates[0].proven, Some(100));
//! ```

mod adagrad;
mod arm;
mod backpropagate;
mod batch;
mod batch_size;
mod beam;
mod bounds;
mod children;
mod choose;
mod conditions;
mod constants;
mod descend;
mod descent;
mod draw;
mod evaluation;
mod expand;
mod guidance;
mod halving;
mod history;
mod id;
mod interaction;
mod interrupt;
mod ismcts;
mod learn;
mod limits;
mod mast;
mod matrix_game;
mod minimax;
mod mixed;
mod node;
mod observation;
mod options;
mod parallel;
mod path;
mod player;
mod policy;
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
mod statistics;
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
#[doc(hidden)]
pub use constants::Constants;
pub use ismcts::{InformationSetOptions, InformationSetPlayer, UnsupportedOption};
pub use learn::{
    Feature, Generation, KNOWLEDGE, Knowledge, KnowledgeError, Learner, Lesson, SelfPlayMatch, Trial,
};
pub use limits::{Halt, Limits};
pub use options::{MctsOptions, RandomOptions};
pub use player::{MakeMachine, MctsPlayer};
pub use random::RandomPlayer;
pub use search::Search;
pub use solve::{Solution, Solver};
pub use spec::{PlayerSpec, SpecError, SpecOption};
pub use technique::{Technique, Techniques};
