//! The worker thread of one match. It reads the rules, tracks the state, and translates moves into the
//! spelling of the rules. It also computes the legal moves, so that there is an answer even if the player
//! finds no move. The player runs on a thread of its own.
//!
//! Invariants: the worker passes every question on to the player before it evaluates the next state. It
//! abandons an evaluation that delays the next question. It ends when its match leaves the table of matches.

use super::pending_answer::{Legal, PendingAnswer, Proposal};
use super::player_worker::{PlayerWorker, Question};
use super::running_matches::RunningMatch;
use super::tracked_state::TrackedState;
use super::{PlayerConfig, PlayerFactory};
use ggp_datalog::Limits;
use ggp_game::{
    Clocks, Fact, Game, InformationSet, Interpreter, JointMoveError, Move, Observation, OwnedObservation,
    PlayError, Role, StateMachine, StopToken,
};
use ggp_gdl::Strictness;
use ggp_protocol::LastTurn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread;

/// The stack size of a player's thread, in bytes.
const STACK: usize = 4 << 20;

/// A message to the worker of a match.
#[derive(Debug)]
pub(super) enum Command {
    /// PLAY: the report on the last turn, and the question for a move.
    Play { last_turn: LastTurn, pending: Arc<PendingAnswer> },
    /// STOP: the match is over.
    Stop { last_turn: LastTurn },
}

/// The role that the player plays, and the kind of its game. Both are known once the rules have been read.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlayedRole {
    pub(super) role: Role,
    /// Whether the game has percepts (GDL-II).
    pub(super) has_percepts: bool,
}

/// The content of START, and the channels of the new match.
pub(super) struct MatchStart {
    pub(super) id: String,
    pub(super) role: String,
    pub(super) rules: Vec<u8>,
    pub(super) clocks: Clocks,
    /// The pending answer to START.
    pub(super) pending: Arc<PendingAnswer>,
    pub(super) commands: Receiver<Command>,
    /// Raised when the match is dropped without STOP. It ends every evaluation of the match's rules.
    pub(super) quit: Arc<AtomicBool>,
    /// Raised when an evaluation by the worker delays a question to the player. It ends that evaluation.
    pub(super) hurry: StopToken,
    /// Receives the role that the player plays, once the rules have been read.
    pub(super) played: Arc<OnceLock<PlayedRole>>,
    pub(super) running: RunningMatch,
}

impl MatchStart {
    /// Runs the match to its end on the calling thread.
    pub(super) fn run(self, config: &PlayerConfig, factory: Arc<dyn PlayerFactory>) {
        let span = tracing::info_span!("match", id = %self.id);
        let _entered = span.enter();
        let MatchStart { id, role, rules, clocks, pending, commands, quit, hurry, played, running } = self;
        let running = Arc::new(running);
        let play_match = || {
            let (game, role) = read_game(rules, &role, config, &quit)?;
            let _ = played.set(PlayedRole { role, has_percepts: game.has_percepts() });
            let (questions, receiver) = channel();
            let player = PlayerWorker {
                id,
                game: Arc::clone(&game),
                role,
                clocks,
                ponders: config.ponder,
                start: Arc::clone(&pending),
                questions: receiver,
            };
            spawn_player(player, factory, Arc::clone(&running))?;
            let mut worker = MatchWorker::new(game, role, &hurry);
            worker.run(&commands, &questions, Arc::clone(&pending));
            Some(())
        };
        // A panic here is a bug; it ends this match only.
        let ended = catch_unwind(AssertUnwindSafe(play_match));
        // The count is decremented before the refusal, so that the manager can start the match again at once.
        drop(running);
        match ended {
            Ok(Some(())) => {}
            Ok(None) => pending.refuse(),
            Err(_) => {
                tracing::error!("the match's thread panicked");
                pending.refuse();
            }
        }
    }
}

/// Runs `player` on a new thread. The thread drops `running` at its end, so the match counts as running until
/// then. Returns `None` and logs the cause if the thread cannot be spawned.
fn spawn_player(
    player: PlayerWorker,
    factory: Arc<dyn PlayerFactory>,
    running: Arc<RunningMatch>,
) -> Option<()> {
    let spawned = thread::Builder::new().name("player".to_owned()).stack_size(STACK).spawn(move || {
        let _running = running;
        player.run(&*factory);
    });
    spawned.inspect_err(|error| tracing::error!(%error, "cannot start a thread for a player")).ok().map(drop)
}

/// Reads the rules. Returns `None` and logs the cause if the rules are invalid or have no role `role`.
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

/// The data with which the worker follows its match.
struct MatchWorker {
    game: Arc<Game>,
    role: Role,
    /// The current state. `None` if it is not known, because the player received percepts (GDL-II) instead of
    /// a joint move, or if it cannot be evaluated within the limits.
    state: Option<TrackedState>,
    /// The possible states in a GDL-II game. `None` in GDL-I. Also `None` once the manager has reported a
    /// joint move, once no possible state agrees with the percepts, and once an evaluation has failed.
    possible: Option<PossibleStates>,
    /// The number of PLAY and STOP messages that have been translated.
    turn: u32,
}

impl MatchWorker {
    fn new(game: Arc<Game>, role: Role, hurry: &StopToken) -> MatchWorker {
        let state = TrackedState::initial(&game, hurry)
            .inspect_err(|error| tracing::warn!(%error, "the initial state cannot be evaluated"))
            .ok();
        let possible = game.has_percepts().then(|| PossibleStates::initial(&game, role, hurry)).flatten();
        MatchWorker { game, role, state, possible, turn: 0 }
    }

    /// Handles commands until STOP, or until the channel `commands` is closed. Sends questions for the player
    /// to `questions`. `answered` is the answer to START, which may still be pending.
    fn run(
        &mut self,
        commands: &Receiver<Command>,
        questions: &Sender<Question>,
        mut answered: Arc<PendingAnswer>,
    ) {
        for command in commands {
            match command {
                Command::Play { last_turn, pending } => {
                    let observed = self.translate(&last_turn, answered.answer().as_deref());
                    answered = Arc::clone(&pending);
                    match observed {
                        Ok((observation, joint)) => {
                            self.ask(questions, &observation, joint.as_deref(), &pending);
                        }
                        Err(error) => {
                            tracing::warn!(%error, "PLAY");
                            pending.pass_on();
                            pending.refuse();
                        }
                    }
                }
                Command::Stop { last_turn } => {
                    match self.translate(&last_turn, answered.answer().as_deref()) {
                        Ok((observation, _)) => drop(questions.send(Question::Stop { observation })),
                        Err(error) => tracing::warn!(%error, "STOP"),
                    }
                    return;
                }
            }
        }
    }

    /// First sends the player a question for a move. Then advances the state by `joint`, and gives the legal
    /// moves of the new state to `pending`, which checks whether the player's proposed move is among them.
    fn ask(
        &mut self,
        questions: &Sender<Question>,
        observation: &OwnedObservation,
        joint: Option<&[Move]>,
        pending: &Arc<PendingAnswer>,
    ) {
        let question = Question::Play { observation: observation.clone(), pending: Arc::clone(pending) };
        if questions.send(question).is_err() {
            // The player's thread has ended; the answer is a legal move instead.
            pending.propose(Proposal::Nothing);
        }
        pending.pass_on();
        self.advance(observation, joint);
        pending.know_legal(self.legal());
    }

    /// Translates the report of a PLAY or STOP into an observation. Also returns the joint move, or `None` if
    /// the report has none or the state is not known. `previous` is the player's previous answer. After an
    /// error, `self` is as before.
    fn translate(
        &mut self,
        last_turn: &LastTurn,
        previous: Option<&str>,
    ) -> Result<(OwnedObservation, Option<Vec<Move>>), PlayError> {
        let has_percepts = self.game.has_percepts();
        let (observation, joint) = match last_turn {
            LastTurn::Nothing if has_percepts && self.turn > 0 => (self.percepts(previous, &[]), None),
            LastTurn::Moves(terms) if has_percepts && !self.is_joint(terms, previous) => {
                (self.percepts(previous, terms), None)
            }
            // Turn 0 is the first turn, without percepts.
            LastTurn::Nothing | LastTurn::Percepts { turn: 0, .. } => (OwnedObservation::Start, None),
            LastTurn::Moves(terms) => {
                let (texts, joint) = self.read_joint(terms)?;
                (OwnedObservation::Moves(texts), joint)
            }
            LastTurn::Percepts { turn, own, percepts } => {
                let own = own.as_deref().or(previous).unwrap_or("nil").to_owned();
                (OwnedObservation::Percepts { turn: *turn, own, seen: percepts.clone() }, None)
            }
        };
        self.turn += 1;
        Ok((observation, joint))
    }

    /// The observation for the percepts `terms` in an old dialect, whose messages have neither the turn
    /// number nor the player's own move. The player's previous answer, `previous`, is taken as that move.
    fn percepts(&self, previous: Option<&str>, terms: &[String]) -> OwnedObservation {
        let mut seen: Vec<Fact> = terms.iter().map(|text| Fact::from_canonical(text.as_str())).collect();
        seen.sort_unstable();
        OwnedObservation::Percepts { turn: self.turn, own: previous.unwrap_or("nil").to_owned(), seen }
    }

    /// In a game with percepts, whether the terms `terms` of a report are a joint move and not percepts. They
    /// count as a joint move if there is one term for each role, and the term of the player's role equals the
    /// player's previous answer.
    fn is_joint(&self, terms: &[String], previous: Option<&str>) -> bool {
        terms.len() == self.game.role_count()
            && previous.is_some_and(|own| own.eq_ignore_ascii_case(&terms[self.role.index()]))
    }

    /// Translates a joint move into the spelling of the rules. Also returns it as moves of the state machine,
    /// or `None` if the state is not known.
    fn read_joint(&mut self, terms: &[String]) -> Result<(Vec<String>, Option<Vec<Move>>), PlayError> {
        let roles = self.game.role_count();
        if terms.len() != roles {
            return Err(JointMoveError::WrongLength { given: terms.len(), roles }.into());
        }
        let Some(state) = &mut self.state else { return Ok((terms.to_vec(), None)) };
        let joint = state.parse_joint(terms)?;
        Ok((state.texts(&joint), Some(joint)))
    }

    /// Advances the known state or the possible states by one turn. `joint` is the joint move, or `None` if it is
    /// not known.
    fn advance(&mut self, observation: &OwnedObservation, joint: Option<&[Move]>) {
        match observation {
            OwnedObservation::Start => {}
            OwnedObservation::Moves(_) => {
                self.possible = None;
                if let (Some(joint), Some(state)) = (joint, &mut self.state)
                    && let Err(error) = state.advance(joint)
                {
                    tracing::warn!(%error, "the next state cannot be evaluated: legal moves are unknown from now on");
                    self.state = None;
                }
            }
            OwnedObservation::Percepts { .. } => {
                self.state = None;
                if let Some(possible) = &mut self.possible
                    && let Err(error) = possible.follow(observation.borrowed())
                {
                    tracing::warn!(%error, "legal moves are unknown from now on");
                    self.possible = None;
                }
            }
        }
    }

    fn legal(&mut self) -> Legal {
        match (&self.state, &mut self.possible) {
            (Some(state), _) => Legal::Moves(state.legal(self.role)),
            (None, Some(possible)) => possible.legal().map_or(Legal::Unknown, Legal::Moves),
            (None, None) => Legal::Unknown,
        }
    }
}

/// A few states of the information set of the player's role in a GDL-II game. The legal moves are computed
/// from them.
struct PossibleStates {
    machine: Interpreter,
    states: InformationSet<Interpreter>,
}

/// The largest number of [`PossibleStates`]. A role has the same legal moves in all states of its information
/// set, so few suffice.
const STATES: usize = 20;

impl PossibleStates {
    fn initial(game: &Arc<Game>, role: Role, hurry: &StopToken) -> Option<PossibleStates> {
        let mut machine = Interpreter::new(game);
        machine.interrupt_on(hurry);
        let states = InformationSet::initial(&mut machine, role, STATES).ok()?;
        Some(PossibleStates { machine, states })
    }

    /// Replaces the states by those of their successors that agree with `observation`.
    ///
    /// # Errors
    /// When there is no such successor, or when the rules cannot be evaluated.
    fn follow(&mut self, observation: Observation<'_>) -> Result<(), PlayError> {
        self.states.follow(&mut self.machine, observation, 0)?;
        if self.machine.has_many_moves() {
            self.machine.release_moves();
        }
        Ok(())
    }

    fn legal(&mut self) -> Option<Vec<String>> {
        let mut legal = Vec::new();
        self.states.legal_moves(&mut self.machine, &mut legal).ok()?;
        Some(legal.iter().map(|&mv| self.machine.move_text(mv).to_owned()).collect())
    }
}
