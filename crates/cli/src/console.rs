//! The terminal: who is one, and what is coloured.
//!
//! Colours go to terminals only, and to none when `NO_COLOR` is set to anything or `TERM` is
//! `dumb` (no-color.org).

use anstyle::{AnsiColor, Style};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, StdoutLock, Write};

/// What failed, or does not hold.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// What holds.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// What matters less.
pub(crate) const FAINT: Style = Style::new().dimmed();

/// Standard output, buffered: flush it when a person should see what was written.
pub(crate) fn stdout() -> BufWriter<Output> {
    BufWriter::new(Output(io::stdout().lock()))
}

/// Standard output. Its errors are told apart from those of other pipes by [`is_closed`].
#[derive(Debug)]
pub(crate) struct Output(StdoutLock<'static>);

/// Nobody reads standard output any more.
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

/// Whether `error` is that nobody reads standard output any more.
pub(crate) fn is_closed(error: &io::Error) -> bool {
    error.get_ref().and_then(|inner| inner.downcast_ref::<OutputClosed>()).is_some()
}

/// The result of writing to standard output by a command that has more to do than to write: its exit
/// code does not depend on whether somebody reads on.
pub(crate) fn unless_closed(written: io::Result<()>) -> io::Result<()> {
    written.or_else(|error| if is_closed(&error) { Ok(()) } else { Err(error) })
}

/// Tells a person something. Nobody listening is no error.
pub(crate) fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Whether standard output takes colours.
pub(crate) fn colours_stdout() -> bool {
    io::stdout().is_terminal() && allows_colour()
}

/// Whether standard error takes colours.
pub(crate) fn colours_stderr() -> bool {
    io::stderr().is_terminal() && allows_colour()
}

fn allows_colour() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !is_set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// `text` in `style`, for standard output.
pub(crate) fn paint_stdout(style: Style, text: &str) -> String {
    paint(colours_stdout(), style, text)
}

/// `text` in `style`, for standard error.
pub(crate) fn paint_stderr(style: Style, text: &str) -> String {
    paint(colours_stderr(), style, text)
}

fn paint(colours: bool, style: Style, text: &str) -> String {
    if colours { format!("{style}{text}{style:#}") } else { text.to_owned() }
}

/// `text` without control characters, so that no input can drive the terminal.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// Asks a person something; the answer is typed on the same line.
pub(crate) fn ask(text: &str) {
    let mut err = io::stderr().lock();
    let _ = write!(err, "{text}").and_then(|()| err.flush());
}

/// `text` as [`printable`], its lines kept.
pub(crate) fn printable_lines(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}
