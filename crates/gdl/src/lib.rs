//! GDL in KIF syntax: parsing, checking, diagnostics and layout. [`parse()`] turns a text into a
//! [`Description`]: terms in an arena, and rules without `or` and `and`. [`check()`] tests a description
//! against the specification and returns [`Diagnostic`]s. [`render()`] prints diagnostics together with the
//! source lines to which they refer. [`format()`] rewrites a text in a canonical layout.
//!
//! Invariants: the crate does no IO and reads no clock. The parser accepts any bytes, never panics and takes
//! linear time. No function recurses over the nesting of its input.
//!
//! # Examples
//! ```
//! use ggp_gdl::{Strictness, diagnose, parse};
//! let description = parse(b"(role white) (<= (legal white ?m) (possible ?m)) (possible pass)").unwrap();
//! assert_eq!(description.rules.len(), 3);
//!
//! // A variable that no positive condition binds.
//! let findings = diagnose(b"(role white) (<= (p ?x) (not (q ?x))) (q a)", Strictness::Default);
//! assert!(findings.iter().any(|finding| finding.code == "unsafe-variable"));
//! ```

pub mod ast;
mod atoms;
pub mod check;
pub mod codes;
pub mod diagnostic;
pub mod domains;
mod equality;
mod foreign;
pub mod format;
pub mod keyword;
pub mod lexer;
pub mod lines;
mod normalise;
pub mod parse;
pub mod print;
pub mod rename;
pub mod render;
pub mod sexpr;
pub mod symbol;

pub use ast::{Atom, Description, Literal, Rule, Span, Term, TermId, Terms};
pub use check::{Strictness, check};
pub use diagnostic::{Diagnostic, Edit, Label, ParseErrors, Severity};
pub use format::format;
pub use keyword::Keyword;
pub use normalise::MAX_ALTERNATIVES;
pub use parse::{parse, parse_rules};
pub use print::print;
pub use render::{Finding, FindingEdit, FindingLabel, locate, render};
pub use symbol::{Symbol, Symbols};

/// Parses `kif` and checks the description. Returns all findings in the order of the text. If there are syntax errors,
/// they come first, and only the forms without them are checked. The game can be played unless a finding is an error.
pub fn diagnose(kif: &[u8], strictness: Strictness) -> Vec<Diagnostic> {
    match parse(kif) {
        Ok(description) => check(&description, strictness),
        Err(errors) => {
            let rest = check::check_rest(kif, &errors, strictness);
            errors.into_diagnostics().into_iter().chain(rest).collect()
        }
    }
}
