//! [`Format`]: the kinds and versions of what outlives a run of the program.
//!
//! Invariants: what a program has written, later versions of the program read. What a later version has written is read
//! only if this program understands it. So a new member of a JSON object leaves the version as it is, because readers
//! skip what they do not know; a change that an earlier reader would misunderstand makes a new version.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A kind of file or output, with the newest version that this program writes and reads. Earlier versions are read, too.
///
/// # Examples
/// ```
/// use ggp_game::Format;
/// const LIST: Format = Format::new("ggp list", 2);
/// let text = serde_json::to_string(&LIST.headed(&serde_json::json!({ "games": [] }))).unwrap();
/// assert_eq!(text, r#"{"format":"ggp list","version":2,"games":[]}"#);
/// assert!(LIST.check(text.as_bytes()).is_ok() && LIST.check_version(1).is_ok());
/// let newer = LIST.check(br#"{"format":"ggp list","version":3}"#).unwrap_err().to_string();
/// assert!(newer.starts_with("version 3 of the format `ggp list` is unknown to ggp "));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    /// The name, which begins with `ggp`.
    pub name: &'static str,
    /// The newest version. The first one is 1.
    pub version: u32,
}

/// The reason why a file is not read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FormatError {
    /// The file has a version that this program does not know.
    #[error(
        "version {found} of the format `{}` is unknown to ggp {}, which reads {}: use the ggp that wrote it, or a newer \
         one", .format.name, env!("CARGO_PKG_VERSION"), .format.known()
    )]
    Version {
        /// The format.
        format: Format,
        /// The version of the file.
        found: String,
    },
    /// The file has another format of this program.
    #[error("its format is `{found}`, but one of the format `{}` is wanted", .format.name)]
    Other {
        /// The format that is wanted.
        format: Format,
        /// The format of the file.
        found: String,
    },
}

/// The members by which an object says what it is.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Head {
    format: Value,
    version: Value,
}

/// A value with the members that say what it is.
#[derive(Debug, Serialize)]
pub struct Headed<'a, T> {
    format: &'static str,
    version: u32,
    #[serde(flatten)]
    content: &'a T,
}

impl Format {
    /// The format `name`, of which this program writes the version `version`.
    pub const fn new(name: &'static str, version: u32) -> Format {
        Format { name, version }
    }

    /// `content`, which is written as an object, with the members `format` and `version` before its own.
    pub fn headed<T: Serialize>(self, content: &T) -> Headed<'_, T> {
        Headed { format: self.name, version: self.version, content }
    }

    /// Whether this program reads the JSON object at the beginning of `text`. An object without `format` is one of ggp
    /// 0.1 or of another program, and text that is no object is left to its reader: both are fine here.
    ///
    /// # Errors
    /// When the object has a version of this format that this program does not know, or another format of this program.
    pub fn check(self, text: &[u8]) -> Result<(), FormatError> {
        let first = serde_json::Deserializer::from_slice(text).into_iter::<Head>().next();
        let Some(Ok(Head { format: Value::String(name), version })) = first else { return Ok(()) };
        if name != self.name {
            let is_ours = name.starts_with("ggp ");
            return if is_ours { Err(FormatError::Other { format: self, found: name }) } else { Ok(()) };
        }
        match version.as_u64().map(u32::try_from) {
            Some(Ok(version)) => self.check_version(version),
            _ => Err(FormatError::Version { format: self, found: version.to_string() }),
        }
    }

    /// Whether this program reads the version `found`.
    ///
    /// # Errors
    /// When it does not.
    pub fn check_version(self, found: u32) -> Result<(), FormatError> {
        if (1..=self.version).contains(&found) {
            Ok(())
        } else {
            Err(FormatError::Version { format: self, found: found.to_string() })
        }
    }

    /// The versions that this program reads, in words.
    fn known(&self) -> String {
        match self.version {
            1 => "version 1".to_owned(),
            newest => format!("versions 1 to {newest}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Format, FormatError};

    const LIST: Format = Format::new("ggp list", 2);

    #[test]
    fn an_object_says_what_it_is() {
        for fine in [
            r#"{"format":"ggp list","version":1,"games":[]}"#,
            r#"{"games":[{"format":"ggp map"}],"version":2,"format":"ggp list"} and more"#,
            r#"{"games":[],"version":"1.2.3"}"#,
            r#"{"format":"png","version":9}"#,
            r#"{"format":9,"version":9}"#,
            r#"{"format":"ggp list","version":"#,
            "(move 1 2)",
            "[]",
            "",
        ] {
            assert_eq!(LIST.check(fine.as_bytes()), Ok(()), "{fine}");
        }
        for (text, said) in [
            (
                r#"{"format":"ggp list","version":3}"#,
                "version 3 of the format `ggp list` is unknown to ggp VERSION, which reads versions 1 to 2: use the ggp that \
                 wrote it, or a newer one",
            ),
            (r#"{"version":0,"format":"ggp list"}"#, "version 0 of the format `ggp list` is unknown"),
            (r#"{"format":"ggp list"}"#, "version null of the format"),
            (r#"{"format":"ggp list","version":4294967297}"#, "version 4294967297 of the format"),
            (r#"{"format":"ggp list","version":"2"}"#, "version \"2\" of the format"),
            (
                r#"{"format":"ggp map","version":9}"#,
                "its format is `ggp map`, but one of the format `ggp list` is wanted",
            ),
        ] {
            let error = LIST.check(text.as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with(&said.replace("VERSION", env!("CARGO_PKG_VERSION"))), "{error}");
        }
        let one = FormatError::Version { format: Format::new("ggp list", 1), found: "2".to_owned() };
        assert!(one.to_string().contains(", which reads version 1: "), "{one}");
    }
}
