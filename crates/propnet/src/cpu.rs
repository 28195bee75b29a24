//! Which kernels this processor can run, and calling them.

use crate::gate::Gate;
use crate::rows::Row;
use crate::schedule::Block;
use crate::select::{Keys, Scratch, Tree};
use crate::vector;

/// A kind of processor. Results do not depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cpu {
    /// Any.
    Plain,
    /// x86-64 with AVX2.
    Avx2,
    /// x86-64 with AVX-512 F, BW, DQ and VL.
    Avx512,
}

impl Cpu {
    /// The best kind that this processor is.
    pub fn detect() -> Cpu {
        *Cpu::available().last().unwrap_or(&Cpu::Plain)
    }

    /// All kinds that this processor is, slowest first.
    pub fn available() -> Vec<Cpu> {
        let mut all = vec![Cpu::Plain];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                all.push(Cpu::Avx2);
            }
            let features = is_x86_feature_detected!("avx512f")
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

/// What kernels may be called: a proof that detection found the processor's features.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernels(Cpu);

macro_rules! dispatch {
    ($kernels:expr, $words:expr, $function:ident($($argument:expr),*)) => {
        match $kernels.0 {
            #[cfg(target_arch = "x86_64")]
            #[expect(unsafe_code, reason = "features are known at run time only")]
            // SAFETY: a `Kernels` of this kind is made only where its features were detected.
            Cpu::Avx512 if $words % 8 == 0 => unsafe { vector::avx512::$function($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            #[expect(unsafe_code, reason = "features are known at run time only")]
            // SAFETY: as above; AVX-512 implies AVX2.
            Cpu::Avx512 | Cpu::Avx2 if $words % 4 == 0 => unsafe { vector::avx2::$function($($argument),*) },
            _ => vector::plain::$function($($argument),*),
        }
    };
}

impl Kernels {
    /// The kernels for `cpu`, or the best that there are if it is none of this processor's kinds.
    pub(crate) fn new(cpu: Cpu) -> Kernels {
        let available = Cpu::available();
        Kernels(if available.contains(&cpu) { cpu } else { Cpu::detect() })
    }

    /// Evaluates blocks of gates.
    #[inline]
    pub(crate) fn run_blocks<const W: usize>(self, blocks: &[Block], gates: &[Gate], rows: &mut [Row<W>]) {
        dispatch!(self, W, run_blocks(blocks, gates, rows));
    }

    /// Replaces the legal moves in `area` by the chosen ones; returns the lanes that have a legal
    /// move.
    #[inline]
    pub(crate) fn choose<const W: usize>(
        self,
        area: &mut [Row<W>],
        tree: &Tree,
        scratch: &mut Scratch<W>,
        keys: &Keys,
        counter: u32,
    ) -> Row<W> {
        dispatch!(self, W, choose(area, tree, scratch, keys, counter))
    }

    /// Replaces the lanes of `mask` in each row by the row's word of `words`.
    #[inline]
    pub(crate) fn write_states<const W: usize>(self, rows: &mut [Row<W>], words: &[u64], mask: &Row<W>) {
        dispatch!(self, W, write_states(rows, words, mask));
    }
}
