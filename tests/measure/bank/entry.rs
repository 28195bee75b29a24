//! The file of the bank. Each line is a position, in four columns that tabs separate: the game, the role, the goal
//! that the role can guarantee and that the others can hold it to, and the joint moves that lead to the position,
//! separated by ` | `. The moves of a joint move are separated by ` & `. Lines that begin with `#` are comments.

use crate::probe::{NetPosition, Position};
use ggp_game::{Role, StateMachine};
use ggp_propnet::PropNetMachine;
use std::path::Path;

/// A position of the bank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub(super) game: String,
    pub(super) role: Role,
    pub(super) value: u8,
    pub(super) moves: Vec<Vec<String>>,
}

/// The positions in the file `path`.
pub(super) fn read(path: &Path) -> Vec<Entry> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
    lines.map(|(at, line)| Entry::read(line).unwrap_or_else(|| panic!("line {}: {line}", at + 1))).collect()
}

impl Entry {
    pub(super) fn read(line: &str) -> Option<Entry> {
        let [game, role, value, moves] = line.split('\t').collect::<Vec<_>>()[..] else { return None };
        let joint = |joint: &str| joint.split(" & ").map(str::to_owned).collect();
        Some(Entry {
            game: game.to_owned(),
            role: Role(role.parse().ok()?),
            value: value.parse().ok()?,
            moves: moves.split(" | ").map(joint).collect(),
        })
    }

    pub(super) fn line(&self) -> String {
        let moves: Vec<String> = self.moves.iter().map(|joint| joint.join(" & ")).collect();
        format!("{}\t{}\t{}\t{}", self.game, self.role.0, self.value, moves.join(" | "))
    }

    /// The position itself.
    ///
    /// # Panics
    /// If a move is not legal: the bank is not of this game.
    pub(super) fn position(&self, machine: &mut PropNetMachine) -> NetPosition {
        let mut state = machine.initial_state().expect("a state");
        for texts in &self.moves {
            let joint = machine.parse_legal_joint(&state, texts);
            let joint = joint.unwrap_or_else(|error| panic!("{}: {error}", self.game));
            state = machine.next_state(&state, &joint).expect("evaluable");
        }
        Position { moves: self.moves.clone(), state, role: self.role }
    }
}

#[cfg(test)]
mod tests {
    use super::Entry;

    #[test]
    fn a_line_is_read_as_it_is_written() {
        let line = "g\t1\t50\t(mark 1 1) & noop | noop & (mark 2 2)";
        let entry = Entry::read(line).unwrap();
        assert_eq!((entry.moves.len(), entry.value, entry.line().as_str()), (2, 50, line));
        for bad in ["", "g\t1\t50", "g\t1\tx\ta & b"] {
            assert_eq!(Entry::read(bad), None, "{bad}");
        }
    }
}
