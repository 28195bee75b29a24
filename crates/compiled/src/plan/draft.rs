//! A rule whose conditions are being ordered.

use crate::code::{Mode, Op, Operand, Output};
use crate::ground::number;
use ggp_datalog::{Argument, Atom, Rule};

/// A rule that is being ordered.
#[derive(Clone)]
pub(super) struct Draft<'a> {
    pub(super) rule: &'a Rule,
    /// For each variable, its register. `None` while it has no value.
    pub(super) bound: Vec<Option<u32>>,
    pub(super) done: Vec<bool>,
    /// For each variable, whether the answer contains it.
    pub(super) wanted: Vec<bool>,
    pub(super) ops: Vec<Op>,
    pub(super) registers: usize,
    /// The number of loops so far.
    pub(super) loops: u32,
    /// For each variable with a value, the number of loops up to the one that gave it.
    pub(super) bound_in: Vec<u32>,
}

impl Draft<'_> {
    pub(super) fn operand(&self, argument: Argument) -> Option<Operand> {
        match argument {
            Argument::Value(value) => Some(Operand::constant(number(value))),
            Argument::Variable(variable) => {
                self.bound[variable.index()].map(|register| Operand::register(register as usize))
            }
        }
    }

    pub(super) fn bind(&mut self, variable: usize) -> u32 {
        let register = self.registers as u32;
        self.registers += 1;
        self.bound[variable] = Some(register);
        self.bound_in[variable] = self.loops;
        register
    }

    /// Whether the answer or an open literal other than the literal `besides` needs the variable.
    pub(super) fn is_needed(&self, variable: usize, besides: usize) -> bool {
        self.wanted[variable]
            || self.rule.body.iter().enumerate().any(|(at, literal)| {
                at != besides
                    && !self.done[at]
                    && literal.arguments().any(|a| a.variable().is_some_and(|v| v.index() == variable))
            })
    }

    /// The modes with which `atom` would be asked now. `besides` is the number of its literal, if it is open.
    pub(super) fn modes(&self, atom: &Atom, besides: usize) -> Vec<Mode> {
        let mode = |&argument: &Argument| match (argument.variable(), self.operand(argument)) {
            (_, Some(_)) => Mode::Bound,
            (Some(variable), None) => {
                let own = atom.args.iter().filter(|&&other| other == argument).count();
                let is_free = own > 1 || self.is_needed(variable.index(), besides);
                if is_free { Mode::Free } else { Mode::Ignored }
            }
            (None, None) => unreachable!("a value is an operand"),
        };
        atom.args.iter().map(mode).collect()
    }

    pub(super) fn outputs(&mut self, args: &[Argument], columns: &[usize]) -> Box<[Output]> {
        let mut outputs = Vec::with_capacity(columns.len());
        for &column in columns {
            match (self.operand(args[column]), args[column]) {
                (Some(operand), _) => outputs.push(Output::Check(column as u32, operand)),
                (None, Argument::Variable(variable)) => {
                    let register = self.bind(variable.index());
                    outputs.push(Output::Bind(column as u32, register));
                }
                (None, Argument::Value(_)) => unreachable!("a value is an operand"),
            }
        }
        outputs.into()
    }

    /// Begins a loop over the rows that match `args` in `columns`. Returns its outputs, and whether it can end at its
    /// first row.
    pub(super) fn begin_loop(&mut self, args: &[Argument], columns: &[usize]) -> (Box<[Output]>, bool) {
        self.loops += 1;
        let outputs = self.outputs(args, columns);
        let once = self.is_once(&outputs);
        (outputs, once)
    }

    /// Whether the loop with these outputs can end at its first row: nothing needs the values that it binds.
    fn is_once(&self, outputs: &[Output]) -> bool {
        outputs.iter().all(|output| match *output {
            Output::Check(..) => true,
            Output::Bind(_, register) => {
                let variable = self.bound.iter().position(|&own| own == Some(register));
                variable.is_none_or(|variable| !self.is_needed(variable, usize::MAX))
            }
        })
    }
}
