//! A person at the keyboard as a player.
//!
//! Invariants: the player returns only legal moves. The end of the input, or a request to stop, ends the
//! match. The moves that other roles choose in the same step are not shown before the person has moved.

use crate::console::{self, BAD, FAINT};
use anyhow::anyhow;
use ggp_game::{Clocks, Deadline, Game, Move, Observation, PlayError, Player, Role, StateMachine, StopToken};
use std::io::BufRead;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

/// The interval at which the player checks for requests to stop while it waits for input.
const LOOK: Duration = Duration::from_millis(50);

/// The width of the list of moves, in characters, if the terminal does not report its own.
const WIDTH: usize = 80;

/// The lines of standard input. A thread reads them until the program ends, since a read cannot be
/// interrupted.
#[derive(Debug)]
pub(crate) struct Lines(Receiver<std::io::Result<String>>);

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
        Lines(lines)
    }

    /// The next line. `None` at the end of the input, after a read error, or when `stop` is raised.
    fn next(&self, stop: &StopToken) -> Option<String> {
        while !stop.is_stopped() {
            match self.0.recv_timeout(LOOK) {
                Ok(line) => return line.ok(),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
        None
    }
}

/// A player that asks a person for the moves of one role.
pub(crate) struct Person<M: StateMachine> {
    machine: M,
    lines: Arc<std::sync::Mutex<Lines>>,
    seat: Option<(M::State, Role)>,
}

impl<M: StateMachine> Person<M> {
    /// A player for a person who types `lines`. `machine` supplies the legal moves. If several people use one
    /// keyboard, their players share `lines`.
    pub(crate) fn new(machine: M, lines: Arc<std::sync::Mutex<Lines>>) -> Person<M> {
        Person { machine, lines, seat: None }
    }

    fn follow(&mut self, seen: Observation<'_>) -> Result<(), PlayError> {
        let (state, _) = self.seat.as_mut().ok_or_else(|| unable("the match has not been started"))?;
        match seen {
            Observation::Start => {}
            Observation::Percepts { .. } => {
                return Err(unable("games with hidden information (GDL-II) cannot be played by hand yet"));
            }
            Observation::Moves(texts) => {
                let joint = self.machine.parse_joint(texts)?;
                *state = self.machine.next_state(state, &joint)?;
            }
        }
        Ok(())
    }

    fn ask(&mut self, legal: &[Move], stop: &StopToken) -> Result<Move, PlayError> {
        let (state, role) = self.seat.clone().ok_or_else(|| unable("the match has not been started"))?;
        let name = self.machine.game().role_name(role).to_owned();
        let lines = Arc::clone(&self.lines);
        let lines = lines.lock().map_err(|_| unable("the keyboard is gone"))?;
        self.list(legal);
        loop {
            console::ask(&format!("{name}, your move (a number or the move; ? lists them, q ends)> "));
            let line = lines.next(stop).filter(|line| line.trim() != "q");
            let Some(line) = line else {
                // No further input can arrive, so the whole match ends.
                console::say("");
                stop.stop();
                return Err(PlayError::Gone("the input has ended".to_owned()));
            };
            match line.trim() {
                "" => {}
                "?" => self.list(legal),
                text => match self.read(text, legal, &state, role) {
                    Ok(mv) => return Ok(mv),
                    Err(error) => console::say(&console::paint_stderr(BAD, &error.to_string())),
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
        let widest = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0) + 3;
        let width = terminal_size::terminal_size_of(std::io::stderr()).map_or(WIDTH, |(w, _)| w.0.into());
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
        self.seat = Some((self.machine.initial_state()?, role));
        Ok(())
    }

    fn play(
        &mut self,
        seen: Observation<'_>,
        _deadline: Deadline,
        stop: &StopToken,
    ) -> Result<String, PlayError> {
        self.follow(seen)?;
        let (state, role) = self.seat.clone().ok_or_else(|| unable("the match has not been started"))?;
        let mut legal = Vec::new();
        self.machine.legal_moves(&state, role, &mut legal)?;
        let mv = match legal[..] {
            [] => return Err(PlayError::NoMove),
            [only] => {
                let text = self.machine.move_text(only);
                let name = self.machine.game().role_name(role);
                let note = format!("{name} can only {}", console::printable(text));
                console::say(&console::paint_stderr(FAINT, &note));
                only
            }
            _ => self.ask(&legal, stop)?,
        };
        Ok(self.machine.move_text(mv).to_owned())
    }

    fn observe(&mut self, seen: Observation<'_>) -> Result<(), PlayError> {
        self.follow(seen)
    }

    fn stop(&mut self, _seen: Observation<'_>) {
        self.seat = None;
    }
}

fn unable(why: &str) -> PlayError {
    PlayError::Unable(why.to_owned())
}
