//! The sealed record of a running match of hidden information: encrypted, so that the people who play cannot
//! read in the file what is hidden from them, and authenticated, so that they cannot change it.
//!
//! The file is one JSON object: `format` and `version`; `known`, in clear, with the game, the persons' roles
//! and what the only person has done and seen; `nonce` and `sealed`, in base64. `sealed` is the match record
//! and the seed of chance, encrypted by XChaCha20-Poly1305 (RFC 8439, with nonces of 24 bytes) with the
//! user's key. `known` is its associated data.
//!
//! Invariant: two records with equal `known` and the same number of joint moves have the same length, unless
//! their moves take more than [`ROOM`] bytes each on average.

use crate::record::{Record, SEALED, is_sealed};
use crate::user_key::{UserKey, UserKeyError};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use chacha20poly1305::XNonce;
use chacha20poly1305::aead::{Aead, Generate, Payload};
use ggp_game::{Fact, FormatError, Game, OwnTurn, Role};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The room for each joint move in the encrypted text, in bytes.
const ROOM: usize = 1024;

/// The number of joint moves for which there is room in the smallest encrypted text.
const SHORTEST: usize = 16;

/// The record of a running match, sealed against the people who play in it.
///
/// # Examples
/// ```
/// use ggp_arena::{Record, SealedContents, SealedRecord, UserKey};
/// use ggp_game::{Game, Role};
/// let rules = b"(role you) (legal you go) (sees you bang) (terminal) (goal you 100)";
/// let game = Game::new(ggp_gdl::parse(rules).unwrap()).unwrap();
/// # let folder = tempfile::tempdir().unwrap();
/// # let folder = folder.path();
/// let key = UserKey::in_folder(folder).unwrap();
/// let contents = SealedContents { seed: 7, record: Record::default() };
/// let sealed = SealedRecord::seal(&game, &[(Role(0), &[])], &contents, &key).unwrap();
/// let read = SealedRecord::read(&sealed.to_json()).unwrap();
/// assert_eq!(read.roles(), ["you"]);
/// assert_eq!(read.open(&game, &key).unwrap(), contents);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SealedRecord {
    format: String,
    version: u32,
    known: Known,
    nonce: String,
    sealed: String,
}

/// The part of a sealed record that is not hidden from the people who play.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    /// The file name or the URL of the rules.
    game: String,
    /// The SHA-256 hash of the rules, in hexadecimal digits. With other rules, the moves could reveal what these
    /// rules hide.
    rules: String,
    /// The names of the roles that people play, in role order.
    roles: Vec<String>,
    /// The moves and the percepts of the only role that a person plays. Empty if several people play, because
    /// the percepts of one are hidden from the others.
    turns: Vec<KnownTurn>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownTurn {
    own: String,
    seen: Vec<String>,
}

/// The encrypted part of a sealed record.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SealedContents {
    /// The seed of the moves of chance and of the players.
    pub seed: u64,
    /// The match record. Sealing drops its `states`, which follow from its moves.
    pub record: Record,
}

/// The reason why a match cannot be sealed, or a sealed record not opened.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// The text is not a sealed record.
    #[error("not a sealed record: {0}")]
    Json(serde_json::Error),
    /// The text ends in the middle.
    #[error(
        "the sealed record is not complete: the file ends too early, so the match cannot be continued from it"
    )]
    Truncated,
    /// The file has a version that this program does not know, or is something else.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The record belongs to a game with other rules.
    #[error(
        "the match was sealed with other rules, those of {0}: it can be continued only with exactly the same rules"
    )]
    OtherRules(String),
    /// The key does not open the record.
    #[error(
        "the sealed record was changed, or was sealed by another user: only the user who saved the match can \
         continue it, from the unchanged file"
    )]
    Changed,
    /// The user's key is not available.
    #[error(transparent)]
    Key(#[from] UserKeyError),
    /// The match cannot be encrypted: the system supplies no random numbers, or the match is too long.
    #[error("the match cannot be sealed: the system supplies no random numbers, or the record is too long")]
    Encryption,
}

impl SealedRecord {
    /// Seals the match of `contents`. `people` holds the roles that people play, each with its moves and
    /// percepts since the start of the match.
    ///
    /// # Errors
    /// When the system supplies no random numbers.
    pub fn seal(
        game: &Game,
        people: &[(Role, &[OwnTurn])],
        contents: &SealedContents,
        key: &UserKey,
    ) -> Result<SealedRecord, SealError> {
        let turns = match people {
            [(_, history)] => history.iter().map(KnownTurn::of).collect(),
            _ => Vec::new(),
        };
        let known = Known {
            game: contents.record.game_meta_url.clone(),
            rules: rules_digest(game),
            roles: people.iter().map(|&(role, _)| game.role_name(role).to_owned()).collect(),
            turns,
        };
        let nonce = XNonce::try_generate().map_err(|_| SealError::Encryption)?;
        let plain = padded(contents)?;
        let payload = Payload { msg: &plain, aad: &known.to_bytes()? };
        let sealed = key.cipher().encrypt(&nonce, payload).map_err(|_| SealError::Encryption)?;
        Ok(SealedRecord {
            format: SEALED.name.to_owned(),
            version: SEALED.version,
            known,
            nonce: BASE64_STANDARD.encode(nonce),
            sealed: BASE64_STANDARD.encode(sealed),
        })
    }

    /// Reads a sealed record without opening it.
    ///
    /// # Errors
    /// When the text is not a sealed record, is cut off, or has a version that this program does not know.
    pub fn read(text: &str) -> Result<SealedRecord, SealError> {
        let text = text.trim_start_matches('\u{feff}');
        let failed = |error: serde_json::Error| {
            if error.is_eof() && is_sealed(text) { SealError::Truncated } else { SealError::Json(error) }
        };
        SEALED.check(text.as_bytes())?;
        let record: SealedRecord = serde_json::from_str(text).map_err(failed)?;
        if record.format == SEALED.name {
            Ok(record)
        } else {
            Err(SealError::Json(serde::de::Error::custom("`format` is another one")))
        }
    }

    /// The record as JSON, in one line.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The file name or the URL of the rules.
    pub fn game(&self) -> &str {
        &self.known.game
    }

    /// The names of the roles that people play, in role order.
    pub fn roles(&self) -> &[String] {
        &self.known.roles
    }

    /// The moves and the percepts of the only person in the match. Empty if several people play.
    pub fn history(&self) -> Vec<OwnTurn> {
        let fact = |text: &String| Fact::from_canonical(text.as_str());
        let turn =
            |turn: &KnownTurn| OwnTurn { own: turn.own.clone(), seen: turn.seen.iter().map(fact).collect() };
        self.known.turns.iter().map(turn).collect()
    }

    /// Opens the record. The caller must not show the contents to the people who play until the match is
    /// over.
    ///
    /// # Errors
    /// When the rules of `game` are not those of the match, or when the record was changed or was sealed with
    /// another key.
    pub fn open(&self, game: &Game, key: &UserKey) -> Result<SealedContents, SealError> {
        if self.known.rules != rules_digest(game) {
            return Err(SealError::OtherRules(self.known.game.clone()));
        }
        let decoded = |text: &String| BASE64_STANDARD.decode(text).map_err(|_| SealError::Changed);
        let (nonce, sealed) = (decoded(&self.nonce)?, decoded(&self.sealed)?);
        let nonce = XNonce::try_from(nonce.as_slice()).map_err(|_| SealError::Changed)?;
        let payload = Payload { msg: &sealed, aad: &self.known.to_bytes()? };
        let plain = key.cipher().decrypt(&nonce, payload).map_err(|_| SealError::Changed)?;
        serde_json::from_slice(&plain).map_err(SealError::Json)
    }
}

impl Known {
    /// The bytes that the encryption authenticates.
    fn to_bytes(&self) -> Result<Vec<u8>, SealError> {
        serde_json::to_vec(&(SEALED.name, SEALED.version, self)).map_err(SealError::Json)
    }
}

impl KnownTurn {
    fn of(turn: &OwnTurn) -> KnownTurn {
        KnownTurn { own: turn.own.clone(), seen: turn.seen.iter().map(ToString::to_string).collect() }
    }
}

/// The text that is encrypted: JSON, filled up with blanks to a length that depends only on the number of
/// joint moves.
fn padded(contents: &SealedContents) -> Result<Vec<u8>, SealError> {
    let record = Record { states: Vec::new(), ..contents.record.clone() };
    let mut text =
        serde_json::to_vec(&SealedContents { seed: contents.seed, record }).map_err(SealError::Json)?;
    let mut length = ((contents.record.moves.len() + SHORTEST) * ROOM).next_power_of_two();
    while length < text.len() {
        length *= 2;
    }
    text.resize(length, b' ');
    Ok(text)
}

fn rules_digest(game: &Game) -> String {
    let digest = Sha256::digest(&game.description().source);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
