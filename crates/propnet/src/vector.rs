//! Vectors of row words, one type for each class of processors.
//!
//! Compilers vectorise the evaluation of gates on their own. They do not vectorise the choice of moves, which
//! keeps dozens of values in registers. The kernels are therefore a macro over these types, expanded once for
//! each type.

/// Vectors of one word, which work on any processor.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "the same for every width")]
pub(crate) mod plain {
    /// A vector of one word.
    #[derive(Clone, Copy)]
    pub(crate) struct Vector(u64);

    impl Vector {
        pub(crate) const WORDS: usize = 1;
        #[inline]
        pub(crate) fn zero() -> Vector {
            Vector(0)
        }
        #[inline]
        pub(crate) fn load(words: &[u64; 1]) -> Vector {
            Vector(words[0])
        }
        #[inline]
        pub(crate) fn store(self, words: &mut [u64; 1]) {
            words[0] = self.0;
        }
        #[inline]
        pub(crate) fn and(self, other: Vector) -> Vector {
            Vector(self.0 & other.0)
        }
        #[inline]
        pub(crate) fn and_not(self, other: Vector) -> Vector {
            Vector(self.0 & !other.0)
        }
        #[inline]
        pub(crate) fn or(self, other: Vector) -> Vector {
            Vector(self.0 | other.0)
        }
        #[inline]
        pub(crate) fn xor(self, other: Vector) -> Vector {
            Vector(self.0 ^ other.0)
        }
        #[inline]
        pub(crate) fn xor3(self, one: Vector, two: Vector) -> Vector {
            Vector(self.0 ^ one.0 ^ two.0)
        }
        /// In each bit position, the carry of the sum of the three bits of `self`, `one` and `two`.
        #[inline]
        pub(crate) fn carry(self, one: Vector, two: Vector) -> Vector {
            Vector((self.0 & one.0) | (two.0 & (self.0 | one.0)))
        }
        /// In each bit position, the borrow of the difference `self - one - two`.
        #[inline]
        pub(crate) fn borrow(self, one: Vector, two: Vector) -> Vector {
            Vector((!self.0 & one.0) | (two.0 & (!self.0 | one.0)))
        }
        #[inline]
        pub(crate) fn and_and_not(self, one: Vector, two: Vector) -> Vector {
            Vector(self.0 & one.0 & !two.0)
        }
        #[inline]
        pub(crate) fn shift_left<const N: u32>(self) -> Vector {
            Vector(self.0 << N)
        }
        #[inline]
        pub(crate) fn shift_right<const N: u32>(self) -> Vector {
            Vector(self.0 >> N)
        }
        #[inline]
        pub(crate) fn splat(word: u64) -> Vector {
            Vector(word)
        }
        #[inline]
        pub(crate) fn is_zero(self) -> bool {
            self.0 == 0
        }
    }

    /// The bits of `word` at the set bits of `mask`, next to each other from the lowest position on.
    #[inline]
    fn compress(word: u64, mut mask: u64) -> u64 {
        let mut bits = 0;
        for at in 0..mask.count_ones() {
            bits |= (word >> mask.trailing_zeros() & 1) << at;
            mask &= mask - 1;
        }
        bits
    }

    /// The bits of `word` as bytes, lowest bit first: eight copies of a byte, of which each keeps another bit.
    #[inline]
    fn bytes_of(word: u64) -> [u8; 64] {
        let mut bytes = [0; 64];
        for (byte, out) in word.to_le_bytes().into_iter().zip(bytes.as_chunks_mut::<8>().0) {
            let kept = (u64::from(byte) * 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
            let carried = (kept + 0x7f7f_7f7f_7f7f_7f7f) >> 7;
            *out = (carried & 0x0101_0101_0101_0101).to_le_bytes();
        }
        bytes
    }

    crate::kernels::kernels!();
    crate::kernels::many::many!();
    crate::kernels::spread::spread!();
}

/// The bits of `word` at the set bits of `mask`, next to each other from the lowest position on.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "bmi2")]
fn compress(word: u64, mask: u64) -> u64 {
    std::arch::x86_64::_pext_u64(word, mask)
}

/// Vectors of four words, for x86-64 with AVX2 and BMI2.
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2 {
    use super::compress;
    #[allow(clippy::wildcard_imports, reason = "intrinsics")]
    use std::arch::x86_64::*;

    /// A vector of four words.
    #[derive(Clone, Copy)]
    pub(crate) struct Vector(__m256i);

    impl Vector {
        pub(crate) const WORDS: usize = 4;
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(crate) fn zero() -> Vector {
            Vector(_mm256_setzero_si256())
        }
        #[inline]
        #[target_feature(enable = "avx2")]
        #[expect(unsafe_code, reason = "four words as the register's bytes, of the same size")]
        pub(crate) fn load(words: &[u64; 4]) -> Vector {
            // SAFETY: both are 32 bytes without padding, and any bytes are a vector.
            Vector(unsafe { std::mem::transmute::<[u64; 4], __m256i>(*words) })
        }
        #[inline]
        #[target_feature(enable = "avx2")]
        #[expect(unsafe_code, reason = "the register's bytes as four words, of the same size")]
        pub(crate) fn store(self, words: &mut [u64; 4]) {
            // SAFETY: both are 32 bytes without padding, and any bytes are four words.
            *words = unsafe { std::mem::transmute::<__m256i, [u64; 4]>(self.0) };
        }
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(crate) fn and(self, other: Vector) -> Vector {
            Vector(_mm256_and_si256(self.0, other.0))
        }
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(crate) fn and_not(self, other: Vector) -> Vector {
            Vector(_mm256_andnot_si256(other.0, self.0))
        }
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(crate) fn or(self, other: Vector) -> Vector {
            Vector(_mm256_or_si256(self.0, other.0))
        }
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(crate) fn xor(self, other: Vector) -> Vector {
            Vector(_mm256_xor_si256(self.0, other.0))
        }
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(crate) fn xor3(self, one: Vector, two: Vector) -> Vector {
            self.xor(one).xor(two)
        }
        /// In each bit position, the carry of the sum of the three bits of `self`, `one` and `two`.
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(crate) fn carry(self, one: Vector, two: Vector) -> Vector {
            self.and(one).or(two.and(self.or(one)))
        }
        /// In each bit position, the borrow of the difference `self - one - two`.
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(crate) fn borrow(self, one: Vector, two: Vector) -> Vector {
            one.and(two).or(one.or(two).and_not(self))
        }
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(crate) fn and_and_not(self, one: Vector, two: Vector) -> Vector {
            self.and(one).and_not(two)
        }
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(crate) fn shift_left<const N: u32>(self) -> Vector {
            Vector(_mm256_sllv_epi64(self.0, _mm256_set1_epi64x(i64::from(N))))
        }
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(crate) fn shift_right<const N: u32>(self) -> Vector {
            Vector(_mm256_srlv_epi64(self.0, _mm256_set1_epi64x(i64::from(N))))
        }
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(crate) fn splat(word: u64) -> Vector {
            Vector(_mm256_set1_epi64x(word.cast_signed()))
        }
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(crate) fn is_zero(self) -> bool {
            _mm256_testz_si256(self.0, self.0) == 1
        }
    }

    /// The bits of `word` as bytes, lowest bit first.
    #[inline]
    #[target_feature(enable = "bmi2")]
    fn bytes_of(word: u64) -> [u8; 64] {
        let mut bytes = [0; 64];
        for (byte, out) in word.to_le_bytes().into_iter().zip(bytes.as_chunks_mut::<8>().0) {
            *out = _pdep_u64(u64::from(byte), 0x0101_0101_0101_0101).to_le_bytes();
        }
        bytes
    }

    crate::kernels::kernels!(#[target_feature(enable = "bmi2,avx2")]);
    crate::kernels::many::many!(#[target_feature(enable = "bmi2,avx2")]);
    crate::kernels::spread::spread!(#[target_feature(enable = "bmi2,avx2")]);
}

/// Vectors of eight words, for x86-64 with AVX-512 and BMI2.
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512 {
    use super::compress;
    #[allow(clippy::wildcard_imports, reason = "intrinsics")]
    use std::arch::x86_64::*;

    /// A vector of eight words.
    #[derive(Clone, Copy)]
    pub(crate) struct Vector(__m512i);

    impl Vector {
        pub(crate) const WORDS: usize = 8;
        #[inline]
        #[target_feature(enable = "avx512f")]
        pub(crate) fn zero() -> Vector {
            Vector(_mm512_setzero_si512())
        }
        #[inline]
        #[target_feature(enable = "avx512f")]
        #[expect(unsafe_code, reason = "eight words as the register's bytes, of the same size")]
        pub(crate) fn load(words: &[u64; 8]) -> Vector {
            // SAFETY: both are 64 bytes without padding, and any bytes are a vector.
            Vector(unsafe { std::mem::transmute::<[u64; 8], __m512i>(*words) })
        }
        #[inline]
        #[target_feature(enable = "avx512f")]
        #[expect(unsafe_code, reason = "the register's bytes as eight words, of the same size")]
        pub(crate) fn store(self, words: &mut [u64; 8]) {
            // SAFETY: both are 64 bytes without padding, and any bytes are eight words.
            *words = unsafe { std::mem::transmute::<__m512i, [u64; 8]>(self.0) };
        }
        #[inline]
        #[target_feature(enable = "avx512f")]
        pub(crate) fn and(self, other: Vector) -> Vector {
            Vector(_mm512_and_si512(self.0, other.0))
        }
        #[inline]
        #[target_feature(enable = "avx512f")]
        pub(crate) fn and_not(self, other: Vector) -> Vector {
            Vector(_mm512_andnot_si512(other.0, self.0))
        }
        #[inline]
        #[target_feature(enable = "avx512f")]
        pub(crate) fn or(self, other: Vector) -> Vector {
            Vector(_mm512_or_si512(self.0, other.0))
        }
        #[inline]
        #[target_feature(enable = "avx512f")]
        pub(crate) fn xor(self, other: Vector) -> Vector {
            Vector(_mm512_xor_si512(self.0, other.0))
        }
        #[inline]
        #[target_feature(enable = "avx512f")]
        pub(crate) fn xor3(self, one: Vector, two: Vector) -> Vector {
            Vector(_mm512_ternarylogic_epi64::<0x96>(self.0, one.0, two.0))
        }
        /// In each bit position, the carry of the sum of the three bits of `self`, `one` and `two`.
        #[inline]
        #[target_feature(enable = "avx512f")]
        pub(crate) fn carry(self, one: Vector, two: Vector) -> Vector {
            Vector(_mm512_ternarylogic_epi64::<0xe8>(self.0, one.0, two.0))
        }
        /// In each bit position, the borrow of the difference `self - one - two`.
        #[inline]
        #[target_feature(enable = "avx512f")]
        pub(crate) fn borrow(self, one: Vector, two: Vector) -> Vector {
            Vector(_mm512_ternarylogic_epi64::<0x8e>(self.0, one.0, two.0))
        }
        #[inline]
        #[target_feature(enable = "avx512f")]
        pub(crate) fn and_and_not(self, one: Vector, two: Vector) -> Vector {
            Vector(_mm512_ternarylogic_epi64::<0x40>(self.0, one.0, two.0))
        }
        #[inline]
        #[target_feature(enable = "avx512f")]
        pub(crate) fn shift_left<const N: u32>(self) -> Vector {
            Vector(_mm512_slli_epi64::<N>(self.0))
        }
        #[inline]
        #[target_feature(enable = "avx512f")]
        pub(crate) fn shift_right<const N: u32>(self) -> Vector {
            Vector(_mm512_srli_epi64::<N>(self.0))
        }
        #[inline]
        #[target_feature(enable = "avx512f")]
        pub(crate) fn splat(word: u64) -> Vector {
            Vector(_mm512_set1_epi64(word.cast_signed()))
        }
        #[inline]
        #[target_feature(enable = "avx512f")]
        pub(crate) fn is_zero(self) -> bool {
            _mm512_test_epi64_mask(self.0, self.0) == 0
        }
    }

    /// The bits of `word` as bytes, lowest bit first.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    #[expect(unsafe_code, reason = "the register's bytes, of the same size")]
    fn bytes_of(word: u64) -> [u8; 64] {
        let bytes = _mm512_maskz_set1_epi8(word, 1);
        // SAFETY: both are 64 bytes without padding, and any bytes are valid.
        unsafe { std::mem::transmute::<__m512i, [u8; 64]>(bytes) }
    }

    crate::kernels::kernels!(#[target_feature(enable = "bmi2,avx512f,avx512bw,avx512dq,avx512vl")]);
    crate::kernels::many::many!(#[target_feature(enable = "bmi2,avx512f,avx512bw,avx512dq,avx512vl")]);
    crate::kernels::spread::spread!(#[target_feature(enable = "bmi2,avx512f,avx512bw,avx512dq,avx512vl")]);
}
