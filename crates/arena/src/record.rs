//! The record of one match: JSON in the ggp.org format, or text with one joint move on each line.
//!
//! Invariant: reading a written record gives an equal record. Members outside the format survive reading and
//! writing. The format: <http://www.ggp.org/formats/matches.html>. In front of its members, a file has `format` and
//! `version`, which other programs skip.

use ggp_game::{Clocks, Fact, Format, FormatError, Goals};
use ggp_protocol::read_terms;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt::Write as _;
use std::time::Duration;

/// A match record. Any member may be missing in records of other programs.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Record {
    /// The match id.
    pub match_id: String,
    /// 32 random characters that cannot be guessed.
    pub random_token: String,
    /// The time at which the match started, in milliseconds since 1970.
    pub start_time: u64,
    /// The URL of the game's description, or the rulesheet's file name if the description has no URL.
    #[serde(rename = "gameMetaURL", skip_serializing_if = "String::is_empty")]
    pub game_meta_url: String,
    /// Whether the last state is terminal.
    pub is_completed: bool,
    /// Whether the match was ended before a terminal state.
    pub is_aborted: bool,
    /// Each state from the initial one on, as a list of facts: `( (cell 1 1 b) (control white) )`.
    pub states: Vec<String>,
    /// The joint moves, each in role order.
    pub moves: Vec<Vec<String>>,
    /// The time at which each state was reached, in milliseconds since 1970.
    pub state_times: Vec<u64>,
    /// For each state and role, the fault in the step that led to the state; for the initial state, the fault
    /// at the start of the match. The text is empty if there is no fault, `TO` if the player did not start or
    /// answer in time, `IL …` for an illegal move, or `CE` for any other fault. Faults after the last state
    /// are in one further entry.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Vec<String>>,
    /// The goal of each role, in role order. Only records of other programs contain `None`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub goal_values: Vec<Option<i64>>,
    /// For each role, in role order, whether the rules give it no goal, one goal or several goals in the last
    /// state. Empty if every role has one goal. Not a member of the published format.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub goals_given: Vec<GoalsGiven>,
    /// Seconds in which players may look at the game before the match; -1 if there is no such time.
    pub preview_clock: Seconds,
    /// Seconds before the first move (start clock).
    pub start_clock: Seconds,
    /// Seconds for each move (play clock).
    pub play_clock: Seconds,
    /// The players' names, in role order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub player_names_from_host: Vec<String>,
    /// For each role, whether the player is a person.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub is_player_human: Vec<bool>,
    /// The name of the tournament.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tournament_name_from_host: Option<String>,
    /// Whether the players received scrambled symbols.
    pub scrambled: bool,
    /// The index of the role that forfeited. `None` if the match did not end by a forfeit. Not a member of
    /// the published format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forfeited_by: Option<usize>,
    /// For each role, in role order, the reasoner that evaluated the rules for the player: `propnet`, or
    /// `datalog` (the interpreter, with which a player searches far less than with a propnet). For a player
    /// that changed its reasoner, the text lists the reasoners, as `datalog, propnet from step 4`. Steps
    /// count from 1 here. `None` for a player that does not report its reasoner, such as an external program.
    /// Empty if no player reports it. Not a member of the published format.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasoners: Vec<Option<String>>,
    /// The members of the JSON object that have no field of their own here, by name.
    #[serde(flatten)]
    pub other: serde_json::Map<String, serde_json::Value>,
}

/// Whether the rules give a role no goal, one goal or several goals in a terminal state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GoalsGiven {
    /// No goal; the role scores 0.
    None,
    /// One goal.
    One,
    /// Several goals; the largest counts.
    Several,
}

impl GoalsGiven {
    /// For the goals of a terminal state, one entry for each role. Empty if every role has exactly one goal,
    /// as GDL demands.
    pub fn of(goals: &[Goals]) -> Vec<GoalsGiven> {
        let given = |goals: &Goals| match goals {
            Goals::None => GoalsGiven::None,
            Goals::One(_) => GoalsGiven::One,
            Goals::Several(_) => GoalsGiven::Several,
        };
        let given: Vec<GoalsGiven> = goals.iter().map(given).collect();
        if given.iter().all(|&given| given == GoalsGiven::One) { Vec::new() } else { given }
    }
}

/// A number of seconds in a record; whole numbers are written as integers.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Seconds(pub f64);

impl Default for Seconds {
    fn default() -> Seconds {
        Seconds(-1.0)
    }
}

impl From<Duration> for Seconds {
    /// Converts a duration. Durations above 2³¹ − 1 seconds become 2³¹ − 1, the largest number that readers
    /// of the format can hold. In a record, that number means that there is no limit.
    fn from(time: Duration) -> Seconds {
        Seconds(time.as_secs_f64().min(f64::from(i32::MAX)))
    }
}

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.fract() == 0.0 && self.0.abs() < 1e15 {
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Seconds, D::Error> {
        f64::deserialize(deserializer).map(Seconds)
    }
}

/// The reason why a record cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The text is not JSON, or not a record.
    #[error("not a match record: {0}")]
    Json(#[from] serde_json::Error),
    /// The file has a version that this program does not know, or is something else.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// A state is not a list of facts.
    #[error("state {step}: {why}")]
    State {
        /// The index of the state, from 0.
        step: usize,
        /// The error.
        why: String,
    },
    /// A line of a text record is not a joint move.
    #[error("line {line}: {why}")]
    Line {
        /// The line number, from 1.
        line: usize,
        /// The error.
        why: String,
    },
    /// A text record has no joint move.
    #[error(
        "it has no joint move; a record is JSON in the format of ggp.org, with the joint moves as `moves`, or a \
         text with one joint move a line, as ((move 1 2 1 3) noop)"
    )]
    Empty,
    /// A move of a JSON record is not one term.
    #[error("joint move {step}, role {role}: `{text}` is not a move")]
    Move {
        /// The index of the joint move, from 0.
        step: usize,
        /// The index of the role, from 0.
        role: usize,
        /// The text that stands where a move is expected.
        text: String,
    },
    /// The text is the sealed record of a running match, which [`crate::SealedRecord`] opens.
    #[error(
        "it is sealed, because it holds what is hidden from the people who play: continue the match with \
         `ggp play` until it is over, and the record is open"
    )]
    Sealed,
    /// The record does not have the state that was asked for.
    #[error("the record holds no states, only moves")]
    NoStates,
}

/// The format of match records.
pub const RECORD: Format = Format::new("ggp record", 1);

/// The format of sealed records.
pub const SEALED: Format = Format::new("ggp sealed record", 1);

/// Whether `text` is a sealed record, perhaps one that is cut off.
pub fn is_sealed(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Kind {
        format: String,
    }
    let text = text.trim_start_matches('\u{feff}').trim_start();
    match serde_json::from_str(text) {
        Ok(Kind { format }) => format == SEALED.name,
        // A sealed record is written with its format as the first member.
        Err(error) if error.is_eof() => {
            let blank = |c: char| c.is_whitespace() || "{:".contains(c);
            let value = text.trim_start_matches(blank).strip_prefix("\"format\"");
            value.is_some_and(|value| {
                value.trim_start_matches(blank).starts_with(&format!("\"{}\"", SEALED.name))
            })
        }
        Err(_) => false,
    }
}

/// A joint move of a record, together with its place in the record's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The place of the joint move, for error messages: `line 4` in a text record, `moves[3]` in JSON.
    pub place: String,
    /// The moves, in role order.
    pub moves: Vec<String>,
}

/// Reads the joint moves of a record in either form: JSON with the member `moves`, or text with one joint
/// move on each line. Each joint move comes with its place. A text record without joint moves is an error;
/// only JSON can represent a match without moves.
///
/// # Errors
/// When the text has neither form, or is a sealed record.
pub fn read_steps(text: &str) -> Result<Vec<Step>, RecordError> {
    /// A JSON record of which only the member `moves` is read. Records of other programs may lack all other
    /// members.
    #[derive(Deserialize)]
    struct Moves {
        moves: Vec<Vec<String>>,
    }

    let text = text.trim_start_matches('\u{feff}');
    if is_sealed(text) {
        return Err(RecordError::Sealed);
    }
    if text.trim_start().starts_with('{') {
        RECORD.check(text.as_bytes())?;
        let Moves { moves } = serde_json::from_str(text)?;
        let place = |(number, moves)| Step { place: format!("moves[{number}]"), moves };
        return Ok(moves.into_iter().enumerate().map(place).collect());
    }
    let steps = text_steps(text)?;
    if steps.is_empty() { Err(RecordError::Empty) } else { Ok(steps) }
}

/// Reads a text record, which has one joint move on each line, such as `((move 1 2 1 3) noop)`. A `;` begins
/// a comment.
fn text_steps(text: &str) -> Result<Vec<Step>, RecordError> {
    let mut steps = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split(';').next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        let moves = read_terms(line).map_err(|error| RecordError::Line {
            line: number + 1,
            why: format!("{error}; a joint move is one list with a move for each role, as ((move 1 2) noop)"),
        })?;
        steps.push(Step { place: format!("line {}", number + 1), moves });
    }
    Ok(steps)
}

impl Record {
    /// Reads a record in either form: JSON if the text begins with `{`, otherwise text with one joint move on
    /// each line.
    ///
    /// # Errors
    /// When the text has neither form, or is a sealed record.
    ///
    /// # Examples
    /// ```
    /// use ggp_arena::Record;
    /// let record = Record::read("((mark 1 1) noop)\n(noop (mark 2 2)) ; the reply").unwrap();
    /// assert_eq!(record.joint_moves().unwrap()[1], ["noop", "(mark 2 2)"]);
    /// assert_eq!(Record::read(&record.to_json()).unwrap(), record);
    /// ```
    pub fn read(text: &str) -> Result<Record, RecordError> {
        if is_sealed(text) {
            return Err(RecordError::Sealed);
        }
        let text = text.trim_start_matches('\u{feff}');
        if text.trim_start().starts_with('{') {
            RECORD.check(text.as_bytes())?;
            let mut record: Record = serde_json::from_str(text)?;
            if record.other.get("format").is_some_and(|name| name == RECORD.name) {
                record.other.retain(|name, _| name != "format" && name != "version");
            }
            return Ok(record);
        }
        let moves = text_steps(text)?.into_iter().map(|step| step.moves).collect();
        Ok(Record { moves, ..Record::default() })
    }

    /// The record as JSON, in one line.
    pub fn to_json(&self) -> String {
        serde_json::to_string(&RECORD.headed(self)).unwrap_or_default()
    }

    /// The joint moves as text, with one joint move in each line. Every line ends with a newline.
    pub fn to_lines(&self) -> String {
        let mut out = String::new();
        for joint in &self.moves {
            let _ = writeln!(out, "({})", joint.join(" "));
        }
        out
    }

    /// The joint moves, with each move in canonical form.
    ///
    /// # Errors
    /// When the text of a move is not one term.
    pub fn joint_moves(&self) -> Result<Vec<Vec<String>>, RecordError> {
        let canonical = |(step, joint): (usize, &Vec<String>)| {
            let one = |(role, text): (usize, &String)| match read_terms(&format!("({text}\n)")) {
                Ok(mut terms) if terms.len() == 1 => Ok(terms.remove(0)),
                _ => Err(RecordError::Move { step, role, text: text.clone() }),
            };
            joint.iter().enumerate().map(one).collect()
        };
        self.moves.iter().enumerate().map(canonical).collect()
    }

    /// The facts of the state with index `step`, sorted and without duplicates. `(true FACT)` is read as
    /// `FACT`.
    ///
    /// # Errors
    /// When there is no such state, or its text is not a list of facts.
    pub fn state(&self, step: usize) -> Result<Vec<Fact>, RecordError> {
        let text = self.states.get(step).ok_or(RecordError::NoStates)?;
        let terms = read_terms(text).map_err(|error| RecordError::State { step, why: error.to_string() })?;
        let bare = |text: String| {
            let inner = text.strip_prefix("(true ").and_then(|rest| rest.strip_suffix(')')).unwrap_or(&text);
            let why = || format!("`{text}` is not one fact: `true` takes one argument");
            Fact::new(inner).ok_or_else(|| RecordError::State { step, why: why() })
        };
        let mut facts: Vec<Fact> = terms.into_iter().map(bare).collect::<Result<_, _>>()?;
        facts.sort_unstable();
        facts.dedup();
        Ok(facts)
    }

    /// The facts of the last state, sorted.
    ///
    /// # Errors
    /// As [`Record::state`].
    pub fn last_state(&self) -> Result<Vec<Fact>, RecordError> {
        self.state(self.states.len().saturating_sub(1))
    }

    /// Sets `goal_values` and `goals_given` from the goals of the terminal state.
    pub fn set_goals(&mut self, goals: &[Goals]) {
        self.goal_values = goals.iter().map(|goals| Some(i64::from(goals.score().value()))).collect();
        self.goals_given = GoalsGiven::of(goals);
    }

    /// Sets `start_clock` and `play_clock`.
    pub fn set_clocks(&mut self, clocks: Clocks) {
        self.start_clock = clocks.start.into();
        self.play_clock = clocks.play.into();
    }
}

/// The text of a state in a record: `( FACT FACT … )`.
pub fn state_text(facts: &[Fact]) -> String {
    let mut out = String::with_capacity(4 + facts.iter().map(|f| f.as_str().len() + 1).sum::<usize>());
    out.push_str("( ");
    for fact in facts {
        out.push_str(fact.as_str());
        out.push(' ');
    }
    out.push(')');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record of the reference server, shortened.
    const FOREIGN: &str = r#"{"matchId":"scr.ttt.1","randomToken":"abc","startTime":1795208841243,
        "gameMetaURL":"http://games.ggp.org/base/games/ticTacToe/v0/","isCompleted":true,"isAborted":false,
        "states":["( ( control xplayer ) ( cell 1 1 b ) )","( ( cell 1 1 x ) ( true ( control oplayer ) ) )"],
        "moves":[["( mark 1 1 )","noop"]],"stateTimes":[1,2],"errors":[["","TO"]],"goalValues":[100,0],
        "previewClock":-1,"startClock":30,"playClock":15,"playerNamesFromHost":["A","B"],
        "isPlayerHuman":[false,false],"tournamentNameFromHost":"t","scrambled":false,
        "matchHostPK":"0PK","matchHostSignature":"0SIG"}"#;

    #[test]
    fn others_records_are_read_and_kept_whole() {
        let record = Record::read(FOREIGN).unwrap();
        assert_eq!(record.joint_moves().unwrap(), [["(mark 1 1)", "noop"]]);
        let last: Vec<String> = record.last_state().unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(last, ["(cell 1 1 x)", "(control oplayer)"]);
        assert_eq!(record.other["matchHostSignature"], "0SIG");
        let mut again: serde_json::Value = serde_json::from_str(&record.to_json()).unwrap();
        for (member, value) in [("format", "ggp record".into()), ("version", 1.into())] {
            assert_eq!(again.as_object_mut().unwrap().remove(member), Some(value));
        }
        let mut before: serde_json::Value = serde_json::from_str(FOREIGN).unwrap();
        assert_eq!(again, before);
        // Members may be missing.
        before.as_object_mut().unwrap().retain(|key, _| key == "moves");
        assert_eq!(Record::read(&before.to_string()).unwrap().moves.len(), 1);
    }

    #[test]
    fn lines_are_read_and_written() {
        let text = "; a match\n((move 1 2 1 3) noop)\r\n\n  ( noop ( move 1 7 1 6 ) ) ; black\n";
        let record = Record::read(text).unwrap();
        assert_eq!(record.to_lines(), "((move 1 2 1 3) noop)\n(noop (move 1 7 1 6))\n");
        assert_eq!(Record::read(&record.to_lines()).unwrap(), record);
        let error = Record::read("(a b)\n(a\n").unwrap_err().to_string();
        assert!(error.starts_with("line 2: not valid KIF"), "{error}");
    }

    #[test]
    fn a_record_survives_json() {
        let facts = [Fact::from_canonical("(cell 1 1 b)"), Fact::from_canonical("x")];
        let mut record = Record {
            match_id: "m".to_owned(),
            states: vec![state_text(&facts), state_text(&[])],
            goal_values: vec![Some(100), None],
            ..Record::default()
        };
        record.set_clocks(Clocks { start: Duration::from_secs(10), play: Duration::from_millis(250) });
        assert_eq!(record.states[0], "( (cell 1 1 b) x )");
        assert_eq!(record.state(0).unwrap(), facts);
        assert_eq!(record.last_state().unwrap(), []);
        let json = record.to_json();
        assert!(json.contains(r#""previewClock":-1,"startClock":10,"playClock":0.25"#), "{json}");
        assert_eq!(Record::read(&json).unwrap(), record);
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(matches!(Record::read("{}").unwrap().last_state(), Err(RecordError::NoStates)));
        let record = Record::read(r#"{"states":["("],"moves":[["a b"]]}"#).unwrap();
        assert!(record.last_state().unwrap_err().to_string().starts_with("state 0: not valid KIF"));
        assert_eq!(
            record.joint_moves().unwrap_err().to_string(),
            "joint move 0, role 0: `a b` is not a move"
        );
        assert!(matches!(Record::read("{\"moves\":3}"), Err(RecordError::Json(_))));
        let record = Record::read(r#"{"states":["(x)","( y (true (a) (b)) )","( () )"]}"#).unwrap();
        let wrong = |step| record.state(step).unwrap_err().to_string();
        assert_eq!(record.state(0).unwrap().len(), 1);
        assert_eq!(wrong(1), "state 1: `(true (a) (b))` is not one fact: `true` takes one argument");
        assert_eq!(wrong(2), "state 2: not valid KIF: `()` is not a term");
    }

    #[test]
    fn a_text_has_a_joint_move_a_line() {
        let steps = read_steps("; opening\n((move 1 2) noop)\r\n\n (noop (f (g)) ) ; b\n").unwrap();
        let moves: Vec<_> = steps.iter().map(|s| (s.place.as_str(), s.moves.join("|"))).collect();
        assert_eq!(moves, [("line 2", "(move 1 2)|noop".to_owned()), ("line 4", "noop|(f (g))".to_owned())]);
        for bad in ["noop", "(a) (b)", "(a"] {
            let error = read_steps(bad).unwrap_err().to_string();
            assert!(error.starts_with("line 1"), "{error}");
        }
        assert!(matches!(read_steps("; nothing"), Err(RecordError::Empty)));
    }

    #[test]
    fn a_match_record_has_moves() {
        let steps = read_steps(r#"{"matchId": "x", "moves": [["up"], ["(move 1)"]]}"#).unwrap();
        assert_eq!(steps[1].place, "moves[1]");
        assert_eq!(steps[1].moves, ["(move 1)"]);
        assert!(read_steps(r#"{"matchId": "x"}"#).is_err());
        assert!(read_steps(r#"{"moves": [[1]]}"#).is_err());
    }
}
