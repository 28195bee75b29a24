//! The checks before the first match: the trials of the entrants, and the making of a player for each entrant
//! and game. If an entrant cannot be started or reached, or its player cannot be made, the tournament ends
//! before any match is played.

use crate::setup::is_nature;
use crate::table::{RefereePool, make_player};
use crate::tournament::{Event, PlayerRequest, Players, Tournament, TournamentError};
use crate::trial::{Refusal, Trial, Unfit};
use ggp_game::{Role, StopToken};
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The time from the start of the entrants' trials until the user is told which trials are still running.
const PATIENCE: Duration = Duration::from_secs(2);

/// The interval between checks whether the trials of all entrants have ended.
const POLL: Duration = Duration::from_millis(5);

impl Tournament {
    /// Runs the trials of the entrants whose indices are in `waiting`, all at the same time. Sends the
    /// warnings of the trials to `on_event`. If trials take longer than `PATIENCE`, also sends a note
    /// with the names of their entrants. [`Tournament::run`] does so by itself.
    ///
    /// # Errors
    /// When an entrant fails its trial, or a thread cannot be started.
    pub fn hold_trials(
        &self,
        players: &dyn Players,
        waiting: &BTreeSet<usize>,
        on_event: &mut dyn FnMut(Event<'_>),
        stop: &StopToken,
    ) -> Result<(), TournamentError> {
        let Some(game) = self.contests.first().map(|contest| &contest.game) else { return Ok(()) };
        let role = game.roles().find(|&role| !is_nature(game, role)).unwrap_or(Role(0));
        let trial = Trial { game, role, clocks: self.clocks, grace: self.grace, stop };
        let (mut refusals, mut failed) = (Vec::new(), None);
        std::thread::scope(|scope| {
            let mut trials = Vec::new();
            for entrant in waiting.iter().map(|&position| &self.entrants[position]) {
                let held = move || players.trial(entrant, &trial);
                match std::thread::Builder::new().spawn_scoped(scope, held) {
                    Ok(thread) => trials.push((entrant, thread)),
                    Err(error) => failed = Some(TournamentError::Thread(error)),
                }
            }
            let began = Instant::now();
            let mut is_told = false;
            while trials.iter().any(|(_, thread)| !thread.is_finished()) {
                std::thread::sleep(POLL);
                if !is_told && began.elapsed() > PATIENCE {
                    let late = trials.iter().filter(|(_, thread)| !thread.is_finished());
                    let late: Vec<&str> = late.map(|(entrant, _)| entrant.name.as_str()).collect();
                    on_event(Event::Note(format!("waiting for {} to answer", late.join(", "))));
                    is_told = true;
                }
            }
            for (entrant, thread) in trials {
                let broken = || Unfit { why: "its trial panicked".to_owned(), help: String::new() };
                match thread.join().unwrap_or_else(|_| Err(broken())) {
                    _ if stop.is_stopped() => {}
                    Ok(warnings) => {
                        for warning in warnings {
                            on_event(Event::Warning(warning));
                        }
                    }
                    Err(unfit) => refusals.push(Refusal { name: entrant.name.clone(), unfit }),
                }
            }
        });
        match failed {
            Some(error) => Err(error),
            None if refusals.is_empty() => Ok(()),
            None => Err(TournamentError::Refused(refusals)),
        }
    }

    /// Makes a player for each game and each entrant whose index is in `waiting`, and drops it, so that
    /// errors are found before the first match. Returns a pool of referees for each game, with one idle
    /// referee in it.
    pub(crate) fn make_players(
        &self,
        players: &dyn Players,
        waiting: &BTreeSet<usize>,
    ) -> Result<Vec<RefereePool>, TournamentError> {
        let mut referees = Vec::new();
        for contest in &self.contests {
            let game = contest.name.clone();
            let referee =
                players.referee(&contest.game).map_err(|error| TournamentError::Referee { game, error })?;
            referees.push(Mutex::new(vec![referee]));
            for entrant in waiting.iter().map(|&position| &self.entrants[position]) {
                let Tournament { grace, start_patience, .. } = *self;
                let request = PlayerRequest { match_id: "preflight", seed: 0, grace, start_patience };
                make_player(players, entrant, contest, &request)?;
            }
        }
        Ok(referees)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entrants::{Contest, Entrant, Pairing};
    use crate::fault::OnFault;
    use crate::referee::Referee;
    use crate::tournament::{PlayerRequest, Run};
    use ggp_game::{Clocks, Game};
    use ggp_game::{PlayError, Player};
    use std::sync::Arc;
    use std::sync::{Condvar, Mutex};

    /// Players for tests. `bad` and `worse` fail their trial; `odd` passes with a warning. Every trial waits
    /// until all trials have begun.
    struct Fakes {
        tried: Mutex<usize>,
        changed: Condvar,
        wanted: usize,
    }

    impl Players for Fakes {
        fn player(
            &self,
            _: &Entrant,
            _: &Arc<Game>,
            _: &PlayerRequest<'_>,
        ) -> Result<Box<dyn Player>, PlayError> {
            Err(PlayError::Unable("no player".to_owned()))
        }

        fn referee(&self, _: &Arc<Game>) -> Result<Box<dyn Referee>, PlayError> {
            Err(PlayError::Unable("no referee".to_owned()))
        }

        fn trial(&self, entrant: &Entrant, trial: &Trial<'_>) -> Result<Vec<String>, Unfit> {
            assert_eq!(trial.game.role_name(trial.role), "a", "not the role `random`");
            let mut tried = self.tried.lock().unwrap();
            *tried += 1;
            self.changed.notify_all();
            while *tried < self.wanted {
                let (guard, wait) = self.changed.wait_timeout(tried, Duration::from_secs(20)).unwrap();
                assert!(!wait.timed_out(), "trials are held one after the other");
                tried = guard;
            }
            match entrant.name.as_str() {
                "bad" | "worse" => {
                    Err(Unfit { why: "it is gone".to_owned(), help: "call it back".to_owned() })
                }
                "odd" => Ok(vec!["odd is busy".to_owned()]),
                _ => Ok(Vec::new()),
            }
        }
    }

    /// Runs a tournament, which must fail, between players with these names. Returns its error message and
    /// its warnings.
    fn error(names: &[&str], stop: &StopToken) -> (String, Vec<String>) {
        let rules = "(role random) (role a) (role b) (legal random x) (legal a x) (legal b x) (init s) (next t) \
                     (<= terminal (true t)) (goal a 50) (goal b 50)";
        let game = Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap());
        let entrant = |name: &&str| Entrant { name: (*name).to_owned(), spec: String::new() };
        let tournament = Tournament {
            entrants: names.iter().map(entrant).collect(),
            contests: vec![Contest { name: "g".to_owned(), game }],
            pairing: Pairing::RoundRobin,
            seed: 1,
            clocks: Clocks { start: Duration::ZERO, play: Duration::ZERO },
            grace: Duration::ZERO,
            start_patience: Duration::ZERO,
            on_fault: OnFault::Random,
            opening_plies: 0,
            parallel: false,
            max_steps: 10,
        };
        let players = Fakes { tried: Mutex::new(0), changed: Condvar::new(), wanted: names.len() };
        let mut warnings = Vec::new();
        let mut watch = |event: Event<'_>| {
            if let Event::Warning(text) = event {
                warnings.push(text);
            }
        };
        let error = tournament.run(&players, &Run::new(6), &mut watch, stop).unwrap_err().to_string();
        (error, warnings)
    }

    #[test]
    fn all_are_tried_side_by_side_and_all_that_fail_are_named() {
        let (said, warnings) = error(&["bad", "odd", "worse"], &StopToken::new());
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(
            lines,
            [
                "player bad cannot take part: it is gone; call it back",
                "player worse cannot take part: it is gone; call it back"
            ]
        );
        assert_eq!(warnings, ["odd is busy"]);
        // If all entrants pass, the run goes on to the referees.
        assert_eq!(error(&["good", "odd"], &StopToken::new()).0, "g cannot be refereed: no referee");
        // A stopped trial is not a failure.
        let stop = StopToken::new();
        stop.stop();
        assert_eq!(error(&["good", "bad"], &stop).0, "g cannot be refereed: no referee");
    }
}
