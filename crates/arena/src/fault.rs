//! What players do wrong, and what the rules of a match do about it.

use ggp_game::PlayError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What happens when a player gives no legal move in time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFault {
    /// A legal move is drawn for it and the match goes on, as the reference server does.
    #[default]
    Random,
    /// It makes its first legal move, in bytewise order of the texts, and the match goes on.
    First,
    /// It gets 0, every other role 100, and the match ends. Before the first move there is no
    /// match to lose: that one counts as unplayed.
    Forfeit,
}

impl FromStr for OnFault {
    type Err = String;

    fn from_str(text: &str) -> Result<OnFault, String> {
        match text {
            "random" => Ok(OnFault::Random),
            "first" => Ok(OnFault::First),
            "forfeit" => Ok(OnFault::Forfeit),
            _ => Err(format!("`{text}` is none of random, first, forfeit")),
        }
    }
}

impl fmt::Display for OnFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OnFault::Random => "random",
            OnFault::First => "first",
            OnFault::Forfeit => "forfeit",
        })
    }
}

/// What kind of fault.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// It was not ready when the start clock ran out, or could not start at all.
    Start,
    /// It answered with something that is no legal move.
    Illegal,
    /// It answered too late, or not at all.
    Timeout,
    /// It ended, panicked, or closed the connection.
    Crash,
    /// It says that it cannot go on.
    Failed,
}

impl FaultKind {
    /// All kinds, in the order of tables.
    pub const ALL: [FaultKind; 5] =
        [FaultKind::Start, FaultKind::Illegal, FaultKind::Timeout, FaultKind::Crash, FaultKind::Failed];

    /// The word for it in tables.
    pub fn word(self) -> &'static str {
        match self {
            FaultKind::Start => "no start",
            FaultKind::Illegal => "illegal",
            FaultKind::Timeout => "timeout",
            FaultKind::Crash => "crash",
            FaultKind::Failed => "failed",
        }
    }

    /// The kind of an error that a player gave while it played.
    pub(crate) fn of_error(error: &PlayError) -> FaultKind {
        match error {
            PlayError::TimedOut => FaultKind::Timeout,
            PlayError::Gone(_) => FaultKind::Crash,
            PlayError::BadAnswer(_) => FaultKind::Illegal,
            PlayError::Eval(_) | PlayError::BadJointMove(_) | PlayError::NoMove | PlayError::Unable(_) => {
                FaultKind::Failed
            }
        }
    }
}

/// One fault of one player.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// Whose: the position of its role, from 0.
    pub role: usize,
    /// In which step, from 0; 0 also for what happened at the start.
    pub step: u32,
    /// What.
    pub kind: FaultKind,
    /// In words.
    pub detail: String,
}

impl Fault {
    /// The longest detail that is kept, in bytes.
    const DETAIL: usize = 200;

    pub(crate) fn new(role: usize, step: u32, kind: FaultKind, detail: impl Into<String>) -> Fault {
        let mut detail: String = detail.into();
        if detail.len() > Fault::DETAIL {
            let end = (0..=Fault::DETAIL).rev().find(|&i| detail.is_char_boundary(i)).unwrap_or(0);
            detail.truncate(end);
            detail.push('…');
        }
        Fault { role, step, kind, detail }
    }

    /// As the `errors` of a match record say it: `TO`, `IL (mark 9 9)`, `CE`.
    pub fn code(&self) -> String {
        match self.kind {
            FaultKind::Start | FaultKind::Timeout => "TO".to_owned(),
            FaultKind::Illegal => format!("IL {}", self.detail),
            FaultKind::Crash | FaultKind::Failed => "CE".to_owned(),
        }
    }
}
