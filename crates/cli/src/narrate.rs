//! A match, told as it goes: boards, moves, and what the search thought of them.

use crate::board::Board;
use crate::console::{self, FAINT};
use ggp_arena::{MatchEvent, Observer};
use ggp_game::{Candidate, Fact, Game, Report, StopToken};
use std::io::Write;
use std::path::Path;

/// Moves of which the search's opinion is shown.
const OPINIONS: usize = 3;

/// Tells a match as it goes.
pub(crate) struct Narrator<'a> {
    game: &'a Game,
    board: Board,
    /// So many joint moves are given by a record.
    given: u32,
    /// Whether the state that the match begins with has been shown.
    started: bool,
    before: Vec<Fact>,
    moves: Vec<String>,
    /// Where the match is kept, from step to step, so that nothing takes more than a step with it.
    save: Option<&'a Path>,
    /// Why it fell silent.
    failed: Option<std::io::Error>,
    stop: StopToken,
}

impl Observer for Narrator<'_> {
    fn wants_facts(&self) -> bool {
        true
    }

    fn observe(&mut self, event: MatchEvent<'_>) {
        let told = match event {
            MatchEvent::State { step, facts, record } => {
                self.save(record).and_then(|()| self.tell_state(step, facts))
            }
            MatchEvent::Joint { step, moves, reports, .. } => self.tell_moves(step, moves, reports),
            MatchEvent::End(_) => Ok(()),
        };
        if let Err(error) = told {
            // Nobody reads on: there is no use in playing on.
            self.failed.get_or_insert(error);
            self.stop.stop();
        }
    }
}

impl<'a> Narrator<'a> {
    /// Tells a match of `game` on `board`, of which `given` joint moves come from a record, and
    /// keeps it in the file `save`. Raises `stop` when nobody listens any more.
    pub(crate) fn new(
        game: &'a Game,
        board: Board,
        given: u32,
        save: Option<&'a Path>,
        stop: &StopToken,
    ) -> Narrator<'a> {
        let (before, moves) = (Vec::new(), Vec::new());
        let started = false;
        Narrator { game, board, given, started, before, moves, save, failed: None, stop: stop.clone() }
    }

    /// Shows the state that the match begins with, before anyone is asked to start; `before` is the state
    /// before it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn show_start(&mut self, [facts, before]: [Vec<Fact>; 2]) -> std::io::Result<()> {
        let mut out = console::stdout();
        writeln!(out, "{}", self.board.draw(&facts, &before, &[]))?;
        self.started = true;
        out.flush()
    }

    /// # Errors
    /// When something could not be told or kept.
    pub(crate) fn finish(self) -> std::io::Result<()> {
        self.failed.map_or(Ok(()), Err)
    }

    fn save(&self, record: Option<&ggp_arena::Record>) -> std::io::Result<()> {
        match (self.save, record) {
            (Some(path), Some(record)) => std::fs::write(path, record.to_json() + "\n"),
            _ => Ok(()),
        }
    }

    fn tell_state(&mut self, step: u32, facts: &[Fact]) -> std::io::Result<()> {
        let shown = self.started && step == self.given;
        if step >= self.given && !shown {
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
        reports: &mut dyn FnMut(usize) -> Option<Report>,
    ) -> std::io::Result<()> {
        moves.clone_into(&mut self.moves);
        let mut out = console::stdout();
        let roles: Vec<&str> = self.game.roles().map(|role| self.game.role_name(role)).collect();
        let made: Vec<String> = roles
            .iter()
            .zip(moves)
            .map(|(role, mv)| format!("{} {}", console::paint_stdout(FAINT, role), console::printable(mv)))
            .collect();
        writeln!(out, "{:>3}. {}", step + 1, made.join("   "))?;
        if step >= self.given {
            for (number, role) in roles.iter().enumerate() {
                if let Some(report) = reports(number).filter(|r| r.candidates.len() > 1) {
                    writeln!(out, "     {}", opinion(role, &report))?;
                }
            }
            writeln!(out)?;
        }
        out.flush()
    }
}

/// What the search thought, in a line.
fn opinion(role: &str, report: &Report) -> String {
    let one = |candidate: &Candidate| {
        let score = match (candidate.proven, candidate.score) {
            (Some(goal), _) => format!("{goal} proved"),
            (None, Some(score)) => format!("{score:.1}"),
            (None, None) => "-".to_owned(),
        };
        format!("{} {score} in {} visits", console::printable(&candidate.mv), candidate.visits)
    };
    let mut parts: Vec<String> = report.candidates.iter().take(OPINIONS).map(one).collect();
    if report.candidates.len() > OPINIONS {
        parts.push(format!("{} more", report.candidates.len() - OPINIONS));
    }
    let seconds = report.elapsed.as_secs_f64();
    let mut text =
        format!("{role} thought {seconds:.2} s, {} playouts: {}", report.playouts, parts.join("; "));
    if report.is_guess() {
        text += &format!(" (a guess: only {} iterations)", report.iterations);
    }
    console::paint_stdout(FAINT, &text)
}
