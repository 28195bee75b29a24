//! `ggp match`: plays a tournament and prints its tables.
//!
//! Invariant: the results depend only on the command line, so that the same command line can continue a run
//! that was stopped.

use crate::console::{self, FAINT};
use crate::exit::{Exit, UsageError};
use crate::number::{seconds, whole};
use crate::play::{quote, stop_on_signal};
use crate::reasoner::{self, Reasoning};
use crate::rulesheet::{GameFile, Level};
use crate::score::Score;
use crate::seats::{KINDS, play_clock};
use crate::sequential;
use crate::stats;
use anyhow::Context;
use ggp::{Participant, Participants, PlayerKind};
use ggp_arena::elo::{Hypothesis, Sprt};
use ggp_arena::report::{Replays, ReportHead, html};
use ggp_arena::{
    Contest, DEFAULT_GRACE, Event, Finish, OnFault, Pairing, Run, RunReport, Shard, Tournament,
    TournamentError, is_nature,
};
use ggp_game::{Clocks, Game, StopToken};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The maximum number of matches of a tournament.
const MAX_MATCHES: u64 = 100_000_000;

/// Play many matches and report which player is stronger
///
/// All players play each other in all games, with every seating of every opening. With --out, each
/// result is written as soon as its match ends; --resume with the same arguments continues a run
/// that was stopped, without losing or repeating a match.
///
/// Players outside of this program are tried before the first match. If one cannot be started or
/// reached, the command ends with exit code 3. --on-fault concerns faults during matches.
///
/// The first lines of the result name players that were at fault in more than a tenth of their
/// matches, and the stronger player. To call a player stronger takes 30 pairs: a pair is two
/// matches with the same opening in which two players have swapped their seats. Pairs with the same
/// opening count as one pair here.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("\
Players:
{KINDS}

Examples:
  ggp match games/hex.kif --player a=mcts:iterations=200 --player b=random --games 100
  ggp match games/*.kif --player new=mcts --player old=uct --playclock 0.1 --out results.jsonl
  ggp match games/*.kif --player new=mcts --player old=uct --playclock 0.1 --resume results.jsonl
  ggp match games/nim.kif --player a=mcts --player b=uct --iterations 100 --openings 2 \\
    --games 5000 --sprt elo0=0 elo1=20
  ggp match games/nim.kif --player a=mcts --player 'b=cmd:./mine --fast' --shard 3/16 --out 3.jsonl"))]
pub(crate) struct Arguments {
    /// The rulesheets, in KIF
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    level: Level,
    /// A player that takes part; given once for each player
    #[arg(long, value_name = "NAME=SPEC", required = true)]
    player: Vec<String>,
    /// The number of matches, rounded up so that every player has every seat of the last opening
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = matches)]
    games: u64,
    /// The pairing: roundrobin, or gauntlet (the first player against each of the others)
    #[arg(long, value_name = "NAME", default_value_t)]
    pairing: Pairing,
    /// Seconds for each move; 1 by default, unlimited if all searches have a limit of iterations
    #[arg(long, value_name = "S", value_parser = seconds)]
    playclock: Option<Duration>,
    /// Seconds for each player before the first move
    #[arg(long, value_name = "S", default_value = "0", value_parser = seconds)]
    startclock: Duration,
    /// The iterations for each move of every search whose specification gives none
    #[arg(long, value_name = "N", value_parser = whole(1u64..))]
    iterations: Option<u64>,
    /// The seed of openings, players and all other random numbers
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(0u64..))]
    seed: u64,
    /// Begin each match with K random joint moves, which are the same for all seatings
    #[arg(long, visible_alias = "plies", value_name = "K", default_value_t = 0, value_parser = whole(0u32..))]
    openings: u32,
    /// The number of matches played at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(1u16..))]
    concurrency: u16,
    /// Let the players of a match think at the same time instead of one after the other
    #[arg(long)]
    parallel: bool,
    /// What happens if a player is at fault: a random legal move, the first legal move, or a forfeit
    #[arg(long, value_name = "POLICY", default_value_t)]
    on_fault: OnFault,
    /// Append each result to FILE, with one line of JSON for each match
    #[arg(long, value_name = "FILE.jsonl", conflicts_with = "resume")]
    out: Option<PathBuf>,
    /// Play the matches that are not in FILE; results in FILE beyond --games are not rated
    #[arg(long, value_name = "FILE.jsonl")]
    resume: Option<PathBuf>,
    /// Write a record of every match to DIR, as JSON in the format of ggp.org
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    /// End when the test elo0=E elo1=E alpha=P beta=P (default 0, 10, 0.05, 0.05) is decided
    #[arg(long, value_name = "TERM", num_args = 1..=4)]
    sprt: Vec<String>,
    /// Play part K of N, for runs on N machines
    #[arg(long, value_name = "K/N")]
    shard: Option<Shard>,
    /// Write the results as an HTML page
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    #[command(flatten)]
    reasoning: Reasoning,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let sprt = sequential::parse(&arguments.sprt)?;
    let participants: Vec<Participant> = arguments
        .player
        .iter()
        .map(|text| Participant::parse(text, arguments.iterations))
        .collect::<Result<_, _>>()
        .map_err(UsageError::of)?;
    let tournament = tournament(arguments, &participants)?;
    let run = Run {
        shard: arguments.shard.unwrap_or(Shard::ALL),
        concurrency: arguments.concurrency.into(),
        sprt,
        out: arguments.resume.clone().or_else(|| arguments.out.clone()),
        resume: arguments.resume.is_some(),
        save: arguments.save.clone(),
        ..Run::new(arguments.games)
    };
    if let Some(path) = &arguments.report {
        // Report an unwritable file before the first match.
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        file.with_context(|| format!("cannot write {}", path.display()))?;
    }
    for note in notes(&participants, &tournament) {
        console::say(&format!("note: {note}"));
    }
    let stop = StopToken::new();
    stop_on_signal(&stop)?;
    let build = arguments.reasoning.long_build();
    let participants =
        Participants::new(participants, &tournament.contests, build).map_err(UsageError::of)?;
    let participants = participants.on_fallback(|game, machine, why| {
        console::say(&reasoner::fallback(game, machine, &why.to_string()));
    });
    let mut score = Score::start();
    let mut watch = |event: Event<'_>| match event {
        Event::Warning(text) => score.say(&format!("warning: {text}")),
        Event::Note(text) => score.say(&format!("note: {text}")),
        Event::Ready { progress, unasked } => score.ready(progress, unasked),
        Event::Ended { progress, standings, sprt, .. } => score.update(progress, standings, sprt),
    };
    let report = tournament.run(&participants, &run, &mut watch, &stop);
    score.finish();
    match report {
        Ok(report) => conclude(arguments, &tournament, sprt.as_ref(), &report),
        Err(error) => refuse(error),
    }
}

/// The tournament that the command line describes.
fn tournament(arguments: &Arguments, participants: &[Participant]) -> anyhow::Result<Tournament> {
    let mut contests = Vec::new();
    for path in &arguments.files {
        let file = GameFile { path: path.clone(), level: arguments.level };
        let plain = |c: char| if c.is_alphanumeric() || "._-+".contains(c) { c } else { '_' };
        let name = file.game_name().chars().map(plain).collect();
        contests.push(Contest { name, game: file.load()? });
    }
    let unlimited =
        arguments.iterations.is_some() && participants.iter().all(|one| one.kind.ends_by_itself());
    let play = play_clock(arguments.playclock, unlimited);
    let is_remote = participants.iter().any(|one| matches!(one.kind, PlayerKind::Remote(_)));
    Ok(Tournament {
        entrants: participants.iter().map(Participant::entrant).collect(),
        contests,
        pairing: arguments.pairing,
        seed: arguments.seed,
        clocks: Clocks { start: arguments.startclock, play },
        grace: if is_remote { ggp_server::remote::GRACE } else { DEFAULT_GRACE },
        on_fault: arguments.on_fault,
        opening_plies: arguments.openings,
        parallel: arguments.parallel,
        max_steps: ggp_game::MAX_STEPS,
    })
}

/// Parses the number of matches.
fn matches(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(0) => Err("there is nothing to play: 1 or more are wanted".to_owned()),
        Ok(number @ 1..=MAX_MATCHES) => Ok(number),
        Ok(_) => Err(format!("{MAX_MATCHES} matches are the most")),
        Err(_) => Err(format!("a whole number from 1 to {MAX_MATCHES} is wanted")),
    }
}

/// Warnings about the players: two players are identical, or nothing in a match is random, so that
/// all matches with the same game, players and seats are the same.
fn notes(participants: &[Participant], tournament: &Tournament) -> Vec<String> {
    let mut notes = Vec::new();
    for (place, first) in participants.iter().enumerate() {
        for second in participants[place + 1..].iter().filter(|second| second.kind == first.kind) {
            notes.push(format!(
                "{} and {} are the same player, {}: any difference between them is chance",
                first.name, second.name, second.spec
            ));
        }
    }
    let is_drawn = |game: &Game| game.roles().any(|role| is_nature(game, role));
    let has_chance = tournament.contests.iter().all(|contest| is_drawn(&contest.game));
    if participants.iter().all(Participant::repeats_itself) && tournament.opening_plies == 0 && !has_chance {
        notes.push(
            "all players have seeds of their own, so every encounter repeats the first: leave out `seed=`, or \
             begin with random moves (--openings K)"
                .to_owned(),
        );
    }
    notes
}

/// Handles a tournament that could not be played. If a player is the reason, prints the error and returns the
/// exit code for faults. Otherwise returns the error.
fn refuse(error: TournamentError) -> anyhow::Result<Exit> {
    match error {
        TournamentError::Plan(_) | TournamentError::SprtNeedsTwo(_) => {
            Err(UsageError(error.to_string()).into())
        }
        TournamentError::Player { .. } | TournamentError::Refused(_) => {
            for line in error.to_string().lines().map(console::printable) {
                console::say(&format!("{}: {line}", console::paint_stderr(console::BAD, "error")));
            }
            Ok(Exit::Fault)
        }
        other => Err(other.into()),
    }
}

/// Prints the tables, writes the report, and says how to resume a stopped run.
fn conclude(
    arguments: &Arguments,
    tournament: &Tournament,
    sprt: Option<&Sprt>,
    report: &RunReport,
) -> anyhow::Result<Exit> {
    let summary = report.standings.summary();
    let names: Vec<&str> = tournament.entrants.iter().map(|entrant| entrant.name.as_str()).collect();
    let tested = match (sprt, report.sprt, &names[..]) {
        (Some(sprt), Some(state), &[first, second]) => {
            let question = sequential::question(sprt, first, second);
            Some((question, state, sequential::verdict(sprt, &state, first, second)))
        }
        _ => None,
    };
    if let Some(path) = &arguments.report {
        let sprt = tested.as_ref().map(|(question, state, _)| (question.clone(), *state));
        let replays = arguments.save.as_deref().map(replays);
        let page = html(&summary, &ReportHead { sprt, replays, ..head(tournament) });
        std::fs::write(path, page).with_context(|| format!("cannot write {}", path.display()))?;
    }
    console::unless_closed(stats::print(false, &summary, tested.as_ref()))?;
    Ok(match report.finish {
        Finish::Complete | Finish::Decided(Hypothesis::H1) => Exit::Done,
        Finish::Decided(Hypothesis::H0) => Exit::AcceptedNull,
        Finish::Stopped => {
            let (done, total) = (report.progress.done, report.progress.total);
            console::say(&format!("stopped after {done} of {total} matches"));
            match arguments.resume.as_ref().or(arguments.out.as_ref()) {
                Some(path) => console::say(&format!("go on with: {}", resume_command(path))),
                None => console::say(&console::paint_stderr(
                    FAINT,
                    "nothing is kept; --out FILE keeps results, --resume FILE goes on with them",
                )),
            }
            Exit::Findings
        }
    })
}

/// The maximum number of matches to which a report has links.
const MAX_REPLAYS: usize = 1000;

/// The records in `folder`, sorted by name.
fn replays(folder: &Path) -> Replays {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let records = entries.filter(|path| path.extension().is_some_and(|end| end == "json"));
    let mut names: Vec<String> =
        records.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect();
    names.sort_unstable();
    names.truncate(MAX_REPLAYS);
    Replays { folder: folder.display().to_string(), names }
}

fn head(tournament: &Tournament) -> ReportHead {
    let Tournament { clocks, entrants, contests, .. } = tournament;
    let games: Vec<&str> = contests.iter().map(|contest| contest.name.as_str()).collect();
    let names: Vec<&str> = entrants.iter().map(|entrant| entrant.name.as_str()).collect();
    let clock = |time: Duration| match time {
        Duration::MAX => "none".to_owned(),
        time => format!("{} s", time.as_secs_f64()),
    };
    let fact = |word: &str, what: String| (word.to_owned(), what);
    ReportHead {
        title: format!("{} in {}", names.join(", "), games.join(", ")),
        facts: vec![
            fact("games", games.join(", ")),
            fact("pairing", tournament.pairing.to_string()),
            fact("start clock", clock(clocks.start)),
            fact("play clock", clock(clocks.play)),
            fact("random opening moves", tournament.opening_plies.to_string()),
            fact("on fault", tournament.on_fault.to_string()),
            fact("seed", tournament.seed.to_string()),
        ],
        specs: entrants.iter().map(|entrant| (entrant.name.clone(), entrant.spec.clone())).collect(),
        sprt: None,
        replays: None,
    }
}

/// The command line that continues the tournament whose results are in the file `kept`.
fn resume_command(kept: &Path) -> String {
    let mut words = Vec::new();
    let mut arguments = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    while let Some(word) = arguments.next() {
        if word == "--out" || word == "--resume" {
            arguments.next();
        } else if !word.starts_with("--out=") && !word.starts_with("--resume=") {
            words.push(quote(&word));
        }
    }
    words.push("--resume".to_owned());
    words.push(quote(&kept.display().to_string()));
    words.join(" ")
}
