//! Games and facts from texts, for tests.

use crate::{BoardModel, infer};
use ggp_game::{Fact, Game};

/// The game of the rules `text`.
pub(crate) fn game(text: &str) -> Game {
    Game::new(ggp_gdl::parse(text.as_bytes()).expect("it parses")).expect("it is a game")
}

/// The board of the rules `text`, as the rules alone tell it.
pub(crate) fn model(text: &str) -> BoardModel {
    infer(&game(text), &[])
}

/// The facts with these canonical texts.
pub(crate) fn facts(texts: &[&str]) -> Vec<Fact> {
    texts.iter().map(|text| Fact::from_canonical(*text)).collect()
}
