//! `ggp info`: the size of a game: its rules, their grounding and the compiled network.

mod domains;

use crate::console;
use crate::exit::Exit;
use crate::meter;
use crate::number::seconds;
use crate::output;
use crate::progress::Progress;
use crate::reasoner::CacheOption;
use crate::rulesheet::GameFile;
use ggp::{Build, BuildError, CompiledMachine};
use ggp_game::{Game, StateMachine, StopToken};
use ggp_propnet::{PhaseReport, Steps};
use serde::Serialize;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

/// Show the size of a game: its rules, their grounding and the compiled network
///
/// Prints the sizes of the rules and of their grounding, the number of gates after each step of
/// simplification, and the programs that playouts run, one for each phase (such as whose turn it
/// is). If a game has no network, prints the reason, the size of the interpreter's program, and the
/// size of the compiled rules, if the game can be compiled. A network from the cache is marked as such; its
/// times are those of its build.
///
/// With --domains, prints instead the values that can stand at each argument of each fluent, move and
/// relation. Some values may never occur, but what is not listed never does.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  ggp info games/skirmish.kif
  ggp info games/nim.kif --domains
  ggp info games/skirmish.kif --json | jq '.network.phases[0].gates_per_step'")]
pub(crate) struct Arguments {
    #[command(flatten)]
    file: GameFile,
    /// Give up building the network after so many seconds of CPU time; 20 unless given
    #[arg(long, alias = "seconds", value_name = "S", value_parser = seconds)]
    build_seconds: Option<Duration>,
    #[command(flatten)]
    cache: CacheOption,
    /// Print the domains of the arguments instead
    #[arg(long)]
    domains: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let progress = Progress::start("reading the rules");
    let game = arguments.file.load()?;
    if arguments.domains {
        drop(progress);
        return domains::print(game.description(), &arguments.file.game_name(), arguments.json);
    }
    progress.set("building the network");
    let time = arguments.build_seconds.unwrap_or(Build::TIME);
    let build = Build { cache: arguments.cache.cache(), ..Build::within(time) };
    let info = Info::of(arguments.file.game_name(), &game, &build);
    drop(progress);
    let mut out = console::stdout();
    if arguments.json {
        output::object(&mut out, output::INFO, &info)?;
    } else {
        info.write(&mut out)?;
    }
    out.flush()?;
    Ok(Exit::Done)
}

/// The output of the command. Scripts rely on the names of the members.
#[derive(Debug, Serialize)]
struct Info {
    game: String,
    roles: Vec<String>,
    facts: usize,
    rules: usize,
    interpreter: InterpreterInfo,
    network: Option<NetworkInfo>,
    /// The reason why the game has no network. Null if it has a network.
    no_network: Option<String>,
    /// The size of the compiled rules. Null if the game has a network, or if it cannot be compiled.
    compiled: Option<CompiledInfo>,
    /// The reason why the game cannot be compiled. Null if it has a network, or if it can.
    not_compiled: Option<String>,
    peak_rss_mib: Option<f64>,
}

/// The size of the code of the compiled evaluator.
#[derive(Debug, Serialize)]
struct CompiledInfo {
    procedures: usize,
    operations: usize,
}

/// The size of the program that the interpreter evaluates.
#[derive(Debug, Serialize)]
struct InterpreterInfo {
    relations: usize,
    relations_on_demand: usize,
    strata: usize,
    recursive_strata: usize,
    initial_fluents: Option<usize>,
}

#[derive(Debug, Serialize)]
struct NetworkInfo {
    ground_seconds: f64,
    compile_seconds: f64,
    /// The time of reading the network from the cache; the times above are then those of its build. Null if the
    /// network has just been built.
    cache_seconds: Option<f64>,
    fixed_facts: usize,
    possible_facts: usize,
    dynamic_rules: usize,
    instances_by_move: u64,
    instances: u64,
    instances_kept: u64,
    fluents: usize,
    fluents_constant: usize,
    state_bits: usize,
    moves: Vec<usize>,
    move_sets: usize,
    fixpoints: usize,
    fixpoint_unknowns: usize,
    nodes: usize,
    /// The number of two-input gates that the kept rule instances would take without any simplification. A
    /// rule instance is kept if its condition can hold and the network needs its head.
    gates_instantiated: u64,
    /// The number of two-input gates of the network.
    gates: usize,
    lanes: usize,
    defers_goals: bool,
    shares_terminal: bool,
    phases: Vec<PhaseInfo>,
    single: StepsInfo,
    single_rows: usize,
    program_bytes: usize,
    thread_bytes: usize,
}

#[derive(Debug, Serialize)]
struct PhaseInfo {
    fixed_fluents: usize,
    moves: Vec<usize>,
    #[serde(flatten)]
    steps: StepsInfo,
    gates_per_step: usize,
    guarded_gates: usize,
    gates_of_goals: usize,
    levels: usize,
    runs: usize,
    loops: usize,
    unknowns: usize,
    rows: usize,
    working_rows: usize,
}

/// The number of gates after each compilation step.
#[derive(Debug, Serialize)]
struct StepsInfo {
    needed: usize,
    lowered: usize,
    flattened: usize,
    factored: usize,
    shared: usize,
    mapped: usize,
    scheduled: usize,
}

impl From<Steps> for StepsInfo {
    fn from(steps: Steps) -> Self {
        let Steps { needed, lowered, flattened, factored, shared, mapped, scheduled } = steps;
        StepsInfo { needed, lowered, flattened, factored, shared, mapped, scheduled }
    }
}

impl From<PhaseReport> for PhaseInfo {
    fn from(phase: PhaseReport) -> Self {
        PhaseInfo {
            fixed_fluents: phase.fixed,
            moves: phase.moves,
            steps: phase.steps.into(),
            gates_per_step: phase.gates_per_step,
            guarded_gates: phase.guarded_gates,
            gates_of_goals: phase.gates_of_goals,
            levels: phase.levels,
            runs: phase.runs,
            loops: phase.loops,
            unknowns: phase.unknowns,
            rows: phase.rows,
            working_rows: phase.working_rows,
        }
    }
}

impl Info {
    fn of(name: String, game: &Arc<Game>, build: &Build) -> Info {
        let description = game.description();
        let facts = description.rules.iter().filter(|rule| rule.body.is_empty()).count();
        let (network, no_network) = match NetworkInfo::of(game, build) {
            Ok(network) => (Some(network), None),
            Err(why) => (None, Some(why.to_string())),
        };
        let compiled = no_network.is_some().then(|| CompiledMachine::new(game, &StopToken::new()));
        let (compiled, not_compiled) = match compiled {
            Some(Ok(machine)) => {
                let (procedures, operations) = machine.code_size();
                (Some(CompiledInfo { procedures, operations }), None)
            }
            Some(Err(why)) => (None, Some(why.to_string())),
            None => (None, None),
        };
        Info {
            game: name,
            roles: game.roles().map(|role| game.role_name(role).to_owned()).collect(),
            facts,
            rules: description.rules.len() - facts,
            interpreter: InterpreterInfo::of(game),
            network,
            no_network,
            compiled,
            not_compiled,
            peak_rss_mib: meter::peak_rss_mib(),
        }
    }

    fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        line(out, "game", &self.game)?;
        line(out, "roles", &self.roles.join(" "))?;
        line(out, "rules", &format!("{}, and {} facts", grouped(self.rules), grouped(self.facts)))?;
        self.interpreter.write(out)?;
        if let Some(network) = &self.network {
            network.write(&self.roles, out)?;
        }
        if let Some(why) = &self.no_network {
            line(out, "network", &format!("none: {why}"))?;
        }
        if let Some(CompiledInfo { procedures, operations }) = &self.compiled {
            let size = format!("{} procedures, {} operations", grouped(*procedures), grouped(*operations));
            line(out, "compiled rules", &size)?;
            line(
                out,
                "",
                "commands that play many games use them if they are 20 times as fast as the interpreter,",
            )?;
            line(out, "", "and evaluate the game with the interpreter otherwise, one state at a time")?;
        }
        if let Some(why) = &self.not_compiled {
            line(out, "compiled rules", &format!("none: {why}"))?;
            line(out, "", "every command evaluates the game with the interpreter, one state at a time")?;
        }
        if let Some(peak) = self.peak_rss_mib {
            line(out, "peak memory", &format!("{peak:.1} MiB"))?;
        }
        Ok(())
    }
}

impl InterpreterInfo {
    fn of(game: &Arc<Game>) -> InterpreterInfo {
        let semantics = game.semantics();
        let strata = semantics.program().strata();
        let mut interpreter = ggp_game::Interpreter::new(game);
        let mut fluents = Vec::new();
        let initial = interpreter.initial_state().and_then(|state| interpreter.facts(&state, &mut fluents));
        InterpreterInfo {
            relations: semantics.on_demand().len(),
            relations_on_demand: semantics.on_demand().iter().filter(|demanded| **demanded).count(),
            strata: strata.len(),
            recursive_strata: strata.iter().filter(|stratum| stratum.recursive).count(),
            initial_fluents: initial.ok().map(|()| fluents.len()),
        }
    }

    fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        let relations = format!(
            "{}, {} of them on demand; evaluated in {} strata, {} of them recursive",
            self.relations, self.relations_on_demand, self.strata, self.recursive_strata
        );
        line(out, "relations", &relations)?;
        match self.initial_fluents {
            Some(fluents) => line(out, "initially true", &grouped(fluents)),
            None => Ok(()),
        }
    }
}

impl NetworkInfo {
    /// The sizes of the network that `build` gives for `game`. The error is the reason why the game has no network.
    fn of(game: &Arc<Game>, build: &Build) -> Result<NetworkInfo, BuildError> {
        let (machine, times) = build.timed_network(game, &StopToken::new())?;
        let net = machine.net();
        let counts = net.counts();
        let grounding = *net.grounding();
        let moves = net.roles().iter().map(|role| role.moves.len()).collect();
        let report = machine.report();
        Ok(NetworkInfo {
            ground_seconds: times.ground.as_secs_f64(),
            compile_seconds: times.compile.as_secs_f64(),
            cache_seconds: times.read.map(|time| time.as_secs_f64()),
            fixed_facts: grounding.fixed_facts,
            possible_facts: grounding.possible_facts,
            dynamic_rules: grounding.rules,
            instances_by_move: grounding.instances_by_move,
            instances: grounding.instances,
            instances_kept: grounding.kept,
            fluents: report.fluents,
            fluents_constant: report.constant,
            state_bits: report.state_bits,
            moves,
            move_sets: counts.move_sets,
            fixpoints: counts.components,
            fixpoint_unknowns: counts.recursive,
            nodes: grounding.nodes,
            gates_instantiated: grounding.gates,
            gates: counts.gates,
            lanes: report.lanes,
            defers_goals: report.defers_goals,
            shares_terminal: report.shares_terminal,
            phases: report.phases.into_iter().map(PhaseInfo::from).collect(),
            single: report.single.into(),
            single_rows: report.single_rows,
            program_bytes: report.program_bytes,
            thread_bytes: report.thread_bytes,
        })
    }

    fn write(&self, roles: &[String], out: &mut impl Write) -> std::io::Result<()> {
        let number = |number: usize| grouped(number);
        let fixed = self.phases.first().map_or(0, |phase| phase.fixed_fluents);
        writeln!(out)?;
        line(out, "grounded in", &format!("{:.3} s", self.ground_seconds))?;
        line(out, "facts, always true", &number(self.fixed_facts))?;
        line(out, "facts, possible", &number(self.possible_facts))?;
        line(out, "rules of these", &number(self.dynamic_rules))?;
        line(out, "instances by move", &grouped(self.instances_by_move))?;
        line(out, "instances by set", &grouped(self.instances))?;
        line(out, "instances kept", &grouped(self.instances_kept))?;
        line(out, "fluents", &number(self.fluents))?;
        line(out, "  never change", &number(self.fluents_constant))?;
        line(out, "  known by the phase", &number(fixed))?;
        line(out, "  without influence", &number(self.without_influence(fixed)))?;
        line(out, "  kept as bits", &number(self.state_bits))?;
        for (role, &moves) in roles.iter().zip(&self.moves) {
            line(out, &format!("moves of {role}"), &number(moves))?;
        }
        line(out, "sets of moves", &number(self.move_sets))?;
        let unknowns = number(self.fixpoint_unknowns);
        line(out, "recursion", &format!("{} components, {unknowns} unknowns", number(self.fixpoints)))?;

        writeln!(out, "\ngates of two inputs")?;
        line(out, "  instances as they are", &grouped(self.gates_instantiated))?;
        line(out, "  network", &number(self.gates))?;
        writeln!(out)?;
        line(out, "compiled in", &format!("{:.3} s", self.compile_seconds))?;
        self.write_programs(roles, out)?;
        writeln!(out)?;
        line(out, "playouts at a time", &number(self.lanes))?;
        let saves = [
            (self.shares_terminal, "terminal and legal share gates"),
            (self.defers_goals, "goals wait for one another"),
        ];
        for (_, what) in saves.into_iter().filter(|(does, _)| *does) {
            line(out, "", what)?;
        }
        let kib = |bytes: usize| format!("{} KiB", grouped(bytes.div_ceil(1024)));
        line(out, "programs", &format!("{}, shared by threads", kib(self.program_bytes)))?;
        line(out, "rows", &format!("{} a thread", kib(self.thread_bytes)))?;
        match self.cache_seconds {
            Some(time) => {
                line(out, "from the cache", &format!("in {time:.3} s; the times are those of its build"))
            }
            None => Ok(()),
        }
    }

    /// The number of fluents that influence nothing in a phase: all fluents except the constant ones, those
    /// that are kept as state bits, and the `fixed` fluents whose values the phase fixes.
    fn without_influence(&self, fixed: usize) -> usize {
        self.fluents.saturating_sub(self.fluents_constant + fixed + self.state_bits)
    }

    /// Writes a table of the programs. Each phase (such as the turn of one role) has a column for its playout
    /// program. The last column is for the program that evaluates one state at a time.
    fn write_programs(&self, roles: &[String], out: &mut impl Write) -> std::io::Result<()> {
        type Cell<'a> = &'a dyn Fn(&PhaseInfo) -> usize;
        type Step = (&'static str, fn(&StepsInfo) -> usize);
        let phase =
            |at: usize| if self.phases.len() > 1 { format!("phase {at}") } else { "playouts".to_owned() };
        let heads: Vec<String> =
            (0..self.phases.len()).map(phase).chain(["single states".to_owned()]).collect();
        columns(out, "", &heads)?;
        let single = |steps: Option<fn(&StepsInfo) -> usize>| steps.map(|read| read(&self.single));
        let mut row = |name: &str, cell: Cell<'_>, alone: Option<usize>| {
            let cells = self.phases.iter().map(|phase| grouped(cell(phase)));
            let cells: Vec<String> = cells.chain(alone.map(grouped)).collect();
            columns(out, name, &cells)
        };
        for (number, role) in roles.iter().enumerate() {
            row(&format!("  moves of {role}"), &|phase| phase.moves[number], None)?;
        }
        let steps: [Step; 7] = [
            ("  gates needed", |steps| steps.needed),
            ("  sets as gates", |steps| steps.lowered),
            ("  flattened", |steps| steps.flattened),
            ("  common factors out", |steps| steps.factored),
            ("  pairs shared", |steps| steps.shared),
            ("  of three inputs", |steps| steps.mapped),
            ("  with copies", |steps| steps.scheduled),
        ];
        for (name, read) in steps {
            row(name, &|phase| read(&phase.steps), single(Some(read)))?;
        }
        row("  gates a step", &|phase| phase.gates_per_step, None)?;
        row("    with guards", &|phase| phase.guarded_gates, None)?;
        row("  gates of the goals", &|phase| phase.gates_of_goals, None)?;
        row("  levels", &|phase| phase.levels, None)?;
        row("  runs of one kind", &|phase| phase.runs, None)?;
        row("  loops", &|phase| phase.loops, None)?;
        row("  unknowns in loops", &|phase| phase.unknowns, None)?;
        row("  rows", &|phase| phase.rows, Some(self.single_rows))?;
        row("  rows of gates", &|phase| phase.working_rows, None)
    }
}

/// The width of the first column of the output, in characters. It holds the name of each quantity.
const NAME: usize = 25;

fn line(out: &mut impl Write, name: &str, value: &str) -> std::io::Result<()> {
    writeln!(out, "{name:NAME$}{value}")
}

fn columns(out: &mut impl Write, name: &str, cells: &[String]) -> std::io::Result<()> {
    write!(out, "{name:NAME$}")?;
    for cell in cells {
        write!(out, "{cell:>15}")?;
    }
    writeln!(out)
}

/// A number as text, with commas between groups of three digits.
fn grouped(number: impl Into<Number>) -> String {
    let digits = number.into().0.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

struct Number(u64);

impl From<usize> for Number {
    fn from(number: usize) -> Self {
        Number(number as u64)
    }
}

impl From<u64> for Number {
    fn from(number: u64) -> Self {
        Number(number)
    }
}
