//! A thought: one question to a match's player, and its answer, for whoever waits for it.
//!
//! Invariant: the first answer counts; all who wait get the same one.

use ggp_game::StopToken;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

/// What a match is asked: to start, or for a move.
#[derive(Debug)]
pub(crate) struct Thought {
    /// When the player has to be done.
    pub(crate) due: Instant,
    /// When the answer has to be on its way, done or not.
    pub(crate) latest: Instant,
    /// Raised when the answer is wanted at once.
    pub(crate) stop: StopToken,
    /// Raised when the player's thinking after this answer has to end.
    pub(crate) ponder: StopToken,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    answer: Option<String>,
    /// What is answered when `latest` comes first.
    fallback: Option<String>,
}

impl Thought {
    /// An open question, whose answer is `fallback` if no better one comes.
    pub(crate) fn new(due: Instant, latest: Instant, fallback: Option<String>) -> Thought {
        Thought {
            due,
            latest,
            stop: StopToken::new(),
            ponder: StopToken::new(),
            state: Mutex::new(State { answer: None, fallback }),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on `answer` is what stands in for an answer that comes too late.
    pub(crate) fn fall_back_on(&self, answer: String) {
        self.lock().fallback = Some(answer);
    }

    /// Answers, unless it has been answered. Says whether this was the first answer.
    pub(crate) fn settle(&self, answer: String) -> bool {
        let mut state = self.lock();
        let first = state.answer.is_none();
        if first {
            state.answer = Some(answer);
            self.changed.notify_all();
        }
        first
    }

    /// The answer, if there is one yet.
    pub(crate) fn answer(&self) -> Option<String> {
        self.lock().answer.clone()
    }

    /// Ends all thinking for this question and after it.
    pub(crate) fn interrupt(&self) {
        self.stop.stop();
        self.ponder.stop();
    }

    /// Waits for the answer. When it is due, the thinker is asked to stop; when it is late, the
    /// fallback becomes the answer, or `nil`.
    pub(crate) fn wait(&self) -> String {
        let mut state = self.lock();
        loop {
            if let Some(answer) = &state.answer {
                return answer.clone();
            }
            let now = Instant::now();
            if now >= self.latest {
                let answer = state.fallback.take().unwrap_or_else(|| "nil".to_owned());
                tracing::warn!(%answer, "no answer in time: sent in its place");
                state.answer = Some(answer.clone());
                self.changed.notify_all();
                return answer;
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
    use super::Thought;
    use std::sync::Arc;
    use std::thread;
    use std::time::{Duration, Instant};

    fn due_in(due: u64, latest: u64) -> Arc<Thought> {
        let now = Instant::now();
        Arc::new(Thought::new(now + Duration::from_millis(due), now + Duration::from_millis(latest), None))
    }

    #[test]
    fn the_first_answer_counts_for_all() {
        let thought = due_in(5000, 5000);
        let waiters: Vec<_> = (0..3)
            .map(|_| {
                let thought = Arc::clone(&thought);
                thread::spawn(move || thought.wait())
            })
            .collect();
        assert!(thought.settle("a".to_owned()));
        assert!(!thought.settle("b".to_owned()));
        for waiter in waiters {
            assert_eq!(waiter.join().unwrap(), "a");
        }
    }

    #[test]
    fn when_it_is_late_the_fallback_is_the_answer_and_the_thinker_was_asked_to_stop() {
        let thought = due_in(20, 60);
        thought.fall_back_on("first".to_owned());
        let begun = Instant::now();
        assert_eq!(thought.wait(), "first");
        assert!(begun.elapsed() >= Duration::from_millis(50));
        assert!(thought.stop.is_stopped());
        assert!(!thought.settle("second".to_owned()));
        assert_eq!(thought.answer().as_deref(), Some("first"));
        assert_eq!(due_in(0, 0).wait(), "nil");
    }
}
