//! Compiled rules: flat lists of operations over registers.

use crate::key::KeySpace;
use crate::table::{InputShape, StaticTable};
use ggp_datalog::Functor;

/// A value in an operation: a register or a constant. The highest bit marks a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Operand(u32);

const CONSTANT: u32 = 1 << 31;

impl Operand {
    pub(crate) fn register(register: usize) -> Operand {
        Operand(register as u32)
    }

    pub(crate) fn constant(value: u32) -> Operand {
        Operand(value | CONSTANT)
    }

    #[inline(always)]
    pub(crate) fn get(self, registers: &[u32]) -> u32 {
        if self.0 & CONSTANT == 0 { registers[self.0 as usize] } else { self.0 & !CONSTANT }
    }
}

/// The use of one column of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Output {
    /// Copy the value in the column to the register.
    Bind(u32, u32),
    /// Fail unless the column has this value.
    Check(u32, Operand),
}

/// An operation. A test holds or fails. A loop holds once for each row; when a later operation fails, the
/// innermost loop goes on to its next row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    /// Test that two values are equal (if `equal`) or different.
    Compare { a: Operand, b: Operand, equal: bool },
    /// Test that `term` has the root `functor`, and use its arguments.
    Take { term: Operand, functor: Functor, outputs: Box<[Output]> },
    /// Compose a term.
    Make { functor: Functor, args: Box<[Operand]>, register: u32 },
    /// Test whether a static relation has a tuple with this key.
    StaticTest { table: u32, index: u32, key: Box<[Operand]>, holds: bool },
    /// Loop over the tuples of a static relation with this key.
    StaticLoop { table: u32, index: u32, key: Box<[Operand]>, outputs: Box<[Output]>, once: bool },
    /// Test whether an input has a tuple with this key.
    InputTest { table: u32, index: u32, key: Box<[Operand]>, holds: bool },
    /// Loop over the tuples of an input with this key.
    InputLoop { table: u32, index: u32, key: Box<[Operand]>, outputs: Box<[Output]>, once: bool },
    /// Loop over all tuples of an input.
    InputScan { table: u32, outputs: Box<[Output]>, once: bool },
    /// Test whether a procedure without free arguments holds.
    Ask { procedure: u32, key: Box<[Operand]>, holds: bool },
    /// Loop over the answers of a procedure.
    Each { procedure: u32, key: Box<[Operand]>, outputs: Box<[Output]> },
    /// The end of a rule: answer with these values. The loops inside the first `resume` loops are left.
    Answer { row: Box<[Operand]>, resume: u32 },
}

/// The use of an argument by a procedure's caller.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Mode {
    /// The caller gives the value.
    Bound,
    /// The caller wants the values.
    Free,
    /// The caller accepts any value and does not look at it.
    Ignored,
}

/// The compiled rules of a relation for one choice of modes. The bound arguments are in the first registers.
#[derive(Clone, Debug)]
pub(crate) struct Procedure {
    pub(crate) rules: Vec<Box<[Op]>>,
    pub(crate) space: KeySpace,
    /// The number of free arguments.
    pub(crate) width: usize,
    pub(crate) registers: usize,
    /// The level of the inputs on which the answers depend.
    pub(crate) level: u8,
    /// Whether equal answers are removed.
    pub(crate) distinct: bool,
    /// Whether the values of all arguments are bounded.
    pub(crate) is_bounded: bool,
    /// Whether the questions are traced: the answers depend on the state, but not on each other, and all arguments
    /// are bounded.
    pub(crate) is_traced: bool,
}

impl Procedure {
    /// Whether answers can be recalled: they are static, or traced, and contain no temporary term.
    pub(crate) fn is_recallable(&self) -> bool {
        self.is_traced || (self.level == 0 && self.is_bounded)
    }
}

/// A compiled program.
#[derive(Clone, Default, Debug)]
pub(crate) struct Code {
    pub(crate) statics: Vec<StaticTable>,
    pub(crate) inputs: Vec<InputShape>,
    pub(crate) procedures: Vec<Procedure>,
}
