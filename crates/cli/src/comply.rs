//! `ggp comply`: checks whether a player conforms to the GGP protocol.

use crate::console::{self, BAD, FAINT, GOOD};
use crate::exit::{Exit, UsageError};
use crate::logging::Logging;
use crate::number::seconds;
use crate::output;
use crate::play::stop_on_signal;
use ggp_game::{Clocks, StopToken};
use ggp_server::comply::{ComplySetup, Finding, Requirement, Sheet, Verdict, comply};
use std::io::Write;
use std::time::Duration;

/// Check whether a player conforms to the GGP protocol
///
/// Plays three small games with the player, two of them with hidden information, and sends it valid and invalid
/// messages. What managers rely on is a `must`: the exit code is 1 if the player fails one. All other checks are a
/// `should`, and do not change the exit code.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  ggp comply http://localhost:9147
  ggp comply localhost:9147 --json | jq '.findings[] | select(.verdict == \"fails\")'")]
pub(crate) struct Arguments {
    /// The address of the player
    #[arg(value_name = "URL")]
    url: String,
    /// Seconds before the first move, a whole number
    #[arg(long, value_name = "S", default_value = "3", value_parser = seconds)]
    startclock: Duration,
    /// Seconds for each move, a whole number
    #[arg(long, value_name = "S", default_value = "3", value_parser = seconds)]
    playclock: Duration,
    /// Print one JSON object at the end
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    logging: Logging,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    if arguments.url.starts_with("cmd:") {
        let text = "`comply` examines players over HTTP: let the program listen, and give http://HOST:PORT; `match` and \
                    `host` play with `cmd:` players, and tell their faults";
        return Err(UsageError(text.to_owned()).into());
    }
    let address = arguments.url.parse().map_err(|error| UsageError(format!("{error}")))?;
    let clocks = Clocks { start: arguments.startclock, play: arguments.playclock };
    if [clocks.start, clocks.play].iter().any(|clock| clock.as_secs() == 0 || clock.subsec_nanos() > 0) {
        return Err(UsageError("the protocol has whole seconds, at least one".to_owned()).into());
    }
    arguments.logging.start();
    let stop = StopToken::new();
    stop_on_signal(&stop)?;
    let mut failed = None;
    let mut tell = |finding: &Finding| {
        let told = if arguments.json { Ok(()) } else { write(finding) };
        if let Err(error) = console::unless_closed(told) {
            failed.get_or_insert(error);
        }
    };
    let setup = ComplySetup { clocks, ..ComplySetup::default() };
    let sheet = comply(&address, &setup, &mut tell, &stop)?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    console::unless_closed(conclude(&sheet, arguments.json))?;
    if stop.is_stopped() {
        console::say("the examination was interrupted");
        return Ok(Exit::Findings);
    }
    Ok(if sheet.is_usable() { Exit::Done } else { Exit::Findings })
}

/// Prints the whole result as JSON if `json` is true. Otherwise prints the totals that follow the table.
fn conclude(sheet: &Sheet, json: bool) -> std::io::Result<()> {
    let mut out = console::stdout();
    if json {
        output::object(&mut out, output::COMPLY, sheet)?;
    } else {
        let verdicts = |verdict| sheet.findings.iter().filter(move |f| f.verdict == verdict);
        let musts = sheet.failures().filter(|f| f.requirement == Requirement::Must).count();
        let (good, bad) = (verdicts(Verdict::Conforms).count(), verdicts(Verdict::Fails).count());
        let skipped = verdicts(Verdict::Skipped).count();
        writeln!(out, "{good} conform, {bad} fail ({musts} of them musts), {skipped} not tried")?;
    }
    out.flush()
}

/// Prints a finding as a line of the table. A check that fails has two more lines: the message sent and the
/// answer.
fn write(finding: &Finding) -> std::io::Result<()> {
    let (style, word) = match finding.verdict {
        Verdict::Conforms => (GOOD, "conforms"),
        Verdict::Fails => (BAD, "fails   "),
        Verdict::Skipped => (FAINT, "skipped "),
    };
    let requirement = match finding.requirement {
        Requirement::Must => "must  ",
        Requirement::Should => "should",
    };
    let mut out = console::stdout();
    let word = console::paint_stdout(style, word);
    let Finding { check, expected, sent, got, milliseconds, .. } = finding;
    writeln!(out, "{word}  {requirement}  {check:<20}  {milliseconds:>5} ms  {expected}")?;
    if finding.verdict == Verdict::Fails {
        writeln!(
            out,
            "            sent  {}\n            got   {}",
            console::printable(sent),
            console::printable(got)
        )?;
    }
    out.flush()
}
