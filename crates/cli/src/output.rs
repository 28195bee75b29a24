//! What commands print with `--json`. An object begins with its format and version, whose rules are those of
//! [`Format`]: new members leave the version as it is. Lists and lines that are many have no such members.

use ggp_game::Format;
use serde::Serialize;
use std::io::{self, Write};

pub(crate) const ANALYZE: Format = Format::new("ggp analyze", 1);
pub(crate) const LEARNT: Format = Format::new("ggp analyze --learnt", 2);
pub(crate) const BENCH: Format = Format::new("ggp bench", 1);
pub(crate) const CHECK: Format = Format::new("ggp check", 1);
pub(crate) const EXPLAIN: Format = Format::new("ggp check --explain", 1);
pub(crate) const COMPLY: Format = Format::new("ggp comply", 1);
pub(crate) const DOCTOR: Format = Format::new("ggp doctor", 1);
pub(crate) const INFO: Format = Format::new("ggp info", 1);
pub(crate) const DOMAINS: Format = Format::new("ggp info --domains", 1);
/// With hidden information; otherwise `ggp solve` prints a list.
pub(crate) const SOLVE: Format = Format::new("ggp solve", 1);
pub(crate) const STATS: Format = Format::new("ggp stats", 1);
pub(crate) const VIEW: Format = Format::new("ggp view --json", 1);

/// Prints `content` as one line with an object of the format `format`.
pub(crate) fn object(out: &mut impl Write, format: Format, content: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &format.headed(content))?;
    writeln!(out)
}
