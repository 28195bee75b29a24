//! Gates as they are evaluated: functions of at most three rows, grouped in runs of one kind.
//!
//! A gate computes a conjunction of literals, a conjunction of a literal and a two-literal clause, or the
//! negation of one of these. AVX-512 computes a gate with one ternary-logic instruction. Gates of one kind
//! form runs, so that the kind is decoded once per run instead of once per gate.

use crate::rows::Bits;
use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($($name:ident = |$a:ident, $b:ident, $c:ident| $formula:expr;)*) => {
        /// The function that a gate computes from its inputs `a`, `b` and `c`. In a gate of two inputs, `c`
        /// is the same row as `b`.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
        #[repr(u8)]
        pub(crate) enum Kind { $(#[doc = stringify!($formula)] $name),* }

        impl Kind {
            pub(crate) const ALL: &[Kind] = &[$(Kind::$name),*];
        }

        /// Evaluates `gates`, which are all of the kind `kind`.
        #[inline(always)]
        pub(crate) fn run_kind<R: Bits>(kind: Kind, gates: &[Gate], rows: &mut [R]) {
            match kind {
                $(Kind::$name => run_gates(gates, rows, |$a, $b, $c| $formula)),*
            }
        }
    };
}

kinds! {
    Copy = |a, _b, _c| a;
    Not = |a, _b, _c| !a;
    And = |a, b, _c| a & b;
    AndNot = |a, b, _c| a & !b;
    Nor = |a, b, _c| !(a | b);
    Nand = |a, b, _c| !(a & b);
    OrNot = |a, b, _c| !a | b;
    Or = |a, b, _c| a | b;
    And3 = |a, b, c| a & b & c;
    And2Not = |a, b, c| a & b & !c;
    AndNor = |a, b, c| a & !(b | c);
    Nor3 = |a, b, c| !(a | b | c);
    Nand3 = |a, b, c| !(a & b & c);
    Nand2Or = |a, b, c| !(a & b) | c;
    NotOr2 = |a, b, c| !a | b | c;
    Or3 = |a, b, c| a | b | c;
    AndOr = |a, b, c| a & (b | c);
    AndOrNot = |a, b, c| a & (b | !c);
    AndNand = |a, b, c| a & !(b & c);
    AndNotOr = |a, b, c| !a & (b | c);
    AndNotOrNot = |a, b, c| !a & (b | !c);
    NorAnd = |a, b, c| !(a | (b & c));
    NotOrNor = |a, b, c| !a | !(b | c);
    NotOrAndNot = |a, b, c| !a | (!b & c);
    NotOrAnd = |a, b, c| !a | (b & c);
    OrNor = |a, b, c| a | !(b | c);
    OrAndNot = |a, b, c| a | (!b & c);
    OrAnd = |a, b, c| a | (b & c);
}

/// One gate: the indices of its output row and of its input rows.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Gate {
    pub(crate) out: u32,
    pub(crate) inputs: [u32; 3],
}

#[inline(always)]
fn run_gates<R: Bits>(gates: &[Gate], rows: &mut [R], formula: impl Fn(R, R, R) -> R) {
    if rows.is_empty() {
        return;
    }
    // The number of rows is a power of two, so the mask changes no valid index, and the compiler omits the
    // bounds checks.
    let mask = rows.len() - 1;
    for gate in gates {
        let [a, b, c] = gate.inputs.map(|input| input as usize & mask);
        rows[gate.out as usize & mask] = formula(rows[a], rows[b], rows[c]);
    }
}

/// A literal: an input and whether it is negated.
pub(crate) type Literal<T> = (T, bool);

/// The kind and the inputs of a gate for the conjunction of two or three `literals`. The gate negates the
/// conjunction if `negated` is true.
pub(crate) fn conjunction<T: Copy>(literals: &[Literal<T>], negated: bool) -> (Kind, [T; 3]) {
    let mut sorted = literals.to_vec();
    sorted.sort_by_key(|&(_, negated)| negated);
    let negations = sorted.iter().filter(|&&(_, negated)| negated).count();
    let two = [Kind::And, Kind::AndNot, Kind::Nor, Kind::Nand, Kind::OrNot, Kind::Or];
    let three = [
        Kind::And3,
        Kind::And2Not,
        Kind::AndNor,
        Kind::Nor3,
        Kind::Nand3,
        Kind::Nand2Or,
        Kind::NotOr2,
        Kind::Or3,
    ];
    let last = sorted[sorted.len() - 1].0;
    let inputs = [sorted[0].0, sorted[1].0, last];
    let kind = if sorted.len() == 2 {
        two[negations + 3 * usize::from(negated)]
    } else {
        three[negations + 4 * usize::from(negated)]
    };
    (kind, inputs)
}

/// The kind and the inputs of a gate for the formula `literal` ∧ (`one` ∨ `two`). The gate negates the
/// formula if `negated` is true.
pub(crate) fn conjunction_with_clause<T: Copy>(
    literal: Literal<T>,
    one: Literal<T>,
    two: Literal<T>,
    negated: bool,
) -> (Kind, [T; 3]) {
    let (one, two) = if one.1 && !two.1 { (two, one) } else { (one, two) };
    let negations = usize::from(one.1) + usize::from(two.1);
    let kinds = [
        [Kind::AndOr, Kind::AndOrNot, Kind::AndNand],
        [Kind::AndNotOr, Kind::AndNotOrNot, Kind::NorAnd],
        [Kind::NotOrNor, Kind::NotOrAndNot, Kind::NotOrAnd],
        [Kind::OrNor, Kind::OrAndNot, Kind::OrAnd],
    ];
    (kinds[usize::from(literal.1) + 2 * usize::from(negated)][negations], [literal.0, one.0, two.0])
}

#[cfg(test)]
mod tests {
    use super::{Gate, Kind, conjunction, conjunction_with_clause, run_kind};
    use crate::rows::Row;

    /// The truth table of a gate, as the bits of one word. The inputs of the gate are rows 1 to 3.
    fn table(kind: Kind, inputs: [u32; 3]) -> u64 {
        let mut rows = [Row([0]), Row([0xaa]), Row([0xcc]), Row([0xf0])];
        run_kind(kind, &[Gate { out: 0, inputs }], &mut rows);
        rows[0].0[0] & 0xff
    }

    #[test]
    fn every_polarity_of_every_shape_is_right() {
        let values = [0xaa_u64, 0xcc, 0xf0];
        let literal = |at: usize, pattern: usize| {
            let negated = pattern >> at & 1 == 1;
            let value = if negated { !values[at] & 0xff } else { values[at] };
            ((at as u32 + 1, negated), value)
        };
        for pattern in 0..16 {
            let (a, va) = literal(0, pattern);
            let (b, vb) = literal(1, pattern);
            let (c, vc) = literal(2, pattern);
            let negate = pattern >> 3 == 1;
            let expect = |value: u64| if negate { !value & 0xff } else { value };
            let (kind, inputs) = conjunction(&[a, b, c], negate);
            assert_eq!(table(kind, inputs), expect(va & vb & vc), "{kind:?}");
            let (kind, inputs) = conjunction(&[a, b], negate);
            assert_eq!(table(kind, inputs), expect(va & vb), "{kind:?}");
            let (kind, inputs) = conjunction_with_clause(a, b, c, negate);
            assert_eq!(table(kind, inputs), expect(va & (vb | vc)), "{kind:?}");
        }
    }
}
