//! The kernels that write the bits of lanes for a reader: rows are transposed to one word for each lane, and words are
//! spread to one byte for each bit.

/// Defines these kernels over the `Vector` type and the function `bytes_of` in scope, beside those of
/// [`kernels`](crate::kernels).
macro_rules! spread {
    ($(#[$features:meta])*) => {
        /// Swaps the blocks of `STRIDE`×`STRIDE` bits off the diagonal of 64×64 bits.
        $(#[$features])*
        #[inline]
        fn swap_blocks<const STRIDE: u32>(v: &mut [Vector; 64], mask: u64) {
            let stride = STRIDE as usize;
            let mask = Vector::splat(mask);
            for i in (0..64).filter(|i| i & stride == 0) {
                let moved = v[i].shift_right::<STRIDE>().xor(v[i + stride]).and(mask);
                v[i + stride] = v[i + stride].xor(moved);
                v[i] = v[i].xor(moved.shift_left::<STRIDE>());
            }
        }

        /// Transposes `rows`, 64 of them at a time: the bits of lane 64 w + j in these rows become the word j W + w
        /// of a part of 64 W words of `out`. Missing rows of the last part count as false.
        $(#[$features])*
        pub(crate) fn transpose_rows<const W: usize>(rows: &[Row<W>], out: &mut [u64]) {
            for (rows, out) in rows.chunks(64).zip(out.chunks_exact_mut(64 * W)) {
                for at in (0..W).step_by(Vector::WORDS) {
                    let mut v = [Vector::zero(); 64];
                    for (v, row) in v.iter_mut().zip(rows) {
                        *v = load(row, at);
                    }
                    swap_blocks::<1>(&mut v, 0x5555_5555_5555_5555);
                    swap_blocks::<2>(&mut v, 0x3333_3333_3333_3333);
                    swap_blocks::<4>(&mut v, 0x0f0f_0f0f_0f0f_0f0f);
                    swap_blocks::<8>(&mut v, 0x00ff_00ff_00ff_00ff);
                    swap_blocks::<16>(&mut v, 0x0000_ffff_0000_ffff);
                    swap_blocks::<32>(&mut v, 0x0000_0000_ffff_ffff);
                    for (v, out) in v.into_iter().zip(out.chunks_exact_mut(W)) {
                        if let Some(words) = out[at..].first_chunk_mut() {
                            v.store(words);
                        }
                    }
                }
            }
        }

        /// Writes the words that [`transpose_rows`] gives as one byte for each bit: lane after lane, `stride` bytes
        /// each. The words of a lane must have no bit at `stride` or behind it.
        $(#[$features])*
        pub(crate) fn write_lanes<const W: usize>(words: &[u64], stride: usize, out: &mut [u8]) {
            for (lane, start) in (0..out.len()).step_by(stride.max(1)).enumerate() {
                let place = (lane & 63) * W + (lane >> 6);
                let of_lane = words[place..].iter().step_by(64 * W);
                for (&word, at) in of_lane.zip((start..start + stride).step_by(64)) {
                    let bytes = bytes_of(word);
                    // The bytes behind the lane are zero, and the next lane overwrites them.
                    match out[at..].first_chunk_mut() {
                        Some(out) => *out = bytes,
                        None => {
                            let left = out.len() - at;
                            out[at..].copy_from_slice(&bytes[..left]);
                        }
                    }
                }
            }
        }

        /// Writes the bits of `words` as one byte each, as many as `out` has room for.
        $(#[$features])*
        pub(crate) fn write_bits(words: &[u64], out: &mut [u8]) {
            for (&word, out) in words.iter().zip(out.chunks_mut(64)) {
                out.copy_from_slice(&bytes_of(word)[..out.len()]);
            }
        }
    };
}
pub(crate) use spread;
