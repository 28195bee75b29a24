//! The kernels of playouts: the evaluation of gates, the loading of states, and the bit-sliced choice of
//! moves.
//!
//! The kernels are a macro over the `Vector` type in scope, expanded once for each class of processors (see
//! [`crate::vector`]). The choice of moves works on the tree of [`crate::select`]: `count` runs the adders
//! upwards, [`draw`](crate::select::draw) draws a rank for each lane, and `select` distributes the ranks
//! downwards. [`many`] has the downward pass for roles with many moves, and [`spread`] transposes the bits of
//! lanes to one row per lane.

pub(crate) mod many;
pub(crate) mod spread;

/// Defines the kernels over the `Vector` type in scope, compiled for the given processor features.
macro_rules! kernels {
    ($(#[$features:meta])*) => {
        use crate::gate::{Gates, run_kind};
        use crate::rows::Bits;
        use crate::rows::Row;
        use crate::program::Block;
        use crate::select::{Keys, LEAF, LEAF_PLANES, Level, Scratch, SelectionTree, draw};

        $(#[$features])*
        #[inline]
        fn load<const W: usize>(row: &Row<W>, at: usize) -> Vector {
            match row.0[at..].first_chunk() {
                Some(words) => Vector::load(words),
                None => Vector::zero(),
            }
        }

        $(#[$features])*
        #[inline]
        fn store<const W: usize>(row: &mut Row<W>, at: usize, value: Vector) {
            if let Some(words) = row.0[at..].first_chunk_mut() {
                value.store(words);
            }
        }

        /// Evaluates blocks of gates.
        $(#[$features])*
        pub(crate) fn run_blocks<R: Bits>(blocks: &[Block], gates: &Gates, rows: &mut [R]) {
            let mut left = blocks.iter();
            while let Some(block) = left.next() {
                match block {
                    Block::Guard { guard, blocks, zero } => {
                        if !rows[*guard as usize].is_any() {
                            left = left.as_slice().get(*blocks as usize..).unwrap_or_default().iter();
                            if let Some(zero) = *zero {
                                rows[zero as usize] = R::NONE;
                            }
                        }
                    }
                    Block::Run(run) => {
                        run_kind(run.kind, gates, run.gates.clone(), rows);
                    }
                    Block::Loop { body, unknowns, is_kept } => {
                        for &(unknown, _) in unknowns.iter().filter(|_| !is_kept) {
                            rows[unknown as usize] = R::NONE;
                        }
                        // Each round except the last sets an unknown in some lane, and no lane needs more
                        // rounds than there are unknowns.
                        for _ in 0..=unknowns.len() {
                            for run in body {
                                run_kind(run.kind, gates, run.gates.clone(), rows);
                            }
                            let mut changed = R::NONE;
                            for &(unknown, (value, negated)) in unknowns {
                                let value = rows[value as usize].negate_if(negated);
                                changed = changed | (value ^ rows[unknown as usize]);
                                rows[unknown as usize] = value;
                            }
                            if !changed.is_any() {
                                break;
                            }
                        }
                    }
                }
            }
        }

        /// In the lanes of `mask`, replaces the bits of each row `i` by those of `words[i]`. Every word of
        /// the row gets its bits from this single word. The other lanes stay unchanged.
        $(#[$features])*
        pub(crate) fn write_states<const W: usize>(rows: &mut [Row<W>], words: &[u64], mask: &Row<W>) {
            for at in (0..W).step_by(Vector::WORDS) {
                let mask = load(mask, at);
                for (row, &word) in rows.iter_mut().zip(words) {
                    store(row, at, load(row, at).and_not(mask).or(Vector::splat(word).and(mask)));
                }
            }
        }

        /// Appends the bits of each row in the lanes of `mask` to a row of `to`, in which the first `filled` lanes
        /// are in use and all other bits are false.
        $(#[$features])*
        pub(crate) fn append_lanes<const W: usize>(
            rows: &[Row<W>],
            to: &mut [Row<W>],
            mask: &Row<W>,
            mut filled: usize,
        ) {
            for (word, &mask) in mask.0.iter().enumerate().filter(|&(_, &mask)| mask != 0) {
                let (first, shift) = (filled >> 6, filled & 63);
                filled += mask.count_ones() as usize;
                let last = filled - 1 >> 6;
                for (row, to) in rows.iter().zip(to.iter_mut()) {
                    let bits = compress(row.0[word], mask);
                    to.0[first] |= bits << shift;
                    if last > first {
                        to.0[last] |= bits >> (64 - shift);
                    }
                }
            }
        }

        /// The number of set bits among eight rows, for each lane, as a binary number in four rows (planes).
        $(#[$features])*
        #[inline]
        fn count_eight(v: [Vector; 8]) -> [Vector; 4] {
            let (s0, c0) = (v[0].xor3(v[1], v[2]), v[0].carry(v[1], v[2]));
            let (s1, c1) = (v[3].xor3(v[4], v[5]), v[3].carry(v[4], v[5]));
            let (s2, c2) = (s0.xor3(s1, v[6]), s0.carry(s1, v[6]));
            let (ones, c3) = (s2.xor(v[7]), s2.and(v[7]));
            let (t, d0) = (c0.xor3(c1, c2), c0.carry(c1, c2));
            let (twos, d1) = (t.xor(c3), t.and(c3));
            [ones, twos, d0.xor(d1), d0.and(d1)]
        }

        $(#[$features])*
        #[inline]
        fn load_eight<const W: usize>(group: &[Row<W>; 8], at: usize) -> [Vector; 8] {
            let mut rows = [Vector::zero(); 8];
            for (loaded, row) in rows.iter_mut().zip(group) {
                *loaded = load(row, at);
            }
            rows
        }

        /// In each lane of `lanes`, selects among four rows of moves the legal move of rank `r0 + 2 r1`.
        /// `pair` is the number of legal moves in the first two rows, as two binary digits: first the low
        /// digit (the XOR of the two rows), then the high digit (their AND).
        $(#[$features])*
        #[inline]
        fn select_four(
            v: [Vector; 4],
            pair: (Vector, Vector),
            lanes: Vector,
            r0: Vector,
            r1: Vector,
        ) -> [Vector; 4] {
            let (sum, carry) = pair;
            let left = r1.borrow(carry, sum.and_not(r0));
            let rank = r0.xor(sum);
            let (in_left, in_right) = (lanes.and(left), lanes.and_not(left));
            let first = in_left.and_and_not(v[0], r0);
            let third = in_right.and_and_not(v[2], rank);
            [first, in_left.xor(first), third, in_right.xor(third)]
        }

        /// In each lane of `lanes`, selects among eight rows of moves the legal move whose rank is the binary
        /// number `r`, lowest digit first.
        $(#[$features])*
        #[inline]
        fn select_eight(v: [Vector; 8], lanes: Vector, r: [Vector; 3]) -> [Vector; 8] {
            let (h0, g0) = (v[0].xor(v[1]), v[0].and(v[1]));
            let (h1, g1) = (v[2].xor(v[3]), v[2].and(v[3]));
            let (h2, g2) = (v[4].xor(v[5]), v[4].and(v[5]));
            let (c0, k) = (h0.xor(h1), h0.and(h1));
            let (c1, c2) = (g0.xor3(g1, k), g0.carry(g1, k));
            let b0 = c0.and_not(r[0]);
            let b1 = r[1].borrow(c1, b0);
            let left = r[2].borrow(c2, b1);
            let (d0, d1) = (r[0].xor(c0), r[1].xor3(c1, b0));
            let (in_left, in_right) = (lanes.and(left), lanes.and_not(left));
            let [a, b, c, d] = select_four([v[0], v[1], v[2], v[3]], (h0, g0), in_left, r[0], r[1]);
            let [e, f, g, h] = select_four([v[4], v[5], v[6], v[7]], (h2, g2), in_right, d0, d1);
            [a, b, c, d, e, f, g, h]
        }

        /// Divides the eight rows of `v` into blocks of 8×8 bits and transposes each block. A block consists
        /// of eight bytes: one from each row, all at the same position. A second transposition restores the
        /// rows.
        $(#[$features])*
        #[inline]
        fn transpose(v: &mut [Vector; 8]) {
            $(#[$features])*
            #[inline]
            fn swap<const STRIDE: u32>(v: &mut [Vector; 8], mask: u64) {
                let stride = STRIDE as usize;
                let mask = Vector::splat(mask);
                for i in (0..8).filter(|i| i & stride == 0) {
                    let moved = v[i].shift_right::<STRIDE>().xor(v[i + stride]).and(mask);
                    v[i + stride] = v[i + stride].xor(moved);
                    v[i] = v[i].xor(moved.shift_left::<STRIDE>());
                }
            }
            swap::<1>(v, 0x5555_5555_5555_5555);
            swap::<2>(v, 0x3333_3333_3333_3333);
            swap::<4>(v, 0x0f0f_0f0f_0f0f_0f0f);
        }

        /// Draws one of a role's legal moves in each lane. `area` holds the role's move rows: on entry they
        /// say which moves are legal, on return which move is chosen. Returns the lanes that have a legal
        /// move.
        $(#[$features])*
        pub(crate) fn choose<const W: usize>(
            area: &mut [Row<W>],
            tree: &SelectionTree,
            scratch: &mut Scratch<W>,
            keys: &Keys,
            counter: u32,
        ) -> Row<W> {
            let mut some = Row::ZERO;
            let (groups, _) = area.as_chunks::<8>();
            for at in (0..W).step_by(Vector::WORDS) {
                for (group, planes) in groups.iter().zip(scratch.counts.as_chunks_mut::<4>().0) {
                    for (plane, sum) in planes.iter_mut().zip(count_eight(load_eight(group, at))) {
                        store(plane, at, sum);
                    }
                }
            }
            let width = count(tree, scratch, &mut some);
            draw(scratch, width, keys, counter);
            select(area, tree, scratch, &some);
            some
        }

        /// Adds the counts of the nodes of the level `below` in pairs, which gives the counts of `level`. `PLANES`
        /// is the number of planes of a node below, for the compiler to unroll the loops, or 0 for any number.
        $(#[$features])*
        fn add_pairs<const W: usize, const PLANES: usize>(
            sums: &[Row<W>],
            out: &mut [Row<W>],
            below: Level,
            level: Level,
            at: usize,
        ) {
            let planes = if PLANES == 0 { below.planes } else { PLANES };
            for (pair, out) in sums.chunks(2 * planes).zip(out.chunks_exact_mut(level.planes)) {
                let (left, right) = pair.split_at(planes);
                let (out, top) = out.split_at_mut(planes);
                let mut carry = Vector::zero();
                if right.len() == planes {
                    for i in 0..planes {
                        let (left, right) = (load(&left[i], at), load(&right[i], at));
                        store(&mut out[i], at, left.xor3(right, carry));
                        carry = left.carry(right, carry);
                    }
                } else {
                    for i in 0..planes {
                        store(&mut out[i], at, load(&left[i], at));
                    }
                }
                if let [top] = top {
                    store(top, at, carry);
                }
            }
        }

        /// Divides the lanes and the ranks of the nodes of `level` among their children, on the level `below`.
        /// `sums` holds the counts of the children. `DIGITS` is the number of digits of a node's rank, for the
        /// compiler to unroll the loops, or 0 for any number.
        $(#[$features])*
        fn divide<const W: usize, const DIGITS: usize>(
            nodes: &[Row<W>],
            children: &mut [Row<W>],
            sums: &[Row<W>],
            below: Level,
            level: Level,
            at: usize,
        ) {
            let digits = if DIGITS == 0 { level.rank_rows - 1 } else { DIGITS };
            // The ranks of a child have one digit less, unless no count of a node needs all digits.
            let has_all = below.rank_rows == level.rank_rows;
            let nodes = nodes.chunks_exact(1 + digits).zip(children.chunks_mut(2 * below.rank_rows));
            for ((node, children), sums) in nodes.zip(sums.chunks(2 * below.planes)) {
                let (lanes, rank) = (load(&node[0], at), &node[1..]);
                let (left, right) = children.split_at_mut(below.rank_rows);
                if right.is_empty() {
                    for (plane, from) in left.iter_mut().zip(node) {
                        store(plane, at, load(from, at));
                    }
                    continue;
                }
                let (sums, left, right) = (&sums[..digits], &mut left[..digits], &mut right[..digits]);
                let mut borrow = Vector::zero();
                for i in 0..digits - 1 {
                    let (rank, sum) = (load(&rank[i], at), load(&sums[i], at));
                    store(&mut left[1 + i], at, rank);
                    store(&mut right[1 + i], at, rank.xor3(sum, borrow));
                    borrow = rank.borrow(sum, borrow);
                }
                let (last_rank, last_sum) = (load(&rank[digits - 1], at), load(&sums[digits - 1], at));
                let last = last_rank.xor3(last_sum, borrow);
                borrow = last_rank.borrow(last_sum, borrow);
                store(&mut left[0], at, lanes.and(borrow));
                store(&mut right[0], at, lanes.and_not(borrow));
                if has_all {
                    store(&mut children[digits], at, last_rank);
                    store(&mut children[2 * digits + 1], at, last);
                }
            }
        }

        /// Counts the legal moves below each node, from the counts of the leaves. `some` gets the lanes that have a
        /// legal move. Returns the number of bytes of a count.
        $(#[$features])*
        #[inline]
        fn count<const W: usize>(tree: &SelectionTree, scratch: &mut Scratch<W>, some: &mut Row<W>) -> usize {
            let Scratch { counts, bytes, .. } = scratch;
            let root = tree.levels[tree.levels.len() - 1];
            let width = root.planes.div_ceil(8);
            for at in (0..W).step_by(Vector::WORDS) {
                for pair in tree.levels.windows(2) {
                    let (below, level) = (pair[0], pair[1]);
                    let (sums, out) = counts.split_at_mut(level.counts);
                    let sums = &sums[below.counts..];
                    match below.planes {
                        4 => add_pairs::<W, 4>(sums, out, below, level, at),
                        5 => add_pairs::<W, 5>(sums, out, below, level, at),
                        6 => add_pairs::<W, 6>(sums, out, below, level, at),
                        7 => add_pairs::<W, 7>(sums, out, below, level, at),
                        8 => add_pairs::<W, 8>(sums, out, below, level, at),
                        _ => add_pairs::<W, 0>(sums, out, below, level, at),
                    }
                }
                let planes = &counts[root.counts..][..root.planes];
                let mut any = Vector::zero();
                for (byte, half) in bytes.iter_mut().enumerate().take(width) {
                    let mut v = [Vector::zero(); 8];
                    for (v, plane) in v.iter_mut().zip(planes.iter().skip(8 * byte)) {
                        *v = load(plane, at);
                        any = any.or(*v);
                    }
                    transpose(&mut v);
                    for (row, v) in half.iter_mut().zip(v) {
                        store(row, at, v);
                    }
                }
                store(some, at, any);
            }
            width
        }

        $(#[$features])*
        #[inline]
        fn select<const W: usize>(
            area: &mut [Row<W>],
            tree: &SelectionTree,
            scratch: &mut Scratch<W>,
            some: &Row<W>,
        ) {
            let (groups, _) = area.as_chunks_mut::<8>();
            let Scratch { counts, ranks, bytes, .. } = scratch;
            let root = tree.levels[tree.levels.len() - 1];
            for at in (0..W).step_by(Vector::WORDS) {
                let node = &mut ranks[root.ranks..][..root.rank_rows];
                store(&mut node[0], at, load(some, at));
                for (planes, half) in node[1..].chunks_mut(8).zip(bytes.iter()) {
                    let mut v = load_eight(half, at);
                    transpose(&mut v);
                    for (plane, v) in planes.iter_mut().zip(v) {
                        store(plane, at, v);
                    }
                }
                for pair in tree.levels.windows(2).rev() {
                    let (below, level) = (pair[0], pair[1]);
                    let (children, nodes) = ranks.split_at_mut(level.ranks);
                    let children = &mut children[below.ranks..];
                    let sums = &counts[below.counts..level.counts];
                    match level.rank_rows {
                        5 => divide::<W, 4>(nodes, children, sums, below, level, at),
                        6 => divide::<W, 5>(nodes, children, sums, below, level, at),
                        7 => divide::<W, 6>(nodes, children, sums, below, level, at),
                        8 => divide::<W, 7>(nodes, children, sums, below, level, at),
                        9 => divide::<W, 8>(nodes, children, sums, below, level, at),
                        _ => divide::<W, 0>(nodes, children, sums, below, level, at),
                    }
                }
                for (group, node) in groups.iter_mut().zip(ranks.as_chunks::<4>().0) {
                    let lanes = load(&node[0], at);
                    let legal = load_eight(group, at);
                    let rank = [load(&node[1], at), load(&node[2], at), load(&node[3], at)];
                    let chosen = select_eight(legal, lanes, rank);
                    for (row, chosen) in group.iter_mut().zip(chosen) {
                        store(row, at, chosen);
                    }
                }
            }
        }
    };
}
pub(crate) use kernels;
