//! Drawing of states: on the board that is inferred from the rules, or as sorted facts if no board can be
//! inferred. A file `NAME.view.json` beside the rulesheet `NAME.kif` overrides the inferred board.

use crate::console;
use ggp::board::{self, BoardModel, Position, Sidecar, Square, Style};
use ggp_game::{Fact, Knowledge, StateMachine};
use std::path::Path;

/// Draws the states of one game.
#[derive(Debug)]
pub(crate) struct Board {
    model: BoardModel,
    colour: bool,
    ascii: bool,
    width: usize,
}

impl Board {
    /// The board of the game that `machine` evaluates. `rulesheet` is the file with the rules of this game.
    pub(crate) fn infer<M: StateMachine>(machine: &mut M, rulesheet: &Path) -> Board {
        let given = read_sidecar(rulesheet);
        let given = given.map(|sidecar| anyhow::Ok(board::of_game_with(machine, &sidecar?)?)).transpose();
        let given = given.unwrap_or_else(|error| {
            let file = rulesheet.with_extension("view.json");
            console::say(&format!("{}: {error:#}; the board is inferred without it", file.display()));
            None
        });
        let width =
            terminal_size::terminal_size_of(std::io::stdout()).map_or(80, |(width, _)| width.0.into());
        Board {
            model: given.unwrap_or_else(|| board::of_game(machine)),
            colour: console::colours_stdout(),
            ascii: !speaks_utf8(),
            width,
        }
    }

    /// The model of the board.
    pub(crate) fn model(&self) -> &BoardModel {
        &self.model
    }

    /// A drawing of the state with the facts `facts`, in lines of text. `moves` is the joint move that led to
    /// this state from the state with the facts `before`. The squares that the joint move names are marked.
    pub(crate) fn draw(&self, facts: &[Fact], before: &[Fact], moves: &[String]) -> String {
        let position: Position = self.model.place(facts);
        let earlier = self.model.place(before);
        let last: Vec<_> =
            moves.iter().flat_map(|mv| self.model.gesture(mv, &earlier).squares().to_vec()).collect();
        self.model.draw(&position, self.style(&last))
    }

    /// A drawing of what a role knows of the state, in lines of text: the certain facts, and the possible
    /// facts with their probabilities.
    pub(crate) fn draw_known(&self, knowledge: &Knowledge) -> String {
        let position = self.model.place_known(&knowledge.certain, &knowledge.possible);
        self.model.draw(&position, self.style(&[]))
    }

    fn style<'a>(&self, last: &'a [Square]) -> Style<'a> {
        Style { colour: self.colour, ascii: self.ascii, width: self.width, last }
    }
}

/// Reads and parses the view file beside the rulesheet. `None` if there is no such file, or if it cannot be
/// read.
fn read_sidecar(rulesheet: &Path) -> Option<anyhow::Result<Sidecar>> {
    let text = std::fs::read(rulesheet.with_extension("view.json")).ok()?;
    Some(serde_json::from_slice(&text).map_err(Into::into))
}

/// Whether the locale supports UTF-8. Every locale except `C` and `POSIX` is assumed to support it.
fn speaks_utf8() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    locale.is_none_or(|locale| !matches!(locale.as_str(), "C" | "POSIX"))
}
