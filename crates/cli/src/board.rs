//! Drawing of states: on the board that is inferred from the rules, or as sorted facts if no board can be
//! inferred. A file `NAME.view.json` beside the rulesheet `NAME.kif` overrides the inferred board.

use crate::console;
use crate::rulesheet::built_in;
use ggp::board::{self, BoardModel, Position, Sidecar, Square, Style};
use ggp_game::{Fact, Knowledge, StateMachine};
use std::io::ErrorKind;
use std::path::Path;

/// Draws the states of one game.
#[derive(Debug)]
pub(crate) struct Board {
    model: BoardModel,
    is_view_usable: bool,
    colour: bool,
    ascii: bool,
    width: usize,
}

impl Board {
    /// The board of the game that `machine` evaluates. `rulesheet` is the file with the rules of this game. If the view
    /// beside it cannot be used, says why.
    pub(crate) fn infer<M: StateMachine>(machine: &mut M, rulesheet: &Path) -> Board {
        let mut is_view_usable = true;
        let given = view_of(machine, rulesheet).transpose().unwrap_or_else(|error| {
            is_view_usable = false;
            let flaw = console::printable(&flaw(rulesheet, &error));
            console::say(&format!("{flaw}; the board is inferred without it"));
            None
        });
        Board {
            model: given.unwrap_or_else(|| board::of_game(machine)),
            is_view_usable,
            colour: console::colours_stdout(),
            ascii: !speaks_utf8(),
            width: console::width_stdout().unwrap_or(80),
        }
    }

    /// Whether the view beside the rulesheet could be used. True if there is none.
    pub(crate) fn is_view_usable(&self) -> bool {
        self.is_view_usable
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

/// The board that the view beside the rulesheet describes. `None` if there is no such file.
///
/// # Errors
/// When the file cannot be read, or does not fit the game.
pub(crate) fn view_of<M: StateMachine>(
    machine: &mut M,
    rulesheet: &Path,
) -> Option<anyhow::Result<BoardModel>> {
    let text = match std::fs::read_to_string(rulesheet.with_extension("view.json")) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let view = built_in(rulesheet)?.sidecar?;
            Ok(String::from_utf8_lossy(&view).into_owned())
        }
        text => text,
    };
    Some(text.map_err(Into::into).and_then(|text| Ok(board::of_game_with(machine, &Sidecar::parse(&text)?)?)))
}

/// What is wrong with the view beside the rulesheet.
pub(crate) fn flaw(rulesheet: &Path, error: &anyhow::Error) -> String {
    format!("{}: {error:#}", rulesheet.with_extension("view.json").display())
}

/// Whether the locale supports UTF-8. Every locale except `C` and `POSIX` is assumed to support it.
fn speaks_utf8() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    locale.is_none_or(|locale| !matches!(locale.as_str(), "C" | "POSIX"))
}
