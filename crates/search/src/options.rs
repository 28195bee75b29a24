//! The options of tree search and of the random player.

use crate::batch_size::BatchSizing;
use crate::constants::Constants;
use crate::select::EXPLORATION;
use crate::technique::{Technique, Techniques};
use std::path::PathBuf;
use std::time::Duration;

/// The options of [`crate::MctsPlayer`] and [`crate::Search`].
///
/// ```
/// use ggp_search::{MctsOptions, Technique};
///
/// let options = MctsOptions { iterations: Some(500), seed: Some(1), ..MctsOptions::default() };
/// assert!(options.has(Technique::Solver));
/// assert!(!MctsOptions::uct().has(Technique::Solver));
/// assert_eq!(options.memory_bytes(), 512 << 20);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MctsOptions {
    /// The number of iterations for each move; `None` for as many as the clock allows. The deadline applies
    /// in both cases.
    pub iterations: Option<u64>,
    /// The memory bound of the tree in MiB.
    pub memory: usize,
    /// The exploration constant of UCT, for goals scaled to the range from 0 to 1.
    pub exploration: f64,
    /// The seed of the random numbers; `None` leaves its choice to the code that creates the player.
    pub seed: Option<u64>,
    /// The time reserved at the end of each clock for sending the answer.
    pub margin: Duration,
    /// The size of the batches of playouts. Only tests and [`MctsOptions::uct`] change it.
    #[doc(hidden)]
    pub batch: BatchSizing,
    /// The number of threads that share the tree, from 1 to 64. The search uses only one thread in games of
    /// one role, and on machines whose clones cannot exchange states and moves
    /// ([`ggp_game::Batches::clones_agree`]). With more than one thread, equal seeds do not give equal
    /// searches.
    pub threads: usize,
    /// The weight of an arm's prior (with [`Technique::History`]): the prior counts like this many visits of
    /// the arm. `None` fits a linear model of the prior to the tree: this weight, and the slope and offset
    /// that predict an arm's mean from the history of its move. A given weight also fixes the slope at 1 and
    /// the offset at 0.
    pub prior_weight: Option<f64>,
    /// The file with what was learnt of games ([`Knowledge`](crate::Knowledge)). With [`Technique::Learn`], a player uses
    /// its lesson of the game, goes on learning for a part of the start clock and from its own searches, and writes what it
    /// has learnt when the match ends.
    pub knowledge: Option<PathBuf>,
    /// The number of descents of self-play at the start of a match. `None` for a part of the start clock if the clock has 15
    /// seconds or more, or 5 with a file of knowledge, and moves are not limited by iterations; else for none.
    pub self_play: Option<u64>,
    /// The techniques used beyond plain UCT.
    pub techniques: Techniques,
    /// The constants that no player sets. Only measurements change them.
    #[doc(hidden)]
    pub constants: Box<Constants>,
}

/// The options of [`crate::RandomPlayer`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RandomOptions {
    /// The seed of the random numbers; `None` leaves its choice to the code that creates the player.
    pub seed: Option<u64>,
}

impl Default for MctsOptions {
    fn default() -> MctsOptions {
        MctsOptions {
            iterations: None,
            memory: 512,
            exploration: EXPLORATION,
            seed: None,
            margin: Duration::from_millis(10),
            batch: BatchSizing::default(),
            threads: 1,
            prior_weight: None,
            knowledge: None,
            self_play: None,
            techniques: Techniques::all(),
            constants: Box::default(),
        }
    }
}

impl MctsOptions {
    /// Plain UCT (Kocsis & Szepesvári 2006): a tree, one playout for each iteration, and no further
    /// technique. It is the baseline of all measurements.
    pub fn uct() -> MctsOptions {
        MctsOptions { techniques: Techniques::none(), batch: BatchSizing::single(), ..MctsOptions::default() }
    }

    /// Whether `technique` is enabled.
    pub fn has(&self, technique: Technique) -> bool {
        self.techniques.has(technique)
    }

    /// The seed; 0 if no seed is set.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(0)
    }

    /// The memory bound in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.memory.saturating_mul(1 << 20)
    }
}
