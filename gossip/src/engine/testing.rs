//! Virtual time, and connections that take as much as a test lets them.

use super::notifications::{NotSent, Outlet};
use crate::clock::Clock;
use duet_voter::Millis;
use futures::{
    future::{poll_fn, BoxFuture},
    FutureExt,
};
use parking_lot::Mutex;
use std::{
    sync::Arc,
    task::{Context, Poll, Waker},
};

/// A clock that a test sets. Clones show the same time; setting it wakes nobody.
#[derive(Clone, Default)]
pub(super) struct TestClock(Arc<Mutex<Millis>>);

impl TestClock {
    pub(super) fn set(&self, now: Millis) {
        *self.0.lock() = now;
    }
}

impl Clock for TestClock {
    fn now(&self) -> Millis {
        *self.0.lock()
    }

    fn sleep_until(&self, at: Millis) -> BoxFuture<'static, ()> {
        let clock = self.clone();
        poll_fn(move |_| match clock.now() >= at {
            true => Poll::Ready(()),
            false => Poll::Pending,
        })
        .boxed()
    }
}

#[derive(Default)]
struct State {
    taken: Vec<Vec<u8>>,
    room: usize,
    /// How many notifications wait for room, and how many did at once at most.
    waiting: usize,
    most_waiting: usize,
    is_broken: bool,
    waker: Option<Waker>,
}

/// A connection. Clones are the same one.
#[derive(Clone, Default)]
pub(super) struct Line(Arc<Mutex<State>>);

impl Line {
    /// One with room for so many notifications.
    pub(super) fn with_room(room: usize) -> Self {
        let line = Self::default();
        line.0.lock().room = room;
        line
    }

    /// Makes room for more.
    pub(super) fn make_room(&self, room: usize) {
        self.change(|state| state.room = state.room.saturating_add(room));
    }

    /// From now on it takes nothing, or takes as much as it has room for.
    pub(super) fn set_broken(&self, is_broken: bool) {
        self.change(|state| state.is_broken = is_broken);
    }

    /// What it has taken since it was asked last.
    pub(super) fn taken(&self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.0.lock().taken)
    }

    /// How many notifications waited for room at once at most.
    pub(super) fn most_waiting(&self) -> usize {
        self.0.lock().most_waiting
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.0.lock();
        change(&mut state);
        if let Some(waker) = state.waker.take() {
            waker.wake();
        }
    }

    fn poll_send(&self, notification: &[u8], context: &Context<'_>) -> Poll<Result<(), NotSent>> {
        let mut state = self.0.lock();
        if state.is_broken {
            return Poll::Ready(Err(NotSent));
        }
        if state.room == 0 {
            state.waker = Some(context.waker().clone());
            return Poll::Pending;
        }
        state.room -= 1;
        state.taken.push(notification.to_vec());
        Poll::Ready(Ok(()))
    }
}

impl Outlet for Line {
    fn send(&self, notification: Vec<u8>) -> BoxFuture<'_, Result<(), NotSent>> {
        async move {
            {
                let mut state = self.0.lock();
                state.waiting += 1;
                state.most_waiting = state.most_waiting.max(state.waiting);
            }
            let sent = poll_fn(|context| self.poll_send(&notification, context)).await;
            self.0.lock().waiting -= 1;
            sent
        }
        .boxed()
    }
}
