//! The faults of players, and how the referee handles them.

use ggp_game::PlayError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The referee's policy for a player that gives no legal move in time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFault {
    /// The referee draws a random legal move for the player and the match goes on, as in the reference
    /// server.
    #[default]
    Random,
    /// The referee plays the player's first legal move, in bytewise order of the move texts, and the match
    /// goes on.
    First,
    /// The match ends. The player at fault gets goal 0, and every other role gets 100. For a fault at the
    /// start ([`FaultKind::Start`]), and if all of several players are at fault in one step, the match counts as unplayed
    /// instead, and no role gets a goal.
    Forfeit,
}

impl FromStr for OnFault {
    type Err = String;

    fn from_str(text: &str) -> Result<OnFault, String> {
        match text {
            "random" => Ok(OnFault::Random),
            "first" => Ok(OnFault::First),
            "forfeit" => Ok(OnFault::Forfeit),
            _ => Err(format!("unknown policy `{text}`: expected random, first or forfeit")),
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

/// The kind of a fault.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The player was not ready when the start clock ran out, or could not start.
    Start,
    /// The player's answer is not a legal move.
    Illegal,
    /// The player answered too late, or not at all.
    Timeout,
    /// The player is gone: its program ended, it panicked, or it closed the connection.
    Crash,
    /// The player reported that it cannot go on.
    Failed,
}

impl FaultKind {
    /// All kinds, in the order in which tables list them.
    pub const ALL: [FaultKind; 5] =
        [FaultKind::Start, FaultKind::Illegal, FaultKind::Timeout, FaultKind::Crash, FaultKind::Failed];

    /// The name of the kind in tables.
    pub fn word(self) -> &'static str {
        match self {
            FaultKind::Start => "no start",
            FaultKind::Illegal => "illegal",
            FaultKind::Timeout => "timeout",
            FaultKind::Crash => "crash",
            FaultKind::Failed => "failed",
        }
    }

    /// The kind of fault for an error that a player returned when it was asked for a move.
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
    /// The index of the player's role, from 0.
    pub role: usize,
    /// The index of the step, from 0. A fault at the start of the match also has step 0.
    pub step: u32,
    /// The kind of the fault.
    pub kind: FaultKind,
    /// A description of the fault: the player's answer or the error.
    pub detail: String,
    /// Whether the player was not ready when the start clock ran out. False for a player that could not start at all, and
    /// for every other kind of fault.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub late_start: bool,
}

impl Fault {
    /// The maximum length of [`Fault::detail`], in bytes. A longer text is cut there, and `…` is appended.
    const DETAIL: usize = 200;

    pub(crate) fn new(role: usize, step: u32, kind: FaultKind, detail: impl Into<String>) -> Fault {
        let mut detail: String = detail.into();
        if detail.len() > Fault::DETAIL {
            let end = (0..=Fault::DETAIL).rev().find(|&i| detail.is_char_boundary(i)).unwrap_or(0);
            detail.truncate(end);
            detail.push('…');
        }
        Fault { role, step, kind, detail, late_start: false }
    }

    /// The code that stands for the fault in the member `errors` of a match record: `TO` if the player did
    /// not start or did not answer in time; for an illegal move, `IL` and the move's text, such as
    /// `IL (mark 9 9)`; `CE` for all other faults.
    pub fn code(&self) -> String {
        match self.kind {
            FaultKind::Start | FaultKind::Timeout => "TO".to_owned(),
            FaultKind::Illegal => format!("IL {}", self.detail),
            FaultKind::Crash | FaultKind::Failed => "CE".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Fault, FaultKind};

    #[test]
    fn only_a_late_start_has_the_member_that_says_so() {
        let text = r#"{"role":0,"step":0,"kind":"start","detail":"ready after 0.700 s"}"#;
        let fault = Fault::new(0, 0, FaultKind::Start, "ready after 0.700 s");
        assert_eq!(serde_json::from_str::<Fault>(text).unwrap(), fault);
        assert_eq!(serde_json::to_string(&fault).unwrap(), text);
        let late = Fault { late_start: true, ..fault };
        assert_eq!(serde_json::to_string(&late).unwrap(), text.replace('}', ",\"late_start\":true}"));
    }
}
