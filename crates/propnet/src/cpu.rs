//! Run-time detection of processor features, and dispatch to the kernels compiled for them.

use crate::gate::Gates;
use crate::leaves::LegalRows;
use crate::program::Block;
use crate::rows::{Bits, Row};
use crate::select::{Keys, Scratch, SelectionTree};
use crate::vector;

/// A class of processors. The class affects the speed of playouts, but never their results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cpu {
    /// Any processor.
    Plain,
    /// x86-64 with AVX2 and BMI2.
    Avx2,
    /// x86-64 with AVX-512 F, BW, DQ and VL and with BMI2.
    Avx512,
}

impl Cpu {
    /// All classes, slowest first.
    pub const ALL: [Cpu; 3] = [Cpu::Plain, Cpu::Avx2, Cpu::Avx512];

    /// The name of the class, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Cpu::Plain => "plain",
            Cpu::Avx2 => "avx2",
            Cpu::Avx512 => "avx512",
        }
    }

    /// The fastest class that this processor supports.
    pub fn detect() -> Cpu {
        *Cpu::available().last().unwrap_or(&Cpu::Plain)
    }

    /// All classes that this processor supports, slowest first.
    pub fn available() -> Vec<Cpu> {
        #[allow(unused_mut, reason = "on other processors nothing is added")]
        let mut all = vec![Cpu::Plain];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2") {
                all.push(Cpu::Avx2);
            }
            let features = all.len() > 1
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl");
            if features {
                all.push(Cpu::Avx512);
            }
        }
        all
    }
}

/// The class of processors whose kernels may be called. A value of this type proves that the features of the
/// class were detected.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernels(Cpu);

// The conditions are constants, so that kernels are not compiled for rows that they cannot evaluate.
macro_rules! dispatch {
    ($kernels:expr, $words:expr, $function:ident$(::<$lanes:ident>)?($($argument:expr),*)) => {
        match $kernels.0 {
            #[cfg(target_arch = "x86_64")]
            #[expect(unsafe_code, reason = "features are known at run time only")]
            // SAFETY: `Kernels` holds this class only if its features were detected.
            Cpu::Avx512 if const { $words % 8 == 0 } => unsafe { vector::avx512::$function$(::<$lanes>)?($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            #[expect(unsafe_code, reason = "features are known at run time only")]
            // SAFETY: as above; AVX-512 implies AVX2.
            Cpu::Avx512 | Cpu::Avx2 if const { $words % 4 == 0 } => unsafe { vector::avx2::$function$(::<$lanes>)?($($argument),*) },
            _ => vector::plain::$function$(::<$lanes>)?($($argument),*),
        }
    };
}

impl Kernels {
    /// The kernels for `cpu`, or the fastest supported ones if this processor does not support `cpu`.
    pub(crate) fn new(cpu: Cpu) -> Kernels {
        let available = Cpu::available();
        Kernels(if available.contains(&cpu) { cpu } else { Cpu::detect() })
    }

    /// Evaluates blocks of gates.
    #[inline]
    pub(crate) fn run_blocks<const W: usize>(self, blocks: &[Block], gates: &Gates, rows: &mut [Row<W>]) {
        dispatch!(self, W, run_blocks(blocks, gates, rows));
    }

    /// Evaluates blocks of gates over rows that are single words or bytes. Such rows need no vector code.
    #[inline]
    pub(crate) fn run_packed<R: Bits>(blocks: &[Block], gates: &Gates, rows: &mut [R]) {
        vector::plain::run_blocks(blocks, gates, rows);
    }

    /// Draws one of a role's legal moves in each lane. `area` holds the role's move rows: on entry they say
    /// which moves are legal, on return which move is chosen. Returns the lanes that have a legal move.
    #[inline]
    pub(crate) fn choose<const W: usize>(
        self,
        area: &mut [Row<W>],
        tree: &SelectionTree,
        scratch: &mut Scratch<W>,
        keys: &Keys,
        counter: u32,
    ) -> Row<W> {
        dispatch!(self, W, choose(area, tree, scratch, keys, counter))
    }

    /// The same draw as that of [`Kernels::choose`], among many moves. `legal` stays as it is, and `chosen` gets the
    /// index of the chosen row of each lane, or [`NO_MOVE`](crate::select::NO_MOVE).
    #[inline]
    pub(crate) fn find<const W: usize>(
        self,
        legal: &mut LegalRows<'_, W>,
        tree: &SelectionTree,
        scratch: &mut Scratch<W>,
        keys: &Keys,
        counter: u32,
        chosen: &mut [u32],
    ) -> Row<W> {
        dispatch!(self, W, find(legal, tree, scratch, keys, counter, chosen))
    }

    /// In the lanes of `mask`, replaces the bits of each row `i` by those of `words[i]`. Every word of the
    /// row gets its bits from this single word. The other lanes stay unchanged.
    #[inline]
    pub(crate) fn write_states<const W: usize>(self, rows: &mut [Row<W>], words: &[u64], mask: &Row<W>) {
        dispatch!(self, W, write_states(rows, words, mask));
    }

    /// Appends the bits of each row in the lanes of `mask` to a row of `to`, in which the first `filled` lanes
    /// are in use and all other bits are false.
    #[inline]
    pub(crate) fn append_lanes<const W: usize>(
        self,
        rows: &[Row<W>],
        to: &mut [Row<W>],
        mask: &Row<W>,
        filled: usize,
    ) {
        dispatch!(self, W, append_lanes(rows, to, mask, filled));
    }

    /// Transposes `rows`, 64 of them at a time: the bits of lane 64 w + j in these rows become the word j W + w of
    /// a part of 64 W words of `out`. Missing rows of the last part count as false.
    #[inline]
    pub(crate) fn transpose_rows<const W: usize>(self, rows: &[Row<W>], out: &mut [u64]) {
        dispatch!(self, W, transpose_rows(rows, out));
    }

    /// Writes the words that [`Kernels::transpose_rows`] gives as one byte for each bit: lane after lane, `stride`
    /// bytes each. The words of a lane must have no bit at `stride` or behind it.
    #[inline]
    pub(crate) fn write_lanes<const W: usize>(self, words: &[u64], stride: usize, out: &mut [u8]) {
        dispatch!(self, W, write_lanes::<W>(words, stride, out));
    }

    /// Writes the bits of `words` as one byte each, as many as `out` has room for.
    #[inline]
    pub(crate) fn write_bits<const W: usize>(self, words: &[u64; W], out: &mut [u8]) {
        dispatch!(self, W, write_bits(words, out));
    }
}

#[cfg(test)]
mod tests {
    use super::{Cpu, Kernels};
    use crate::leaves::LegalRows;
    use crate::rows::Row;
    use crate::select::{Keys, NO_MOVE, Scratch, SelectionTree, has_many};
    use ggp_game::rng::{self, Stream};

    /// Gives every lane random legal moves, where each move is legal with a probability of `density` percent.
    /// Checks that each lane gets the move of the rank that its random stream draws.
    fn check<const W: usize>(cpu: Cpu, moves: usize, density: u64) {
        let tree = SelectionTree::new(moves);
        let mut scratch = Scratch::<W>::new(tree.scratch());
        let mut keys = Keys::new(W);
        let streams: Vec<Stream> = (0..64 * W as u64).map(|lane| Stream::new(density, lane)).collect();
        for (lane, stream) in streams.iter().enumerate() {
            let position = Keys::position(lane, W);
            keys.low[position] = stream.key() as u32;
            keys.high[position] = (stream.key() >> 32) as u32;
        }
        let mut area = vec![Row::<W>::ZERO; moves.next_multiple_of(8)];
        let mut legal = vec![Vec::new(); 64 * W];
        for (mv, row) in area.iter_mut().enumerate().take(moves) {
            for (lane, legal) in legal.iter_mut().enumerate() {
                if rng::mix((mv * 1024 + lane) as u64 ^ density << 40) % 100 < density {
                    row.set(lane);
                    legal.push(mv);
                }
            }
        }
        let role = ggp_game::Role(1);
        let counter = rng::counter(3, role);
        let kernels = Kernels::new(cpu);
        let some = if has_many(moves) {
            let mut rows = LegalRows::Computed(area.as_chunks().0);
            let mut chosen = vec![NO_MOVE; 64 * W];
            let some = kernels.find(&mut rows, &tree, &mut scratch, &keys, counter, &mut chosen);
            area.fill(Row::ZERO);
            for (lane, &mv) in chosen.iter().enumerate().filter(|&(_, &mv)| mv != NO_MOVE) {
                area[mv as usize].set(lane);
            }
            some
        } else {
            kernels.choose(&mut area, &tree, &mut scratch, &keys, counter)
        };
        for (lane, legal) in legal.iter().enumerate() {
            let bit = |row: &Row<W>| row.0[lane >> 6] >> (lane & 63) & 1 == 1;
            let chosen: Vec<usize> = (0..area.len()).filter(|&mv| bit(&area[mv])).collect();
            let expected: Vec<usize> = match legal.len() {
                0 => Vec::new(),
                n => vec![legal[streams[lane].below(3, role, n as u32) as usize]],
            };
            assert_eq!(chosen, expected, "{cpu:?}, {W} words, {moves} moves, lane {lane}");
            assert_eq!(bit(&some), !legal.is_empty());
        }
    }

    #[test]
    fn every_lane_gets_the_move_of_its_rank() {
        for cpu in Cpu::available() {
            for moves in
                [2, 3, 7, 8, 9, 16, 17, 31, 64, 65, 127, 128, 130, 255, 256, 257, 1023, 1024, 1500, 4097]
            {
                for density in [0, 3, 50, 100] {
                    check::<1>(cpu, moves, density);
                    check::<4>(cpu, moves, density);
                    check::<8>(cpu, moves, density);
                }
            }
        }
    }

    /// Appends the lanes of several masks to rows that are empty at first, and checks each bit.
    fn check_appended<const W: usize>(cpu: Cpu) {
        let row = |seed: u64| Row(std::array::from_fn(|word| rng::mix(seed << 8 | word as u64)));
        let rows: Vec<Row<W>> = (0..5).map(row).collect();
        let mut to = vec![Row::<W>::ZERO; rows.len()];
        let mut expected = Vec::new();
        for seed in 10.. {
            let mask = row(seed) & row(seed + 100) & row(seed + 200);
            if expected.len() + mask.count() > 64 * W {
                break;
            }
            Kernels::new(cpu).append_lanes(&rows, &mut to, &mask, expected.len());
            mask.for_each_lane(|lane| expected.push(lane));
        }
        for (row, to) in rows.iter().zip(&to) {
            let bits: Vec<bool> = (0..64 * W).map(|lane| to.has(lane)).collect();
            let mut wanted: Vec<bool> = expected.iter().map(|&lane| row.has(lane)).collect();
            wanted.resize(64 * W, false);
            assert_eq!(bits, wanted, "{cpu:?}, {W} words");
        }
    }

    #[test]
    fn lanes_are_appended_in_order() {
        for cpu in Cpu::available() {
            check_appended::<1>(cpu);
            check_appended::<4>(cpu);
            check_appended::<8>(cpu);
        }
    }

    /// Transposes random rows and writes them as bytes, `stride` a lane. Checks each byte.
    fn check_written<const W: usize>(cpu: Cpu, count: usize, stride: usize, lanes: usize) {
        let row = |at: u64| Row(std::array::from_fn(|word| rng::mix(at << 8 | word as u64)));
        let rows: Vec<Row<W>> = (0..count as u64).map(row).collect();
        let mut words = vec![0; stride.div_ceil(64) * 64 * W];
        Kernels::new(cpu).transpose_rows(&rows, &mut words);
        let mut out = vec![7; stride * lanes];
        Kernels::new(cpu).write_lanes::<W>(&words, stride, &mut out);
        for (lane, out) in out.chunks(stride).enumerate() {
            for (at, &byte) in out.iter().enumerate() {
                let expected = rows.get(at).is_some_and(|row| row.has(lane));
                assert_eq!(byte, u8::from(expected), "{cpu:?}, {W} words, {count} rows, lane {lane}");
            }
        }
        let mut out = vec![7; lanes];
        Kernels::new(cpu).write_bits(&rows[0].0, &mut out);
        let expected: Vec<u8> = (0..lanes).map(|lane| rows[0].has(lane).into()).collect();
        assert_eq!(out, expected, "{cpu:?}, {W} words");
    }

    #[test]
    fn every_lane_is_written_in_its_own_place() {
        for cpu in Cpu::available() {
            for (count, stride) in
                [(1, 1), (1, 3), (8, 8), (63, 63), (64, 64), (64, 70), (65, 65), (200, 201)]
            {
                for lanes in [1, 63, 64] {
                    check_written::<1>(cpu, count, stride, lanes);
                    check_written::<4>(cpu, count, stride, 4 * lanes - 1);
                    check_written::<8>(cpu, count, stride, 8 * lanes - 3);
                }
            }
        }
    }

    #[test]
    fn choices_are_even() {
        // 512 lanes choose among 11 moves 400 times; a chi-squared test checks uniformity.
        let tree = SelectionTree::new(11);
        let mut scratch = Scratch::<8>::new(tree.scratch());
        let mut keys = Keys::new(8);
        for lane in 0..512 {
            let key = Stream::new(7, lane as u64).key();
            keys.low[Keys::position(lane, 8)] = key as u32;
            keys.high[Keys::position(lane, 8)] = (key >> 32) as u32;
        }
        let mut counts = [0u32; 11];
        for step in 0..400 {
            let mut area = vec![Row::<8>::ZERO; 16];
            area[..11].fill(Row::ONES);
            let counter = rng::counter(step, ggp_game::Role(0));
            Kernels::new(Cpu::detect()).choose(&mut area, &tree, &mut scratch, &keys, counter);
            for (count, row) in counts.iter_mut().zip(&area) {
                *count += row.0.iter().map(|word| word.count_ones()).sum::<u32>();
            }
        }
        let mean = 512.0 * 400.0 / 11.0;
        let chi: f64 = counts.iter().map(|&count| (f64::from(count) - mean).powi(2) / mean).sum();
        assert_eq!(counts.iter().sum::<u32>(), 512 * 400);
        assert!(chi < 29.6, "{chi}: beyond one in a thousand for 10 degrees of freedom");
    }
}
