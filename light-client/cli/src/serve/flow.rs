//! Bounds the requests of one WebSocket client that are under way at a time.
//!
//! jsonrpsee starts a task for each message, which holds the answer until the connection's queue has room. It reads
//! on meanwhile, so a client that asks faster than it reads decides how much memory is held. Here the socket stops
//! reading while
//!
//! - the queue is full, as only then an answer can wait for room; or
//! - more than [`UNDER_WAY`] messages are being answered.
//!
//! Both are known for every kind of message: a request, a batch, a notification, or invalid JSON. jsonrpsee reports
//! when the answer to a single request was sent, but not for a batch or invalid JSON.
//!
//! So a client holds at most its queue, [`UNDER_WAY`] messages, and the excess messages of one read: 8 KiB. All clients
//! together hold answers of at most [`BYTES`] that are made and not yet written.

use jsonrpsee::{
    server::{
        middleware::rpc::{RpcService, RpcServiceT},
        PendingSubscriptionSink, RegisterMethodError, RpcModule,
    },
    types::{Id, Request},
};
use std::{
    sync::{
        atomic::{AtomicUsize, Ordering::Relaxed},
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
    },
    task::{Context, Poll, Waker},
};

/// How many messages of one connection may be answered at a time. It is well above the limit of slow requests, even
/// with batches (which count twice), so that excess requests are read and refused at once.
pub(crate) const UNDER_WAY: usize = 128;

/// The subscription that shows the queue of a connection. The table of methods does not have it, so that no client
/// reaches it.
pub(crate) const QUEUE: [&str; 2] = ["queue", "endQueue"];

/// How many bytes of answers all connections together may have that are made and not yet written.
pub(crate) const BYTES: usize = 256 * 1024 * 1024;

/// What is left of [`BYTES`].
#[derive(Debug)]
pub(crate) struct Budget(AtomicUsize);

impl Default for Budget {
    fn default() -> Self {
        Self(AtomicUsize::new(BYTES))
    }
}

impl Budget {
    /// Takes this many bytes, if so many are left.
    fn take(&self, bytes: usize) -> bool {
        let less = |left: usize| left.checked_sub(bytes);
        self.0.fetch_update(Relaxed, Relaxed, less).is_ok()
    }
}

/// The messages of one connection.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    budget: Arc<Budget>,
    state: Mutex<State>,
    /// Of a WebSocket: a subscription that is never accepted, for the room in the queue that it tells.
    queue: OnceLock<PendingSubscriptionSink>,
}

#[derive(Debug, Default)]
struct State {
    under_way: usize,
    reader: Option<Waker>,
    /// The bytes of answers that are not yet written.
    held: usize,
    /// The number of requests whose head was read.
    heads: u64,
}

impl Flow {
    /// Of a connection that shares this budget.
    pub(crate) fn new(budget: Arc<Budget>) -> Self {
        Self {
            budget,
            state: Mutex::default(),
            queue: OnceLock::new(),
        }
    }

    /// Counts an answer of this many bytes until it is written. `false` when all connections together have too many.
    pub(crate) fn hold(&self, bytes: usize) -> bool {
        let has_room = self.budget.take(bytes);
        if has_room {
            let mut state = self.state();
            state.held = state.held.saturating_add(bytes);
        }
        has_room
    }

    /// This many bytes were written. Frames and notifications are among them, so it may be more than was held.
    pub(crate) fn release(&self, bytes: usize) {
        let mut state = self.state();
        let released = state.held.min(bytes);
        state.held = state.held.saturating_sub(released);
        drop(state);
        self.budget.0.fetch_add(released, Relaxed);
    }

    /// The head of an HTTP request was read.
    pub(crate) fn count_head(&self) {
        let mut state = self.state();
        state.heads = state.heads.saturating_add(1);
    }

    /// How many such heads were read; `None` on a WebSocket, which has no more of them.
    pub(crate) fn heads(&self) -> Option<u64> {
        self.queue.get().is_none().then(|| self.state().heads)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds the queue of the connection that `service` serves. Without a WebSocket there is no queue, and the flow
    /// bounds nothing.
    pub(crate) fn watch(self: &Arc<Self>, service: &RpcService) {
        let [begin, _] = QUEUE;
        let mut request = Request::new(begin.into(), None, Id::Null);
        request.extensions_mut().insert(Message::of(self));
        // The subscription is with this flow now. Its answer would come when it is accepted.
        drop(service.call(request));
    }

    /// Whether more may be read. If not, the reader is woken when it is worth asking again.
    pub(crate) fn poll_room(&self, context: &Context<'_>) -> Poll<()> {
        let Some(queue) = self.queue.get() else {
            return Poll::Ready(());
        };
        let mut state = self.state();
        if queue.capacity() > 0 && state.under_way <= UNDER_WAY {
            return Poll::Ready(());
        }
        state.reader = Some(context.waker().clone());
        Poll::Pending
    }

    /// Wakes the reader. To be called when something is written, which left the queue just before.
    pub(crate) fn wake(&self) {
        let reader = self.state().reader.take();
        if let Some(reader) = reader {
            reader.wake();
        }
    }
}

impl Drop for Flow {
    fn drop(&mut self) {
        self.release(usize::MAX);
    }
}

/// Adds the subscription that shows the queue.
pub(crate) fn register<C: Send + Sync + 'static>(
    module: &mut RpcModule<C>,
) -> Result<(), RegisterMethodError> {
    let [begin, end] = QUEUE;
    module.register_subscription_raw(begin, begin, end, |_, pending, _, extensions| {
        if let Some(message) = extensions.get::<Message>() {
            let _ = message.0.queue.set(pending);
        }
    })?;
    Ok(())
}

/// A message that is being answered. It is among the extensions of the request that opens a WebSocket, which jsonrpsee
/// clones for each message, once more for each request of a batch, and drops with the answer at hand.
#[derive(Debug)]
pub(crate) struct Message(Arc<Flow>);

impl Message {
    pub(crate) fn of(flow: &Arc<Flow>) -> Self {
        let mut state = flow.state();
        state.under_way = state.under_way.saturating_add(1);
        drop(state);
        Self(Arc::clone(flow))
    }
}

impl Clone for Message {
    fn clone(&self) -> Self {
        Self::of(&self.0)
    }
}

impl Drop for Message {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.under_way = state.under_way.saturating_sub(1);
        let room = state.under_way <= UNDER_WAY;
        drop(state);
        if room {
            self.0.wake();
        }
    }
}
