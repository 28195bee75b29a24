//! The histories of a role: the sequences of its own moves and percepts, numbered.
//!
//! With perfect recall a role knows its history and nothing else (Thielscher 2010), so the number of a history
//! names an information set. Invariant: a history has a larger number than the history that it extends.

use ggp_game::{Fact, Move};
use rustc_hash::FxHashMap;

/// The number of the empty history.
pub(crate) const EMPTY: u32 = 0;

/// The last turn of a history.
#[derive(Clone, Copy, Debug)]
struct Turn {
    /// The number of the history before the turn.
    before: u32,
    own: Move,
    /// The number of the list of percepts.
    percepts: u32,
}

/// All histories of one role that have occurred so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Histories {
    /// The last turn of each history, in the order of numbers; history 0 is empty and has none.
    turns: Vec<Turn>,
    numbers: FxHashMap<(u32, Move, u32), u32>,
    percepts: Vec<Vec<Fact>>,
    percept_numbers: FxHashMap<Vec<Fact>, u32>,
}

impl Histories {
    /// The number of the history that extends the history `before` by the role's move and percepts.
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

    /// The turns of the history `number` from the first to the last: the role's move and percepts of each.
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

    /// The approximate number of bytes of the histories.
    pub(crate) fn bytes(&self) -> usize {
        let each = size_of::<Turn>() + size_of::<((u32, Move, u32), u32)>() + 1;
        self.turns.capacity() * each + self.percepts.len() * PERCEPT_BYTES
    }
}

/// An estimate of the bytes of a list of percepts with its texts.
const PERCEPT_BYTES: usize = 200;
