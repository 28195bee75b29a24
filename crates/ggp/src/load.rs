//! Loads a [`Game`] from a path or a text, and collects every diagnostic of its rules.

use ggp_datalog::Limits;
use ggp_game::{Game, add_opening_findings};
use ggp_gdl::{Diagnostic, Severity, Strictness, render};
use std::fmt::{self, Display, Formatter};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// The maximum size of a rulesheet, in bytes. The largest published rulesheet has 2 MB.
pub const MAX_RULESHEET_BYTES: u64 = 256 << 20;

/// Reads the rulesheet at `path`, checks it at the default strictness, and returns its game. Warnings do not
/// prevent loading; [`Rulesheet::check`] returns them.
///
/// # Errors
/// When the file cannot be read, or its rules cannot be played.
///
/// # Examples
/// ```
/// let error = ggp::load("games/no_such_game.kif").unwrap_err();
/// assert!(error.to_string().starts_with("cannot read games/no_such_game.kif"));
/// ```
pub fn load(path: impl AsRef<Path>) -> Result<Arc<Game>, LoadError> {
    Rulesheet::read(path)?.game(Strictness::Default, Limits::default()).map(Arc::new)
}

/// Checks the rules in the text `kif` at the default strictness, and returns their game. Diagnostics call the
/// text `<text>`.
///
/// # Errors
/// When the rules cannot be played.
///
/// # Examples
/// ```
/// let game = ggp::parse("(role a) (legal a go) (next done) (<= terminal (true done)) (goal a 100)")?;
/// assert_eq!(game.role_count(), 1);
///
/// let error = ggp::parse("(role a) (legal a ?move)").unwrap_err();
/// assert!(error.diagnostics().iter().any(|finding| finding.message.contains("?move")));
/// # Ok::<(), ggp::Error>(())
/// ```
pub fn parse(kif: &str) -> Result<Arc<Game>, LoadError> {
    Rulesheet::new("<text>", kif).game(Strictness::Default, Limits::default()).map(Arc::new)
}

/// The text of a rulesheet and the name that diagnostics give it.
#[derive(Clone, Debug)]
pub struct Rulesheet {
    /// The name that diagnostics show. Usually it is the path.
    pub name: String,
    /// The text, in KIF.
    pub bytes: Vec<u8>,
}

impl Rulesheet {
    /// A rulesheet with the text `kif`. Diagnostics show `name` as its name.
    pub fn new(name: impl Into<String>, kif: impl Into<Vec<u8>>) -> Rulesheet {
        Rulesheet { name: name.into(), bytes: kif.into() }
    }

    /// Reads the file at `path`, which may have at most [`MAX_RULESHEET_BYTES`].
    ///
    /// # Errors
    /// When the file cannot be read or is longer. If the file is missing, the message suggests a similar path
    /// that exists.
    pub fn read(path: impl AsRef<Path>) -> Result<Rulesheet, LoadError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        if path.is_dir() {
            let why = "it is a directory; name a file in it".to_owned();
            return Err(LoadError::unreadable(name, why));
        }
        let opened = File::open(path);
        match opened {
            Ok(file) => Rulesheet::read_from(name, file),
            Err(error) => Err(LoadError::missing(name, hint(path), &error)),
        }
    }

    /// Reads all of `source`, which may have at most [`MAX_RULESHEET_BYTES`]. Diagnostics show `name` as its
    /// name.
    ///
    /// # Errors
    /// When reading fails, or the source is longer.
    pub fn read_from(name: impl Into<String>, source: impl Read) -> Result<Rulesheet, LoadError> {
        let (name, mut bytes) = (name.into(), Vec::new());
        match source.take(MAX_RULESHEET_BYTES + 1).read_to_end(&mut bytes) {
            Err(error) => Err(LoadError::unreadable(name, error.to_string())),
            Ok(_) if bytes.len() as u64 > MAX_RULESHEET_BYTES => {
                let why = format!("it is larger than {} MiB", MAX_RULESHEET_BYTES >> 20);
                Err(LoadError::unreadable(name, why))
            }
            Ok(_) => Ok(Rulesheet { name, bytes }),
        }
    }

    /// The game, and all diagnostics of the rules. The game is `None` if the rules are not valid at this strictness. A
    /// game that cannot begin, since it is over in the first state or a role has no move there, is given beside the error
    /// that says so: its first state can be looked at. `limits` bound every evaluation of the game's rules.
    ///
    /// # Examples
    /// ```
    /// use ggp::{Limits, Rulesheet, Severity, Strictness};
    /// let text = "(role a) (legal a go) (next on) (<= terminal (true on)) (goal a 100) (<= (p ?x) (q ?x))";
    /// let (game, findings) = Rulesheet::new("mine.kif", text).check(Strictness::Default, Limits::default());
    /// assert!(game.is_some(), "warnings do not prevent play");
    /// assert!(findings.iter().all(|finding| finding.severity == Severity::Warning));
    ///
    /// let text = "(role a) (init on) (legal a go) (next on) (<= terminal (true on)) (goal a 100)";
    /// let (game, findings) = Rulesheet::new("over.kif", text).check(Strictness::Default, Limits::default());
    /// assert_eq!((game.is_some(), findings[0].code), (true, "over-at-start"));
    /// assert_eq!(findings[0].severity, Severity::Error);
    /// ```
    pub fn check(&self, strictness: Strictness, limits: Limits) -> (Option<Game>, Vec<Diagnostic>) {
        let Ok(description) = ggp_gdl::parse(&self.bytes) else {
            return (None, ggp_gdl::diagnose(&self.bytes, strictness));
        };
        let mut findings = ggp_gdl::check(&description, strictness);
        if findings.iter().any(|finding| finding.severity == Severity::Error) {
            return (None, findings);
        }
        match Game::with_limits(description, strictness, limits) {
            Ok(game) => {
                add_opening_findings(&mut findings, &game, strictness);
                (Some(game), findings)
            }
            Err(errors) => {
                findings.extend(errors);
                (None, findings)
            }
        }
    }

    /// The game that these rules describe.
    ///
    /// # Errors
    /// When the rules are not valid at this strictness.
    pub fn game(self, strictness: Strictness, limits: Limits) -> Result<Game, LoadError> {
        let (game, diagnostics) = self.check(strictness, limits);
        game.ok_or(LoadError { name: self.name, cause: Cause::Rules { text: self.bytes, diagnostics } })
    }

    /// The text of `diagnostics` in the form in which the command `ggp check` prints them, errors first. Each
    /// diagnostic shows the lines of this rulesheet to which it refers.
    pub fn render(&self, diagnostics: &[Diagnostic], colours: bool) -> String {
        render(&errors_first(diagnostics), &self.name, &self.bytes, colours)
    }
}

/// Diagnostics with errors before warnings: a warning is often a consequence of an error that stands below it.
fn errors_first(diagnostics: &[Diagnostic]) -> Vec<Diagnostic> {
    let mut sorted = diagnostics.to_vec();
    sorted.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    sorted
}

/// A hint that suggests an existing file whose path resembles `path`. Empty if there is no such file, or if
/// `path` exists.
fn hint(path: &Path) -> String {
    let with_extension = path.with_extension("kif");
    let in_games = Path::new("games").join(with_extension.file_name().unwrap_or_default());
    let meant = [with_extension, in_games].into_iter().find(|p| p.is_file() && !path.exists());
    meant.map_or_else(String::new, |meant| format!(" (did you mean {}?)", meant.display()))
}

/// The reason why a rulesheet gives no game. The `Display` form is that of the command `ggp check`: every
/// diagnostic shows the source lines to which it refers.
#[derive(Clone, Debug)]
pub struct LoadError {
    name: String,
    cause: Cause,
}

#[derive(Clone, Debug)]
enum Cause {
    Unreadable { hint: String, why: String },
    Rules { text: Vec<u8>, diagnostics: Vec<Diagnostic> },
}

impl LoadError {
    fn unreadable(name: String, why: String) -> LoadError {
        LoadError { name, cause: Cause::Unreadable { hint: String::new(), why } }
    }

    fn missing(name: String, hint: String, error: &std::io::Error) -> LoadError {
        LoadError { name, cause: Cause::Unreadable { hint, why: error.to_string() } }
    }

    /// The name of the rulesheet.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All diagnostics in the order of the text, including warnings. Empty if the file could not be read.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match &self.cause {
            Cause::Unreadable { .. } => &[],
            Cause::Rules { diagnostics, .. } => diagnostics,
        }
    }
}

impl Display for LoadError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.cause {
            Cause::Unreadable { hint, why } => write!(f, "cannot read {}{hint}: {why}", self.name),
            Cause::Rules { text, diagnostics } => {
                f.write_str(render(&errors_first(diagnostics), &self.name, text, false).trim_end())
            }
        }
    }
}

impl std::error::Error for LoadError {}
