//! The worker threads of a tournament. Each thread plays one fixture after the other.

use crate::entrants::{Contest, Entrant};
use crate::outcome::Ending;
use crate::plan::{Fixture, Plan};
use crate::record::Record;
use crate::referee::Referee;
use crate::result::MatchResult;
use crate::setup::{MatchSetup, Seat};
use crate::tournament::{PlayerRequest, Players, Run, Tournament, TournamentError};
use ggp_game::rng::mix;
use ggp_game::{EvalError, Player, StopToken};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, PoisonError};

/// The idle referees of one game: those that no match uses at the moment.
pub(crate) type RefereePool = Mutex<Vec<Box<dyn Referee>>>;

/// Makes the player of `entrant` for one match. An error names the entrant and the game.
pub(crate) fn make_player(
    players: &dyn Players,
    entrant: &Entrant,
    contest: &Contest,
    request: &PlayerRequest<'_>,
) -> Result<Box<dyn Player>, TournamentError> {
    players.player(entrant, &contest.game, request).map_err(|error| TournamentError::Player {
        name: entrant.name.clone(),
        game: contest.name.clone(),
        error,
    })
}

/// The data that the worker threads of a run share.
pub(crate) struct Runner<'a> {
    pub(crate) tournament: &'a Tournament,
    pub(crate) players: &'a dyn Players,
    pub(crate) run: &'a Run,
    pub(crate) plan: &'a Plan,
    pub(crate) total: u64,
    pub(crate) done: HashSet<u64>,
    pub(crate) next: Mutex<u64>,
    pub(crate) referees: Vec<RefereePool>,
    pub(crate) abort: StopToken,
}

pub(crate) type Played = Result<(u64, MatchResult), TournamentError>;

impl Runner<'_> {
    /// Plays fixtures until none is left or the run is aborted. Sends the index and the result of each match,
    /// or the error, to `results`.
    pub(crate) fn play_fixtures(&self, results: &Sender<Played>) {
        while let Some(fixture) = self.next_fixture() {
            let number = fixture.number;
            let sent = match self.play(&fixture) {
                Ok(Some(result)) => results.send(Ok((number, result))),
                Ok(None) => return,
                Err(error) => {
                    self.abort.stop();
                    results.send(Err(error))
                }
            };
            if sent.is_err() {
                return;
            }
        }
    }

    fn next_fixture(&self) -> Option<Fixture> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        while *next < self.total && !self.abort.is_stopped() {
            let number = *next;
            *next += 1;
            if self.done.contains(&number) {
                continue;
            }
            let fixture = self.plan.fixture(number);
            if self.run.shard.contains(fixture.encounter) {
                return Some(fixture);
            }
        }
        None
    }

    /// Plays the match of `fixture`. `None` if the match was interrupted.
    fn play(&self, fixture: &Fixture) -> Result<Option<MatchResult>, TournamentError> {
        let Tournament { contests, entrants, .. } = self.tournament;
        let contest = &contests[fixture.contest];
        let mut seats = Vec::with_capacity(fixture.seats.len());
        for (role, seat) in fixture.seats.iter().enumerate() {
            let Some(entrant) = seat else {
                seats.push(Seat::Nature);
                continue;
            };
            let seed = mix(fixture.seed.wrapping_add(1 + role as u64));
            let Tournament { grace, start_patience, .. } = *self.tournament;
            let request = PlayerRequest { match_id: &fixture.id, seed, grace, start_patience };
            seats.push(Seat::Player(make_player(self.players, &entrants[*entrant], contest, &request)?));
        }
        let pool = &self.referees[fixture.contest];
        let idle = pool.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut referee = match idle {
            Some(referee) => referee,
            None => self
                .players
                .referee(&contest.game)
                .map_err(|error| TournamentError::Referee { game: contest.name.clone(), error })?,
        };
        let opening = match self.tournament.opening_plies {
            0 => Vec::new(),
            plies => match referee.opening(fixture.opening_seed, plies, &self.abort) {
                Ok(opening) => opening,
                Err(EvalError::Interrupted) => return Ok(None),
                Err(error) => return Err(TournamentError::Opening { game: contest.name.clone(), error }),
            },
        };
        let mut result = self.blank_result(fixture, contest);
        result.opening = opening.len() as u32;
        let setup = MatchSetup {
            grace: self.tournament.grace,
            start_patience: self.tournament.start_patience,
            on_fault: self.tournament.on_fault,
            seed: fixture.seed,
            opening,
            parallel: self.tournament.parallel,
            max_steps: self.tournament.max_steps,
            record: self.run.save.is_some().then(|| self.blank_record(contest, &result)),
            ..MatchSetup::new(fixture.id.clone(), self.tournament.clocks)
        };
        let outcome = referee.play(setup, &mut seats, &mut (), &self.abort);
        pool.lock().unwrap_or_else(PoisonError::into_inner).push(referee);
        if outcome.ending == Ending::Interrupted {
            return Ok(None);
        }
        result.set_outcome(&outcome);
        if let (Some(directory), Some(record)) = (&self.run.save, &outcome.record) {
            save(directory, record)?;
        }
        Ok(Some(result))
    }

    fn blank_result(&self, fixture: &Fixture, contest: &Contest) -> MatchResult {
        let game = &contest.game;
        let name = |seat: &Option<usize>| seat.map(|entrant| self.tournament.entrants[entrant].name.clone());
        MatchResult {
            id: fixture.id.clone(),
            tournament: self.plan.fingerprint().to_owned(),
            encounter: fixture.encounter_id.clone(),
            game: contest.name.clone(),
            roles: game.roles().map(|role| game.role_name(role).to_owned()).collect(),
            players: fixture.seats.iter().map(name).collect(),
            goals: vec![None; fixture.seats.len()],
            goals_given: Vec::new(),
            ending: String::new(),
            why: String::new(),
            steps: 0,
            opening: 0,
            moves_digest: String::new(),
            ended: 0,
            time: Vec::new(),
            faults: Vec::new(),
        }
    }

    fn blank_record(&self, contest: &Contest, result: &MatchResult) -> Record {
        let name = |player: &Option<String>| player.clone().unwrap_or_else(|| "random".to_owned());
        Record {
            game_meta_url: contest.name.clone(),
            player_names_from_host: result.players.iter().map(name).collect(),
            is_player_human: vec![false; result.players.len()],
            tournament_name_from_host: Some(
                self.run.name.clone().unwrap_or_else(|| self.plan.fingerprint().to_owned()),
            ),
            ..Record::default()
        }
    }
}

/// Writes a match record to a file in `directory` that is named after the match id. The text goes into a
/// temporary file first, which is then renamed. Returns the path of the record.
///
/// # Errors
/// When the file cannot be written.
pub fn save(directory: &Path, record: &Record) -> Result<PathBuf, TournamentError> {
    let path = directory.join(format!("{}.json", record.match_id));
    let part = directory.join(format!("{}.json.part", record.match_id));
    let written = std::fs::write(&part, record.to_json() + "\n").and_then(|()| std::fs::rename(&part, &path));
    match written {
        Ok(()) => Ok(path),
        Err(error) => Err(TournamentError::Save { path, error }),
    }
}
