//! Batches of up to 64 states. A word holds the value of one fluent in all states of a batch, one bit for
//! each state.

/// The largest number of states in a batch.
pub(crate) const BATCH: usize = 64;

/// Transposes a matrix of 64×64 bits: bit `j` of word `i` becomes bit `i` of word `j`.
pub(crate) fn transpose(words: &mut [u64; 64]) {
    let mut mask = u64::MAX >> 32;
    let mut stride = 32;
    while stride > 0 {
        for i in (0..64).filter(|i| i & stride == 0) {
            let moved = (words[i] >> stride ^ words[i + stride]) & mask;
            words[i + stride] ^= moved;
            words[i] ^= moved << stride;
        }
        stride /= 2;
        mask ^= mask << stride;
    }
}

#[cfg(test)]
mod tests {
    use super::transpose;
    use ggp_game::rng::mix;

    #[test]
    fn rows_become_columns() {
        let before: [u64; 64] = std::array::from_fn(|i| mix(i as u64));
        let mut after = before;
        transpose(&mut after);
        for (i, row) in before.iter().enumerate() {
            for (j, column) in after.iter().enumerate() {
                assert_eq!(row >> j & 1, column >> i & 1, "{i} {j}");
            }
        }
    }
}
