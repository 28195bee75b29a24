//! Ground terms as text, for records, boards and tests.

use crate::canonical_term;
use std::fmt;

/// A ground term as canonical text: one blank between tokens, none inside the parentheses, as in
/// `(cell 1 1 b)` or `noop`. Facts of a state have no enclosing `true`. Facts are ordered bytewise.
///
/// # Examples
/// ```
/// use ggp_game::Fact;
/// let fact = Fact::new("( cell 1 1  b )").unwrap();
/// assert_eq!(fact.as_str(), "(cell 1 1 b)");
/// assert_eq!((fact.functor(), fact.arguments()), ("cell", vec!["1", "1", "b"]));
/// assert!(Fact::new("(cell 1").is_none());
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Fact(Box<str>);

impl Fact {
    /// Parses one ground term, with any whitespace between its tokens. `None` if `text` is not exactly one
    /// term.
    pub fn new(text: &str) -> Option<Fact> {
        canonical_term(text).map(|text| Fact(text.into()))
    }

    /// Wraps `text` without a check. `text` must be canonical, as the machines and parsers of this workspace
    /// write it. For any other text, the results of the accessors are unspecified; use [`Fact::new`] for it.
    pub fn from_canonical(text: impl Into<Box<str>>) -> Fact {
        Fact(text.into())
    }

    /// The canonical text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The function symbol, or the constant itself: `cell` for `(cell 1 1 b)`.
    pub fn functor(&self) -> &str {
        split_term(&self.0).0
    }

    /// The texts of the arguments; empty for a constant.
    pub fn arguments(&self) -> Vec<&str> {
        split_term(&self.0).1
    }
}

/// The function symbol of a canonical term, or the constant itself, and the texts of the arguments. For text
/// that is not canonical, the result is unspecified.
///
/// # Examples
/// ```
/// use ggp_game::split_term;
/// assert_eq!(split_term("(cell (f 1 2) b)"), ("cell", vec!["(f 1 2)", "b"]));
/// assert_eq!(split_term("noop"), ("noop", vec![]));
/// ```
pub fn split_term(text: &str) -> (&str, Vec<&str>) {
    let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return (text, Vec::new());
    };
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0usize, 0usize);
    for (i, byte) in inner.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b' ' if depth == 0 => {
                parts.push(&inner[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    let arguments = parts.split_off(1);
    (parts[0], arguments)
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Fact;
    use proptest::prelude::*;

    fn text() -> impl Strategy<Value = String> {
        prop_oneof![any::<String>(), "[() ab\t\n]{0,12}", "\\([a-c() \u{a0}é]{0,20}\\)"]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_is_one_term_or_refused(text in text()) {
            let loose = Fact::from_canonical(text.as_str());
            let _ = (loose.functor(), loose.arguments());
            let Some(fact) = Fact::new(&text) else { return Ok(()) };
            let is_itself = |text: &str| Fact::new(text).is_some_and(|fact| fact.as_str() == text);
            prop_assert!(is_itself(fact.as_str()));
            let tokens = |text: &str| text.replace('(', " ( ").replace(')', " ) ");
            let (tokens, same) = (tokens(&text), tokens(fact.as_str()));
            prop_assert!(tokens.split_whitespace().eq(same.split_whitespace()));
            let arguments = fact.arguments();
            for argument in &arguments {
                prop_assert!(is_itself(argument));
            }
            let parts: Vec<&str> = std::iter::once(fact.functor()).chain(arguments).collect();
            let is_compound = fact.as_str().starts_with('(');
            let whole = if is_compound { format!("({})", parts.join(" ")) } else { parts.join(" ") };
            prop_assert_eq!(whole.as_str(), fact.as_str());
            prop_assert!(!fact.functor().is_empty());
        }
    }

    #[test]
    fn what_is_not_one_term_is_no_fact() {
        for text in ["", " ", "a b", "(a) (b)", "(a", "a)", "()", "((a) b)", "(a ())", ")a("] {
            assert_eq!(Fact::new(text), None, "{text}");
        }
        assert_eq!(Fact::new(" ( cell\t1  (f) ) ").unwrap().as_str(), "(cell 1 (f))");
    }

    #[test]
    fn a_fact_is_taken_apart_at_its_own_level_only() {
        let fact = Fact::from_canonical("(cell (f 1 2) b (lock))");
        assert_eq!(fact.functor(), "cell");
        assert_eq!(fact.arguments(), ["(f 1 2)", "b", "(lock)"]);
        assert_eq!(Fact::from_canonical("noop").functor(), "noop");
        assert!(Fact::from_canonical("noop").arguments().is_empty());
        assert_eq!(Fact::from_canonical("(lock)").functor(), "lock");
        assert!(Fact::from_canonical("(lock)").arguments().is_empty());
    }
}
