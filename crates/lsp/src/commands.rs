//! The commands behind the lenses. Each answers with a text, which an editor shows.

use crate::client::{EXPLAIN, MOVES, PLAY, SIMULATE};
use crate::documents::Snapshot;
use crate::{simulation, trial};
use gen_lsp_types as lsp;
use ggp::{Explainer, Explanation, Fact, Game, Interpreter, StateMachine, StopToken, Verdict};
use ggp_game::Simulate;
use ggp_ide::LensAction;
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::Arc;

/// The maximum number of moves of a role that an answer lists.
const MAX_MOVES: usize = 1_000;

/// The command of a lens.
pub(crate) fn of_lens(title: String, action: &LensAction, uri: &lsp::Uri) -> lsp::Command {
    let (command, arguments) = match action {
        LensAction::Play => (PLAY, vec![json!(uri)]),
        LensAction::Simulate => (SIMULATE, vec![json!(uri)]),
        LensAction::Moves => (MOVES, vec![json!(uri)]),
        LensAction::Explain(atom) => (EXPLAIN, vec![json!(uri), json!(atom)]),
    };
    lsp::Command { title, command: command.to_owned(), arguments: Some(arguments), tooltip: None }
}

/// Runs a command about a document. Returns its answer, and a text to show to the person if there is one.
///
/// # Errors
/// The reason why the command cannot be obeyed.
pub(crate) fn run(
    command: &str,
    snapshot: &Snapshot,
    argument: Option<&str>,
    simulate: &Simulate,
    stop: &StopToken,
) -> Result<(Value, Option<String>), String> {
    match command {
        PLAY => play(snapshot, stop),
        MOVES => {
            let text = moves(snapshot, stop)?;
            Ok((json!(text), Some(text)))
        }
        EXPLAIN => {
            let atom = argument.ok_or("the second argument is the fact to explain")?;
            let text = explain(&game(snapshot, stop)?, atom, stop)?;
            Ok((json!(text), Some(text)))
        }
        SIMULATE => {
            let text = simulation::run(snapshot, &game(snapshot, stop)?, simulate, stop)?;
            Ok((json!(text), Some(text)))
        }
        _ => Err(format!("there is no command `{command}`")),
    }
}

/// The game of a document. Builds it if the second tier has not done so.
fn game(snapshot: &Snapshot, stop: &StopToken) -> Result<Arc<Game>, String> {
    if let Some(game) = snapshot.tried.get().and_then(|tried| tried.game.clone()) {
        return Ok(game);
    }
    let (game, findings) = trial::build(&snapshot.analysis, stop);
    game.ok_or_else(|| {
        let worst = findings.iter().max_by_key(|finding| finding.severity);
        worst.map_or_else(|| "the rules cannot be played".to_owned(), |worst| worst.message.clone())
    })
}

/// The command line that plays a game in a terminal. An editor that has terminals runs it.
fn play(snapshot: &Snapshot, stop: &StopToken) -> Result<(Value, Option<String>), String> {
    let file = path_of(&snapshot.uri.0).ok_or("save the rules to a file first")?;
    let game = game(snapshot, stop)?;
    let role = game.roles().find(|&role| Some(role) != game.nature());
    let role = role.map_or("", |role| game.role_name(role));
    let line = ["ggp", "play", &file, "--human", role];
    let text = format!("in a terminal: {}", line.map(quoted).join(" "));
    Ok((json!({ "line": line }), Some(text)))
}

/// A word of a command line, in quotes if a shell needs them.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | '\\');
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

fn moves(snapshot: &Snapshot, stop: &StopToken) -> Result<String, String> {
    let game = game(snapshot, stop)?;
    let mut machine = Interpreter::new(&game);
    machine.interrupt_on(stop);
    let state = machine.initial_state().map_err(|error| error.to_string())?;
    let mut text = String::new();
    for role in game.roles() {
        let legal = machine.legal_texts(&state, role).map_err(|error| error.to_string())?;
        let shown = legal.iter().take(MAX_MOVES).cloned().collect::<Vec<_>>().join(" ");
        let _ = writeln!(text, "{}: {} legal: {shown}", game.role_name(role), legal.len());
    }
    Ok(text.trim_end().to_owned())
}

/// Why an atom holds or fails in the initial state, as a tree.
fn explain(game: &Arc<Game>, atom: &str, stop: &StopToken) -> Result<String, String> {
    let mut machine = Interpreter::new(game);
    machine.interrupt_on(stop);
    let state = machine.initial_state().map_err(|error| error.to_string())?;
    let facts: Vec<Fact> = machine.facts_of(&state).map_err(|error| error.to_string())?;
    let mut explainer = Explainer::new(game);
    explainer.load(&facts, &[]).map_err(|error| error.to_string())?;
    let explanation = explainer.explain(atom).map_err(|error| error.to_string())?;
    let mut text = String::new();
    write_tree(&explanation, 0, &mut text);
    Ok(text.trim_end().to_owned())
}

/// Writes a tree with one line for each node. The depth of an explanation is bounded, so this may recurse.
fn write_tree(explanation: &Explanation, depth: usize, text: &mut String) {
    let mark = match explanation.verdict {
        Verdict::Holds => '✓',
        Verdict::Fails => '✗',
        Verdict::Untried => '·',
    };
    let line = format!("{}{mark} {}  {}", "   ".repeat(depth), explanation.text, explanation.reason());
    let _ = writeln!(text, "{}", line.trim_end());
    for part in &explanation.parts {
        write_tree(part, depth + 1, text);
    }
}

/// The path of a `file:` address.
pub(crate) fn path_of(uri: &str) -> Option<String> {
    let encoded = uri.strip_prefix("file://")?;
    let encoded = encoded.strip_prefix("localhost").unwrap_or(encoded);
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            let digits = std::str::from_utf8(&digits).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    let path = String::from_utf8(bytes).ok()?;
    // `file:///c:/games` names a drive of Windows.
    let is_drive = path.as_bytes().get(2) == Some(&b':') && path.starts_with('/');
    (!path.contains('\0')).then(|| if is_drive { path[1..].to_owned() } else { path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_files() {
        assert_eq!(path_of("file:///a/b%20c.kif").as_deref(), Some("/a/b c.kif"));
        assert_eq!(path_of("file:///c%3A/x.kif").as_deref(), Some("c:/x.kif"));
        for bad in ["untitled:1", "file:///%", "file:///%zz", "file:///%ff", "file:///%00"] {
            assert_eq!(path_of(bad), None, "{bad}");
        }
        assert_eq!(["a b", "it's", "x/y.kif"].map(quoted), ["'a b'", "'it'\\''s'", "x/y.kif"]);
    }
}
