//! A tournament: its settings, the trait that makes its players, the settings of a run, and the events and
//! the final report of a run.

use crate::elo::{Hypothesis, Sprt, SprtState};
use crate::entrants::{Contest, Entrant, Pairing};
use crate::fault::OnFault;
use crate::plan::{Plan, PlanError};
use crate::referee::Referee;
use crate::result::MatchResult;
use crate::results_error::ResultsError;
use crate::settings::Settings;
use crate::setup::DEFAULT_GRACE;
use crate::shard::Shard;
use crate::standings::Standings;
use crate::trial::{Refusal, Trial, Unfit};
use ggp_game::{Clocks, EvalError, Game, PlayError, Player};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Makes players and referees. Several threads call these methods at once, and [`Players::player`] is called
/// for every seat of every match. [`Players::player`] and [`Players::referee`] must be cheap: slow work
/// belongs in [`Player::start`] or in a cache.
pub trait Players: Sync {
    /// Makes a player for one match.
    ///
    /// # Errors
    /// When the player cannot be made. The error stops the tournament.
    fn player(
        &self,
        entrant: &Entrant,
        game: &Arc<Game>,
        request: &PlayerRequest<'_>,
    ) -> Result<Box<dyn Player>, PlayError>;

    /// Checks that an entrant can be started or reached, and returns warnings. Before the first match, this
    /// method is called once for each entrant that has matches to play; these calls run at the same time. The
    /// default implementation does nothing, because players that run inside this process need no trial.
    ///
    /// # Errors
    /// When the entrant cannot take part. The error stops the tournament.
    fn trial(&self, entrant: &Entrant, trial: &Trial<'_>) -> Result<Vec<String>, Unfit> {
        let _ = (entrant, trial);
        Ok(Vec::new())
    }

    /// Makes a referee for a game. The referee plays many matches.
    ///
    /// # Errors
    /// When the referee cannot be made. The error stops the tournament.
    fn referee(&self, game: &Arc<Game>) -> Result<Box<dyn Referee>, PlayError>;
}

/// The properties of a match that are needed to make a player for it.
#[derive(Clone, Copy, Debug)]
pub struct PlayerRequest<'a> {
    /// The match id.
    pub match_id: &'a str,
    /// The seed of the player's random numbers.
    pub seed: u64,
    /// The grace time: an answer is still accepted this long after its clock has run out.
    pub grace: Duration,
    /// The least time that the player has to answer START.
    pub start_patience: Duration,
}

/// The settings of a tournament: everything that its results depend on.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// The players that take part.
    pub entrants: Vec<Entrant>,
    /// The games.
    pub contests: Vec<Contest>,
    /// The rule that selects which groups of entrants play each other.
    pub pairing: Pairing,
    /// The seed from which the seeds of all openings and matches are derived.
    pub seed: u64,
    /// The start clock and the play clock.
    pub clocks: Clocks,
    /// The grace time: an answer is still accepted this long after its clock has run out.
    pub grace: Duration,
    /// The least time that a player has to answer START, even if the start clock and the grace time are shorter.
    pub start_patience: Duration,
    /// The referee's policy for faults.
    pub on_fault: OnFault,
    /// The number of random joint moves in the opening of each match, before the players are asked for moves.
    pub opening_plies: u32,
    /// Whether the players of a match think at the same time. If not, they think one after the other.
    pub parallel: bool,
    /// The maximum number of joint moves of a match, including those of the opening. If the state after that
    /// many is not terminal, the match ends without a score.
    pub max_steps: u32,
}

/// The settings of one run, such as the number of its matches and the path of its results file.
#[derive(Clone, Debug)]
pub struct Run {
    /// The number of matches over all shards. A run rounds it up to whole encounters.
    pub matches: u64,
    /// The shard that this run plays.
    pub shard: Shard,
    /// The number of matches that run at once, at least 1.
    pub concurrency: usize,
    /// The number of threads that one match keeps busy. It is used only to warn of overload.
    pub threads_per_match: usize,
    /// A sequential test that may end the run early; it needs exactly two entrants. `None` for no test.
    pub sprt: Option<Sprt>,
    /// The path of the results file, which has one line for each match. `None` if results are not written.
    pub out: Option<PathBuf>,
    /// Whether the run counts the results that the file at `out` already holds. If not, a file that is not
    /// empty is an error.
    pub resume: bool,
    /// The directory in which match records are saved. `None` if they are not saved.
    pub save: Option<PathBuf>,
    /// The name of the tournament in match records. If `None`, records have the plan's fingerprint instead.
    pub name: Option<String>,
}

impl Run {
    /// A run of `matches` matches in a single shard. It plays one match at a time, has no sequential test,
    /// and writes no files.
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
    /// A warning of a condition that may distort the results.
    Warning(String),
    /// A message to the user that is not a warning.
    Note(String),
    /// All players can be made. The matches begin now.
    Ready {
        /// The progress that earlier runs have made.
        progress: Progress,
        /// The number of results in the file that do not count in this run. Their matches lie beyond the
        /// run's number of matches, or belong to another shard.
        unasked: u64,
    },
    /// A match has ended; its result is in the results file, if there is one.
    Ended {
        /// The result.
        result: &'a MatchResult,
        /// The progress so far.
        progress: Progress,
        /// The standings after all results so far.
        standings: &'a Standings,
        /// The state of the sequential test. `None` if there is no test.
        sprt: Option<SprtState>,
    },
}

/// The progress of a run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Progress {
    /// The number of this shard's matches that have a result.
    pub done: u64,
    /// The number of all matches of this shard.
    pub total: u64,
    /// The number of the matches in `done` that this run has played. Earlier runs played the others.
    pub played: u64,
    /// The time since this run began to play.
    pub elapsed: Duration,
}

impl Progress {
    /// The expected time until the end of the run, at its speed so far. `None` before this run has its first
    /// result.
    pub fn time_left(&self) -> Option<Duration> {
        let left = self.total.saturating_sub(self.done);
        (self.played > 0).then(|| self.elapsed.mul_f64(left as f64 / self.played as f64))
    }
}

/// The reason why a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Finish {
    /// All matches have results.
    Complete,
    /// The sequential test has accepted a hypothesis.
    Decided(Hypothesis),
    /// The run was stopped before the end. A run that resumes its results file can go on.
    Stopped,
}

/// The report of a finished run.
#[derive(Debug)]
pub struct RunReport {
    /// The reason why the run ended.
    pub finish: Finish,
    /// The progress at the end.
    pub progress: Progress,
    /// The totals over all results, including those of earlier runs.
    pub standings: Standings,
    /// The state of the sequential test. `None` if there was no test.
    pub sprt: Option<SprtState>,
}

/// The reason why a tournament cannot go on.
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
    #[error("{game}: cannot draw a random opening: {error}")]
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
    /// A sequential test was requested, but the number of entrants is not two. Holds the number of entrants.
    #[error("the sequential test compares two players, but there are {0}")]
    SprtNeedsTwo(usize),
    /// A thread for a match or a trial cannot be started.
    #[error("cannot start a thread for a match: {0}")]
    Thread(std::io::Error),
}

impl Tournament {
    /// A tournament of all `entrants` in all `contests` with these clocks. It is a round robin with seed 0,
    /// no openings, [`DEFAULT_GRACE`] and the default [`OnFault`]. The players of a match think one after the
    /// other.
    pub fn new(entrants: Vec<Entrant>, contests: Vec<Contest>, clocks: Clocks) -> Tournament {
        Tournament {
            entrants,
            contests,
            pairing: Pairing::default(),
            seed: 0,
            clocks,
            grace: DEFAULT_GRACE,
            start_patience: Duration::ZERO,
            on_fault: OnFault::default(),
            opening_plies: 0,
            parallel: false,
            max_steps: ggp_game::MAX_STEPS,
        }
    }

    /// The settings as results tell them.
    pub fn settings(&self) -> Settings {
        let seconds = |time: Duration| (time != Duration::MAX).then_some(time.as_secs_f64());
        let players = self.entrants.iter().map(|entrant| (entrant.name.clone(), entrant.spec.clone()));
        Settings {
            players: players.collect(),
            pairing: self.pairing,
            startclock: seconds(self.clocks.start),
            playclock: seconds(self.clocks.play),
            openings: self.opening_plies,
            on_fault: self.on_fault,
            parallel: self.parallel,
            seed: self.seed,
        }
    }

    /// The plan of this tournament's fixtures.
    ///
    /// # Errors
    /// See [`PlanError`].
    pub fn plan(&self) -> Result<Plan, PlanError> {
        let Tournament { clocks, grace, on_fault, opening_plies, parallel, max_steps, .. } = self;
        let mut rules = format!(
            "start {:?} play {:?} grace {grace:?} on-fault {on_fault} opening {opening_plies} parallel {parallel} \
             steps {max_steps}",
            clocks.start, clocks.play
        );
        if !self.start_patience.is_zero() {
            rules.push_str(&format!(" start-patience {:?}", self.start_patience));
        }
        Plan::new(&self.entrants, &self.contests, self.pairing, self.seed, &rules)
    }
}
