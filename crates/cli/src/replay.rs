//! `ggp replay`: the states of a recorded match, as text or as JSON.

use crate::board::Board;
use crate::console;
use crate::exit::{Exit, UsageError};
use crate::narrate;
use crate::reasoner::Reasoning;
use crate::record::Record;
use crate::rulesheet::GameFile;
use ggp::WithMachine;
use ggp_game::{Goals, Playouts, StateMachine};
use serde::Serialize;
use serde_json::{Map, Value};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Show every state of a recorded match
///
/// RECORD is a match in the ggp.org JSON format, or a text with one joint move per line, as
/// ((move 1 2 1 3) noop). An illegal move stops with an error that names the step.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  ggp replay games/nim.kif match.json
  ggp replay games/nim.kif moves.txt --json | jq .goals")]
pub(crate) struct Arguments {
    #[command(flatten)]
    file: GameFile,
    /// The record; `-` is standard input
    record: PathBuf,
    /// Print one JSON object for each state, including the first and the last
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reasoning: Reasoning,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    if arguments.record == Path::new("-") && arguments.file.path == Path::new("-") {
        return Err(UsageError("standard input cannot be two things at once".to_owned()).into());
    }
    let game = arguments.file.load()?;
    let record = Record::read(&arguments.record)?;
    arguments.reasoning.build_for_few_states(&game)?.with(Replay {
        record,
        json: arguments.json,
        path: &arguments.file.path,
    })
}

struct Replay<'a> {
    record: Record,
    json: bool,
    path: &'a Path,
}

impl WithMachine for Replay<'_> {
    type Output = anyhow::Result<Exit>;

    fn run<M: Playouts + 'static>(self, mut machine: M) -> anyhow::Result<Exit> {
        let mut out = console::stdout();
        let mut moves = self.record.moves();
        let board = (!self.json).then(|| Board::infer(&mut machine, self.path));
        let mut before = Vec::new();
        let followed = self.record.follow(&mut machine, |machine, step, state| {
            let shown = Shown::of(machine, step, state)?;
            if let Some(board) = &board {
                let made = if step == 0 { None } else { moves.next() };
                let mut facts = Vec::new();
                machine.facts(state, &mut facts)?;
                let drawn = board.draw(&facts, &before, made.unwrap_or_default());
                before = facts;
                shown.write(made, &drawn, &mut out)?;
            } else {
                serde_json::to_writer(&mut out, &shown)?;
                writeln!(out)?;
            }
            Ok(())
        });
        // Print the states before an illegal move.
        out.flush()?;
        followed?;
        Ok(Exit::Done)
    }
}

/// A state with its legal moves and goals.
#[derive(Debug, Serialize)]
pub(crate) struct Shown {
    step: usize,
    state: Vec<String>,
    legal: Map<String, Value>,
    terminal: bool,
    /// The goal of each role. Null if the rules give the role no goal or several goals.
    goals: Map<String, Value>,
    /// The goals that the rules give each role: one goal, none, or several.
    #[serde(skip)]
    scores: Vec<Goals>,
}

impl Shown {
    /// The description of `state`, which the match reached after `step` joint moves.
    fn of<M: StateMachine>(machine: &mut M, step: usize, state: &M::State) -> anyhow::Result<Shown> {
        let game = machine.game().clone();
        let mut facts = Vec::new();
        machine.facts(state, &mut facts)?;
        let mut goals = vec![Goals::None; game.role_count()];
        machine.goals(state, &mut goals)?;
        let mut shown = Shown {
            step,
            state: facts.iter().map(ToString::to_string).collect(),
            legal: Map::new(),
            terminal: machine.is_terminal(state)?,
            goals: Map::new(),
            scores: goals,
        };
        let mut moves = Vec::new();
        for role in game.roles() {
            machine.legal_moves(state, role, &mut moves)?;
            let texts = moves.iter().map(|&mv| Value::from(machine.move_text(mv))).collect();
            let name = game.role_name(role);
            shown.legal.insert(name.to_owned(), texts);
            let goal = shown.scores[role.index()].only();
            let goal = goal.map_or(Value::Null, |goal| Value::from(goal.value()));
            shown.goals.insert(name.to_owned(), goal);
        }
        Ok(shown)
    }

    /// Writes the state as text. `made` is the joint move that led to the state, and `drawn` is the drawing
    /// of the state.
    fn write(&self, made: Option<&[String]>, drawn: &str, out: &mut impl Write) -> std::io::Result<()> {
        if let Some(made) = made {
            let roles = self.legal.keys();
            let moves: Vec<String> = roles.zip(made).map(|(role, mv)| format!("{role} {mv}")).collect();
            writeln!(out, "{:>3}. {}\n", self.step, console::printable(&moves.join("   ")))?;
        }
        writeln!(out, "{drawn}")?;
        if self.terminal {
            let scores = self.goals.keys().map(String::as_str).zip(&self.scores);
            writeln!(out, "{}", narrate::ending(self.step, scores))?;
        }
        Ok(())
    }
}
