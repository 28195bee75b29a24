//! Roles.

/// A role of a game, numbered from 0 in the order of the `role` facts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Role(pub u8);

impl Role {
    /// The index of the role in a joint move, from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
