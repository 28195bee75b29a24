//! The key with which a user's sealed records are encrypted.
//!
//! Invariants: the key file has [`LENGTH`] random bytes. Only its owner can read it. It is complete as soon as
//! it exists, and once it exists, no process replaces it.

use chacha20poly1305::aead::{Generate, KeyInit};
use chacha20poly1305::{Key, XChaCha20Poly1305};
use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The length of a key, in bytes.
const LENGTH: usize = 32;

/// The name of the key file in the folder of the user's data.
const FILE: &str = "sealed_records.key";

/// The environment variable with the folder of the user's data, in place of the system's default.
const FOLDER: &str = "GGP_DATA";

/// A user's key for sealed records.
#[derive(Clone)]
pub struct UserKey(Key);

/// The reason why the user's key is not available.
#[derive(Debug, thiserror::Error)]
pub enum UserKeyError {
    /// The system does not tell the user's home folder.
    #[error(
        "no folder is known for the key of sealed records: the user has no home folder; set {FOLDER} to a folder"
    )]
    NoFolder,
    /// The key file can be neither read nor created.
    #[error("the key of sealed records cannot be read or created in {}: {error}", path.display())]
    Io {
        /// The key file.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
    /// The key file does not hold a key.
    #[error(
        "{} has {length} bytes, but a key of sealed records has {LENGTH}: restore the file, or remove it to start \
         with a new key, which does not open the records sealed before", path.display()
    )]
    Length {
        /// The key file.
        path: PathBuf,
        /// The length of the file, in bytes.
        length: usize,
    },
    /// The system supplies no random numbers.
    #[error("the system supplies no random numbers for a key of sealed records")]
    NoRandomness,
}

impl UserKey {
    /// The key of the current user. The first call creates the key file, in the folder `ggp` of the user's
    /// data or in the folder that the environment variable `GGP_DATA` names.
    ///
    /// # Errors
    /// When the folder is unknown, or the file cannot be read or created.
    pub fn of_user() -> Result<UserKey, UserKeyError> {
        use etcetera::BaseStrategy;
        let given = std::env::var_os(FOLDER).filter(|folder| !folder.is_empty());
        let folder = match given {
            Some(folder) => PathBuf::from(folder),
            None => {
                etcetera::choose_base_strategy().map_err(|_| UserKeyError::NoFolder)?.data_dir().join("ggp")
            }
        };
        UserKey::in_folder(&folder)
    }

    /// The key in the folder `folder`. Creates the folder and the key if they do not exist.
    ///
    /// # Errors
    /// When the key can be neither read nor created.
    pub fn in_folder(folder: &Path) -> Result<UserKey, UserKeyError> {
        let path = folder.join(FILE);
        let failed = |error| UserKeyError::Io { path: path.clone(), error };
        match fs::read(&path) {
            Ok(bytes) => return UserKey::from_bytes(&bytes, &path),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
        }
        let key = Key::try_generate().map_err(|_| UserKeyError::NoRandomness)?;
        create(folder, &path, &key).map_err(failed)?;
        // If another process has created the file first, its key is the valid one.
        UserKey::from_bytes(&fs::read(&path).map_err(failed)?, &path)
    }

    fn from_bytes(bytes: &[u8], path: &Path) -> Result<UserKey, UserKeyError> {
        let wrong = |_| UserKeyError::Length { path: path.to_owned(), length: bytes.len() };
        <[u8; LENGTH]>::try_from(bytes).map(|bytes| UserKey(bytes.into())).map_err(wrong)
    }

    /// The cipher with this key.
    pub(crate) fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&self.0)
    }
}

/// Writes the secret into no log.
impl std::fmt::Debug for UserKey {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("UserKey(…)")
    }
}

/// Creates the file `path` in `folder` with the content `key`. Does nothing if the file exists.
fn create(folder: &Path, path: &Path, key: &[u8]) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    // A temporary file is readable by its owner only.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(key)?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(refused) if refused.error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(refused) => Err(refused.error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_key_is_created_once_and_for_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("a/b");
        let key = UserKey::in_folder(&inner).unwrap();
        assert_eq!(UserKey::in_folder(&inner).unwrap().0, key.0);
        assert_ne!(UserKey::in_folder(folder.path()).unwrap().0, key.0);
        assert_eq!(fs::read_dir(&inner).unwrap().count(), 1, "no temporary file is left");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&inner.join(FILE)), mode(&inner)), (0o600, 0o700));
        }
        assert!(!format!("{key:?}").contains(char::is_numeric));
    }

    #[test]
    fn processes_that_create_a_key_at_once_get_the_same() {
        for _ in 0..20 {
            let folder = tempfile::tempdir().unwrap();
            let keys: BTreeSet<Vec<u8>> = std::thread::scope(|scope| {
                let one = || UserKey::in_folder(folder.path()).unwrap().0.to_vec();
                let threads: Vec<_> = (0..8).map(|_| scope.spawn(one)).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            assert_eq!(keys.len(), 1);
        }
    }

    #[test]
    fn a_file_that_is_no_key_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE), "short").unwrap();
        let error = UserKey::in_folder(folder.path()).unwrap_err().to_string();
        assert!(error.contains("has 5 bytes, but a key of sealed records has 32"), "{error}");
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(matches!(UserKey::in_folder(&file), Err(UserKeyError::Io { .. })));
    }
}
