//! Reading of rulesheets: from a path to a [`Game`], with the diagnostics on standard error.

use crate::console;
use crate::file_kind::FileKind;
use anyhow::{anyhow, bail};
use ggp::Rulesheet;
use ggp_datalog::Limits;
use ggp_game::Game;
use ggp_gdl::check::suggest;
use ggp_gdl::diagnostic::count;
use ggp_gdl::{Diagnostic, Severity, Strictness};
use ggp_web::catalogue::{self, Offer};
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
    /// The rulesheet, in KIF; `-` is standard input. The bare name of a game of `ggp web`, such as
    /// `connect_four`, needs no file
    #[arg(value_name = "FILE")]
    pub(crate) path: PathBuf,
    #[command(flatten)]
    pub(crate) level: Level,
}

impl GameFile {
    /// Loads the game, to look at its states. It may be one that cannot begin. Errors, and the number of warnings, go to
    /// standard error.
    pub(crate) fn load(&self) -> anyhow::Result<Arc<Game>> {
        Ok(self.load_text(&read(&self.path)?)?.0)
    }

    /// Loads the game, to play it. Errors, and the number of warnings, go to standard error.
    pub(crate) fn load_to_play(&self) -> anyhow::Result<Arc<Game>> {
        self.load_text_to_play(&read(&self.path)?)
    }

    /// As [`GameFile::load_to_play`], from `text`, which has been read before.
    pub(crate) fn load_text_to_play(&self, text: &Rulesheet) -> anyhow::Result<Arc<Game>> {
        match self.load_text(text)? {
            (game, 0) => Ok(game),
            (_, errors) => Err(unplayable(text, errors)),
        }
    }

    /// The game of `text`, and the number of errors that do not keep its first state from being evaluated.
    fn load_text(&self, text: &Rulesheet) -> anyhow::Result<(Arc<Game>, usize)> {
        let (game, findings) = text.check(self.level.strictness(), Limits::default());
        let errors: Vec<Diagnostic> =
            findings.iter().filter(|f| f.severity == Severity::Error).cloned().collect();
        show(text, &errors);
        let game = game.ok_or_else(|| unplayable(text, errors.len()))?;
        let warnings = findings.len() - errors.len();
        if warnings > 0 {
            let many = count(warnings, "warning");
            console::say(&format!("{}: {many}; `ggp check` shows them", text.name));
        }
        Ok((Arc::new(game), errors.len()))
    }

    /// The name of the game: the file name without its extension.
    pub(crate) fn game_name(&self) -> String {
        let stem = self.path.file_stem().unwrap_or(self.path.as_os_str());
        stem.to_string_lossy().into_owned()
    }
}

fn unplayable(text: &Rulesheet, errors: usize) -> anyhow::Error {
    anyhow!("{} cannot be played: {}", text.name, count(errors, "error"))
}

/// Reads the rulesheet in the file `path`. The path `-` stands for standard input, and the bare name of a game that is
/// part of the program for that game, unless there is a file of this name. A record or another file of this program that
/// holds no rules is refused.
pub(crate) fn read(path: &Path) -> anyhow::Result<Rulesheet> {
    if let Some(offer) = built_in(path) {
        return Ok(Rulesheet::new(offer.name, offer.kif));
    }
    let text = read_text(path).map_err(|error| match meant(path) {
        Some(advice) => anyhow!("{error}\n{advice}"),
        None => error,
    })?;
    of_rules(text)
}

/// As [`read`], but never a game that is part of the program: such a game has no file that could be written.
pub(crate) fn read_file(path: &Path) -> anyhow::Result<Rulesheet> {
    of_rules(read_text(path)?)
}

/// `text`, unless it is a record or another file of this program that holds no rules.
fn of_rules(text: Rulesheet) -> anyhow::Result<Rulesheet> {
    match FileKind::of(&text.bytes) {
        Some(kind) => bail!("{} is not a rulesheet: {}", text.name, kind.advice(&text.name)),
        None => Ok(text),
    }
}

/// Reads the file `path`, which may hold anything. The path `-` stands for standard input.
pub(crate) fn read_text(path: &Path) -> anyhow::Result<Rulesheet> {
    if path == Path::new("-") {
        return Ok(Rulesheet::read_from("<stdin>", std::io::stdin().lock())?);
    }
    Ok(Rulesheet::read(path)?)
}

/// What to write in place of `path`, which names no file, if the program has a game of this name or of a similar one.
fn meant(path: &Path) -> Option<String> {
    let name = path.file_stem().filter(|_| !path.exists())?.to_str()?;
    let offers = catalogue::embedded();
    let names = offers.iter().map(|offer| offer.name.as_str());
    if names.clone().any(|known| known == name) {
        return Some(format!("The program has a game of this name: write `{name}` without a folder."));
    }
    let similar = suggest(name, names)?;
    Some(format!("The program has a game of a similar name: did you mean `{similar}`?"))
}

/// The game of the program that the bare name `path` names. `None` for a path with a folder or an extension, and if there
/// is a file of this name.
pub(crate) fn built_in(path: &Path) -> Option<Offer> {
    let name = path.to_str().filter(|_| !path.exists())?;
    catalogue::embedded().into_iter().find(|offer| offer.name == name)
}

/// Prints diagnostics about `text` on standard error, errors first.
pub(crate) fn show(text: &Rulesheet, findings: &[Diagnostic]) {
    if !findings.is_empty() {
        let shown = text.render(findings, console::colours_stderr());
        console::say(shown.strip_suffix('\n').unwrap_or(&shown));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_name_is_a_game_of_the_program() {
        assert_eq!(built_in(Path::new("hex")).map(|offer| offer.name), Some("hex".to_owned()));
        assert!(built_in(Path::new("games/hex.kif")).is_none());
        assert_eq!(read(Path::new("hex")).expect("it is known").name, "hex");
        let error = read(Path::new("nowhere/hex.kif")).expect_err("no such file").to_string();
        assert!(error.contains("write `hex`"), "{error}");
        let error = read(Path::new("conect_four")).expect_err("no such game").to_string();
        assert!(error.ends_with("did you mean `connect_four`?"), "{error}");
        let error = read(Path::new("no_such_game")).expect_err("no such game").to_string();
        assert!(error.starts_with("cannot read no_such_game") && !error.contains("The program"), "{error}");
    }
}
