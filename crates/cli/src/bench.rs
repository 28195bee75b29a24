//! `ggp bench`: measures the speed of random playouts, or prints a fingerprint (counts and a checksum) of a
//! fixed number of playouts. Two reasoners that evaluate the rules alike have the same fingerprint.
//!
//! Invariant: every playout that starts is completed and counted, in timed runs too. Otherwise short
//! playouts would be over-represented.

use crate::console;
use crate::exit::Exit;
use crate::meter;
use crate::number::{positive_seconds, whole};
use crate::output;
use crate::progress::Progress;
use crate::reasoner::{self, MachineOption};
use crate::rulesheet::GameFile;
use ggp::{Build, WithMachine};
use ggp_game::{Batches, Fingerprint, Playout, PlayoutPlan, Playouts, StateMachine};
use ggp_propnet::{Cpu, PropNetMachine, SweepStep};
use serde::Serialize;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The duration that a batch of playouts should have, as a share of the timed run. Batches should be long: a
/// batch lasts until its longest playout ends, and towards its end most lanes of the network (one for each
/// simultaneous playout) are idle.
const BATCH_SHARE: f64 = 0.1;
const LARGEST_BATCH: u64 = 1 << 18;
/// The duration of the profiling run, as a share of the timed run.
const PROFILE_SHARE: f64 = 0.1;

/// Measure random playouts from the initial state
///
/// With --seconds, plays for about that time and prints the number of playouts per second of CPU
/// time. Every playout that was begun is finished and counted. With --playouts, plays exactly that
/// many and prints counts that depend only on the rules and the seed, not on the reasoner. The network is always
/// built anew: the cache of built networks is not used.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  ggp bench games/endgame.kif --seconds 5
  ggp bench games/endgame.kif --seconds 5 --json | jq .playouts_per_cpu_second
  ggp bench games/endgame.kif --reasoner propnet --against 1000000
  ggp bench games/endgame.kif --playouts 1000 --seed 7")]
pub(crate) struct Arguments {
    #[command(flatten)]
    file: GameFile,
    /// The time to play, in seconds
    #[arg(long, value_name = "S", default_value = "5", value_parser = positive_seconds)]
    seconds: Duration,
    /// Play exactly N playouts instead, and print counts that every reasoner must reproduce
    #[arg(long, value_name = "N", conflicts_with = "seconds", value_parser = whole(1u64..))]
    playouts: Option<u64>,
    /// The seed of the random moves
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(0u64..))]
    seed: u64,
    /// The number of threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(1..=u8::MAX))]
    threads: u8,
    /// Also print how many times as fast this is as so many playouts per CPU second
    #[arg(long, value_name = "RATE", conflicts_with = "playouts", value_parser = rate)]
    against: Option<f64>,
    /// With --json, also print the share of time of each part of the network
    #[arg(long, conflicts_with = "playouts")]
    profile: bool,
    /// The class of processors for which the network is compiled: plain, avx2 or avx512; it does not
    /// change any count
    #[arg(long, value_name = "KIND", value_parser = reasoner::cpu)]
    cpu: Option<Cpu>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineOption,
}

fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate > 0.0);
    rate.ok_or_else(|| "not a valid number of playouts; write a positive number".to_owned())
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let progress = Progress::start("reading the rules");
    let began = Instant::now();
    let game = arguments.file.load()?;
    let cpu = arguments.cpu.unwrap_or_else(Cpu::detect);
    let reasoner = arguments.machine.build(&game, Build { cpu, ..Build::default() })?;
    let build_seconds = began.elapsed().as_secs_f64();
    progress.set("playing");
    let tally = reasoner.with(Play {
        seed: arguments.seed,
        until: match arguments.playouts {
            Some(playouts) => Until::Playouts(playouts),
            None => Until::Time(arguments.seconds),
        },
        threads: arguments.threads.into(),
    })?;
    let shares = match reasoner.as_network() {
        Some(machine) if arguments.playouts.is_none() && (!arguments.json || arguments.profile) => {
            Some(Shares::measure(machine, arguments.seed, arguments.seconds.mul_f64(PROFILE_SHARE))?)
        }
        _ => None,
    };
    drop(progress);
    tally.warn();
    let game = arguments.file.game_name();
    let mut out = console::stdout();
    match (arguments.playouts, arguments.json) {
        (Some(_), true) => {
            serde_json::to_writer(&mut out, &tally.counted(game, arguments.seed))?;
            writeln!(out)?;
        }
        (Some(_), false) => tally.counted(game, arguments.seed).write(&mut out)?,
        (None, json) => {
            let mut speed = tally.speed(game, reasoner.name(), build_seconds);
            speed.shares = shares;
            speed.ratio = arguments.against.map(|rate| speed.playouts_per_cpu_second / rate);
            if json {
                output::object(&mut out, output::BENCH, &speed)?;
            } else {
                speed.write(&mut out)?;
            }
        }
    }
    out.flush()?;
    Ok(Exit::Done)
}

#[derive(Clone, Copy)]
enum Until {
    Time(Duration),
    Playouts(u64),
}

struct Play {
    seed: u64,
    until: Until,
    threads: usize,
}

impl WithMachine for Play {
    type Output = anyhow::Result<Tally>;

    fn run<M: Playouts + 'static>(self, machine: M) -> anyhow::Result<Tally> {
        let began = Instant::now();
        let cpu_before = meter::cpu_seconds();
        // The threads share only the index of the next playout.
        let next = AtomicU64::new(0);
        let tallies: Vec<anyhow::Result<Tally>> = thread::scope(|scope| {
            let workers: Vec<_> = (0..self.threads)
                .map(|_| {
                    let machine = machine.clone();
                    scope.spawn(|| self.work(machine, &next, began))
                })
                .collect();
            workers.into_iter().map(|worker| worker.join().expect("a worker does not panic")).collect()
        });
        let mut whole = Tally::new(machine.game().role_count());
        for tally in tallies {
            whole.join(&tally?);
        }
        whole.cpu_seconds = meter::cpu_seconds() - cpu_before;
        Ok(whole)
    }
}

impl Play {
    /// The work of one thread: plays batches until the number of playouts or the time is reached.
    fn work<M: Playouts>(&self, mut machine: M, next: &AtomicU64, began: Instant) -> anyhow::Result<Tally> {
        let start = [machine.initial_state()?];
        let mut tally = Tally::new(machine.game().role_count());
        let mut batch = match self.until {
            Until::Time(_) => 1,
            Until::Playouts(wanted) => wanted.div_ceil(self.threads as u64).clamp(1, LARGEST_BATCH),
        };
        loop {
            let first = next.fetch_add(batch, Ordering::Relaxed);
            let count = match self.until {
                Until::Time(limit) if tally.counts.playouts > 0 && began.elapsed() >= limit => break,
                Until::Time(_) => batch,
                Until::Playouts(wanted) => batch.min(wanted.saturating_sub(first)),
            };
            if count == 0 {
                break;
            }
            let plan = PlayoutPlan { first, per_start: count as usize, ..PlayoutPlan::new(self.seed) };
            let batch_began = Instant::now();
            machine.playouts(&start, plan, &mut |playout| tally.add(plan.first, &playout))?;
            if let Until::Time(limit) = self.until
                && batch_began.elapsed().as_secs_f64() < limit.as_secs_f64() * BATCH_SHARE
            {
                batch = (batch * 2).min(LARGEST_BATCH);
            }
        }
        Ok(tally)
    }
}

/// The counts of the completed playouts.
#[derive(Debug)]
struct Tally {
    counts: Fingerprint,
    /// The number of playouts that ended without a terminal state: at the limit of steps, or in a state in
    /// which a role has no legal move.
    unfinished: u64,
    /// For each role, the number of playouts that count in its mean goal. A playout counts if its last state
    /// is terminal, or if the role has a goal in this state.
    scored: Vec<u64>,
    cpu_seconds: f64,
}

impl Tally {
    fn new(roles: usize) -> Tally {
        Tally { counts: Fingerprint::new(roles), unfinished: 0, scored: vec![0; roles], cpu_seconds: 0.0 }
    }

    /// Adds the counts of another thread.
    fn join(&mut self, other: &Tally) {
        self.counts.join(&other.counts);
        self.unfinished += other.unfinished;
        self.scored.iter_mut().zip(&other.scored).for_each(|(ours, theirs)| *ours += theirs);
    }

    fn add(&mut self, first: u64, playout: &Playout<'_>) {
        self.counts.add(first + playout.index as u64, playout);
        self.unfinished += u64::from(!playout.terminal);
        for (count, goals) in self.scored.iter_mut().zip(playout.goals) {
            // A terminal state without a goal scores 0; a playout that was cut off may have no goal.
            *count += u64::from(playout.terminal || goals.largest().is_some());
        }
    }

    fn warn(&self) {
        if self.unfinished > 0 {
            let all = self.counts.playouts;
            console::say(&format!("{} of {all} playouts came to no terminal state", self.unfinished));
        }
    }

    fn speed(&self, game: String, reasoner: &'static str, build_seconds: f64) -> Speed {
        let per_second = |count: u64| count as f64 / self.cpu_seconds.max(1e-9);
        let Fingerprint { playouts, steps, ref goal_sums, .. } = self.counts;
        let mean = |(&sum, &count): (&u64, &u64)| (count > 0).then(|| sum as f64 / count as f64);
        Speed {
            game,
            reasoner,
            build_seconds,
            playouts,
            steps,
            cpu_seconds: self.cpu_seconds,
            playouts_per_cpu_second: per_second(playouts),
            steps_per_cpu_second: per_second(steps),
            mean_length: steps as f64 / playouts as f64,
            mean_goals: goal_sums.iter().zip(&self.scored).map(mean).collect(),
            peak_rss_mib: meter::peak_rss_mib(),
            ratio: None,
            shares: None,
        }
    }

    fn counted(&self, game: String, seed: u64) -> Counted {
        let Fingerprint { playouts, steps, ref goal_sums, checksum } = self.counts;
        let checksum = format!("{checksum:016x}");
        Counted { game, seed, playouts, steps, goal_sums: goal_sums.clone(), checksum }
    }
}

/// The output of a timed run. Scripts rely on the names of the members.
#[derive(Debug, Serialize)]
struct Speed {
    game: String,
    reasoner: &'static str,
    build_seconds: f64,
    playouts: u64,
    steps: u64,
    cpu_seconds: f64,
    playouts_per_cpu_second: f64,
    steps_per_cpu_second: f64,
    mean_length: f64,
    mean_goals: Vec<Option<f64>>,
    peak_rss_mib: Option<f64>,
    /// The number of playouts per CPU second, divided by the rate that `--against` gives. `None` without
    /// `--against`.
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shares: Option<Shares>,
}

/// The shares of the playouts' time that the parts of a step take, each from 0 to 1.
#[derive(Debug, Default, Serialize)]
struct Shares {
    /// The share of the time for the gates of the terminal condition, the goals and the legal moves.
    gates: f64,
    choice: f64,
    /// The share of the time for the gates of the next state.
    next: f64,
    bookkeeping: f64,
}

impl Shares {
    /// Measures the shares in a separate run that takes about `time`. The timed run does not measure them,
    /// because reading the clock slows playouts down.
    fn measure(machine: &PropNetMachine, seed: u64, time: Duration) -> anyhow::Result<Shares> {
        let mut machine = machine.clone();
        let start = [machine.initial_state()?];
        let (mut shares, mut batch) = (Shares::default(), machine.lanes());
        let began = Instant::now();
        while began.elapsed() < time {
            let plan = PlayoutPlan { per_start: batch, ..PlayoutPlan::new(seed) };
            shares = Shares::default();
            let mut last = Instant::now();
            let mut observer = |part: SweepStep| {
                let now = Instant::now();
                let taken = (now - last).as_secs_f64();
                last = now;
                match part {
                    SweepStep::Gates => shares.gates += taken,
                    SweepStep::Choice => shares.choice += taken,
                    SweepStep::Next => shares.next += taken,
                    SweepStep::Bookkeeping => shares.bookkeeping += taken,
                }
            };
            machine.observed_playouts(&start, plan, &mut |_| {}, Some(&mut observer))?;
            batch *= 2;
        }
        let all = (shares.gates + shares.choice + shares.next + shares.bookkeeping).max(1e-9);
        for share in [&mut shares.gates, &mut shares.choice, &mut shares.next, &mut shares.bookkeeping] {
            *share /= all;
        }
        Ok(shares)
    }
}

impl Speed {
    fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        let goal = |goal: &Option<f64>| goal.map_or("-".to_owned(), |mean| format!("{mean:.2}"));
        let goals: Vec<String> = self.mean_goals.iter().map(goal).collect();
        writeln!(out, "game                     {}", self.game)?;
        writeln!(out, "reasoner                 {}", self.reasoner)?;
        writeln!(out, "build                    {:.3} s", self.build_seconds)?;
        writeln!(out, "playouts                 {}", self.playouts)?;
        writeln!(out, "steps                    {}", self.steps)?;
        writeln!(out, "CPU time                 {:.3} s", self.cpu_seconds)?;
        writeln!(out, "playouts per CPU second  {:.1}", self.playouts_per_cpu_second)?;
        writeln!(out, "steps per CPU second     {:.0}", self.steps_per_cpu_second)?;
        writeln!(out, "mean length              {:.2}", self.mean_length)?;
        writeln!(out, "mean goals               {}", goals.join(" / "))?;
        if let Some(peak) = self.peak_rss_mib {
            writeln!(out, "peak memory              {peak:.1} MiB")?;
        }
        if let Some(ratio) = self.ratio {
            writeln!(out, "ratio                    {ratio:.2}")?;
        }
        if let Some(Shares { gates, choice, next, bookkeeping }) = self.shares {
            let [gates, choice, next, rest] = [gates, choice, next, bookkeeping].map(|share| 100.0 * share);
            let shares = format!("gates {gates:.0} %, choice {choice:.0} %, next {next:.0} %");
            writeln!(out, "time                     {shares}, bookkeeping {rest:.0} %")?;
        }
        Ok(())
    }
}

/// The output of a run with a fixed number of playouts. The output depends neither on the reasoner, nor on
/// the computer, nor on the time.
#[derive(Debug, Serialize)]
struct Counted {
    game: String,
    seed: u64,
    playouts: u64,
    steps: u64,
    goal_sums: Vec<u64>,
    checksum: String,
}

impl Counted {
    fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        let sums: Vec<String> = self.goal_sums.iter().map(ToString::to_string).collect();
        writeln!(out, "game       {}", self.game)?;
        writeln!(out, "seed       {}", self.seed)?;
        writeln!(out, "playouts   {}", self.playouts)?;
        writeln!(out, "steps      {}", self.steps)?;
        writeln!(out, "goal sums  {}", sums.join(" "))?;
        writeln!(out, "checksum   {}", self.checksum)
    }
}
