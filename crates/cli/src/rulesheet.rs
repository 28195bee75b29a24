//! Reading of rulesheets: from a path to a [`Game`], with the diagnostics on standard error.

use crate::console;
use anyhow::bail;
use ggp::Rulesheet;
use ggp_datalog::Limits;
use ggp_game::Game;
use ggp_gdl::diagnostic::count;
use ggp_gdl::{Diagnostic, Severity, Strictness};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The options that set how strictly the specification is enforced.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Level {
    /// Report only rules that cannot be evaluated as errors
    #[arg(long, conflicts_with = "strict")]
    lenient: bool,
    /// Report every breach of the GDL specification as an error
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
        self.load_text(&read(&self.path)?)
    }

    /// Loads the game from `text`, which has been read before. Errors, and the number of warnings, go to standard error.
    pub(crate) fn load_text(&self, text: &Rulesheet) -> anyhow::Result<Arc<Game>> {
        let (game, findings) = text.check(self.level.strictness(), Limits::default());
        let errors: Vec<Diagnostic> =
            findings.iter().filter(|f| f.severity == Severity::Error).cloned().collect();
        show(text, &errors);
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

/// Reads the rulesheet in the file `path`. The path `-` stands for standard input.
pub(crate) fn read(path: &Path) -> anyhow::Result<Rulesheet> {
    if path == Path::new("-") {
        return Ok(Rulesheet::read_from("<stdin>", std::io::stdin().lock())?);
    }
    Ok(Rulesheet::read(path)?)
}

/// Prints diagnostics about `text` on standard error, errors first.
pub(crate) fn show(text: &Rulesheet, findings: &[Diagnostic]) {
    if !findings.is_empty() {
        let shown = text.render(findings, console::colours_stderr());
        console::say(shown.strip_suffix('\n').unwrap_or(&shown));
    }
}
