//! GDL in KIF syntax: from text to a [`Description`], and whether it is valid GDL.
//!
//! No IO, no clocks. The parser accepts any bytes and never panics; nothing here recurses over
//! the nesting of the input.

pub mod ast;
pub mod diagnostic;
mod equality;
pub mod keyword;
pub mod lexer;
mod normalise;
pub mod parse;
pub mod sexpr;
pub mod symbol;

pub use ast::{Atom, Description, Literal, Rule, Span, Term, TermId, Terms};
pub use diagnostic::{Diagnostic, Label, ParseErrors, Severity};
pub use keyword::Keyword;
pub use normalise::MAX_ALTERNATIVES;
pub use parse::{parse, parse_rules};
pub use symbol::{Symbol, Symbols};
