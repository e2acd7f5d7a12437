//! `chainHead_v1_follow`: the proven chain in the events that polkadot-api and others follow.
//!
//! Finalized blocks are the proven ones, and there are no others: each is new, best and finalized at once.

use crate::serve::{
    chain::{Chain, Head, Known},
    refusal::Refusal,
    subscriptions::with,
};
use duet_light_client::{digest_items, DigestItem};
use duet_primitives::{BlockNumber, H256};
use jsonrpsee::{
    core::server::ConnectionId,
    server::{PendingSubscriptionSink, SubscriptionMessage, SubscriptionSink},
    types::{ErrorObjectOwned, SubscriptionId},
};
use serde_json::{json, Value};
use std::{
    collections::HashMap,
    future::Future,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::{
    sync::{mpsc, Semaphore},
    task::AbortHandle,
};

/// How many subscriptions a connection may have, how many blocks each may pin, and how many operations it may run.
pub(crate) const FOLLOWS: usize = 4;
pub(crate) const PINNED: usize = 512;
pub(crate) const OPERATIONS: usize = 16;
/// How many events of operations may wait. An operation with more waits too.
const EVENTS: usize = 16;
/// How many blocks there may be between two proven ones. Over a longer gap the subscription stops, as its specification
/// allows.
const GAP: u32 = 64;

/// How many operations may run at a time, of all connections together.
pub(crate) const OPERATIONS_IN_ALL: usize = 256;

/// All subscriptions, by their id, which only their client knows.
#[derive(Debug)]
pub(crate) struct Follows {
    all: Mutex<HashMap<String, Arc<Follow>>>,
    seats: Arc<Semaphore>,
}

impl Default for Follows {
    fn default() -> Self {
        Self {
            all: Mutex::default(),
            seats: Arc::new(Semaphore::new(OPERATIONS_IN_ALL)),
        }
    }
}

/// A subscription.
#[derive(Debug)]
pub(crate) struct Follow {
    connection: ConnectionId,
    events: mpsc::Sender<Value>,
    seats: Arc<Semaphore>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    pinned: HashMap<H256, Arc<Known>>,
    operations: HashMap<String, AbortHandle>,
    started: u64,
}

/// A subscription whose events begin. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Begun {
    follows: Arc<Follows>,
    id: String,
    follow: Arc<Follow>,
    of_operations: mpsc::Receiver<Value>,
    with_runtime: bool,
}

/// An operation of a subscription.
pub(crate) struct Operation {
    follow: Arc<Follow>,
    id: String,
}

impl Follows {
    /// The subscription with this id; none after its end.
    pub(crate) fn get(&self, id: &str) -> Option<Arc<Follow>> {
        self.all().get(id).cloned()
    }

    /// Begins a subscription, unless its connection has too many.
    pub(crate) fn begin(
        self: &Arc<Self>,
        pending: &PendingSubscriptionSink,
        with_runtime: bool,
    ) -> Result<Begun, Refusal> {
        let id = match pending.subscription_id() {
            SubscriptionId::Str(id) => id.into_owned(),
            SubscriptionId::Num(id) => id.to_string(),
        };
        let (events, of_operations) = mpsc::channel(EVENTS);
        let follow = Arc::new(Follow {
            connection: pending.connection_id(),
            events,
            seats: Arc::clone(&self.seats),
            state: Mutex::default(),
        });
        let mut all = self.all();
        let of_connection = |other: &&Arc<Follow>| other.connection == follow.connection;
        if all.values().filter(of_connection).count() >= FOLLOWS {
            return Err(Refusal::Follows { max: FOLLOWS });
        }
        all.insert(id.clone(), Arc::clone(&follow));
        Ok(Begun {
            follows: Arc::clone(self),
            id,
            follow,
            of_operations,
            with_runtime,
        })
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, Arc<Follow>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Follow {
    /// A pinned block.
    pub(crate) fn block(&self, hash: H256) -> Result<Arc<Known>, Refusal> {
        let known = self.state().pinned.get(&hash).cloned();
        known.ok_or(Refusal::NotPinned { hash })
    }

    /// Unpins all of these blocks, or none if one is not pinned.
    pub(crate) fn unpin(&self, hashes: &[H256]) -> Result<(), Refusal> {
        let mut state = self.state();
        if let Some(hash) = hashes.iter().find(|hash| !state.pinned.contains_key(*hash)) {
            return Err(Refusal::NotPinned { hash: *hash });
        }
        for hash in hashes {
            state.pinned.remove(hash);
        }
        Ok(())
    }

    /// Starts an operation once `answered`, so that its id is known before its events. Returns the id; none if too many
    /// operations run, here or in all.
    pub(crate) fn start<Run>(
        self: &Arc<Self>,
        answered: impl Future<Output = bool> + Send + 'static,
        run: impl FnOnce(Arc<Operation>) -> Run + Send + 'static,
    ) -> Option<String>
    where
        Run: Future<Output = Result<(), Refusal>> + Send,
    {
        let mut state = self.state();
        if state.operations.len() >= OPERATIONS {
            return None;
        }
        let seat = Arc::clone(&self.seats).try_acquire_owned().ok()?;
        state.started = state.started.saturating_add(1);
        let id = format!("operation-{}", state.started);
        let operation = Arc::new(Operation {
            follow: Arc::clone(self),
            id: id.clone(),
        });
        let task = tokio::spawn(async move {
            if answered.await {
                if let Err(refusal) = run(Arc::clone(&operation)).await {
                    let error = ErrorObjectOwned::from(refusal);
                    let event = json!({ "event": "operationError", "error": error.message() });
                    operation.tell(event).await;
                }
            }
            operation.follow.state().operations.remove(&operation.id);
            drop(seat);
        });
        state.operations.insert(id.clone(), task.abort_handle());
        Some(id)
    }

    /// Stops an operation, if it still runs.
    pub(crate) fn stop(&self, operation: &str) {
        if let Some(task) = self.state().operations.remove(operation) {
            task.abort();
        }
    }

    fn end(&self) {
        let mut state = self.state();
        for task in state.operations.values() {
            task.abort();
        }
        *state = State::default();
    }

    /// Pins these blocks too, if there is room.
    fn pin(&self, blocks: &[Arc<Known>]) -> bool {
        let mut state = self.state();
        let fits = state.pinned.len().saturating_add(blocks.len()) <= PINNED;
        if fits {
            let blocks = blocks.iter().map(|block| (block.hash(), Arc::clone(block)));
            state.pinned.extend(blocks);
        }
        fits
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Operation {
    /// Sends an event of this operation.
    pub(crate) async fn tell(&self, event: Value) {
        let event = with(event, "operationId", self.id.as_str());
        // Without a receiver the subscription has ended.
        let _ = self.follow.events.send(event).await;
    }
}

impl Begun {
    /// Serves the subscription to its end.
    pub(crate) async fn run(
        mut self,
        chain: &Chain,
        sink: &SubscriptionSink,
    ) -> Result<(), Refusal> {
        let mut heads = chain.heads();
        let head = chain.head().await?;
        let mut feed = Feed {
            chain,
            follow: Arc::clone(&self.follow),
            with_runtime: self.with_runtime,
            last: Arc::clone(&head.block),
        };
        if !send(sink, feed.first().await).await {
            return Ok(());
        }
        loop {
            let events = tokio::select! {
                changed = heads.changed() => {
                    if changed.is_err() {
                        return Ok(());
                    }
                    let head = heads.borrow_and_update().clone();
                    match head.filter(|head| head.block.number() > feed.last.number()) {
                        Some(head) => feed.blocks(&head).await,
                        None => continue,
                    }
                }
                event = self.of_operations.recv() => Some(event.into_iter().collect()),
                () = sink.closed() => return Ok(()),
            };
            let stops = events.is_none();
            let events = events.unwrap_or_else(|| vec![json!({ "event": "stop" })]);
            if !send(sink, events).await || stops {
                return Ok(());
            }
        }
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        self.follows.all().remove(&self.id);
        self.follow.end();
    }
}

/// Sends events; false when nobody listens any more.
async fn send(sink: &SubscriptionSink, events: Vec<Value>) -> bool {
    for event in events {
        let Ok(message) = SubscriptionMessage::from_json(&event) else {
            return false;
        };
        if sink.send(message).await.is_err() {
            return false;
        }
    }
    true
}

/// The events about blocks.
struct Feed<'a> {
    chain: &'a Chain,
    follow: Arc<Follow>,
    with_runtime: bool,
    /// The newest block that was told of.
    last: Arc<Known>,
}

impl Feed<'_> {
    async fn first(&self) -> Vec<Value> {
        let hash = self.last.hash();
        self.follow.pin(&[Arc::clone(&self.last)]);
        let mut initialized = json!({ "event": "initialized", "finalizedBlockHashes": [hash] });
        if self.with_runtime {
            let runtime = self.runtime(&self.last).await;
            initialized = with(initialized, "finalizedBlockRuntime", runtime);
        }
        let best = json!({ "event": "bestBlockChanged", "bestBlockHash": hash });
        vec![initialized, best]
    }

    /// The events of the blocks up to a newer head; none if the subscription has to stop.
    async fn blocks(&mut self, head: &Head) -> Option<Vec<Value>> {
        let blocks = self.between(head).await?;
        if !self.follow.pin(&blocks) {
            return None;
        }
        let mut events = Vec::new();
        for block in &blocks {
            let changes = self.with_runtime && changes_runtime(block);
            let new_runtime = match changes {
                true => self.runtime(block).await,
                false => Value::Null,
            };
            events.push(json!({
                "event": "newBlock",
                "blockHash": block.hash(),
                "parentBlockHash": block.json.get("parentHash"),
                "newRuntime": new_runtime,
            }));
        }
        let hashes: Vec<_> = blocks.iter().map(|block| block.hash()).collect();
        self.last = Arc::clone(blocks.last()?);
        events.push(json!({ "event": "bestBlockChanged", "bestBlockHash": self.last.hash() }));
        events.push(json!({ "event": "finalized", "finalizedBlockHashes": hashes, "prunedBlockHashes": [] }));
        Some(events)
    }

    /// The blocks after the last one, up to a newer head, each of them proven.
    async fn between(&self, head: &Head) -> Option<Vec<Arc<Known>>> {
        let (from, to) = (self.last.number().get(), head.block.number().get());
        if to.checked_sub(from)? > GAP {
            return None;
        }
        let mut blocks = Vec::new();
        for number in from.checked_add(1)?..=to {
            let block = self.chain.numbered(head, BlockNumber::new(number)).await;
            blocks.push(block.ok()?);
        }
        Some(blocks)
    }

    async fn runtime(&self, block: &Arc<Known>) -> Value {
        match self.chain.version_of(block).await {
            Ok(version) => json!({ "type": "valid", "spec": spec(version) }),
            Err(refusal) => {
                let error = ErrorObjectOwned::from(refusal);
                json!({ "type": "invalid", "error": error.message() })
            }
        }
    }
}

/// A version as `chainHead_v1_follow` tells it: the interfaces by their hash.
fn spec(version: Value) -> Value {
    let apis = version.get("apis").and_then(Value::as_array).into_iter();
    let api = |api: &Value| {
        let [Value::String(hash), version] = api.as_array()?.as_slice() else {
            return None;
        };
        Some((hash.clone(), version.clone()))
    };
    let apis: serde_json::Map<_, _> = apis.flatten().filter_map(api).collect();
    with(version, "apis", apis)
}

/// Whether the state after a block has other code than the one before it.
fn changes_runtime(block: &Known) -> bool {
    let items = digest_items(&block.bytes).unwrap_or_default();
    items.contains(&DigestItem::RuntimeEnvironmentUpdated)
}
