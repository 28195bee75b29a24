//! A game that sessions play: its rules, prepared once and shared by its sessions, and its board.

use crate::rules::Rules;
use ggp_game::{Fact, Game, Player};
use ggp_gdl::Diagnostic;
use ggp_view::{BoardModel, Labels, Sidecar};
use serde::Serialize;
use std::sync::{Arc, Mutex};

/// A game that is prepared for play.
pub(crate) struct Known {
    pub(crate) name: String,
    /// Whether the game is in the catalogue; otherwise its rules are uploaded.
    pub(crate) offered: bool,
    pub(crate) game: Arc<Game>,
    pub(crate) rules: Mutex<Box<dyn Rules>>,
    pub(crate) model: BoardModel,
    pub(crate) labels: Labels,
    /// Whether the game has percepts (GDL-II).
    pub(crate) hidden_information: bool,
    reasoner: Box<dyn Fn() -> ReasonerNote + Send + Sync>,
}

/// The result of [`Services::learn`].
pub struct Learned {
    /// The rules.
    pub rules: Box<dyn Rules>,
    /// The board of the game.
    pub model: BoardModel,
    /// Returns what searches evaluate the rules with; that may change during play.
    pub reasoner: Box<dyn Fn() -> ReasonerNote + Send + Sync>,
}

/// The reasoner with which searches evaluate the rules of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ReasonerNote {
    /// One word: `propnet`, or `datalog` for the interpreter, which searches far fewer playouts.
    pub name: &'static str,
    /// Why searches do not use the requested reasoner; `None` if they do.
    pub why: Option<String>,
}

/// `Services`: the services of the server's caller, which checks rules, builds state machines, and connects
/// to remote players.
pub trait Services: Send + Sync + 'static {
    /// The findings about `kif`, and the game unless a finding is an error. `upload` tells whether the
    /// rules come from a visitor or from the catalogue.
    fn judge(&self, kif: &[u8], upload: bool) -> (Option<Game>, Vec<Diagnostic>);

    /// Prepares the rules and the board of a game.
    ///
    /// # Errors
    /// The reason why the game cannot be played.
    fn learn(&self, game: &Arc<Game>, sidecar: Option<&Sidecar>, upload: bool) -> Result<Learned, String>;

    /// The player at an address, for the match `id`.
    ///
    /// # Errors
    /// When `address` is not a valid address.
    fn remote(&self, address: &str, id: &str) -> Result<Box<dyn Player>, String>;

    /// The game whose initial state consists of `facts`. Remote players receive a position only in the
    /// form of rules.
    ///
    /// # Errors
    /// When the position cannot be expressed as rules.
    fn game_from(&self, game: &Game, facts: &[Fact]) -> Result<Arc<Game>, String> {
        let rules = ggp_arena::rules_from(game, facts);
        let (game, _) = self.judge(&rules, true);
        game.map(Arc::new).ok_or_else(|| "the position cannot be written as rules".to_owned())
    }
}

impl Known {
    pub(crate) fn new(
        name: String,
        offered: bool,
        game: Arc<Game>,
        Learned { rules, model, reasoner }: Learned,
    ) -> Known {
        let hidden_information = game.has_percepts();
        let labels = Labels::new(&model, false);
        Known { name, offered, game, rules: Mutex::new(rules), model, labels, hidden_information, reasoner }
    }

    /// The reasoner that searches use at present.
    pub(crate) fn reasoner(&self) -> ReasonerNote {
        (self.reasoner)()
    }
}
