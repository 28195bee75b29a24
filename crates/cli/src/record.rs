//! Reading of match records: the joint moves, from the ggp.org match format (JSON with `moves`) or from a
//! text with one joint move per line, such as `((move 1 2 1 3) noop)`.
//!
//! Invariant: [`Record::follow`] visits only states that legal moves reach. The first illegal move is an
//! error that names the step.

use crate::exit::UsageError;
use crate::number::whole;
use crate::rulesheet;
use anyhow::{Context, bail};
use ggp::Rulesheet;
use ggp_arena::{RecordError, SealedRecord, Step, is_sealed, read_steps};
use ggp_game::{Move, StateMachine};
use ggp_gdl::diagnostic::count;
use ggp_protocol::read_terms;
use std::path::{Path, PathBuf};

/// The options of every command that begins in a given state.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Origin {
    /// Begin with a state of the match in this record: the last one, or the one that --step selects
    #[arg(long, value_name = "RECORD")]
    from: Option<PathBuf>,
    /// Begin after the first N joint moves of the record; 0 for its initial state
    #[arg(long, value_name = "N", requires = "from", value_parser = whole(0usize..))]
    step: Option<usize>,
}

impl Origin {
    /// The joint moves that lead to the selected state. `None` if there is no `--from`: then the initial
    /// state is selected. `rules` is the file of the rules.
    ///
    /// # Errors
    /// When the record cannot be read or has too few joint moves, or when both the record and the rules come
    /// from standard input.
    pub(crate) fn read(&self, rules: &Path) -> anyhow::Result<Option<Record>> {
        self.text(rules)?.map(|text| self.cut(Record::parse(&text)?)).transpose()
    }

    /// As [`Origin::read`], but a sealed record is no error.
    ///
    /// # Errors
    /// As [`Origin::read`]; also when `--step` is given for a sealed record.
    pub(crate) fn read_saved(&self, rules: &Path) -> anyhow::Result<Option<Saved>> {
        let Some(text) = self.text(rules)? else { return Ok(None) };
        let content = String::from_utf8_lossy(&text.bytes);
        if !is_sealed(&content) {
            return Ok(Some(Saved::Open(self.cut(Record::parse(&text)?)?)));
        }
        if self.step.is_some() {
            let why = format!(
                "--step is not allowed: {} is sealed, and continues only where it stopped",
                text.name
            );
            return Err(UsageError(why).into());
        }
        Ok(Some(Saved::Sealed(SealedRecord::read(&content).with_context(|| text.name.clone())?)))
    }

    /// The text of the record. `None` if there is no `--from`.
    fn text(&self, rules: &Path) -> anyhow::Result<Option<Rulesheet>> {
        let Some(path) = &self.from else { return Ok(None) };
        if self.is_stdin() && rules == Path::new("-") {
            return Err(UsageError("standard input cannot be two things at once".to_owned()).into());
        }
        rulesheet::read_text(path).map(Some)
    }

    /// The first joint moves of `record`, as many as `--step` says.
    fn cut(&self, mut record: Record) -> anyhow::Result<Record> {
        if let Some(step) = self.step {
            let (name, length) = (&record.name, count(record.steps.len(), "joint move"));
            if step > record.steps.len() {
                return Err(UsageError(format!("--step {step} is too large: {name} has {length}")).into());
            }
            record.steps.truncate(step);
        }
        Ok(record)
    }

    /// Whether the record comes from standard input.
    pub(crate) fn is_stdin(&self) -> bool {
        self.from.as_deref() == Some(Path::new("-"))
    }
}

/// A saved match.
pub(crate) enum Saved {
    /// An ordinary record.
    Open(Record),
    /// The record of a running match, sealed against the people who play in it.
    Sealed(SealedRecord),
}

/// The joint moves of a match.
#[derive(Debug)]
pub(crate) struct Record {
    name: String,
    steps: Vec<Step>,
}

impl Record {
    /// Reads the record in the file `path`. The path `-` stands for standard input.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Record> {
        Record::parse(&rulesheet::read_text(path)?)
    }

    fn parse(text: &Rulesheet) -> anyhow::Result<Record> {
        let steps = read_steps(&String::from_utf8_lossy(&text.bytes));
        let problem = match steps {
            Err(RecordError::Sealed) => "cannot be shown",
            Err(RecordError::Format(_)) => "cannot be read",
            _ => "is not a record of a match",
        };
        let steps = steps.with_context(|| format!("{} {problem}", text.name))?;
        Ok(Record { name: text.name.clone(), steps })
    }

    /// The joint moves of `record`, which comes from a sealed record of the game `name`.
    pub(crate) fn opened(name: &str, record: &ggp_arena::Record) -> anyhow::Result<Record> {
        Ok(Record { name: name.to_owned(), steps: read_steps(&record.to_json())? })
    }

    /// Parses a joint move such as `((move 1 2 1 3) noop)`.
    pub(crate) fn parse_joint(text: &str) -> anyhow::Result<Vec<String>> {
        let one_line = text.replace(['\r', '\n'], " ");
        Ok(read_terms(&one_line)?)
    }

    /// The joint moves, as they are written in the record.
    pub(crate) fn moves(&self) -> impl ExactSizeIterator<Item = &[String]> {
        self.steps.iter().map(|step| step.moves.as_slice())
    }

    /// Plays the moves from the initial state and returns the last state. Calls `each` with every state and
    /// the number of joint moves before it.
    ///
    /// # Errors
    /// An illegal joint move, or an error of `each`.
    pub(crate) fn follow<M: StateMachine>(
        &self,
        machine: &mut M,
        mut each: impl FnMut(&mut M, usize, &M::State) -> anyhow::Result<()>,
    ) -> anyhow::Result<M::State> {
        let mut state = machine.initial_state()?;
        each(machine, 0, &state)?;
        for (number, step) in self.steps.iter().enumerate() {
            let joint = legal_joint(machine, &state, &step.moves)
                .with_context(|| format!("{}: step {} ({})", self.name, number + 1, step.place))?;
            state = machine.next_state(&state, &joint)?;
            each(machine, number + 1, &state)?;
        }
        Ok(state)
    }
}

/// The joint move that `texts` name. It must be legal in `state`, and `state` must not be terminal.
pub(crate) fn legal_joint<M: StateMachine>(
    machine: &mut M,
    state: &M::State,
    texts: &[String],
) -> anyhow::Result<Vec<Move>> {
    if machine.is_terminal(state)? {
        bail!("the game is over before this move");
    }
    Ok(machine.parse_legal_joint(state, texts)?)
}
