//! `ggp check`: the diagnostics of rulesheets, and with `--simulate` the results of random playouts.

use crate::board;
use crate::console;
use crate::destination::Destination;
use crate::exit::{self, Exit, UsageError};
use crate::number::whole;
use crate::output;
use crate::progress::Progress;
use crate::reasoner::Reasoning;
use crate::rulesheet::{self, Level};
use crate::simulate::Simulation;
use anyhow::Context;
use ggp::{Choice, Limits, Rulesheet};
use ggp_game::{Deadline, EvalError, Game, Interpreter, StopToken};
use ggp_gdl::codes::{page, pages};
use ggp_gdl::diagnostic::count;
use ggp_gdl::{Diagnostic, Finding, Keyword, Rule, Severity, Span, locate};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Find what is wrong with rulesheets
///
/// Shows every error and warning with its place and how to correct it. Consequences of a mistake are
/// shown with the mistake. The exit code is 0 if there are no errors, and 1 if there are errors or if
/// --simulate refutes what a well-formed game must have. A game that is over in its first state, or in
/// which a role has no move there, is an error. --strict also counts breaches of the
/// specification and misspelled names of relations as errors.
///
/// A view NAME.view.json beside NAME.kif is checked too.
///
/// With --explain CODE, shows the page about a kind of finding; without CODE, lists all kinds.
///
/// With --simulate, --json gives for each refutation the `playout`, its `step`, and in `moves` the
/// last ten joint moves before it, numbered from `first` on; --save writes all of them.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  ggp check game.kif
  ggp check --strict --simulate 200 game.kif
  ggp check --simulate 200 --save line.json game.kif
  ggp check --json games/*.kif | jq '.findings[].message'
  ggp check --explain never-joined")]
pub(crate) struct Arguments {
    /// The rulesheets, in KIF; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "explain")]
    files: Vec<PathBuf>,
    /// Show the page about the findings with this code, such as `never-joined`; without a code, list
    /// all codes
    #[arg(long, value_name = "CODE", num_args = 0..=1, default_missing_value = "", conflicts_with = "files")]
    explain: Option<String>,
    #[command(flatten)]
    level: Level,
    /// Print one JSON object for each file
    #[arg(long)]
    json: bool,
    /// Also play N random playouts, and check that they end, that every role always has a move and
    /// has exactly one goal at the end, that goals never fall, and that each role can win. In a game
    /// of hidden information, also check that the moves and percepts of each role determine its legal
    /// moves, the end and its goal
    #[arg(long, value_name = "N", value_parser = whole(1u64..))]
    simulate: Option<u64>,
    /// Write the joint moves of a refutation to FILE, as a record for --from and `ggp replay`
    #[arg(long, value_name = "FILE", requires = "simulate")]
    save: Option<PathBuf>,
    /// The seed of the random playouts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(0u64..))]
    seed: u64,
    #[command(flatten)]
    reasoning: Reasoning,
}

/// The output of `--json` for one file. Scripts rely on the names of the members.
#[derive(Serialize)]
struct Verdict {
    file: String,
    findings: Vec<Finding>,
    /// What is wrong with the view beside the rulesheet.
    #[serde(skip_serializing_if = "Option::is_none")]
    view: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    simulation: Option<Simulation>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    if arguments.save.is_some() && arguments.files.len() > 1 {
        return Err(UsageError("--save keeps one line of moves: check one rulesheet".to_owned()).into());
    }
    if let Some(path) = &arguments.save {
        Destination::Record.check(path)?;
    }
    let mut out = console::stdout();
    if let Some(code) = &arguments.explain {
        explain(code, arguments.json, &mut out)?;
        out.flush()?;
        return Ok(Exit::Done);
    }
    let mut exit = Exit::Done;
    let (mut errors, mut warnings) = (0, 0);
    for path in &arguments.files {
        let checked = check(path, arguments).and_then(|Checked { text, findings, view, simulation }| {
            let bad = findings.iter().filter(|f| f.severity == Severity::Error).count();
            errors += bad;
            warnings += findings.len() - bad;
            if bad > 0 || view.is_some() || simulation.as_ref().is_some_and(Simulation::is_bad) {
                exit = exit.max(Exit::Findings);
            }
            if let (Some(path), Some(simulation)) = (&arguments.save, &simulation) {
                save(path, simulation, &text.name)?;
            }
            if arguments.json {
                let findings = locate(&findings, &text.name, &text.bytes);
                let verdict = Verdict { file: text.name, findings, view, simulation };
                output::object(&mut out, output::CHECK, &verdict)?;
            } else {
                rulesheet::show(&text, &findings);
                if let Some(flaw) = view {
                    let error = console::paint_stderr(console::BAD, "error");
                    console::say(&format!("{error}: {}", console::printable(&flaw)));
                }
                if let Some(simulation) = simulation {
                    simulation.write(&text.name, &mut out)?;
                }
            }
            out.flush()?;
            Ok(())
        });
        // Check the other files even if one fails.
        if let Err(error) = checked {
            exit = exit.max(exit::report(&error));
        }
    }
    if arguments.files.len() > 1 && errors + warnings > 0 && !arguments.json {
        let files = count(arguments.files.len(), "file");
        console::say(&format!("{} and {} in {files}", count(errors, "error"), count(warnings, "warning")));
    }
    Ok(exit)
}

/// Writes the page about `code`, or a list of all codes if it is empty.
fn explain(code: &str, json: bool, out: &mut impl Write) -> anyhow::Result<()> {
    if code.is_empty() {
        for page in pages() {
            if json {
                serde_json::to_writer(
                    &mut *out,
                    &serde_json::json!({ "code": page.code, "summary": page.summary }),
                )?;
                writeln!(out)?;
            } else {
                writeln!(out, "{:<26} {}", page.code, page.summary)?;
            }
        }
        return Ok(());
    }
    let Some(page) = page(code) else {
        return Err(UsageError(format!(
            "no finding has the code `{code}`; `ggp check --explain` lists all codes"
        ))
        .into());
    };
    if json {
        let page = serde_json::json!({
            "code": page.code,
            "summary": page.summary,
            "meaning": page.meaning,
            "example": page.example.shown(),
            "mend": page.mend,
        });
        output::object(out, output::EXPLAIN, &page)?;
    } else {
        write!(out, "{}", page.markdown())?;
    }
    Ok(())
}

/// Writes the joint moves that refute a property to the file `path`, as a match record.
fn save(path: &Path, simulation: &Simulation, rules: &str) -> anyhow::Result<()> {
    let name = path.display();
    let Some((words, record)) = simulation.record(rules) else {
        console::say(&format!("nothing is refuted: {name} is not written"));
        return Ok(());
    };
    std::fs::write(path, record.to_json() + "\n").with_context(|| format!("cannot write {name}"))?;
    let many = count(record.moves.len(), "joint move");
    console::say(&format!("wrote {name}: {many} against `{words}`"));
    Ok(())
}

/// A rulesheet, and what is found about it.
struct Checked {
    text: Rulesheet,
    findings: Vec<Diagnostic>,
    /// What is wrong with the view beside the rulesheet.
    view: Option<String>,
    simulation: Option<Simulation>,
}

/// Reads and checks one rulesheet and the view beside it. Plays random playouts of the game if the command line asks for
/// playouts.
fn check(path: &Path, arguments: &Arguments) -> anyhow::Result<Checked> {
    let text = rulesheet::read(path)?;
    let progress = Progress::start(format!("checking {}", text.name));
    let (game, mut findings) = text.check(arguments.level.strictness(), Limits::default());
    let game = game.map(Arc::new);
    let mut view = None;
    if let Some(game) = &game {
        let given = board::view_of(&mut Interpreter::new(game), path);
        view = given.and_then(Result::err).map(|error| board::flaw(path, &error));
    }
    let mut simulation = None;
    if let (Some(playouts), Some(game)) = (arguments.simulate, game) {
        let task = Simulate { playouts, seed: arguments.seed, progress: &progress, name: &text.name };
        let (simulated, failure) = task.run(&game, arguments.reasoning)?;
        simulation = Some(simulated);
        findings.extend(failure.map(|error| not_playable(&game, &error)));
    }
    Ok(Checked { text, findings, view, simulation })
}

/// The finding that playing `game` fails with `error`. It is an error at the first head of `next`, or at the start of the
/// text if there is none.
fn not_playable(game: &Game, error: &EvalError) -> Diagnostic {
    let description = game.description();
    let is_next = |rule: &&Rule| description.name(rule.head.relation) == Keyword::Next.name();
    let start = Span { start: 0, end: 0 };
    let first = description.rules.iter().find(is_next);
    let span = first.map_or(start, |rule| rule.head.span);
    let diagnostic = Diagnostic::error("not-playable", span, error.to_string())
        .help("look for a rule of `next` that makes more facts, or larger terms, from step to step");
    // Often no rule alone is at fault.
    if first.is_some() { diagnostic.labelled("the rules of `next` begin here") } else { diagnostic }
}

struct Simulate<'a> {
    playouts: u64,
    seed: u64,
    progress: &'a Progress,
    name: &'a str,
}

impl Simulate<'_> {
    /// Plays the random playouts: the first ones with the interpreter, and, once the network is built, the
    /// others with the network. The moves of a playout are the same on both machines. A playout that fails ends the
    /// simulation, which then holds what was seen until then; its error is given beside it.
    fn run(self, game: &Arc<Game>, reasoning: Reasoning) -> anyhow::Result<(Simulation, Option<EvalError>)> {
        let coming = reasoning.long_build().begin(game)?;
        if reasoning.choice() == Choice::Propnet
            && let Some(Err(why)) = coming.wait(Deadline::never(), &StopToken::new())
        {
            anyhow::bail!("{} has no network: {why}", self.name);
        }
        let mut simulation = Simulation::new(game, self.playouts, self.seed);
        let (mut interpreter, mut network, mut failure) = (Interpreter::new(game), None, None);
        for number in 0..self.playouts {
            if network.is_none()
                && let Some(Ok(reasoner)) = coming.poll()
            {
                network = reasoner.as_network().cloned();
            }
            let played = match &mut network {
                Some(machine) => simulation.play(machine, number),
                None => simulation.play(&mut interpreter, number),
            };
            if let Err(error) = played {
                simulation.cut(number);
                failure = Some(error);
                break;
            }
            self.progress.set(format!("playing {}: {} of {} playouts", self.name, number + 1, self.playouts));
        }
        simulation.finish(game);
        Ok((simulation, failure))
    }
}
