//! Games whose machines are slow or hang, and games whose rules are not well-formed.

use super::{NOOP, Rules, TestMachine};
use ggp_game::{Goal, Goals, Move};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

/// One role counts to `length`, one step at a time. Each transition takes `step` to evaluate.
#[derive(Clone, Debug)]
pub(crate) struct Slow {
    pub(crate) step: Duration,
    pub(crate) length: u16,
}

pub(crate) fn slow(rules: Slow) -> TestMachine<Slow> {
    TestMachine::new(rules, &["snail"])
}

impl Rules for Slow {
    fn initial(&self) -> Vec<u8> {
        vec![0, 0]
    }

    fn is_over(&self, state: &[u8]) -> bool {
        u16::from_le_bytes([state[0], state[1]]) >= self.length
    }

    fn legal(&self, _: &[u8], _: usize) -> Vec<u32> {
        vec![0, 1, 2]
    }

    fn next(&self, state: &[u8], _: &[u32]) -> Vec<u8> {
        std::thread::sleep(self.step);
        (u16::from_le_bytes([state[0], state[1]]) + 1).to_le_bytes().to_vec()
    }

    fn goal(&self, _: &[u8], _: usize) -> Option<u8> {
        Some(50)
    }
}

/// One role counts to 50 without a choice. The first transition that the machine evaluates hangs until it
/// is interrupted; no other transition hangs.
#[derive(Clone, Debug)]
pub(crate) struct Hanging {
    hung: Arc<AtomicBool>,
    on_hang: Option<Sender<()>>,
}

pub(crate) fn hanging() -> TestMachine<Hanging> {
    TestMachine::new(Hanging { hung: Arc::default(), on_hang: None }, &["clock"])
}

/// The game [`Hanging`] for two roles. The machine sends a message to `on_hang` when it hangs.
pub(crate) fn hanging_of_two(on_hang: Sender<()>) -> TestMachine<Hanging> {
    TestMachine::new(Hanging { hung: Arc::default(), on_hang: Some(on_hang) }, &["clock", "witness"])
}

impl Rules for Hanging {
    fn initial(&self) -> Vec<u8> {
        vec![0]
    }

    fn is_over(&self, state: &[u8]) -> bool {
        state[0] == 50
    }

    fn legal(&self, _: &[u8], _: usize) -> Vec<u32> {
        vec![1]
    }

    fn next(&self, state: &[u8], _: &[u32]) -> Vec<u8> {
        vec![state[0] + 1]
    }

    fn goal(&self, _: &[u8], _: usize) -> Option<u8> {
        Some(100)
    }

    fn hangs(&mut self, _: &[u8], _: &[Move]) -> bool {
        let hangs = !self.hung.swap(true, Ordering::Relaxed);
        if hangs && let Some(on_hang) = &self.on_hang {
            let _ = on_hang.send(());
        }
        hangs
    }
}

/// A game of two roles whose rules are not well-formed. The first role chooses one of these continuations:
///
/// 1. The game ends without a goal for the first role.
/// 2. The game ends without a goal for the second role.
/// 3. The game ends with several goals for the first role.
/// 4. The second role has no legal move.
/// 5. The game never ends, and no role has a goal.
/// 6. The game never ends, and each role has a goal.
///
/// `IllFormed(n)` offers only the first `n` of them.
#[derive(Clone, Debug)]
pub(crate) struct IllFormed(u32);

/// The scores of both roles after each of the six continuations of [`IllFormed`].
pub(crate) const ILL_FORMED_SCORES: [[f64; 2]; 6] =
    [[0.0, 1.0], [0.7, 0.0], [1.0, 0.0], [0.0, 0.0], [0.5, 0.5], [0.2, 0.3]];

pub(crate) fn ill_formed(choices: u32) -> TestMachine<IllFormed> {
    TestMachine::new(IllFormed(choices), &["first", "second"])
}

impl Rules for IllFormed {
    fn initial(&self) -> Vec<u8> {
        vec![0]
    }

    fn is_over(&self, state: &[u8]) -> bool {
        matches!(state[0], 1..=3)
    }

    fn legal(&self, state: &[u8], role: usize) -> Vec<u32> {
        match (state[0], role) {
            (0, 0) => (1..=self.0).collect(),
            (4, 1) => Vec::new(),
            _ => vec![NOOP],
        }
    }

    fn next(&self, state: &[u8], joint: &[u32]) -> Vec<u8> {
        if state[0] == 0 { vec![joint[0] as u8] } else { state.to_vec() }
    }

    fn goal(&self, state: &[u8], role: usize) -> Option<u8> {
        match (state[0], role) {
            (1, 1) => Some(100),
            (2, 0) => Some(70),
            (3, 1) => Some(0),
            (6, _) => Some([20, 30][role]),
            _ => None,
        }
    }

    fn goals(&self, state: &[u8], role: usize) -> Goals {
        match (state[0], role) {
            (3, 0) => Goals::of([Goal::new(0), Goal::new(100)]),
            _ => self.goal(state, role).and_then(Goal::new).map_or(Goals::None, Goals::One),
        }
    }
}
