//! Makes players from their specifications, and plays single matches between them.

use crate::error::Error;
use crate::reasoner::{Reasoner, WithMachine};
use crate::spec::{PlayerKind, SuitError, information_set_options};
use ggp_arena::{CommandPlayer, MatchSetup, Outcome, Seat, is_nature};
use ggp_game::{Player, Playouts, StateMachine, StopToken};
use ggp_search::{
    InformationSetOptions, InformationSetPlayer, MctsPlayer, PlayerSpec, RandomPlayer, Technique,
};
use ggp_server::remote::RemotePlayer;

impl Reasoner {
    /// The player that `spec` describes. The player uses clones of this reasoner's machine. In a game with
    /// percepts (GDL-II), it is an information-set search, which descends from states drawn from its information
    /// set.
    ///
    /// # Errors
    /// When `spec` has an option that the player for games with percepts does not support.
    ///
    /// # Examples
    /// ```
    /// use ggp::Reasoner;
    /// let game = ggp::parse("(role a) (legal a go) (next done) (<= terminal (true done)) (goal a 100)")?;
    /// let player = Reasoner::new(&game)?.player("mcts:iterations=10".parse()?)?;
    /// assert!(player.report().is_none(), "no search has been made");
    /// # Ok::<(), ggp::Error>(())
    /// ```
    pub fn player(&self, spec: PlayerSpec) -> Result<Box<dyn Player>, SuitError> {
        if self.game().has_percepts() {
            return Ok(self.with(MakeInformationSetPlayer(information_set_options(&spec)?)));
        }
        Ok(self.with(MakePlayer(spec)))
    }
}

struct MakePlayer(PlayerSpec);

impl WithMachine for MakePlayer {
    type Output = Box<dyn Player>;

    fn run<M: Playouts + 'static>(self, mut machine: M) -> Box<dyn Player> {
        match self.0 {
            PlayerSpec::Mcts(options) => {
                // Prepare once for all matches, before any clock runs.
                if options.has(Technique::Decisive) {
                    machine.prepare_decisive();
                }
                Box::new(MctsPlayer::new(options, move |_, _, _| Ok(machine.clone())))
            }
            PlayerSpec::Random(options) => {
                Box::new(RandomPlayer::new(&options, move |_, _, _| Ok(machine.clone())))
            }
        }
    }
}

struct MakeInformationSetPlayer(InformationSetOptions);

impl WithMachine for MakeInformationSetPlayer {
    type Output = Box<dyn Player>;

    fn run<M: Playouts + 'static>(self, machine: M) -> Box<dyn Player> {
        Box::new(InformationSetPlayer::new(self.0, move |_, _, _| Ok(machine.clone())))
    }
}

/// Plays one match. `players` are the players of all roles except `random`, in role order. `setup` sets the
/// clocks, the policy for faults, and the record.
///
/// # Errors
/// When the number of players is wrong, or when a player cannot be made for this game. Faults of players in the
/// match are no errors; [`Outcome::faults`] lists them.
///
/// # Examples
/// ```
/// use ggp::{Clocks, MatchSetup, PlayerKind, Reasoner};
/// use std::time::Duration;
/// let rules = "(role a) (role b) (init (turn a)) (legal a x) (legal a y) (legal b x)
///     (<= (next won) (does a y)) (next over) (<= terminal (true over))
///     (<= (goal a 100) (true won)) (<= (goal a 0) (not (true won))) (goal b 50)";
/// let reasoner = Reasoner::new(&ggp::parse(rules)?)?;
/// let players: [PlayerKind; 2] = ["mcts:iterations=50".parse()?, "random".parse()?];
/// let clocks = Clocks { start: Duration::from_secs(1), play: Duration::from_secs(1) };
/// let outcome = ggp::play_match(&reasoner, &players, MatchSetup::new("example", clocks))?;
/// assert_eq!(outcome.goals, [Some(100), Some(50)]);
/// # Ok::<(), ggp::Error>(())
/// ```
pub fn play_match(reasoner: &Reasoner, players: &[PlayerKind], setup: MatchSetup) -> Result<Outcome, Error> {
    play_match_until(reasoner, players, setup, &StopToken::new())
}

/// The same as [`play_match`], but the match ends soon after `stop` is raised.
///
/// # Errors
/// As [`play_match`].
pub fn play_match_until(
    reasoner: &Reasoner,
    players: &[PlayerKind],
    setup: MatchSetup,
    stop: &StopToken,
) -> Result<Outcome, Error> {
    let game = reasoner.game();
    let wanted = game.roles().filter(|&role| !is_nature(game, role)).count();
    if players.len() != wanted {
        return Err(Error::WrongNumberOfPlayers { given: players.len(), wanted });
    }
    let mut players = players.iter();
    let mut seats = Vec::with_capacity(game.role_count());
    for role in game.roles() {
        if is_nature(game, role) {
            seats.push(Seat::Nature);
        } else if let Some(kind) = players.next() {
            seats.push(Seat::Player(kind.player(reasoner, &setup)?));
        }
    }
    Ok(reasoner.referee().play(setup, &mut seats, &mut (), stop))
}

impl PlayerKind {
    /// A player of this kind for one match. A player that runs inside this process uses a clone of
    /// `reasoner`.
    ///
    /// # Errors
    /// When the player does not support the game, or the player's program cannot be started.
    pub fn player(&self, reasoner: &Reasoner, setup: &MatchSetup) -> Result<Box<dyn Player>, Error> {
        Ok(match self {
            PlayerKind::Local(spec) => reasoner.player(spec.clone())?,
            PlayerKind::Command(command) => Box::new(CommandPlayer::spawn(command, &setup.id, setup.grace)?),
            PlayerKind::Remote(address) => Box::new(RemotePlayer::new(address.clone(), setup.id.clone())),
        })
    }
}
