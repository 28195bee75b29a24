//! Rules over variables and ground values: the input language of [`crate::Program`].
//!
//! The arguments of an atom are flat. [`Literal::Compose`] relates a term to its function and arguments and
//! works in both directions. Nested terms become chains of such literals, so nothing recurses over the
//! nesting.

use crate::value::{Functor, Value};

/// A relation of a program, numbered from 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RelationId(pub u32);

impl RelationId {
    /// The number of the relation.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A variable of a rule, numbered from 0 within the rule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Variable(pub u32);

impl Variable {
    /// The number of the variable.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An argument of an atom.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Argument {
    /// A variable.
    Variable(Variable),
    /// A ground term.
    Value(Value),
}

impl Argument {
    /// The variable. `None` if the argument is a ground term.
    pub fn variable(self) -> Option<Variable> {
        match self {
            Argument::Variable(variable) => Some(variable),
            Argument::Value(_) => None,
        }
    }
}

/// A relation applied to arguments.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Atom {
    /// The relation.
    pub relation: RelationId,
    /// The arguments, as many as the relation's arity.
    pub args: Vec<Argument>,
}

/// One condition of a rule.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Literal {
    /// The atom holds.
    Positive(Atom),
    /// The atom does not hold.
    Negative(Atom),
    /// The two arguments differ.
    Distinct(Argument, Argument),
    /// `term` is `functor` applied to `args`.
    Compose {
        /// The compound term.
        term: Argument,
        /// The function at its root.
        functor: Functor,
        /// Its arguments.
        args: Vec<Argument>,
    },
}

impl Literal {
    /// The arguments of the literal; for [`Literal::Compose`] the term comes first.
    pub fn arguments(&self) -> impl Iterator<Item = Argument> + '_ {
        let (pair, args): ([Option<Argument>; 2], &[Argument]) = match self {
            Literal::Positive(atom) | Literal::Negative(atom) => ([None, None], &atom.args),
            Literal::Distinct(a, b) => ([Some(*a), Some(*b)], &[]),
            Literal::Compose { term, args, .. } => ([Some(*term), None], args),
        };
        pair.into_iter().flatten().chain(args.iter().copied())
    }
}

/// A rule of a program: the head holds if all literals of the body hold.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rule {
    /// The derived atom.
    pub head: Atom,
    /// The conditions.
    pub body: Vec<Literal>,
    /// The number of variables of the rule. They are numbered from 0.
    pub variables: u32,
    /// The caller's identifier of the rule. Errors report it.
    pub label: u32,
}

/// A relation's name, arity and change level.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// The name, used in errors and graphs.
    pub name: String,
    /// The number of columns.
    pub arity: usize,
    /// For an input relation, whose tuples the caller inserts: how often its tuples change. Inputs of level 0
    /// never change. Clearing level `n` clears all relations that depend on inputs of level `n` or above.
    pub level: u8,
}
