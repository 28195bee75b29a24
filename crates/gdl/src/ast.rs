//! The abstract syntax of a rulesheet: the parser's output, which all other code reads.
//!
//! Terms are nodes of one arena and refer to each other by [`TermId`]. Functions may be nested tens of
//! thousands deep, so no walk over terms may recurse. Terms are hash-consed: equal terms have equal ids. The
//! parser removes `or` and `and` by normalisation, so one source rule can become several [`Rule`]s with the
//! same span.
//!
//! A keyword in relation position, such as `legal` in `(legal white noop)`, is stored in lower case. Every
//! other symbol keeps its spelling.

use crate::symbol::{Symbol, Symbols};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;
use std::ops::Range;

/// A range of bytes in the source text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Span {
    /// The offset of the first byte, from 0.
    pub start: usize,
    /// The offset one past the last byte.
    pub end: usize,
}

impl Span {
    /// The span as a range of bytes.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// The id of a term in the arena of a [`Description`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TermId(u32);

impl TermId {
    /// The position of the term in the arena, from 0. A compound's arguments have smaller positions than the
    /// compound.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The root node of a term: the kind of term, the symbol and the ids of the arguments.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// A variable such as `?x`; the symbol's name includes the `?`.
    Variable(Symbol),
    /// A constant such as `white` or `8`.
    Constant(Symbol),
    /// A function applied to arguments, such as `(cell 1 ?y b)`. The list of arguments may be empty: `(lock)`
    /// is a compound term and differs from the constant `lock`.
    Compound(Symbol, Box<[TermId]>),
}

/// The arena of the terms of one description. Equal terms share one id.
#[derive(Clone, Default, Debug)]
pub struct Terms {
    nodes: Vec<Term>,
    ground: Vec<bool>,
    depth: Vec<u32>,
    by_term: FxHashMap<Term, TermId>,
}

impl Terms {
    /// Interns `term` and returns its id.
    ///
    /// # Panics
    /// Panics when there are more than 2³² terms.
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

    /// The root node of the term `id`.
    pub fn get(&self, id: TermId) -> &Term {
        &self.nodes[id.index()]
    }

    /// Whether the term has no variables. Takes constant time.
    pub fn is_ground(&self, id: TermId) -> bool {
        self.ground[id.index()]
    }

    /// The depth to which functions are nested in the term. It is 0 for variables and constants. Takes
    /// constant time.
    pub fn depth(&self, id: TermId) -> usize {
        self.depth[id.index()] as usize
    }

    /// All terms with their ids. The arguments of a compound come before the compound.
    pub fn iter(&self) -> impl Iterator<Item = (TermId, &Term)> {
        self.nodes.iter().enumerate().map(|(i, term)| (TermId(i as u32), term))
    }

    /// The number of distinct terms.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the arena has no terms.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Appends the variables of the term `id` to `out` in order of first occurrence. Leaves out variables
    /// that `out` already contains. Does not recurse, and visits a subterm that occurs several times only
    /// once.
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

/// A relation applied to terms, such as `(legal ?r noop)` or `terminal`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Atom {
    /// The relation; the name of a keyword is in lower case.
    pub relation: Symbol,
    /// The arguments.
    pub args: Vec<TermId>,
    /// The bytes of the source that the atom covers.
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
    /// The atom that holds or does not hold; `None` for a literal of `distinct`.
    pub fn atom(&self) -> Option<&Atom> {
        match self {
            Literal::Positive(atom) | Literal::Negative(atom) => Some(atom),
            Literal::Distinct(..) => None,
        }
    }

    /// The bytes of the source that the literal covers; for a negative literal, those of the atom inside
    /// `not`.
    pub fn span(&self) -> Span {
        match self {
            Literal::Positive(atom) | Literal::Negative(atom) => atom.span,
            Literal::Distinct(.., span) => *span,
        }
    }
}

/// A rule `(<= head body…)`, or a fact if the body is empty.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rule {
    /// The conclusion.
    pub head: Atom,
    /// The conditions, all of which must hold.
    pub body: Vec<Literal>,
    /// The bytes of the source that the whole rule covers. Rules that come from one source rule have the same
    /// span.
    pub span: Span,
}

impl Rule {
    /// The atoms of the body that must hold.
    pub fn positive(&self) -> impl Iterator<Item = &Atom> {
        self.body.iter().filter_map(|literal| match literal {
            Literal::Positive(atom) => Some(atom),
            _ => None,
        })
    }
}

/// A parsed and normalised rulesheet. The parser does not check it against the specification;
/// [`crate::check()`] does.
#[derive(Clone, Default)]
pub struct Description {
    /// The source text. Only comments may contain bytes that are not UTF-8.
    pub source: Vec<u8>,
    /// The interned names of constants, functions, relations and variables.
    pub symbols: Symbols,
    /// The arena of all terms.
    pub terms: Terms,
    /// The rules and facts, in the order of the text.
    pub rules: Vec<Rule>,
}

impl fmt::Debug for Description {
    /// Prints only the sizes, because a description can have millions of nodes.
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

    /// The canonical text of a term: one blank before each argument and no other white space. Does not
    /// recurse.
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

    /// The canonical text of an atom. A relation without arguments is written without parentheses.
    pub fn atom_text(&self, atom: &Atom) -> String {
        if atom.args.is_empty() {
            return self.name(atom.relation).to_owned();
        }
        let args: Vec<String> = atom.args.iter().map(|&a| self.term_text(a)).collect();
        format!("({} {})", self.name(atom.relation), args.join(" "))
    }
}
