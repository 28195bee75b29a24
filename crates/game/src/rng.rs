//! Counter-based random numbers: the draw of a playout depends on its seed, its number, the step
//! and the role, and on nothing else, so that any machine may make draws in any order or in any
//! lane.
//!
//! The mixing function is the finaliser of SplitMix64 (Steele, Lea & Flood 2014), applied to a
//! per-stream key plus a counter times the golden-ratio increment.

use crate::Role;

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finaliser of SplitMix64.
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
    /// The stream `number` of a run with `seed`.
    #[inline]
    pub fn new(seed: u64, number: u64) -> Stream {
        Stream(mix(mix(seed ^ GOLDEN).wrapping_add(number.wrapping_mul(GOLDEN))))
    }

    /// The key, for evaluators that keep many streams in arrays.
    #[inline]
    pub fn key(self) -> u64 {
        self.0
    }

    /// 32 random bits for `role` at `step`.
    #[inline]
    pub fn bits(self, step: u32, role: Role) -> u32 {
        bits(self.0, step, role)
    }

    /// A number below `n`, which must not be 0; uniform to within n / 2³².
    #[inline]
    pub fn below(self, step: u32, role: Role, n: u32) -> u32 {
        below(self.bits(step, role), n)
    }
}

/// [`Stream::bits`] from a stream's key.
#[inline]
pub fn bits(key: u64, step: u32, role: Role) -> u32 {
    let counter = (u64::from(step) << 8) | u64::from(role.0);
    (mix(key.wrapping_add(counter.wrapping_mul(GOLDEN))) >> 32) as u32
}

/// Maps 32 random bits to a number below `n` by multiplication (Lemire 2019, without rejection).
#[inline]
pub fn below(bits: u32, n: u32) -> u32 {
    ((u64::from(bits) * u64::from(n)) >> 32) as u32
}
