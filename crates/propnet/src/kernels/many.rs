//! The kernels of the choice among many moves (see [`crate::select`]): the rows of a leaf are counted together, and
//! the way down visits only nodes with a chosen move below them.

/// Defines these kernels over the `Vector` type in scope, beside those of [`kernels`](crate::kernels).
macro_rules! many {
    ($(#[$features:meta])*) => {
        use crate::leaves::LegalRows;
        use crate::select::{LEAF_DIGITS, MAX_LEVELS, MAX_PLANES, NO_MOVE};

        /// The same number with the planes of a leaf of the tree of many moves.
        $(#[$features])*
        #[inline]
        fn leaf_planes([a, b, c, d]: [Vector; 4]) -> [Vector; LEAF_PLANES] {
            let zero = Vector::zero();
            [a, b, c, d, zero, zero, zero]
        }

        /// The number of set bits among the rows of a leaf of the tree of many moves, like those of
        /// [`count_eight`].
        $(#[$features])*
        #[inline]
        fn count_leaf<const W: usize>(leaf: &[[Row<W>; 8]], at: usize) -> [Vector; LEAF_PLANES] {
            let mut all = [Vector::zero(); LEAF_PLANES];
            for group in leaf {
                let mut carry = Vector::zero();
                let sums = leaf_planes(count_eight(load_eight(group, at)));
                for (plane, sum) in all.iter_mut().zip(sums) {
                    (*plane, carry) = (plane.xor3(sum, carry), plane.carry(sum, carry));
                }
            }
            all
        }

        /// The rows of the leaf `number` of `legal`.
        $(#[$features])*
        #[inline]
        fn leaf_rows<'a, const W: usize>(
            legal: &'a mut LegalRows<'_, W>,
            number: usize,
        ) -> &'a [[Row<W>; 8]] {
            match legal {
                LegalRows::Computed(groups) => {
                    let first = number * LEAF;
                    &groups[first..groups.len().min(first + LEAF)]
                }
                LegalRows::ByLeaf(leaves) => {
                    let (blocks, gates) = leaves.gates.of(number);
                    run_blocks(blocks, gates, leaves.rows);
                    leaves.finished(number)
                }
            }
        }

        /// The same draw as that of [`choose`], among many moves. `legal` stays as it is, and `chosen` gets the index
        /// of the chosen row of each lane, or [`NO_MOVE`].
        $(#[$features])*
        pub(crate) fn find<const W: usize>(
            legal: &mut LegalRows<'_, W>,
            tree: &SelectionTree,
            scratch: &mut Scratch<W>,
            keys: &Keys,
            counter: u32,
            chosen: &mut [u32],
        ) -> Row<W> {
            let mut some = Row::ZERO;
            let leaves = scratch.counts.as_chunks_mut::<LEAF_PLANES>().0;
            for (number, planes) in leaves.iter_mut().enumerate().take(tree.levels[0].nodes) {
                let leaf = leaf_rows(legal, number);
                for at in (0..W).step_by(Vector::WORDS) {
                    for (plane, sum) in planes.iter_mut().zip(count_leaf(leaf, at)) {
                        store(plane, at, sum);
                    }
                }
            }
            let width = count(tree, scratch, &mut some);
            draw(scratch, width, keys, counter);
            chosen.fill(0);
            for at in (0..W).step_by(Vector::WORDS) {
                let mut found = [Vector::zero(); MAX_PLANES];
                find_in(legal, tree, scratch, &some, at, &mut found);
                write_numbers(&mut found, &mut chosen[64 * at..][..64 * Vector::WORDS]);
            }
            let mut none = some;
            none.0.iter_mut().for_each(|word| *word = !*word);
            none.for_each_lane(|lane| chosen[lane] = NO_MOVE);
            some
        }

        /// Writes each lane's number, which `planes` hold as one binary digit each, lowest first.
        $(#[$features])*
        #[inline]
        fn write_numbers(planes: &mut [Vector; MAX_PLANES], numbers: &mut [u32]) {
            for (byte, planes) in planes.as_chunks_mut::<8>().0.iter_mut().enumerate() {
                if planes.iter().all(|plane| plane.is_zero()) {
                    continue;
                }
                transpose(planes);
                for (i, row) in planes.iter().enumerate() {
                    let mut words = [0; Vector::WORDS];
                    row.store(&mut words);
                    for (word, numbers) in words.iter().zip(numbers.as_chunks_mut::<64>().0) {
                        for (b, digits) in word.to_le_bytes().into_iter().enumerate() {
                            numbers[8 * b + i] |= u32::from(digits) << (8 * byte);
                        }
                    }
                }
            }
        }

        /// Descends the tree of many moves depth-first. Each node is visited in the lanes whose chosen move is below
        /// it, and only if there are such lanes. `found` gets the index of the row of each lane's chosen move, as
        /// binary digits.
        $(#[$features])*
        #[inline]
        fn find_in<const W: usize>(
            legal: &mut LegalRows<'_, W>,
            tree: &SelectionTree,
            scratch: &mut Scratch<W>,
            some: &Row<W>,
            at: usize,
            found: &mut [Vector; MAX_PLANES],
        ) {
            let Scratch { counts, ranks, bytes, .. } = scratch;
            let top = tree.levels.len() - 1;
            let mut rank = [Vector::zero(); MAX_PLANES];
            for (planes, half) in rank.chunks_exact_mut(8).zip(bytes.iter()) {
                let mut v = load_eight(half, at);
                transpose(&mut v);
                planes.copy_from_slice(&v);
            }
            // Most games have far fewer legal moves than moves. The digits above those of the largest count are 0.
            let root = &counts[tree.levels[top].counts..][..tree.levels[top].planes];
            let is_used = |plane: &Row<W>| !load(plane, at).is_zero();
            let digits = root.iter().rposition(is_used).map_or(0, |last| last + 1).max(LEAF_PLANES);
            // The right node that waits on each level; its lanes and ranks are in the level's rows.
            let mut waiting = [0; MAX_LEVELS];
            let mut levels_waiting = 0_u32;
            let (mut level, mut node, mut lanes) = (top, 0, load(some, at));
            loop {
                // 1. Down to the leftmost leaf with lanes.
                while level > 0 && !lanes.is_zero() {
                    level -= 1;
                    let below = &tree.levels[level];
                    node *= 2;
                    if node + 1 == below.nodes {
                        continue;
                    }
                    let sums = &counts[below.counts + node * below.planes..][..below.planes];
                    let (mask, rows) = ranks[below.ranks..][..1 + MAX_PLANES].split_at_mut(1);
                    let mut borrow = Vector::zero();
                    for (i, (&rank, row)) in rank.iter().zip(rows).enumerate().take(digits) {
                        let sum = if i < sums.len() { load(&sums[i], at) } else { Vector::zero() };
                        store(row, at, rank.xor3(sum, borrow));
                        borrow = rank.borrow(sum, borrow);
                    }
                    let right = lanes.and_not(borrow);
                    if !right.is_zero() {
                        store(&mut mask[0], at, right);
                        waiting[level] = node + 1;
                        levels_waiting |= 1 << level;
                    }
                    lanes = lanes.and(borrow);
                }
                // 2. The chosen moves of the leaf.
                if !lanes.is_zero() {
                    let leaf = leaf_rows(legal, node);
                    let (within, leaves) = found.split_at_mut(LEAF_DIGITS);
                    for (digit, plane) in leaves.iter_mut().enumerate() {
                        if node >> digit & 1 == 1 {
                            *plane = plane.or(lanes);
                        }
                    }
                    find_in_leaf(leaf, within, &rank, lanes, at);
                }
                // 3. Back to the lowest node that waits.
                if levels_waiting == 0 {
                    return;
                }
                level = levels_waiting.trailing_zeros() as usize;
                levels_waiting &= levels_waiting - 1;
                node = waiting[level];
                let (mask, planes) = ranks[tree.levels[level].ranks..][..1 + MAX_PLANES].split_at(1);
                lanes = load(&mask[0], at);
                for (rank, plane) in rank.iter_mut().zip(planes).take(digits) {
                    *rank = load(plane, at);
                }
            }
        }

        /// In each lane of `lanes`, finds the row of the rank `all` among the rows of a leaf. `found` gets its index
        /// in the leaf, as binary digits.
        $(#[$features])*
        #[inline]
        fn find_in_leaf<const W: usize>(
            leaf: &[[Row<W>; 8]],
            found: &mut [Vector],
            all: &[Vector; MAX_PLANES],
            mut lanes: Vector,
            at: usize,
        ) {
            let mut rank = [Vector::zero(); LEAF_PLANES];
            rank.copy_from_slice(&all[..LEAF_PLANES]);
            for (number, group) in leaf.iter().enumerate() {
                let legal = load_eight(group, at);
                let sums = leaf_planes(count_eight(legal));
                let mut left = rank;
                let mut borrow = Vector::zero();
                for (plane, sum) in left.iter_mut().zip(sums) {
                    (*plane, borrow) = (plane.xor3(sum, borrow), plane.borrow(sum, borrow));
                }
                let here = lanes.and(borrow);
                if !here.is_zero() {
                    let (rows, groups) = found.split_at_mut(3);
                    for (plane, digit) in rows.iter_mut().zip(place_in_eight(legal, [rank[0], rank[1], rank[2]])) {
                        *plane = plane.or(here.and(digit));
                    }
                    for (digit, plane) in groups.iter_mut().enumerate() {
                        if number >> digit & 1 == 1 {
                            *plane = plane.or(here);
                        }
                    }
                    lanes = lanes.and_not(borrow);
                    if lanes.is_zero() {
                        return;
                    }
                }
                rank = left;
            }
        }

        /// The index, as binary digits, of the row whose rank among the legal moves of the eight rows `v` is the
        /// binary number `r`. Defined in the lanes that have so many legal moves.
        $(#[$features])*
        #[inline]
        fn place_in_eight(v: [Vector; 8], r: [Vector; 3]) -> [Vector; 3] {
            // 1. Four rows of the eight: the last ones if the rank is at least the count of the first ones.
            let (h0, g0) = (v[0].xor(v[1]), v[0].and(v[1]));
            let (h1, g1) = (v[2].xor(v[3]), v[2].and(v[3]));
            let (c0, k) = (h0.xor(h1), h0.and(h1));
            let (c1, c2) = (g0.xor3(g1, k), g0.carry(g1, k));
            let b0 = c0.and_not(r[0]);
            let b1 = r[1].borrow(c1, b0);
            let four = r[2].borrow(c2, b1);
            let pick = |left: Vector, right: Vector, is_left: Vector| left.and(is_left).or(right.and_not(is_left));
            let one = pick(v[0], v[4], four);
            let two = pick(v[1], v[5], four);
            let three = pick(v[2], v[6], four);
            let r0 = pick(r[0], r[0].xor(c0), four);
            let r1 = pick(r[1], r[1].xor3(c1, b0), four);
            // 2. Two rows of the four, then one of the two: the first one if it is legal and the rank is 0.
            let (sum, carry) = (one.xor(two), one.and(two));
            let pair = r1.borrow(carry, sum.and_not(r0));
            let first = pick(one, three, pair).and_not(pick(r0, r0.xor(sum), pair));
            let ones = Vector::splat(!0);
            [ones.and_not(first), ones.and_not(pair), ones.and_not(four)]
        }
    };
}
pub(crate) use many;
