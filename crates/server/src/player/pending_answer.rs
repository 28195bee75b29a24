//! The pending answer to one START or PLAY of a match. Several threads can wait for it.
//!
//! The player proposes a move, and the match worker supplies the legal moves. If the player is late, its draft
//! counts: the move that it would make at that time. Invariants: the first answer is final, and all waiting
//! threads get it. If a thread waits, it has the answer by the instant [`PendingAnswer::latest`].

use ggp_game::{Draft, StopToken};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The maximum number of waiting threads. Each repetition of a message by the manager adds one.
const MAX_WAITING: usize = 16;

/// The answer to a START or PLAY. Until it has been given, the threads that serve the message wait for it.
#[derive(Debug)]
pub(super) struct PendingAnswer {
    /// The time by which the player must answer.
    pub(super) due: Instant,
    /// The instant by which the answer is sent, even if the player has not proposed a move.
    pub(super) latest: Instant,
    /// Raised to end the thinking for this question.
    pub(super) stop: StopToken,
    /// Raised to end the pondering that follows this answer.
    pub(super) ponder: StopToken,
    asked: Instant,
    /// Whether the match worker has passed the question on to the player.
    passed_on: AtomicBool,
    /// The number of waiting threads.
    waiting: AtomicUsize,
    /// The answer if the question is refused. Also the answer if no move is available and `fallback` is
    /// `None`.
    refusal: &'static str,
    /// The answer to START if the player is late. `None` for PLAY.
    fallback: Option<&'static str>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    answer: Option<String>,
    proposal: Option<Proposal>,
    /// The draft holds the move that the player would propose now. It counts while there is no proposal.
    draft: Option<Draft>,
    legal: Option<Legal>,
}

/// The player's contribution to an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Proposal {
    /// A move.
    Move(String),
    /// No move: the player has failed, has ended, or is not ready.
    Nothing,
}

/// The match worker's knowledge of the legal moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Legal {
    /// All legal moves, in the spelling of the rules.
    Moves(Vec<String>),
    /// The legal moves are not known, because of hidden information or because the evaluation exceeded its
    /// limits.
    Unknown,
}

/// The best answer that is available: the proposed move if it is legal, else a legal move, else the proposed
/// move. `None` if there is neither a proposed move nor a legal move.
fn best_answer(proposal: Option<&Proposal>, legal: Option<&Legal>) -> Option<String> {
    let proposed = match proposal {
        Some(Proposal::Move(mv)) => Some(mv),
        _ => None,
    };
    match legal {
        Some(Legal::Moves(moves)) if !moves.is_empty() => {
            let legal = proposed.filter(|mv| moves.contains(mv));
            if let (Some(mv), None) = (proposed, legal) {
                tracing::error!(%mv, "the player's move is illegal");
            }
            legal.or(moves.first()).cloned()
        }
        _ => proposed.cloned(),
    }
}

impl PendingAnswer {
    /// The pending answer to PLAY. The answer is `nil` if there is no move at the instant `latest`.
    pub(super) fn play(due: Instant, latest: Instant) -> PendingAnswer {
        PendingAnswer::new(due, latest, "nil", None)
    }

    /// The pending answer to START. A refused match is answered with `busy`. A player that is late still answers
    /// `ready`: the manager starts the match in any case, and the player can become ready during the match.
    pub(super) fn start(due: Instant, latest: Instant) -> PendingAnswer {
        PendingAnswer::new(due, latest, "busy", Some("ready"))
    }

    fn new(
        due: Instant,
        latest: Instant,
        refusal: &'static str,
        fallback: Option<&'static str>,
    ) -> PendingAnswer {
        PendingAnswer {
            due,
            latest,
            stop: StopToken::new(),
            ponder: StopToken::new(),
            asked: Instant::now(),
            passed_on: AtomicBool::new(false),
            waiting: AtomicUsize::new(0),
            refusal,
            fallback,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the player has received the question.
    pub(super) fn pass_on(&self) {
        self.passed_on.store(true, Ordering::Relaxed);
    }

    /// Whether the player has still not received the question although a quarter of the time until
    /// [`PendingAnswer::due`] has passed.
    pub(super) fn is_held_up(&self) -> bool {
        let quarter = self.due.saturating_duration_since(self.asked) / 4;
        !self.passed_on.load(Ordering::Relaxed) && self.asked.elapsed() >= quarter
    }

    /// Sets the player's proposal. If the match worker has already supplied its knowledge of the legal moves,
    /// this settles the answer.
    pub(super) fn propose(&self, proposal: Proposal) {
        let mut state = self.lock();
        if state.answer.is_some() {
            tracing::warn!(?proposal, "the player's answer came too late");
        }
        state.proposal = Some(proposal);
        self.resolve(&mut state);
    }

    /// Sets the draft that the player keeps up to date until it proposes a move.
    pub(super) fn set_draft(&self, draft: Draft) {
        self.lock().draft = Some(draft);
    }

    /// Sets the match worker's knowledge of the legal moves. If there is already a proposal, this settles the
    /// answer.
    pub(super) fn know_legal(&self, legal: Legal) {
        let mut state = self.lock();
        state.legal = Some(legal);
        self.resolve(&mut state);
    }

    fn resolve(&self, state: &mut State) {
        if state.answer.is_none() && state.proposal.is_some() && state.legal.is_some() {
            let best = best_answer(state.proposal.as_ref(), state.legal.as_ref());
            state.answer = Some(best.unwrap_or_else(|| self.refusal.to_owned()));
            self.changed.notify_all();
        }
    }

    /// Sets the answer to `answer`, unless there is an answer already. Returns whether the answer was set.
    pub(super) fn settle(&self, answer: &str) -> bool {
        let mut state = self.lock();
        let first = state.answer.is_none();
        if first {
            state.answer = Some(answer.to_owned());
            self.changed.notify_all();
        }
        first
    }

    /// Sets the answer to the refusal, unless there is an answer already.
    pub(super) fn refuse(&self) {
        self.settle(self.refusal);
    }

    /// The answer. `None` while it is pending.
    pub(super) fn answer(&self) -> Option<String> {
        self.lock().answer.clone()
    }

    /// Ends the player's thinking for this question, and the player's pondering after this question.
    pub(super) fn interrupt(&self) {
        self.stop.stop();
        self.ponder.stop();
    }

    /// Waits for the answer. Raises the player's stop token at [`PendingAnswer::due`]. Makes the best
    /// available answer final at [`PendingAnswer::latest`]. Returns `busy` at once if too many threads wait
    /// already, because each of them holds a connection.
    pub(super) fn wait(&self) -> String {
        let answer = if self.waiting.fetch_add(1, Ordering::Relaxed) < MAX_WAITING {
            self.wait_in_turn()
        } else {
            "busy".to_owned()
        };
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        answer
    }

    fn wait_in_turn(&self) -> String {
        let mut state = self.lock();
        loop {
            if let Some(answer) = &state.answer {
                return answer.clone();
            }
            let now = Instant::now();
            if now >= self.latest {
                let draft = state.draft.as_ref().and_then(Draft::get).map(Proposal::Move);
                let best = best_answer(state.proposal.as_ref().or(draft.as_ref()), state.legal.as_ref());
                let best = best.unwrap_or_else(|| self.fallback.unwrap_or(self.refusal).to_owned());
                tracing::warn!(answer = %best, "the player has not answered in time; this answer is sent instead");
                state.answer = Some(best.clone());
                self.changed.notify_all();
                return best;
            }
            if now >= self.due {
                self.stop.stop();
            }
            let next = if now >= self.due { self.latest } else { self.due };
            let left = next.saturating_duration_since(now);
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::thread;
    use std::time::Duration;

    fn due_in(due: u64, latest: u64) -> Arc<PendingAnswer> {
        let now = Instant::now();
        Arc::new(PendingAnswer::play(now + Duration::from_millis(due), now + Duration::from_millis(latest)))
    }

    fn moves(texts: &[&str]) -> Legal {
        Legal::Moves(texts.iter().map(|&t| t.to_owned()).collect())
    }

    #[test]
    fn the_first_answer_counts_for_all() {
        let pending = due_in(5000, 5000);
        let waiters: Vec<_> = (0..3)
            .map(|_| {
                let pending = Arc::clone(&pending);
                thread::spawn(move || pending.wait())
            })
            .collect();
        assert!(pending.settle("a"));
        assert!(!pending.settle("b"));
        for waiter in waiters {
            assert_eq!(waiter.join().unwrap(), "a");
        }
    }

    #[test]
    fn a_proposal_is_answered_once_it_is_known_to_be_legal() {
        for (proposal, legal, answer) in [
            (Proposal::Move("b".to_owned()), moves(&["a", "b"]), "b"),
            (Proposal::Move("c".to_owned()), moves(&["a", "b"]), "a"),
            (Proposal::Move("c".to_owned()), Legal::Unknown, "c"),
            (Proposal::Move("c".to_owned()), moves(&[]), "c"),
            (Proposal::Nothing, moves(&["a", "b"]), "a"),
            (Proposal::Nothing, Legal::Unknown, "nil"),
        ] {
            let (one, other) = (due_in(5000, 5000), due_in(5000, 5000));
            one.propose(proposal.clone());
            assert_eq!(one.answer(), None);
            one.know_legal(legal.clone());
            other.know_legal(legal);
            assert_eq!(other.answer(), None);
            other.propose(proposal);
            assert_eq!((one.wait().as_str(), other.wait().as_str()), (answer, answer));
        }
    }

    #[test]
    fn not_more_than_a_few_wait() {
        let pending = due_in(5000, 5000);
        thread::scope(|scope| {
            let waiters: Vec<_> = (0..MAX_WAITING + 5).map(|_| scope.spawn(|| pending.wait())).collect();
            while waiters.iter().filter(|waiter| waiter.is_finished()).count() < 5 {
                thread::sleep(Duration::from_millis(1));
            }
            pending.settle("a");
            let answers: Vec<String> = waiters.into_iter().map(|waiter| waiter.join().unwrap()).collect();
            assert_eq!(answers.iter().filter(|answer| *answer == "busy").count(), 5);
            assert_eq!(answers.iter().filter(|answer| *answer == "a").count(), MAX_WAITING);
        });
    }

    #[test]
    fn when_it_is_late_a_legal_move_is_the_answer_and_the_player_was_asked_to_stop() {
        let pending = due_in(20, 60);
        pending.know_legal(moves(&["first"]));
        let begun = Instant::now();
        assert_eq!(pending.wait(), "first");
        assert!(begun.elapsed() >= Duration::from_millis(50));
        assert!(pending.stop.is_stopped());
        assert!(!pending.settle("second"));
        assert_eq!(pending.answer().as_deref(), Some("first"));
        assert_eq!(due_in(0, 0).wait(), "nil");
        let thinking = due_in(0, 10);
        let draft = Draft::default();
        thinking.set_draft(draft.clone());
        thinking.know_legal(moves(&["first", "second"]));
        draft.set(Some("second".to_owned()));
        assert_eq!(thinking.wait(), "second", "the move that the player would make now");
        let unchecked = due_in(0, 10);
        unchecked.propose(Proposal::Move("a".to_owned()));
        assert_eq!(unchecked.wait(), "a");
    }
}
