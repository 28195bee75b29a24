//! Prints a description as KIF.
//!
//! Invariant: the printed text parses to the same rules, apart from the spans and the ids of terms. It has no
//! comments and no `or` or `and`, since the parser removes them. To lay out a source text, use
//! [`crate::format()`].

use crate::ast::{Atom, Description, Literal, TermId};

/// Prints `description` as KIF: each fact on one line, and each condition of a rule on a line of its own.
///
/// # Examples
/// ```
/// let description = ggp_gdl::parse(b"(role   white) ; the first").unwrap();
/// assert_eq!(ggp_gdl::print(&description), "(role white)\n");
/// ```
pub fn print(description: &Description) -> String {
    let mut out = String::new();
    for rule in &description.rules {
        if rule.body.is_empty() {
            push_atom(description, &rule.head, &mut out);
        } else {
            out.push_str("(<= ");
            push_atom(description, &rule.head, &mut out);
            for literal in &rule.body {
                out.push_str("\n    ");
                push_literal(description, literal, &mut out);
            }
            out.push(')');
        }
        out.push('\n');
    }
    out
}

fn push_literal(description: &Description, literal: &Literal, out: &mut String) {
    match literal {
        Literal::Positive(atom) => push_atom(description, atom, out),
        Literal::Negative(atom) => {
            out.push_str("(not ");
            push_atom(description, atom, out);
            out.push(')');
        }
        Literal::Distinct(left, right, _) => push_list(description, "distinct", &[*left, *right], out),
    }
}

fn push_atom(description: &Description, atom: &Atom, out: &mut String) {
    let name = description.name(atom.relation);
    if atom.args.is_empty() {
        out.push_str(name);
    } else {
        push_list(description, name, &atom.args, out);
    }
}

fn push_list(description: &Description, name: &str, args: &[TermId], out: &mut String) {
    out.push('(');
    out.push_str(name);
    for &arg in args {
        out.push(' ');
        out.push_str(&description.term_text(arg));
    }
    out.push(')');
}
