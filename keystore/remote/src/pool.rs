//! Connections shared by several callers: each caller has one exclusively while it waits for an answer.

use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

/// Seats for a limited number of callers, and the idle connections.
pub(crate) struct Pool<T> {
    state: Mutex<State<T>>,
    freed: Condvar,
    seats: usize,
}

struct State<T> {
    idle: Vec<T>,
    taken: usize,
}

/// A seat, freed on drop.
pub(crate) struct Seat<'a, T> {
    pool: &'a Pool<T>,
}

impl<T> Pool<T> {
    pub(crate) fn new(seats: usize) -> Self {
        let state = State {
            idle: Vec::new(),
            taken: 0,
        };
        Self {
            state: Mutex::new(state),
            freed: Condvar::new(),
            seats,
        }
    }

    /// Takes a seat, waiting until the deadline; `None` after it.
    pub(crate) fn seat(&self, deadline: Instant) -> Option<Seat<'_, T>> {
        let mut state = self.lock();
        while state.taken >= self.seats {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            let waited = self.freed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.taken = state.taken.saturating_add(1);
        Some(Seat { pool: self })
    }

    // A panic while the lock is held leaves the state consistent: each change is one assignment.
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Seat<'_, T> {
    /// The idle connection that was used last, if any.
    pub(crate) fn idle(&self) -> Option<T> {
        self.pool.lock().idle.pop()
    }

    /// Drops all idle connections.
    pub(crate) fn forget_idle(&self) {
        // Closed outside of the lock.
        let dropped = std::mem::take(&mut self.pool.lock().idle);
        drop(dropped);
    }

    /// Returns the seat, and a connection for reuse.
    pub(crate) fn give_back(self, connection: T) {
        let mut state = self.pool.lock();
        if state.idle.len() < self.pool.seats {
            state.idle.push(connection);
        }
    }
}

impl<T> Drop for Seat<'_, T> {
    fn drop(&mut self) {
        let mut state = self.pool.lock();
        state.taken = state.taken.saturating_sub(1);
        self.pool.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{thread, time::Duration};

    fn soon() -> Instant {
        Instant::now() + Duration::from_millis(30)
    }

    #[test]
    fn a_caller_waits_for_a_seat_and_not_beyond_its_deadline() {
        let pool = Pool::<u8>::new(1);
        let taken = pool.seat(soon()).unwrap();
        assert!(pool.seat(soon()).is_none());
        thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                pool.seat(Instant::now() + Duration::from_secs(20))
                    .is_some()
            });
            thread::sleep(Duration::from_millis(20));
            drop(taken);
            assert!(waiting.join().unwrap());
        });
    }

    #[test]
    fn a_connection_is_used_again_and_forgotten_when_it_is_told_to() {
        let pool = Pool::new(2);
        pool.seat(soon()).unwrap().give_back(1);
        let seat = pool.seat(soon()).unwrap();
        assert_eq!(seat.idle(), Some(1));
        assert_eq!(seat.idle(), None);
        seat.give_back(2);
        let seat = pool.seat(soon()).unwrap();
        seat.forget_idle();
        assert_eq!(seat.idle(), None);
    }
}
