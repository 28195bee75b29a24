//! Locking that still works after a thread has panicked while it held the lock.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks `mutex`, even if a thread has panicked while it held the lock.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
