//! The settings and the seats of a match.

use crate::fault::OnFault;
use crate::record::Record;
use ggp_game::{Clocks, Game, Player, Role};
use std::time::Duration;

/// The settings of one match.
#[derive(Clone, Debug)]
pub struct MatchSetup {
    /// The match id: a single word without blanks.
    pub id: String,
    /// The start clock and the play clock; [`Duration::MAX`] means no limit.
    pub clocks: Clocks,
    /// The grace time: an answer is still accepted this long after its clock has run out. The time account
    /// counts a move's time beyond the play clock as overshoot.
    pub grace: Duration,
    /// The least time that a player has to answer START, even if the start clock and the grace time are shorter. It
    /// lets programs start that are not running yet.
    pub start_patience: Duration,
    /// The policy for faults.
    pub on_fault: OnFault,
    /// The seed of the referee's own draws: replacement moves after a fault, and the moves of the role
    /// `random`.
    pub seed: u64,
    /// The opening: joint moves that the referee makes before it asks any player for a move. Each joint move
    /// is a list of move texts in role order.
    pub opening: Vec<Vec<String>>,
    /// Whether the players think at the same time, each on its own thread. If not, they are asked one after
    /// the other.
    pub parallel: bool,
    /// The maximum number of joint moves, including those of the opening. If the state after that many is not
    /// terminal, the match ends with [`crate::Ending::StepLimit`].
    pub max_steps: u32,
    /// The match record that the referee fills in during the match. It already holds the players' names and
    /// the other members that are known before the match. `None` if no record is wanted.
    pub record: Option<Record>,
}

impl MatchSetup {
    /// The settings of a match with this id and these clocks. The match has [`DEFAULT_GRACE`], no patience, the default
    /// [`OnFault`], seed 0, no opening and no record, and the players think one after the other.
    pub fn new(id: impl Into<String>, clocks: Clocks) -> MatchSetup {
        MatchSetup {
            id: id.into(),
            clocks,
            grace: DEFAULT_GRACE,
            start_patience: Duration::ZERO,
            on_fault: OnFault::default(),
            seed: 0,
            opening: Vec::new(),
            parallel: false,
            max_steps: ggp_game::MAX_STEPS,
            record: None,
        }
    }
}

/// The default grace time. It is half of the reference server's, since most players run on the same machine.
pub const DEFAULT_GRACE: Duration = Duration::from_millis(500);

/// The seat of a role in a match, with the player that sits in it. The seats of a match are in role order.
pub enum Seat {
    /// A player takes the role.
    Player(Box<dyn Player>),
    /// The role `random`: the referee draws its moves uniformly from the legal ones.
    Nature,
}

/// The name of chance among the players that a record names.
pub const NATURE: &str = "nature";

/// Whether `role` is the role `random`, whose moves the referee draws.
pub fn is_nature(game: &Game, role: Role) -> bool {
    game.nature() == Some(role)
}
