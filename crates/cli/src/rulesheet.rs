//! Reading of rulesheets: from a path to a [`Game`], with the diagnostics on standard error.

use crate::console;
use anyhow::{Context, bail};
use ggp_datalog::Limits;
use ggp_game::Game;
use ggp_gdl::{Diagnostic, Severity, Strictness, check, parse, render};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Size limit of a text, in bytes. The largest published rulesheet has 2 MB.
const MOST_BYTES: u64 = 256 << 20;

/// How much of the specification is insisted on.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Level {
    /// Only what cannot be evaluated is an error
    #[arg(long, conflicts_with = "strict")]
    lenient: bool,
    /// Every breach of the GDL specification is an error
    #[arg(long)]
    strict: bool,
}

impl Level {
    pub(crate) fn strictness(self) -> Strictness {
        match self {
            Level { strict: true, .. } => Strictness::Strict,
            Level { lenient: true, .. } => Strictness::Lenient,
            _ => Strictness::Default,
        }
    }
}

/// The file of a command that is about one game.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct GameFile {
    /// The rulesheet, in KIF; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) path: PathBuf,
    #[command(flatten)]
    pub(crate) level: Level,
}

impl GameFile {
    /// Loads the game. Errors, and the number of warnings, go to standard error.
    pub(crate) fn load(&self) -> anyhow::Result<Arc<Game>> {
        let text = Text::read(&self.path)?;
        let (game, findings) = judge(&text.bytes, self.level.strictness());
        let errors: Vec<Diagnostic> =
            findings.iter().filter(|f| f.severity == Severity::Error).cloned().collect();
        text.show(&errors);
        let Some(game) = game else {
            bail!("{} cannot be played: {}", text.name, count(errors.len(), "error"))
        };
        let warnings = findings.len() - errors.len();
        if warnings > 0 {
            let many = count(warnings, "warning");
            console::say(&format!("{}: {many}; `ggp check` shows them", text.name));
        }
        Ok(Arc::new(game))
    }

    /// The name of the game: the file name without its extension.
    pub(crate) fn game_name(&self) -> String {
        let stem = self.path.file_stem().unwrap_or(self.path.as_os_str());
        stem.to_string_lossy().into_owned()
    }
}

/// The findings about `kif`, and the game unless a finding is an error.
pub(crate) fn judge(kif: &[u8], strictness: Strictness) -> (Option<Game>, Vec<Diagnostic>) {
    judge_within(kif, strictness, Limits::default())
}

/// The same as [`judge`], for a game whose evaluation has the limits `limits`.
pub(crate) fn judge_within(
    kif: &[u8],
    strictness: Strictness,
    limits: Limits,
) -> (Option<Game>, Vec<Diagnostic>) {
    let description = match parse(kif) {
        Ok(description) => description,
        Err(errors) => return (None, errors.into_diagnostics()),
    };
    let mut findings = check(&description, strictness);
    if findings.iter().any(|f| f.severity == Severity::Error) {
        return (None, findings);
    }
    match Game::with_limits(description, strictness, limits) {
        Ok(game) => (Some(game), findings),
        Err(errors) => {
            findings.extend(errors);
            (None, findings)
        }
    }
}

/// A text and its name.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

impl Text {
    /// Reads the file `path`, or standard input if that is `-`.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Text> {
        if path == Path::new("-") {
            let name = "<stdin>".to_owned();
            let bytes = read_all(std::io::stdin().lock()).context("cannot read standard input")?;
            return Ok(Text { name, bytes });
        }
        let name = path.display().to_string();
        if path.is_dir() {
            bail!("cannot read {name}: it is a directory; name a file in it");
        }
        let file = File::open(path).with_context(|| format!("cannot read {name}{}", hint(path)))?;
        let bytes = read_all(file).with_context(|| format!("cannot read {name}"))?;
        Ok(Text { name, bytes })
    }

    /// Prints the diagnostics of this text on standard error.
    pub(crate) fn show(&self, findings: &[Diagnostic]) {
        if !findings.is_empty() {
            let shown = render(findings, &self.name, &self.bytes, console::colours_stderr());
            console::say(shown.strip_suffix('\n').unwrap_or(&shown));
        }
    }
}

fn read_all(source: impl Read) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        bail!("it is larger than {} MiB", MOST_BYTES >> 20);
    }
    Ok(bytes)
}

/// A suggestion for a path that does not exist.
fn hint(path: &Path) -> String {
    let with_extension = path.with_extension("kif");
    let in_games = Path::new("games").join(with_extension.file_name().unwrap_or_default());
    let meant = [with_extension, in_games].into_iter().find(|p| p.is_file() && !path.exists());
    meant.map_or_else(String::new, |meant| format!(" (did you mean {}?)", meant.display()))
}

/// `1 error`, `2 errors`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
