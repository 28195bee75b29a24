//! Parses the text form of players: `mcts:iterations=200`, `random`, `http://HOST:PORT`, `cmd:PROGRAM ARG…`.

use ggp_game::Game;
use ggp_search::{InformationSetOptions, PlayerSpec, SpecError, UnsupportedOption};
use ggp_server::http::{Address, AddressError};
use std::str::FromStr;

/// The kind of a player: one that runs inside this process, a program to be started, or a player at an
/// address.
///
/// # Examples
/// ```
/// use ggp::PlayerKind;
/// let search: PlayerKind = "mcts:iterations=200".parse()?;
/// assert!(search.ends_by_itself());
/// let remote: PlayerKind = "http://localhost:9147".parse()?;
/// assert!(matches!(remote, PlayerKind::Remote(_)));
/// assert!("chess".parse::<PlayerKind>().unwrap_err().to_string().contains("no player `chess`"));
/// # Ok::<(), ggp::KindError>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub enum PlayerKind {
    /// A player that runs inside this process.
    Local(PlayerSpec),
    /// A program that is started by this command line.
    Command(String),
    /// A player at an address, which is reached by the GGP protocol.
    Remote(Address),
}

/// The reason why a text describes no player.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum KindError {
    /// The command line cannot be split into words.
    #[error("`{spec}`: {why}")]
    Command {
        /// The text that describes the player, with `cmd:`.
        spec: String,
        /// The reason why the command line cannot be split.
        why: String,
    },
    /// The address is malformed.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// The text names no kind of player, or has an option or a value that the player does not accept.
    #[error(transparent)]
    Spec(#[from] SpecError),
}

/// The error for a search with an option that is not supported in games with percepts (GDL-II).
#[derive(Clone, Debug, thiserror::Error)]
#[error(transparent)]
pub struct SuitError(#[from] UnsupportedOption);

impl FromStr for PlayerKind {
    type Err = KindError;

    fn from_str(spec: &str) -> Result<PlayerKind, KindError> {
        if let Some(command) = spec.strip_prefix("cmd:") {
            ggp_arena::command::split_command(command)
                .map_err(|why| KindError::Command { spec: spec.to_owned(), why })?;
            return Ok(PlayerKind::Command(command.to_owned()));
        }
        if spec.starts_with("http:") || spec.starts_with("https:") {
            return Ok(PlayerKind::Remote(spec.parse()?));
        }
        Ok(PlayerKind::Local(spec.parse()?))
    }
}

impl PlayerKind {
    /// Checks whether the player supports `game`.
    ///
    /// # Errors
    /// When the player is a search with an option that is not supported in games with percepts (GDL-II), and
    /// `game` has percepts.
    pub fn suits(&self, game: &Game) -> Result<(), SuitError> {
        match self {
            PlayerKind::Local(spec) if game.has_percepts() => information_set_options(spec).map(|_| ()),
            _ => Ok(()),
        }
    }

    /// Sets the limit of iterations to `iterations` if the player is a search without such a limit. Then also
    /// appends the option to `spec`, the text that describes the player. Changes nothing for other players,
    /// or if `iterations` is `None`.
    pub fn limit(&mut self, spec: &mut String, iterations: Option<u64>) {
        if let (PlayerKind::Local(PlayerSpec::Mcts(options)), Some(most)) = (self, iterations)
            && options.iterations.is_none()
        {
            options.iterations = Some(most);
            let separator = if spec.contains(':') { ',' } else { ':' };
            spec.push_str(&format!("{separator}iterations={most}"));
        }
    }

    /// Whether the player ends its turns even if the match has no clock. True for a search with a limit of
    /// iterations and for a random player.
    pub fn ends_by_itself(&self) -> bool {
        match self {
            PlayerKind::Local(PlayerSpec::Mcts(options)) => options.iterations.is_some(),
            PlayerKind::Local(PlayerSpec::Random(_)) => true,
            PlayerKind::Command(_) | PlayerKind::Remote(_) => false,
        }
    }
}

/// Translates `spec` into options of the player for games with percepts (GDL-II).
pub(crate) fn information_set_options(spec: &PlayerSpec) -> Result<InformationSetOptions, SuitError> {
    match spec {
        PlayerSpec::Mcts(options) => Ok(options.try_into()?),
        PlayerSpec::Random(options) => Ok(InformationSetOptions {
            iterations: Some(0),
            seed: options.seed.unwrap_or(0),
            ..InformationSetOptions::default()
        }),
    }
}
