//! A folder of files that several processes use at the same time.

use super::CacheUsage;
use super::network_file::is_file_name;
use std::fs::{self, DirBuilder, File, Metadata};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The start of the names of files that are being written.
pub(super) const UNFINISHED: &str = ".ggp-unfinished-";

/// The age from which a file that is being written counts as left behind.
pub(super) const LEFT_BEHIND: Duration = Duration::from_secs(60 * 60);

/// The folder of a cache. Files with other names than those of networks and of unfinished files are not touched.
#[derive(Clone, Debug)]
pub(super) struct Folder(Arc<Path>);

/// A file in the folder.
struct Entry {
    path: PathBuf,
    bytes: u64,
    /// The last use: reading a network sets the time of the file's last change.
    used: SystemTime,
}

impl Folder {
    pub(super) fn new(path: &Path) -> Folder {
        Folder(path.into())
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// The number of networks and their size.
    pub(super) fn usage(&self) -> io::Result<CacheUsage> {
        let networks = self.files(is_file_name)?;
        Ok(CacheUsage { networks: networks.len(), bytes: networks.iter().map(|entry| entry.bytes).sum() })
    }

    /// Removes all networks and all unfinished files. Returns the number of the networks and their size.
    pub(super) fn clear(&self) -> io::Result<CacheUsage> {
        let mut removed = CacheUsage::default();
        for entry in self.files(is_file_name)? {
            remove(&entry.path)?;
            removed.networks += 1;
            removed.bytes += entry.bytes;
        }
        self.remove_unfinished(Duration::ZERO);
        Ok(removed)
    }

    /// The bytes of the file `name`, which counts as used now. `None` if it cannot be read, is longer than
    /// `most`, or could have been written by another user.
    pub(super) fn read(&self, name: &str, most: u64) -> Option<Vec<u8>> {
        let mut file = open(&self.0.join(name)).ok()?;
        let metadata = file.metadata().ok()?;
        if !metadata.is_file() || metadata.len() > most || !is_own(&metadata) {
            return None;
        }
        let mut bytes = Vec::with_capacity(metadata.len() as usize);
        (&mut file).take(most).read_to_end(&mut bytes).ok()?;
        // Where this is not allowed, the oldest networks make room first, whenever they were used.
        let _ = file.set_modified(SystemTime::now());
        Some(bytes)
    }

    /// Writes the file `name` with the bytes of `parts`. Removes the networks whose last use is longest ago, so
    /// that the folder has at most `most` bytes with the new file. The new file replaces one of its name at
    /// once, and if it cannot be written, the former one stays.
    pub(super) fn write(&self, name: &str, parts: [&[u8]; 2], most: u64) -> io::Result<()> {
        self.create()?;
        self.remove_unfinished(LEFT_BEHIND);
        let path = self.0.join(name);
        self.make_room(parts.iter().map(|part| part.len() as u64).sum(), most, &path)?;
        // The owner alone can read a temporary file. Its content need not reach the disk before its name: the
        // checksum tells a file that a crash has left incomplete.
        let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(&self.0)?;
        for part in parts {
            file.write_all(part)?;
        }
        file.persist(path).map_err(|refused| refused.error)?;
        Ok(())
    }

    fn create(&self) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.0)
    }

    /// The files in the folder whose names are `wanted`. A folder that does not exist has none.
    fn files(&self, wanted: impl Fn(&str) -> bool) -> io::Result<Vec<Entry>> {
        let listed = match fs::read_dir(&self.0) {
            Ok(listed) => listed,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut files = Vec::new();
        for file in listed {
            let file = file?;
            // Another process may remove a file at any time.
            if file.file_name().to_str().is_some_and(&wanted)
                && let Ok(metadata) = file.metadata()
                && metadata.is_file()
            {
                let used = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                files.push(Entry { path: file.path(), bytes: metadata.len(), used });
            }
        }
        Ok(files)
    }

    /// Removes the networks whose last use is longest ago until `size` more bytes fit into `most`. The file
    /// `replaced` takes no room, because the new file replaces it.
    fn make_room(&self, size: u64, most: u64, replaced: &Path) -> io::Result<()> {
        let mut entries = self.files(is_file_name)?;
        entries.retain(|entry| entry.path != replaced);
        entries.sort_by(|one, two| (one.used, &one.path).cmp(&(two.used, &two.path)));
        let mut total: u64 = entries.iter().map(|entry| entry.bytes).sum();
        for entry in entries {
            if total + size <= most {
                break;
            }
            remove(&entry.path)?;
            total -= entry.bytes;
        }
        Ok(())
    }

    /// Removes files that a process has begun to write at least `age` ago and not finished.
    fn remove_unfinished(&self, age: Duration) {
        for entry in self.files(|name| name.starts_with(UNFINISHED)).unwrap_or_default() {
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

/// Opens a file for reading. Follows no link, and does not wait for the writer of a pipe.
fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    options.read(true).open(path)
}

/// Whether the current user owns a file and nobody else can write it, as with all files of [`Folder::write`].
#[cfg(unix)]
fn is_own(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    const OTHERS_WRITE: u32 = 0o022;
    metadata.uid() == rustix::process::geteuid().as_raw() && metadata.mode() & OTHERS_WRITE == 0
}

/// Systems without owners of files have folders for each user.
#[cfg(not(unix))]
fn is_own(_: &Metadata) -> bool {
    true
}
