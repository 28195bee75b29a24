//! What an examination found, line by line.

use serde::Serialize;

/// How much a line matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Requirement {
    /// Managers rely on it: without it, matches fail.
    Must,
    /// The protocol says so, or some managers need it; the reference player may lack it.
    Should,
}

/// What came of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// As it is to be.
    Conforms,
    /// Otherwise.
    Fails,
    /// Not tried, since what it builds upon failed.
    Skipped,
}

/// One line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding {
    /// A stable name, such as `play.first`.
    pub check: &'static str,
    /// How much it matters.
    pub requirement: Requirement,
    /// What came of it.
    pub verdict: Verdict,
    /// What is to be.
    pub expected: &'static str,
    /// What was sent, shortened.
    pub sent: String,
    /// What came back, shortened, or what went wrong.
    pub got: String,
    /// How long the answer took.
    pub milliseconds: u64,
}

/// All lines.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Sheet {
    /// Who was examined.
    pub player: String,
    /// In the order of the examination.
    pub findings: Vec<Finding>,
}

impl Sheet {
    /// Whether nothing failed and nothing had to be skipped.
    pub fn is_clean(&self) -> bool {
        self.findings.iter().all(|finding| finding.verdict == Verdict::Conforms)
    }

    /// The lines that fail.
    pub fn failures(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.verdict == Verdict::Fails)
    }

    /// Whether matches with this player will do: no line fails that must not.
    pub fn is_usable(&self) -> bool {
        self.failures().all(|finding| finding.requirement != Requirement::Must)
    }
}

/// `text` in one line of at most 120 characters.
pub(super) fn shortened(text: &str) -> String {
    let plain = |c: char| if c.is_control() { '·' } else { c };
    let mut short: String = text.chars().take(120).map(plain).collect();
    if text.chars().nth(120).is_some() {
        short.push('…');
    }
    short
}
