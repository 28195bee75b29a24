//! Opens a page in the browser of the user, by the program that the system has for it.

use crate::console;
use std::process::{Command, Stdio};
use std::thread;

/// The program and its first arguments.
#[cfg(target_os = "macos")]
const OPENER: &[&str] = &["open"];
#[cfg(windows)]
const OPENER: &[&str] = &["cmd", "/C", "start", ""];
#[cfg(not(any(target_os = "macos", windows)))]
const OPENER: &[&str] = &["xdg-open"];

/// Opens `address`. Does not wait for the browser. If there is none, a line on standard error says so.
pub(crate) fn open(address: String) {
    let started = thread::Builder::new().name("browser".to_owned()).spawn(move || {
        let mut command = Command::new(OPENER[0]);
        command.args(&OPENER[1..]).arg(&address);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let why = match command.status() {
            Ok(status) if status.success() => return,
            Ok(status) => format!("`{}` failed: {status}", OPENER[0]),
            Err(error) => format!("`{}` cannot be started: {error}", OPENER[0]),
        };
        console::say(&format!("no browser was opened ({why}); open {address} yourself"));
    });
    if let Err(error) = started {
        console::say(&format!("no browser was opened: {error}"));
    }
}
