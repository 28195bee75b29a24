//! `ggp match`: plays a tournament and prints its tables.
//!
//! Invariant: the results depend only on the command line, so that the same command line can continue a run
//! that was stopped.

use crate::competition::{Competition, of_tournament};
use crate::console;
use crate::exit::Exit;
use crate::match_arguments::Arguments;
use crate::play::stop_on_signal;
use crate::score::Score;
use ggp_arena::{Event, TournamentError};
use ggp_game::StopToken;
use std::collections::BTreeSet;

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let competition = Competition::new(arguments.clone(), None)?;
    competition.try_report()?;
    competition.say_notes();
    let stop = StopToken::new();
    stop_on_signal(&stop)?;
    let participants = competition.participants()?;
    let mut score = Score::start();
    let mut has_played = false;
    let mut stuck: BTreeSet<String> = BTreeSet::new();
    let mut watch = |event: Event<'_>| match event {
        Event::Warning(text) => score.say(&format!("warning: {text}")),
        Event::Note(text) => score.say(&format!("note: {text}")),
        Event::Ready { progress, unasked } => score.ready(progress, unasked),
        Event::Ended { result, progress, standings, sprt } => {
            has_played = true;
            // One note a game tells enough.
            if result.ending == "no_legal_move" && stuck.insert(result.game.clone()) {
                score.say(&competition.stuck_note(result));
            }
            score.update(progress, standings, sprt);
        }
    };
    let report = competition.tournament.run(&participants, &competition.run, &mut watch, &stop);
    score.finish();
    match report {
        Ok(report) => competition.conclude(&report, false),
        Err(error) if has_played => {
            say(&error);
            competition.say_how_to_resume();
            Ok(Exit::Findings)
        }
        Err(error) => refuse(error),
    }
}

fn say(error: &TournamentError) {
    for line in error.to_string().lines().map(console::printable) {
        console::say(&format!("{}: {line}", console::paint_stderr(console::BAD, "error")));
    }
}

/// Handles a tournament that could not be played. If a player is the reason, prints the error and returns the
/// exit code for faults. Otherwise returns the error.
fn refuse(error: TournamentError) -> anyhow::Result<Exit> {
    match error {
        TournamentError::Player { .. } | TournamentError::Refused(_) => {
            say(&error);
            Ok(Exit::Fault)
        }
        other => Err(of_tournament(other)),
    }
}
