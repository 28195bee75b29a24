//! The two kinds of state machines on which a [`Reasoner`](crate::Reasoner) runs.

use ggp_game::Interpreter;
use ggp_propnet::PropNetMachine;

/// A state machine of one of the two kinds: the interpreter or the propositional network.
#[derive(Clone, Debug)]
pub(crate) enum Machine {
    Interpreter(Box<Interpreter>),
    Network(Box<PropNetMachine>),
}

impl From<PropNetMachine> for Machine {
    fn from(machine: PropNetMachine) -> Machine {
        Machine::Network(Box::new(machine))
    }
}

impl From<Interpreter> for Machine {
    fn from(machine: Interpreter) -> Machine {
        Machine::Interpreter(Box::new(machine))
    }
}
