//! States as a person sees them: on the board that was inferred from the rules, or as sorted facts
//! where none was. A file `NAME.view.json` beside the rulesheet `NAME.kif` says better.

use crate::console;
use ggp_game::{Fact, StateMachine, rng};
use ggp_view::{BoardModel, Position, Sidecar, Style, infer, infer_with};
use std::path::Path;

/// Playouts, and states of each, that are looked at to infer the board.
const SAMPLE_PLAYOUTS: u64 = 4;
const SAMPLE_STEPS: u32 = 24;

/// Looking at samples ends after this, however slow the rules are.
const SAMPLE_TIME: std::time::Duration = std::time::Duration::from_millis(500);

/// Draws the states of one game.
#[derive(Debug)]
pub(crate) struct Board {
    model: BoardModel,
    colour: bool,
    ascii: bool,
    width: usize,
}

impl Board {
    /// The board of the game that `machine` plays, whose rules are in the file `rulesheet`.
    pub(crate) fn infer<M: StateMachine>(machine: &mut M, rulesheet: &Path) -> Board {
        let samples = sample(machine);
        let game = machine.game();
        let given = read_sidecar(rulesheet)
            .transpose()
            .and_then(|sidecar| sidecar.map(|sidecar| Ok(infer_with(game, &samples, &sidecar)?)).transpose());
        let model = given.unwrap_or_else(|error| {
            let file = rulesheet.with_extension("view.json");
            console::say(&format!("{}: {error:#}; the board is inferred without it", file.display()));
            None
        });
        let width =
            terminal_size::terminal_size_of(std::io::stdout()).map_or(80, |(width, _)| width.0.into());
        Board {
            model: model.unwrap_or_else(|| infer(game, &samples)),
            colour: console::colours_stdout(),
            ascii: !speaks_utf8(),
            width,
        }
    }

    /// What was inferred.
    pub(crate) fn model(&self) -> &BoardModel {
        &self.model
    }

    /// `facts` as lines of text; `moves` were made on the way there, from the state of `before`.
    pub(crate) fn draw(&self, facts: &[Fact], before: &[Fact], moves: &[String]) -> String {
        let position: Position = self.model.place(facts);
        let earlier = self.model.place(before);
        let last: Vec<_> =
            moves.iter().flat_map(|mv| self.model.gesture(mv, &earlier).squares().to_vec()).collect();
        let style = Style { colour: self.colour, ascii: self.ascii, width: self.width, last: &last };
        self.model.draw(&position, style)
    }
}

/// The board of the game that `machine` plays, as `sidecar` says, if it does and fits the game.
pub(crate) fn board_of<M: StateMachine>(machine: &mut M, sidecar: Option<&Sidecar>) -> BoardModel {
    let samples = sample(machine);
    let game = machine.game();
    let given = sidecar.and_then(|sidecar| infer_with(game, &samples, sidecar).ok());
    given.unwrap_or_else(|| infer(game, &samples))
}

/// What is said about the board beside the rulesheet, if anything is.
fn read_sidecar(rulesheet: &Path) -> Option<anyhow::Result<Sidecar>> {
    let text = std::fs::read(rulesheet.with_extension("view.json")).ok()?;
    Some(serde_json::from_slice(&text).map_err(Into::into))
}

/// States of a few random playouts. Rules that cannot be evaluated give none: whoever plays next
/// will say so.
fn sample<M: StateMachine>(machine: &mut M) -> Vec<Vec<Fact>> {
    let began = std::time::Instant::now();
    let mut states = Vec::new();
    for playout in 0..SAMPLE_PLAYOUTS {
        let stream = rng::Stream::new(0, playout);
        let Ok(mut state) = machine.initial_state() else { return states };
        for step in 0..SAMPLE_STEPS {
            let mut facts = Vec::new();
            if began.elapsed() > SAMPLE_TIME || machine.facts(&state, &mut facts).is_err() {
                return states;
            }
            states.push(facts);
            let Some(next) = random_step(machine, &state, stream, step) else { break };
            state = next;
        }
    }
    states
}

fn random_step<M: StateMachine>(
    machine: &mut M,
    state: &M::State,
    stream: rng::Stream,
    step: u32,
) -> Option<M::State> {
    if machine.is_terminal(state).ok()? {
        return None;
    }
    let roles = machine.game().roles();
    let mut joint = Vec::new();
    let mut legal = Vec::new();
    for role in roles {
        machine.legal_moves(state, role, &mut legal).ok()?;
        if legal.is_empty() {
            return None;
        }
        joint.push(legal[stream.below(step, role, legal.len() as u32) as usize]);
    }
    machine.next_state(state, &joint).ok()
}

/// Whether the terminal's locale can show more than ASCII; also where none is set.
fn speaks_utf8() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    locale.is_none_or(|locale| !matches!(locale.as_str(), "C" | "POSIX"))
}
