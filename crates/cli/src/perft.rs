//! `ggp perft`: counts of joint-move sequences, for the comparison of engines.

use crate::console;
use crate::exit::{Exit, UsageError};
use crate::number::whole;
use crate::progress::Progress;
use crate::reasoner::Reasoning;
use crate::record::{Origin, Record};
use crate::rulesheet::GameFile;
use ggp::WithMachine;
use ggp_game::{Playouts, perft};
use std::io::Write;

/// Count the sequences of joint moves, depth by depth
///
/// Prints a line `depth<TAB>count` for each depth, from 0. Sequences end at terminal states.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  ggp perft games/endgame.kif --depth 4
  ggp perft games/nim.kif --depth 3 --from match.json")]
pub(crate) struct Arguments {
    #[command(flatten)]
    file: GameFile,
    /// What stands where other programs take the depth
    #[arg(hide = true)]
    stray: Option<String>,
    /// The greatest depth, in joint moves
    #[arg(long, short, value_name = "N", default_value_t = 4, value_parser = whole(0u32..))]
    depth: u32,
    #[command(flatten)]
    origin: Origin,
    #[command(flatten)]
    reasoning: Reasoning,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    if let Some(stray) = &arguments.stray {
        let file = arguments.file.path.display();
        let depth = if stray.parse::<u32>().is_ok() { stray } else { "N" };
        let text = format!(
            "`{stray}` is not expected: the depth goes with --depth: `ggp perft {file} --depth {depth}`"
        );
        return Err(UsageError(text).into());
    }
    let progress = Progress::start("reading the rules");
    let record = arguments.origin.read(&arguments.file.path)?;
    let game = arguments.file.load()?;
    let reasoner = arguments.reasoning.build(&game)?;
    reasoner.with(Count { depth: arguments.depth, record, progress })
}

struct Count {
    depth: u32,
    record: Option<Record>,
    progress: Progress,
}

impl WithMachine for Count {
    type Output = anyhow::Result<Exit>;

    fn run<M: Playouts + 'static>(self, mut machine: M) -> anyhow::Result<Exit> {
        let state = match &self.record {
            None => machine.initial_state()?,
            Some(record) => record.follow(&mut machine, |_, _, _| Ok(()))?,
        };
        let mut out = console::stdout();
        // Count each depth separately, so that the lower depths appear early; the last depth dominates
        // the cost.
        for depth in 0..=self.depth {
            self.progress.set(format!("counting at depth {depth}"));
            let counts = perft(&mut machine, &state, depth)?;
            writeln!(out, "{depth}\t{}", counts[depth as usize])?;
            out.flush()?;
        }
        Ok(Exit::Done)
    }
}
