//! Gates as they are evaluated: functions of at most three rows, grouped in runs of one kind.
//!
//! A gate computes a conjunction of literals, a conjunction of a literal and a two-literal clause, or the
//! negation of one of these. AVX-512 computes a gate with one ternary-logic instruction. Gates of one kind
//! form runs, so that the kind is decoded once per run instead of once per gate.

use crate::rows::Bits;
use serde::{Deserialize, Serialize};
use std::ops::Range;

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

        /// Evaluates the gates of `range`, which are all of the kind `kind`.
        #[inline(always)]
        pub(crate) fn run_kind<R: Bits>(kind: Kind, gates: &Gates, range: Range<u32>, rows: &mut [R]) {
            match kind {
                $(Kind::$name => run_gates(gates, range, rows, |$a, $b, $c| $formula)),*
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

/// One gate: its output row and its input rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gate {
    /// The number of the output row, times [`SCALE`].
    out: u32,
    /// The numbers of the input rows, times [`SCALE`].
    inputs: [u32; 3],
}

/// The numbers of a gate's rows are stored as multiples of this number. A row of 512 lanes is then found by an
/// address of the form `base + 8 * index`, which takes no instruction of its own on x86-64.
const SCALE: u32 = 8;

impl Gate {
    pub(crate) fn new(out: u32, inputs: [u32; 3]) -> Gate {
        // A row number that is too large stays too large for any list of rows.
        let scaled = |row: u32| row.min(u32::MAX / SCALE) * SCALE;
        Gate { out: scaled(out), inputs: inputs.map(scaled) }
    }

    pub(crate) fn out(&self) -> u32 {
        self.out / SCALE
    }

    pub(crate) fn inputs(&self) -> [u32; 3] {
        self.inputs.map(|input| input / SCALE)
    }
}

/// A list of gates that read and write only the first rows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<(u32, [u32; 3])>", into = "Vec<(u32, [u32; 3])>")]
pub(crate) struct Gates {
    list: Vec<Gate>,
    /// A number that is greater than the number of every row of the gates.
    rows: usize,
}

impl Gates {
    pub(crate) fn push(&mut self, gate: Gate) {
        let [a, b, c] = gate.inputs();
        self.rows = self.rows.max(gate.out().max(a).max(b).max(c) as usize + 1);
        self.list.push(gate);
    }
}

impl std::ops::Deref for Gates {
    type Target = [Gate];

    fn deref(&self) -> &[Gate] {
        &self.list
    }
}

impl FromIterator<Gate> for Gates {
    fn from_iter<I: IntoIterator<Item = Gate>>(list: I) -> Gates {
        let mut gates = Gates::default();
        list.into_iter().for_each(|gate| gates.push(gate));
        gates
    }
}

impl From<Vec<(u32, [u32; 3])>> for Gates {
    fn from(list: Vec<(u32, [u32; 3])>) -> Gates {
        list.into_iter().map(|(out, inputs)| Gate::new(out, inputs)).collect()
    }
}

impl From<Gates> for Vec<(u32, [u32; 3])> {
    fn from(gates: Gates) -> Self {
        gates.iter().map(|gate| (gate.out(), gate.inputs())).collect()
    }
}

#[inline(always)]
#[expect(unsafe_code, reason = "a check of each row's number takes as long as the gate")]
fn run_gates<R: Bits>(gates: &Gates, range: Range<u32>, rows: &mut [R], formula: impl Fn(R, R, R) -> R) {
    assert!(gates.rows <= rows.len(), "a row for each number");
    let rows = rows.as_mut_ptr();
    let row = |scaled: u32| {
        let (scaled, scale, size) = (scaled as usize, SCALE as usize, size_of::<R>());
        // SAFETY: the gate belongs to `gates`, so `scaled` is a multiple of the scale, and the number of the row is
        // less than the length of the slice. `size` and `scale` are powers of two.
        unsafe { rows.byte_add(if size < scale { scaled / (scale / size) } else { scaled * (size / scale) }) }
    };
    for gate in &gates.list[range.start as usize..range.end as usize] {
        let [a, b, c] = gate.inputs;
        // SAFETY: the pointers are pointers to rows of the slice, see above.
        unsafe { *row(gate.out) = formula(*row(a), *row(b), *row(c)) };
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
    use super::{Gate, Gates, Kind, conjunction, conjunction_with_clause, run_kind};
    use crate::rows::Row;

    /// The truth table of a gate, as the bits of one word. The inputs of the gate are rows 1 to 3.
    fn table(kind: Kind, inputs: [u32; 3]) -> u64 {
        let mut rows = [Row([0]), Row([0xaa]), Row([0xcc]), Row([0xf0])];
        let gates: Gates = [Gate::new(0, inputs)].into_iter().collect();
        run_kind(kind, &gates, 0..1, &mut rows);
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
