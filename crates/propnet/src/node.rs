//! The nodes of a network, and signals: nodes or their negations.
//!
//! The network is an and-inverter graph with n-ary ANDs: an OR is the negation of an AND of negations.

use std::ops::Not;

/// A node or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Signal(u32);

impl Signal {
    /// The signal that is always false.
    pub const FALSE: Signal = Signal(0);
    /// The signal that is always true.
    pub const TRUE: Signal = Signal(1);

    /// Node `index` itself, not negated.
    pub fn of_node(index: usize) -> Signal {
        Signal((index as u32) << 1)
    }

    /// The index of the signal's node in [`PropNet::nodes`](crate::PropNet::nodes).
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether the signal is the negation of its node.
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// This signal, negated if `negate`.
    #[must_use]
    pub fn negated_if(self, negate: bool) -> Signal {
        Signal(self.0 ^ u32::from(negate))
    }

    /// The constant `value`.
    pub fn constant(value: bool) -> Signal {
        Signal(u32::from(value))
    }

    /// The value of a constant signal. `None` for any other signal.
    pub fn as_constant(self) -> Option<bool> {
        (self.node() == 0).then_some(self.is_negated())
    }
}

impl Not for Signal {
    type Output = Signal;
    fn not(self) -> Signal {
        Signal(self.0 ^ 1)
    }
}

/// The function that a node computes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// The constant false. Node 0, and no other node, is `False`.
    False,
    /// The fluent with this index is true in the current state.
    State(u32),
    /// The move set with this index contains the move that the set's role makes.
    MoveSet(u32),
    /// The conjunction of two or more signals of distinct nodes, in ascending order.
    And(Box<[Signal]>),
    /// An unknown of a fixpoint component (a system of mutually recursive equations). Only the equations of
    /// that component read it.
    Variable(Unknown),
    /// The value of the unknown in the least fixpoint of its component.
    Fixpoint(Unknown),
}

/// An unknown of a fixpoint component.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Unknown {
    /// The index of the component.
    pub component: u32,
    /// The unknown's index within the component.
    pub index: u32,
}
