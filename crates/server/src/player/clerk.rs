//! The clerk: the thread of one match that reads the rules, follows the state, translates moves, and computes
//! the legal moves, so that there is an answer even if the player has none. The player has a thread of its
//! own.
//!
//! Invariants: the clerk passes every question on to the player before it evaluates anything for it; it
//! abandons an evaluation that delays the next question; it ends when its match leaves the table.

use super::position::Position;
use super::running::RunningMatch;
use super::thinker::{Question, Seen, Thinker};
use super::thought::{Legal, Thought};
use super::{PlayerConfig, PlayerFactory};
use ggp_datalog::Limits;
use ggp_game::{
    Clocks, Fact, Game, InformationSet, Interpreter, JointMoveError, Move, PlayError, Role, StateMachine,
    StopToken,
};
use ggp_gdl::Strictness;
use ggp_protocol::Seen as Told;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, OnceLock};
use std::thread;

/// The stack size of a player's thread, in bytes.
const STACK: usize = 4 << 20;

/// A message to the clerk of a match.
#[derive(Debug)]
pub(super) enum Command {
    /// PLAY: what happened in the last step, and the question for a move.
    Play { told: Told, thought: Arc<Thought> },
    /// STOP: the match is over.
    Stop { told: Told },
}

/// `Seated`: what the rules of a match say about its player.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seated {
    pub(super) role: Role,
    /// Whether the rules have percepts (GDL-II).
    pub(super) hidden: bool,
}

/// The parameters and channels of a new match.
pub(super) struct Beginning {
    pub(super) id: String,
    pub(super) role: String,
    pub(super) rules: Vec<u8>,
    pub(super) clocks: Clocks,
    pub(super) thought: Arc<Thought>,
    pub(super) commands: Receiver<Command>,
    /// Raised when the match has left the table; it stops every evaluation of its rules.
    pub(super) quit: Arc<AtomicBool>,
    /// Raised when the clerk's own evaluation delays a question to the player.
    pub(super) hurry: StopToken,
    /// Receives the role and the kind of game once the rules have been read.
    pub(super) seated: Arc<OnceLock<Seated>>,
    pub(super) running: RunningMatch,
}

impl Beginning {
    /// Runs the match to its end on the calling thread.
    pub(super) fn run(self, config: &PlayerConfig, factory: Arc<dyn PlayerFactory>) {
        let span = tracing::info_span!("match", id = %self.id);
        let _entered = span.enter();
        let (thought, running) = (Arc::clone(&self.thought), Arc::new(self.running));
        let begin = || {
            let (game, role) = read_game(self.rules, &self.role, config, &self.quit)?;
            let hidden = game.has_percepts();
            let _ = self.seated.set(Seated { role, hidden });
            let (ask, questions) = channel();
            let thinker = Thinker {
                id: self.id,
                game: Arc::clone(&game),
                role,
                clocks: self.clocks,
                ponders: config.ponder,
                thought: self.thought,
                questions,
            };
            let running = Arc::clone(&running);
            let spawned =
                thread::Builder::new().name("player".to_owned()).stack_size(STACK).spawn(move || {
                    let _running = running;
                    thinker.run(&*factory);
                });
            spawned.inspect_err(|error| tracing::error!(%error, "no thread for a player")).ok()?;
            let position = Position::initial(&game, &self.hurry)
                .inspect_err(|error| tracing::warn!(%error, "the initial state cannot be evaluated"))
                .ok();
            let guess = if hidden { Guess::initial(&game, role, &self.hurry) } else { None };
            let mut clerk = Clerk { game, role, hidden, position, guess, turn: 0 };
            let mut last = Arc::clone(&thought);
            for command in &self.commands {
                match command {
                    Command::Play { told, thought } => {
                        let seen = clerk.follow(&told, last.answer().as_deref());
                        last = Arc::clone(&thought);
                        let (seen, joint) = match seen {
                            Ok(seen) => seen,
                            Err(error) => {
                                tracing::warn!(%error, "PLAY");
                                thought.pass_on();
                                thought.refuse();
                                continue;
                            }
                        };
                        let question = Question::Play { seen: seen.clone(), thought: Arc::clone(&thought) };
                        if ask.send(question).is_err() {
                            // The player's thread has ended; the answer is a legal move instead.
                            thought.propose(super::thought::Proposal::Nothing);
                        }
                        thought.pass_on();
                        clerk.advance(&seen, joint.as_deref());
                        thought.know_legal(clerk.legal());
                    }
                    Command::Stop { told } => {
                        match clerk.follow(&told, last.answer().as_deref()) {
                            Ok((seen, _)) => drop(ask.send(Question::Stop { seen })),
                            Err(error) => tracing::warn!(%error, "STOP"),
                        }
                        break;
                    }
                }
            }
            Some(())
        };
        // A panic here is a bug; it ends this match only.
        let ended = catch_unwind(AssertUnwindSafe(begin));
        // The count is decremented before the refusal, so that the match can be begun again at once.
        drop(running);
        match ended {
            Ok(Some(())) => {}
            Ok(None) => thought.refuse(),
            Err(_) => {
                tracing::error!("the match's thread panicked");
                thought.refuse();
            }
        }
    }
}

/// Reads the rules. `None` if they cannot be played in this role; the cause is logged.
fn read_game(
    rules: Vec<u8>,
    role: &str,
    config: &PlayerConfig,
    quit: &Arc<AtomicBool>,
) -> Option<(Arc<Game>, Role)> {
    let description = match ggp_gdl::parse_rules(&rules) {
        Ok(description) => description,
        Err(errors) => {
            let first = errors.diagnostics.first().map(|d| d.message.as_str()).unwrap_or_default();
            tracing::warn!(error = first, "the rules cannot be read");
            return None;
        }
    };
    drop(rules);
    let limits = Limits { interrupt: Some(Arc::clone(quit)), ..config.rules.clone() };
    let game = match Game::with_limits(description, Strictness::Lenient, limits) {
        Ok(game) => Arc::new(game),
        Err(errors) => {
            let first = errors.first().map(|d| d.message.as_str()).unwrap_or_default();
            tracing::warn!(error = first, "the rules cannot be played");
            return None;
        }
    };
    let found = game.role_named(role);
    if found.is_none() {
        tracing::warn!(role, "the rules have no such role");
    }
    found.map(|role| (game, role))
}

/// `Clerk`: the state of a match as far as it is known.
struct Clerk {
    game: Arc<Game>,
    role: Role,
    hidden: bool,
    /// `None` if the state is not known (GDL-II), or cannot be evaluated within the limits.
    position: Option<Position>,
    /// The possible state of GDL-II, while it is consistent with the percepts.
    guess: Option<Guess>,
    /// The number of PLAY and STOP messages followed.
    turn: u32,
}

impl Clerk {
    /// Translates PLAY or STOP into an observation; also returns the joint move to apply if the
    /// state is known. `previous` is the previous answer. An error changes nothing.
    fn follow(
        &mut self,
        told: &Told,
        previous: Option<&str>,
    ) -> Result<(Seen, Option<Vec<Move>>), PlayError> {
        let (seen, joint) = match told {
            Told::Nothing if self.hidden && self.turn > 0 => (self.percepts(previous, &[]), None),
            Told::Moves(terms) if self.hidden && !self.is_joint(terms, previous) => {
                (self.percepts(previous, terms), None)
            }
            // Turn 0 is the first turn, without percepts.
            Told::Nothing | Told::Percepts { turn: 0, .. } => (Seen::Start, None),
            Told::Moves(terms) => {
                let (texts, joint) = self.read_joint(terms)?;
                (Seen::Moves(texts), joint)
            }
            Told::Percepts { turn, own, percepts } => {
                let own = own.as_deref().or(previous).unwrap_or("nil").to_owned();
                (Seen::Percepts { turn: *turn, own, seen: percepts.clone() }, None)
            }
        };
        self.turn += 1;
        Ok((seen, joint))
    }

    /// Percepts in an old dialect, without the turn number and the player's own move.
    fn percepts(&mut self, previous: Option<&str>, terms: &[String]) -> Seen {
        let mut seen: Vec<Fact> = terms.iter().map(|text| Fact::from_canonical(text.as_str())).collect();
        seen.sort_unstable();
        Seen::Percepts { turn: self.turn, own: previous.unwrap_or("nil").to_owned(), seen }
    }

    /// Whether a list that may be percepts is the joint move: it has one move a role, and this role's is
    /// the previous answer.
    fn is_joint(&self, terms: &[String], previous: Option<&str>) -> bool {
        terms.len() == self.game.role_count()
            && previous.is_some_and(|own| own.eq_ignore_ascii_case(&terms[self.role.index()]))
    }

    /// Translates a joint move into the rules' spelling.
    fn read_joint(&mut self, terms: &[String]) -> Result<(Vec<String>, Option<Vec<Move>>), PlayError> {
        let roles = self.game.role_count();
        if terms.len() != roles {
            return Err(JointMoveError::WrongLength { given: terms.len(), roles }.into());
        }
        let Some(position) = &mut self.position else { return Ok((terms.to_vec(), None)) };
        let joint = position.parse_joint(terms)?;
        Ok((position.texts(&joint), Some(joint)))
    }

    /// Follows the match to the state after `seen`; `joint` is the joint move, if it is known.
    fn advance(&mut self, seen: &Seen, joint: Option<&[Move]>) {
        match seen {
            Seen::Start => {}
            Seen::Moves(_) => {
                self.guess = None;
                if let (Some(joint), Some(position)) = (joint, &mut self.position)
                    && let Err(error) = position.advance(joint)
                {
                    tracing::warn!(%error, "the state cannot be followed any more");
                    self.position = None;
                }
            }
            Seen::Percepts { own, seen, .. } => {
                self.position = None;
                if self.guess.as_mut().is_some_and(|guess| guess.update(own, seen).is_none()) {
                    tracing::warn!("what is seen agrees with no state that was thought possible");
                    self.guess = None;
                }
            }
        }
    }

    fn legal(&mut self) -> Legal {
        match (&self.position, &mut self.guess) {
            (Some(position), _) => Legal::Moves(position.legal(self.role)),
            (None, Some(guess)) => guess.legal().map_or(Legal::Unknown, Legal::Moves),
            (None, None) => Legal::Unknown,
        }
    }
}

/// The possible of a role in a GDL-II game, large enough to know the legal moves.
struct Guess {
    machine: Interpreter,
    possible: InformationSet<Interpreter>,
}

/// The number of states in a [`Guess`]. A role has the same legal moves in all of them, so few suffice.
const STATES: usize = 20;

impl Guess {
    fn initial(game: &Arc<Game>, role: Role, hurry: &StopToken) -> Option<Guess> {
        let mut machine = Interpreter::new(game);
        machine.interrupt_on(hurry);
        let possible = InformationSet::initial(&mut machine, role, STATES).ok()?;
        Some(Guess { machine, possible })
    }

    /// Updates the possible; `None` if no consistent state is left.
    fn update(&mut self, own: &str, seen: &[Fact]) -> Option<()> {
        self.possible.legal_moves(&mut self.machine, &mut Vec::new()).ok()?;
        let own = self.machine.parse_move(own)?;
        self.possible.update(&mut self.machine, own, seen, 0).ok()?;
        if self.machine.has_many_moves() {
            self.machine.release_moves();
        }
        (!self.possible.states().is_empty()).then_some(())
    }

    fn legal(&mut self) -> Option<Vec<String>> {
        let mut legal = Vec::new();
        self.possible.legal_moves(&mut self.machine, &mut legal).ok()?;
        Some(legal.iter().map(|&mv| self.machine.move_text(mv).to_owned()).collect())
    }
}
