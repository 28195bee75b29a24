//! `ggp analyze`: the search results for a state, updated while the search runs.

use crate::console::{self, FAINT};
use crate::exit::{Exit, UsageError};
use crate::learn;
use crate::number::{positive_seconds, whole};
use crate::output;
use crate::play::stop_on_signal;
use crate::reasoner::Reasoning;
use crate::record::{Origin, Record};
use crate::rulesheet::GameFile;
use crate::seats::role_named;
use ggp::{Reasoner, WithMachine};
use ggp_game::{
    Candidate, Clocks, Deadline, EvalError, Extent, Game, InformationSet, Interpreter, OwnedObservation,
    Playouts, Role, SearchReport, StateMachine, StopToken, advice,
};
use ggp_search::{Halt, Limits, MctsOptions, PlayerSpec, Search, Technique};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The initial interval between two updates of the table. Whenever not even one batch of playouts was
/// completed in an interval, the next interval is twice as long.
const SLICE: Duration = Duration::from_millis(250);

/// The time limit of the search, if the command line limits neither time nor iterations.
const THINKING_TIME: Duration = Duration::from_secs(5);

/// The maximum number of states that are kept of a role's information set, to count them.
const STATES: usize = 2000;

/// The number of moves that the table shows for each role.
const SHOWN: usize = 8;

/// The most characters that the table pads moves to. The numbers behind a longer move stand farther to the right.
const MAX_PADDED: usize = 80;

/// Show how the tree search rates the moves in a state
///
/// Prints for every role its moves with their visits, expected goals and proven goals. The best move comes first, the others
/// follow by their visits. Where a role draws its move from a mixed strategy, because another role chooses at the same time,
/// the probability of each move follows its expected goal. The last line is about decisive moves, which win at once or prevent a
/// loss at once: whether the search looks for them in playouts and in its tree, and what that costs, or why it does not.
/// On a terminal the table is updated while the search runs; Ctrl-C ends it early.
///
/// In a game of hidden information, --role is required: the search then sees only what the role has seen, and
/// the expected goals are means over the states that the role considers possible.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  ggp analyze games/connect_four.kif --seconds 10
  ggp analyze games/hex.kif --from match.json --step 4 --spec mcts:memory=2000
  ggp analyze games/breakthrough_holes.kif --learnt my.knowledge
  ggp analyze games/monty_hall.kif --role guest --from match.json --step 2
  ggp analyze games/nim.kif --iterations 1000 --json | jq '.roles.first[0].move'")]
pub(crate) struct Arguments {
    #[command(flatten)]
    file: GameFile,
    #[command(flatten)]
    origin: Origin,
    /// Analyze only for this role; required in a game of hidden information
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// The maximum number of seconds; 5 if there is no limit of iterations
    #[arg(long, value_name = "S", value_parser = positive_seconds)]
    seconds: Option<Duration>,
    /// The maximum number of iterations; takes precedence over --spec
    #[arg(long, value_name = "N", value_parser = whole(1u64..))]
    iterations: Option<u64>,
    /// The search, as mcts:iterations=1000; `ggp help players` lists its options
    #[arg(long, value_name = "SPEC", default_value = "mcts")]
    spec: String,
    /// Instead of searching, show what FILE holds of the game: how well each generation of self-play predicted,
    /// and the features that weigh most (`ggp learn` writes such a file)
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["from", "step", "role", "seconds", "iterations", "spec"]
    )]
    learnt: Option<PathBuf>,
    /// Print one JSON object at the end
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reasoning: Reasoning,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    if let Some(file) = &arguments.learnt {
        return learn::show(&*arguments.file.load()?, file, arguments.json);
    }
    let spec: PlayerSpec = arguments.spec.parse().map_err(|error| UsageError(format!("{error}")))?;
    let PlayerSpec::Mcts(options) = spec else {
        return Err(UsageError(format!(
            "`{}` does not search; write `mcts` or `uct` with options, as mcts:iterations=1000",
            arguments.spec
        ))
        .into());
    };
    let iterations = arguments.iterations.or(options.iterations);
    let seconds = arguments.seconds.or(iterations.is_none().then_some(THINKING_TIME));
    let record = arguments.origin.read(&arguments.file.path)?;
    let game = arguments.file.load()?;
    let role = arguments.role.as_deref().map(|name| role_named(&game, name)).transpose()?;
    let hidden_from = match role {
        None if game.has_percepts() => return Err(role_required(&game).into()),
        role => role.filter(|_| game.has_percepts()),
    };
    let stop = StopToken::new();
    stop_on_signal(&stop)?;
    if let Some(role) = hidden_from {
        let options = MctsOptions { iterations, ..options };
        let reasoner = arguments.reasoning.build(&game)?;
        let analyze = AnalyzeOwn { json: arguments.json, role, options, seconds, record, stop };
        return analyze.run(&game, &reasoner);
    }
    arguments.reasoning.build(&game)?.with(Analyze {
        json: arguments.json,
        role,
        options,
        iterations,
        seconds,
        record,
        stop,
    })
}

/// The error that a game of hidden information needs a role.
fn role_required(game: &Game) -> UsageError {
    let roles = game.roles().filter(|&role| game.nature() != Some(role));
    let roles: Vec<String> = roles.map(|role| format!("--role {}", game.role_name(role))).collect();
    UsageError(format!(
        "each role of this game sees only a part of the state; choose the role to search for: {}",
        roles.join(" or ")
    ))
}

struct Analyze {
    json: bool,
    /// The only role to report on. `None` for all roles.
    role: Option<Role>,
    options: MctsOptions,
    iterations: Option<u64>,
    seconds: Option<Duration>,
    record: Option<Record>,
    stop: StopToken,
}

impl WithMachine for Analyze {
    type Output = anyhow::Result<Exit>;

    fn run<M: Playouts + 'static>(self, mut machine: M) -> anyhow::Result<Exit> {
        let Analyze { json, role, options, iterations, seconds, record, stop } = self;
        machine.interrupt_on(&stop);
        let state = match &record {
            None => machine.initial_state()?,
            Some(record) => record.follow(&mut machine, |_, _, _| Ok(()))?,
        };
        let game = machine.game().clone();
        let roles: Vec<Role> = game.roles().filter(|&one| role.is_none_or(|role| role == one)).collect();
        let is_over = machine.is_terminal(&state)?;
        let mut search = Search::from_state(machine, &options, state)?;
        let live = (std::io::stderr().is_terminal() && !json).then(screen);
        let halt = think(&mut search, iterations, seconds, &stop, |search| {
            // An error of the rules ends the search, which then reports it.
            if let Some(live) = &live
                && let Ok(analyses) = analyses(&roles, search)
            {
                live.set_message(table(&game, &analyses));
            }
        });
        if let Some(live) = live {
            live.finish_and_clear();
        }
        if let Halt::Failing(error) = halt {
            return Err(error.into());
        }
        let analyses = analyses(&roles, &mut search)?;
        let mut object = object(&game, &analyses, is_over, halt == Halt::Decided);
        let decisive = if options.has(Technique::Decisive) {
            search.machine().decisive().to_string()
        } else {
            "off: the search does without".to_owned()
        };
        let table = format!("{}\ndecisive moves: {decisive}", table(&game, &analyses));
        object["decisive"] = json!(decisive);
        print(json.then_some(&object), is_over, &table)?;
        Ok(if halt == Halt::Stopped { Exit::Findings } else { Exit::Done })
    }
}

/// Prints `object` if it is given, otherwise the text `table`.
fn print(object: Option<&Value>, is_over: bool, table: &str) -> anyhow::Result<()> {
    let mut out = console::stdout();
    match object {
        Some(object) => output::object(&mut out, output::ANALYZE, object)?,
        None if is_over => writeln!(out, "The game is over in this state.")?,
        None => writeln!(out, "{table}")?,
    }
    Ok(out.flush()?)
}

/// The analysis for one role of a game of hidden information. It rests on the moves and percepts of the role.
struct AnalyzeOwn {
    json: bool,
    role: Role,
    options: MctsOptions,
    seconds: Option<Duration>,
    record: Option<Record>,
    stop: StopToken,
}

impl AnalyzeOwn {
    fn run(self, game: &Arc<Game>, reasoner: &Reasoner) -> anyhow::Result<Exit> {
        let AnalyzeOwn { json, role, options, seconds, record, stop } = self;
        let mut player = reasoner.player(PlayerSpec::Mcts(options)).map_err(UsageError::of)?;
        let mut machine = Interpreter::new(game);
        let (observations, is_over) = observations(&mut machine, role, record.as_ref())?;
        if is_over {
            let nothing = Analysis { role, report: SearchReport::default() };
            let object = object(game, &[nothing], true, false);
            print(json.then_some(&object), true, "")?;
            return Ok(Exit::Done);
        }
        let mut possible = InformationSet::initial(&mut machine, role, STATES)?;
        for observation in &observations {
            // The seed says nothing about the match, so neither does a sample that is drawn with it.
            possible.follow(&mut machine, observation.borrowed(), 0)?;
        }
        let clocks = Clocks { start: Duration::MAX, play: seconds.unwrap_or(Duration::MAX) };
        let report = advice(player.as_mut(), (game, role), &observations, clocks, &stop)?;
        let analyses = [Analysis { role, report }];
        let (count, extent) = (possible.states().len(), possible.extent());
        let mut object = object(game, &analyses, false, false);
        let word = match extent {
            Extent::Enumerated => "enumerated",
            Extent::Sampled => "sampled",
        };
        object["possible"] = json!({ "states": count, "extent": word });
        let over = match extent {
            Extent::Enumerated if count == 1 => "the state, which is known".to_owned(),
            Extent::Enumerated => format!("{count} possible states"),
            Extent::Sampled => format!("possible states, too many to list; a sample has {count}"),
        };
        let name = game.role_name(role);
        let table = format!("{}\nExpected goals of {name} are means over {over}.", table(game, &analyses));
        print(json.then_some(&object), false, &table)?;
        Ok(if stop.is_stopped() { Exit::Findings } else { Exit::Done })
    }
}

/// The observations of `role` in the match of `record`, and whether the match is over after its last move.
fn observations(
    machine: &mut Interpreter,
    role: Role,
    record: Option<&Record>,
) -> anyhow::Result<(Vec<OwnedObservation>, bool)> {
    let mut observations = vec![OwnedObservation::Start];
    let Some(record) = record else {
        let state = machine.initial_state()?;
        return Ok((observations, machine.is_terminal(&state)?));
    };
    let mut moves = record.moves();
    let mut before = None;
    let last = record.follow(machine, |machine, _, state| {
        if let Some(before) = before.replace(state.clone()) {
            let joint = machine.parse_legal_joint(&before, moves.next().unwrap_or_default())?;
            let mut seen = Vec::new();
            machine.percepts(&before, &joint, role, &mut seen)?;
            let (turn, own) = (observations.len() as u32, machine.move_text(joint[role.index()]).to_owned());
            observations.push(OwnedObservation::Percepts { turn, own, seen });
        }
        Ok(())
    })?;
    Ok((observations, machine.is_terminal(&last)?))
}

/// Searches in slices of time, and calls `each` after every slice. A search without a time limit has no
/// slices and never calls `each`, so that its result does not depend on the clock.
fn think<M: Playouts>(
    search: &mut Search<M>,
    iterations: Option<u64>,
    seconds: Option<Duration>,
    stop: &StopToken,
    mut each: impl FnMut(&mut Search<M>),
) -> Halt {
    let limits = Limits { iterations, ..Limits::default() }.or_when(stop);
    let Some(seconds) = seconds else { return search.run(&limits) };
    let end = Deadline::after(seconds);
    let mut slice = SLICE;
    loop {
        let left = end.remaining().unwrap_or(Duration::MAX);
        let before = search.playouts();
        let done = search.iterations();
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

/// The search results for a role.
struct Analysis {
    role: Role,
    report: SearchReport,
}

fn analyses<M: Playouts>(roles: &[Role], search: &mut Search<M>) -> Result<Vec<Analysis>, EvalError> {
    // A search without iterations has not asked for its moves yet.
    search.choices(Role(0))?;
    Ok(roles.iter().map(|&role| Analysis { role, report: search.report(role) }).collect())
}

/// The results for roles as a table.
fn table(game: &Game, analyses: &[Analysis]) -> String {
    let mut lines = Vec::new();
    let first = analyses.first().map(|first| &first.report);
    if let Some(SearchReport { iterations, playouts, nodes, elapsed, .. }) = first {
        let seconds = elapsed.as_secs_f64();
        lines.push(format!("{iterations} iterations, {playouts} playouts, {nodes} nodes in {seconds:.1} s"));
    }
    for analysis in analyses {
        let candidates = &analysis.report.candidates;
        let shown: Vec<&Candidate> = candidates.iter().take(SHOWN).collect();
        let moves: Vec<String> = shown.iter().map(|candidate| console::printable(&candidate.mv)).collect();
        let width = moves.iter().map(|mv| mv.chars().count()).max().unwrap_or(0).min(MAX_PADDED);
        lines.push(game.role_name(analysis.role).to_owned());
        for (candidate, mv) in shown.iter().zip(&moves) {
            let score = candidate.score.map_or("-".to_owned(), |score| format!("{score:.1}"));
            let proved = candidate.proven.map_or(String::new(), |goal| format!("  {goal} proved"));
            let drawn =
                candidate.probability.map_or(String::new(), |share| format!("  {:>3.0} %", share * 100.0));
            lines.push(format!("  {mv:<width$}  {:>10}  {score:>5}{drawn}{proved}", candidate.visits));
        }
        if candidates.len() > SHOWN {
            lines.push(console::paint_stdout(FAINT, &format!("  and {} more", candidates.len() - SHOWN)));
        }
    }
    if let Some(report) = first.filter(|report| !report.principal.is_empty()) {
        let joints: Vec<String> =
            report.principal.iter().map(|joint| format!("({})", joint.join(" "))).collect();
        lines.push(format!("principal variation  {}", console::printable(&joints.join(" "))));
    }
    lines.join("\n")
}

/// The results for roles as a JSON object. Scripts rely on the names of its members.
fn object(game: &Game, analyses: &[Analysis], is_over: bool, is_decided: bool) -> Value {
    let roles = analyses.iter().map(|analysis| {
        let candidate = |c: &Candidate| {
            json!({
                "move": c.mv, "visits": c.visits, "score": c.score, "proven": c.proven, "probability": c.probability
            })
        };
        let candidates = analysis.report.candidates.iter().map(candidate).collect();
        (game.role_name(analysis.role).to_owned(), candidates)
    });
    let roles: serde_json::Map<String, Value> = roles.collect();
    let all = analyses.first().map(|first| first.report.clone()).unwrap_or_default();
    json!({
        "terminal": is_over,
        "decided": is_decided,
        "iterations": all.iterations,
        "playouts": all.playouts,
        "nodes": all.nodes,
        "seconds": all.elapsed.as_secs_f64(),
        "roles": roles,
        "principal": all.principal,
    })
}
