//! The content of a file with a network, and the key that tells whose network it is.

use ggp_game::Game;
use ggp_propnet::{GroundLimits, PropNetMachine};
use sha2::{Digest, Sha256};
use std::time::Duration;

/// The start of a file: the bytes that tell its kind, and the version of its form.
pub(super) const MAGIC: [u8; 12] = *b"GGP network\x01";

/// The length of a hash, in bytes.
pub(super) const HASH: usize = 32;

/// The length of everything before the bytes of the network: the magic, the key, the times of grounding and of
/// compiling in nanoseconds, the length of the network in bytes, and the checksum of all of these and of the
/// network.
pub(super) const HEADER: usize = MAGIC.len() + HASH + 3 * size_of::<u64>() + HASH;

/// The extension of the files with networks.
pub(super) const EXTENSION: &str = "network";

/// A hash of everything that determines the network of a game.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Key([u8; HASH]);

impl Key {
    /// The key of the network that this program builds for `game` within `limits`. `None` if the file of this
    /// program is unknown.
    pub(super) fn of(game: &Game, limits: &GroundLimits) -> Option<Key> {
        // The sources are those of the crates in this workspace. The program's file stands for everything
        // else: the other crates, the compiler and its options.
        let program = std::env::current_exe().ok()?;
        let metadata = program.metadata().ok()?;
        let texts = [
            env!("CARGO_PKG_VERSION"),
            PropNetMachine::SOURCES,
            &format!("{} {:?}", metadata.len(), metadata.modified().ok()?),
            &format!("{limits:?}"),
            &format!("{:?}", game.limits()),
            &ggp_gdl::print(game.description()),
        ];
        let mut hash = Sha256::new();
        for part in texts.iter().map(|text| text.as_bytes()).chain([program.as_os_str().as_encoded_bytes()]) {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Some(Key(hash.finalize().into()))
    }

    /// The name of the file with the network.
    pub(super) fn file_name(&self) -> String {
        let digits: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{digits}.{EXTENSION}")
    }
}

/// Whether [`Key::file_name`] can give `name`.
pub(super) fn is_file_name(name: &str) -> bool {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    name.strip_suffix(EXTENSION)
        .and_then(|name| name.strip_suffix('.'))
        .is_some_and(|digits| digits.len() == 2 * HASH && digits.bytes().all(is_digit))
}

/// The bytes before `network` in a file, for the network with the key `key`, whose grounding and compilation
/// took `times`.
pub(super) fn header(key: &Key, times: [Duration; 2], network: &[u8]) -> Vec<u8> {
    let mut header = start(key);
    for time in times {
        header.extend((time.as_nanos() as u64).to_le_bytes());
    }
    header.extend((network.len() as u64).to_le_bytes());
    header.extend(checksum_of(&header, network));
    header
}

/// The bytes of the network in `file`, and the times of its grounding and compilation. `None` if the file is not
/// a whole file of the network with the key `key`.
pub(super) fn parse<'a>(file: &'a [u8], key: &Key) -> Option<(&'a [u8], [Duration; 2])> {
    let (header, network) = file.split_at_checked(HEADER)?;
    let (told, checksum) = header.split_at(HEADER - HASH);
    let (fixed, numbers) = told.split_at(MAGIC.len() + HASH);
    if fixed != start(key) || checksum != checksum_of(told, network) {
        return None;
    }
    let (numbers, _) = numbers.as_chunks();
    let [ground, compile, length] = *numbers else { return None };
    let time = |nanoseconds| Duration::from_nanos(u64::from_le_bytes(nanoseconds));
    let is_whole = u64::from_le_bytes(length) == network.len() as u64;
    is_whole.then_some((network, [time(ground), time(compile)]))
}

/// The part of the header that every file with the key `key` has.
fn start(key: &Key) -> Vec<u8> {
    [&MAGIC[..], &key.0].concat()
}

pub(super) fn checksum_of(header: &[u8], network: &[u8]) -> [u8; HASH] {
    let mut hash = Sha256::new();
    hash.update(header);
    hash.update(network);
    hash.finalize().into()
}
