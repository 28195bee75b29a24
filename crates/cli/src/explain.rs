//! `ggp explain`: why a fact holds in a state, or which condition fails.

use crate::console::{self, BAD, FAINT, GOOD, printable};
use crate::exit::Exit;
use crate::progress::Progress;
use crate::record::{Origin, Record, legal_joint};
use crate::rulesheet::GameFile;
use ggp_explain::{Because, Explainer, Explanation, Verdict};
use ggp_game::{Fact, Game, Interpreter, StateMachine};
use std::io::Write;

/// Show why a fact, a legal move or a goal holds
///
/// Prints the tree of rules and facts from which FACT follows. If FACT does not hold, prints the
/// rule that comes nearest and its first condition that fails.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  ggp explain games/tic_tac_toe.kif '(legal x (mark 2 2))'
  ggp explain games/tic_tac_toe.kif '(goal x 100)' --from match.json
  ggp explain games/tic_tac_toe.kif '(next (cell 1 1 x))' --moves '((mark 1 1) noop)'")]
pub(crate) struct Arguments {
    #[command(flatten)]
    file: GameFile,
    /// What to explain: `(legal ROLE MOVE)`, `(goal ROLE VALUE)`, `terminal`, `(next FLUENT)`, a
    /// fluent of the state, or anything else that the rules define
    fact: String,
    #[command(flatten)]
    origin: Origin,
    /// Explain what holds when this joint move is made, such as `((move 1 2 1 3) noop)`; `next` and `does` need it
    #[arg(long, value_name = "JOINT")]
    moves: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let _progress = Progress::start("looking for the reasons");
    let record = arguments.origin.read(&arguments.file.path)?;
    let game = arguments.file.load()?;
    let mut machine = Interpreter::new(&game);
    // The facts of all states of the record, and the joint moves between these states.
    let mut facts: Vec<Vec<Fact>> = Vec::new();
    let mut made: Vec<Vec<String>> = Vec::new();
    let state = match record {
        None => machine.initial_state()?,
        Some(record) => {
            made = record.moves().map(<[String]>::to_vec).collect();
            record.follow(&mut machine, |machine, _, state| {
                let mut all = Vec::new();
                machine.facts(state, &mut all)?;
                facts.push(all);
                Ok(())
            })?
        }
    };
    let mut current = Vec::new();
    machine.facts(&state, &mut current)?;
    let mut joint = Vec::new();
    if let Some(text) = &arguments.moves {
        let texts = Record::parse_joint(text)?;
        let moves = legal_joint(&mut machine, &state, &texts)?;
        joint = moves.iter().map(|&mv| machine.move_text(mv).to_owned()).collect();
    }
    let mut explainer = Explainer::new(&game);
    explainer.load(&current, &joint)?;
    let mut explanation = explainer.explain(&arguments.fact)?;
    if let (Because::State, Some(fluent)) = (explanation.because, fluent(&explanation.text)) {
        // A fact of the state is explained by the rule that derived it in the previous state.
        let origin = match made.last() {
            None => format!("(init {fluent})"),
            Some(moves) => {
                explainer.load(&facts[facts.len() - 2], moves)?;
                format!("(next {fluent})")
            }
        };
        // There is no explanation if no rule derives the fact.
        explanation.parts.extend(explainer.explain(&origin).ok());
    }
    let mut out = console::stdout();
    write_tree(&explanation, &mut out)?;
    out.flush()?;
    if arguments.moves.is_none() && asks_for_moves(&explanation) && made.is_empty() {
        console::say("note: no move has been made; `--moves '(...)'` makes one");
    }
    if let Some(name) = unknown_role(&game, &explanation.text) {
        let roles: Vec<&str> = game.roles().map(|role| game.role_name(role)).collect();
        console::say(&format!("note: `{}` is no role; the roles are {}", printable(name), roles.join(", ")));
    }
    Ok(Exit::Done)
}

/// The name in the place of a role in `text`, such as `(legal NAME MOVE)`, if no role has this name.
fn unknown_role<'a>(game: &Game, text: &'a str) -> Option<&'a str> {
    let mut words = text.strip_prefix('(')?.split([' ', ')']);
    let (relation, name) = (words.next()?, words.next()?);
    let takes_role = ["legal", "does", "goal", "sees"].contains(&relation);
    let is_name = !name.is_empty() && !name.starts_with(['(', '?']);
    let is_role = || game.roles().any(|role| game.role_name(role) == name);
    (takes_role && is_name && !is_role()).then_some(name)
}

/// The fluent `F` of the text `(true F)`. `None` if the text has another form.
fn fluent(text: &str) -> Option<&str> {
    text.strip_prefix("(true ")?.strip_suffix(')')
}

fn asks_for_moves(explanation: &Explanation) -> bool {
    let is_about_moves = explanation.because == Because::Moves || explanation.text.starts_with("(does ");
    is_about_moves && explanation.verdict == Verdict::Fails || explanation.parts.iter().any(asks_for_moves)
}

/// Writes a tree with one line for each node. Recursion is safe here, since the depth of an explanation is
/// bounded.
fn write_tree(explanation: &Explanation, out: &mut impl Write) -> std::io::Result<()> {
    write_node(explanation, "", "", out)
}

fn write_node(
    explanation: &Explanation,
    lead: &str,
    below: &str,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let (style, mark) = match explanation.verdict {
        Verdict::Holds => (GOOD, "✓"),
        Verdict::Fails => (BAD, "✗"),
        Verdict::Untried => (FAINT, "·"),
    };
    let text = printable(&explanation.text);
    let mark = console::paint_stdout(style, mark);
    let reason = console::paint_stdout(FAINT, &explanation.reason());
    writeln!(out, "{}", format!("{lead}{mark} {text}  {reason}").trim_end())?;
    let last = explanation.parts.len().saturating_sub(1);
    for (index, part) in explanation.parts.iter().enumerate() {
        let (branch, trunk) = if index == last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        write_node(part, &format!("{below}{branch}"), &format!("{below}{trunk}"), out)?;
    }
    Ok(())
}
