//! The findings of an examination.

use serde::Serialize;

/// The importance of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Requirement {
    /// Managers rely on the checked behaviour. Without it, matches fail.
    Must,
    /// The protocol demands the checked behaviour, or some managers need it. Even the reference player, that
    /// of ggp-base, may lack it.
    Should,
}

/// The outcome of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The player behaves as expected.
    Conforms,
    /// The player does not behave as expected.
    Fails,
    /// The check was not made, because a check that it depends on failed.
    Skipped,
}

/// The result of one check.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding {
    /// The stable name of the check, such as `play.first`.
    pub check: &'static str,
    /// The importance of the check.
    pub requirement: Requirement,
    /// The outcome of the check.
    pub verdict: Verdict,
    /// The expected behaviour.
    pub expected: &'static str,
    /// The message that was sent to the player, shortened.
    pub sent: String,
    /// The answer, shortened. If there was no answer, the error.
    pub got: String,
    /// The time until the answer, in milliseconds.
    pub milliseconds: u64,
}

/// All findings of an examination.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Sheet {
    /// The address of the examined player.
    pub player: String,
    /// The findings, in the order of the examination.
    pub findings: Vec<Finding>,
}

impl Sheet {
    /// Whether the player conforms in every check. False if a check failed or was skipped.
    pub fn is_clean(&self) -> bool {
        self.findings.iter().all(|finding| finding.verdict == Verdict::Conforms)
    }

    /// The findings of failed checks.
    pub fn failures(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.verdict == Verdict::Fails)
    }

    /// Whether matches with this player work: no check with [`Requirement::Must`] fails.
    pub fn is_usable(&self) -> bool {
        self.failures().all(|finding| finding.requirement != Requirement::Must)
    }
}

/// `text` on one line, cut after 120 characters.
pub(super) fn shortened(text: &str) -> String {
    let plain = |c: char| if c.is_control() { '·' } else { c };
    let mut short: String = text.chars().take(120).map(plain).collect();
    if text.chars().nth(120).is_some() {
        short.push('…');
    }
    short
}
