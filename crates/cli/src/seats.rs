//! The assignment of roles to players, from `--human ROLE` and `--player ROLE=SPEC`.

use crate::exit::UsageError;
use crate::reasoner::{self, Reasoning};
use ggp::{BackgroundBuild, Build, KindError, PlayerKind, Reasoner, SpecError};
use ggp_arena::is_nature;
use ggp_game::{Game, Role};
use ggp_search::{Knowledge, MctsOptions, PlayerSpec, Technique};
use std::sync::Arc;
use std::time::Duration;

/// The player of a role.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Taker {
    /// A person at the keyboard.
    Person,
    /// A program, local or remote. The fields are its specification as text, and the parsed specification.
    Player(String, PlayerKind),
    /// The role `random`, whose moves the referee draws.
    Nature,
}

impl Taker {
    /// The name of the player in records.
    pub(crate) fn name(&self) -> &str {
        match self {
            Taker::Person => "human",
            Taker::Player(spec, _) => spec,
            Taker::Nature => ggp_arena::NATURE,
        }
    }

    pub(crate) fn is_person(&self) -> bool {
        matches!(self, Taker::Person)
    }

    /// The options of the tree search that plays the role. `None` if no tree search of this program plays it.
    fn search(&self) -> Option<&MctsOptions> {
        match self {
            Taker::Player(_, PlayerKind::Local(PlayerSpec::Mcts(options))) => Some(options),
            _ => None,
        }
    }

    /// Whether the player is a search with a limit of iterations, so that equal seeds give equal moves.
    pub(crate) fn counts_iterations(&self) -> bool {
        self.search().is_some_and(|options| options.iterations.is_some())
    }

    /// Whether the player ends its turns even if no clock limits them.
    pub(crate) fn ends_by_itself(&self) -> bool {
        match self {
            Taker::Person | Taker::Nature => true,
            Taker::Player(_, kind) => kind.ends_by_itself(),
        }
    }

    /// Whether the player is an external program or a remote player.
    pub(crate) fn is_elsewhere(&self) -> bool {
        matches!(self, Taker::Player(_, PlayerKind::Command(_) | PlayerKind::Remote(_)))
    }
}

/// The players of this program: how they are written, and what they are.
const OWN: [(&str, &str); 4] = [
    ("mcts", "Monte-Carlo tree search, as long as the play clock lasts"),
    ("mcts:iterations=N", "the same, with at most so many iterations a move within the play clock"),
    ("uct", "the search without the techniques that have options, one playout at a time"),
    ("random", "random legal moves"),
];

/// The players outside of this program.
const OUTSIDE: [(&str, &str); 2] = [
    ("http://HOST:PORT", "a player somewhere else, by the GGP protocol over HTTP"),
    ("cmd:PROGRAM ARG…", "a program that reads messages as lines and answers each with a line"),
];

/// The kinds of players, one a line, for help texts. Only some commands take those `outside` of this program.
pub(crate) fn kinds(outside: bool) -> String {
    let outside: &[_] = if outside { &OUTSIDE } else { &[] };
    let line = |(written, meaning): &(&str, &str)| format!("  {written:<18}  {meaning}\n");
    OWN.iter().chain(outside).map(line).collect()
}

/// The part of a help text on the kinds of players.
pub(crate) fn kinds_help(outside: bool) -> String {
    format!("Players:\n{}  `ggp help players` lists all options of these.\n", kinds(outside))
}

/// The error for a text that describes no player, with the players that there are. Only some commands take those
/// `outside` of this program.
pub(crate) fn no_player(error: &KindError, outside: bool) -> UsageError {
    if outside && matches!(error, KindError::Spec(SpecError::UnknownPlayer(_))) {
        let outside = OUTSIDE.map(|(written, _)| written).join(" and ");
        UsageError(format!("{error}, and outside of this program {outside}"))
    } else {
        UsageError::of(error)
    }
}

/// The default play clock.
const PLAY_CLOCK: Duration = Duration::from_secs(1);

/// The play clock. It is `given` if the command line sets it. Otherwise it is the default, or
/// [`Duration::MAX`] if `unlimited` is true, because then no search needs a clock.
pub(crate) fn play_clock(given: Option<Duration>, unlimited: bool) -> Duration {
    given.unwrap_or(if unlimited { Duration::MAX } else { PLAY_CLOCK })
}

/// Assigns players to the roles. A role that no option names gets the tree search. `iterations` is the limit
/// for each search whose specification sets no limit of iterations. An error names players `outside` of this program
/// only if the command takes them.
pub(crate) fn seats(
    game: &Game,
    humans: &[String],
    players: &[String],
    iterations: Option<u64>,
    outside: bool,
) -> Result<Vec<Taker>, UsageError> {
    let mut who: Vec<Option<Taker>> = vec![None; game.role_count()];
    let mut take = |name: &str, taker: Taker| {
        let role = role_named(game, name)?;
        match who[role.index()].replace(taker) {
            None => Ok(()),
            Some(_) => Err(UsageError(format!("two players want the role `{name}`"))),
        }
    };
    for name in humans {
        take(name, Taker::Person)?;
    }
    for text in players {
        let wanted = || UsageError(format!("`{text}` is not ROLE=SPEC, as white=mcts:iterations=200"));
        let (name, spec) = text.split_once('=').ok_or_else(wanted)?;
        if game.role_named(name).is_none() && text.parse::<PlayerKind>().is_ok() {
            let role = game.roles().find(|&role| !is_nature(game, role)).unwrap_or(Role(0));
            let meant = format!("{}={text}", game.role_name(role));
            return Err(UsageError(format!(
                "`{text}` names a player but no role: write ROLE=SPEC, as {meant}"
            )));
        }
        let kind = spec.parse::<PlayerKind>().map_err(|error| no_player(&error, outside))?;
        kind.suits(game).map_err(UsageError::of)?;
        check_knowledge(&kind)?;
        take(name, Taker::Player(spec.to_owned(), kind))?;
    }
    let fill = |(role, taker): (Role, Option<Taker>)| match taker {
        Some(taker) => taker,
        None if is_nature(game, role) => Taker::Nature,
        None => Taker::Player("mcts".to_owned(), PlayerKind::Local(PlayerSpec::Mcts(MctsOptions::default()))),
    };
    let mut who: Vec<Taker> = game.roles().zip(who).map(fill).collect();
    for taker in &mut who {
        if let Taker::Player(spec, kind) = taker {
            kind.limit(spec, iterations);
        }
    }
    Ok(who)
}

/// Refuses a player whose file of knowledge cannot be written: what it learns in its matches would be lost.
pub(crate) fn check_knowledge(kind: &PlayerKind) -> Result<(), UsageError> {
    match kind {
        PlayerKind::Local(PlayerSpec::Mcts(options)) if options.has(Technique::Learn) => {
            options.knowledge.as_deref().map_or(Ok(()), Knowledge::check_write).map_err(UsageError::of)
        }
        _ => Ok(()),
    }
}

/// The role called `name`, which a player or a person can have.
pub(crate) fn role_named(game: &Game, name: &str) -> Result<Role, UsageError> {
    let known = || game.roles().map(|role| game.role_name(role)).collect::<Vec<_>>().join(", ");
    let unknown = || UsageError(format!("the game has no role `{name}`; its roles are {}", known()));
    let role = game.role_named(name).ok_or_else(unknown)?;
    if is_nature(game, role) {
        return Err(UsageError(format!("the role `{name}` belongs to nobody")));
    }
    Ok(role)
}

/// Starts to build, in the background, the reasoner that this program's tree searches use, and the hints for
/// people. `who` holds the players of all roles. If none of them searches, the reasoner is the interpreter.
pub(crate) fn prepare(
    who: &[Taker],
    reasoning: Reasoning,
    game: &Arc<Game>,
) -> anyhow::Result<BackgroundBuild> {
    let hints = who.iter().any(Taker::is_person);
    let mut searches = who.iter().filter_map(Taker::search).peekable();
    if searches.peek().is_none() && !hints {
        return Ok(BackgroundBuild::finished(Reasoner::interpreter(game)));
    }
    let decisive = hints || searches.any(|options| options.has(Technique::Decisive));
    let build = Build { decisive, ..reasoning.long_build() };
    Ok(build.begin(game)?.on_notice(reasoner::say))
}

/// The roles with their players, in one line: `white mcts, black human`.
pub(crate) fn line(game: &Game, who: &[Taker]) -> String {
    let seat = |(role, taker): (Role, &Taker)| format!("{} {}", game.role_name(role), taker.name());
    game.roles().zip(who).map(seat).collect::<Vec<_>>().join(", ")
}
