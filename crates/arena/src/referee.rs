//! The referee, which plays one match of any game between any players.
//!
//! Invariants: every joint move is legal. A player that gives no legal move in time is treated as [`OnFault`]
//! says, and the fault is listed in [`Outcome::faults`]. A match that ends neither in a terminal state nor by
//! a forfeit has no goals. A player's clock runs only from the moment the player is asked until it answers.
//! The players are asked one after the other unless [`MatchSetup::parallel`] is set. Players with equal
//! clocks thus have equal computing time even on a single core.

use crate::fault::{Fault, FaultKind, OnFault};
use crate::outcome::{Ending, MatchEvent, Observer, Outcome};
use crate::record::state_text;
use crate::setup::{MatchSetup, Seat};
use crate::transcript::Transcript;
use ggp_game::rng::Stream;
use ggp_game::{
    Deadline, EvalError, Fact, Game, Goals, Move, Observation, PlayError, Player, Role, StateMachine,
    StopToken,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Plays matches of one game. Callers of this trait need not know which state machine evaluates the rules.
pub trait Referee: Send {
    /// The game that is played.
    fn game(&self) -> &Arc<Game>;

    /// Plays a match between `seats`, one for each role, until the match ends or `stop` is raised.
    fn play(
        &mut self,
        setup: MatchSetup,
        seats: &mut [Seat],
        observer: &mut dyn Observer,
        stop: &StopToken,
    ) -> Outcome;

    /// Makes a random opening: `plies` random joint moves from the initial state, none of which leads to a
    /// terminal state. If an attempt cannot reach this length, another attempt with new random moves follows.
    /// If a limited number of attempts fail, the result is the longest of them, although it has fewer joint
    /// moves.
    ///
    /// # Errors
    /// When the rules cannot be evaluated; [`EvalError::Interrupted`] when `stop` is raised.
    fn opening(&mut self, seed: u64, plies: u32, stop: &StopToken) -> Result<Vec<Vec<String>>, EvalError>;
}

/// A referee over a state machine. The machine is reused from match to match.
#[derive(Clone, Debug)]
pub struct MachineReferee<M> {
    machine: M,
    percepts: bool,
}

/// The maximum number of attempts to make one random opening of the wanted length. An attempt fails if it
/// reaches a terminal state, or a state in which a role has no legal move, before it has that length.
const OPENING_DRAWS: u64 = 20;

impl<M: StateMachine> MachineReferee<M> {
    /// A referee that evaluates the rules with `machine`.
    pub fn new(machine: M) -> MachineReferee<M> {
        let percepts = machine.game().has_percepts();
        MachineReferee { machine, percepts }
    }

    /// The legal moves of all roles, in role order. If a role has no legal move, the inner `Err` holds the
    /// first such role.
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
            let why = format!("the game has {roles} roles, but the match has {} seats", seats.len());
            return transcript.close(Ending::Unplayed(why));
        }
        let mut current = MatchInProgress { referee: self, setup: &setup, seats, observer, stop, transcript };
        let ending = match current.play() {
            Ok(ending) => ending,
            Err(EvalError::Interrupted) => Ending::Interrupted,
            Err(error) => Ending::RulesFailed(error.to_string()),
        };
        let outcome = current.transcript.close(ending);
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

/// A match in progress.
struct MatchInProgress<'a, M> {
    referee: &'a mut MachineReferee<M>,
    setup: &'a MatchSetup,
    seats: &'a mut [Seat],
    observer: &'a mut dyn Observer,
    stop: &'a StopToken,
    transcript: Transcript,
}

/// A player's answer and the time it took.
type Answer = (Result<String, PlayError>, Duration);

impl<M: StateMachine> MatchInProgress<'_, M> {
    fn play(&mut self) -> Result<Ending, EvalError> {
        let mut state = self.referee.machine.initial_state()?;
        if let Some(ending) = self.start_players() {
            return Ok(ending);
        }
        let mut observations = Observations::default();
        let mut step = 0;
        let ending = loop {
            self.enter(&state, step, &observations)?;
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
            // Moves are kept as texts between steps, so the machine may renumber them.
            if self.referee.machine.has_many_moves() {
                self.referee.machine.release_moves();
            }
            let legal = match self.referee.legal_moves(&state)? {
                Ok(legal) => legal,
                Err(role) => break Ending::NoLegalMove { role: role.index() },
            };
            self.transcript.begin_step();
            let joint = match self.choose(&legal, &observations, step) {
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
            observations.update(self.referee, &state, &joint, texts, step)?;
            state = next;
            step += 1;
        };
        for (role, seat) in self.seats.iter_mut().enumerate() {
            if let Seat::Player(player) = seat {
                let seen = observations.of(role);
                let _ = catch_unwind(AssertUnwindSafe(|| match ending {
                    Ending::Interrupted => player.abort(seen),
                    _ => player.stop(seen),
                }));
            }
        }
        Ok(ending)
    }

    /// Starts every player. Returns the ending if the match cannot begin, otherwise `None`.
    fn start_players(&mut self) -> Option<Ending> {
        let clocks = self.setup.clocks;
        let game = Arc::clone(self.referee.machine.game());
        let stop = self.stop;
        let patience = clocks.start.saturating_add(self.setup.grace).max(self.setup.start_patience);
        let answers = ask_all(self.seats, self.setup.parallel, &|role, player| {
            let deadline = Deadline::after(clocks.start);
            player.start(&game, Role(role as u8), clocks, deadline, stop).map(|()| String::new())
        });
        // A player that was interrupted is not at fault.
        if self.stop.is_stopped() {
            return None;
        }
        for (role, answer) in answers.into_iter().enumerate() {
            let Some((result, elapsed)) = answer else { continue };
            let (late_start, detail) = match result {
                Ok(_) if elapsed > patience => (true, format!("ready after {:.3} s", elapsed.as_secs_f64())),
                Ok(_) => continue,
                Err(PlayError::TimedOut) => {
                    let allowed = clocks.start.max(self.setup.start_patience);
                    (true, format!("no answer to START within {} s", allowed.as_secs_f64()))
                }
                Err(error) => (false, error.to_string()),
            };
            let fault = Fault::new(role, 0, FaultKind::Start, detail.clone());
            self.transcript.faults.push(Fault { late_start, ..fault });
            if self.setup.on_fault == OnFault::Forfeit {
                let name = game.role_name(Role(role as u8));
                return Some(Ending::Unplayed(format!("{name} did not start: {detail}")));
            }
        }
        None
    }

    /// Passes a newly reached state to the observer and to the record, if they want it.
    fn enter(&mut self, state: &M::State, step: u32, observations: &Observations) -> Result<(), EvalError> {
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
            let percepts = observations.percepts.as_deref().unwrap_or_default();
            self.observer.observe(MatchEvent::State { step, facts: &facts, percepts, record });
        }
        Ok(())
    }

    /// Chooses the joint move of this step. If the match ends at this step before a joint move is made, the
    /// error is the ending.
    fn choose(
        &mut self,
        legal: &[Vec<Move>],
        observations: &Observations,
        step: u32,
    ) -> Result<Vec<Move>, Ending> {
        if let Some(texts) = self.setup.opening.get(step as usize) {
            return self.follow_opening(texts, legal, observations, step);
        }
        let (clock, stop) = (self.setup.clocks.play, self.stop);
        let answers = ask_all(self.seats, self.setup.parallel, &|role, player| {
            player.play(observations.of(role), Deadline::after(clock), stop)
        });
        if self.stop.is_stopped() {
            return Err(Ending::Interrupted);
        }
        self.transcript.add_reasoners(self.seats.iter().map(|seat| match seat {
            Seat::Player(player) => player.reasoner(),
            Seat::Nature => None,
        }));
        let mut joint = Vec::with_capacity(legal.len());
        let (mut asked, mut at_fault) = (0, Vec::new());
        for (role, (legal, answer)) in legal.iter().zip(answers).enumerate() {
            let Some(answer) = answer else {
                joint.push(self.draw(legal, role, step));
                continue;
            };
            self.transcript.add_thinking(role, answer.1, clock);
            asked += 1;
            match self.judge(legal, answer) {
                Ok(mv) => joint.push(mv),
                Err((kind, detail)) => {
                    self.transcript.faults.push(Fault::new(role, step, kind, detail));
                    at_fault.push(role);
                    joint.push(match self.setup.on_fault {
                        OnFault::Random => self.draw(legal, role, step),
                        OnFault::First | OnFault::Forfeit => legal[0],
                    });
                }
            }
        }
        match at_fault[..] {
            [role, ..] if self.setup.on_fault == OnFault::Forfeit => {
                // A match in which nobody has played the step has no winner.
                let nobody = at_fault.len() > 1 && at_fault.len() == asked;
                let why = format!("all players were at fault in step {}", step + 1);
                Err(if nobody { Ending::Unplayed(why) } else { Ending::Forfeit { role } })
            }
            _ => Ok(joint),
        }
    }

    /// The move in a player's answer if the move is legal and in time. Otherwise the kind and the description
    /// of the fault.
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
        observations: &Observations,
        step: u32,
    ) -> Result<Vec<Move>, Ending> {
        let joint = self.referee.machine.parse_joint_among(legal, texts).ok();
        let joint = joint.filter(|joint| joint.iter().zip(legal).all(|(mv, legal)| legal.contains(mv)));
        let Some(joint) = joint else {
            return Err(Ending::Unplayed(format!("step {step} of the opening is not legal")));
        };
        // An error of `observe` is ignored: a broken player fails again when it is asked for a move.
        ask_all(self.seats, self.setup.parallel, &|role, player| {
            player.observe(observations.of(role)).map(|()| String::new())
        });
        Ok(joint)
    }
}

/// The players' observations of the last step: the joint move, or in GDL-II the role's own move and its
/// percepts.
#[derive(Default)]
struct Observations {
    joint: Option<Vec<String>>,
    percepts: Option<Vec<Vec<Fact>>>,
    turn: u32,
}

impl Observations {
    fn update<M: StateMachine>(
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

/// Asks every player the same question, one player after the other or all in parallel. The answers are in
/// role order, with `None` for a seat without a player. A panic of a player becomes [`PlayError::Gone`].
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
            Err(error) => gone(&format!("cannot start a thread for it: {error}")),
        };
        threads.into_iter().map(join).collect()
    })
}
