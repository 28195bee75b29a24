//! Reading of match records: the joint moves, from the ggp.org match format (JSON with `moves`) or from a
//! text with one joint move per line, as `((move 1 2 1 3) noop)`.
//!
//! Invariant: [`Record::follow`] visits only states that legal moves reach. The first illegal move is an
//! error that names the step.

use crate::exit::UsageError;
use crate::number::whole;
use crate::rulesheet::{self, count};
use anyhow::{Context, anyhow, bail};
use ggp_game::{Move, StateMachine};
use ggp_gdl::sexpr;
use std::path::{Path, PathBuf};

/// Where a command begins: the option of every command that is about a state.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Origin {
    /// Begin with a state of a recorded match: the last one, unless --step says which
    #[arg(long, value_name = "RECORD")]
    from: Option<PathBuf>,
    /// Begin after the first N joint moves of the record; 0 is its initial state
    #[arg(long, value_name = "N", requires = "from", value_parser = whole(0usize..))]
    step: Option<usize>,
}

impl Origin {
    /// The joint moves that lead to the selected state; `None` for the initial state of the rules in the
    /// file `rules`.
    ///
    /// # Errors
    /// When the record cannot be read, or has too few joint moves.
    pub(crate) fn read(&self, rules: &Path) -> anyhow::Result<Option<Record>> {
        let Some(path) = &self.from else { return Ok(None) };
        if self.is_stdin() && rules == Path::new("-") {
            return Err(UsageError("standard input cannot be two things at once".to_owned()).into());
        }
        let mut record = Record::read(path)?;
        if let Some(step) = self.step {
            let (name, length) = (&record.name, count(record.steps.len(), "joint move"));
            if step > record.steps.len() {
                return Err(UsageError(format!("--step {step} is too large: {name} has {length}")).into());
            }
            record.steps.truncate(step);
        }
        Ok(Some(record))
    }

    /// Whether the record comes from standard input.
    pub(crate) fn is_stdin(&self) -> bool {
        self.from.as_deref() == Some(Path::new("-"))
    }
}

/// The joint moves of a match.
#[derive(Debug)]
pub(crate) struct Record {
    name: String,
    steps: Vec<Step>,
}

/// A joint move, and its place in the file.
#[derive(Debug)]
struct Step {
    place: String,
    moves: Vec<String>,
}

/// The description of a record for errors.
const FORMS: &str = "JSON in the format of ggp.org, with the joint moves as `moves`, \
    or a text with one joint move a line, as ((move 1 2 1 3) noop)";

impl Record {
    /// Reads the file `path`; `-` is standard input.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Record> {
        let text = rulesheet::read(path)?;
        let is_json = text.bytes.trim_ascii_start().starts_with(b"{");
        let steps = if is_json { json_steps(&text.bytes) } else { some_text_steps(&text.bytes) };
        let steps = steps.with_context(|| format!("{} is not a record of a match", text.name))?;
        Ok(Record { name: text.name, steps })
    }

    /// Parses a joint move, as `((move 1 2 1 3) noop)`.
    pub(crate) fn parse_joint(text: &str) -> anyhow::Result<Vec<String>> {
        let one_line = text.replace(['\r', '\n'], " ");
        let mut steps = text_steps(one_line.as_bytes())?;
        steps.pop().map(|step| step.moves).ok_or_else(|| anyhow!("a joint move is wanted"))
    }

    /// The joint moves as written.
    pub(crate) fn moves(&self) -> impl ExactSizeIterator<Item = &[String]> {
        self.steps.iter().map(|step| step.moves.as_slice())
    }

    /// Plays the moves from the initial state and returns the last state. `each` gets the number of every
    /// state, from 0, and the state.
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

/// The joint move that `texts` name, if it is legal in `state` and the game is not over there.
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

fn json_steps(bytes: &[u8]) -> anyhow::Result<Vec<Step>> {
    #[derive(serde::Deserialize)]
    struct Match {
        moves: Vec<Vec<String>>,
    }
    let record: Match = serde_json::from_slice(bytes)?;
    let steps = record.moves.into_iter().enumerate();
    Ok(steps.map(|(i, moves)| Step { place: format!("moves[{i}]"), moves }).collect())
}

/// The joint moves of a text. A text without any is an error; only the JSON format can represent a match
/// without moves.
fn some_text_steps(bytes: &[u8]) -> anyhow::Result<Vec<Step>> {
    let steps = text_steps(bytes)?;
    if steps.is_empty() {
        bail!("it has no joint move; a record is {FORMS}");
    }
    Ok(steps)
}

fn text_steps(bytes: &[u8]) -> anyhow::Result<Vec<Step>> {
    let mut steps = Vec::new();
    for (number, line) in bytes.split(|&b| b == b'\n').enumerate() {
        let place = format!("line {}", number + 1);
        let tree = sexpr::read(line).with_context(|| place.clone())?;
        let mut roots = tree.roots();
        let Some(joint) = roots.next() else { continue };
        if roots.next().is_some() || !tree.is_list(joint) {
            bail!("{place}: a joint move is one list with a move for each role, as ((move 1 2) noop)");
        }
        // `from_utf8_lossy` loses nothing: the reader accepts words of valid UTF-8 only, and only a
        // comment could hold other bytes, but a list with a comment cannot end on the same line.
        let moves = tree.children(joint).map(|mv| String::from_utf8_lossy(tree.text(mv)).into_owned());
        steps.push(Step { moves: moves.collect(), place });
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::{json_steps, text_steps};

    #[test]
    fn a_text_has_a_joint_move_a_line() {
        let steps = text_steps(b"; opening\n((move 1 2) noop)\r\n\n (noop (f (g)) ) ; b\n").unwrap();
        let moves: Vec<_> = steps.iter().map(|s| (s.place.as_str(), s.moves.join("|"))).collect();
        assert_eq!(moves, [("line 2", "(move 1 2)|noop".to_owned()), ("line 4", "noop|(f (g))".to_owned())]);
        for bad in ["noop", "(a) (b)", "(a"] {
            let error = format!("{:#}", text_steps(bad.as_bytes()).unwrap_err());
            assert!(error.starts_with("line 1"), "{error}");
        }
    }

    #[test]
    fn a_match_record_has_moves() {
        let steps = json_steps(br#"{"matchId": "x", "moves": [["up"], ["(move 1)"]]}"#).unwrap();
        assert_eq!(steps[1].place, "moves[1]");
        assert_eq!(steps[1].moves, ["(move 1)"]);
        assert!(json_steps(br#"{"matchId": "x"}"#).is_err());
        assert!(json_steps(br#"{"moves": [[1]]}"#).is_err());
    }
}
