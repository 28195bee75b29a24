//! The participants of a tournament, which are named players of any kind, and the reasoners of the
//! tournament's games.
//!
//! Invariants: a player serves a single match. All matches of a game share one reasoner, which is built once.

use crate::build::{Build, BuildError};
use crate::reasoner::Reasoner;
use crate::spec::{KindError, PlayerKind, SuitError};
use crate::trial;
use ggp_arena::{CommandPlayer, Contest, Entrant, PlayerRequest, Players, Referee, Trial, Unfit};
use ggp_game::{Game, PlayError, Player, StateMachine};
use ggp_search::PlayerSpec;
use ggp_server::remote::RemotePlayer;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// A function that receives the name of a game and the reason why it has no network.
type FallbackListener = Box<dyn Fn(&str, &str, &BuildError) + Send + Sync>;

/// The reason why a text describes no participant, or why players cannot be the participants of a tournament.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ParticipantError {
    /// The text does not have the form `NAME=SPEC`.
    #[error("`{0}` is not NAME=SPEC, as strong=mcts:iterations=200")]
    Unnamed(String),
    /// The text after the name describes no player.
    #[error(transparent)]
    Kind(#[from] KindError),
    /// A player does not support a game.
    #[error("{name} in {game}: {error}")]
    Unsuited {
        /// The player's name.
        name: String,
        /// The game's name.
        game: String,
        /// The reason why the player does not support the game.
        error: SuitError,
    },
}

/// A participant of a tournament: a name and a player.
#[derive(Clone, Debug)]
pub struct Participant {
    /// The name. It is unique in a tournament.
    pub name: String,
    /// The text that describes the player. [`Participant::parse`] may append a limit of iterations to it.
    pub spec: String,
    /// The kind of player that plays.
    pub kind: PlayerKind,
}

impl Participant {
    /// Parses `NAME=SPEC`. If `SPEC` describes a search and gives no limit of iterations, `iterations`
    /// becomes the limit.
    ///
    /// # Errors
    /// When the text does not have this form, or `SPEC` describes no player.
    pub fn parse(text: &str, iterations: Option<u64>) -> Result<Participant, ParticipantError> {
        let parts = text.split_once('=').filter(|(name, _)| !name.is_empty() && !name.contains(':'));
        let wanted = || ParticipantError::Unnamed(text.to_owned());
        let (name, spec) = parts.ok_or_else(wanted)?;
        let mut member = Participant { name: name.to_owned(), spec: spec.to_owned(), kind: spec.parse()? };
        member.kind.limit(&mut member.spec, iterations);
        Ok(member)
    }

    /// This participant as an entrant, in the form that a [`Tournament`](ggp_arena::Tournament) takes.
    pub fn entrant(&self) -> Entrant {
        Entrant { name: self.name.clone(), spec: self.spec.clone() }
    }

    /// Whether the player makes the same moves whenever the same match is played again. True for a search
    /// with a fixed seed and a limit of iterations, and for a random player with a fixed seed.
    pub fn repeats_itself(&self) -> bool {
        match &self.kind {
            PlayerKind::Local(PlayerSpec::Mcts(options)) => {
                options.seed.is_some() && options.iterations.is_some()
            }
            PlayerKind::Local(PlayerSpec::Random(options)) => options.seed.is_some(),
            PlayerKind::Command(_) | PlayerKind::Remote(_) => false,
        }
    }
}

/// The participants of a tournament, and the reasoners of the tournament's games.
pub struct Participants {
    members: Vec<Participant>,
    contests: Vec<Contest>,
    build: Build,
    /// The reasoner of each contest's game, in the order of the field `contests`. Each is `None` until its
    /// first use. No network is therefore built before the trials, in which the tournament checks whether
    /// external players answer. Each match uses a clone. The locks make this type `Sync`, because reasoners
    /// need not be `Sync`.
    reasoners: Vec<Mutex<Option<Reasoner>>>,
    /// The time at which this value was made, in milliseconds since 1970. It is part of the match ids for
    /// remote players. A match that is repeated after a crash thus has a new id, and players do not mistake
    /// it for the first one.
    begun: u64,
    /// The number of match ids made so far for remote players. Each new id contains the number of ids made
    /// before it, which makes the id unique.
    remote: AtomicU64,
    on_fallback: Option<FallbackListener>,
}

impl Participants {
    /// The participants `members` for the games of `contests`.
    ///
    /// # Errors
    /// When a player does not support a game.
    pub fn new(
        members: Vec<Participant>,
        contests: &[Contest],
        build: Build,
    ) -> Result<Participants, ParticipantError> {
        for contest in contests {
            for Participant { name, kind, .. } in &members {
                let suits = kind.suits(&contest.game);
                suits.map_err(|error| ParticipantError::Unsuited {
                    name: name.clone(),
                    game: contest.name.clone(),
                    error,
                })?;
            }
        }
        Ok(Participants {
            members,
            contests: contests.to_vec(),
            build,
            reasoners: contests.iter().map(|_| Mutex::default()).collect(),
            begun: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64),
            remote: AtomicU64::new(0),
            on_fallback: None,
        })
    }

    /// Calls `listener` for each game whose network cannot be built: with the name of the game, the name of the
    /// machine that evaluates it in place of the network, and the reason.
    #[must_use]
    pub fn on_fallback(
        mut self,
        listener: impl Fn(&str, &str, &BuildError) + Send + Sync + 'static,
    ) -> Participants {
        self.on_fallback = Some(Box::new(listener));
        self
    }

    /// Uses `reasoner` for its game, if a contest has that game, instead of building one.
    #[must_use]
    pub fn with_reasoner(self, reasoner: &Reasoner) -> Participants {
        for (contest, place) in self.contests.iter().zip(&self.reasoners) {
            if Arc::ptr_eq(&contest.game, reasoner.game()) {
                *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(reasoner.clone());
            }
        }
        self
    }

    /// A unique match id for one remote player in the match `id`.
    fn remote_id(&self, id: &str) -> String {
        format!("{id}.{:x}.{}", self.begun, self.remote.fetch_add(1, Ordering::Relaxed))
    }

    /// The reasoner of `game`. The first call builds it.
    ///
    /// # Errors
    /// When no contest has the game, or when the game has no network although one is required.
    fn reasoner(&self, game: &Arc<Game>) -> Result<Reasoner, PlayError> {
        let unable = |why: String| PlayError::Unable(why);
        let known = self.contests.iter().position(|contest| Arc::ptr_eq(&contest.game, game));
        let number = known.ok_or_else(|| unable("the game is not known".to_owned()))?;
        let mut place = self.reasoners[number].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reasoner) = &*place {
            return Ok(reasoner.clone());
        }
        let name = &self.contests[number].name;
        let built = self.build.reasoner(game);
        let built = built.map_err(|why| unable(format!("{name} has no network: {why}")))?;
        if let (Some(why), Some(listener)) = (built.fallback(), &self.on_fallback) {
            listener(name, built.name(), why);
        }
        Ok(place.insert(built).clone())
    }
}

impl Players for Participants {
    fn player(
        &self,
        entrant: &Entrant,
        game: &Arc<Game>,
        request: &PlayerRequest<'_>,
    ) -> Result<Box<dyn Player>, PlayError> {
        let member = self.members.iter().find(|member| member.name == entrant.name);
        let member = member.ok_or_else(|| PlayError::Unable("there is no such player".to_owned()))?;
        Ok(match &member.kind {
            PlayerKind::Local(spec) => {
                let player = self.reasoner(game)?.player(spec.clone().with_seed(request.seed));
                player.map_err(|error| PlayError::Unable(error.to_string()))?
            }
            PlayerKind::Command(command) => {
                let player = CommandPlayer::spawn(command, request.match_id, request.grace)?;
                Box::new(player.with_start_patience(request.start_patience))
            }
            PlayerKind::Remote(address) => {
                let id = self.remote_id(request.match_id);
                let player = RemotePlayer::new(address.clone(), id).named(member.name.clone());
                Box::new(player.with_start_patience(request.start_patience))
            }
        })
    }

    fn trial(&self, entrant: &Entrant, trial: &Trial<'_>) -> Result<Vec<String>, Unfit> {
        let member = self.members.iter().find(|member| member.name == entrant.name);
        let tried =
            |member: &Participant| trial::hold(&member.kind, &member.name, &self.remote_id("trial"), trial);
        member.map_or(Ok(Vec::new()), tried)
    }

    fn referee(&self, game: &Arc<Game>) -> Result<Box<dyn Referee>, PlayError> {
        Ok(self.reasoner(game)?.referee())
    }
}

#[cfg(test)]
mod tests {
    use super::Participant;
    use crate::spec::PlayerKind;

    #[test]
    fn iterations_hold_for_searches_that_name_none() {
        let spec = |text: &str| Participant::parse(text, Some(7)).unwrap().spec;
        assert_eq!(spec("a=mcts"), "mcts:iterations=7");
        assert_eq!(spec("a=mcts:c=1"), "mcts:c=1,iterations=7");
        assert_eq!(spec("a=mcts:iterations=9"), "mcts:iterations=9");
        assert_eq!(spec("a=random"), "random");
        let again = Participant::parse("a=mcts:c=1,iterations=7", None).unwrap();
        assert_eq!(Participant::parse("a=mcts:c=1", Some(7)).unwrap().kind, again.kind);
        for bad in ["mcts:iterations=7", "mcts", "=random", "a=chess", "a=cmd:", "a=https:"] {
            assert!(Participant::parse(bad, None).is_err(), "{bad}");
        }
        assert_eq!(
            Participant::parse("a=cmd:./p -x=1", None).unwrap().kind,
            PlayerKind::Command("./p -x=1".to_owned())
        );
    }
}
