//! The result of one match as one line of JSON, and files of such lines.
//!
//! Invariants: a line is written whole and flushed before the next match counts; a last line that
//! a crash has torn is taken off when the file is opened again, any other broken line is an error.

use crate::account::TimeAccount;
use crate::fault::Fault;
use crate::outcome::{Ending, Outcome};
use crate::record::{GoalsGiven, Record};
use crate::transcript::forfeit_goals;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long to wait for another's lock. Whoever starts programs may seem to hold it for a moment
/// longer: between being forked off and being started they have their parent's open files.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often to look meanwhile.
const RETRY: Duration = Duration::from_millis(10);

/// One match: who played, how it ended.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchResult {
    /// The match.
    pub id: String,
    /// The tournament's fingerprint.
    pub tournament: String,
    /// The matches that share an opening and players, in other seats.
    pub encounter: String,
    /// The game's name.
    pub game: String,
    /// The roles, in order.
    pub roles: Vec<String>,
    /// Who played them; `None` for the role `random`.
    pub players: Vec<Option<String>>,
    /// Their goals; all `None` for a match that was not played to an end.
    pub goals: Vec<Option<u8>>,
    /// How many goals the rules give each role, unless all have one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals_given: Vec<GoalsGiven>,
    /// `terminal`, `forfeit`, `unplayed`, `no_legal_move`, `step_limit` or `rules_failed`.
    pub ending: String,
    /// Which role, or why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// Joint moves made.
    pub steps: u32,
    /// Of these, how many were given as the opening.
    #[serde(default)]
    pub opening: u32,
    /// A hash of the joint moves, in hexadecimal.
    #[serde(default)]
    pub moves_digest: String,
    /// When it ended, in milliseconds since 1970.
    #[serde(default)]
    pub ended: u64,
    /// Each role's time.
    #[serde(default)]
    pub time: Vec<TimeAccount>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
}

/// Why results cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The file system.
    #[error("{path}: {error}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// What it says.
        error: io::Error,
    },
    /// A line that is no result.
    #[error("{path}:{line}: not a result: {error}")]
    Line {
        /// Which file.
        path: PathBuf,
        /// Which line, from 1.
        line: u64,
        /// What is wrong.
        error: serde_json::Error,
    },
    /// Results where a new file was wanted.
    #[error("{0} holds results already: resume it, or name another file")]
    Exists(PathBuf),
    /// Another program writes it.
    #[error("{0} is being written by another run")]
    Locked(PathBuf),
    /// Results of something else.
    #[error(
        "{path}:{line}: this result belongs to tournament {found}, not {wanted}: resume with the arguments of the first run"
    )]
    Foreign {
        /// Which file.
        path: PathBuf,
        /// Which line, from 1.
        line: u64,
        /// The fingerprint that stands there.
        found: String,
        /// The fingerprint that these arguments make.
        wanted: String,
    },
}

impl MatchResult {
    /// Puts `outcome` into words; names are for the caller to fill in.
    pub(crate) fn set_outcome(&mut self, outcome: &Outcome) {
        let role = |role: usize| self.roles.get(role).cloned().unwrap_or_default();
        let (ending, why) = match &outcome.ending {
            Ending::Terminal => ("terminal", String::new()),
            Ending::Forfeit { role: loser } => ("forfeit", role(*loser)),
            Ending::Unplayed(why) => ("unplayed", why.clone()),
            Ending::NoLegalMove { role: stuck } => ("no_legal_move", role(*stuck)),
            Ending::StepLimit => ("step_limit", String::new()),
            Ending::RulesFailed(why) => ("rules_failed", why.clone()),
            Ending::Interrupted => ("interrupted", String::new()),
        };
        (self.ending, self.why) = (ending.to_owned(), why);
        self.goals.clone_from(&outcome.goals);
        self.goals_given = GoalsGiven::of(&outcome.given);
        self.steps = outcome.steps;
        self.moves_digest = format!("{:016x}", outcome.digest);
        self.time = outcome.accounts.iter().map(TimeAccount::rounded).collect();
        self.faults.clone_from(&outcome.faults);
        self.ended = crate::transcript::now();
    }

    /// Whether it counts: it was played to an end, and everyone who played has one goal.
    pub fn is_scored(&self) -> bool {
        let played = self.ending == "terminal" || self.ending == "forfeit";
        let seats = self.players.iter().zip(&self.goals);
        let goals = seats.clone().all(|(player, goal)| player.is_none() || goal.is_some());
        played && goals && self.players.len() == self.goals.len()
    }

    /// The result that a match record tells of; roles are numbers, since records do not name them.
    pub fn of_record(record: &Record) -> MatchResult {
        let roles = record.player_names_from_host.len();
        let goals = record.goal_values.iter().map(|goal| goal.and_then(|g| u8::try_from(g).ok())).collect();
        let (ending, why, goals) = match record.forfeited_by {
            Some(role) => ("forfeit", role.to_string(), forfeit_goals(role, roles)),
            None if record.is_completed && !record.is_aborted => ("terminal", String::new(), goals),
            None => ("unplayed", String::new(), goals),
        };
        MatchResult {
            id: record.match_id.clone(),
            tournament: record.tournament_name_from_host.clone().unwrap_or_default(),
            encounter: record.match_id.clone(),
            game: record.game_meta_url.clone(),
            roles: (0..roles).map(|role| role.to_string()).collect(),
            players: record.player_names_from_host.iter().cloned().map(Some).collect(),
            goals,
            goals_given: record.goals_given.clone(),
            ending: ending.to_owned(),
            why,
            steps: record.moves.len() as u32,
            opening: 0,
            moves_digest: String::new(),
            ended: record.state_times.last().copied().unwrap_or(record.start_time),
            time: Vec::new(),
            faults: Vec::new(),
        }
    }
}

/// A file of results that is being written.
#[derive(Debug)]
pub struct ResultFile {
    path: PathBuf,
    file: File,
}

impl ResultFile {
    /// A new file; one that is there may be empty, but hold nothing.
    ///
    /// # Errors
    /// When it holds results, or cannot be written.
    pub fn create(path: &Path) -> Result<ResultFile, ResultsError> {
        let file = ResultFile::open(path)?;
        let length = file.file.metadata().map_err(|error| io_error(path, error))?.len();
        if length == 0 { Ok(file) } else { Err(ResultsError::Exists(path.to_owned())) }
    }

    /// A file that goes on (or begins, if there is none): each result in it is given to `each`. A
    /// torn last line is cut off.
    ///
    /// # Errors
    /// When it cannot be read and written, or holds something else, or results of a tournament
    /// with another fingerprint.
    pub fn resume(
        path: &Path,
        fingerprint: &str,
        mut each: impl FnMut(MatchResult),
    ) -> Result<ResultFile, ResultsError> {
        let mut open = ResultFile::open(path)?;
        let mut foreign = None;
        let whole = read_lines(path, &mut open.file, &mut |line, result| {
            if result.tournament == fingerprint {
                each(result);
            } else if foreign.is_none() {
                foreign = Some((line, result.tournament));
            }
        })?;
        if let Some((line, found)) = foreign {
            let wanted = fingerprint.to_owned();
            return Err(ResultsError::Foreign { path: path.to_owned(), line, found, wanted });
        }
        let fail = |error| io_error(path, error);
        open.file.set_len(whole.bytes).map_err(fail)?;
        open.file.seek(SeekFrom::End(0)).map_err(fail)?;
        if whole.unended {
            open.file.write_all(b"\n").map_err(fail)?;
        }
        Ok(open)
    }

    fn open(path: &Path) -> Result<ResultFile, ResultsError> {
        let file = OpenOptions::new().read(true).append(true).create(true).open(path);
        let file = file.map_err(|error| io_error(path, error))?;
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Err(TryLockError::WouldBlock) if began.elapsed() < PATIENCE => std::thread::sleep(RETRY),
                Err(TryLockError::WouldBlock) => return Err(ResultsError::Locked(path.to_owned())),
                // Some file systems have no locks; that is no reason not to play.
                Ok(()) | Err(TryLockError::Error(_)) => {
                    return Ok(ResultFile { path: path.to_owned(), file });
                }
            }
        }
    }

    /// Appends one result and flushes it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn append(&mut self, result: &MatchResult) -> Result<(), ResultsError> {
        let mut line = serde_json::to_vec(result).map_err(|error| io_error(&self.path, error.into()))?;
        line.push(b'\n');
        let written = self.file.write_all(&line).and_then(|()| self.file.flush());
        written.map_err(|error| io_error(&self.path, error))
    }
}

fn io_error(path: &Path, error: io::Error) -> ResultsError {
    ResultsError::Io { path: path.to_owned(), error }
}

/// How much of a file was read.
struct Whole {
    /// Up to the end of the last good line.
    bytes: u64,
    /// Whether that line has no line end.
    unended: bool,
}

/// The longest line that is read, in bytes.
const MAX_LINE: u64 = 1 << 24;

fn read_lines(
    path: &Path,
    file: &mut File,
    each: &mut dyn FnMut(u64, MatchResult),
) -> Result<Whole, ResultsError> {
    let mut reader = BufReader::new(file);
    let mut whole = Whole { bytes: 0, unended: false };
    let (mut text, mut line) = (Vec::new(), 0);
    loop {
        text.clear();
        let read = reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut text);
        if read.map_err(|error| io_error(path, error))? == 0 {
            return Ok(whole);
        }
        line += 1;
        let ended = text.ends_with(b"\n");
        if !text.trim_ascii().is_empty() {
            match serde_json::from_slice(&text) {
                Ok(result) => each(line, result),
                Err(_) if !ended => return Ok(whole),
                Err(error) => return Err(ResultsError::Line { path: path.to_owned(), line, error }),
            }
        }
        whole.bytes += text.len() as u64;
        whole.unended = !ended;
    }
}

/// Gives each result of the file at `path` to `each`: lines of results, or one match record. A
/// torn last line is passed over.
///
/// # Errors
/// When it cannot be read, or holds something else.
pub fn read_results(path: &Path, mut each: impl FnMut(MatchResult)) -> Result<(), ResultsError> {
    let mut file = File::open(path).map_err(|error| io_error(path, error))?;
    let lines = read_lines(path, &mut file, &mut |_, result| each(result));
    let Err(ResultsError::Line { line: 1, error, .. }) = lines else { return lines.map(drop) };
    // A record, perhaps over several lines.
    let text = std::fs::read_to_string(path).map_err(|error| io_error(path, error))?;
    match serde_json::from_str::<Record>(&text) {
        Ok(record) if !record.match_id.is_empty() => {
            each(MatchResult::of_record(&record));
            Ok(())
        }
        _ => Err(ResultsError::Line { path: path.to_owned(), line: 1, error }),
    }
}

/// What a merge met with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Merge {
    /// Results read.
    pub read: u64,
    /// Results written: each id once, as it was met first.
    pub written: u64,
    /// Results left out that say the same as one before.
    pub duplicates: u64,
    /// Results left out that tell of other moves or goals than one of the same id before.
    pub conflicts: u64,
}

/// Joins files of results by match id.
///
/// # Errors
/// When one cannot be read, or `out` not written.
pub fn merge(files: &[PathBuf], out: &mut dyn Write) -> Result<Merge, ResultsError> {
    let mut merge = Merge::default();
    let mut seen: HashMap<String, u64> = HashMap::new();
    let mut failed = None;
    for path in files {
        read_results(path, |result| {
            merge.read += 1;
            let mut digest = crate::digest::Digest::default();
            digest.add(format!("{:?} {} {}", result.goals, result.ending, result.moves_digest).as_bytes());
            match seen.get(&result.id) {
                Some(&before) if before == digest.value() => merge.duplicates += 1,
                Some(_) => merge.conflicts += 1,
                None => {
                    seen.insert(result.id.clone(), digest.value());
                    merge.written += 1;
                    let line = serde_json::to_string(&result).map_err(io::Error::from);
                    if let Err(error) = line.and_then(|line| writeln!(out, "{line}")) {
                        failed.get_or_insert(error);
                    }
                }
            }
        })?;
        if let Some(error) = failed {
            return Err(ResultsError::Io { path: PathBuf::from("(output)"), error });
        }
    }
    let flushed = out.flush();
    flushed.map_err(|error| ResultsError::Io { path: PathBuf::from("(output)"), error })?;
    Ok(merge)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::tests::result;

    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let name = format!("ggp-arena-result-{name}-{}.jsonl", std::process::id());
            let path = std::env::temp_dir().join(name);
            let _ = std::fs::remove_file(&path);
            Scratch(path)
        }

        fn ids(&self) -> Result<Vec<String>, ResultsError> {
            let mut ids = Vec::new();
            read_results(&self.0, |result| ids.push(result.id)).map(|()| ids)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    #[test]
    fn results_are_appended_whole_and_by_one_writer() {
        let scratch = Scratch::new("append");
        let mut file = ResultFile::create(&scratch.0).unwrap();
        file.append(&result("e", 0, &[("a", 100), ("b", 0)])).unwrap();
        // It is there at once.
        assert_eq!(scratch.ids().unwrap(), ["e.s0"]);
        let second = ResultFile::resume(&scratch.0, "t", |_| {});
        assert!(matches!(second, Err(ResultsError::Locked(_))), "{second:?}");
        drop(file);
        let mut met = Vec::new();
        let mut file = ResultFile::resume(&scratch.0, "t", |result| met.push(result)).unwrap();
        assert_eq!(met, [result("e", 0, &[("a", 100), ("b", 0)])]);
        file.append(&result("e", 1, &[("b", 50), ("a", 50)])).unwrap();
        assert_eq!(scratch.ids().unwrap(), ["e.s0", "e.s1"]);
    }

    #[test]
    fn a_lock_that_is_held_for_a_moment_is_waited_for() {
        let scratch = Scratch::new("moment");
        let first = ResultFile::create(&scratch.0).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                std::thread::sleep(Duration::from_millis(100));
                drop(first);
            });
            ResultFile::resume(&scratch.0, "t", |_| {}).unwrap();
        });
    }

    #[test]
    fn a_torn_line_is_forgiven_only_at_the_end() {
        let scratch = Scratch::new("torn");
        let line = |seating| serde_json::to_string(&result("e", seating, &[("a", 1)])).unwrap();
        std::fs::write(&scratch.0, format!("{}\n{}", line(0), &line(1)[..40])).unwrap();
        assert_eq!(scratch.ids().unwrap(), ["e.s0"]);
        drop(ResultFile::resume(&scratch.0, "t", |_| {}).unwrap());
        assert_eq!(std::fs::read_to_string(&scratch.0).unwrap(), line(0) + "\n");
        // A whole line that only lacks its end is kept.
        std::fs::write(&scratch.0, line(0)).unwrap();
        let mut file = ResultFile::resume(&scratch.0, "t", |_| {}).unwrap();
        file.append(&result("e", 1, &[("a", 1)])).unwrap();
        drop(file);
        assert_eq!(scratch.ids().unwrap(), ["e.s0", "e.s1"]);
        std::fs::write(&scratch.0, format!("{}\n{{\n{}\n", line(0), line(1))).unwrap();
        let error = ResultFile::resume(&scratch.0, "t", |_| {}).unwrap_err().to_string();
        assert!(error.contains(":2: not a result"), "{error}");
    }

    #[test]
    fn a_match_record_is_a_result_too() {
        let scratch = Scratch::new("record");
        let mut record = Record {
            match_id: "m".to_owned(),
            player_names_from_host: vec!["a".to_owned(), "b".to_owned()],
            goal_values: vec![Some(100), Some(0)],
            is_completed: true,
            ..Record::default()
        };
        let read = |record: &Record| {
            std::fs::write(&scratch.0, serde_json::to_string_pretty(record).unwrap()).unwrap();
            let mut all = Vec::new();
            read_results(&scratch.0, |result| all.push(result)).map(|()| all.remove(0))
        };
        let result = read(&record).unwrap();
        assert!(result.is_scored());
        assert_eq!((result.players[0].as_deref(), &result.goals[..]), (Some("a"), &[Some(100), Some(0)][..]));
        record.is_aborted = true;
        assert!(!read(&record).unwrap().is_scored());
        record.forfeited_by = Some(0);
        assert_eq!(read(&record).unwrap().goals, [Some(0), Some(100)]);
        record.match_id.clear();
        assert!(read(&record).is_err());
    }

    #[test]
    fn only_played_matches_are_scored() {
        let mut match_result = result("e", 0, &[("a", 100), ("b", 0)]);
        assert!(match_result.is_scored());
        match_result.goals[1] = None;
        assert!(!match_result.is_scored());
        match_result.players[1] = None;
        assert!(match_result.is_scored(), "the role random needs no goal");
        match_result.ending = "step_limit".to_owned();
        assert!(!match_result.is_scored());
    }
}
