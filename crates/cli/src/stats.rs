//! `ggp stats`: ratings with confidence intervals, from match results alone.

use crate::console;
use crate::destination::Destination;
use crate::exit::{Exit, UsageError};
use crate::output;
use crate::sequential;
use anyhow::Context;
use ggp_arena::elo::{Hypothesis, SprtState};
use ggp_arena::report::{ReportHead, html};
use ggp_arena::{Settings, Standings, Summary};
use std::io::Write;
use std::path::PathBuf;

/// Show ratings, a cross table and faults from results
///
/// FILE is a file that `ggp match --out` wrote, or a match record in the ggp.org format. A match
/// that occurs in several files counts once. All intervals are 95 % confidence intervals. The last
/// table gives the settings of the runs, with all values where runs differ.
///
/// The first lines name players that were at fault in more than a tenth of their matches, and the
/// stronger player. To call a player stronger takes 30 pairs: a pair is two matches with the same
/// opening in which two players have swapped their seats. Pairs with the same opening count as one
/// pair here.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  ggp stats results.jsonl
  ggp stats shard-*.jsonl --report tournament.html
  ggp stats results.jsonl --sprt elo0=0 elo1=20 --of new
  ggp stats results.jsonl --json | jq '.players[].rating'")]
pub(crate) struct Arguments {
    /// Results files or match records
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Write the results as an HTML page
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Run a sequential test (SPRT) on two players, with the terms elo0=E elo1=E alpha=P beta=P, by default 0,
    /// 10, 0.05 and 0.05. FILE comes before this option
    #[arg(long, value_name = "TERM", num_args = 0..=4, value_parser = sequential::term)]
    sprt: Option<Vec<String>>,
    /// The player that the test assumes to be stronger
    #[arg(long, value_name = "NAME", requires = "sprt")]
    of: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let sprt = sequential::parse(arguments.sprt.as_deref())?;
    if let Some(path) = &arguments.report {
        Destination::Report.check(path)?;
    }
    let (standings, flaws) = Standings::of_files(&arguments.files)?;
    for flaw in flaws {
        console::say(&format!("warning: {flaw}"));
    }
    let mut summary = standings.summary();
    let mut exit = Exit::Done;
    let mut tested = None;
    if let Some(sprt) = sprt {
        let [first, second] = pair(&summary, arguments.of.as_deref())?;
        let state = sprt.state(&standings.pair_scores(first, second));
        let verdict = sequential::verdict(&sprt, &state, first, second);
        tested = Some((sequential::question(&sprt, first, second), state, verdict));
        if state.accepted == Some(Hypothesis::H0) {
            exit = Exit::AcceptedNull;
        }
        summary.accepted = state.accepted;
    }
    if let Some(path) = &arguments.report {
        let names: Vec<String> = arguments.files.iter().map(|file| file.display().to_string()).collect();
        let head = ReportHead {
            title: names.join(", "),
            facts: Settings::facts(&summary.settings),
            specs: Settings::specs(&summary.settings),
            sprt: tested.as_ref().map(|(question, state, _)| (question.clone(), *state)),
            ..ReportHead::default()
        };
        let written = std::fs::write(path, html(&summary, &head));
        written.with_context(|| format!("cannot write {}", path.display()))?;
    }
    let settings = summary.settings_text();
    console::unless_closed(print(arguments.json, &summary, &settings, tested.as_ref()))?;
    Ok(exit)
}

/// A sequential test: its question, its state, and its verdict.
pub(crate) type Tested = (String, SprtState, String);

/// Prints one JSON object if `json` is true, otherwise the tables, of which that of `settings` may be empty.
pub(crate) fn print(
    json: bool,
    summary: &Summary,
    settings: &str,
    tested: Option<&Tested>,
) -> std::io::Result<()> {
    let mut out = console::stdout();
    if json {
        let mut object = serde_json::to_value(summary)?;
        if let Some(members) = object.as_object_mut() {
            members.insert("headline".to_owned(), summary.headline_text().into());
            if let Some((_, state, _)) = tested {
                members.insert("sprt".to_owned(), serde_json::to_value(state)?);
            }
        }
        output::object(&mut out, output::STATS, &object)?;
    } else {
        write!(out, "{}", console::printable_lines(&summary.to_text()))?;
        if !settings.is_empty() {
            write!(out, "\n{}", console::printable_lines(settings))?;
        }
        if let Some((question, state, verdict)) = tested {
            writeln!(out, "\nSequential test\n{question}\n{state}\n{verdict}")?;
        }
    }
    out.flush()
}

/// The names of the player that the test assumes to be stronger (`of`), and of its opponent.
fn pair<'a>(summary: &'a Summary, of: Option<&str>) -> Result<[&'a str; 2], UsageError> {
    let names: Vec<&str> = summary.players.iter().map(|player| player.name.as_str()).collect();
    let all = names.join(", ");
    match (&names[..], of) {
        (&[a, b], Some(of)) if of == a || of == b => Ok(if of == a { [a, b] } else { [b, a] }),
        (&[_, _], Some(of)) => Err(UsageError(format!("there is no player `{of}`; there are {all}"))),
        (&[_, _], None) => {
            Err(UsageError(format!("--of NAME is wanted: which of {all} is to be the stronger one?")))
        }
        _ => Err(UsageError(format!(
            "the sequential test compares two players, but there are {}: {all}",
            names.len()
        ))),
    }
}
