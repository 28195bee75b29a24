//! Output to the terminal.
//!
//! Colours are used on terminals only, and never if `NO_COLOR` is set to a non-empty value (no-color.org)
//! or `TERM` is `dumb`.

use anstream::adapter::strip_str;
use anstyle::{AnsiColor, Style};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, StdoutLock, Write};

/// The style of failures.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// The style of successes.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// The style of secondary text.
pub(crate) const FAINT: Style = Style::new().dimmed();

/// Buffered standard output. The caller flushes it whenever the output must become visible.
pub(crate) fn stdout() -> BufWriter<Output> {
    BufWriter::new(Output(io::stdout().lock()))
}

/// A writer to standard output. If the reader has closed the pipe, writing fails with an error that
/// [`is_closed`] recognizes.
#[derive(Debug)]
pub(crate) struct Output(StdoutLock<'static>);

/// The error when the reader of standard output has closed the pipe.
#[derive(Debug, thiserror::Error)]
#[error("standard output is closed")]
struct OutputClosed;

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(named)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(named)
    }
}

fn named(error: io::Error) -> io::Error {
    match error.kind() {
        ErrorKind::BrokenPipe => io::Error::new(ErrorKind::BrokenPipe, OutputClosed),
        _ => error,
    }
}

/// Whether `error` means that the reader of standard output has closed the pipe.
pub(crate) fn is_closed(error: &io::Error) -> bool {
    error.get_ref().and_then(|inner| inner.downcast_ref::<OutputClosed>()).is_some()
}

/// Returns `Ok` if the error in `written` means that the reader has closed standard output; otherwise
/// `written`. This function is for commands whose main work is not output: their exit code does not depend on
/// whether anybody reads the output.
pub(crate) fn unless_closed(written: io::Result<()>) -> io::Result<()> {
    written.or_else(|error| if is_closed(&error) { Ok(()) } else { Err(error) })
}

/// Writes a line to standard error and ignores errors.
pub(crate) fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Whether standard output is coloured.
pub(crate) fn colours_stdout() -> bool {
    io::stdout().is_terminal() && allows_colour()
}

/// Whether standard error is coloured.
pub(crate) fn colours_stderr() -> bool {
    io::stderr().is_terminal() && allows_colour()
}

fn allows_colour() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !is_set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// `text` with the codes of `style`, if standard output is coloured.
pub(crate) fn paint_stdout(style: Style, text: &str) -> String {
    paint(colours_stdout(), style, text)
}

/// `text` with the codes of `style`, if standard error is coloured.
pub(crate) fn paint_stderr(style: Style, text: &str) -> String {
    paint(colours_stderr(), style, text)
}

fn paint(colours: bool, style: Style, text: &str) -> String {
    if colours { format!("{style}{text}{style:#}") } else { text.to_owned() }
}

/// `text` with its control characters replaced, so that no input can control the terminal.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// The width of the terminal that shows standard output, in characters. `None` if standard output is no terminal.
pub(crate) fn width_stdout() -> Option<usize> {
    terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| width.0.into())
}

/// The width of the terminal that shows standard error, in characters. `None` if standard error is no terminal.
pub(crate) fn width_stderr() -> Option<usize> {
    terminal_size::terminal_size_of(io::stderr()).map(|(width, _)| width.0.into())
}

/// `head` and `parts` in lines of at most `width` characters. A line breaks only between two parts, and the lines after the
/// first are indented by the length of `head`. One line if `width` is `None`.
pub(crate) fn wrap<S: AsRef<str>>(
    head: &str,
    parts: impl IntoIterator<Item = S>,
    width: Option<usize>,
) -> String {
    let (indent, width) = (head.chars().count(), width.unwrap_or(usize::MAX));
    let (mut lines, mut used) = (head.to_owned(), indent);
    for part in parts {
        let part = part.as_ref();
        if used > indent && used + shown(part.trim_end()) > width {
            lines.truncate(lines.trim_end().len());
            lines.push('\n');
            lines.push_str(&" ".repeat(indent));
            used = indent;
        }
        lines.push_str(part);
        used += shown(part);
    }
    lines.truncate(lines.trim_end().len());
    lines
}

/// The number of characters of `text` that a terminal shows: all but those of the codes of styles.
fn shown(text: &str) -> usize {
    strip_str(text).map(|part| part.chars().count()).sum()
}

/// Writes a prompt to standard error, without a line break.
pub(crate) fn ask(text: &str) {
    let mut err = io::stderr().lock();
    let _ = write!(err, "{text}").and_then(|()| err.flush());
}

/// The same as [`printable`], but keeps line breaks.
pub(crate) fn printable_lines(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::{FAINT, paint, wrap};

    #[test]
    fn a_line_breaks_only_between_parts() {
        let parts = ["white noop   ", "black (move 1 2 1 3)   ", "red noop   "];
        let wrapped = |width| wrap("  1. ", parts, width);
        assert_eq!(wrapped(None), "  1. white noop   black (move 1 2 1 3)   red noop");
        assert_eq!(wrapped(Some(49)), wrapped(None));
        assert_eq!(wrapped(Some(48)), "  1. white noop   black (move 1 2 1 3)\n     red noop");
        assert_eq!(wrapped(Some(30)), "  1. white noop\n     black (move 1 2 1 3)\n     red noop");
        assert_eq!(wrapped(Some(1)), wrapped(Some(30)), "a part that is longer than a line has its own");
    }

    #[test]
    fn codes_of_styles_take_no_place() {
        let parts = ["a", "b"].map(|role| format!("{} noop   ", paint(true, FAINT, role)));
        let (a, b) = (parts[0].trim_end(), parts[1].trim_end());
        assert_eq!(wrap("", &parts, Some(15)), format!("{a}   {b}"));
        assert_eq!(wrap("", &parts, Some(14)), format!("{a}\n{b}"));
    }
}
