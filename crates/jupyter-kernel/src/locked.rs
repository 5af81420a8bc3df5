//! Locks a mutex even if it is poisoned: a panic never leaves guarded data half-changed here.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The guarded data, even if a thread has panicked while it held the lock.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
