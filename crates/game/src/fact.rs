//! Ground terms as text: what records, boards and tests exchange.

use std::fmt;

/// A ground term in canonical text (one blank between tokens, none inside the parentheses), such
/// as `(cell 1 1 b)` or `noop`. Facts of a state come without their `true`. Ordered bytewise.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Fact(Box<str>);

impl Fact {
    /// Takes `text`, which must be canonical already.
    pub fn from_canonical(text: impl Into<Box<str>>) -> Fact {
        Fact(text.into())
    }

    /// The canonical text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The function, or the constant itself: `cell` of `(cell 1 1 b)`.
    pub fn functor(&self) -> &str {
        match self.0.strip_prefix('(') {
            None => &self.0,
            Some(rest) => rest.split([' ', ')']).next().unwrap_or(""),
        }
    }

    /// The arguments' texts; none for a constant.
    pub fn arguments(&self) -> Vec<&str> {
        let Some(inner) = self.0.strip_prefix('(').and_then(|s| s.strip_suffix(')')) else {
            return Vec::new();
        };
        let mut parts = Vec::new();
        let (mut depth, mut start) = (0usize, 0usize);
        for (i, byte) in inner.bytes().enumerate() {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                b' ' if depth == 0 => {
                    parts.push(&inner[start..i]);
                    start = i + 1;
                }
                _ => {}
            }
        }
        parts.push(&inner[start..]);
        parts.split_off(1)
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Fact;

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
