//! Saved matches of hidden information that are not over. Such a file shows what its person knows, and holds the
//! rest encrypted with a key of the user who runs the server.

use crate::known::Known;
use crate::seat_player::SeatPlayer;
use crate::session::{Refusal, Session, wrong};
use ggp_arena::{Record, SealError, SealedContents, SealedRecord, UserKey};
use ggp_game::{OwnTurn, Role};
use std::hash::{BuildHasher, RandomState};

/// The text of the sealed record of the running match of `truth`. `people` holds the roles that people play, each
/// with its moves and percepts. Only the steps that all of them know are saved.
pub(super) fn seal(truth: &Session, people: &[(Role, Vec<OwnTurn>)]) -> Result<String, Refusal> {
    let steps = people.iter().map(|(_, turns)| turns.len()).min().unwrap_or_default();
    let Some(record) = truth.record_of(steps) else { return wrong("there is no such state") };
    let people: Vec<(Role, &[OwnTurn])> =
        people.iter().map(|(role, turns)| (*role, &turns[..steps])).collect();
    // The moves of chance that follow are drawn anew.
    let contents = SealedContents { seed: RandomState::new().hash_one(steps), record };
    let sealed = UserKey::of_user()
        .map_err(SealError::from)
        .and_then(|key| SealedRecord::seal(&truth.known.game, &people, &contents, &key));
    sealed.map(|sealed| sealed.to_json()).or_else(|error| wrong(error.to_string()))
}

/// The record in the sealed record `text`, for a match of `known` between `seats`.
pub(crate) fn unseal(text: &str, known: &Known, seats: &[Option<SeatPlayer>]) -> Result<Record, Refusal> {
    let sealed = SealedRecord::read(text).or_else(|error| wrong(error.to_string()))?;
    let people: Vec<&str> = known
        .game
        .roles()
        .filter(|role| seats[role.index()] == Some(SeatPlayer::Person))
        .map(|role| known.game.role_name(role))
        .collect();
    if sealed.roles() != people {
        let roles = sealed.roles().join(" and ");
        return wrong(format!(
            "the match is not over, so people play on in the same roles as before: {roles}, and no other"
        ));
    }
    let key = UserKey::of_user().or_else(|error| wrong(error.to_string()))?;
    let contents = sealed.open(&known.game, &key).or_else(|error| wrong(error.to_string()))?;
    Ok(contents.record)
}
