//! Reads atoms and terms from the lists of [`crate::sexpr`].

use crate::ast::{Atom, Description, Span, Term, TermId};
use crate::diagnostic::{Diagnostic, ParseErrors};
use crate::keyword::{Connective, Keyword};
use crate::sexpr::{Expr, NodeId, SyntaxTree};
use crate::symbol::Symbol;

/// The state of parsing one text: the S-expressions of the text, and the description and the errors that the
/// parser has made from them so far.
pub(crate) struct Reader<'a> {
    pub(crate) tree: &'a SyntaxTree<'a>,
    pub(crate) description: Description,
    pub(crate) errors: ParseErrors,
}

/// The position of an atom: as a fact, as the head of a rule or in a body. The wording of error messages
/// depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Fact,
    Head,
    Body,
}

impl<'a> Reader<'a> {
    /// Parses an atom: a word, or a list that consists of a word and terms. Reports an error and returns
    /// `None` if `node` is not an atom.
    pub(crate) fn atom(&mut self, node: NodeId, place: Place) -> Option<Atom> {
        let tree = self.tree;
        let span = tree.span(node);
        let (name, name_span) = match tree.expr(node) {
            Expr::Word(word) => (word, span),
            Expr::List => {
                let name = self.list_name(node, "a relation", place == Place::Fact)?;
                (name, tree.children(node).next().map_or(span, |n| tree.span(n)))
            }
        };
        if let Some(connective) = Connective::of(name) {
            let message = match place {
                Place::Fact => format!("`{}` cannot stand on its own as a fact", connective.name()),
                Place::Head => format!("`{}` cannot be the head of a rule", connective.name()),
                Place::Body => format!("`{}` is not used this way", connective.name()),
            };
            self.errors.push(Diagnostic::error("misplaced-connective", name_span, message).help(format!(
                "`{}` is written `{}`",
                connective.name(),
                connective.syntax()
            )));
            return None;
        }
        if name.starts_with('?') {
            self.errors.push(
                Diagnostic::error(
                    "variable-as-relation",
                    name_span,
                    format!("the variable `{name}` stands where a relation should"),
                )
                .help("GDL is first-order: variables stand for terms only; name the relation"),
            );
            return None;
        }
        let relation = match Keyword::of(name) {
            Some(keyword) => self.description.symbols.intern(keyword.name()),
            None => self.description.symbols.intern(name),
        };
        let mut args = Vec::new();
        if tree.is_list(node) {
            for arg in tree.children(node).skip(1) {
                args.push(self.term(arg)?);
            }
        }
        Some(Atom { relation, args, span })
    }

    /// The word with which the list `node` begins. Reports an error and returns `None` if the list is empty
    /// or begins with a list. The error message uses `what` to describe the thing that the word should name,
    /// for example `a relation`. `is_form` says whether the list is a whole form, which can be meant as a rule.
    fn list_name(&mut self, node: NodeId, what: &str, is_form: bool) -> Option<&'a str> {
        let tree = self.tree;
        match tree.children(node).next() {
            None => {
                let message = format!("an empty list where {what} should be applied");
                self.errors.push(
                    Diagnostic::error("empty-list", tree.span(node), message)
                        .help("remove the parentheses, or put a name and its arguments between them"),
                );
                None
            }
            Some(first) if tree.is_list(first) => {
                let span = tree.span(first);
                let diagnostic = Diagnostic::error(
                    "list-as-name",
                    Span { start: span.start, end: span.start + 1 },
                    format!("a list stands where the name of {what} should"),
                );
                let help = match tree.head(first).and_then(Keyword::of) {
                    // A head with conditions behind it.
                    _ if is_form && tree.children(node).nth(1).is_some() => format!(
                        "is `<=` missing here, or is there one `(` too many? A rule is written `{}`",
                        Connective::If.syntax()
                    ),
                    Some(keyword) => format!(
                        "is there one `(` too many? `{}` is written `{}`",
                        keyword.name(),
                        keyword.syntax()
                    ),
                    None => {
                        "the first word of a list names what it is; is there one `(` too many?".to_owned()
                    }
                };
                self.errors.push(diagnostic.help(help));
                None
            }
            Some(first) => tree.word(first),
        }
    }

    /// Parses a term of any depth. Reports an error and returns `None` if the term is malformed.
    pub(crate) fn term(&mut self, node: NodeId) -> Option<TermId> {
        struct Open {
            function: Symbol,
            first_arg: usize,
            end: NodeId,
        }
        let tree = self.tree;
        let mut open: Vec<Open> = Vec::new();
        let mut done: Vec<TermId> = Vec::new();
        let mut skip_name = false;
        for (at, end) in tree.subtree(node) {
            if skip_name {
                skip_name = false;
            } else if let Expr::Word(word) = tree.expr(at) {
                let symbol = self.description.symbols.intern(word);
                let term =
                    if word.starts_with('?') { Term::Variable(symbol) } else { Term::Constant(symbol) };
                done.push(self.description.terms.intern(term));
            } else {
                let name = self.list_name(at, "a function", false)?;
                if name.starts_with('?') {
                    let message = format!("the variable `{name}` stands where a function should");
                    self.errors.push(
                        Diagnostic::error("variable-as-function", tree.span(at), message)
                            .help("GDL is first-order: variables stand for terms only; name the function"),
                    );
                    return None;
                }
                let function = self.description.symbols.intern(name);
                open.push(Open { function, first_arg: done.len(), end });
                skip_name = true;
            }
            let next = at.following();
            while let Some(last) = open.pop_if(|o| o.end == next) {
                let args = done.split_off(last.first_arg).into_boxed_slice();
                done.push(self.description.terms.intern(Term::Compound(last.function, args)));
            }
        }
        done.pop()
    }
}
