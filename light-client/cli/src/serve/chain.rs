//! The proven blocks: the newest, which every answer about "now" is of, and older ones under it.

use crate::{
    calls::Calls,
    parts::{self, Parts},
    serve::{header_json::header_json, refusal::Refusal, upstream::Upstream},
};
use duet_light_client::{FinalHeader, Trusted};
use duet_light_rpc::{Failure, Fault, Kind, Server};
use duet_primitives::{BlockNumber, H256};
use serde_json::Value;
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{sync::watch, time::Instant};

/// How many older blocks are remembered, and of how many bytes the header of each may be.
const RECENT: usize = 256;
const RECENT_BYTES: usize = 4_096;
/// How long, and for how many blocks after the newest, a block that is not proven yet is waited for.
const PROVEN_WITHIN: Duration = Duration::from_secs(20);
const SOON: u32 = 16;
/// The pause before the header of the newest block is requested again.
const AGAIN: Duration = Duration::from_secs(1);

/// A block that is proven, with its header.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) header: FinalHeader,
    pub(crate) bytes: Vec<u8>,
    pub(crate) json: Value,
}

impl Known {
    pub(crate) fn hash(&self) -> H256 {
        self.header.block().hash()
    }

    pub(crate) fn number(&self) -> BlockNumber {
        self.header.block().number()
    }

    fn new(parts: Parts) -> Result<Self, Fault> {
        let unreadable = |_| {
            let block = parts.header.block().number();
            let message = format!("the header of block {block} has a digest in an unknown format");
            Fault::from(Failure::new(Kind::NoWay, message))
        };
        Ok(Self {
            json: header_json(&parts.header_bytes).map_err(unreadable)?,
            header: parts.header,
            bytes: parts.header_bytes,
        })
    }
}

/// The newest proven block.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) trusted: Trusted,
    pub(crate) block: Arc<Known>,
}

/// The result of a question about a block.
enum Found {
    Known(Box<Known>),
    NotYet(BlockNumber),
    NotFinal(BlockNumber),
}

/// The proven blocks.
pub(crate) struct Chain {
    pub(crate) upstream: Arc<Upstream>,
    pub(crate) calls: Arc<Calls>,
    head: watch::Receiver<Option<Arc<Head>>>,
    recent: Mutex<VecDeque<Arc<Known>>>,
}

impl Chain {
    /// The blocks of the heads that [`publish_heads`] sends.
    pub(crate) fn new(
        upstream: Arc<Upstream>,
        head: watch::Receiver<Option<Arc<Head>>>,
        calls: Arc<Calls>,
    ) -> Self {
        Self {
            upstream,
            calls,
            head,
            recent: Mutex::default(),
        }
    }

    /// How many endpoints are in use.
    pub(crate) fn endpoints(&self) -> u64 {
        self.upstream.in_use()
    }

    /// The heads as they arrive. A slow receiver gets only the newest.
    pub(crate) fn heads(&self) -> watch::Receiver<Option<Arc<Head>>> {
        self.head.clone()
    }

    /// The newest proven block, as soon as one exists.
    pub(crate) async fn head(&self) -> Result<Arc<Head>, Refusal> {
        let mut head = self.head.clone();
        let there = head.wait_for(Option::is_some).await;
        let found = there.ok().and_then(|head| head.clone());
        found.ok_or(Refusal::Unreadable("this server is stopping".to_owned()))
    }

    /// The block with this hash, or the newest. One that is a little newer than the newest is waited for, because
    /// endpoints name blocks before they are proven.
    pub(crate) async fn at(&self, hash: Option<H256>) -> Result<Arc<Known>, Refusal> {
        let mut heads = self.heads();
        let deadline = Instant::now().checked_add(PROVEN_WITHIN);
        loop {
            // Before the head is read, so that none that comes after it is missed.
            heads.mark_unchanged();
            let head = self.head().await?;
            let Some(hash) = hash.filter(|hash| *hash != head.block.hash()) else {
                return Ok(Arc::clone(&head.block));
            };
            let number = match self.find(&head, hash).await {
                Err(Refusal::NotYet { number }) => number,
                found => return found,
            };
            let soon = head.block.number().get().saturating_add(SOON);
            let deadline = deadline.filter(|_| number.get() <= soon);
            let changed = heads.changed();
            let waited = match deadline {
                Some(deadline) => tokio::time::timeout_at(deadline, changed).await,
                None => return Err(Refusal::NotYet { number }),
            };
            if !matches!(waited, Ok(Ok(()))) {
                return Err(Refusal::NotYet { number });
            }
        }
    }

    /// The block with this hash, under a head.
    async fn find(&self, head: &Head, hash: H256) -> Result<Arc<Known>, Refusal> {
        if let Some(known) = self.recent(|known| known.hash() == hash) {
            return Ok(known);
        }
        let trusted = &head.trusted;
        let found = self
            .upstream
            .ask(|server| async move { find(&server, trusted, hash).await });
        match found.await?.value {
            Found::Known(known) => Ok(self.remember(*known)),
            Found::NotYet(number) => Err(Refusal::NotYet { number }),
            Found::NotFinal(number) => Err(Refusal::NotFinal { hash, number }),
        }
    }

    /// The block with this number, which the newest or one before it has.
    pub(crate) async fn numbered(
        &self,
        head: &Head,
        number: BlockNumber,
    ) -> Result<Arc<Known>, Refusal> {
        if number == head.block.number() {
            return Ok(Arc::clone(&head.block));
        }
        if number > head.block.number() {
            return Err(Refusal::NotYet { number });
        }
        if let Some(known) = self.recent(|known| known.number() == number) {
            return Ok(known);
        }
        let trusted = &head.trusted;
        let found = self.upstream.ask(|server| async move {
            Known::new(parts::fetch(&server, trusted, Some(number), &[]).await?)
        });
        Ok(self.remember(found.await?.value))
    }

    fn recent(&self, is_it: impl Fn(&Known) -> bool) -> Option<Arc<Known>> {
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.iter().find(|known| is_it(known)).cloned()
    }

    /// Stores a proven block. Proven blocks stay proven.
    fn remember(&self, known: Known) -> Arc<Known> {
        let known = Arc::new(known);
        if known.bytes.len() <= RECENT_BYTES {
            let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
            recent.truncate(RECENT.saturating_sub(1));
            recent.push_front(Arc::clone(&known));
        }
        known
    }
}

/// Finds the block with a hash: the preimage is its header, the header has the number, and the block with that number
/// is proven.
async fn find(server: &Server, trusted: &Trusted, hash: H256) -> Result<Found, Fault> {
    let number = parts::number_of(server, hash).await?;
    if number > trusted.best_number() {
        return Ok(Found::NotYet(number));
    }
    let parts = parts::fetch(server, trusted, Some(number), &[]).await?;
    if parts.header.block().hash() != hash {
        return Ok(Found::NotFinal(number));
    }
    Known::new(parts).map(|known| Found::Known(Box::new(known)))
}

/// Sends each new proven block as soon as its header is known, until nobody listens.
pub(crate) async fn publish_heads(
    upstream: Arc<Upstream>,
    mut view: watch::Receiver<crate::link::View>,
    heads: watch::Sender<Option<Arc<Head>>>,
) {
    while !heads.is_closed() {
        let newest = heads.borrow().as_ref().map(|head| head.block.number());
        let now = view.borrow_and_update().clone();
        // What is trusted while the session still catches up may be old.
        let trusted = now.trusted.filter(|_| now.followed.is_some());
        let trusted = trusted.filter(|trusted| Some(trusted.best_number()) > newest);
        let mut complete = true;
        if let Some(trusted) = &trusted {
            let header = upstream.ask(|server| async move {
                Known::new(parts::fetch(&server, trusted, None, &[]).await?)
            });
            match header.await {
                Ok(answer) => {
                    let block = Arc::new(answer.value);
                    let trusted = trusted.clone();
                    heads.send_replace(Some(Arc::new(Head { trusted, block })));
                }
                Err(_) => complete = false,
            }
        }
        let changed = view.changed();
        if complete {
            if changed.await.is_err() {
                return;
            }
        } else {
            // Whoever failed was reported.
            let _ = tokio::time::timeout(AGAIN, changed).await;
        }
    }
}
