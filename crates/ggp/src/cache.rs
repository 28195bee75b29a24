//! [`NetworkCache`]: a folder with built networks, so that the next start of a program has them at once.
//!
//! Invariants: a network is read only by the program that wrote it and for the same rules and limits. A file
//! that is torn, damaged or foreign counts as absent. Nothing that happens to the folder is an error of a build.
//! A file is complete as soon as it has its name, so that processes may share the folder.

use ggp_game::{Game, StopToken};
use ggp_propnet::{Cpu, GroundLimits, PropNetMachine};
use sha2::{Digest, Sha256};
use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The environment variable with the folder of the cache, in place of the system's default.
const FOLDER: &str = "GGP_CACHE";

/// The extension of the files with networks.
const EXTENSION: &str = "network";

/// The start of the names of files that are being written.
const UNFINISHED: &str = ".unfinished-";

/// The age from which a file that is being written counts as left behind.
const LEFT_BEHIND: Duration = Duration::from_secs(60 * 60);

/// The start of a file: the bytes that tell its kind, and the version of its form.
const MAGIC: [u8; 12] = *b"GGP network\x01";

/// The length of a hash, in bytes.
const HASH: usize = 32;

/// The length of the version of the package in a file. Shorter versions are filled up with zeros.
const VERSION: usize = 16;

/// The length of everything before the bytes of the network: the magic, the version of the package, the key, the
/// times of grounding and of compiling in nanoseconds, the length of the network in bytes, and the checksum of
/// all of these and of the network.
const HEADER: usize = MAGIC.len() + VERSION + HASH + 3 * size_of::<u64>() + HASH;

/// A cache of built networks: files in a folder. Clones share the folder.
///
/// A file belongs to the rules, the limits of their evaluation, and the program that wrote it. A program that is
/// compiled or installed again starts with an empty cache, so that no network outlives the code that built it.
/// The folder should be writable by its user only: the checks of a file find accidents of any kind, but they
/// cannot tell a network from a forged one.
///
/// # Examples
/// ```
/// use ggp::{Build, NetworkCache, StateMachine};
/// use std::time::Duration;
/// # let folder = tempfile::tempdir().unwrap();
/// # let folder = folder.path();
/// let game = ggp::parse("(role a) (legal a go) (next done) (<= terminal (true done)) (goal a 100)")?;
/// let cache = NetworkCache::in_folder(folder).keeping_from(Duration::ZERO);
/// let build = Build { cache: Some(cache.clone()), ..Build::default() };
/// assert_eq!(build.reasoner(&game)?.name(), "propnet");
/// assert_eq!(cache.usage().unwrap().networks, 1);
/// assert_eq!(build.reasoner(&game)?.name(), "propnet", "read from the file");
/// # Ok::<(), ggp::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct NetworkCache {
    folder: Arc<Path>,
    /// The largest sum of the lengths of all files, in bytes.
    max_bytes: u64,
    /// Networks that were built faster are not kept.
    keep_from: Duration,
}

/// The content of a cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CacheUsage {
    /// The number of networks.
    pub networks: usize,
    /// The sum of the lengths of their files, in bytes.
    pub bytes: u64,
}

/// A network from the cache, with the times that its build has taken.
pub(crate) struct CachedNetwork {
    pub(crate) machine: PropNetMachine,
    pub(crate) ground: Duration,
    pub(crate) compile: Duration,
}

/// A file of the cache.
struct Entry {
    path: PathBuf,
    bytes: u64,
    /// The last use: reading a network sets the time of the file's last change.
    used: SystemTime,
}

impl NetworkCache {
    /// The largest sum of the lengths of all files, in bytes, unless [`NetworkCache::within`] sets another: 1 GiB.
    pub const MAX_BYTES: u64 = 1 << 30;

    /// The largest length of the bytes of one network: 256 MiB. Larger networks are not kept.
    pub const MAX_NETWORK: u64 = 256 << 20;

    /// The shortest time of a build whose network is kept, unless [`NetworkCache::keeping_from`] sets another:
    /// 250 ms.
    pub const KEEP_FROM: Duration = Duration::from_millis(250);

    /// The cache of the current user: the folder `ggp` among the user's caches (`$XDG_CACHE_HOME` or `~/.cache`,
    /// on Windows the local application data), or the folder that the environment variable `GGP_CACHE` names.
    /// `None` if the system does not tell the user's folders. The folder is created with the first file.
    pub fn of_user() -> Option<NetworkCache> {
        use etcetera::BaseStrategy;
        let given = std::env::var_os(FOLDER).filter(|folder| !folder.is_empty());
        let folder = match given {
            Some(folder) => PathBuf::from(folder),
            None => etcetera::choose_base_strategy().ok()?.cache_dir().join("ggp"),
        };
        Some(NetworkCache::in_folder(folder))
    }

    /// The cache in `folder`, which need not exist.
    pub fn in_folder(folder: impl AsRef<Path>) -> NetworkCache {
        let folder = folder.as_ref().into();
        NetworkCache { folder, max_bytes: NetworkCache::MAX_BYTES, keep_from: NetworkCache::KEEP_FROM }
    }

    /// The same cache with at most `max_bytes` bytes in all files. The networks whose last use is longest ago make
    /// room for new ones.
    #[must_use]
    pub fn within(self, max_bytes: u64) -> NetworkCache {
        NetworkCache { max_bytes, ..self }
    }

    /// The same cache, but networks are kept only if their build took at least `time`.
    #[must_use]
    pub fn keeping_from(self, time: Duration) -> NetworkCache {
        NetworkCache { keep_from: time, ..self }
    }

    /// The folder with the files. It need not exist.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The number of networks and their size.
    ///
    /// # Errors
    /// When the folder cannot be read. A folder that does not exist is empty.
    pub fn usage(&self) -> io::Result<CacheUsage> {
        let entries = self.entries()?;
        Ok(CacheUsage { networks: entries.len(), bytes: entries.iter().map(|entry| entry.bytes).sum() })
    }

    /// Removes all networks, and files that were left unfinished. Other files in the folder stay. Returns what has
    /// been removed.
    ///
    /// # Errors
    /// When the folder cannot be read, or a file cannot be removed.
    pub fn clear(&self) -> io::Result<CacheUsage> {
        let mut removed = CacheUsage::default();
        for entry in self.entries()? {
            remove(&entry.path)?;
            removed.networks += 1;
            removed.bytes += entry.bytes;
        }
        self.remove_unfinished(Duration::ZERO);
        Ok(removed)
    }

    /// Whether the network of a build that took `time` is kept.
    pub(crate) fn keeps(&self, time: Duration) -> bool {
        time >= self.keep_from
    }

    /// The network that was built for `game` within `limits` before. `None` if there is none, or if `stop` is
    /// raised. `cpu` is the class of processors on which it will run.
    pub(crate) fn load(
        &self,
        game: &Arc<Game>,
        limits: &GroundLimits,
        cpu: Cpu,
        stop: &StopToken,
    ) -> Option<CachedNetwork> {
        let key = key(game, limits)?;
        let path = self.path(&key);
        let bytes = read(&path)?;
        let (header, network) = bytes.split_at_checked(HEADER)?;
        let (told, checksum) = header.split_at(HEADER - HASH);
        let (fixed, numbers) = told.split_at(MAGIC.len() + VERSION + HASH);
        if fixed != start(&key) || checksum != checksum_of(told, network) {
            return None;
        }
        let (numbers, _) = numbers.as_chunks::<8>();
        let [ground, compile, length] = *numbers else { return None };
        if u64::from_le_bytes(length) != network.len() as u64 {
            return None;
        }
        let time = |nanoseconds| Duration::from_nanos(u64::from_le_bytes(nanoseconds));
        let machine = PropNetMachine::from_bytes(game, network, cpu, stop).ok()?;
        Some(CachedNetwork { machine, ground: time(ground), compile: time(compile) })
    }

    /// Keeps `network`, which was built for `game` within `limits`. Removes the networks whose last use is longest ago, as
    /// far as the new one needs their room. If the file cannot be written, the cache stays as it is.
    pub(crate) fn store(&self, game: &Game, limits: &GroundLimits, network: &CachedNetwork) {
        let Some(key) = key(game, limits) else { return };
        if let Err(error) = self.write(&key, network) {
            let folder = self.folder.display();
            tracing::info!(%folder, %error, "the network is not kept in the cache");
        }
    }

    fn write(&self, key: &[u8; HASH], network: &CachedNetwork) -> io::Result<()> {
        let bytes = network.machine.to_bytes();
        let size = (HEADER + bytes.len()) as u64;
        if bytes.len() as u64 > NetworkCache::MAX_NETWORK || size > self.max_bytes {
            return Err(io::Error::new(ErrorKind::FileTooLarge, "the network is too large"));
        }
        let nanoseconds = |time: Duration| (time.as_nanos() as u64).to_le_bytes();
        let mut header = start(key);
        header.extend(nanoseconds(network.ground));
        header.extend(nanoseconds(network.compile));
        header.extend((bytes.len() as u64).to_le_bytes());
        header.extend(checksum_of(&header, &bytes));
        self.create_folder()?;
        self.remove_unfinished(LEFT_BEHIND);
        let path = self.path(key);
        self.make_room(size, &path)?;
        // The owner alone can read a temporary file. Its content need not reach the disk before its name: the
        // checksum tells a file that a crash has left incomplete.
        let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(&self.folder)?;
        file.write_all(&header)?;
        file.write_all(&bytes)?;
        file.persist(path).map_err(|refused| refused.error)?;
        Ok(())
    }

    fn create_folder(&self) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.folder)
    }

    fn path(&self, key: &[u8; HASH]) -> PathBuf {
        let name: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        self.folder.join(name).with_extension(EXTENSION)
    }

    /// The networks in the folder.
    fn entries(&self) -> io::Result<Vec<Entry>> {
        let is_network = |path: &Path| path.extension().is_some_and(|extension| extension == EXTENSION);
        self.files(|path| is_network(path))
    }

    /// The files in the folder whose paths have the property `is_wanted`. A folder that does not exist has none.
    fn files(&self, is_wanted: impl Fn(&Path) -> bool) -> io::Result<Vec<Entry>> {
        let listed = match fs::read_dir(&self.folder) {
            Ok(listed) => listed,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut files = Vec::new();
        for file in listed {
            let path = file?.path();
            // Another process may remove a file at any time.
            if is_wanted(&path)
                && let Ok(metadata) = path.symlink_metadata()
                && metadata.is_file()
            {
                let used = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                files.push(Entry { path, bytes: metadata.len(), used });
            }
        }
        Ok(files)
    }

    /// Removes the networks whose last use is longest ago until `size` more bytes fit. The file `replaced` takes
    /// no room, because the new file replaces it.
    fn make_room(&self, size: u64, replaced: &Path) -> io::Result<()> {
        let mut entries = self.entries()?;
        entries.retain(|entry| entry.path != replaced);
        entries.sort_by(|one, two| (one.used, &one.path).cmp(&(two.used, &two.path)));
        let mut total: u64 = entries.iter().map(|entry| entry.bytes).sum();
        for entry in entries {
            if total + size <= self.max_bytes {
                break;
            }
            remove(&entry.path)?;
            total -= entry.bytes;
        }
        Ok(())
    }

    /// Removes files that a process has begun to write at least `age` ago and not finished.
    fn remove_unfinished(&self, age: Duration) {
        let is_unfinished = |path: &Path| {
            path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(UNFINISHED.as_bytes()))
        };
        for entry in self.files(is_unfinished).unwrap_or_default() {
            if entry.used.elapsed().is_ok_and(|since| since >= age) {
                let _ = remove(&entry.path);
            }
        }
    }
}

/// Removes a file. It is no error if another process has removed it.
fn remove(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
        .or_else(|error| if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

/// The bytes of the file `path`, which counts as used now. `None` if it cannot be read or is too long.
fn read(path: &Path) -> Option<Vec<u8>> {
    let most = HEADER as u64 + NetworkCache::MAX_NETWORK;
    // A pipe would keep the program waiting.
    let metadata = path.symlink_metadata().ok()?;
    if !metadata.is_file() || metadata.len() > most {
        return None;
    }
    let mut file = File::open(path).ok()?;
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    (&mut file).take(most).read_to_end(&mut bytes).ok()?;
    // Where this is not allowed, the oldest networks make room first, whenever they were used.
    let _ = file.set_modified(SystemTime::now());
    Some(bytes)
}

/// The part of the header that a program expects for a network with the key `key`.
fn start(key: &[u8; HASH]) -> Vec<u8> {
    let mut start = MAGIC.to_vec();
    start.extend(env!("CARGO_PKG_VERSION").bytes().chain([0; VERSION]).take(VERSION));
    start.extend(key);
    start
}

fn checksum_of(header: &[u8], network: &[u8]) -> [u8; HASH] {
    let mut hash = Sha256::new();
    hash.update(header);
    hash.update(network);
    hash.finalize().into()
}

/// The key of the network that is built for `game` within `limits`: a hash of all that determines it. `None` if the file of
/// this program is unknown.
fn key(game: &Game, limits: &GroundLimits) -> Option<[u8; HASH]> {
    let program = std::env::current_exe().ok()?;
    let metadata = program.metadata().ok()?;
    let texts = [
        ggp_gdl::print(game.description()),
        format!("{:?}", game.limits()),
        format!("{limits:?}"),
        format!("{} {:?}", metadata.len(), metadata.modified().ok()?),
    ];
    let mut hash = Sha256::new();
    for part in texts.iter().map(String::as_bytes).chain([program.as_os_str().as_encoded_bytes()]) {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    Some(hash.finalize().into())
}

#[cfg(test)]
mod tests;
