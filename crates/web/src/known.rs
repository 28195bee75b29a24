//! A game that sessions play: its rules, learned once, and its board.

use crate::rules::Rules;
use ggp_game::{Fact, Game, Player};
use ggp_gdl::Diagnostic;
use ggp_view::{BoardModel, Labels, Sidecar};
use serde::Serialize;
use std::sync::{Arc, Mutex};

/// A game, ready to be played.
pub(crate) struct Known {
    pub(crate) name: String,
    /// Whether it is one of the catalogue.
    pub(crate) offered: bool,
    pub(crate) game: Arc<Game>,
    pub(crate) rules: Mutex<Box<dyn Rules>>,
    pub(crate) model: BoardModel,
    pub(crate) labels: Labels,
    /// How contents and sides are to be read by `ggp_view` where the board says nothing.
    pub(crate) hidden_information: bool,
    reasoner: Box<dyn Fn() -> ReasonerNote + Send + Sync>,
}

/// What a workshop has learned of a game.
pub struct Learned {
    /// The rules.
    pub rules: Box<dyn Rules>,
    /// The board that it is played on.
    pub model: BoardModel,
    /// Tells what searches evaluate the rules with; that may change while the game is played.
    pub reasoner: Box<dyn Fn() -> ReasonerNote + Send + Sync>,
}

/// What searches evaluate the rules of a game with.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ReasonerNote {
    /// In one word: `propnet`, or `datalog` for the interpreter, which searches far less.
    pub name: &'static str,
    /// Why it is not the fastest one.
    pub why: Option<String>,
}

/// What a server cannot do by itself: whoever starts it knows which machines and players there are.
pub trait Workshop: Send + Sync + 'static {
    /// All that is wrong with `kif`, and the game unless some of it is an error. `upload` tells
    /// rules of strangers from those of the catalogue.
    fn judge(&self, kif: &[u8], upload: bool) -> (Option<Game>, Vec<Diagnostic>);

    /// Learns the rules of a game, and the board that it is played on.
    ///
    /// # Errors
    /// Why it cannot be played.
    fn learn(&self, game: &Arc<Game>, sidecar: Option<&Sidecar>, upload: bool) -> Result<Learned, String>;

    /// The player at an address, for the match `id`.
    ///
    /// # Errors
    /// When that is no address.
    fn remote(&self, address: &str, id: &str) -> Result<Box<dyn Player>, String>;

    /// The game that begins in the state of `facts`, for players that learn a position only by
    /// rules.
    ///
    /// # Errors
    /// When the rules do not survive it.
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

    /// What searches evaluate the rules with by now.
    pub(crate) fn reasoner(&self) -> ReasonerNote {
        (self.reasoner)()
    }
}
