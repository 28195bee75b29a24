//! The kernels of the choice among many moves (see [`crate::select`]): the rows of a leaf are counted together, and
//! the way down visits only nodes with a chosen move below them.

/// Defines these kernels over the `Vector` type in scope, beside those of [`kernels`](crate::kernels).
macro_rules! many {
    ($(#[$features:meta])*) => {
        use crate::select::{MAX_LEVELS, MAX_PLANES, NO_MOVE};

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

        /// The same draw as that of [`choose`], among many moves. `area` stays as it is, and `chosen` gets the index
        /// of the chosen row of each lane, or [`NO_MOVE`].
        $(#[$features])*
        pub(crate) fn find<const W: usize>(
            area: &[Row<W>],
            tree: &SelectionTree,
            scratch: &mut Scratch<W>,
            keys: &Keys,
            counter: u32,
            chosen: &mut [u32],
        ) -> Row<W> {
            let mut some = Row::ZERO;
            let width = count(area, tree, scratch, &mut some);
            draw(scratch, width, keys, counter);
            chosen.fill(NO_MOVE);
            let (groups, _) = area.as_chunks::<8>();
            for at in (0..W).step_by(Vector::WORDS) {
                find_in(groups, tree, scratch, &some, at, chosen);
            }
            some
        }

        /// Descends the tree of many moves depth-first. Each node is visited in the lanes whose chosen move is below
        /// it, and only if there are such lanes.
        $(#[$features])*
        #[inline]
        fn find_in<const W: usize>(
            groups: &[[Row<W>; 8]],
            tree: &SelectionTree,
            scratch: &mut Scratch<W>,
            some: &Row<W>,
            at: usize,
            chosen: &mut [u32],
        ) {
            let Scratch { counts, ranks, bytes, .. } = scratch;
            let mut rank = [Vector::zero(); MAX_PLANES];
            for (planes, half) in rank.chunks_exact_mut(8).zip(bytes.iter()) {
                let mut v = load_eight(half, at);
                transpose(&mut v);
                planes.copy_from_slice(&v);
            }
            let top = tree.levels.len() - 1;
            // The right node that waits on each level; its lanes and ranks are in the level's rows.
            let mut waiting = [None; MAX_LEVELS];
            let (mut level, mut node, mut lanes) = (top, 0, load(some, at));
            loop {
                // 1. Down to the leftmost leaf with lanes.
                while level > 0 && !lanes.is_zero() {
                    let planes = tree.levels[level].planes;
                    level -= 1;
                    let below = &tree.levels[level];
                    node *= 2;
                    if node + 1 == below.nodes {
                        continue;
                    }
                    let sums = &counts[below.counts + node * below.planes..][..below.planes];
                    let rows = &mut ranks[below.ranks..][..below.rank_rows];
                    let mut borrow = Vector::zero();
                    for (i, &rank) in rank.iter().enumerate().take(planes) {
                        let sum = if i < sums.len() { load(&sums[i], at) } else { Vector::zero() };
                        if let Some(row) = rows.get_mut(i + 1) {
                            store(row, at, rank.xor3(sum, borrow));
                        }
                        borrow = rank.borrow(sum, borrow);
                    }
                    let right = lanes.and_not(borrow);
                    if !right.is_zero() {
                        store(&mut rows[0], at, right);
                        waiting[level] = Some(node + 1);
                    }
                    lanes = lanes.and(borrow);
                }
                // 2. The chosen moves of the leaf.
                if !lanes.is_zero() {
                    let first = node * LEAF;
                    let leaf = &groups[first..groups.len().min(first + LEAF)];
                    find_in_leaf(leaf, 8 * first, &rank, lanes, at, chosen);
                }
                // 3. Back to the lowest node that waits.
                let Some(next) = waiting.iter().position(Option::is_some) else { return };
                (level, node) = (next, waiting[next].take().unwrap_or(0));
                let below = &tree.levels[level];
                let (mask, planes) = ranks[below.ranks..][..below.rank_rows].split_at(1);
                lanes = load(&mask[0], at);
                rank = [Vector::zero(); MAX_PLANES];
                for (rank, plane) in rank.iter_mut().zip(planes) {
                    *rank = load(plane, at);
                }
            }
        }

        /// In each lane of `lanes`, finds the row of the rank `rank` among the rows of a leaf. The first of these
        /// rows has the index `first`.
        $(#[$features])*
        #[inline]
        fn find_in_leaf<const W: usize>(
            leaf: &[[Row<W>; 8]],
            first: usize,
            all: &[Vector; MAX_PLANES],
            mut lanes: Vector,
            at: usize,
            chosen: &mut [u32],
        ) {
            let mut rank = [Vector::zero(); LEAF_PLANES];
            rank.copy_from_slice(&all[..LEAF_PLANES]);
            for (group, first) in leaf.iter().zip((first..).step_by(8)) {
                let legal = load_eight(group, at);
                let sums = leaf_planes(count_eight(legal));
                let mut left = rank;
                let mut borrow = Vector::zero();
                for (plane, sum) in left.iter_mut().zip(sums) {
                    (*plane, borrow) = (plane.xor3(sum, borrow), plane.borrow(sum, borrow));
                }
                let here = lanes.and(borrow);
                if !here.is_zero() {
                    let rows = select_eight(legal, here, [rank[0], rank[1], rank[2]]);
                    for (row, number) in rows.into_iter().zip(first as u32..) {
                        if !row.is_zero() {
                            let mut words = [0; Vector::WORDS];
                            row.store(&mut words);
                            Row(words).for_each_lane(|lane| chosen[64 * at + lane] = number);
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
    };
}
pub(crate) use many;
