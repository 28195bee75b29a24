//! Game-theoretic analysis of games of imperfect information (GDL-II; Thielscher 2010). [`Unfolding`] is the
//! extensive form of a game: the tree of its histories with the information sets of each role. [`CfrPlus`]
//! computes an equilibrium of an unfolded game if the game has two roles and their goals have a constant sum.
//! The role `random` stands for chance and does not count as one of the two. [`best_play`] computes the best
//! play of one role against chance by a search over beliefs. [`write_efg`] writes the extensive form for
//! other programs.
//!
//! Roles have perfect recall: an information set of a role is a sequence of the role's own moves and
//! percepts. If the rules do not define `sees`, each role perceives the joint moves. All results are
//! deterministic. A [`Budget`] bounds memory and time.
//!
//! ```
//! use ggp_equilibrium::{Budget, CfrPlus, Unfolding};
//! use ggp_game::{Deadline, Game, Interpreter, StopToken};
//! use std::sync::Arc;
//!
//! // Matching pennies with a prize of 100 for equal heads and 50 for equal tails.
//! let rules = "(role even) (role odd) (side heads) (side tails) (<= (legal ?r ?s) (role ?r) (side ?s))
//!     (<= (next (same ?s)) (does even ?s) (does odd ?s)) (next over) (<= terminal (true over))
//!     (<= (goal even 100) (true (same heads))) (<= (goal odd 0) (true (same heads)))
//!     (<= (goal even 50) (true (same tails))) (<= (goal odd 50) (true (same tails)))
//!     (<= same (true (same ?s))) (<= (goal even 0) (not same)) (<= (goal odd 100) (not same))";
//! let game = Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap());
//! let stop = StopToken::new();
//! let budget = Budget { bytes: 1 << 20, deadline: Deadline::never(), stop: &stop };
//! let tree = Unfolding::new(&mut Interpreter::new(&game), &budget).unwrap();
//! let equilibrium = CfrPlus::new(&tree).unwrap().run(1e-6, &budget);
//! assert!((equilibrium.goals[0] - 100.0 / 3.0).abs() < 1e-3);
//! let behaviour: Vec<_> = equilibrium.behaviour(&tree).collect();
//! assert!((behaviour[0].moves[0].1 - 1.0 / 3.0).abs() < 1e-2, "even plays heads in a third of all matches");
//! ```

mod belief;
mod best_response;
mod cfr;
mod gambit;
mod history;
mod strategy;
mod unfold;

pub use belief::{BeliefError, BestPlay, PlannedMove, best_play};
pub use cfr::{CfrPlus, NotConstantSum};
pub use gambit::write_efg;
pub use strategy::{Behaviour, Equilibrium};
pub use unfold::{UnfoldError, Unfolding};

use ggp_game::{Deadline, StopToken};

/// The limits of a computation.
#[derive(Clone, Copy, Debug)]
pub struct Budget<'a> {
    /// The approximate maximum number of bytes.
    pub bytes: usize,
    /// The latest time at which the computation ends.
    pub deadline: Deadline,
    /// A flag that another thread can set to end the computation early.
    pub stop: &'a StopToken,
}
