//! `ggp fmt`: formats rulesheets in a canonical layout and keeps their comments.

use crate::console;
use crate::exit::Exit;
use crate::file_kind;
use crate::rulesheet;
use anyhow::{Context, bail};
use ggp_gdl::sexpr;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Lay out rulesheets in one canonical way
///
/// Rewrites each file in place and keeps its comments. `-` reads standard input and writes standard
/// output.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  ggp fmt games/*.kif
  ggp fmt --check games/*.kif      names the files that are not laid out; exit code 1 if any
  ggp fmt - < in.kif > out.kif")]
pub(crate) struct Arguments {
    /// The rulesheets, in KIF; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Change no file, and name those that would change
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let mut out = console::stdout();
    let mut exit = Exit::Done;
    for path in &arguments.files {
        // Format the other files even if one fails.
        if let Err(error) = lay_out(path, arguments.check, &mut out, &mut exit) {
            exit = crate::exit::report(&error).max(exit);
        }
    }
    out.flush()?;
    Ok(exit)
}

fn lay_out(path: &Path, only_check: bool, out: &mut impl Write, exit: &mut Exit) -> anyhow::Result<()> {
    let text = rulesheet::read_file(path)?;
    if let Some(why) = no_rules(&text.bytes) {
        bail!("{} is not a rulesheet: {why}", text.name);
    }
    let laid_out = match ggp_gdl::format(&text.bytes) {
        Ok(laid_out) => laid_out,
        Err(errors) => {
            rulesheet::show(&text, &errors.into_diagnostics());
            *exit = Exit::Findings.max(*exit);
            return Ok(());
        }
    };
    let is_stdin = path == Path::new("-");
    if only_check {
        if laid_out != text.bytes {
            writeln!(out, "{}", text.name)?;
            *exit = Exit::Findings.max(*exit);
        }
    } else if is_stdin {
        out.write_all(&laid_out)?;
    } else if laid_out != text.bytes {
        std::fs::write(path, laid_out).with_context(|| format!("cannot write {}", text.name))?;
    }
    Ok(())
}

/// Why `text` holds no rules, so that the layout of rules could break it. `None` if it may hold some, or comments alone.
fn no_rules(text: &[u8]) -> Option<&'static str> {
    if file_kind::is_json(text) {
        return Some("it is JSON; to lay out only the rulesheets of a folder, write `FOLDER/*.kif`");
    }
    // A text with syntax errors is told with them.
    let tree = sexpr::read(text).ok()?;
    // One word may be a fact, such as `terminal`.
    let is_prose = tree.roots().count() > 1 && !tree.roots().any(|root| tree.is_list(root));
    is_prose.then_some("it has words, but no rule or fact in parentheses")
}
