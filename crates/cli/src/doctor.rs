//! `ggp doctor`: what this program has found of the machine, and a self-test.

use crate::console::{self, BAD, GOOD};
use crate::exit::Exit;
use crate::meter;
use crate::output;
use crate::reach::reach;
use crate::reasoner::{self, CacheOption};
use anyhow::{Context, ensure};
use ggp::{Build, Choice, Clocks, MatchSetup, PlayerKind};
use ggp_game::{Fingerprint, Game, Interpreter, PlayoutPlan, Playouts, StateMachine, perft};
use ggp_propnet::Cpu;
use ggp_server::http::Address;
use serde::Serialize;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The numbers of sequences of moves of tic-tac-toe, by their length.
const TIC_TAC_TOE: [u64; 6] = [1, 9, 72, 504, 3_024, 15_120];
/// The number of playouts in which the network must agree with the interpreter.
const PLAYOUTS: usize = 300;
/// The memory of a player of the test match, in MiB.
const MEMORY: usize = 16;

/// Show what ggp finds on this machine, and test ggp itself
///
/// Prints the version, the processor's classes, the limits and the cache. Then counts moves, compares playouts of the
/// network with those of the interpreter, and plays a match. Takes about ten seconds at most. The exit code is 1 if a
/// part fails.
///
/// With --reach it tests nothing but whether `ggp web` or `ggp serve` answers at an address, within five seconds. This is
/// the health check of a container, which has no other program.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  ggp doctor
  ggp doctor --cpu plain
  ggp doctor --reach localhost:8080
  ggp doctor --json | jq .passed")]
pub(crate) struct Arguments {
    /// The class of processors for which the network is compiled: plain, avx2 or avx512; the best that
    /// this one has by default
    #[arg(long, value_name = "KIND", value_parser = reasoner::cpu)]
    cpu: Option<Cpu>,
    #[command(flatten)]
    cache: CacheOption,
    /// Say only whether a server answers at this address. Without a port it is 9147, that of `ggp serve`; `ggp web` has
    /// 8080
    #[arg(long, value_name = "HOST[:PORT]", conflicts_with = "cpu")]
    reach: Option<Address>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// One line of the output.
#[derive(Serialize)]
struct Line {
    name: &'static str,
    /// `None` for a line that only tells something.
    passed: Option<bool>,
    says: String,
}

impl Line {
    fn told(name: &'static str, says: String) -> Line {
        Line { name, passed: None, says }
    }

    fn tested(name: &'static str, test: impl FnOnce() -> anyhow::Result<String>) -> Line {
        let began = Instant::now();
        match test() {
            Ok(says) => {
                let says = format!("{says}, in {:.1} s", began.elapsed().as_secs_f64());
                Line { name, passed: Some(true), says }
            }
            Err(why) => Line { name, passed: Some(false), says: format!("{why:#}") },
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let cpu = arguments.cpu.unwrap_or_else(Cpu::detect);
    let mut out = console::stdout();
    let mut passed = true;
    let mut lines = Vec::new();
    let mut show = |line: Line| -> std::io::Result<()> {
        passed &= line.passed != Some(false);
        if !arguments.json {
            let mark = match line.passed {
                None => String::new(),
                Some(true) => console::paint_stdout(GOOD, "passed: "),
                Some(false) => console::paint_stdout(BAD, "FAILED: "),
            };
            writeln!(out, "{:<10} {mark}{}", line.name, line.says)?;
            out.flush()?;
        }
        lines.push(line);
        Ok(())
    };
    if let Some(address) = &arguments.reach {
        show(Line::tested("server", || reach(address)))?;
    } else {
        show(Line::told("version", version()))?;
        show(Line::told("processor", processor(cpu)))?;
        show(Line::told("memory", memory()))?;
        show(Line::told("cache", cache(arguments.cache)))?;
        show(Line::tested("moves", moves))?;
        show(Line::tested("network", || network(cpu)))?;
        show(Line::tested("match", || one_match(cpu)))?;
    }
    if arguments.json {
        output::object(&mut out, output::DOCTOR, &serde_json::json!({ "passed": passed, "lines": lines }))?;
    }
    out.flush()?;
    Ok(if passed { Exit::Done } else { Exit::Findings })
}

fn version() -> String {
    let kind = if cfg!(debug_assertions) { "debug build" } else { "release build" };
    let system = format!("{}, {}", std::env::consts::ARCH, std::env::consts::OS);
    format!("ggp {} ({system}, {kind})", env!("CARGO_PKG_VERSION"))
}

fn processor(cpu: Cpu) -> String {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let all: Vec<&str> = Cpu::available().into_iter().map(Cpu::name).collect();
    format!("{threads} threads; classes {}; the network uses {}", all.join(", "), cpu.name())
}

fn memory() -> String {
    let limit = address_space().map_or("no limit".to_owned(), |bytes| format!("{} MiB", bytes >> 20));
    let peak = meter::peak_rss_mib().map_or("unknown".to_owned(), |mib| format!("{mib:.0} MiB"));
    format!("address space: {limit}; used so far: {peak}")
}

/// The largest address space that the system allows this process, in bytes.
fn address_space() -> Option<u64> {
    #[cfg(unix)]
    return rustix::process::getrlimit(rustix::process::Resource::As).current;
    #[cfg(not(unix))]
    None
}

fn cache(option: CacheOption) -> String {
    let Some(cache) = option.cache() else {
        return "none: switched off, or the system names no folder for it (GGP_CACHE names one)".to_owned();
    };
    let folder = cache.folder();
    match cache.usage() {
        Ok(usage) => {
            let mib = usage.bytes as f64 / f64::from(1 << 20);
            let writable =
                if can_write(folder) { "" } else { "; it cannot be written, so no network is kept" };
            format!("{}: {} networks, {mib:.1} MiB{writable}", folder.display(), usage.networks)
        }
        Err(error) => format!("{}: {error}; networks are built anew each time", folder.display()),
    }
}

/// Whether a file can be created in `folder`, or in the nearest of its parents that exists.
fn can_write(folder: &std::path::Path) -> bool {
    let nearest = folder.ancestors().find(|folder| folder.is_dir());
    nearest.is_some_and(|folder| tempfile::tempfile_in(folder).is_ok())
}

/// A game that is compiled into the program.
fn game(name: &str) -> anyhow::Result<Arc<Game>> {
    let offer = ggp_web::catalogue::embedded().into_iter().find(|offer| offer.name == name);
    let offer = offer.with_context(|| format!("{name} is not part of this program"))?;
    Ok(ggp::parse(std::str::from_utf8(&offer.kif)?)?)
}

/// Counts moves by the interpreter.
fn moves() -> anyhow::Result<String> {
    let mut machine = Interpreter::new(&game("tic_tac_toe")?);
    let start = machine.initial_state()?;
    let counts = perft(&mut machine, &start, TIC_TAC_TOE.len() as u32 - 1)?;
    ensure!(
        counts == TIC_TAC_TOE,
        "sequences of moves of tic_tac_toe: {counts:?} instead of {TIC_TAC_TOE:?}"
    );
    Ok(format!("{} sequences of moves of tic_tac_toe", counts[counts.len() - 1]))
}

/// Plays the same playouts by the interpreter and by the network.
fn network(cpu: Cpu) -> anyhow::Result<String> {
    let game = game("breakthrough_holes")?;
    let reasoner = Build { choice: Choice::Propnet, cpu, ..Build::default() }.reasoner(&game)?;
    let network = reasoner.as_network().context("no network was built")?.clone();
    let (slow, fast) = (playouts(Interpreter::new(&game))?, playouts(network)?);
    ensure!(slow == fast, "the network plays breakthrough_holes unlike the interpreter: {fast:?}, {slow:?}");
    let steps = fast.steps;
    Ok(format!("{PLAYOUTS} playouts of breakthrough_holes ({steps} steps) as the interpreter plays them"))
}

fn playouts<M: Playouts>(mut machine: M) -> anyhow::Result<Fingerprint> {
    let start = [machine.initial_state()?];
    let mut counts = Fingerprint::new(machine.game().role_count());
    let plan = PlayoutPlan { per_start: PLAYOUTS, ..PlayoutPlan::new(1) };
    machine.playouts(&start, plan, &mut |playout| counts.add(playout.index as u64, &playout))?;
    Ok(counts)
}

/// Plays a match of the search against random moves.
fn one_match(cpu: Cpu) -> anyhow::Result<String> {
    let game = game("connect_four")?;
    let reasoner = Build { cpu, ..Build::default() }.reasoner(&game)?;
    let search = format!("mcts:iterations=300,memory={MEMORY},seed=1");
    let players: [PlayerKind; 2] = [search.parse()?, "random:seed=1".parse()?];
    let clock = Duration::from_secs(5);
    let setup = MatchSetup::new("doctor", Clocks { start: clock, play: clock });
    let outcome = ggp::play_match(&reasoner, &players, setup)?;
    ensure!(outcome.faults.is_empty(), "a player was at fault: {:?}", outcome.faults);
    let goals: Vec<String> =
        outcome.goals.iter().map(|goal| goal.map_or("none".to_owned(), |goal| goal.to_string())).collect();
    ensure!(
        outcome.goals.iter().flatten().map(|&goal| u32::from(goal)).sum::<u32>() == 100,
        "goals {goals:?}"
    );
    Ok(format!("connect_four by mcts against random, goals {}", goals.join(" and ")))
}
