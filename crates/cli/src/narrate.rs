//! The commentary of a match: boards, moves, search results, and how it ended.

use crate::board::Board;
use crate::console::{self, FAINT, GOOD};
use crate::save::SaveFile;
use anyhow::Context;
use ggp_arena::{Ending, MatchEvent, Observer, Outcome};
use ggp_game::{Candidate, Fact, Game, SearchReport, StopToken};
use ggp_gdl::diagnostic::count;
use std::io::{self, Write};
use std::iter::once;
use std::sync::Arc;

/// The number of moves that a line of search results lists. Of the other moves, the line gives only the
/// number.
const OPINIONS: usize = 3;

/// An observer that prints a match as it runs.
pub(crate) struct Narrator<'a> {
    game: &'a Game,
    board: Arc<Board>,
    /// The number of joint moves at the start of the match that come from a record, not from the players.
    given: u32,
    /// Whether [`Narrator::show_start`] has taken care of the first state, so that it is not drawn again.
    started: bool,
    before: Vec<Fact>,
    moves: Vec<String>,
    /// The file to which the match is saved after every step.
    save: Option<SaveFile<'a>>,
    /// Whether the states, the moves and the search results stay hidden until the match ends.
    hidden: bool,
    /// The lines of text for the hidden joint moves, one line for each. They are printed when the match is
    /// over. Empty unless `hidden`.
    made: Vec<String>,
    /// Whether standard output is still open.
    heard: bool,
    /// The error that ended the match.
    failed: Option<anyhow::Error>,
    stop: StopToken,
}

impl Observer for Narrator<'_> {
    fn wants_facts(&self) -> bool {
        true
    }

    fn observe(&mut self, event: MatchEvent<'_>) {
        let kept = match (&event, &mut self.save) {
            // The file may be the one from which the match goes on, and must not lose moves that are still to be replayed.
            (MatchEvent::State { step, record: Some(record), percepts, .. }, Some(save)) => {
                save.update(record, percepts, *step >= self.given)
            }
            _ => Ok(()),
        };
        if let Err(error) = kept.and_then(|()| self.tell(event)) {
            self.failed.get_or_insert(error);
            self.stop.stop();
        }
    }
}

impl<'a> Narrator<'a> {
    /// An observer that draws the states of a match of `game` on `board`. The first `given` joint moves come
    /// from a record. If `save` is given, the match is saved to this file after every step. If printing or
    /// saving fails, the observer raises `stop` to end the match. If somebody has closed standard output, the
    /// match goes on, since printing is not its only purpose.
    pub(crate) fn new(
        game: &'a Game,
        board: Arc<Board>,
        given: u32,
        save: Option<SaveFile<'a>>,
        stop: &StopToken,
    ) -> Narrator<'a> {
        let (before, moves) = (Vec::new(), Vec::new());
        let started = false;
        let (hidden, made, heard, failed) = (false, Vec::new(), true, None);
        let stop = stop.clone();
        Narrator { game, board, given, started, before, moves, save, hidden, made, heard, failed, stop }
    }

    /// Hides the states, the moves and the search results from the people who play. When the match is over,
    /// the last state and all moves are shown.
    pub(crate) fn hide(mut self) -> Self {
        self.hidden = true;
        self
    }

    /// Shows the state in which the players begin, before any player is asked to start. `facts` are the facts
    /// of this state. If a record leads to the state, `moves` is the last joint move of the record, and
    /// `before` are the facts of the state in which that joint move was made.
    ///
    /// # Errors
    /// When the output fails. A closed standard output is no error.
    pub(crate) fn show_start(
        &mut self,
        [facts, before]: [Vec<Fact>; 2],
        moves: &[String],
    ) -> anyhow::Result<()> {
        self.started = true;
        if self.hidden {
            return Ok(());
        }
        let mut out = console::stdout();
        let told = writeln!(out, "{}", self.board.draw(&facts, &before, moves)).and_then(|()| out.flush());
        self.unless_closed(told)
    }

    /// Ends the commentary.
    ///
    /// # Errors
    /// The first error of output or of saving.
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        self.failed.map_or(Ok(()), Err)
    }

    fn tell(&mut self, event: MatchEvent<'_>) -> anyhow::Result<()> {
        if !self.heard {
            return Ok(());
        }
        let told = match event {
            MatchEvent::State { step, facts, .. } => self.tell_state(step, facts),
            MatchEvent::Joint { step, moves, reports, .. } => self.tell_moves(step, moves, reports),
            MatchEvent::End(outcome) if self.hidden && outcome.ending == Ending::Terminal => self.reveal(),
            MatchEvent::End(_) => Ok(()),
        };
        self.unless_closed(told)
    }

    /// If the error in `told` means that standard output is closed, nothing more is printed and the result is
    /// `Ok`. Any other error is returned.
    fn unless_closed(&mut self, told: std::io::Result<()>) -> anyhow::Result<()> {
        if let Err(error) = &told
            && console::is_closed(error)
        {
            self.heard = false;
            console::say("note: standard output is closed; the match goes on");
            return Ok(());
        }
        told.context("cannot write standard output")
    }

    fn tell_state(&mut self, step: u32, facts: &[Fact]) -> std::io::Result<()> {
        let shown = self.started && step == self.given;
        if step >= self.given && !shown && !self.hidden {
            let mut out = console::stdout();
            writeln!(out, "{}", self.board.draw(facts, &self.before, &self.moves))?;
            out.flush()?;
        }
        self.before = facts.to_vec();
        Ok(())
    }

    fn tell_moves(
        &mut self,
        step: u32,
        moves: &[String],
        reports: &mut dyn FnMut(usize) -> Option<SearchReport>,
    ) -> std::io::Result<()> {
        moves.clone_into(&mut self.moves);
        let mut out = console::stdout();
        let roles: Vec<&str> = self.game.roles().map(|role| self.game.role_name(role)).collect();
        let made = roles.iter().zip(moves).map(|(role, mv)| {
            let role = console::paint_stdout(FAINT, role);
            format!("{role} {}   ", console::printable(mv))
        });
        let line = console::wrap(&format!("{:>3}. ", step + 1), made, console::width_stdout());
        if self.hidden {
            self.made.push(line);
            return Ok(());
        }
        writeln!(out, "{line}")?;
        if step >= self.given {
            for (number, role) in roles.iter().enumerate() {
                if let Some(report) = reports(number).filter(|r| r.candidates.len() > 1) {
                    writeln!(out, "{}", opinion(role, &report))?;
                }
            }
            writeln!(out)?;
        }
        out.flush()
    }

    /// Shows the moves that were hidden, and the last state.
    fn reveal(&self) -> std::io::Result<()> {
        let mut out = console::stdout();
        writeln!(out, "The match, with all that was hidden:")?;
        for line in &self.made {
            writeln!(out, "{line}")?;
        }
        writeln!(out, "\n{}", self.board.draw(&self.before, &[], &[]))?;
        out.flush()
    }
}

/// Prints how the match of `outcome` ended.
pub(crate) fn print_ending(game: &Game, outcome: &Outcome) -> io::Result<()> {
    let scores = game.roles().map(|role| (game.role_name(role), outcome.score_text(role.index())));
    let mut out = console::stdout();
    let told = writeln!(out, "{}", ending(outcome.steps as usize, scores));
    console::unless_closed(told.and_then(|()| out.flush()))
}

/// How a match ended after `steps` joint moves, in one line. `scores` are the name and the score of each role.
pub(crate) fn ending<'a, S: ToString>(steps: usize, scores: impl Iterator<Item = (&'a str, S)>) -> String {
    let text = |(role, score): (&str, S)| {
        let score = console::paint_stdout(GOOD, &score.to_string());
        format!("{role} {score}")
    };
    let scores: Vec<String> = scores.map(text).collect();
    format!("Over after {}: {}", count(steps, "step"), scores.join(", "))
}

/// The search results for a role, in one line if the terminal is wide enough.
fn opinion(role: &str, report: &SearchReport) -> String {
    let one = |candidate: &Candidate| {
        let score = match (candidate.proven, candidate.score) {
            (Some(goal), _) => format!("{goal} proved"),
            (None, Some(score)) => format!("{score:.1}"),
            (None, None) => "-".to_owned(),
        };
        let drawn = candidate.probability.map(|share| format!(", drawn with {:.0} %", share * 100.0));
        let (mv, drawn) = (console::printable(&candidate.mv), drawn.unwrap_or_default());
        format!("{mv} {score} in {} visits{drawn}", candidate.visits)
    };
    let mut parts: Vec<String> = report.candidates.iter().take(OPINIONS).map(one).collect();
    if report.candidates.len() > OPINIONS {
        parts.push(format!("{} more", report.candidates.len() - OPINIONS));
    }
    let mut moves = parts.join("; ");
    if report.is_guess() {
        moves += &format!(" (a guess: only {} iterations)", report.iterations);
    }
    let seconds = report.elapsed.as_secs_f64();
    let time = format!("{role} thought {seconds:.2} s, {} playouts: ", report.playouts);
    // A semicolon begins a comment in rules, so no move has one.
    let parts = once(time.as_str()).chain(moves.split_inclusive("; "));
    console::paint_stdout(FAINT, &console::wrap("     ", parts, console::width_stdout()))
}
