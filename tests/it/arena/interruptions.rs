//! Interrupted matches: who is blamed, what is kept, and how the players hear of it.

use super::*;

/// A player that raises a token when it is asked, if it has one, and answers all questions wrongly. It notes how the match
/// ends for it.
struct Disturber {
    at_start: Option<StopToken>,
    at_move: Option<StopToken>,
    ends: Arc<Mutex<Vec<&'static str>>>,
}

impl Disturber {
    fn seat(at_start: Option<&StopToken>, ends: &Arc<Mutex<Vec<&'static str>>>) -> Seat {
        let player = Disturber { at_start: at_start.cloned(), at_move: None, ends: Arc::clone(ends) };
        Seat::Player(Box::new(player))
    }
}

impl Player for Disturber {
    fn start(
        &mut self,
        _: &Arc<Game>,
        _: Role,
        _: Clocks,
        _: Deadline,
        _: &StopToken,
    ) -> Result<(), PlayError> {
        let Some(stop) = &self.at_start else { return Ok(()) };
        stop.stop();
        Err(PlayError::TimedOut)
    }

    fn play(&mut self, _: Observation<'_>, _: Deadline, _: &StopToken) -> Result<String, PlayError> {
        self.at_move.iter().for_each(StopToken::stop);
        Ok("nonsense".to_owned())
    }

    fn stop(&mut self, _: Observation<'_>) {
        self.ends.lock().unwrap().push("stop");
    }

    fn abort(&mut self, _: Observation<'_>) {
        self.ends.lock().unwrap().push("abort");
    }
}

fn outcome(at_start: Option<&StopToken>, stop: &StopToken) -> (Outcome, Vec<&'static str>) {
    let ends = Arc::<Mutex<Vec<_>>>::default();
    let mut seats = [Disturber::seat(at_start, &ends), Disturber::seat(None, &ends)];
    let mut referee = MachineReferee::new(Interpreter::new(&published("rock_paper_scissors").game));
    let setup = MatchSetup { on_fault: OnFault::Forfeit, ..MatchSetup::new("m", NO_CLOCK) };
    let outcome = referee.play(setup, &mut seats, &mut (), stop);
    let ends = ends.lock().unwrap().clone();
    (outcome, ends)
}

#[test]
fn players_are_not_at_fault_when_the_match_is_interrupted() {
    let stop = StopToken::new();
    let (outcome, ends) = outcome(Some(&stop), &stop);
    assert_eq!((outcome.ending, outcome.faults.len()), (Ending::Interrupted, 0));
    assert_eq!(ends, ["abort", "abort"]);
}

#[test]
fn nobody_wins_a_step_in_which_all_are_at_fault() {
    let (outcome, ends) = outcome(None, &StopToken::new());
    let steps: Vec<(usize, u32)> = outcome.faults.iter().map(|fault| (fault.role, fault.step)).collect();
    assert_eq!(steps, [(0, 0), (1, 0)]);
    assert_eq!(outcome.goals, [None, None]);
    assert!(matches!(outcome.ending, Ending::Unplayed(_)), "{:?}", outcome.ending);
    assert_eq!(ends, ["stop", "stop"]);
}

/// Makes players that end together with the run, as programs do that get the same signal.
struct Ended(StopToken);

impl Players for Ended {
    fn player(
        &self,
        _: &Entrant,
        _: &Arc<Game>,
        _: &PlayerRequest<'_>,
    ) -> Result<Box<dyn Player>, PlayError> {
        Ok(Box::new(Disturber { at_start: None, at_move: Some(self.0.clone()), ends: Arc::default() }))
    }

    fn referee(&self, game: &Arc<Game>) -> Result<Box<dyn Referee>, PlayError> {
        Local.referee(game)
    }
}

#[test]
fn a_match_that_the_interruption_spoils_is_played_again() {
    let scratch = Scratch::new("spoilt");
    let out = scratch.file("results.jsonl");
    let league = Tournament {
        on_fault: OnFault::Forfeit,
        opening_plies: 0,
        ..tournament(vec![published("tic_tac_toe")], &[("a", "random"), ("b", "random")])
    };
    let stop = StopToken::new();
    let run = Run { out: Some(out.clone()), resume: true, ..Run::new(4) };
    let report = league.run(&Ended(stop.clone()), &run, &mut |_| {}, &stop).unwrap();
    assert_eq!((report.finish, report.progress.done), (Finish::Stopped, 0));
    let report = play(&league, &run);
    assert_eq!((report.finish, content(&out).len()), (Finish::Complete, 4));
}
