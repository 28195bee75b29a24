//! Counter-based random numbers. A draw depends only on the seed of the run, the index of the playout's
//! stream, the step and the role. Any machine can therefore make the draws in any order and in any vector
//! lane.
//!
//! A stream has a 64-bit key, mixed by the finaliser of `SplitMix64` (Steele, Lea & Flood 2014). A draw is a
//! 32-bit hash in two rounds. The hash starts from a sum: the low half of the key plus a Weyl counter of the
//! step and the role ([`counter`]). The high half of the key is added between the two rounds. Multipliers and
//! shifts are those of `lowbias32` (Wellons 2018). The hash uses only 32-bit operations, because one vector
//! instruction performs twice as many of them as of 64-bit operations. Vector lanes at different steps can
//! share one counter. The counter is added to the key, so a change of a lane's key can make up for the
//! difference between the lane's step and the shared step.

use crate::Role;
use std::ops::Range;

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
const WEYL: u32 = 0x9e37_79b9;

/// The finaliser of `SplitMix64`: maps each 64-bit number to another one that looks random.
#[inline]
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The random stream of one playout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream(u64);

impl Stream {
    /// The stream with the index `number` in the run with the seed `seed`.
    #[inline]
    pub fn new(seed: u64, number: u64) -> Stream {
        Stream(mix(mix(seed ^ GOLDEN).wrapping_add(number.wrapping_mul(GOLDEN))))
    }

    /// The key of the stream. Evaluators can keep the keys of many streams in an array.
    #[inline]
    pub fn key(self) -> u64 {
        self.0
    }

    /// 32 random bits for `role` at `step`.
    #[inline]
    pub fn bits(self, step: u32, role: Role) -> u32 {
        bits(self.0, step, role)
    }

    /// A random number below `n` for `role` at `step`. `n` must not be 0. The distribution is uniform up to
    /// an error of `n / 2³²`.
    #[inline]
    pub fn below(self, step: u32, role: Role, n: u32) -> u32 {
        below(self.bits(step, role), n)
    }
}

/// [`Stream::bits`], computed from a stream's key.
#[inline]
pub fn bits(key: u64, step: u32, role: Role) -> u32 {
    scramble((key as u32).wrapping_add(counter(step, role)), (key >> 32) as u32)
}

/// The counter of a step and a role. [`bits`] adds it to the low half of a key. The counter is the wrapping
/// sum of one term for the step and one term for the role. The counters of all roles at all steps below 2²⁴
/// are distinct.
#[inline]
pub fn counter(step: u32, role: Role) -> u32 {
    step.wrapping_shl(8).wrapping_add(u32::from(role.0)).wrapping_mul(WEYL)
}

/// The hash function of [`bits`]. `low` is the low half of the key plus the counter, and `high` is the high
/// half of the key.
#[inline]
pub fn scramble(low: u32, high: u32) -> u32 {
    let mut x = low;
    x = (x ^ (x >> 16)).wrapping_mul(0x7feb_352d).wrapping_add(high);
    x = (x ^ (x >> 15)).wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

/// Maps 32 random bits to a number below `n` by multiplication (Lemire 2019, without rejection).
#[inline]
pub fn below(bits: u32, n: u32) -> u32 {
    ((u64::from(bits) * u64::from(n)) >> 32) as u32
}

/// The same as [`below`], in arithmetic of 32 bits: a vector then holds twice as many numbers as with products of 64
/// bits.
#[inline]
pub fn below_small(bits: u32, n: u16) -> u32 {
    let n = u32::from(n);
    ((bits >> 16) * n + (((bits & 0xffff) * n) >> 16)) >> 16
}

/// A seeded sequence of pseudo-random numbers: a counter passed through [`mix`]. A seed gives the same
/// numbers on every platform. These numbers are independent of the random numbers of playouts.
///
/// # Examples
/// ```
/// use ggp_game::rng::Sequence;
/// let mut die = Sequence::new(7);
/// let throws: Vec<usize> = (0..100).map(|_| die.below(6)).collect();
/// assert!(throws.iter().all(|&throw| throw < 6));
/// let mut again = Sequence::new(7);
/// assert_eq!(throws[0], again.below(6));
/// ```
#[derive(Clone, Debug)]
pub struct Sequence {
    key: u64,
    drawn: u64,
}

impl Sequence {
    /// The sequence with the seed `seed`.
    pub fn new(seed: u64) -> Sequence {
        Sequence { key: mix(seed ^ 0x5eed_d1ce), drawn: 0 }
    }

    /// A random number below `n`, which must not be 0.
    pub fn below(&mut self, n: usize) -> usize {
        self.drawn += 1;
        let bits = mix(self.key.wrapping_add(mix(self.drawn)));
        below((bits >> 32) as u32, n as u32) as usize
    }

    /// A random number in `range`, uniformly distributed.
    pub fn between(&mut self, range: Range<f64>) -> f64 {
        const STEPS: usize = 1 << 30;
        range.start + (range.end - range.start) * self.below(STEPS) as f64 / STEPS as f64
    }

    /// Shuffles `items` uniformly (Fisher & Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Sequence, Stream, below, below_small, counter, mix};
    use crate::Role;

    /// How far the chi-square statistic of `counts` (against a uniform distribution) lies above its mean, in
    /// standard deviations.
    fn excess(counts: &[u32]) -> f64 {
        let cells = counts.len() as f64;
        let mean = counts.iter().map(|&n| f64::from(n)).sum::<f64>() / cells;
        let chi: f64 = counts.iter().map(|&n| (f64::from(n) - mean).powi(2) / mean).sum();
        (chi - (cells - 1.0)) / (2.0 * (cells - 1.0)).sqrt()
    }

    #[test]
    fn draws_are_even_within_a_stream_and_across_streams() {
        for n in [2, 3, 7, 64, 150] {
            let mut across = vec![0; n];
            let mut within = vec![0; n];
            for i in 0..60_000u32 {
                across[Stream::new(1, u64::from(i)).below(5, Role(0), n as u32) as usize] += 1;
                within[Stream::new(1, 9).below(i, Role(1), n as u32) as usize] += 1;
            }
            assert!(excess(&across) < 4.5, "{n}: {across:?}");
            assert!(excess(&within) < 4.5, "{n}: {within:?}");
        }
    }

    #[test]
    fn neighbouring_draws_are_independent() {
        for (stride, role) in [(1, 0), (1, 1), (0, 1), (2, 0)] {
            let mut pairs = vec![0; 256];
            for i in 0..200_000u64 {
                let stream = Stream::new(3, i / 50);
                let step = (i % 50) as u32;
                let one = stream.bits(step, Role(0)) >> 28;
                let two = stream.bits(step + stride, Role(role)) >> 28;
                pairs[(one * 16 + two) as usize] += 1;
            }
            assert!(excess(&pairs) < 4.5, "step +{stride}, role {role}");
            let mut streams = vec![0; 256];
            for i in 0..200_000u64 {
                let one = Stream::new(3, i).bits(stride, Role(role)) >> 28;
                let two = Stream::new(3, i + 1).bits(stride, Role(role)) >> 28;
                streams[(one * 16 + two) as usize] += 1;
            }
            assert!(excess(&streams) < 4.5, "streams, step {stride}, role {role}");
        }
    }

    #[test]
    fn small_numbers_are_drawn_alike_in_arithmetic_of_32_bits() {
        for n in [0, 1, 2, 7, 100, 255, 256, 1000, 65_534, 65_535] {
            let bits = (0..1000).map(|seed| mix(seed) as u32).chain([0, 1, 0xffff, 0x1_0000, u32::MAX]);
            bits.for_each(|bits| assert_eq!(below_small(bits, n), below(bits, u32::from(n)), "{bits} {n}"));
        }
    }

    #[test]
    fn the_counter_is_a_sum() {
        let sum = counter(7, Role(0)).wrapping_add(counter(4, Role(3)));
        assert_eq!(sum, counter(11, Role(3)));
    }

    #[test]
    fn draws_repeat_by_seed_and_cover_their_range() {
        let draw = |seed| {
            let mut dice = Sequence::new(seed);
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
        Sequence::new(3).shuffle(&mut items);
        assert_ne!(items, (0..50).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
    }
}
