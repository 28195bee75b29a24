//! [`NetworkCache`]: a folder with built networks, so that the next start of a program has them at once.
//!
//! Invariants: a network is read only by the program that wrote it and for the same rules and limits. A file
//! that is torn, damaged or foreign counts as absent. Nothing that happens to the folder is an error of a build.
//! A file is complete as soon as it has its name, so that processes may share the folder.

mod folder;
mod network_file;

use folder::Folder;
use ggp_game::{Game, StopToken};
use ggp_propnet::{Cpu, GroundLimits, PropNetMachine};
use network_file::{HEADER, Key};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The environment variable with the folder of the cache, in place of the system's default.
const FOLDER: &str = "GGP_CACHE";

/// A cache of built networks: files in a folder. Clones share the folder.
///
/// A file belongs to the rules, the limits of their evaluation, and the program that wrote it. A program that is
/// compiled or installed again starts with an empty cache, so that no network outlives the code that built it.
/// On Unix, only files that the current user owns and nobody else can write are read. Elsewhere the folder
/// should be writable by its user only: the checks of a file find accidents of any kind, but they cannot tell a
/// network from a forged one.
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
    folder: Folder,
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
        let given = std::env::var_os(FOLDER).filter(|folder| !folder.is_empty()).map(PathBuf::from);
        given.or_else(default_folder).map(NetworkCache::in_folder)
    }

    /// The cache in `folder`, which need not exist.
    pub fn in_folder(folder: impl AsRef<Path>) -> NetworkCache {
        NetworkCache {
            folder: Folder::new(folder.as_ref()),
            max_bytes: NetworkCache::MAX_BYTES,
            keep_from: NetworkCache::KEEP_FROM,
        }
    }

    /// The same cache with at most `max_bytes` bytes in all files. The networks whose last use is longest ago make
    /// room for new ones. Processes that write at the same time may exceed the bound; the next write restores it.
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
        self.folder.path()
    }

    /// The number of networks and their size.
    ///
    /// # Errors
    /// When the folder cannot be read. A folder that does not exist is empty.
    pub fn usage(&self) -> io::Result<CacheUsage> {
        self.folder.usage()
    }

    /// Removes all networks, and files that were left unfinished. Other files in the folder stay. Returns what has
    /// been removed.
    ///
    /// # Errors
    /// When the folder cannot be read, or a file cannot be removed.
    pub fn clear(&self) -> io::Result<CacheUsage> {
        self.folder.clear()
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
        let key = Key::of(game, limits)?;
        let bytes = self.folder.read(&key.file_name(), HEADER as u64 + NetworkCache::MAX_NETWORK)?;
        let (network, [ground, compile]) = network_file::parse(&bytes, &key)?;
        let machine = PropNetMachine::from_bytes(game, network, cpu, stop).ok()?;
        Some(CachedNetwork { machine, ground, compile })
    }

    /// Keeps `network`, which was built for `game` within `limits`. Removes the networks whose last use is longest
    /// ago, as far as the new one needs their room. If the file cannot be written, the build has its network all
    /// the same.
    pub(crate) fn store(&self, game: &Game, limits: &GroundLimits, network: &CachedNetwork) {
        let Some(key) = Key::of(game, limits) else { return };
        let bytes = network.machine.to_bytes();
        let size = (HEADER + bytes.len()) as u64;
        if bytes.len() as u64 > NetworkCache::MAX_NETWORK || size > self.max_bytes {
            tracing::info!(size, "the network is too large for the cache");
            return;
        }
        let header = network_file::header(&key, [network.ground, network.compile], &bytes);
        if let Err(error) = self.folder.write(&key.file_name(), [&header, &bytes], self.max_bytes) {
            let folder = self.folder().display();
            tracing::info!(%folder, %error, "the network is not kept in the cache");
        }
    }
}

/// The folder for the networks of the current user.
fn default_folder() -> Option<PathBuf> {
    use etcetera::BaseStrategy;
    let caches = etcetera::choose_base_strategy().ok()?.cache_dir();
    // An empty `HOME` would make it a folder in the current one.
    caches.is_absolute().then(|| caches.join("ggp"))
}

#[cfg(test)]
mod tests;
