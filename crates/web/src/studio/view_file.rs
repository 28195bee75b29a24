//! The view file of a game that is being written, and where its errors are. Offsets count UTF-16 code units.

use ggp::board::{Sidecar, SidecarError};
use serde_json::{Value, json};
use std::ops::Range;

/// An error in a view file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Flaw {
    message: String,
    from: usize,
    to: usize,
}

impl Flaw {
    fn new(text: &str, message: String, bytes: Range<usize>) -> Flaw {
        let unit = |byte: usize| text[..byte].encode_utf16().count();
        Flaw { message, from: unit(bytes.start), to: unit(bytes.end) }
    }

    /// The error `error` of the view file `text`, which is JSON of the documented form.
    pub(super) fn of(text: &str, error: &SidecarError) -> Flaw {
        Flaw::new(text, error.to_string(), place(text, error).unwrap_or(0..0))
    }

    pub(super) fn to_json(&self) -> Value {
        json!({ "message": self.message, "from": self.from, "to": self.to })
    }
}

/// Parses a view file.
///
/// # Errors
/// The first error.
pub(super) fn parse(text: &str) -> Result<Sidecar, Flaw> {
    Sidecar::parse(text).map_err(|error| match (error, serde_json::from_str::<Sidecar>(text)) {
        (SidecarError::Syntax(_), Err(error)) => {
            let bytes = word_before(text, offset(text, error.line(), error.column()));
            Flaw::new(text, error.to_string(), bytes)
        }
        (error, _) => Flaw::of(text, &error),
    })
}

/// The byte after `column` bytes of the line `line`, from 1; the start of a character.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut at = (start + column).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The word, string or sign that ends at or before the byte `end`.
fn word_before(text: &str, end: usize) -> Range<usize> {
    let before = text[..end].trim_end();
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '"' | '_' | '-' | '.');
    let word = before.trim_end_matches(is_part).len();
    // At least one character, so that there is something to underline.
    let sign = before.char_indices().next_back().map_or(0, |(at, _)| at);
    word.min(sign)..before.len()
}

/// The place of an error: the value or the key that is wrong. `None` if it cannot be found.
fn place(text: &str, error: &SidecarError) -> Option<Range<usize>> {
    let string = |wanted: &str, from: usize| {
        let quoted = Value::from(wanted).to_string();
        let at = from + text.get(from..)?.find(&quoted)?;
        Some(at..at + quoted.len())
    };
    let key = |name: &str| string(name, 0);
    match error {
        SidecarError::Syntax(_) | SidecarError::NoBoard => None,
        SidecarError::Format(_) => key("version"),
        SidecarError::NoContent { key: under, name, .. } => string(name, key(under)?.end),
        SidecarError::NoRelation(name) => string(name, key("relation")?.end),
        SidecarError::NoRole(name) => string(name, key("owners")?.end),
        SidecarError::NoSquare(names) => names.first().and_then(|name| string(name, key("holes")?.end)),
        SidecarError::NoArgument { path, .. } => {
            let given: Value = serde_json::from_str(text).ok()?;
            let is_path = |value: &Value| *value == json!(path) || json!([value]) == json!(path);
            let is_wrong = |name: &&str| {
                let value = &given[*name];
                is_path(value) || value.as_array().is_some_and(|all| all.iter().any(is_path))
            };
            key(["x", "y", "index"].iter().find(|name| is_wrong(name))?)
        }
        SidecarError::Incomplete(_) => ["x", "y", "index"].iter().find_map(|name| key(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The message and the underlined text of the first error of a text.
    fn flaw(text: &str) -> (String, String) {
        let Flaw { message, from, to } = parse(text).expect_err("it is wrong");
        let units: Vec<u16> = text.encode_utf16().collect();
        (message, String::from_utf16(&units[from..to]).expect("whole characters"))
    }

    #[test]
    fn errors_have_places() {
        let (message, word) = flaw("{\n  \"\u{1d11e}\": 1}");
        assert!(message.contains("unknown field"), "{message}");
        assert_eq!(word, "\"");
        let (message, word) = flaw("{\n  \"glyph\": {}}");
        assert!(message.contains("unknown field `glyph`"), "{message}");
        assert_eq!(word, "\"glyph\"");
        assert_eq!(flaw("{\"top\": \"middle\"}").1, "\"middle\"");
        assert_eq!(flaw("{\"y\": 1}").1, "\"y\"");
        assert_eq!(flaw("{\"later\": 1, \"version\": 2}").1, "\"version\"");
        assert_eq!(flaw("{\"chequered\": 7,").1, "7");
        for text in ["", "{", "[", "\u{e9}", "{\"x\":\n\n"] {
            flaw(text);
        }
    }

    #[test]
    fn what_does_not_fit_the_game_has_a_place() {
        let text = r#"{"relation": "cel", "x": 0, "index": [[1, 2]], "owners": {"wp": "whit"}, "holes": [["3", "9"]]}"#;
        let word = |error: &SidecarError| place(text, error).map(|range| &text[range]);
        assert_eq!(word(&SidecarError::NoRelation("cel".to_owned())), Some("\"cel\""));
        assert_eq!(word(&SidecarError::NoRole("whit".to_owned())), Some("\"whit\""));
        assert_eq!(word(&SidecarError::NoSquare(vec!["3".to_owned(), "9".to_owned()])), Some("\"3\""));
        let content = SidecarError::NoContent { key: "owners", name: "wp".to_owned(), known: Vec::new() };
        assert_eq!(word(&content), Some("\"wp\""));
        let argument = |path| SidecarError::NoArgument { relation: "cel".to_owned(), path };
        assert_eq!(word(&argument(vec![0])), Some("\"x\""));
        assert_eq!(word(&argument(vec![1, 2])), Some("\"index\""));
        assert_eq!(word(&argument(vec![7])), None);
    }
}
