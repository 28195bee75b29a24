//! The histories of a role, that is, the sequences of its own moves and percepts. Each history has an index.
//!
//! With perfect recall a role knows its history and nothing else (Thielscher 2010), so the index of a history
//! identifies an information set. Invariant: a history has a larger index than the history that it extends.

use ggp_game::{Fact, Move};
use rustc_hash::FxHashMap;

/// The index of the empty history.
pub(crate) const EMPTY: u32 = 0;

/// The last turn of a history.
#[derive(Clone, Copy, Debug)]
struct Turn {
    /// The index of the history before this turn.
    before: u32,
    own: Move,
    /// The index in `Histories::percepts` of the percepts of this turn.
    percepts: u32,
}

/// All histories of one role that have occurred so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Histories {
    /// The last turn of each history except the empty one. The history with index `i` has the entry `i - 1`.
    turns: Vec<Turn>,
    numbers: FxHashMap<(u32, Move, u32), u32>,
    percepts: Vec<Vec<Fact>>,
    percept_numbers: FxHashMap<Vec<Fact>, u32>,
}

impl Histories {
    /// The index of the history that extends the history with index `before` by one turn: the role's move
    /// `own` and its `percepts`. Adds this history if it does not exist yet.
    pub(crate) fn extend(&mut self, before: u32, own: Move, percepts: &[Fact]) -> u32 {
        let percepts = if let Some(&number) = self.percept_numbers.get(percepts) {
            number
        } else {
            let number = self.percepts.len() as u32;
            self.percepts.push(percepts.to_vec());
            self.percept_numbers.insert(percepts.to_vec(), number);
            number
        };
        *self.numbers.entry((before, own, percepts)).or_insert_with(|| {
            self.turns.push(Turn { before, own, percepts });
            self.turns.len() as u32
        })
    }

    /// The turns of the history with index `number`, from the first to the last. Each turn consists of the
    /// role's move and its percepts.
    pub(crate) fn turns(&self, mut number: u32) -> Vec<(Move, &[Fact])> {
        let mut turns = Vec::new();
        while number != EMPTY {
            let turn = self.turns[number as usize - 1];
            turns.push((turn.own, &self.percepts[turn.percepts as usize][..]));
            number = turn.before;
        }
        turns.reverse();
        turns
    }

    /// The approximate memory that the histories take, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let each = size_of::<Turn>() + size_of::<((u32, Move, u32), u32)>() + 1;
        self.turns.capacity() * each + self.percepts.len() * PERCEPT_BYTES
    }
}

/// An estimate of the memory that one list of percepts takes, including the texts of the percepts, in bytes.
const PERCEPT_BYTES: usize = 200;
