//! Output to the terminal.
//!
//! Colours are used on terminals only, and never if `NO_COLOR` is set to a non-empty value (no-color.org)
//! or `TERM` is `dumb`.

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

/// Writes a prompt to standard error, without a line break.
pub(crate) fn ask(text: &str) {
    let mut err = io::stderr().lock();
    let _ = write!(err, "{text}").and_then(|()| err.flush());
}

/// The same as [`printable`], but keeps line breaks.
pub(crate) fn printable_lines(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}
