//! Rows. A row holds the values of one proposition in all lanes (the playouts that run at once), 64 lanes per
//! word.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not};

/// A type whose values hold one bit for each lane and are the inputs and outputs of gates: rows, or single
/// words or bytes where few lanes suffice.
pub(crate) trait Bits:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    /// The value that is false in every lane.
    const NONE: Self;

    /// Whether the value is true in any lane.
    fn is_any(self) -> bool;

    /// The negation of the value if `negate` is true, otherwise the value itself.
    #[inline(always)]
    fn negate_if(self, negate: bool) -> Self {
        if negate { !self } else { self }
    }
}

impl Bits for u8 {
    const NONE: u8 = 0;

    #[inline(always)]
    fn is_any(self) -> bool {
        self != 0
    }
}

impl Bits for u64 {
    const NONE: u64 = 0;

    #[inline(always)]
    fn is_any(self) -> bool {
        self != 0
    }
}

impl<const W: usize> Bits for Row<W> {
    const NONE: Row<W> = Row::ZERO;

    #[inline(always)]
    fn is_any(self) -> bool {
        self.any()
    }
}

/// One bit for each lane. Bit `i` of word `w` belongs to lane 64 w + i.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub(crate) struct Row<const W: usize>(pub(crate) [u64; W]);

impl<const W: usize> Row<W> {
    pub(crate) const ZERO: Row<W> = Row([0; W]);
    pub(crate) const ONES: Row<W> = Row([!0; W]);

    #[inline(always)]
    pub(crate) fn any(&self) -> bool {
        self.0.iter().fold(0, |any, word| any | word) != 0
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, lane: usize) {
        self.0[lane >> 6] |= 1 << (lane & 63);
    }

    /// Sets or clears the bit of a lane.
    #[inline(always)]
    pub(crate) fn put(&mut self, lane: usize, value: bool) {
        let word = &mut self.0[lane >> 6];
        *word = *word & !(1 << (lane & 63)) | u64::from(value) << (lane & 63);
    }

    /// The number of set bits.
    #[inline(always)]
    pub(crate) fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The lanes of the lowest `count` set bits.
    pub(crate) fn first(mut self, count: usize) -> Row<W> {
        let mut more = self.count().saturating_sub(count);
        for word in self.0.iter_mut().rev() {
            let bits = word.count_ones() as usize;
            if bits <= more {
                more -= bits;
                *word = 0;
                continue;
            }
            for _ in 0..std::mem::take(&mut more) {
                *word &= !(1 << (63 - word.leading_zeros()));
            }
            break;
        }
        self
    }

    #[inline(always)]
    pub(crate) fn has(&self, lane: usize) -> bool {
        self.0[lane >> 6] >> (lane & 63) & 1 == 1
    }

    /// Calls `each` with every lane whose bit is set, in ascending order.
    #[inline(always)]
    pub(crate) fn for_each_lane(self, mut each: impl FnMut(usize)) {
        for (at, mut word) in self.0.into_iter().enumerate() {
            while word != 0 {
                each(at * 64 + word.trailing_zeros() as usize);
                word &= word - 1;
            }
        }
    }

    #[inline(always)]
    pub(crate) fn negated_if(self, negate: bool) -> Row<W> {
        if negate { !self } else { self }
    }
}

macro_rules! word_by_word {
    ($operation:ident, $method:ident, $assign:tt) => {
        impl<const W: usize> $operation for Row<W> {
            type Output = Row<W>;
            #[inline(always)]
            fn $method(mut self, other: Row<W>) -> Row<W> {
                for (word, other) in self.0.iter_mut().zip(other.0) {
                    *word $assign other;
                }
                self
            }
        }
    };
}
word_by_word!(BitAnd, bitand, &=);
word_by_word!(BitOr, bitor, |=);
word_by_word!(BitXor, bitxor, ^=);

impl<const W: usize> BitAndAssign for Row<W> {
    #[inline(always)]
    fn bitand_assign(&mut self, other: Row<W>) {
        *self = *self & other;
    }
}

impl<const W: usize> BitOrAssign for Row<W> {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Row<W>) {
        *self = *self | other;
    }
}

impl<const W: usize> Not for Row<W> {
    type Output = Row<W>;
    #[inline(always)]
    fn not(mut self) -> Row<W> {
        for word in &mut self.0 {
            *word = !*word;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::Row;

    #[test]
    fn the_first_lanes_are_the_lowest() {
        let row = Row([0, 0b1011, 1 << 63, !0]);
        let mut lanes = Vec::new();
        row.for_each_lane(|lane| lanes.push(lane));
        for count in 0..=lanes.len() + 1 {
            let mut first = Vec::new();
            row.first(count).for_each_lane(|lane| first.push(lane));
            assert_eq!(first, lanes[..count.min(lanes.len())]);
        }
    }
}
