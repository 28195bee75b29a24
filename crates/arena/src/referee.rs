//! The referee: plays one match of any game between any players.
//!
//! Invariants: every joint move is legal; whoever answers wrongly is dealt with by [`OnFault`] and
//! named in [`Outcome::faults`]; a match that did not end by the rules or by a forfeit has no
//! goals. A player's clock runs only while that player is asked; in turn, unless
//! [`MatchSetup::parallel`], so that equal clocks are equal time on one core.

use crate::fault::{Fault, FaultKind, OnFault};
use crate::outcome::{Ending, MatchEvent, Observer, Outcome};
use crate::record::{Record, state_text};
use crate::transcript::Transcript;
use ggp_game::rng::Stream;
use ggp_game::{
    Clocks, Deadline, EvalError, Fact, Game, Goals, Move, Observation, PlayError, Player, Role, StateMachine,
    StopToken,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What is agreed before a match.
#[derive(Clone, Debug)]
pub struct MatchSetup {
    /// Its name, one word.
    pub id: String,
    /// The clocks; [`Duration::MAX`] for one that never runs out.
    pub clocks: Clocks,
    /// How long after the play clock an answer is still taken. It counts as overshoot all the same.
    pub grace: Duration,
    /// What becomes of faults.
    pub on_fault: OnFault,
    /// For what the referee draws itself: moves in a player's stead and the role `random`.
    pub seed: u64,
    /// Joint moves that are played before anyone is asked, as texts in role order.
    pub opening: Vec<Vec<String>>,
    /// Whether the players think at the same time, each in a thread of its own.
    pub parallel: bool,
    /// A match of so many steps is given up.
    pub max_steps: u32,
    /// The record to be filled in, with names and whatever else is known; `None` when none is wanted.
    pub record: Option<Record>,
}

impl MatchSetup {
    /// A match `id` with `clocks`, [`DEFAULT_GRACE`], random moves for faults, and no record.
    pub fn new(id: impl Into<String>, clocks: Clocks) -> MatchSetup {
        MatchSetup {
            id: id.into(),
            clocks,
            grace: DEFAULT_GRACE,
            on_fault: OnFault::default(),
            seed: 0,
            opening: Vec::new(),
            parallel: false,
            max_steps: ggp_game::MAX_STEPS,
            record: None,
        }
    }
}

/// The grace unless something else is said: half of what the reference server gives, since most
/// players here are on the same machine.
pub const DEFAULT_GRACE: Duration = Duration::from_millis(500);

/// Who takes a role.
pub enum Seat {
    /// A player.
    Player(Box<dyn Player>),
    /// The role `random`: the referee draws its moves uniformly.
    Nature,
}

/// Whether `role` is played by nobody, but drawn by the referee.
pub fn is_nature(game: &Game, role: Role) -> bool {
    game.nature() == Some(role)
}

/// Someone who can play matches of one game; hides which machine knows the rules.
pub trait Referee: Send {
    /// The game.
    fn game(&self) -> &Arc<Game>;

    /// Plays a match of `seats`, one a role, until it ends or `stop` is raised.
    fn play(
        &mut self,
        setup: MatchSetup,
        seats: &mut [Seat],
        observer: &mut dyn Observer,
        stop: &StopToken,
    ) -> Outcome;

    /// Up to `plies` random joint moves from the initial state that do not end the game; fewer
    /// where the game is shorter.
    ///
    /// # Errors
    /// When the rules cannot be evaluated; [`EvalError::Interrupted`] when `stop` is raised.
    fn opening(&mut self, seed: u64, plies: u32, stop: &StopToken) -> Result<Vec<Vec<String>>, EvalError>;
}

/// A referee that knows the rules by a state machine. Its machine lasts from match to match.
#[derive(Clone, Debug)]
pub struct MachineReferee<M> {
    machine: M,
    percepts: bool,
}

/// How often an opening is drawn anew when it ended the game.
const OPENING_DRAWS: u64 = 20;

impl<M: StateMachine> MachineReferee<M> {
    /// A referee with `machine`.
    pub fn new(machine: M) -> MachineReferee<M> {
        let percepts = machine.game().has_percepts();
        MachineReferee { machine, percepts }
    }

    /// All legal moves, one list a role; the first role without any as the error.
    fn legal_moves(&mut self, state: &M::State) -> Result<Result<Vec<Vec<Move>>, Role>, EvalError> {
        let mut all = Vec::with_capacity(self.machine.game().role_count());
        for role in self.machine.game().roles() {
            let mut legal = Vec::new();
            self.machine.legal_moves(state, role, &mut legal)?;
            if legal.is_empty() {
                return Ok(Err(role));
            }
            all.push(legal);
        }
        Ok(Ok(all))
    }

    fn texts(&self, joint: &[Move]) -> Vec<String> {
        joint.iter().map(|&mv| self.machine.move_text(mv).to_owned()).collect()
    }

    fn opening_draw(&mut self, stream: Stream, plies: u32) -> Result<Vec<Vec<String>>, EvalError> {
        let mut state = self.machine.initial_state()?;
        let mut opening = Vec::new();
        for step in 0..plies {
            let Ok(legal) = self.legal_moves(&state)? else { break };
            let draw = |(role, legal): (usize, &Vec<Move>)| {
                legal[stream.below(step, Role(role as u8), legal.len() as u32) as usize]
            };
            let joint: Vec<Move> = legal.iter().enumerate().map(draw).collect();
            let next = self.machine.next_state(&state, &joint)?;
            if self.machine.is_terminal(&next)? {
                break;
            }
            opening.push(self.texts(&joint));
            state = next;
        }
        Ok(opening)
    }
}

impl<M: StateMachine> Referee for MachineReferee<M> {
    fn game(&self) -> &Arc<Game> {
        self.machine.game()
    }

    fn play(
        &mut self,
        setup: MatchSetup,
        seats: &mut [Seat],
        observer: &mut dyn Observer,
        stop: &StopToken,
    ) -> Outcome {
        self.machine.interrupt_on(stop);
        let roles = self.machine.game().role_count();
        let transcript = Transcript::new(setup.record.clone(), &setup, roles);
        if seats.len() != roles {
            let why = format!("{roles} roles, but {} seats", seats.len());
            return transcript.close(Ending::Unplayed(why));
        }
        let mut table = Table { referee: self, setup: &setup, seats, observer, stop, transcript };
        let ending = match table.play() {
            Ok(ending) => ending,
            Err(EvalError::Interrupted) => Ending::Interrupted,
            Err(error) => Ending::RulesFailed(error.to_string()),
        };
        let outcome = table.transcript.close(ending);
        observer.observe(MatchEvent::End(&outcome));
        outcome
    }

    fn opening(&mut self, seed: u64, plies: u32, stop: &StopToken) -> Result<Vec<Vec<String>>, EvalError> {
        self.machine.interrupt_on(stop);
        let mut longest = Vec::new();
        for number in 0..OPENING_DRAWS {
            let opening = self.opening_draw(Stream::new(seed, number), plies)?;
            if opening.len() >= plies as usize {
                return Ok(opening);
            }
            if opening.len() > longest.len() {
                longest = opening;
            }
        }
        Ok(longest)
    }
}

/// A match under way.
struct Table<'a, M> {
    referee: &'a mut MachineReferee<M>,
    setup: &'a MatchSetup,
    seats: &'a mut [Seat],
    observer: &'a mut dyn Observer,
    stop: &'a StopToken,
    transcript: Transcript,
}

/// What a player said when it was asked, and how long that took.
type Answer = (Result<String, PlayError>, Duration);

impl<M: StateMachine> Table<'_, M> {
    fn play(&mut self) -> Result<Ending, EvalError> {
        let mut state = self.referee.machine.initial_state()?;
        if let Some(ending) = self.start_players() {
            return Ok(ending);
        }
        let mut seen = Sight::default();
        let mut step = 0;
        let ending = loop {
            self.enter(&state, step)?;
            if self.stop.is_stopped() {
                break Ending::Interrupted;
            }
            if self.referee.machine.is_terminal(&state)? {
                let mut goals = vec![Goals::None; self.seats.len()];
                self.referee.machine.goals(&state, &mut goals)?;
                self.transcript.given = goals;
                break Ending::Terminal;
            }
            if step == self.setup.max_steps {
                break Ending::StepLimit;
            }
            // From step to step moves are kept as texts.
            if self.referee.machine.has_many_moves() {
                self.referee.machine.release_moves();
            }
            let legal = match self.referee.legal_moves(&state)? {
                Ok(legal) => legal,
                Err(role) => break Ending::NoLegalMove { role: role.index() },
            };
            self.transcript.begin_step();
            let joint = match self.choose(&legal, &seen, step) {
                Ok(joint) => joint,
                Err(ending) => break ending,
            };
            let texts = self.referee.texts(&joint);
            self.transcript.add_joint(&texts);
            self.observer.observe(MatchEvent::Joint {
                step,
                moves: &texts,
                thinking: &self.transcript.thinking,
                reports: &mut |role| match self.seats.get(role) {
                    Some(Seat::Player(player)) => player.report(),
                    _ => None,
                },
            });
            let next = self.referee.machine.next_state(&state, &joint)?;
            seen.look(self.referee, &state, &joint, texts, step)?;
            state = next;
            step += 1;
        };
        for (role, seat) in self.seats.iter_mut().enumerate() {
            if let Seat::Player(player) = seat {
                let _ = catch_unwind(AssertUnwindSafe(|| player.stop(seen.of(role))));
            }
        }
        Ok(ending)
    }

    /// Starts every player; `Some` when that ends it all.
    fn start_players(&mut self) -> Option<Ending> {
        let clocks = self.setup.clocks;
        let game = Arc::clone(self.referee.machine.game());
        let (grace, stop) = (self.setup.grace, self.stop);
        let answers = ask_all(self.seats, self.setup.parallel, &|role, player| {
            let deadline = Deadline::after(clocks.start);
            player.start(&game, Role(role as u8), clocks, deadline, stop).map(|()| String::new())
        });
        for (role, answer) in answers.into_iter().enumerate() {
            let Some((result, elapsed)) = answer else { continue };
            let late = elapsed > clocks.start.saturating_add(grace);
            let detail = match result {
                Ok(_) if late => format!("ready after {:.3} s", elapsed.as_secs_f64()),
                Ok(_) => continue,
                Err(error) => error.to_string(),
            };
            self.transcript.faults.push(Fault::new(role, 0, FaultKind::Start, detail.clone()));
            if self.setup.on_fault == OnFault::Forfeit && !self.stop.is_stopped() {
                let name = game.role_name(Role(role as u8));
                return Some(Ending::Unplayed(format!("{name} did not start: {detail}")));
            }
        }
        None
    }

    /// Notes the state that has been reached.
    fn enter(&mut self, state: &M::State, step: u32) -> Result<(), EvalError> {
        let wanted = self.observer.wants_facts();
        if !wanted && !self.transcript.wants_states() {
            return Ok(());
        }
        let mut facts = Vec::new();
        self.referee.machine.facts(state, &mut facts)?;
        if self.transcript.wants_states() {
            self.transcript.add_state(state_text(&facts));
        }
        if wanted {
            let record = self.transcript.record();
            self.observer.observe(MatchEvent::State { step, facts: &facts, record });
        }
        Ok(())
    }

    /// The joint move of this step, or how the match ends instead.
    fn choose(&mut self, legal: &[Vec<Move>], seen: &Sight, step: u32) -> Result<Vec<Move>, Ending> {
        if let Some(texts) = self.setup.opening.get(step as usize) {
            return self.follow_opening(texts, legal, seen, step);
        }
        let (clock, stop) = (self.setup.clocks.play, self.stop);
        let answers = ask_all(self.seats, self.setup.parallel, &|role, player| {
            player.play(seen.of(role), Deadline::after(clock), stop)
        });
        if self.stop.is_stopped() {
            return Err(Ending::Interrupted);
        }
        self.transcript.add_reasoners(self.seats.iter().map(|seat| match seat {
            Seat::Player(player) => player.reasoner(),
            Seat::Nature => None,
        }));
        let mut joint = Vec::with_capacity(legal.len());
        for (role, (legal, answer)) in legal.iter().zip(answers).enumerate() {
            let Some(answer) = answer else {
                joint.push(self.draw(legal, role, step));
                continue;
            };
            self.transcript.add_thinking(role, answer.1, clock);
            match self.judge(legal, answer) {
                Ok(mv) => joint.push(mv),
                Err((kind, detail)) => {
                    self.transcript.faults.push(Fault::new(role, step, kind, detail));
                    match self.setup.on_fault {
                        OnFault::Random => joint.push(self.draw(legal, role, step)),
                        OnFault::First => joint.push(legal[0]),
                        OnFault::Forfeit => return Err(Ending::Forfeit { role }),
                    }
                }
            }
        }
        Ok(joint)
    }

    /// The move that was answered, if it is legal and in time.
    fn judge(&mut self, legal: &[Move], (result, elapsed): Answer) -> Result<Move, (FaultKind, String)> {
        let text = result.map_err(|error| (FaultKind::of_error(&error), error.to_string()))?;
        if elapsed > self.setup.clocks.play.saturating_add(self.setup.grace) {
            return Err((FaultKind::Timeout, format!("answered after {:.3} s", elapsed.as_secs_f64())));
        }
        match self.referee.machine.parse_move(&text) {
            Some(mv) if legal.contains(&mv) => Ok(mv),
            _ => Err((FaultKind::Illegal, text)),
        }
    }

    fn draw(&self, legal: &[Move], role: usize, step: u32) -> Move {
        let stream = Stream::new(self.setup.seed, 0);
        legal[stream.below(step, Role(role as u8), legal.len() as u32) as usize]
    }

    fn follow_opening(
        &mut self,
        texts: &[String],
        legal: &[Vec<Move>],
        seen: &Sight,
        step: u32,
    ) -> Result<Vec<Move>, Ending> {
        let mut joint = Vec::with_capacity(legal.len());
        for (role, legal) in legal.iter().enumerate() {
            let mv = texts.get(role).and_then(|text| self.referee.machine.parse_move(text));
            match mv.filter(|mv| legal.contains(mv)) {
                Some(mv) => joint.push(mv),
                None => return Err(Ending::Unplayed(format!("step {step} of the opening is not legal"))),
            }
        }
        // What a player makes of it shows in its next move.
        ask_all(self.seats, self.setup.parallel, &|role, player| {
            player.observe(seen.of(role)).map(|()| String::new())
        });
        Ok(joint)
    }
}

/// What the players have seen of the last step.
#[derive(Default)]
struct Sight {
    joint: Option<Vec<String>>,
    percepts: Option<Vec<Vec<Fact>>>,
    turn: u32,
}

impl Sight {
    fn look<M: StateMachine>(
        &mut self,
        referee: &mut MachineReferee<M>,
        state: &M::State,
        joint: &[Move],
        texts: Vec<String>,
        step: u32,
    ) -> Result<(), EvalError> {
        if referee.percepts {
            let mut all = vec![Vec::new(); joint.len()];
            for (role, seen) in all.iter_mut().enumerate() {
                referee.machine.percepts(state, joint, Role(role as u8), seen)?;
            }
            self.percepts = Some(all);
        }
        self.joint = Some(texts);
        self.turn = step + 1;
        Ok(())
    }

    fn of(&self, role: usize) -> Observation<'_> {
        match (&self.joint, &self.percepts) {
            (None, _) => Observation::Start,
            (Some(joint), None) => Observation::Moves(joint),
            (Some(joint), Some(all)) => {
                Observation::Percepts { turn: self.turn, own: &joint[role], seen: &all[role] }
            }
        }
    }
}

/// Asks every player the same, one after the other or all at once; `None` for seats without one.
/// A player that panics is gone.
fn ask_all(
    seats: &mut [Seat],
    parallel: bool,
    ask: &(dyn Fn(usize, &mut dyn Player) -> Result<String, PlayError> + Sync),
) -> Vec<Option<Answer>> {
    let one = |role: usize, seat: &mut Seat| {
        let Seat::Player(player) = seat else { return None };
        let began = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| ask(role, player.as_mut())))
            .unwrap_or_else(|_| Err(PlayError::Gone("it panicked".to_owned())));
        Some((result, began.elapsed()))
    };
    if !parallel {
        return seats.iter_mut().enumerate().map(|(role, seat)| one(role, seat)).collect();
    }
    std::thread::scope(|scope| {
        let start = |(role, seat)| std::thread::Builder::new().spawn_scoped(scope, move || one(role, seat));
        let threads: Vec<_> = seats.iter_mut().enumerate().map(start).collect();
        let gone = |why: &str| Some((Err(PlayError::Gone(why.to_owned())), Duration::ZERO));
        let join = |thread: std::io::Result<std::thread::ScopedJoinHandle<'_, Option<Answer>>>| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|_| gone("it panicked")),
            Err(error) => gone(&format!("no thread for it: {error}")),
        };
        threads.into_iter().map(join).collect()
    })
}
