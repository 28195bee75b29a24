//! Rules over variables and ground values: the input language of [`crate::Program`].
//!
//! The arguments of an atom are flat: variables and ground values. A [`Literal::Compose`] relates a compound
//! term to its function and its arguments; evaluation uses it either to take the term apart or to build it. A
//! nested term with variables is written as a chain of such literals, so no code recurses over the nesting.

use crate::value::{Functor, Value};

/// Identifies a relation of a program: its index among the relations, from 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RelationId(pub u32);

impl RelationId {
    /// The index of the relation.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Identifies a variable within its rule. Each rule numbers its variables from 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Variable(pub u32);

impl Variable {
    /// The index of the variable within its rule.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An argument of an atom.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Argument {
    /// A variable.
    Variable(Variable),
    /// A ground term, as an interned value.
    Value(Value),
}

impl Argument {
    /// The variable of this argument; `None` if the argument is a ground term.
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
    /// The arguments. Their number is the arity of the relation.
    pub args: Vec<Argument>,
}

impl Atom {
    /// The atom with each argument replaced by what `f` returns for it, in order.
    #[must_use]
    pub fn map(&self, f: impl FnMut(Argument) -> Argument) -> Atom {
        Atom { relation: self.relation, args: self.args.iter().copied().map(f).collect() }
    }
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
    /// `term` equals the compound term that applies `functor` to `args`.
    Compose {
        /// The compound term.
        term: Argument,
        /// The function at the root of the compound term.
        functor: Functor,
        /// The arguments of the compound term.
        args: Vec<Argument>,
    },
}

impl Literal {
    /// The arguments of the literal. For [`Literal::Compose`], the compound term comes first and its
    /// arguments follow.
    pub fn arguments(&self) -> impl Iterator<Item = Argument> + '_ {
        let (pair, args): ([Option<Argument>; 2], &[Argument]) = match self {
            Literal::Positive(atom) | Literal::Negative(atom) => ([None, None], &atom.args),
            Literal::Distinct(a, b) => ([Some(*a), Some(*b)], &[]),
            Literal::Compose { term, args, .. } => ([Some(*term), None], args),
        };
        pair.into_iter().flatten().chain(args.iter().copied())
    }

    /// The literal with each argument replaced by what `f` returns for it, in the order of
    /// [`Literal::arguments`].
    #[must_use]
    pub fn map(&self, mut f: impl FnMut(Argument) -> Argument) -> Literal {
        match self {
            Literal::Positive(atom) => Literal::Positive(atom.map(f)),
            Literal::Negative(atom) => Literal::Negative(atom.map(f)),
            Literal::Distinct(a, b) => {
                let a = f(*a);
                Literal::Distinct(a, f(*b))
            }
            Literal::Compose { term, functor, args } => {
                let term = f(*term);
                Literal::Compose { term, functor: *functor, args: args.iter().copied().map(f).collect() }
            }
        }
    }
}

/// A rule of a program: the head holds if all literals of the body hold.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rule {
    /// The derived atom.
    pub head: Atom,
    /// The conditions, all of which must hold.
    pub body: Vec<Literal>,
    /// The exclusive upper bound on the indices of the rule's variables. Not every index must be used.
    pub variables: u32,
    /// The caller's identifier for the rule. Errors report this label.
    pub label: u32,
}

/// A relation's name, arity and change level.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// The name, used in errors and graphs.
    pub name: String,
    /// The number of columns.
    pub arity: usize,
    /// The level of an input relation states how often its tuples change; the caller inserts these tuples. A
    /// higher level stands for more frequent changes, and inputs of level 0 never change.
    /// [`crate::Database::clear_from`] clears the inputs of the given level or above and all relations that
    /// depend on them.
    pub level: u8,
}
