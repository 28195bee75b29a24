//! The result of one match, as one line of JSON.

use crate::account::TimeAccount;
use crate::fault::{Fault, FaultKind};
use crate::outcome::{Ending, Outcome};
use crate::record::{GoalsGiven, Record};
use crate::settings::Settings;
use crate::setup::NATURE;
use crate::transcript::forfeit_goals;
use ggp_game::Format;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The format of the lines of results files.
pub const RESULT: Format = Format::new("ggp result", 1);

/// The result of one match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchResult {
    /// The match id.
    pub id: String,
    /// The fingerprint of the tournament's plan.
    pub tournament: String,
    /// The id of the encounter. An encounter is the matches of the same players in one game from one opening.
    pub encounter: String,
    /// The game's name.
    pub game: String,
    /// The names of the roles, in role order.
    pub roles: Vec<String>,
    /// The players' names, in role order; `None` for the role `random`.
    pub players: Vec<Option<String>>,
    /// The goals, in role order; all `None` for a match that was not played to an end.
    pub goals: Vec<Option<u8>>,
    /// For each role, in role order, whether the rules give it no goal, one goal or several goals in the
    /// terminal state. Empty if every role has one goal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals_given: Vec<GoalsGiven>,
    /// The way in which the match ended: `terminal`, `forfeit`, `unplayed`, `no_legal_move`, `step_limit` or
    /// `rules_failed`.
    pub ending: String,
    /// The detail of `ending`: the role that forfeited or has no legal move, or the reason why the match was
    /// not played or its rules could not be evaluated. Empty if the ending has no such detail.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The number of joint moves made, including those of the opening.
    pub steps: u32,
    /// The number of joint moves of the opening.
    #[serde(default)]
    pub opening: u32,
    /// The hash of the joint moves, in hexadecimal.
    #[serde(default)]
    pub moves_digest: String,
    /// The time at which the match ended, in milliseconds since 1970.
    #[serde(default)]
    pub ended: u64,
    /// The time account of each role's player, in role order.
    #[serde(default)]
    pub time: Vec<TimeAccount>,
    /// The faults, in the order of their steps. Of each role and kind, only the first [`MatchResult::LISTED_FAULTS`] are
    /// listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
    /// For each role, in role order, the number of faults of each kind that are not listed in `faults`. Empty if all are
    /// listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unlisted_faults: Vec<BTreeMap<FaultKind, u64>>,
    /// The settings of the tournament. `None` in results of ggp 0.1 and in those of match records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<Settings>,
}

impl MatchResult {
    /// The maximum number of faults of one kind in [`MatchResult::faults`] for each role. It bounds the length of a line:
    /// readers refuse long lines, and a player may be at fault in every step of a long match.
    pub const LISTED_FAULTS: u64 = 100;

    /// The result as a line of a results file, without the end of the line.
    pub fn to_line(&self) -> String {
        serde_json::to_string(&RESULT.headed(self)).unwrap_or_default()
    }

    /// Sets every member that `outcome` determines. The caller sets the ids and names.
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
        self.faults.clear();
        self.unlisted_faults.clear();
        let mut counts = BTreeMap::<(usize, FaultKind), u64>::new();
        for fault in &outcome.faults {
            let count = counts.entry((fault.role, fault.kind)).or_default();
            *count += 1;
            if *count <= MatchResult::LISTED_FAULTS {
                self.faults.push(fault.clone());
            } else {
                self.unlisted_faults.resize(outcome.accounts.len(), BTreeMap::new());
                *self.unlisted_faults[fault.role].entry(fault.kind).or_default() += 1;
            }
        }
        self.ended = crate::transcript::now();
    }

    /// Whether the match counts: it was played to an end, and every player has a goal.
    pub fn is_scored(&self) -> bool {
        let played = self.ending == "terminal" || self.ending == "forfeit";
        let seats = self.players.iter().zip(&self.goals);
        let goals = seats.clone().all(|(player, goal)| player.is_none() || goal.is_some());
        played && goals && self.players.len() == self.goals.len()
    }

    /// The result of the match in `record`. Records do not name the roles, so the name of each role is its
    /// index, from 0. The role of a player with the name [`NATURE`] is that of chance.
    pub fn of_record(record: &Record) -> MatchResult {
        let player = |name: &String| (name != NATURE).then(|| name.clone());
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
            players: record.player_names_from_host.iter().map(player).collect(),
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
            unlisted_faults: Vec::new(),
            settings: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::MatchResult;
    use crate::comparison::tests::result;
    use crate::record::Record;
    use crate::setup::NATURE;

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

    #[test]
    fn chance_is_no_player_of_a_record() {
        let record = Record {
            player_names_from_host: vec![NATURE.to_owned(), "random".to_owned()],
            goal_values: vec![None, Some(40)],
            is_completed: true,
            ..Record::default()
        };
        let of_record = MatchResult::of_record(&record);
        assert_eq!(of_record.players, [None, Some("random".to_owned())]);
        assert!(of_record.is_scored());
    }
}
