//! A person at the keyboard as a player.
//!
//! Invariants: the player returns only legal moves. The end of the input, or a request to stop, ends the
//! match. The moves that other roles choose in the same step are not shown before the person has moved. In a
//! game of hidden information, a person is shown what follows from the role's own moves and percepts, and
//! nothing else.

use crate::board::Board;
use crate::console::{self, BAD, FAINT};
use anyhow::anyhow;
use ggp_game::{
    Clocks, Deadline, Extent, Game, InformationSet, Knowledge, Move, Observation, OwnTurn, OwnedObservation,
    PlayError, Player, Role, StateMachine, StopToken, advice,
};
use std::io::{BufRead, IsTerminal, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The interval at which the player checks for requests to stop while it waits for input.
const LOOK: Duration = Duration::from_millis(50);

/// The width of the list of moves, in characters, if the terminal does not report its own.
const WIDTH: usize = 80;

/// The maximum number of states that are kept of a person's information set. The person is told what holds in
/// these states.
const STATES: usize = 2000;

/// The clocks of the search for a hint, one second together. The network may be built in the start clock.
const HINT_CLOCKS: Clocks = Clocks { start: Duration::from_millis(500), play: Duration::from_millis(500) };

/// The maximum number of iterations of the search for a hint in a game of hidden information. A search that
/// reaches it within its clock gives the same hint whenever the role has seen the same.
pub(crate) const HINT_ITERATIONS: u64 = 1000;

/// The lines of standard input. A thread reads them until the program ends, since a read cannot be
/// interrupted.
#[derive(Debug)]
pub(crate) struct Lines {
    received: Receiver<std::io::Result<String>>,
    /// The role of the person who looked at the screen last. Used only in games of hidden information that
    /// several people play at one screen.
    viewer: Option<Role>,
}

impl Lines {
    /// Starts the reading thread.
    pub(crate) fn read() -> Lines {
        let (send, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in std::io::stdin().lock().lines() {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        Lines { received: lines, viewer: None }
    }

    /// The next line. `None` at the end of the input, after a read error, or when `stop` is raised.
    fn next(&self, stop: &StopToken) -> Option<String> {
        while !stop.is_stopped() {
            match self.received.recv_timeout(LOOK) {
                Ok(line) => return line.ok(),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
        None
    }

    /// Clears the screen and waits until the person who plays `role`, called `name`, says that nobody else
    /// looks. Does nothing if that person looked last. `None` at the end of the input, or when `stop` is
    /// raised.
    fn pass_to(&mut self, role: Role, name: &str, stop: &StopToken) -> Option<()> {
        if self.viewer != Some(role) {
            if std::io::stdout().is_terminal() {
                // Clear the screen and what can be scrolled back to.
                print!("\x1b[2J\x1b[3J\x1b[H");
                let _ = std::io::stdout().flush();
            }
            console::ask(&format!("{name} moves next. {name}, press Enter when nobody else looks> "));
            self.next(stop)?;
            self.viewer = Some(role);
        }
        Some(())
    }
}

/// How a person in a game of hidden information sees the match.
#[derive(Clone)]
pub(crate) struct Outlook {
    pub(crate) board: Arc<Board>,
    /// Whether several people share the screen, so that it is cleared before another person looks.
    pub(crate) curtain: bool,
}

/// A player that asks a person for the moves of one role.
pub(crate) struct Person<M: StateMachine> {
    machine: M,
    lines: Arc<Mutex<Lines>>,
    /// The way in which the person sees the match. `None` if all states of the match are shown to everybody.
    outlook: Option<Outlook>,
    /// The states that are possible as far as the role knows. In a game without hidden information, this is
    /// only the current state. `None` while no match is played.
    possible: Option<InformationSet<M>>,
    /// All observations of the role in the match.
    observations: Vec<OwnedObservation>,
    /// The number of turns whose percepts have been shown.
    shown: usize,
    /// The player that gives hints.
    adviser: Box<dyn Player>,
}

impl<M: StateMachine> Person<M> {
    /// A player for a person who types `lines`. `machine` supplies the legal moves. If several people
    /// use one keyboard, their players share `lines`. `adviser` searches for hints.
    pub(crate) fn new(
        machine: M,
        lines: Arc<Mutex<Lines>>,
        outlook: Option<Outlook>,
        adviser: Box<dyn Player>,
    ) -> Person<M> {
        Person { machine, lines, outlook, possible: None, observations: Vec::new(), shown: 0, adviser }
    }

    fn follow(&mut self, seen: Observation<'_>) -> Result<(), PlayError> {
        let possible = self.possible.as_mut().ok_or_else(not_started)?;
        // The seed says nothing about the match, so neither does a sample that is drawn with it.
        possible.follow(&mut self.machine, seen, 0)?;
        self.observations.push(seen.into());
        Ok(())
    }

    /// The move that a search recommends to `role`, and the expected goal, in one line. The search knows only
    /// what the role has observed.
    fn hint(&mut self, role: Role, stop: &StopToken) -> String {
        let game = Arc::clone(self.machine.game());
        let found = advice(self.adviser.as_mut(), (&game, role), &self.observations, HINT_CLOCKS, stop);
        let best = match found {
            Ok(report) => report.candidates.into_iter().next(),
            Err(error) => return format!("no hint: {error}"),
        };
        let Some(best) = best else { return "no hint: the search has found nothing".to_owned() };
        let mv = console::printable(&best.mv);
        match (best.proven, best.score) {
            (Some(goal), _) => format!("hint: {mv}, which gives {goal}"),
            (None, Some(score)) => format!("hint: {mv}, expected goal {score:.0}"),
            (None, None) => format!("hint: {mv}, chosen without a search"),
        }
    }

    /// Shows the role's moves and percepts in the turns that have not been shown yet, and then what the role
    /// knows of the state.
    fn show(&mut self, board: &Board) -> Result<(), PlayError> {
        let possible = self.possible.as_ref().ok_or_else(not_started)?;
        let knowledge = possible.knowledge(&mut self.machine)?;
        let name = self.machine.game().role_name(possible.role());
        let mut text = String::new();
        for (number, turn) in possible.history().iter().enumerate().skip(self.shown) {
            text += &turn_line(number + 1, name, turn);
        }
        self.shown = possible.history().len();
        text += &board.draw_known(&knowledge);
        text += &console::paint_stdout(FAINT, &extent_line(&knowledge));
        let mut out = console::stdout();
        // A person who cannot read the board can still move.
        let _ = writeln!(out, "{text}\n").and_then(|()| out.flush());
        Ok(())
    }

    fn ask(
        &mut self,
        (state, role): (&M::State, Role),
        legal: &[Move],
        stop: &StopToken,
    ) -> Result<Move, PlayError> {
        let name = self.machine.game().role_name(role).to_owned();
        let lines = Arc::clone(&self.lines);
        let mut lines = lines.lock().map_err(|_| unable("the keyboard is gone"))?;
        let ended = || {
            // No further input can arrive, so the whole match ends.
            console::say("");
            stop.stop();
            PlayError::Gone("the input has ended".to_owned())
        };
        if let Some(outlook) = self.outlook.clone() {
            if outlook.curtain {
                lines.pass_to(role, &name, stop).ok_or_else(ended)?;
            }
            self.show(&outlook.board)?;
        }
        self.list(legal);
        loop {
            console::ask(&format!(
                "{name}, your move (a number or the move; ? lists them, hint advises, q ends)> "
            ));
            let line = lines.next(stop).filter(|line| line.trim() != "q");
            let Some(line) = line else { return Err(ended()) };
            match line.trim() {
                "" => {}
                "?" => self.list(legal),
                text => match self.read(text, legal, state, role) {
                    Ok(mv) => return Ok(mv),
                    // A move may have the text of a command, and then it is the move.
                    Err(_) if text == "hint" => console::say(&self.hint(role, stop)),
                    Err(_) if text == "help" => self.list(legal),
                    Err(_) if matches!(text, "quit" | "exit") => return Err(ended()),
                    Err(error) => {
                        let text = format!("{error} (? lists the moves)");
                        let parts = text.split_inclusive(", ").flat_map(|part| part.split_inclusive(": "));
                        let text = console::wrap("", parts, console::width_stderr());
                        console::say(&console::paint_stderr(BAD, &text));
                    }
                },
            }
        }
    }

    /// The move that the line `text` names. A line holds the text of a move, or its number in the list.
    fn read(&mut self, text: &str, legal: &[Move], state: &M::State, role: Role) -> anyhow::Result<Move> {
        let typed = self.machine.parse_legal_move(state, role, text);
        // Moves may themselves be numbers, so the text takes precedence.
        match (typed, text.parse::<usize>()) {
            (Ok(mv), _) => Ok(mv),
            (Err(_), Ok(number)) => number
                .checked_sub(1)
                .and_then(|at| legal.get(at).copied())
                .ok_or_else(|| anyhow!("there is no move {number}; they are numbered 1 to {}", legal.len())),
            (Err(error), Err(_)) => {
                // The outer parentheses may be left out.
                self.machine.parse_legal_move(state, role, &format!("({text})")).map_err(|_| error.into())
            }
        }
    }

    /// Prints the legal moves with their numbers, in columns.
    fn list(&self, legal: &[Move]) {
        let digits = legal.len().to_string().len();
        let cells: Vec<String> = legal
            .iter()
            .enumerate()
            .map(|(i, &mv)| format!("{:>digits$} {}", i + 1, console::printable(self.machine.move_text(mv))))
            .collect();
        let width = console::width_stderr().unwrap_or(WIDTH);
        // A wider cell is alone in its line and needs no padding, and formatting pads to at most 65,535 characters.
        let widest = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0).min(width) + 3;
        let columns = (width / widest).max(1);
        let rows = cells.len().div_ceil(columns);
        for row in 0..rows {
            let cells = cells.iter().skip(row).step_by(rows);
            let padded: Vec<String> = cells.map(|cell| format!("{cell:<0$}", widest - 3)).collect();
            console::say(&format!("  {}", padded.join("   ").trim_end()));
        }
    }
}

impl<M: StateMachine> Player for Person<M> {
    fn start(
        &mut self,
        _game: &Arc<Game>,
        role: Role,
        _clocks: Clocks,
        _deadline: Deadline,
        _stop: &StopToken,
    ) -> Result<(), PlayError> {
        self.possible = Some(InformationSet::initial(&mut self.machine, role, STATES)?);
        (self.observations, self.shown) = (Vec::new(), 0);
        Ok(())
    }

    fn play(
        &mut self,
        seen: Observation<'_>,
        _deadline: Deadline,
        stop: &StopToken,
    ) -> Result<String, PlayError> {
        self.machine.interrupt_on(stop);
        self.follow(seen)?;
        if self.machine.has_many_moves() {
            self.machine.release_moves();
        }
        let possible = self.possible.as_ref().ok_or_else(not_started)?;
        let role = possible.role();
        let mut legal = Vec::new();
        possible.legal_moves(&mut self.machine, &mut legal)?;
        let state = possible.states().first().map(|state| state.0.clone());
        let state = state.ok_or_else(|| unable("no possible state is known"))?;
        let mv = match legal[..] {
            [] => return Err(PlayError::NoMove),
            [only] => {
                let text = self.machine.move_text(only);
                let name = self.machine.game().role_name(role);
                let note = format!("{name} can only {}", console::printable(text));
                console::say(&console::paint_stderr(FAINT, &note));
                only
            }
            _ => self.ask((&state, role), &legal, stop)?,
        };
        Ok(self.machine.move_text(mv).to_owned())
    }

    fn observe(&mut self, seen: Observation<'_>) -> Result<(), PlayError> {
        self.follow(seen)
    }

    fn stop(&mut self, _seen: Observation<'_>) {
        self.possible = None;
    }
}

/// A finished turn in one line: the turn's number, the name of the person's role, and the move and percepts
/// of this role.
fn turn_line(number: usize, role: &str, turn: &OwnTurn) -> String {
    let seen: Vec<String> = turn.seen.iter().map(|fact| console::printable(fact.as_str())).collect();
    let seen = if seen.is_empty() { "nothing".to_owned() } else { seen.join(", ") };
    let own = console::printable(&turn.own);
    format!("{number:>3}. {} {own}   sees {seen}\n", console::paint_stdout(FAINT, role))
}

/// The number of states that a role considers possible, in one line.
fn extent_line(knowledge: &Knowledge) -> String {
    match (knowledge.extent, knowledge.states) {
        (Extent::Enumerated, 1) => "The state is known.".to_owned(),
        (Extent::Enumerated, count) => format!("{count} states are possible."),
        (Extent::Sampled, count) => {
            format!("Too many states are possible; shares are estimated from a sample of {count}.")
        }
    }
}

fn not_started() -> PlayError {
    unable("the match has not been started")
}

fn unable(why: &str) -> PlayError {
    PlayError::Unable(why.to_owned())
}
