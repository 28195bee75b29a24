//! The files that this program writes and that hold no rules. Each is told apart by its beginning, so that a command that
//! is given one in place of rules can name the command that reads it.

use ggp_arena::{RECORD, RESULT, SEALED};
use ggp_search::KNOWLEDGE;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// A kind of file that holds no rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FileKind {
    Record,
    SealedRecord,
    Results,
    Knowledge,
}

/// The members that tell the kinds of JSON apart. Files of ggp 0.1 and of other programs have no `format`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Head {
    format: Option<String>,
    moves: Option<IgnoredAny>,
    tournament: Option<IgnoredAny>,
}

impl FileKind {
    /// The kind of the file with the text `text`. `None` if the text may be rules.
    pub(crate) fn of(text: &[u8]) -> Option<FileKind> {
        let text = beginning(text);
        if text.starts_with(KNOWLEDGE.name.as_bytes()) {
            return Some(FileKind::Knowledge);
        }
        if !text.starts_with(b"{") {
            return None;
        }
        let head = serde_json::Deserializer::from_slice(text).into_iter::<Head>().next()?.ok()?;
        match head {
            Head { format: Some(format), .. } => {
                let kinds = [
                    (RECORD, FileKind::Record),
                    (SEALED, FileKind::SealedRecord),
                    (RESULT, FileKind::Results),
                ];
                kinds.into_iter().find(|(known, _)| known.name == format).map(|(_, kind)| kind)
            }
            Head { tournament: Some(_), .. } => Some(FileKind::Results),
            Head { moves: Some(_), .. } => Some(FileKind::Record),
            _ => None,
        }
    }

    /// What the file `name` is, and the command that reads it.
    pub(crate) fn advice(self, name: &str) -> String {
        match self {
            FileKind::Record => format!(
                "it is the record of a match: `ggp replay RULES {name}` shows its states, `ggp stats {name}` its result"
            ),
            FileKind::SealedRecord => format!(
                "it is the sealed record of a match that is not over: `ggp play RULES --from {name}` goes on with it"
            ),
            FileKind::Results => format!("it holds results of matches: `ggp stats {name}` shows them"),
            FileKind::Knowledge => {
                format!("it holds what was learnt of games: `ggp analyze RULES --learnt {name}` shows it")
            }
        }
    }
}

/// `text` without a byte order mark and blanks before its first sign.
fn beginning(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii_start()
}

/// Whether `text` is JSON rather than rules.
pub(crate) fn is_json(text: &[u8]) -> bool {
    matches!(beginning(text).first(), Some(b'{' | b'['))
}

#[cfg(test)]
mod tests {
    use super::FileKind;

    #[test]
    fn rules_are_told_from_what_is_written_of_matches() {
        for (text, kind) in [
            (r#"{"format":"ggp record","version":1,"moves":[]}"#, Some(FileKind::Record)),
            ("\u{feff} {\"moves\": [[\"noop\"]], \"matchId\": \"m\"}", Some(FileKind::Record)),
            (r#"{"format":"ggp sealed record","version":1}"#, Some(FileKind::SealedRecord)),
            ("{\"format\":\"ggp result\",\"version\":1}\n{\"torn", Some(FileKind::Results)),
            (r#"{"id":"a","tournament":"t","moves_digest":""}"#, Some(FileKind::Results)),
            ("ggp knowledge 1\nq", Some(FileKind::Knowledge)),
            (r#"{"format":"ggp view"}"#, None),
            ("{", None),
            ("(role a)", None),
            ("", None),
        ] {
            assert_eq!(FileKind::of(text.as_bytes()), kind, "{text}");
        }
    }
}
