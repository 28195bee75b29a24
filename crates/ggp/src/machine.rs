//! The kinds of state machines on which a [`Reasoner`](crate::Reasoner) runs.

use crate::build::BuildError;
use ggp_compiled::CompiledMachine;
use ggp_game::Interpreter;
use ggp_propnet::PropNetMachine;

/// A state machine of one of the kinds: the interpreter, the compiled evaluator or the propositional network.
#[derive(Clone, Debug)]
pub(crate) enum Machine {
    Interpreter(Box<Interpreter>),
    Compiled(Box<CompiledMachine>),
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

impl From<CompiledMachine> for Machine {
    fn from(machine: CompiledMachine) -> Machine {
        Machine::Compiled(Box::new(machine))
    }
}

/// The outcome of a successful build.
#[derive(Clone, Debug)]
pub(crate) struct BuiltMachine {
    pub(crate) machine: Machine,
    /// The reason why the game has no network, if the machine replaces it.
    pub(crate) instead_of: Option<BuildError>,
}

impl<M: Into<Machine>> From<M> for BuiltMachine {
    fn from(machine: M) -> BuiltMachine {
        BuiltMachine { machine: machine.into(), instead_of: None }
    }
}
