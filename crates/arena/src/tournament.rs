//! A tournament: plays the fixtures of a plan, several at once, and keeps their results.
//!
//! Invariants: a match counts once its line is in the results file, and is never played again after that;
//! which matches are played does not depend on interruptions, on shards, or on how many matches run at once.
//! The sequential test reads results in the order of the plan, never one before all its predecessors.
//! Short matches therefore gain no advantage, and the test stops at the same match every time.

use crate::digest::Digest;
use crate::elo::{Hypothesis, Sprt, SprtState};
use crate::fault::OnFault;
use crate::hall::{Hall, Pool, make};
use crate::ledger::{ResultFile, ResultsError};
use crate::plan::{Contest, Entrant, Pairing, Plan, PlanError, Shard};
use crate::referee::Referee;
use crate::result::MatchResult;
use crate::sequence::Sequence;
use crate::standings::Standings;
use crate::trial::{Refusal, Trial, Unfit};
use ggp_game::{Clocks, EvalError, Game, PlayError, Player, StopToken};
use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Makes players and referees. Its methods are called from several threads at once, and `player` once a
/// seat of every match, so both must be cheap: slow work belongs in [`Player::start`] or a cache.
pub trait Players: Sync {
    /// A player for one match.
    ///
    /// # Errors
    /// When the player cannot be made; the tournament stops.
    fn player(
        &self,
        entrant: &Entrant,
        game: &Arc<Game>,
        seat: &SeatRequest<'_>,
    ) -> Result<Box<dyn Player>, PlayError>;

    /// Checks that an entrant can be started or reached. It is called before the first match, once for each
    /// entrant with matches to play, for all of them at the same time. It returns warnings.
    /// Players of this process need no trial.
    ///
    /// # Errors
    /// When the entrant cannot take part; the tournament stops.
    fn trial(&self, entrant: &Entrant, trial: &Trial<'_>) -> Result<Vec<String>, Unfit> {
        let _ = (entrant, trial);
        Ok(Vec::new())
    }

    /// A referee for a game; it plays many matches.
    ///
    /// # Errors
    /// When the referee cannot be made; the tournament stops.
    fn referee(&self, game: &Arc<Game>) -> Result<Box<dyn Referee>, PlayError>;
}

/// The seat that a player is made for.
#[derive(Clone, Copy, Debug)]
pub struct SeatRequest<'a> {
    /// The match id.
    pub match_id: &'a str,
    /// The seed of the player's random numbers.
    pub seed: u64,
    /// The time after the clock in which an answer is still accepted.
    pub grace: Duration,
}

/// The settings of a tournament: everything that its results depend on.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// The players that take part.
    pub entrants: Vec<Entrant>,
    /// The games.
    pub contests: Vec<Contest>,
    /// Which entrants meet.
    pub pairing: Pairing,
    /// The seed of all openings and matches.
    pub seed: u64,
    /// The start clock and the play clock.
    pub clocks: Clocks,
    /// The time after the clock in which an answer is still accepted.
    pub grace: Duration,
    /// The referee's policy for faults.
    pub on_fault: OnFault,
    /// The number of random joint moves before the players are asked.
    pub opening_plies: u32,
    /// Whether the players of a match think at the same time.
    pub parallel: bool,
    /// The number of steps after which a match ends unscored.
    pub max_steps: u32,
}

/// The settings of one run: how many matches it plays, and where the results go.
#[derive(Clone, Debug)]
pub struct Run {
    /// The number of matches over all shards; rounded up to whole encounters.
    pub matches: u64,
    /// The shard that this run plays.
    pub shard: Shard,
    /// The number of matches that run at once, at least 1.
    pub concurrency: usize,
    /// The number of threads that one match keeps busy; only for the warning.
    pub threads_per_match: usize,
    /// A sequential test that may end the run early; it needs two entrants.
    pub sprt: Option<Sprt>,
    /// The results file, one line a match.
    pub out: Option<PathBuf>,
    /// Whether results in the file count; if not, a file with results is an error.
    pub resume: bool,
    /// The directory for match records.
    pub save: Option<PathBuf>,
    /// The name of the tournament in records; the plan's fingerprint if `None`.
    pub name: Option<String>,
}

impl Run {
    /// A run of `matches` matches, one at a time, without files.
    pub fn new(matches: u64) -> Run {
        Run {
            matches,
            shard: Shard::ALL,
            concurrency: 1,
            threads_per_match: 1,
            sprt: None,
            out: None,
            resume: false,
            save: None,
            name: None,
        }
    }
}

/// An event of a tournament. Events are sent on the thread that calls [`Tournament::run`].
#[derive(Debug)]
pub enum Event<'a> {
    /// Something that may distort the results.
    Warning(String),
    /// A message to the user; nothing is wrong.
    Note(String),
    /// All players can be made; matches begin.
    Ready {
        /// The progress by earlier runs.
        progress: Progress,
        /// The number of results in the file that this run does not ask for, because of their number or their
        /// shard. They do not count.
        unasked: u64,
    },
    /// A match has ended; its result is in the results file, if there is one.
    Ended {
        /// The result.
        result: &'a MatchResult,
        /// The progress so far.
        progress: Progress,
        /// All results so far.
        standings: &'a Standings,
        /// The state of the sequential test, if there is one.
        sprt: Option<SprtState>,
    },
}

/// The progress of a run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Progress {
    /// The number of matches of this shard with results.
    pub done: u64,
    /// The number of all matches of this shard.
    pub total: u64,
    /// The number of `done` matches that this run played.
    pub played: u64,
    /// The time since this run began to play.
    pub elapsed: Duration,
}

impl Progress {
    /// The time left at the speed so far; `None` before this run's first result.
    pub fn time_left(&self) -> Option<Duration> {
        let left = self.total.saturating_sub(self.done);
        (self.played > 0).then(|| self.elapsed.mul_f64(left as f64 / self.played as f64))
    }
}

/// Why a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Finish {
    /// All matches have results.
    Complete,
    /// The sequential test has accepted a hypothesis.
    Decided(Hypothesis),
    /// The run was stopped; a resumed run can go on.
    Stopped,
}

/// The report of a finished run.
#[derive(Debug)]
pub struct Report {
    /// Why the run ended.
    pub finish: Finish,
    /// The progress at the end.
    pub progress: Progress,
    /// The totals over all results, those of earlier runs included.
    pub standings: Standings,
    /// The state of the sequential test, if there was one.
    pub sprt: Option<SprtState>,
}

/// Why a tournament cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum TournamentError {
    /// The plan cannot be made.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The results file cannot be read or written.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// A player cannot be made.
    #[error("player {name} in {game}: {error}")]
    Player {
        /// The entrant's name.
        name: String,
        /// The game's name.
        game: String,
        /// The cause.
        error: PlayError,
    },
    /// Entrants failed their trial.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Refused(Vec<Refusal>),
    /// A referee cannot be made.
    #[error("{game} cannot be refereed: {error}")]
    Referee {
        /// The game's name.
        game: String,
        /// The cause.
        error: PlayError,
    },
    /// An opening cannot be drawn.
    #[error("{game}: no opening: {error}")]
    Opening {
        /// The game's name.
        game: String,
        /// The cause.
        error: EvalError,
    },
    /// A match record cannot be written.
    #[error("{path}: {error}")]
    Save {
        /// The file.
        path: PathBuf,
        /// The error of the file system.
        error: std::io::Error,
    },
    /// The sequential test compares two entrants, and there are more or fewer.
    #[error("the sequential test compares two players, but there are {0}")]
    SprtNeedsTwo(usize),
    /// A thread cannot be started.
    #[error("no thread for a match: {0}")]
    Thread(std::io::Error),
}

/// The interval at which a run checks its stop token.
const POLL: Duration = Duration::from_millis(50);

impl Tournament {
    /// The plan of this tournament's fixtures.
    ///
    /// # Errors
    /// See [`PlanError`].
    pub fn plan(&self) -> Result<Plan, PlanError> {
        let Tournament { clocks, grace, on_fault, opening_plies, parallel, max_steps, .. } = self;
        let rules = format!(
            "start {:?} play {:?} grace {grace:?} on-fault {on_fault} opening {opening_plies} parallel {parallel} \
             steps {max_steps}",
            clocks.start, clocks.play
        );
        Plan::new(&self.entrants, &self.contests, self.pairing, self.seed, &rules)
    }

    /// Plays the matches of `run` until all are played, the test is decided, or `stop` is raised.
    ///
    /// # Errors
    /// When a player or referee cannot be made, an entrant fails its trial, or results cannot be written.
    pub fn run(
        &self,
        players: &dyn Players,
        run: &Run,
        on_event: &mut dyn FnMut(Event<'_>),
        stop: &StopToken,
    ) -> Result<Report, TournamentError> {
        if run.sprt.is_some() && self.entrants.len() != 2 {
            return Err(TournamentError::SprtNeedsTwo(self.entrants.len()));
        }
        let plan = self.plan()?;
        let total = plan.whole_encounters(run.matches);
        for warning in self.warnings(run, total, plan.round()) {
            on_event(Event::Warning(warning));
        }
        if let Some(directory) = &run.save {
            let made = std::fs::create_dir_all(directory);
            made.map_err(|error| TournamentError::Save { path: directory.clone(), error })?;
        }
        let mut books = Books::open(self, run, &plan, total)?;
        if let Some(flaw) = books.file.as_ref().and_then(|file| file.flaw.as_ref()) {
            on_event(Event::Note(format!("{flaw}; it is played again")));
        }
        let waiting = self.waiting(&plan, run, total, &books);
        let referees = if waiting.is_empty() {
            Vec::new()
        } else {
            self.hold_trials(players, &waiting, on_event, stop)?;
            self.preflight(players, &waiting)?
        };
        on_event(Event::Ready { progress: books.progress, unasked: books.unasked.len() as u64 });
        let hall = Hall {
            tournament: self,
            players,
            run,
            plan: &plan,
            total,
            done: std::mem::take(&mut books.done),
            next: Mutex::new(0),
            referees,
            abort: StopToken::new(),
        };
        if !waiting.is_empty() {
            play_all(&hall, &mut books, on_event, stop)?;
        }
        let finish = match books.decision() {
            Some(hypothesis) => Finish::Decided(hypothesis),
            None if books.progress.done < books.progress.total => Finish::Stopped,
            None => Finish::Complete,
        };
        let sprt = books.sequence.as_ref().map(Sequence::state);
        Ok(Report { finish, progress: books.progress, standings: books.standings, sprt })
    }

    fn warnings(&self, run: &Run, total: u64, round: u64) -> Vec<String> {
        let mut warnings = Vec::new();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let seats = self.contests.iter().map(|c| c.game.role_count()).max().unwrap_or(1);
        let threads = run.concurrency.max(1) * run.threads_per_match * if self.parallel { seats } else { 1 };
        if threads > cores {
            warnings.push(format!(
                "{} matches at once keep {threads} threads busy, but there are {cores} cores: players will miss \
                 their clocks",
                run.concurrency
            ));
        }
        if !total.is_multiple_of(round) && round > 2 {
            warnings.push(format!(
                "{total} matches are no whole number of rounds of {round}: not everyone has every role in every \
                 game equally often; in {} they have",
                total.next_multiple_of(round)
            ));
        }
        if run.resume && run.out.is_none() {
            warnings.push("there is nothing to resume without a results file".to_owned());
        }
        warnings
    }

    /// The positions of the entrants with matches to play.
    fn waiting(&self, plan: &Plan, run: &Run, total: u64, books: &Books) -> BTreeSet<usize> {
        let mut waiting = BTreeSet::new();
        if books.decision().is_some() {
            return waiting;
        }
        for number in (0..total).filter(|number| !books.done.contains(number)) {
            if waiting.len() == self.entrants.len() {
                break;
            }
            if run.shard.contains(plan.encounter(number)) {
                waiting.extend(plan.fixture(number).seats.into_iter().flatten());
            }
        }
        waiting
    }

    /// Makes every player in `waiting` once in every game before the first match; keeps the referees it
    /// makes.
    fn preflight(
        &self,
        players: &dyn Players,
        waiting: &BTreeSet<usize>,
    ) -> Result<Vec<Pool>, TournamentError> {
        let mut referees = Vec::new();
        for contest in &self.contests {
            let game = contest.name.clone();
            let referee =
                players.referee(&contest.game).map_err(|error| TournamentError::Referee { game, error })?;
            referees.push(Mutex::new(vec![referee]));
            for entrant in waiting.iter().map(|&position| &self.entrants[position]) {
                let seat = SeatRequest { match_id: "preflight", seed: 0, grace: self.grace };
                make(players, entrant, contest, &seat)?;
            }
        }
        Ok(referees)
    }
}

/// Plays the fixtures of `hall` on worker threads and enters their results in `books`, until no fixture is
/// left, the sequential test is decided, or `stop` is raised.
fn play_all(
    hall: &Hall<'_>,
    books: &mut Books,
    on_event: &mut dyn FnMut(Event<'_>),
    stop: &StopToken,
) -> Result<(), TournamentError> {
    let began = Instant::now();
    let mut failed = None;
    std::thread::scope(|scope| {
        let (sender, results) = channel();
        for _ in 0..hall.run.concurrency.max(1) {
            let sender = sender.clone();
            let spawned = std::thread::Builder::new().spawn_scoped(scope, move || hall.work(&sender));
            if let Err(error) = spawned {
                failed = Some(TournamentError::Thread(error));
                break;
            }
        }
        drop(sender);
        loop {
            if stop.is_stopped() || failed.is_some() || books.decision().is_some() {
                hall.abort.stop();
            }
            let kept = match results.recv_timeout(POLL) {
                Ok(Ok((number, result))) => books.keep(number, &result, began).map(|()| result),
                Ok(Err(error)) => Err(error),
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            match kept {
                Ok(result) => on_event(Event::Ended {
                    result: &result,
                    progress: books.progress,
                    standings: &books.standings,
                    sprt: books.sequence.as_ref().map(Sequence::state),
                }),
                Err(error) => drop(failed.get_or_insert(error)),
            }
        }
    });
    failed.map_or(Ok(()), Err)
}

/// `Books`: the results that count and everything computed from them.
struct Books {
    file: Option<ResultFile>,
    standings: Standings,
    sequence: Option<Sequence>,
    progress: Progress,
    /// The numbers of the matches that have results.
    done: HashSet<u64>,
    /// Digests of the match ids in the file that this run does not ask for.
    unasked: HashSet<u64>,
}

impl Books {
    fn open(tournament: &Tournament, run: &Run, plan: &Plan, total: u64) -> Result<Books, TournamentError> {
        let names = || tournament.entrants.iter().map(|e| e.name.clone()).collect();
        let mut books = Books {
            file: None,
            standings: Standings::default(),
            sequence: run.sprt.map(|sprt| Sequence::new(sprt, names())),
            progress: Progress { done: 0, total: 0, played: 0, elapsed: Duration::ZERO },
            done: HashSet::new(),
            unasked: HashSet::new(),
        };
        let is_asked = |number: &u64| *number < total && run.shard.contains(plan.encounter(*number));
        for number in (0..total).filter(is_asked) {
            books.progress.total += 1;
            if let Some(sequence) = &mut books.sequence {
                sequence.expect(number);
            }
        }
        books.file = match &run.out {
            None => None,
            Some(path) if run.resume => Some(ResultFile::resume(path, plan.fingerprint(), |result| {
                if let Some(number) = plan.number_of(&result.id).filter(is_asked) {
                    books.enter(number, result);
                } else {
                    let mut digest = Digest::default();
                    digest.add(result.id.as_bytes());
                    books.unasked.insert(digest.value());
                }
            })?),
            Some(path) => Some(ResultFile::create(path)?),
        };
        if let Some(sequence) = &mut books.sequence {
            sequence.advance();
        }
        Ok(books)
    }

    /// Counts a result of an earlier run; a second result of the same match is ignored.
    fn enter(&mut self, number: u64, mut result: MatchResult) {
        if !self.done.insert(number) {
            return;
        }
        self.progress.done += 1;
        self.standings.add(&result);
        (result.time, result.faults) = (Vec::new(), Vec::new());
        if let Some(sequence) = &mut self.sequence {
            sequence.add(number, &result);
        }
    }

    fn keep(&mut self, number: u64, result: &MatchResult, began: Instant) -> Result<(), TournamentError> {
        if let Some(file) = &mut self.file {
            file.append(result)?;
        }
        self.standings.add(result);
        if let Some(sequence) = &mut self.sequence {
            sequence.add(number, result);
            sequence.advance();
        }
        self.progress.done += 1;
        self.progress.played += 1;
        self.progress.elapsed = began.elapsed();
        Ok(())
    }

    fn decision(&self) -> Option<Hypothesis> {
        self.sequence.as_ref().and_then(|sequence| sequence.state().accepted)
    }
}
