//! The matches of a trial, on several threads.

use super::contest::{Contest, Novelty};
use super::learner::on_threads;
use crate::limits::Limits;
use ggp_game::{EvalError, Playouts};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The shares of searches with `novelty` in matches of `contest`, on `threads` threads until a limit is reached or
/// `is_decided` holds for the shares so far. An iteration of the limits is a match. The first match has the number `first`.
pub(super) fn shares<M: Playouts>(
    contest: impl Fn() -> Contest<M>,
    novelty: &Novelty,
    first: u64,
    limits: &Limits,
    threads: usize,
    is_decided: impl Fn(&[f64]) -> bool + Sync,
) -> Result<Vec<f64>, EvalError> {
    let next = AtomicU64::new(0);
    let found = Mutex::new(Vec::new());
    let add = |share: Option<f64>| {
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        found.extend(share);
        is_decided(&found)
    };
    let work = |contest: Contest<M>| -> Result<(), EvalError> {
        let mut is_over = add(None);
        while !is_over {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if limits.iterations.is_some_and(|most| number >= most)
                || limits.stop.is_stopped()
                || limits.is_short_of(Duration::ZERO)
            {
                break;
            }
            let share = contest.play(Some(novelty), first + number, limits)?.share;
            is_over = add(share) || share.is_none();
        }
        Ok(())
    };
    on_threads(threads, contest, work).into_iter().collect::<Result<(), _>>()?;
    Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
}
