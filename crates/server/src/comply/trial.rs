//! A test match between the examiner and the examined player: its rules, its state, and how its messages spell
//! the symbols of the rules.

use crate::scramble::Scramble;
use crate::wire;
use ggp_game::{Clocks, EvalError, Fact, Game, Interpreter, Role, StateMachine};
use ggp_protocol::{LastTurn, Reply, rules_line};
use std::sync::Arc;

/// The spelling of a match's symbols in messages to the player.
#[derive(Clone, Debug)]
pub(super) enum Spelling {
    /// The symbols of the rules, unchanged.
    Plain,
    /// All symbols in upper case.
    Upper,
    /// Scrambled words in place of all symbols.
    Scrambled(Box<Scramble>),
}

impl Spelling {
    fn write(&self, text: &str) -> String {
        match self {
            Spelling::Plain => text.to_owned(),
            Spelling::Upper => text.to_ascii_uppercase(),
            Spelling::Scrambled(scramble) => scramble.scramble(text),
        }
    }

    fn read(&self, text: &str) -> String {
        match self {
            Spelling::Plain => text.to_owned(),
            Spelling::Upper => text.to_ascii_lowercase(),
            Spelling::Scrambled(scramble) => scramble.unscramble(text),
        }
    }
}

/// A test match in progress.
pub(super) struct Trial {
    pub(super) id: String,
    machine: Interpreter,
    state: <Interpreter as StateMachine>::State,
    role: Role,
    spelling: Spelling,
}

impl Trial {
    /// A match in the initial state of the game. The examined player plays `role`.
    ///
    /// # Errors
    /// When the rules cannot be evaluated.
    pub(super) fn new(
        id: String,
        game: &Arc<Game>,
        role: Role,
        spelling: Spelling,
    ) -> Result<Trial, EvalError> {
        let mut machine = Interpreter::new(game);
        let state = machine.initial_state()?;
        Ok(Trial { id, machine, state, role, spelling })
    }

    /// The START message.
    pub(super) fn start(&self, clocks: Clocks) -> String {
        let game = self.machine.game();
        let rules = rules_line(&game.description().source);
        let rules = self.spelling.write(&String::from_utf8_lossy(&rules));
        wire::start(&self.id, &self.spelling.write(game.role_name(self.role)), &rules, clocks)
    }

    /// The PLAY message that reports the joint move `joint`. `None` gives the first PLAY, which reports
    /// nothing.
    pub(super) fn play(&self, joint: Option<&[String]>) -> String {
        wire::play(&self.id, &self.moves(joint))
    }

    /// The STOP message that reports the last joint move `joint`. `joint` is `None` if no move was made.
    pub(super) fn stop(&self, joint: Option<&[String]>) -> String {
        wire::stop(&self.id, &self.moves(joint))
    }

    fn moves(&self, joint: Option<&[String]>) -> LastTurn {
        match joint {
            Some(joint) => LastTurn::Moves(joint.iter().map(|mv| self.spelling.write(mv)).collect()),
            None => LastTurn::Nothing,
        }
    }

    /// The report in the next message of GDL-II after the roles have made the joint move `joint` in the current
    /// state: the turn number `turn`, the examined player's own move and its percepts. If `joint` is `None`,
    /// the message is the first PLAY, which reports nothing.
    pub(super) fn told(&mut self, turn: u32, joint: Option<&[String]>) -> Result<LastTurn, EvalError> {
        let Some(joint) = joint else {
            return Ok(LastTurn::Percepts { turn: 0, own: None, percepts: Vec::new() });
        };
        let moves = self.machine.parse_joint(joint)?;
        let mut percepts: Vec<Fact> = Vec::new();
        self.machine.percepts(&self.state, &moves, self.role, &mut percepts)?;
        let own = Some(joint[self.role.index()].clone());
        Ok(LastTurn::Percepts { turn, own, percepts })
    }

    /// The legal moves of `role` in the current state.
    pub(super) fn legal(&mut self, role: Role) -> Result<Vec<String>, EvalError> {
        let mut legal = Vec::new();
        self.machine.legal_moves(&self.state, role, &mut legal)?;
        Ok(legal.iter().map(|&mv| self.machine.move_text(mv).to_owned()).collect())
    }

    /// The legal moves of the examined player in the current state.
    pub(super) fn own_legal(&mut self) -> Result<Vec<String>, EvalError> {
        self.legal(self.role)
    }

    /// The joint move in which the examined player makes the move `own` and every other role makes its legal
    /// move with the index `choice`, modulo the number of its legal moves.
    pub(super) fn joint(&mut self, own: &str, choice: u32) -> Result<Vec<String>, EvalError> {
        let roles: Vec<Role> = self.machine.game().roles().collect();
        let mut joint = Vec::with_capacity(roles.len());
        for role in roles {
            joint.push(if role == self.role {
                own.to_owned()
            } else {
                let mut legal = self.legal(role)?;
                let index = choice as usize % legal.len().max(1);
                if legal.is_empty() { String::new() } else { legal.swap_remove(index) }
            });
        }
        Ok(joint)
    }

    /// Advances the match by the joint move `joint`.
    pub(super) fn advance(&mut self, joint: &[String]) -> Result<(), EvalError> {
        let joint = self.machine.parse_joint(joint)?;
        self.state = self.machine.next_state(&self.state, &joint)?;
        Ok(())
    }

    pub(super) fn is_over(&mut self) -> Result<bool, EvalError> {
        self.machine.is_terminal(&self.state)
    }

    /// The move in a reply, in the spelling of the rules. The error says why the reply holds no move.
    pub(super) fn read(&self, reply: &str) -> Result<String, String> {
        match Reply::parse_move(&self.spelling.read(reply), |_| false) {
            Ok(Reply::Move(mv)) => Ok(mv),
            Ok(other) => Err(format!("`{other}` is not a move")),
            Err(error) => Err(error.to_string()),
        }
    }
}
