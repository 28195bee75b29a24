//! Rules over variables and values: what a program is written in.
//!
//! Arguments are flat. A term with variables inside is spelled out by [`Literal::Compose`], which
//! relates a term to its function and arguments and can be read in both directions; so a rule
//! needs no recursion however deep its terms are nested.

use crate::value::{Functor, Value};

/// A relation of a program, numbered from 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RelationId(pub u32);

impl RelationId {
    /// Its number.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A variable of a rule, numbered from 0 within the rule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Variable(pub u32);

impl Variable {
    /// Its number.
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
    /// The variable, if it is one.
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
    /// As many as the relation's arity.
    pub args: Vec<Argument>,
}

/// One condition of a rule.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Literal {
    /// The atom holds.
    Positive(Atom),
    /// The atom does not hold.
    Negative(Atom),
    /// The two differ.
    Distinct(Argument, Argument),
    /// `term` is `functor` applied to `args`.
    Compose {
        /// The whole.
        term: Argument,
        /// Its function.
        functor: Functor,
        /// Its parts.
        args: Vec<Argument>,
    },
}

impl Literal {
    /// Its arguments; of a composition the term first.
    pub fn arguments(&self) -> impl Iterator<Item = Argument> + '_ {
        let (pair, args): ([Option<Argument>; 2], &[Argument]) = match self {
            Literal::Positive(atom) | Literal::Negative(atom) => ([None, None], &atom.args),
            Literal::Distinct(a, b) => ([Some(*a), Some(*b)], &[]),
            Literal::Compose { term, args, .. } => ([Some(*term), None], args),
        };
        pair.into_iter().flatten().chain(args.iter().copied())
    }
}

/// A rule of a program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rule {
    /// What follows.
    pub head: Atom,
    /// From what.
    pub body: Vec<Literal>,
    /// How many variables it has: they are numbered below this.
    pub variables: u32,
    /// Whose rule it is: the caller's number, named in errors.
    pub label: u32,
}

/// A relation's name, arity and volatility.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// For errors and graphs.
    pub name: String,
    /// The number of columns.
    pub arity: usize,
    /// For an input, whose tuples the caller inserts: how often they change. Level 0 never does;
    /// clearing level `n` clears what depends on inputs of level `n` or above.
    pub level: u8,
}
