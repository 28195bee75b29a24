//! The tournament that a command line of `ggp match` describes, for the command itself and for programs that play its
//! matches on many machines.

use crate::command_line;
use crate::console::{self, FAINT};
use crate::destination::Destination;
use crate::exit::{self, Exit, UsageError};
use crate::match_arguments::Arguments;
use crate::reasoner;
use crate::rulesheet::{self, GameFile};
use crate::score;
use crate::seats::{check_knowledge, no_player, play_clock};
use crate::sequential;
use crate::stats;
use anyhow::Context;
use clap::Parser;
use ggp::{Participant, ParticipantError, Participants, PlayerKind, PlayerSpec, Rulesheet};
use ggp_arena::elo::{Hypothesis, Sprt};
use ggp_arena::report::{Replays, ReportHead, html};
use ggp_arena::{
    Contest, DEFAULT_GRACE, FaultKind, Finish, MatchResult, OpenRun, PlayerSummary, Run, RunReport, Settings,
    Shard, Summary, Tournament, TournamentError, is_nature,
};
use ggp_game::{Clocks, Game};
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

/// The least time to answer START if the command line gives no start clock. A program takes a second or two to start on
/// a busy machine. Players of this program are ready at once, so the clock itself stays 0: a search would use it up.
const START_PATIENCE: Duration = Duration::from_secs(5);

/// The start clock to propose to players that were not ready in time.
const PROPOSED_START: Duration = Duration::from_secs(10);

/// The command line of `ggp match`, without the word `match`.
#[derive(Debug, Parser)]
#[command(name = "ggp match", no_binary_name = true)]
struct CommandLine {
    #[command(flatten)]
    arguments: Arguments,
}

/// The reason why a command line describes no tournament: the message, and the exit code.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct CompetitionError {
    /// The message.
    pub message: String,
    /// The exit code of the command.
    pub code: u8,
}

impl CompetitionError {
    fn of(error: &anyhow::Error) -> CompetitionError {
        CompetitionError { message: format!("{error:#}"), code: exit::of(error).code() }
    }
}

/// A tournament with its players, the settings of its run, and the rules of its games.
pub struct Competition {
    arguments: Arguments,
    members: Vec<Participant>,
    /// The settings that the results depend on.
    pub tournament: Tournament,
    /// The settings of the run.
    pub run: Run,
    /// The rulesheet of each game.
    pub rules: Vec<Rulesheet>,
}

impl Competition {
    /// The tournament of the arguments `argv` of `ggp match`. The games are read from `rules`, one text for each file
    /// that `argv` names, or from these files.
    ///
    /// # Errors
    /// When `argv` cannot be obeyed, or a game cannot be loaded.
    pub fn parse(
        argv: impl IntoIterator<Item = impl Into<OsString> + Clone>,
        rules: Option<Vec<Vec<u8>>>,
    ) -> Result<Competition, CompetitionError> {
        let parsed = CommandLine::try_parse_from(argv).map_err(|error| CompetitionError {
            message: error.render().to_string(),
            code: u8::try_from(error.exit_code()).unwrap_or(u8::MAX),
        });
        Competition::new(parsed?.arguments, rules).map_err(|error| CompetitionError::of(&error))
    }

    pub(crate) fn new(arguments: Arguments, rules: Option<Vec<Vec<u8>>>) -> anyhow::Result<Competition> {
        let sprt = sequential::parse(arguments.sprt.as_deref())?;
        let members: Vec<Participant> = arguments
            .player
            .iter()
            .map(|text| Participant::parse(text, arguments.iterations))
            .collect::<Result<_, _>>()
            .map_err(|error: ParticipantError| match &error {
                ParticipantError::Kind(kind) => no_player(kind, true),
                _ => UsageError::of(&error),
            })?;
        let rules: Vec<Rulesheet> = match rules {
            None => arguments.files.iter().map(|path| rulesheet::read(path)).collect::<Result<_, _>>()?,
            Some(texts) => {
                let names = arguments.files.iter().map(|path| path.display().to_string());
                names.zip(texts).map(|(name, text)| Rulesheet::new(name, text)).collect()
            }
        };
        let tournament = tournament(&arguments, &members, &rules)?;
        let run = Run {
            shard: arguments.shard.unwrap_or(Shard::ALL),
            concurrency: arguments.concurrency.into(),
            sprt,
            out: arguments.resume.clone().or_else(|| arguments.out.clone()),
            resume: arguments.resume.is_some(),
            save: arguments.save.clone(),
            ..Run::new(arguments.games)
        };
        Ok(Competition { arguments, members, tournament, run, rules })
    }

    /// Finds before the first match whether the report cannot be written, or would replace another file.
    pub(crate) fn try_report(&self) -> anyhow::Result<()> {
        if let Some(path) = &self.arguments.report {
            Destination::Report.check(path)?;
        }
        Ok(())
    }

    /// Opens the results file of the run, for matches that are played elsewhere.
    ///
    /// # Errors
    /// When the results file or the report cannot be written, or holds something else.
    pub fn open(&self) -> Result<OpenRun, CompetitionError> {
        let open = self.try_report().and_then(|()| self.tournament.open(&self.run).map_err(of_tournament));
        let open = open.map_err(|error| CompetitionError::of(&error))?;
        self.say_notes();
        Ok(open)
    }

    /// The players, and the machines of the games, which are built when they are needed.
    pub(crate) fn participants(&self) -> anyhow::Result<Participants> {
        for member in &self.members {
            check_knowledge(&member.kind)?;
        }
        let build = self.arguments.reasoning.long_build();
        let participants = Participants::new(self.members.clone(), &self.tournament.contests, build);
        let participants = participants.map_err(UsageError::of)?;
        Ok(participants.on_fallback(|game, machine, why| {
            console::say(&reasoner::fallback(game, machine, &why.to_string()));
        }))
    }

    /// The players, and the machines of the games, which are built when they are needed.
    ///
    /// # Errors
    /// When a player does not support a game.
    pub fn players(&self) -> Result<Participants, CompetitionError> {
        self.participants().map_err(|error| CompetitionError::of(&error))
    }

    /// The number of threads that a match keeps busy.
    pub fn threads(&self) -> usize {
        let threads = self.members.iter().map(|member| match &member.kind {
            PlayerKind::Local(PlayerSpec::Mcts(options)) => options.threads,
            _ => 1,
        });
        if self.tournament.parallel {
            let mut most: Vec<usize> = threads.collect();
            most.sort_unstable_by(|a, b| b.cmp(a));
            let seats = self.tournament.contests.iter().map(|contest| contest.game.role_count()).max();
            most.into_iter().cycle().take(seats.unwrap_or(1)).sum()
        } else {
            threads.max().unwrap_or(1)
        }
    }

    /// Whether the outcome of matches depends on time.
    pub fn is_timed(&self) -> bool {
        self.tournament.clocks.play != Duration::MAX
            || !self.members.iter().all(|one| one.kind.ends_by_itself())
    }

    /// Prints what the user should know before the first match, on standard error.
    pub(crate) fn say_notes(&self) {
        for note in notes(&self.members, &self.tournament) {
            console::say(&format!("note: {note}"));
        }
    }

    /// The standings of a run in one line.
    pub fn standing(run: &OpenRun) -> String {
        score::line(&run.standings().summary(), run.sprt())
    }

    /// Writes the report and, unless `quiet`, prints the tables. Returns the exit code.
    pub fn finish(&self, report: &RunReport, quiet: bool) -> u8 {
        self.conclude(report, quiet).unwrap_or_else(|error| exit::report(&error)).code()
    }

    /// Prints the tables, writes the report, and says how to resume a stopped run.
    pub(crate) fn conclude(&self, report: &RunReport, quiet: bool) -> anyhow::Result<Exit> {
        let Competition { arguments, tournament, run, .. } = self;
        let sprt: Option<&Sprt> = run.sprt.as_ref();
        let accepted = report.sprt.and_then(|state| state.accepted);
        let summary = Summary { accepted, ..report.standings.summary() };
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
        if !quiet {
            console::unless_closed(stats::print(false, &summary, "", tested.as_ref()))?;
            let is_late = |one: &&PlayerSummary| {
                one.first_faults.get(&FaultKind::Start).is_some_and(|first| first.late_start)
            };
            for player in summary.players.iter().filter(is_late) {
                let more = PROPOSED_START.max(2 * tournament.clocks.start).as_secs();
                let name = console::printable(&player.name);
                console::say(&format!("note: {name} was not ready in time: give --startclock {more}"));
            }
        }
        Ok(match report.finish {
            Finish::Complete | Finish::Decided(Hypothesis::H1) => Exit::Done,
            Finish::Decided(Hypothesis::H0) => Exit::AcceptedNull,
            Finish::Stopped if quiet => Exit::Findings,
            Finish::Stopped => {
                let (done, total) = (report.progress.done, report.progress.total);
                console::say(&format!("stopped after {done} of {total} matches"));
                self.say_how_to_resume();
                Exit::Findings
            }
        })
    }

    /// The note about the match of `result`, in which a role has no legal move.
    pub(crate) fn stuck_note(&self, result: &MatchResult) -> String {
        let place = self.tournament.contests.iter().position(|contest| contest.name == result.game);
        let file = place.and_then(|place| self.arguments.files.get(place));
        let file = file.map_or("FILE".to_owned(), |file| file.display().to_string());
        let MatchResult { game, why: role, steps, .. } = result;
        format!(
            "note: in {game}, the role {role} has no legal move at step {steps}, so the match has no score: \
             `ggp check --simulate 100 {file}` tells more"
        )
    }

    /// Says which command goes on with a run that has not played all matches.
    pub(crate) fn say_how_to_resume(&self) {
        match self.arguments.resume.as_ref().or(self.arguments.out.as_ref()) {
            Some(path) => {
                let again = command_line::again(&["--out", "--resume"], Some(("--resume", path)));
                console::say(&format!("go on with: {again}"));
            }
            None => console::say(&console::paint_stderr(
                FAINT,
                "nothing is kept; --out FILE keeps results, --resume FILE goes on with them",
            )),
        }
    }
}

/// An error of a tournament as an error of the command. A plan that cannot be made is an error in the command line.
pub(crate) fn of_tournament(error: TournamentError) -> anyhow::Error {
    match error {
        TournamentError::Plan(_) | TournamentError::SprtNeedsTwo(_) => UsageError(error.to_string()).into(),
        other => other.into(),
    }
}

/// The tournament that the command line describes.
fn tournament(
    arguments: &Arguments,
    participants: &[Participant],
    rules: &[Rulesheet],
) -> anyhow::Result<Tournament> {
    let mut contests = Vec::new();
    for (path, text) in arguments.files.iter().zip(rules) {
        let file = GameFile { path: path.clone(), level: arguments.level };
        let plain = |c: char| if c.is_alphanumeric() || "._-+".contains(c) { c } else { '_' };
        let name = file.game_name().chars().map(plain).collect();
        contests.push(Contest { name, game: file.load_text_to_play(text)? });
    }
    let unlimited =
        arguments.iterations.is_some() && participants.iter().all(|one| one.kind.ends_by_itself());
    let play = play_clock(arguments.playclock, unlimited);
    let is_elsewhere = participants.iter().any(|one| !matches!(one.kind, PlayerKind::Local(_)));
    let is_remote = participants.iter().any(|one| matches!(one.kind, PlayerKind::Remote(_)));
    Ok(Tournament {
        entrants: participants.iter().map(Participant::entrant).collect(),
        contests,
        pairing: arguments.pairing,
        seed: arguments.seed,
        clocks: Clocks { start: arguments.startclock.unwrap_or_default(), play },
        grace: if is_remote { ggp_server::remote::GRACE } else { DEFAULT_GRACE },
        start_patience: if is_elsewhere && arguments.startclock.is_none() {
            START_PATIENCE
        } else {
            Duration::ZERO
        },
        on_fault: arguments.on_fault,
        opening_plies: arguments.openings,
        parallel: arguments.parallel,
        max_steps: ggp_game::MAX_STEPS,
    })
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
    let Tournament { entrants, contests, .. } = tournament;
    let games: Vec<&str> = contests.iter().map(|contest| contest.name.as_str()).collect();
    let names: Vec<&str> = entrants.iter().map(|entrant| entrant.name.as_str()).collect();
    let settings = [tournament.settings()];
    let mut facts = vec![("games".to_owned(), games.join(", "))];
    facts.extend(Settings::facts(&settings));
    ReportHead {
        title: format!("{} in {}", names.join(", "), games.join(", ")),
        facts,
        specs: Settings::specs(&settings),
        sprt: None,
        replays: None,
    }
}
