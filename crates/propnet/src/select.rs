//! Bit-sliced choice of moves: a uniform draw of one legal move in each lane, without a loop over lanes.
//!
//! A lane is one of the playouts that run at once. Each of a role's moves has a row with one bit per lane.
//! Before the choice, the bit says whether the move is legal in the lane; after the choice, whether the move
//! is chosen. The leaves of a binary tree are groups of eight rows. Upwards, adders count each lane's legal
//! moves below every node, in binary, with one row ("plane") per digit. At the root the planes are
//! transposed, so that the count of each lane becomes a number of one or more bytes. Vector arithmetic draws
//! a random rank below each lane's count. The ranks are transposed back to planes. Downwards, a lane whose
//! rank is below the left child's count goes left; otherwise it goes right and subtracts that count from its
//! rank. At the leaves, only the row of the chosen move has its bit set in the lane (one-hot), as the
//! next-state gates expect. The cost is about eight vector instructions per move, for all lanes of a vector
//! together.
//!
//! Among many moves, most groups contain no chosen move. The tree then has larger groups as leaves, and the way
//! down visits only the nodes with a chosen move below them. It ends with the number of the chosen move of each lane,
//! instead of a row for each move. The rows of a leaf may be computed only when the choice looks at them (see
//! [`crate::leaves`]).

use crate::net::NetRole;
use crate::rows::{Bits, Row};
use ggp_game::rng;

/// The shape of the selection tree over one role's rows.
#[derive(Clone, Debug)]
pub(crate) struct SelectionTree {
    pub(crate) levels: Vec<Level>,
}

/// One level of the tree. Level 0 has a node for each leaf.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    pub(crate) nodes: usize,
    /// The offset of the level's counts in the scratch space for counts.
    pub(crate) counts: usize,
    /// The number of bit planes, that is binary digits, that store how many moves below a node are legal in
    /// each lane.
    pub(crate) planes: usize,
    /// The offset of the level's ranks in the scratch space for ranks.
    pub(crate) ranks: usize,
    /// The number of rows that the ranks of a node take: a mask of the lanes whose chosen move is below the
    /// node, and a plane for each digit of the rank.
    pub(crate) rank_rows: usize,
}

/// A role with at least this many moves has many: the gates of the next state read sets of moves instead of single
/// moves.
const MANY_MOVES: usize = 1024;

/// Whether `role` has many moves.
pub(crate) fn has_many_moves(role: &NetRole) -> bool {
    has_many(role.moves.len())
}

/// Whether `moves` move rows are many.
pub(crate) fn has_many(moves: usize) -> bool {
    moves >= MANY_MOVES
}

/// The number of groups of eight rows in each leaf of the tree of many moves.
pub(crate) const LEAF: usize = 8;
/// The number of move rows of such a leaf.
pub(crate) const LEAF_MOVES: usize = 8 * LEAF;
/// The number of planes that hold a count of the rows of such a leaf.
pub(crate) const LEAF_PLANES: usize = 7;
/// The number of binary digits of the index of a row in such a leaf.
pub(crate) const LEAF_DIGITS: usize = 6;
/// The largest number of levels of a tree.
pub(crate) const MAX_LEVELS: usize = 20;
/// The largest number of planes of a node.
pub(crate) const MAX_PLANES: usize = 24;
/// Stands for the chosen move in a lane without legal moves.
pub(crate) const NO_MOVE: u32 = u32::MAX;

/// The largest number of moves of one role that the tree supports.
pub(crate) const MAX_MOVES: usize = 1 << 20;

/// The number of bytes that hold a count of up to [`MAX_MOVES`].
const BYTES: usize = 3;

impl SelectionTree {
    /// The tree over `moves` rows, rounded up to whole groups.
    pub(crate) fn new(moves: usize) -> SelectionTree {
        // No count exceeds the number of moves, which bounds the planes.
        let enough = (usize::BITS - moves.leading_zeros()) as usize;
        let mut levels: Vec<Level> = Vec::new();
        let is_large = has_many(moves);
        let leaf = if is_large { LEAF } else { 1 };
        let of_leaf = if is_large { LEAF_PLANES } else { 4 };
        let (mut nodes, mut counts, mut ranks) = (moves.div_ceil(8 * leaf).max(1), 0, 0);
        loop {
            let height = levels.len();
            // Level 0 always has room for a count of all rows of a leaf.
            let planes = if height == 0 { of_leaf } else { (of_leaf + height).min(enough) };
            let rank_rows = if height == 0 { of_leaf } else { 1 + (of_leaf - 1 + height).min(enough) };
            levels.push(Level { nodes, counts, planes, ranks, rank_rows });
            counts += nodes * planes;
            // On the way down among many moves, one node of each level waits, with all planes.
            ranks += if is_large { 1 + MAX_PLANES } else { nodes * rank_rows };
            if nodes == 1 {
                break;
            }
            nodes = nodes.div_ceil(2);
        }
        SelectionTree { levels }
    }

    /// The number of rows of scratch space for the counts. The ranks need another space of the same size.
    pub(crate) fn scratch(&self) -> usize {
        let rows = |level: &Level| level.nodes * level.planes.max(level.rank_rows);
        self.levels.iter().map(rows).sum::<usize>().max(self.levels.len() * (1 + MAX_PLANES))
    }
}

/// Working memory of a choice, besides the role's rows.
#[derive(Clone, Debug)]
pub(crate) struct Scratch<const W: usize> {
    pub(crate) counts: Vec<Row<W>>,
    pub(crate) ranks: Vec<Row<W>>,
    /// The lanes' counts, and later their ranks, as numbers of up to three bytes. The first array holds the
    /// lowest byte of each number, the last array the highest. In each array, byte `b` of word `w` of row `i`
    /// belongs to lane 64 w + 8 b + i.
    pub(crate) bytes: [[Row<W>; 8]; BYTES],
    /// The same bytes as [`Scratch::bytes`], in flat arrays.
    flat: [Vec<u8>; BYTES],
}

impl<const W: usize> Scratch<W> {
    pub(crate) fn new(rows: usize) -> Scratch<W> {
        Scratch {
            counts: vec![Row::ZERO; rows],
            ranks: vec![Row::ZERO; rows],
            bytes: [[Row::ZERO; 8]; BYTES],
            flat: std::array::from_fn(|_| vec![0; 64 * W]),
        }
    }
}

/// The keys of the lanes' random streams, in the order of [`Scratch::bytes`]: see [`Keys::position`].
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    /// The low half of each key, minus the [`rng::counter`] of the sweep in which the lane's playout began.
    pub(crate) low: Vec<u32>,
    /// The high half of each key.
    pub(crate) high: Vec<u32>,
}

impl Keys {
    pub(crate) fn new(words: usize) -> Keys {
        Keys { low: vec![0; words * 64], high: vec![0; words * 64] }
    }

    /// The index of `lane`'s key in [`Keys`], where rows have `words` words.
    pub(crate) fn position(lane: usize, words: usize) -> usize {
        (lane & 7) * 8 * words + (lane >> 3)
    }
}

/// Replaces each lane's count, which has `width` bytes, by a random rank below that count. The rank for a
/// count of 0 is 0.
///
/// The bytes are copied to flat arrays first: compilers do not vectorise loops over rows of words.
#[inline(always)]
pub(crate) fn draw<const W: usize>(scratch: &mut Scratch<W>, width: usize, keys: &Keys, counter: u32) {
    let Scratch { bytes, flat, .. } = scratch;
    for (rows, flat) in bytes.iter().zip(flat.iter_mut()).take(width) {
        to_bytes(rows, flat);
    }
    let [low, middle, high] = flat;
    let keys = keys.low.iter().zip(&keys.high);
    let bits = |(&low, &high): (&u32, &u32)| rng::scramble(low.wrapping_add(counter), high);
    match width {
        1 => {
            for (low, key) in low.iter_mut().zip(keys) {
                *low = rng::below_small(bits(key), u16::from(*low)) as u8;
            }
        }
        2 => {
            for ((low, middle), key) in low.iter_mut().zip(middle).zip(keys) {
                let rank = rng::below_small(bits(key), u16::from_le_bytes([*low, *middle]));
                [*low, *middle, ..] = rank.to_le_bytes();
            }
        }
        _ => {
            for (((low, middle), high), key) in low.iter_mut().zip(middle).zip(high).zip(keys) {
                let rank = rng::below(bits(key), u32::from_le_bytes([*low, *middle, *high, 0]));
                [*low, *middle, *high, _] = rank.to_le_bytes();
            }
        }
    }
    for (rows, flat) in bytes.iter_mut().zip(flat.iter()).take(width) {
        to_words(flat, rows);
    }
}

#[inline(always)]
fn to_bytes<const W: usize>(rows: &[Row<W>; 8], bytes: &mut [u8]) {
    for (row, bytes) in rows.iter().zip(bytes.chunks_exact_mut(8 * W)) {
        for (word, bytes) in row.0.iter().zip(bytes.as_chunks_mut::<8>().0) {
            *bytes = word.to_le_bytes();
        }
    }
}

#[inline(always)]
fn to_words<const W: usize>(bytes: &[u8], rows: &mut [Row<W>; 8]) {
    for (row, bytes) in rows.iter_mut().zip(bytes.chunks_exact(8 * W)) {
        for (word, bytes) in row.0.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*bytes);
        }
    }
}

/// The lanes in which a preferred move is legal.
#[inline(always)]
pub(crate) fn some_of<R: Bits>(legal: &[R], preferred: &[bool]) -> R {
    let legal = legal.iter().zip(preferred).filter(|&(_, &preferred)| preferred);
    legal.fold(R::NONE, |some, (&row, _)| some | row)
}

/// Removes the moves that are not preferred, except in the lanes of `others`.
#[inline(always)]
pub(crate) fn keep_others_in<R: Bits>(others: R, legal: &mut [R], preferred: &[bool]) {
    for (row, _) in legal.iter_mut().zip(preferred).filter(|&(_, &preferred)| !preferred) {
        *row = *row & others;
    }
}
