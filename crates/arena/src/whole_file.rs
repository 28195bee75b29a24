//! Files that are replaced whole, so that an interruption or a full disk leaves the old contents.

use std::fs;
use std::io;
use std::path::Path;

/// Replaces the contents of the file `path` by `text` and a line break. The text goes into a temporary file beside it,
/// whose name ends with `.part`, and which is then renamed. A link or a device is written in place, and so is a file in
/// a folder that takes no new file.
///
/// # Errors
/// When the file, or the temporary file beside it, cannot be written. A file that was not written in place keeps its
/// contents then.
///
/// # Examples
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("match.json");
/// ggp_arena::write_whole(&path, "{}")?;
/// assert_eq!(std::fs::read_to_string(&path)?, "{}\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let line = format!("{text}\n");
    let is_special = fs::symlink_metadata(path).is_ok_and(|found| !found.is_file());
    let Some(name) = path.file_name().filter(|_| !is_special) else { return fs::write(path, line) };
    let mut part = name.to_owned();
    part.push(".part");
    let part = path.with_file_name(part);
    match fs::write(&part, &line) {
        Ok(()) => fs::rename(&part, path),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => fs::write(path, line),
        Err(error) => {
            let _ = fs::remove_file(&part);
            Err(error)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::write_whole;
    use std::fs;

    #[test]
    fn a_file_that_cannot_be_replaced_keeps_its_contents() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.json");
        write_whole(&path, "1").unwrap();
        write_whole(&path, "2").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "2\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the temporary file is gone");
        // A folder of that name is in the way of the temporary file.
        fs::create_dir(folder.path().join("match.json.part")).unwrap();
        assert!(write_whole(&path, "3").is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "2\n");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_remains_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("match.json"), folder.path().join("latest.json"));
        write_whole(&path, "1").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write_whole(&link, "2").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "2\n");
    }
}
