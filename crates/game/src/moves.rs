//! Moves.

/// A move of one role: an index into the move table of the machine that made the move. The index is also
/// valid in clones made from that machine afterwards. Everything outside the machine (records, messages,
/// other machines) uses the canonical text of the move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Move(pub u32);

impl Move {
    /// The index in the machine's move table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
