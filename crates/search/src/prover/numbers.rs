//! Proof numbers and disproof numbers.

/// How far a proposition is from its proof and from its refutation: the least number of open states that must be
/// won to prove it, and to refute it (Allis, van der Meulen & van den Herik 1994).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Numbers {
    pub(crate) proof: u32,
    pub(crate) disproof: u32,
}

/// The number of a proposition that can no longer be proved, or no longer be refuted.
pub(crate) const NEVER: u32 = u32::MAX;

impl Numbers {
    pub(crate) const PROVED: Numbers = Numbers { proof: 0, disproof: NEVER };
    pub(crate) const REFUTED: Numbers = Numbers { proof: NEVER, disproof: 0 };

    /// The numbers of the opposite proposition.
    #[inline]
    pub(crate) fn swapped(self) -> Numbers {
        Numbers { proof: self.disproof, disproof: self.proof }
    }

    pub(crate) fn is_settled(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }

    /// The numbers of a proposition that one of `children` suffices to prove.
    #[inline]
    pub(crate) fn of_any(children: impl Iterator<Item = Numbers>) -> Numbers {
        let none = Numbers::REFUTED;
        children.fold(none, |sum, child| Numbers {
            proof: sum.proof.min(child.proof),
            disproof: add(sum.disproof, child.disproof),
        })
    }

    /// The numbers of a proposition that needs the proofs of all `children`.
    #[inline]
    pub(crate) fn of_all(children: impl Iterator<Item = Numbers>) -> Numbers {
        Numbers::of_any(children.map(Numbers::swapped)).swapped()
    }

    /// Larger numbers, by which further descents avoid a state that is being expanded.
    pub(crate) fn raised(self) -> Numbers {
        Numbers { proof: add(self.proof, self.proof), disproof: add(self.disproof, self.disproof) }
    }
}

/// The sum of two numbers. A finite sum stays below [`NEVER`].
#[inline]
fn add(a: u32, b: u32) -> u32 {
    if a == NEVER || b == NEVER { NEVER } else { a.saturating_add(b).min(NEVER - 1) }
}
