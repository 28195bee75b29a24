//! GDL in KIF syntax: from text to a [`Description`], and whether it is valid GDL.
//!
//! No IO, no clocks. The parser accepts any bytes and never panics; nothing here recurses over
//! the nesting of the input.

pub mod ast;
pub mod check;
pub mod diagnostic;
mod equality;
pub mod format;
pub mod keyword;
pub mod lexer;
pub mod lines;
mod normalise;
pub mod parse;
pub mod print;
pub mod render;
pub mod sexpr;
pub mod symbol;

pub use ast::{Atom, Description, Literal, Rule, Span, Term, TermId, Terms};
pub use check::{Strictness, check};
pub use diagnostic::{Diagnostic, Label, ParseErrors, Severity};
pub use format::format;
pub use keyword::Keyword;
pub use normalise::MAX_ALTERNATIVES;
pub use parse::{parse, parse_rules};
pub use print::print;
pub use render::{Finding, locate, render};
pub use symbol::{Symbol, Symbols};

/// Parses `kif` and checks it: all that is wrong with a text, in the order of the text. It can be
/// played unless one of the findings is an error.
pub fn diagnose(kif: &[u8], strictness: Strictness) -> Vec<Diagnostic> {
    match parse(kif) {
        Ok(description) => check(&description, strictness),
        Err(errors) => errors.into_diagnostics(),
    }
}
