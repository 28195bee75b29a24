//! Quoting for Graphviz DOT.

/// `text` as a quoted string of DOT.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
