//! The thread of one player. It starts the player, asks the player for moves, and lets the player ponder in
//! between.
//!
//! Invariants: every question for a move gets a proposal or a refusal, unless a call of the player never
//! returns. A panic in the player ends the player and nothing else. If the player was not ready within the
//! start clock, it is started again when the next question for a move comes.

use super::PlayerFactory;
use super::pending_answer::{PendingAnswer, Proposal};
use ggp_game::{Clocks, Deadline, EvalError, Game, OwnedObservation, PlayError, Player, Role, StopToken};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::Receiver;

/// A message to the player's thread.
#[derive(Debug)]
pub(super) enum Question {
    /// A question for a move, with the observation of the last turn.
    Play { observation: OwnedObservation, pending: Arc<PendingAnswer> },
    /// The end of the match, with the observation of its last turn.
    Stop { observation: OwnedObservation },
}

/// The maximum number of moves that a player may miss because it is not ready. If it misses one more, the
/// player is dropped.
const MAX_MISSED: usize = 20;

/// The player's thread in one match.
pub(super) struct PlayerWorker {
    pub(super) id: String,
    pub(super) game: Arc<Game>,
    pub(super) role: Role,
    pub(super) clocks: Clocks,
    pub(super) ponders: bool,
    /// The pending answer to START.
    pub(super) start: Arc<PendingAnswer>,
    pub(super) questions: Receiver<Question>,
}

impl PlayerWorker {
    /// Runs the player until STOP or until the match worker ends. If the player fails before START is
    /// answered, this method refuses START and returns.
    pub(super) fn run(self, factory: &dyn PlayerFactory) {
        let span = tracing::info_span!("match", id = %self.id, role = self.game.role_name(self.role));
        let _entered = span.enter();
        let mut player = catch(|| factory.make(&self.id));
        let mut ready = self.start(&mut player, Deadline(Some(self.start.due)), &self.start.stop);
        let in_time = self.start.settle(if player.is_some() { "ready" } else { "busy" });
        if in_time && player.is_none() {
            return;
        }
        // The observations of the turns before the player was ready.
        let mut missed: Vec<OwnedObservation> = Vec::new();
        let mut pending = Arc::clone(&self.start);
        loop {
            if self.ponders && ready {
                ask(&mut player, |player| player.ponder(&pending.ponder));
            }
            match self.questions.recv() {
                Ok(Question::Play { observation, pending: asked }) => {
                    pending = asked;
                    if !ready {
                        ready = self.start_late(&mut player, &missed, &pending);
                    }
                    if ready {
                        play(&mut player, &observation, &pending);
                    } else {
                        missed.push(observation);
                        if missed.len() > MAX_MISSED {
                            player = None;
                        }
                        pending.propose(Proposal::Nothing);
                    }
                }
                Ok(Question::Stop { observation }) => {
                    ask(&mut player, |player| player.stop(observation.borrowed()));
                    return;
                }
                Err(_) => return,
            }
        }
    }

    /// Starts the player, and returns whether it is ready. A player that ran out of time may be started again.
    /// After any other failure the player is dropped.
    fn start(&self, player: &mut Option<Box<dyn Player>>, deadline: Deadline, stop: &StopToken) -> bool {
        match ask(player, |player| player.start(&self.game, self.role, self.clocks, deadline, stop)) {
            Some(Ok(())) => true,
            Some(Err(error @ (PlayError::TimedOut | PlayError::Eval(EvalError::Interrupted)))) => {
                tracing::warn!(%error, "the player is not ready yet");
                false
            }
            Some(Err(error)) => {
                tracing::warn!(%error, "the player cannot start");
                *player = None;
                false
            }
            None => false,
        }
    }

    /// Starts the player within the first half of the time for a move. If the player is ready, passes the
    /// observations `missed` of earlier turns on to the player. Returns whether the player is ready.
    fn start_late(
        &self,
        player: &mut Option<Box<dyn Player>>,
        missed: &[OwnedObservation],
        pending: &PendingAnswer,
    ) -> bool {
        let left = Deadline(Some(pending.due)).remaining().unwrap_or_default();
        if player.is_none() || !self.start(player, Deadline::after(left / 2), &pending.stop) {
            return false;
        }
        for observation in missed {
            if let Some(Err(error)) = ask(player, |player| player.observe(observation.borrowed())) {
                tracing::error!(%error, "the player rejects a turn of the match");
            }
        }
        true
    }
}

fn play(player: &mut Option<Box<dyn Player>>, observation: &OwnedObservation, pending: &PendingAnswer) {
    if player.is_none() {
        pending.propose(Proposal::Nothing);
        return;
    }
    if let Some(draft) = player.as_ref().and_then(|player| player.draft()) {
        // It still holds the last turn's move, which may be illegal now.
        draft.set(None);
        pending.set_draft(draft);
    }
    let deadline = Deadline(Some(pending.due));
    match ask(player, |player| player.play(observation.borrowed(), deadline, &pending.stop)) {
        Some(Ok(mv)) => pending.propose(Proposal::Move(mv)),
        Some(Err(error)) => {
            tracing::error!(%error, "the player has no move");
            pending.propose(Proposal::Nothing);
        }
        None => pending.refuse(),
    }
}

/// Calls `question` with the player and returns the answer. `None` if there is no player, or if the player
/// panicked. A player that panicked is dropped.
fn ask<T>(player: &mut Option<Box<dyn Player>>, question: impl FnOnce(&mut dyn Player) -> T) -> Option<T> {
    let answer = catch(|| player.as_mut().map(|player| question(&mut **player))).flatten();
    if answer.is_none()
        && let Some(player) = player.take()
    {
        tracing::error!("the player panicked; the match goes on without it");
        // The player's destructor may panic as well.
        catch(|| drop(player));
    }
    answer
}

fn catch<T>(call: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(call)).ok()
}

#[cfg(test)]
mod tests {
    use super::super::matches::Matches;
    use super::super::{PlayerConfig, PlayerFactory};
    use ggp_game::{Clocks, Deadline, Game, Observation, PlayError, Player, Role, StopToken};
    use ggp_protocol::LastTurn;
    use std::sync::{Arc, Mutex};
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    /// A game of one role and three steps. The first legal move is `a`. The test player plays the last legal
    /// move, `searched`.
    const RULES: &str = "(role r) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3)
        (legal r a) (legal r b) (legal r searched) (goal r 50)
        (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (<= terminal (true (step 3)))";

    const fn millis(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    /// A test player that needs the time `preparation` to start.
    struct Slow {
        preparation: Duration,
        prepared: bool,
        seen: Arc<Mutex<Vec<String>>>,
    }

    impl Slow {
        fn note(&self, what: &str, seen: Observation<'_>) {
            let mut notes = self.seen.lock().unwrap();
            match seen {
                Observation::Moves(joint) => notes.push(format!("{what} {}", joint.join(" "))),
                _ => notes.push(what.to_owned()),
            }
        }
    }

    impl Player for Slow {
        fn start(
            &mut self,
            _: &Arc<Game>,
            _: Role,
            _: Clocks,
            deadline: Deadline,
            stop: &StopToken,
        ) -> Result<(), PlayError> {
            let began = Instant::now();
            while began.elapsed() < self.preparation {
                if deadline.is_over() || stop.is_stopped() {
                    return Err(PlayError::TimedOut);
                }
                sleep(millis(1));
            }
            self.prepared = true;
            Ok(())
        }

        fn play(
            &mut self,
            seen: Observation<'_>,
            deadline: Deadline,
            stop: &StopToken,
        ) -> Result<String, PlayError> {
            assert!(self.prepared, "a player that is not ready is not asked");
            let has_time = deadline.remaining().is_none_or(|left| left > millis(5)) && !stop.is_stopped();
            self.note("play", seen);
            if has_time { Ok("searched".to_owned()) } else { Err(PlayError::TimedOut) }
        }

        fn observe(&mut self, seen: Observation<'_>) -> Result<(), PlayError> {
            self.note("observe", seen);
            Ok(())
        }
    }

    /// The answers to START and to a sequence of PLAYs, and the calls that the player received. Each PLAY
    /// reports the previous answer. The sequence ends when two answers are the move `searched`. The factory
    /// needs the time `making` to make the player, and the player needs the time `preparation` to start.
    /// `clocks` are the start clock and the play clock in milliseconds.
    fn answers(making: Duration, preparation: Duration, clocks: [u64; 2]) -> (Vec<String>, Vec<String>) {
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let notes = Arc::clone(&seen);
        let factory = move |_: &str| -> Box<dyn Player> {
            sleep(making);
            Box::new(Slow { preparation, prepared: false, seen: Arc::clone(&notes) })
        };
        let factory: Arc<dyn PlayerFactory> = Arc::new(factory);
        let matches =
            Matches::new(PlayerConfig { margin: Duration::ZERO, ..PlayerConfig::default() }, factory);
        let clocks = Clocks { start: millis(clocks[0]), play: millis(clocks[1]) };
        let mut answers = vec![matches.start("m", "r", RULES.into(), clocks, Instant::now())];
        for _ in 0..15 {
            if answers.iter().filter(|answer| *answer == "searched").count() == 2 {
                break;
            }
            let last_turn = match &answers[..] {
                [_] => LastTurn::Nothing,
                [.., last] => LastTurn::Moves(vec![last.clone()]),
                [] => unreachable!("START was answered"),
            };
            answers.push(matches.play("m", last_turn, Instant::now()));
        }
        matches.close();
        let seen = seen.lock().unwrap().clone();
        (answers, seen)
    }

    #[test]
    fn a_player_that_was_made_after_the_start_clock_searches_for_its_first_move() {
        let (answers, seen) = answers(millis(400), millis(100), [100, 4_000]);
        assert_eq!(answers, ["ready", "searched", "searched"]);
        assert_eq!(seen, ["play", "play searched"]);
    }

    #[test]
    fn a_player_that_needs_more_than_the_start_clock_searches_for_its_first_move() {
        let (answers, seen) = answers(Duration::ZERO, millis(600), [200, 4_000]);
        assert_eq!(answers, ["ready", "searched", "searched"]);
        assert_eq!(seen, ["play", "play searched"]);
    }

    #[test]
    fn a_player_that_was_made_late_for_moves_hears_of_them() {
        let (answers, seen) = answers(millis(500), millis(50), [100, 250]);
        // The number of missed moves depends on the machine's speed.
        assert_eq!(answers[0], "ready");
        let fallbacks = answers[1..].iter().take_while(|answer| *answer == "a").count();
        assert!(fallbacks > 0, "{answers:?}");
        assert_eq!(answers[1 + fallbacks..], ["searched", "searched"]);
        // The player hears of each turn once and in order, whether or not it was asked for a move.
        let last_turn: Vec<&str> =
            seen.iter().map(|note| note.split_once(' ').map_or("", |(_, mv)| mv)).collect();
        let (first, played) = (vec![""], vec!["a"; fallbacks]);
        assert_eq!(last_turn, [first, played, vec!["searched"]].concat(), "{seen:?}");
    }
}
