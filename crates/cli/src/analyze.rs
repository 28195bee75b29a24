//! `ggp analyze`: the search results for a state, updated while the search runs.

use crate::console::{self, FAINT};
use crate::exit::{Exit, UsageError};
use crate::number::{positive_seconds, whole};
use crate::play::stop_on_signal;
use crate::reasoner::Reasoning;
use crate::record::{Origin, Record};
use crate::rulesheet::GameFile;
use ggp::WithMachine;
use ggp_game::{Candidate, Deadline, Game, Playouts, Role, SearchReport, StopToken};
use ggp_search::{Halt, Limits, MctsOptions, PlayerSpec, Search};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};
use std::io::{IsTerminal, Write};
use std::time::Duration;

/// The initial interval between two updates of the table. Whenever not even one batch of playouts was
/// completed in an interval, the next interval is twice as long.
const SLICE: Duration = Duration::from_millis(250);

/// The time limit of the search, if the command line limits neither time nor iterations.
const THINKING_TIME: Duration = Duration::from_secs(5);

/// The number of moves that the table shows for each role.
const SHOWN: usize = 8;

/// Show how the tree search rates the moves in a state
///
/// Prints for every role its moves, the most visited first, with their visits, expected goals and
/// proven goals. On a terminal the table is updated while the search runs; Ctrl-C ends it early.
/// Games of hidden information are refused.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  ggp analyze games/connect_four.kif --seconds 10
  ggp analyze games/hex.kif --from match.json --step 4 --spec mcts:memory=2000
  ggp analyze games/nim.kif --iterations 1000 --json | jq '.roles.first[0].move'")]
pub(crate) struct Arguments {
    #[command(flatten)]
    file: GameFile,
    #[command(flatten)]
    origin: Origin,
    /// The maximum number of seconds; 5 if there is no limit of iterations
    #[arg(long, value_name = "S", value_parser = positive_seconds)]
    seconds: Option<Duration>,
    /// The maximum number of iterations; takes precedence over --spec
    #[arg(long, value_name = "N", value_parser = whole(1u64..))]
    iterations: Option<u64>,
    /// The search, as mcts:iterations=1000; `ggp help players` lists its options
    #[arg(long, value_name = "SPEC", default_value = "mcts")]
    spec: String,
    /// Print one JSON object at the end
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reasoning: Reasoning,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let spec: PlayerSpec = arguments.spec.parse().map_err(|error| UsageError(format!("{error}")))?;
    let PlayerSpec::Mcts(options) = spec else {
        return Err(UsageError(format!("`{}` does not search", arguments.spec)).into());
    };
    let iterations = arguments.iterations.or(options.iterations);
    let seconds = arguments.seconds.or(iterations.is_none().then_some(THINKING_TIME));
    let record = arguments.origin.read(&arguments.file.path)?;
    let game = arguments.file.load()?;
    if game.has_percepts() {
        let why = "the search of `analyze` sees the whole state, so its results do not hold for roles that see only \
                   a part of it; `ggp solve` computes what such roles can expect";
        return Err(UsageError(why.to_owned()).into());
    }
    let stop = StopToken::new();
    stop_on_signal(&stop)?;
    arguments.reasoning.build(&game)?.with(Analyze {
        json: arguments.json,
        options,
        iterations,
        seconds,
        record,
        stop,
    })
}

struct Analyze {
    json: bool,
    options: MctsOptions,
    iterations: Option<u64>,
    seconds: Option<Duration>,
    record: Option<Record>,
    stop: StopToken,
}

impl WithMachine for Analyze {
    type Output = anyhow::Result<Exit>;

    fn run<M: Playouts + 'static>(self, mut machine: M) -> anyhow::Result<Exit> {
        let Analyze { json, options, iterations, seconds, record, stop } = self;
        machine.interrupt_on(&stop);
        let state = match &record {
            None => machine.initial_state()?,
            Some(record) => record.follow(&mut machine, |_, _, _| Ok(()))?,
        };
        let game = machine.game().clone();
        let is_over = machine.is_terminal(&state)?;
        let mut search = Search::from_state(machine, &options, state)?;
        let live = (std::io::stderr().is_terminal() && !json).then(screen);
        let halt = think(&mut search, iterations, seconds, &stop, |search| {
            if let Some(live) = &live {
                live.set_message(table(&game, &reports(&game, search)));
            }
        });
        if let Some(live) = live {
            live.finish_and_clear();
        }
        if let Halt::Failing(error) = halt {
            return Err(error.into());
        }
        let reports = reports(&game, &search);
        let mut out = console::stdout();
        if json {
            serde_json::to_writer(&mut out, &object(&game, &reports, is_over, &halt))?;
            writeln!(out)?;
        } else if is_over {
            writeln!(out, "The game is over in this state.")?;
        } else {
            writeln!(out, "{}", table(&game, &reports))?;
        }
        out.flush()?;
        Ok(if halt == Halt::Stopped { Exit::Findings } else { Exit::Done })
    }
}

/// Searches in slices of time, and calls `each` after every slice. A search without a time limit has no
/// slices and never calls `each`, so that its result does not depend on the clock.
fn think<M: Playouts>(
    search: &mut Search<M>,
    iterations: Option<u64>,
    seconds: Option<Duration>,
    stop: &StopToken,
    mut each: impl FnMut(&Search<M>),
) -> Halt {
    let limits = Limits { iterations, ..Limits::default() }.or_when(stop);
    let Some(seconds) = seconds else { return search.run(&limits) };
    let end = Deadline::after(seconds);
    let mut slice = SLICE;
    loop {
        let left = end.remaining().unwrap_or(Duration::MAX);
        let before = search.playouts();
        let done = search.report(Role(0)).iterations;
        let iterations = iterations.map(|most| most.saturating_sub(done));
        let limits = Limits { iterations, ..limits.clone() };
        let halt = search.run(&limits.until(Deadline::after(slice.min(left))));
        each(search);
        if halt != Halt::Deadline || left <= slice {
            return halt;
        }
        if search.playouts() == before {
            // The slice is too short for one batch of playouts.
            slice *= 2;
        }
    }
}

fn screen() -> ProgressBar {
    let screen = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{msg}");
    screen.set_style(style.expect("a template that is part of the program"));
    screen
}

fn reports<M: Playouts>(game: &Game, search: &Search<M>) -> Vec<SearchReport> {
    game.roles().map(|role| search.report(role)).collect()
}

/// The reports on all roles as a table.
fn table(game: &Game, reports: &[SearchReport]) -> String {
    let mut lines = Vec::new();
    if let Some(SearchReport { iterations, playouts, nodes, elapsed, .. }) = reports.first() {
        let seconds = elapsed.as_secs_f64();
        lines.push(format!("{iterations} iterations, {playouts} playouts, {nodes} nodes in {seconds:.1} s"));
    }
    for (role, report) in game.roles().zip(reports) {
        let shown: Vec<&Candidate> = report.candidates.iter().take(SHOWN).collect();
        let width = shown.iter().map(|candidate| candidate.mv.chars().count()).max().unwrap_or(0);
        lines.push(game.role_name(role).to_owned());
        for candidate in &shown {
            let score = candidate.score.map_or("-".to_owned(), |score| format!("{score:.1}"));
            let proved = candidate.proven.map_or(String::new(), |goal| format!("  {goal} proved"));
            let mv = console::printable(&candidate.mv);
            lines.push(format!("  {mv:<width$}  {:>10}  {score:>5}{proved}", candidate.visits));
        }
        if report.candidates.len() > SHOWN {
            lines.push(console::paint_stdout(
                FAINT,
                &format!("  and {} more", report.candidates.len() - SHOWN),
            ));
        }
    }
    if let Some(report) = reports.first().filter(|report| !report.principal.is_empty()) {
        let joints: Vec<String> =
            report.principal.iter().map(|joint| format!("({})", joint.join(" "))).collect();
        lines.push(format!("principal variation  {}", console::printable(&joints.join(" "))));
    }
    lines.join("\n")
}

/// The reports on all roles as a JSON object. Scripts rely on the names of its members.
fn object(game: &Game, reports: &[SearchReport], is_over: bool, halt: &Halt) -> Value {
    let candidate =
        |c: &Candidate| json!({ "move": c.mv, "visits": c.visits, "score": c.score, "proven": c.proven });
    let roles = game.roles().zip(reports).map(|(role, report)| {
        (game.role_name(role).to_owned(), report.candidates.iter().map(candidate).collect())
    });
    let roles: serde_json::Map<String, Value> = roles.collect();
    let all = reports.first().cloned().unwrap_or_default();
    json!({
        "terminal": is_over,
        "decided": *halt == Halt::Decided,
        "iterations": all.iterations,
        "playouts": all.playouts,
        "nodes": all.nodes,
        "seconds": all.elapsed.as_secs_f64(),
        "roles": roles,
        "principal": all.principal,
    })
}
