//! Plays single fixtures of a tournament: makes the players of a match, draws its opening, and referees it.

use crate::entrants::{Contest, Entrant};
use crate::outcome::Ending;
use crate::plan::{Fixture, Plan};
use crate::record::Record;
use crate::referee::Referee;
use crate::result::MatchResult;
use crate::settings::Settings;
use crate::setup::{MatchSetup, NATURE, Seat};
use crate::tournament::{PlayerRequest, Players, Tournament, TournamentError};
use crate::whole_file::write_whole;
use ggp_game::rng::mix;
use ggp_game::{EvalError, Player, StopToken};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
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

/// A match that has ended.
#[derive(Debug)]
pub struct PlayedMatch {
    /// The index of the match in the plan, from 0.
    pub number: u64,
    /// The result.
    pub result: MatchResult,
    /// The record, if records are kept.
    pub record: Option<Record>,
}

/// Plays the fixtures of a tournament, one with each call. Several threads may call it at once.
pub struct Table<'a> {
    tournament: &'a Tournament,
    plan: &'a Plan,
    players: &'a dyn Players,
    /// The name of the tournament in records; `None` if no records are kept.
    record_name: Option<String>,
    settings: Settings,
    referees: Vec<RefereePool>,
}

impl<'a> Table<'a> {
    /// A table for the fixtures of `plan`, which is the plan of `tournament`. Makes a player of each entrant whose
    /// index is in `entrants`, and drops it, so that errors are found before the first match. Matches have records if
    /// `record_name` gives the tournament a name.
    ///
    /// # Errors
    /// When a player or a referee cannot be made.
    pub fn new(
        tournament: &'a Tournament,
        plan: &'a Plan,
        players: &'a dyn Players,
        entrants: &BTreeSet<usize>,
        record_name: Option<String>,
    ) -> Result<Table<'a>, TournamentError> {
        let referees = tournament.make_players(players, entrants)?;
        Ok(Table { tournament, plan, players, record_name, settings: tournament.settings(), referees })
    }

    /// Plays the match of `fixture`. `None` if the match was interrupted.
    ///
    /// # Errors
    /// When a player or a referee cannot be made, or the opening cannot be drawn.
    pub fn play(&self, fixture: &Fixture, stop: &StopToken) -> Result<Option<PlayedMatch>, TournamentError> {
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
            plies => match referee.opening(fixture.opening_seed, plies, stop) {
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
            record: self.record_name.as_ref().map(|name| blank_record(name, contest, &result)),
            ..MatchSetup::new(fixture.id.clone(), self.tournament.clocks)
        };
        let outcome = referee.play(setup, &mut seats, &mut (), stop);
        pool.lock().unwrap_or_else(PoisonError::into_inner).push(referee);
        if outcome.ending == Ending::Interrupted {
            return Ok(None);
        }
        result.set_outcome(&outcome);
        Ok(Some(PlayedMatch { number: fixture.number, result, record: outcome.record }))
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
            unlisted_faults: Vec::new(),
            settings: Some(self.settings.clone()),
        }
    }
}

/// The record of a match before its first move.
fn blank_record(tournament: &str, contest: &Contest, result: &MatchResult) -> Record {
    let name = |player: &Option<String>| player.clone().unwrap_or_else(|| NATURE.to_owned());
    Record {
        game_meta_url: contest.name.clone(),
        player_names_from_host: result.players.iter().map(name).collect(),
        is_player_human: vec![false; result.players.len()],
        tournament_name_from_host: Some(tournament.to_owned()),
        ..Record::default()
    }
}

/// Writes a match record to a file in `directory` that is named after the match id, as [`write_whole`] does. Returns the
/// path of the record.
///
/// # Errors
/// When the file cannot be written.
pub fn save(directory: &Path, record: &Record) -> Result<PathBuf, TournamentError> {
    save_text(directory, &record.match_id, &record.to_json())
}

/// Writes the record of the match `id` as [`save`] does; `json` is its text.
///
/// # Errors
/// When the file cannot be written.
pub fn save_text(directory: &Path, id: &str, json: &str) -> Result<PathBuf, TournamentError> {
    let path = directory.join(format!("{id}.json"));
    match write_whole(&path, json) {
        Ok(()) => Ok(path),
        Err(error) => Err(TournamentError::Save { path, error }),
    }
}
