//! Goal values.

/// What a role scores in a state: an integer from 0 to 100 (GDL specification, section 4.6).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Goal(u8);

impl Goal {
    /// A goal of `value`, if that is within 0..=100.
    pub fn new(value: u8) -> Option<Goal> {
        (value <= 100).then_some(Goal(value))
    }

    /// The goal that is written `text`: a decimal number without sign or leading zeros, since
    /// `+5` and `007` are other atoms than 5 and 7.
    pub fn from_text(text: &str) -> Option<Goal> {
        text.parse().ok().filter(|n: &u8| n.to_string() == text).and_then(Goal::new)
    }

    /// 0..=100.
    pub fn value(self) -> u8 {
        self.0
    }

    /// 0.0..=1.0.
    pub fn share(self) -> f64 {
        f64::from(self.0) / 100.0
    }
}

impl std::fmt::Display for Goal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
