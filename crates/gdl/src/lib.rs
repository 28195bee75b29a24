//! GDL in KIF syntax: from text to a [`Description`], and whether it is valid GDL.
//!
//! No IO, no clocks. The parser accepts any bytes and never panics; nothing here recurses over
//! the nesting of the input.

pub mod ast;
pub mod symbol;

pub use ast::{Atom, Description, Literal, Rule, Span, Term, TermId, Terms};
pub use symbol::{Symbol, Symbols};
