//! Drawing of states: on the board inferred from the rules, or as sorted facts if there is none. A file
//! `NAME.view.json` beside the rulesheet `NAME.kif` overrides the inferred board.

use crate::console;
use ggp_game::{Fact, StateMachine, rng};
use ggp_view::{BoardModel, Position, Sidecar, Style, infer, infer_with};
use std::path::Path;

/// Number of playouts, and of states of each, that the board is inferred from.
const SAMPLE_PLAYOUTS: u64 = 4;
const SAMPLE_STEPS: u32 = 24;

/// Time limit for collecting these states.
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
    /// The board of the game of `machine`, whose rules are in the file `rulesheet`.
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

    /// The model of the board.
    pub(crate) fn model(&self) -> &BoardModel {
        &self.model
    }

    /// `facts` as lines of text. `moves` is the joint move that led here from the state `before`; its
    /// squares are marked.
    pub(crate) fn draw(&self, facts: &[Fact], before: &[Fact], moves: &[String]) -> String {
        let position: Position = self.model.place(facts);
        let earlier = self.model.place(before);
        let last: Vec<_> =
            moves.iter().flat_map(|mv| self.model.gesture(mv, &earlier).squares().to_vec()).collect();
        let style = Style { colour: self.colour, ascii: self.ascii, width: self.width, last: &last };
        self.model.draw(&position, style)
    }
}

/// The board of the game of `machine`, as `sidecar` describes it, or inferred if there is none that fits
/// the game.
pub(crate) fn board_of<M: StateMachine>(machine: &mut M, sidecar: Option<&Sidecar>) -> BoardModel {
    let samples = sample(machine);
    let game = machine.game();
    let given = sidecar.and_then(|sidecar| infer_with(game, &samples, sidecar).ok());
    given.unwrap_or_else(|| infer(game, &samples))
}

/// The view file beside the rulesheet; `None` if it cannot be read.
fn read_sidecar(rulesheet: &Path) -> Option<anyhow::Result<Sidecar>> {
    let text = std::fs::read(rulesheet.with_extension("view.json")).ok()?;
    Some(serde_json::from_slice(&text).map_err(Into::into))
}

/// The states of a few random playouts. Stops at the first evaluation error, which the caller meets again
/// later.
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

/// Whether the locale supports UTF-8, which is assumed unless it is `C` or `POSIX`.
fn speaks_utf8() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    locale.is_none_or(|locale| !matches!(locale.as_str(), "C" | "POSIX"))
}
