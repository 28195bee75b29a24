//! The transcript of a match in progress.

use crate::account::TimeAccount;
use crate::digest::Digest;
use crate::fault::Fault;
use crate::outcome::{Ending, Outcome};
use crate::record::Record;
use crate::setup::MatchSetup;
use ggp_game::Goals;
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The transcript of a match: moves, times and faults, and the match record if one is wanted.
pub(crate) struct Transcript {
    record: Option<Record>,
    digest: Digest,
    steps: u32,
    accounts: Vec<TimeAccount>,
    /// The time that the player in each seat took in the current step. Zero for a player that was not asked.
    pub(crate) thinking: Vec<Duration>,
    pub(crate) faults: Vec<Fault>,
    /// The goals that the rules give in the terminal state. Empty until the match has reached it.
    pub(crate) given: Vec<Goals>,
    /// For each seat, the name of the reasoner that the player reported when it was last asked.
    reasoners: Vec<Option<&'static str>>,
    /// The number of `faults` that are already in the record.
    written: usize,
}

impl Transcript {
    pub(crate) fn new(mut record: Option<Record>, setup: &MatchSetup, roles: usize) -> Transcript {
        if let Some(record) = &mut record {
            record.match_id.clone_from(&setup.id);
            record.start_time = now();
            record.random_token = random_token();
            record.set_clocks(setup.clocks);
        }
        Transcript {
            record,
            digest: Digest::default(),
            steps: 0,
            accounts: vec![TimeAccount::default(); roles],
            thinking: vec![Duration::ZERO; roles],
            faults: Vec::new(),
            given: Vec::new(),
            reasoners: vec![None; roles],
            written: 0,
        }
    }

    /// The record up to the current state. `None` if no record is kept.
    pub(crate) fn record(&self) -> Option<&Record> {
        self.record.as_ref()
    }

    pub(crate) fn wants_states(&self) -> bool {
        self.record.is_some()
    }

    /// Adds a state to the record, and the faults of the step before it. Faults at the start of the match are
    /// added with the initial state.
    pub(crate) fn add_state(&mut self, text: String) {
        self.write_faults();
        if let Some(record) = &mut self.record {
            record.states.push(text);
            record.state_times.push(now());
        }
    }

    pub(crate) fn begin_step(&mut self) {
        self.thinking.fill(Duration::ZERO);
    }

    pub(crate) fn add_thinking(&mut self, role: usize, elapsed: Duration, clock: Duration) {
        self.thinking[role] = elapsed;
        self.accounts[role].add(elapsed, clock);
    }

    /// Notes in the record the reasoner (the machine that evaluates the rules) of each player in the current
    /// step. `names` holds the names of the reasoners, in role order.
    pub(crate) fn add_reasoners(&mut self, names: impl Iterator<Item = Option<&'static str>>) {
        let Some(record) = &mut self.record else { return };
        let names: Vec<Option<&'static str>> = names.collect();
        if record.reasoners.is_empty() && names.iter().any(Option::is_some) {
            record.reasoners = vec![None; names.len()];
        }
        for ((name, last), text) in names.into_iter().zip(&mut self.reasoners).zip(&mut record.reasoners) {
            if name == *last {
                continue;
            }
            *text = match (&text, name) {
                (Some(before), Some(name)) => Some(format!("{before}, {name} from step {}", self.steps + 1)),
                (None, name) => name.map(str::to_owned),
                (Some(before), None) => Some(before.clone()),
            };
            *last = name;
        }
    }

    pub(crate) fn add_joint(&mut self, joint: &[String]) {
        self.steps += 1;
        for text in joint {
            self.digest.add(text.as_bytes());
        }
        self.digest.add(b"\n");
        if let Some(record) = &mut self.record {
            record.moves.push(joint.to_vec());
        }
    }

    /// Writes the faults since the last state into the record.
    fn write_faults(&mut self) {
        let Some(record) = &mut self.record else { return };
        let mut errors = vec![String::new(); self.accounts.len()];
        for fault in &self.faults[self.written..] {
            errors[fault.role] = fault.code();
        }
        self.written = self.faults.len();
        record.errors.push(errors);
    }

    pub(crate) fn close(mut self, ending: Ending) -> Outcome {
        let roles = self.accounts.len();
        let goals = match ending {
            Ending::Terminal => self.given.iter().map(|goals| Some(goals.score().value())).collect(),
            Ending::Forfeit { role } => forfeit_goals(role, roles),
            _ => vec![None; roles],
        };
        if self.written < self.faults.len() {
            self.write_faults();
        }
        if let Some(record) = &mut self.record {
            record.is_completed = ending == Ending::Terminal;
            record.is_aborted = !record.is_completed;
            if record.is_completed {
                record.set_goals(&self.given);
            }
            if let Ending::Forfeit { role } = ending {
                record.forfeited_by = Some(role);
            }
        }
        Outcome {
            ending,
            goals,
            given: self.given,
            steps: self.steps,
            digest: self.digest.value(),
            accounts: self.accounts,
            faults: self.faults,
            record: self.record,
        }
    }
}

/// The goals, in role order, if the player of the role with index `role` forfeits: 0 for that role, 100 for
/// every other role. `roles` is the number of roles.
pub(crate) fn forfeit_goals(role: usize, roles: usize) -> Vec<Option<u8>> {
    (0..roles).map(|other| Some(if other == role { 0 } else { 100 })).collect()
}

/// The current time, in milliseconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64)
}

/// A random token of 32 hexadecimal digits. The token consists of hashes whose keys come from the operating
/// system's random numbers.
fn random_token() -> String {
    let half = || format!("{:016x}", RandomState::new().hash_one(now()));
    half() + &half()
}
