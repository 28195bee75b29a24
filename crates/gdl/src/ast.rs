//! The abstract syntax of a rulesheet, as the parser gives it and everything else reads it.
//!
//! Terms live in one arena and refer to each other by [`TermId`]: functions may be nested tens of
//! thousands deep, and no walk over them may recurse. Equal terms have equal ids (hash-consed).
//! `or` and `and` have been normalised away: one source rule may have become several [`Rule`]s
//! with the same span.
//!
//! Keywords in relation position are stored in lower case; every other symbol keeps its spelling.

use crate::symbol::{Symbol, Symbols};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;
use std::ops::Range;

/// A range of bytes of the source text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// As a range of bytes.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// A term of a description's arena.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TermId(u32);

impl TermId {
    /// The position in the arena, from 0. Children have smaller positions than their parent.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a term is, one level deep.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// `?x`; the symbol's name includes the `?`.
    Variable(Symbol),
    /// `white`, `8`.
    Constant(Symbol),
    /// `(cell 1 ?y b)`; without arguments for `(lock)`, which differs from the constant `lock`.
    Compound(Symbol, Box<[TermId]>),
}

/// The arena of terms of one description; equal terms share one id.
#[derive(Clone, Default, Debug)]
pub struct Terms {
    nodes: Vec<Term>,
    ground: Vec<bool>,
    depth: Vec<u32>,
    by_term: FxHashMap<Term, TermId>,
}

impl Terms {
    /// The id of `term`, added if it is new.
    ///
    /// # Panics
    /// When more than 2³² terms are made.
    pub fn intern(&mut self, term: Term) -> TermId {
        if let Some(&id) = self.by_term.get(&term) {
            return id;
        }
        let id = TermId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms"));
        let ground = match &term {
            Term::Variable(_) => false,
            Term::Constant(_) => true,
            Term::Compound(_, args) => args.iter().all(|a| self.ground[a.index()]),
        };
        let depth = match &term {
            Term::Variable(_) | Term::Constant(_) => 0,
            Term::Compound(_, args) => 1 + args.iter().map(|a| self.depth[a.index()]).max().unwrap_or(0),
        };
        self.nodes.push(term.clone());
        self.ground.push(ground);
        self.depth.push(depth);
        self.by_term.insert(term, id);
        id
    }

    /// The term of `id`, one level deep.
    pub fn get(&self, id: TermId) -> &Term {
        &self.nodes[id.index()]
    }

    /// Whether `id` has no variables. Constant time.
    pub fn is_ground(&self, id: TermId) -> bool {
        self.ground[id.index()]
    }

    /// How many functions are nested in `id`; 0 for variables and constants. Constant time.
    pub fn depth(&self, id: TermId) -> usize {
        self.depth[id.index()] as usize
    }

    /// All terms, children before their parents.
    pub fn iter(&self) -> impl Iterator<Item = (TermId, &Term)> {
        self.nodes.iter().enumerate().map(|(i, term)| (TermId(i as u32), term))
    }

    /// How many different terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The different variables of `id`, in order of first occurrence, appended to `out` unless
    /// they are there already. Iterative, and shared parts are looked at once.
    pub fn variables(&self, id: TermId, out: &mut Vec<Symbol>) {
        let mut visited: FxHashSet<TermId> = FxHashSet::default();
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            match self.get(id) {
                Term::Variable(v) if !out.contains(v) => out.push(*v),
                Term::Variable(_) | Term::Constant(_) => {}
                Term::Compound(_, args) => {
                    if !self.is_ground(id) && visited.insert(id) {
                        stack.extend(args.iter().rev().filter(|a| !self.is_ground(**a)));
                    }
                }
            }
        }
    }
}

/// A relation applied to terms: `(legal ?r noop)`, `terminal`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Atom {
    /// The relation; a keyword's name is in lower case.
    pub relation: Symbol,
    /// Its arguments.
    pub args: Vec<TermId>,
    /// Where it stands.
    pub span: Span,
}

/// One condition of a rule's body.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Literal {
    /// The atom holds.
    Positive(Atom),
    /// The atom does not hold.
    Negative(Atom),
    /// The two terms differ.
    Distinct(TermId, TermId, Span),
}

impl Literal {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Literal::Positive(atom) | Literal::Negative(atom) => atom.span,
            Literal::Distinct(.., span) => *span,
        }
    }
}

/// `(<= head body…)`, or a fact when the body is empty.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rule {
    /// What follows.
    pub head: Atom,
    /// From what: all of it must hold.
    pub body: Vec<Literal>,
    /// The whole rule.
    pub span: Span,
}

/// A rulesheet: parsed, normalised, not yet checked.
#[derive(Clone, Default)]
pub struct Description {
    /// The source text. Bytes that are not UTF-8 may occur inside comments only.
    pub source: Vec<u8>,
    /// Its names.
    pub symbols: Symbols,
    /// Its terms.
    pub terms: Terms,
    /// Its rules and facts, in the order of the text.
    pub rules: Vec<Rule>,
}

impl fmt::Debug for Description {
    /// In brief: the whole of it can be millions of nodes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Description")
            .field("bytes", &self.source.len())
            .field("terms", &self.terms.len())
            .field("rules", &self.rules.len())
            .finish_non_exhaustive()
    }
}

impl Description {
    /// The spelling of `symbol`.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.symbols.name(symbol)
    }

    /// The canonical text of a term: one blank between tokens, none inside the parentheses.
    /// Iterative.
    pub fn term_text(&self, id: TermId) -> String {
        enum Step<'a> {
            Term(TermId),
            Text(&'a str),
        }
        let mut out = String::new();
        let mut stack = vec![Step::Term(id)];
        while let Some(step) = stack.pop() {
            match step {
                Step::Text(text) => out.push_str(text),
                Step::Term(id) => match self.terms.get(id) {
                    Term::Variable(s) | Term::Constant(s) => out.push_str(self.name(*s)),
                    Term::Compound(f, args) => {
                        out.push('(');
                        out.push_str(self.name(*f));
                        stack.push(Step::Text(")"));
                        for arg in args.iter().rev() {
                            stack.push(Step::Term(*arg));
                            stack.push(Step::Text(" "));
                        }
                    }
                },
            }
        }
        out
    }

    /// The canonical text of an atom; a relation without arguments is written bare.
    pub fn atom_text(&self, atom: &Atom) -> String {
        if atom.args.is_empty() {
            return self.name(atom.relation).to_owned();
        }
        let args: Vec<String> = atom.args.iter().map(|&a| self.term_text(a)).collect();
        format!("({} {})", self.name(atom.relation), args.join(" "))
    }
}
