//! The players of matches: their specifications on the command line, and the [`Player`]s made from them.
//!
//! Invariant: each player serves one match; each reasoner is built once per game and shared.

use crate::exit::UsageError;
use crate::reasoner::{Build, LONG_BUILD_TIME, Reasoner, Reasoning, WithMachine};
use crate::trial;
use ggp_arena::{
    CommandPlayer, Contest, Entrant, MachineReferee, Players, Referee, SeatRequest, Trial, Unfit,
};
use ggp_game::{Game, PlayError, Player, Playouts};
use ggp_search::{DeterminizeOptions, DeterminizingPlayer, PlayerSpec};
use ggp_server::http::Address;
use ggp_server::remote::RemotePlayer;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The kinds of players, for the help texts of `match` and `host`.
pub(crate) const KINDS: &str = "\
  mcts, mcts:iterations=N,…   tree search; `ggp help players` lists its options
  random                      random legal moves
  http://HOST:PORT            a player somewhere else, by the GGP protocol
  cmd:PROGRAM ARG…            a program that reads messages as lines and answers each with a line";

/// The kind of player that a specification describes.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Kind {
    /// A player of this program.
    Local(PlayerSpec),
    /// Another program, by its command line.
    Command(String),
    /// A player at an address, by the GGP protocol.
    Remote(Address),
}

impl FromStr for Kind {
    type Err = UsageError;

    fn from_str(spec: &str) -> Result<Kind, UsageError> {
        if let Some(command) = spec.strip_prefix("cmd:") {
            let words = ggp_arena::command::split_command(command);
            words.map_err(|error| UsageError(format!("`{spec}`: {error}")))?;
            return Ok(Kind::Command(command.to_owned()));
        }
        if spec.starts_with("http:") || spec.starts_with("https:") {
            return Ok(Kind::Remote(spec.parse().map_err(|error| UsageError(format!("{error}")))?));
        }
        Ok(Kind::Local(spec.parse().map_err(|error| UsageError(format!("{error}")))?))
    }
}

/// The default play clock.
const PLAY_CLOCK: Duration = Duration::from_secs(1);

/// The play clock: the `given` one, else none where all searches are `unlimited` by time, else the default.
pub(crate) fn play_clock(given: Option<Duration>, unlimited: bool) -> Duration {
    given.unwrap_or(if unlimited { Duration::MAX } else { PLAY_CLOCK })
}

impl Kind {
    /// Checks whether the player supports `game`.
    ///
    /// # Errors
    /// When the specification has options that a game with percepts (GDL-II) does not support.
    pub(crate) fn suits(&self, game: &Game) -> Result<(), UsageError> {
        match self {
            Kind::Local(spec) if game.has_percepts() => determinized(spec).map(|_| ()),
            _ => Ok(()),
        }
    }

    /// Sets the limit of iterations of a search that has none, and appends that option to its text
    /// `spec`.
    pub(crate) fn limit(&mut self, spec: &mut String, iterations: Option<u64>) {
        if let (Kind::Local(PlayerSpec::Mcts(options)), Some(most)) = (self, iterations)
            && options.iterations.is_none()
        {
            options.iterations = Some(most);
            let separator = if spec.contains(':') { ',' } else { ':' };
            spec.push_str(&format!("{separator}iterations={most}"));
        }
    }

    /// Whether the player ends its turns without a clock: a search with a limit of iterations, or a
    /// random player.
    pub(crate) fn ends_by_itself(&self) -> bool {
        match self {
            Kind::Local(PlayerSpec::Mcts(options)) => options.iterations.is_some(),
            Kind::Local(PlayerSpec::Random(_)) => true,
            Kind::Command(_) | Kind::Remote(_) => false,
        }
    }
}

/// A participant of a tournament: a name and a player.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// The specification as written, with the iterations that the command line adds.
    pub(crate) spec: String,
    pub(crate) kind: Kind,
}

impl Entry {
    /// Parses `NAME=SPEC`. `iterations` is the limit for a search that has none of its own.
    pub(crate) fn parse(text: &str, iterations: Option<u64>) -> Result<Entry, UsageError> {
        let parts = text.split_once('=').filter(|(name, _)| !name.is_empty() && !name.contains(':'));
        let wanted = || UsageError(format!("`{text}` is not NAME=SPEC, as strong=mcts:iterations=200"));
        let (name, spec) = parts.ok_or_else(wanted)?;
        let mut entry = Entry { name: name.to_owned(), spec: spec.to_owned(), kind: spec.parse()? };
        entry.kind.limit(&mut entry.spec, iterations);
        Ok(entry)
    }

    pub(crate) fn entrant(&self) -> Entrant {
        Entrant { name: self.name.clone(), spec: self.spec.clone() }
    }

    /// Whether the player makes the same moves if the same match is played again: its seed and its limit
    /// of iterations are fixed.
    pub(crate) fn repeats_itself(&self) -> bool {
        match &self.kind {
            Kind::Local(PlayerSpec::Mcts(options)) => options.seed.is_some() && options.iterations.is_some(),
            Kind::Local(PlayerSpec::Random(options)) => options.seed.is_some(),
            Kind::Command(_) | Kind::Remote(_) => false,
        }
    }
}

/// The participants of a tournament, and the reasoners of its games.
pub(crate) struct Field {
    entries: Vec<Entry>,
    contests: Vec<Contest>,
    reasoning: Reasoning,
    /// By contest; each is built at its first use, so that external players are tried first. The locks
    /// make the field `Sync`, since machines need not be; users clone a reasoner.
    reasoners: Vec<Mutex<Option<Reasoner>>>,
    /// The start time, in milliseconds since 1970, and a counter. They make match ids for remote players
    /// unique, so that a match repeated after a crash is not mistaken for the first one.
    begun: u64,
    remote: AtomicU64,
}

impl Field {
    /// A field of `entries` for the games of `contests`.
    ///
    /// # Errors
    /// When a player does not support a game.
    pub(crate) fn new(
        entries: Vec<Entry>,
        contests: &[Contest],
        reasoning: Reasoning,
    ) -> Result<Field, UsageError> {
        for contest in contests {
            for Entry { name, kind, .. } in &entries {
                let suits = kind.suits(&contest.game);
                suits.map_err(|error| UsageError(format!("{name} in {}: {error}", contest.name)))?;
            }
        }
        Ok(Field {
            entries,
            contests: contests.to_vec(),
            reasoning,
            reasoners: contests.iter().map(|_| Mutex::default()).collect(),
            begun: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64),
            remote: AtomicU64::new(0),
        })
    }

    /// A unique id for remote players in the match `id`.
    fn remote_id(&self, id: &str) -> String {
        format!("{id}.{:x}.{}", self.begun, self.remote.fetch_add(1, Ordering::Relaxed))
    }

    /// The reasoner of `game`, built at its first use.
    ///
    /// # Errors
    /// When the requested reasoner cannot evaluate the game.
    fn reasoner(&self, game: &Arc<Game>) -> Result<Reasoner, PlayError> {
        let unable = |why: String| PlayError::Unable(why);
        let known = self.contests.iter().position(|contest| Arc::ptr_eq(&contest.game, game));
        let number = known.ok_or_else(|| unable("the game is not known".to_owned()))?;
        let mut place = self.reasoners[number].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reasoner) = &*place {
            return Ok(reasoner.clone());
        }
        let build = Build::within(LONG_BUILD_TIME);
        let built = self.reasoning.build_named(&self.contests[number].name, game, &build);
        Ok(place.insert(built.map_err(|error| unable(format!("{error:#}")))?).clone())
    }
}

impl Players for Field {
    fn player(
        &self,
        entrant: &Entrant,
        game: &Arc<Game>,
        seat: &SeatRequest<'_>,
    ) -> Result<Box<dyn Player>, PlayError> {
        let entry = self.entries.iter().find(|entry| entry.name == entrant.name);
        let entry = entry.ok_or_else(|| PlayError::Unable("there is no such player".to_owned()))?;
        Ok(match &entry.kind {
            Kind::Local(spec) => player(&self.reasoner(game)?, game, spec.clone().with_seed(seat.seed))
                .map_err(|error| PlayError::Unable(error.to_string()))?,
            Kind::Command(command) => Box::new(CommandPlayer::spawn(command, seat.match_id, seat.grace)?),
            Kind::Remote(address) => {
                let id = self.remote_id(seat.match_id);
                Box::new(RemotePlayer::new(address.clone(), id).named(entry.name.clone()))
            }
        })
    }

    fn trial(&self, entrant: &Entrant, trial: &Trial<'_>) -> Result<Vec<String>, Unfit> {
        let entry = self.entries.iter().find(|entry| entry.name == entrant.name);
        let tried = |entry: &Entry| trial::hold(&entry.kind, &entry.name, &self.remote_id("trial"), trial);
        entry.map_or(Ok(Vec::new()), tried)
    }

    fn referee(&self, game: &Arc<Game>) -> Result<Box<dyn Referee>, PlayError> {
        Ok(referee(&self.reasoner(game)?))
    }
}

/// The player that `spec` describes. In a game with percepts, it is a determinizing player.
///
/// # Errors
/// When the determinizing player does not support an option.
pub(crate) fn player(
    reasoner: &Reasoner,
    game: &Game,
    spec: PlayerSpec,
) -> Result<Box<dyn Player>, UsageError> {
    if !game.has_percepts() {
        return Ok(reasoner.player(spec));
    }
    Ok(reasoner.with(MakeDeterminizing(determinized(&spec)?)))
}

/// The options of the determinizing player that correspond to `spec`.
fn determinized(spec: &PlayerSpec) -> Result<DeterminizeOptions, UsageError> {
    match spec {
        PlayerSpec::Mcts(options) => options.try_into().map_err(|error| UsageError(format!("{error}"))),
        PlayerSpec::Random(options) => Ok(DeterminizeOptions {
            iterations: Some(0),
            seed: options.seed.unwrap_or(0),
            ..DeterminizeOptions::default()
        }),
    }
}

struct MakeDeterminizing(DeterminizeOptions);

impl WithMachine for MakeDeterminizing {
    type Output = Box<dyn Player>;

    fn run<M: Playouts + 'static>(self, machine: M) -> Box<dyn Player> {
        Box::new(DeterminizingPlayer::new(self.0, move |_, _, _| Ok(machine.clone())))
    }
}

/// A referee that evaluates the rules with `reasoner`.
pub(crate) fn referee(reasoner: &Reasoner) -> Box<dyn Referee> {
    reasoner.with(MakeReferee)
}

struct MakeReferee;

impl WithMachine for MakeReferee {
    type Output = Box<dyn Referee>;

    fn run<M: Playouts + 'static>(self, machine: M) -> Box<dyn Referee> {
        Box::new(MachineReferee::new(machine))
    }
}

#[cfg(test)]
mod tests {
    use super::{Entry, Kind};

    #[test]
    fn iterations_hold_for_searches_that_name_none() {
        let spec = |text: &str| Entry::parse(text, Some(7)).unwrap().spec;
        assert_eq!(spec("a=mcts"), "mcts:iterations=7");
        assert_eq!(spec("a=mcts:c=1"), "mcts:c=1,iterations=7");
        assert_eq!(spec("a=mcts:iterations=9"), "mcts:iterations=9");
        assert_eq!(spec("a=random"), "random");
        let again = Entry::parse("a=mcts:c=1,iterations=7", None).unwrap();
        assert_eq!(Entry::parse("a=mcts:c=1", Some(7)).unwrap().kind, again.kind);
        for bad in ["mcts:iterations=7", "mcts", "=random", "a=chess", "a=cmd:", "a=https:"] {
            assert!(Entry::parse(bad, None).is_err(), "{bad}");
        }
        assert_eq!(Entry::parse("a=cmd:./p -x=1", None).unwrap().kind, Kind::Command("./p -x=1".to_owned()));
    }
}
