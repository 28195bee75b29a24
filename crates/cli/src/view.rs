//! `ggp view`: the board of a game, and a state on it.

use crate::board::Board;
use crate::console;
use crate::exit::Exit;
use crate::number::whole;
use crate::output;
use crate::reasoner::Reasoning;
use crate::record::{Origin, Record};
use crate::rulesheet::GameFile;
use ggp::{WithMachine, board};
use ggp_game::Playouts;
use std::io::Write;
use std::path::Path;

/// Draw a state on the board that the rules describe
///
/// The board is inferred from the rules and a few random playouts. A file NAME.view.json beside
/// NAME.kif overrides the inference; if it cannot be used, the exit code is 1. Draws the initial state,
/// or a state of a recorded match.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  ggp view games/breakthrough_holes.kif
  ggp view games/endgame.kif --from match.json --step 10
  ggp view games/hex.kif --random 20 --svg > hex.svg
  ggp view games/hex.kif --json | jq .model.kind")]
pub(crate) struct Arguments {
    #[command(flatten)]
    file: GameFile,
    #[command(flatten)]
    origin: Origin,
    /// Print one JSON object with the model of the board and the state on it
    #[arg(long)]
    json: bool,
    /// Print the drawing as an SVG document
    #[arg(long, conflicts_with = "json")]
    svg: bool,
    /// Draw the state after N random joint moves, or the last state if the game ends before
    #[arg(long, value_name = "N", conflicts_with = "from", value_parser = whole(0u32..))]
    random: Option<u32>,
    #[command(flatten)]
    reasoning: Reasoning,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let record = arguments.origin.read(&arguments.file.path)?;
    let game = arguments.file.load()?;
    let Arguments { json, svg, random, .. } = *arguments;
    let view = View { record, json, svg, random: random.unwrap_or(0), path: &arguments.file.path };
    arguments.reasoning.build_for_few_states(&game)?.with(view)
}

struct View<'a> {
    record: Option<Record>,
    json: bool,
    svg: bool,
    random: u32,
    path: &'a Path,
}

impl WithMachine for View<'_> {
    type Output = anyhow::Result<Exit>;

    fn run<M: Playouts + 'static>(self, mut machine: M) -> anyhow::Result<Exit> {
        let board = Board::infer(&mut machine, self.path);
        let (mut before, mut facts) = (Vec::new(), Vec::new());
        let mut last: &[String] = &[];
        if let Some(record) = &self.record {
            record.follow(&mut machine, |machine, _, state| {
                std::mem::swap(&mut before, &mut facts);
                Ok(machine.facts(state, &mut facts)?)
            })?;
            last = record.moves().last().unwrap_or_default();
        } else {
            let mut states = board::random_states(&mut machine, self.random, 0);
            let state = states.pop().map_or_else(|| machine.initial_state(), Ok)?;
            machine.facts(&state, &mut facts)?;
            if let Some(state) = states.last() {
                machine.facts(state, &mut before)?;
            }
        }
        let mut out = console::stdout();
        if self.json {
            let model = board.model();
            let position = model.place(&facts);
            let shown = serde_json::json!({ "model": model, "position": position });
            output::object(&mut out, output::VIEW, &shown)?;
        } else if self.svg {
            let model = board.model();
            let position = model.place(&facts);
            let earlier = if before.is_empty() { position.clone() } else { model.place(&before) };
            writeln!(out, "{}", model.svg(&position, &model.changes(&earlier, &position)))?;
        } else {
            write!(out, "{}", board.draw(&facts, &before, last))?;
        }
        out.flush()?;
        Ok(if board.is_view_usable() { Exit::Done } else { Exit::Findings })
    }
}
