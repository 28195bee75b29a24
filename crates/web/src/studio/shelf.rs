//! The folder in which authors save their games.
//!
//! Invariants: a name from a request is a file name without separators, dots and other special characters, so every
//! path lies directly in the folder. Only regular files are read and replaced: a link is refused, wherever it leads.
//! A file appears with its whole text or not at all. A file that was changed since the page read it is replaced only
//! if the page knows the changed one.

use crate::lock::lock;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tempfile::Builder;

/// The maximum length of a name.
const MAX_NAME: usize = 60;

/// The size limit of a file that is read, in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// The result of saving.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Saved {
    /// The file has the text. The version is that of the text.
    Done(String),
    /// The file is not what the page read: the version that it has now, or `None` if there is no file any more.
    Changed(Option<String>),
}

/// A file of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// The rules, `NAME.kif`.
    Rules,
    /// The description of the board, `NAME.view.json`.
    View,
}

impl Part {
    /// The name of the file of the game `name`.
    pub(crate) fn file(self, name: &str) -> String {
        match self {
            Part::Rules => format!("{name}.kif"),
            Part::View => format!("{name}.view.json"),
        }
    }
}

/// A folder of rulesheets and view files.
pub(crate) struct Shelf {
    folder: PathBuf,
    /// One file is saved at a time, so that no two pages replace the same version.
    saving: Mutex<()>,
}

/// The version of a text: equal for equal texts.
fn version(text: &[u8]) -> String {
    format!("{:016x}", BuildHasherDefault::<DefaultHasher>::default().hash_one(text))
}

/// Whether `name` can be the name of a game: letters, digits, `_` and `-` of ASCII, a letter or digit first.
fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    name.len() <= MAX_NAME
        && name.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric)
        && name.bytes().all(is_plain)
        && !is_device(name)
}

/// Whether Windows takes `name` for a device, whatever folder and extension it has.
fn is_device(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let numbered = |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| rest.len() == 1);
    matches!(&*name, "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt")
}

impl Shelf {
    /// The folder `path`, which exists.
    ///
    /// # Errors
    /// When the folder cannot be found.
    pub(crate) fn new(path: &Path) -> io::Result<Shelf> {
        Ok(Shelf { folder: path.canonicalize()?, saving: Mutex::default() })
    }

    /// The name of the folder, for display.
    pub(crate) fn name(&self) -> String {
        self.folder.display().to_string()
    }

    fn path(&self, name: &str, part: Part) -> Result<PathBuf, String> {
        if !is_name(name) {
            return Err(format!(
                "a game's name has letters, digits, `_` and `-`, begins with a letter or digit, and has at most {MAX_NAME} characters"
            ));
        }
        Ok(self.folder.join(part.file(name)))
    }

    /// The text of a file and its version. `None` if there is no file of that name.
    ///
    /// # Errors
    /// When the name is none, or the file cannot be read.
    pub(crate) fn read(&self, name: &str, part: Part) -> Result<Option<(Vec<u8>, String)>, String> {
        let path = self.path(name, part)?;
        let text =
            read_regular(&path).map_err(|error| format!("cannot read {}: {error}", part.file(name)))?;
        Ok(text.map(|text| {
            let version = version(&text);
            (text, version)
        }))
    }

    /// Saves `text` as a file of the game `name`, if the file has the version `known`, or there is none if that is `None`.
    ///
    /// # Errors
    /// When the name is none, or the file cannot be written.
    pub(crate) fn save(
        &self,
        name: &str,
        part: Part,
        text: &str,
        known: Option<&str>,
    ) -> Result<Saved, String> {
        let path = self.path(name, part)?;
        let _alone = lock(&self.saving);
        let now = self.read(name, part)?.map(|(_, version)| version);
        if now.as_deref() != known {
            return Ok(Saved::Changed(now));
        }
        let written = write_whole(&self.folder, &path, text.as_bytes(), now.is_none());
        match written {
            Ok(()) => Ok(Saved::Done(version(text.as_bytes()))),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Ok(Saved::Changed(self.read(name, part)?.map(|(_, version)| version)))
            }
            Err(error) => Err(format!("cannot write {}: {error}", part.file(name))),
        }
    }
}

/// The content of a regular file. `None` if there is no file.
fn read_regular(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
        Ok(about) if !about.file_type().is_file() => {
            return Err(io::Error::other("it is not a regular file"));
        }
        Ok(about) if about.len() > MAX_BYTES => return Err(io::Error::other("it is too large")),
        Ok(_) => {}
    }
    let mut text = Vec::new();
    std::fs::File::open(path)?.take(MAX_BYTES).read_to_end(&mut text)?;
    Ok(Some(text))
}

/// Writes a file beside `path` and gives it that name. With `is_new`, fails if there is a file of that name.
fn write_whole(folder: &Path, path: &Path, text: &[u8], is_new: bool) -> io::Result<()> {
    let mut builder = Builder::new();
    builder.prefix(".ggp-").suffix(".part");
    // A temporary file is private to the user unless it is asked for otherwise. The umask applies to this mode, so a
    // new file gets the permissions that other programs give one.
    #[cfg(unix)]
    if is_new {
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(text)?;
    file.as_file().sync_all()?;
    // The file gets the permissions of the one that it replaces.
    if let Ok(about) = path.metadata() {
        file.as_file().set_permissions(about.permissions())?;
    }
    let kept = if is_new { file.persist_noclobber(path) } else { file.persist(path) };
    kept.map(drop).map_err(|refused| refused.error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shelf() -> (tempfile::TempDir, Shelf) {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(folder.path()).unwrap();
        (folder, shelf)
    }

    #[test]
    fn names_lead_nowhere_else() {
        let (folder, shelf) = shelf();
        let long = "a".repeat(MAX_NAME + 1);
        let bad = [
            "",
            ".",
            "..",
            "../x",
            "a/b",
            "a\\b",
            "/etc/passwd",
            ".hidden",
            "a.b",
            "a b",
            "-a",
            "_a",
            "a\0",
            "\u{e9}",
            "nul",
            "COM1",
            &long,
        ];
        for name in bad {
            assert!(shelf.save(name, Part::Rules, "(role a)", None).is_err(), "{name:?}");
            assert!(shelf.read(name, Part::Rules).is_err(), "{name:?}");
        }
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn changed_files_are_not_replaced() {
        let (folder, shelf) = shelf();
        let Saved::Done(first) = shelf.save("mine", Part::Rules, "one", None).unwrap() else {
            panic!("it is new")
        };
        assert_eq!(
            shelf.save("mine", Part::Rules, "two", None).unwrap(),
            Saved::Changed(Some(first.clone()))
        );
        std::fs::write(folder.path().join("mine.kif"), "elsewhere").unwrap();
        let Saved::Changed(Some(now)) = shelf.save("mine", Part::Rules, "two", Some(&first)).unwrap() else {
            panic!("changed")
        };
        assert_eq!(std::fs::read(folder.path().join("mine.kif")).unwrap(), b"elsewhere");
        assert!(matches!(shelf.save("mine", Part::Rules, "two", Some(&now)).unwrap(), Saved::Done(_)));
        assert_eq!(shelf.read("mine", Part::Rules).unwrap().unwrap().0, b"two");
        std::fs::remove_file(folder.path().join("mine.kif")).unwrap();
        assert_eq!(shelf.save("mine", Part::Rules, "three", Some(&now)).unwrap(), Saved::Changed(None));
        assert_eq!(folder.path().read_dir().unwrap().count(), 0, "no parts are left");
        // The view file is a file of its own.
        assert!(matches!(shelf.save("mine", Part::View, "{}", None).unwrap(), Saved::Done(_)));
        assert_eq!(std::fs::read(folder.path().join("mine.view.json")).unwrap(), b"{}");
        assert_eq!(shelf.read("mine", Part::Rules).unwrap(), None);
    }

    #[cfg(unix)]
    #[test]
    fn files_have_the_permissions_of_others() {
        use std::os::unix::fs::PermissionsExt;
        let (folder, shelf) = shelf();
        let mode = |name: &str| folder.path().join(name).metadata().unwrap().permissions().mode();
        std::fs::write(folder.path().join("other.kif"), "(role a)").unwrap();
        let Saved::Done(version) = shelf.save("mine", Part::Rules, "one", None).unwrap() else {
            panic!("it is new")
        };
        assert_eq!(mode("mine.kif"), mode("other.kif"));
        let own = std::fs::Permissions::from_mode(0o640);
        std::fs::set_permissions(folder.path().join("mine.kif"), own).unwrap();
        shelf.save("mine", Part::Rules, "two", Some(&version)).unwrap();
        assert_eq!(mode("mine.kif") & 0o777, 0o640);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_refused() {
        let (folder, shelf) = shelf();
        let outside = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(outside.path(), "secret").unwrap();
        for (name, target) in [("a", outside.path()), ("b", Path::new("nothing.kif")), ("c", folder.path())] {
            std::os::unix::fs::symlink(target, folder.path().join(format!("{name}.kif"))).unwrap();
            assert!(shelf.read(name, Part::Rules).is_err(), "{name}");
            assert!(shelf.save(name, Part::Rules, "(role a)", None).is_err(), "{name}");
        }
        assert_eq!(std::fs::read(outside.path()).unwrap(), b"secret");
    }
}
