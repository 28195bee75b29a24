//! Moves.

/// A move of one role: an index into the move table of the machine that gave it (and of that
/// machine's clones made afterwards). Everything that leaves a machine (records, messages, other
/// machines) carries the move's canonical text instead.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Move(pub u32);

impl Move {
    /// Its position in the machine's table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
