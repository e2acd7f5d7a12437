//! Counts connections, and closes them from outside.

use crate::peer::Peer;
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The open connections.
pub(crate) struct Slots {
    state: Mutex<State>,
    most: usize,
}

struct State {
    /// By number, so that the oldest comes first.
    open: BTreeMap<u64, Slot>,
    next: u64,
    stopped: bool,
}

struct Slot {
    peer: Peer,
    greeted: bool,
    /// Closed to make room; its thread has yet to notice.
    closed: bool,
}

/// A connection's place. It is free again when this is dropped.
pub(crate) struct Place<'a> {
    slots: &'a Slots,
    number: u64,
}

/// The limit of connections is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the limit of {most} connections is reached")]
pub(crate) struct Full {
    most: usize,
}

impl Slots {
    /// Room for this many connections past the hello, and for as many others.
    pub(crate) fn new(most: usize) -> Self {
        let state = State {
            open: BTreeMap::new(),
            next: 0,
            stopped: false,
        };
        Self {
            state: Mutex::new(state),
            most,
        }
    }

    /// Takes a place for a new connection before its hello. If there are too many of those, closes the oldest:
    /// clients that connect and stay silent cannot keep others out.
    pub(crate) fn enter(&self, peer: Peer) -> Place<'_> {
        let mut state = self.lock();
        let waits = |slot: &&mut Slot| !slot.greeted && !slot.closed;
        let mut waiting: Vec<_> = state.open.values_mut().filter(waits).collect();
        if waiting.len() >= self.most {
            if let Some(oldest) = waiting.first_mut() {
                oldest.peer.close();
                oldest.closed = true;
            }
        }
        let number = state.next;
        state.next = number.saturating_add(1);
        if state.stopped {
            peer.close();
        }
        let slot = Slot {
            peer,
            greeted: false,
            closed: false,
        };
        state.open.insert(number, slot);
        Place {
            slots: self,
            number,
        }
    }

    /// Closes all connections, including later ones.
    pub(crate) fn close_all(&self) {
        let mut state = self.lock();
        state.stopped = true;
        state.open.values().for_each(|slot| slot.peer.close());
    }

    // A panic while the lock is held leaves the state consistent: each change is one insertion or removal.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place<'_> {
    /// Marks the connection as past the hello.
    ///
    /// # Errors
    /// [`Full`] when there are too many of these.
    pub(crate) fn greeted(&self) -> Result<(), Full> {
        let mut state = self.slots.lock();
        let most = self.slots.most;
        if state.open.values().filter(|slot| slot.greeted).count() >= most {
            return Err(Full { most });
        }
        if let Some(slot) = state.open.get_mut(&self.number) {
            slot.greeted = true;
        }
        Ok(())
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let slot = self.slots.lock().open.remove(&self.number);
        drop(slot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{io::Read, os::unix::net::UnixStream};

    /// A connection's place, and the other end of it.
    fn enter(slots: &Slots) -> (Place<'_>, UnixStream) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        theirs.set_nonblocking(true).unwrap();
        (slots.enter(Peer::Unix(ours)), theirs)
    }

    fn is_closed(mut theirs: &UnixStream) -> bool {
        matches!(theirs.read(&mut [0]), Ok(0))
    }

    #[test]
    fn of_too_many_that_say_nothing_the_oldest_is_closed() {
        let slots = Slots::new(2);
        let (spoken, first) = enter(&slots);
        spoken.greeted().unwrap();
        let (_kept, silent) = enter(&slots);
        let (_more, second) = enter(&slots);
        assert!(!is_closed(&silent));
        let (_last, third) = enter(&slots);
        assert!(is_closed(&silent));
        assert!(![&first, &second, &third].into_iter().any(is_closed));
        // Although the thread of the one that was closed has not left its place yet.
        let (_one_more, fourth) = enter(&slots);
        assert!(is_closed(&second));
        assert!(![&first, &third, &fourth].into_iter().any(is_closed));
    }

    #[test]
    fn one_more_than_there_may_be_is_refused_until_another_leaves() {
        let slots = Slots::new(1);
        let (first, _one) = enter(&slots);
        first.greeted().unwrap();
        let (second, _two) = enter(&slots);
        assert_eq!(second.greeted(), Err(Full { most: 1 }));
        drop(first);
        assert_eq!(second.greeted(), Ok(()));
    }

    #[test]
    fn all_are_closed_and_those_that_come_later() {
        let slots = Slots::new(2);
        let (_first, one) = enter(&slots);
        slots.close_all();
        assert!(is_closed(&one));
        let (_second, two) = enter(&slots);
        assert!(is_closed(&two));
    }
}
