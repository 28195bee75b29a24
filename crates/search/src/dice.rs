//! The search's own random numbers: tie-breaks and the moves of random players.
//!
//! A counter is passed through the mixing function of [`ggp_game::rng`]. So a seed gives the same numbers on
//! every platform, independent of those of the playouts.

use ggp_game::rng;
use std::ops::Range;

/// `Dice`: a seeded sequence of pseudo-random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Dice {
    key: u64,
    drawn: u64,
}

impl Dice {
    /// The sequence of `seed`.
    pub(crate) fn new(seed: u64) -> Dice {
        Dice { key: rng::mix(seed ^ 0x5eed_d1ce), drawn: 0 }
    }

    /// A number below `n`; `n` must not be 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.drawn += 1;
        let bits = rng::mix(self.key.wrapping_add(rng::mix(self.drawn)));
        rng::below((bits >> 32) as u32, n as u32) as usize
    }

    /// A number in `range`.
    pub(crate) fn between(&mut self, range: Range<f64>) -> f64 {
        const STEPS: usize = 1 << 30;
        range.start + (range.end - range.start) * self.below(STEPS) as f64 / STEPS as f64
    }

    /// Shuffles `items` (Fisher & Yates).
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Dice;

    #[test]
    fn draws_repeat_by_seed_and_cover_their_range() {
        let draw = |seed| {
            let mut dice = Dice::new(seed);
            (0..600).map(|_| dice.below(6)).collect::<Vec<_>>()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        for face in 0..6 {
            let count = draw(1).iter().filter(|&&d| d == face).count();
            assert!((60..=140).contains(&count), "{face} came {count} times in 600");
        }
    }

    #[test]
    fn a_shuffle_keeps_every_item() {
        let mut items: Vec<u32> = (0..50).collect();
        Dice::new(3).shuffle(&mut items);
        assert_ne!(items, (0..50).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
    }
}
