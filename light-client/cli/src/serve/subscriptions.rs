//! Subscriptions. Each sends the changes with the newest proven block. A slow client misses the blocks between;
//! nothing is buffered.

use crate::serve::{
    chain::{Chain, Head, Known},
    params::{Keys, Transaction},
    passed::transaction_hash,
    proofs::justification,
    refusal::Refusal,
    state::change_set,
    upstream::Answer,
};
use duet_light_rpc::{fit, shown, Lie};
use duet_primitives::H256;
use jsonrpsee::{
    core::client::Subscription,
    server::{SubscriptionMessage, SubscriptionSink},
    types::ErrorObjectOwned,
};
use serde_json::{json, Value};
use sp_crypto_hashing::blake2_256;
use std::{future::Future, sync::Arc, time::Duration};

/// How long a block that an endpoint calls final may take to be proven.
const PROVEN_WITHIN: Duration = Duration::from_secs(120);

/// Why a subscription ends, as the subscriber sees it.
pub(crate) fn end(refusal: Refusal) -> SubscriptionMessage {
    let error = ErrorObjectOwned::from(refusal);
    SubscriptionMessage::from_json(&error).unwrap_or_else(|_| "the subscription ended".into())
}

/// An event with one more field.
pub(crate) fn with(mut event: Value, field: &str, value: impl Into<Value>) -> Value {
    if let Value::Object(fields) = &mut event {
        fields.insert(field.to_owned(), value.into());
    }
    event
}

/// Sends something; false when nobody listens any more.
pub(crate) async fn send(sink: &SubscriptionSink, value: &Value) -> bool {
    match SubscriptionMessage::from_json(value) {
        Ok(message) => sink.send(message).await.is_ok(),
        Err(_) => false,
    }
}

/// Sends what `say` has to say about each proven block, from the newest on, until the subscriber leaves.
async fn each_head<Said>(
    chain: &Chain,
    sink: &SubscriptionSink,
    mut say: impl FnMut(Arc<Head>) -> Said,
) -> Result<(), Refusal>
where
    Said: Future<Output = Result<Option<Value>, Refusal>>,
{
    let mut heads = chain.heads();
    loop {
        let head = heads.borrow_and_update().clone();
        if let Some(head) = head {
            let said = tokio::select! {
                said = say(head) => said?,
                () = sink.closed() => return Ok(()),
            };
            if let Some(value) = said {
                if !send(sink, &value).await {
                    return Ok(());
                }
            }
        }
        tokio::select! {
            changed = heads.changed() => if changed.is_err() { return Ok(()) },
            () = sink.closed() => return Ok(()),
        }
    }
}

/// The headers of the proven blocks.
pub(crate) async fn headers(chain: &Chain, sink: &SubscriptionSink) -> Result<(), Refusal> {
    let header = |head: Arc<Head>| async move { Ok(Some(head.block.json.clone())) };
    each_head(chain, sink, header).await
}

/// The proofs of the proven blocks.
pub(crate) async fn justifications(chain: &Chain, sink: &SubscriptionSink) -> Result<(), Refusal> {
    let proof = |head: Arc<Head>| async move { Ok(justification(&head)) };
    each_head(chain, sink, proof).await
}

/// Entries of the state: first all, then the changed ones.
pub(crate) async fn storage(
    chain: &Chain,
    sink: &SubscriptionSink,
    keys: &Keys,
) -> Result<(), Refusal> {
    // Of each value only the hash is kept.
    let known = tokio::sync::Mutex::new(None::<Vec<Option<H256>>>);
    let known = &known;
    let changes = |head: Arc<Head>| async move {
        let entries = chain.entries(&head.block, &keys.as_slices()).await?;
        let hash = |value: &Option<Vec<u8>>| value.as_ref().map(|value| H256(blake2_256(value)));
        let hashes: Vec<_> = entries.values.iter().map(hash).collect();
        let before = known.lock().await.replace(hashes.clone());
        let changed = |index: &usize| {
            let old = before.as_ref().map(|before| before.get(*index));
            old.is_none_or(|old| old != hashes.get(*index))
        };
        let all = keys.0.iter().zip(entries.values).enumerate();
        let changes: Vec<_> = all
            .filter(|(index, _)| changed(index))
            .map(|(_, change)| change)
            .collect();
        let set = !changes.is_empty() || before.is_none();
        Ok(set.then(|| change_set(head.block.hash(), changes.into_iter())))
    };
    each_head(chain, sink, changes).await
}

/// The runtime's version, when it changes.
pub(crate) async fn runtime_version(chain: &Chain, sink: &SubscriptionSink) -> Result<(), Refusal> {
    let known = tokio::sync::Mutex::new(Value::Null);
    let known = &known;
    let version = |head: Arc<Head>| async move {
        let version = chain.version_of(&head.block).await?;
        let before = std::mem::replace(&mut *known.lock().await, version.clone());
        Ok((before != version).then_some(version))
    };
    each_head(chain, sink, version).await
}

/// The form of what is told about a transaction.
#[derive(Clone, Copy)]
pub(crate) enum Statuses {
    /// That of `author_submitAndWatchExtrinsic`.
    Author,
    /// That of `transactionWatch_v1_submitAndWatch`.
    Events,
}

impl Statuses {
    /// The method, and the one that ends it.
    fn methods(self) -> [&'static str; 2] {
        match self {
            Self::Author => ["author_submitAndWatchExtrinsic", "author_unwatchExtrinsic"],
            Self::Events => [
                "transactionWatch_v1_submitAndWatch",
                "transactionWatch_v1_unwatch",
            ],
        }
    }

    /// What an endpoint says. Only known statuses are read, and each is written anew: libraries read names of statuses in
    /// any case, so that one of another spelling could pass for finality.
    fn read(self, status: &Value) -> Said {
        let said = match self {
            Self::Author => Self::read_author(status),
            Self::Events => Self::read_event(status),
        };
        said.unwrap_or(Said::Unknown)
    }

    fn read_author(status: &Value) -> Option<Said> {
        if let Value::String(name) = status {
            let is_known = ["future", "ready", "dropped", "invalid"].contains(&name.as_str());
            return is_known.then(|| Said::Status(json!(name)));
        }
        let fields = status.as_object().filter(|fields| fields.len() == 1)?;
        let (name, value) = fields.iter().next()?;
        Some(match name.as_str() {
            "broadcast" => Said::Status(json!({ name: fit(value.clone()) })),
            "inBlock" | "retracted" | "finalityTimeout" | "usurped" => {
                Said::Status(json!({ name: hash(value)? }))
            }
            "finalized" => Said::Final(hash(value)),
            _ => return None,
        })
    }

    fn read_event(status: &Value) -> Option<Said> {
        let name = status.get("event")?.as_str()?;
        let block = status.get("block");
        let error = || status.get("error").and_then(Value::as_str).map(shown);
        Some(match name {
            "validated" => Said::Status(json!({ "event": name })),
            "broadcasted" => {
                let peers = status.get("numPeers").and_then(Value::as_u64)?;
                Said::Status(json!({ "event": name, "numPeers": peers }))
            }
            "bestChainBlockIncluded" => {
                let block = block.filter(|block| !block.is_null()).map(|block| {
                    let index = block.get("index").and_then(Value::as_u64)?;
                    Some(json!({ "hash": hash(block.get("hash")?)?, "index": index }))
                });
                let block = match block {
                    None => Value::Null,
                    Some(block) => block?,
                };
                Said::Status(json!({ "event": name, "block": block }))
            }
            "error" | "invalid" | "dropped" => {
                Said::Status(json!({ "event": name, "error": error().unwrap_or_default() }))
            }
            "finalized" => Said::Final(hash(block?.get("hash")?)),
            _ => return None,
        })
    }

    /// The status of a transaction that is proven to be at this position of a block.
    fn proven(self, block: H256, index: usize) -> Value {
        match self {
            Self::Author => json!({ "finalized": block }),
            Self::Events => {
                json!({ "event": "finalized", "block": { "hash": block, "index": index } })
            }
        }
    }
}

/// An endpoint's message about a transaction.
enum Said {
    /// Its word, written anew.
    Status(Value),
    /// The claim that the transaction is final in this block; none if there is no hash.
    Final(Option<H256>),
    /// Nothing that is passed on.
    Unknown,
}

fn hash(value: &Value) -> Option<H256> {
    serde_json::from_value(value.clone()).ok()
}

/// A transaction that was submitted.
pub(crate) struct Watched {
    form: Statuses,
    transaction: Transaction,
    endpoint: usize,
    said: Subscription<Value>,
}

/// Submits a transaction.
pub(crate) async fn submit(
    chain: &Chain,
    transaction: Transaction,
    form: Statuses,
) -> Result<Watched, Refusal> {
    let param = json!(transaction);
    let param = &param;
    let methods = form.methods();
    let answer = chain
        .upstream
        .ask(|server| async move { server.watch(methods, param).await });
    let Answer { value, endpoint } = answer.await?;
    let said = value.map_err(|error| chain.refused_by(endpoint, error))?;
    Ok(Watched {
        form,
        transaction,
        endpoint,
        said,
    })
}

impl Watched {
    /// Passes on the endpoint's messages about the transaction. Finality is only reported when it is proven.
    pub(crate) async fn run(
        mut self,
        chain: &Chain,
        sink: &SubscriptionSink,
    ) -> Result<(), Refusal> {
        loop {
            let status = tokio::select! {
                status = self.said.next() => status,
                () = sink.closed() => return Ok(()),
            };
            let status: Value = match status {
                Some(Ok(status)) => status,
                None => return Ok(()),
                Some(Err(_)) => return Err(self.lied(chain, "an unreadable message".to_owned())),
            };
            let block = match self.form.read(&status) {
                Said::Final(Some(block)) => block,
                Said::Final(None) => {
                    return Err(self.lied(chain, "no hash of the finalized block".to_owned()))
                }
                Said::Status(status) if !send(sink, &status).await => return Ok(()),
                Said::Status(_) | Said::Unknown => continue,
            };
            let proven = tokio::select! {
                proven = self.is_proven_in(chain, block) => proven?,
                () = sink.closed() => return Ok(()),
            };
            send(sink, &self.form.proven(block, proven)).await;
            return Ok(());
        }
    }

    fn lied(&self, chain: &Chain, got: String) -> Refusal {
        let hash = transaction_hash(&self.transaction);
        let asked = format!("the status of transaction {hash:?}");
        chain.lied(self.endpoint, Lie::OtherAnswer { asked, got })
    }

    /// Waits until a block is proven, and finds the position of the transaction in it. (STATE-4)
    async fn is_proven_in(&self, chain: &Chain, block: H256) -> Result<usize, Refusal> {
        let proven = tokio::time::timeout(PROVEN_WITHIN, proven(chain, block)).await;
        let slow = |_| Refusal::TooSlow {
            seconds: PROVEN_WITHIN.as_secs(),
        };
        let known = proven.map_err(slow)??;
        let extrinsics = chain.extrinsics(&known).await?;
        let hash = transaction_hash(&self.transaction);
        let place = extrinsics
            .iter()
            .position(|bytes| H256(blake2_256(bytes)) == hash);
        place.ok_or_else(|| {
            let got = format!("finality in block {block:?}, which does not have the transaction");
            self.lied(chain, got)
        })
    }
}

/// Waits until a block is proven.
async fn proven(chain: &Chain, block: H256) -> Result<Arc<Known>, Refusal> {
    let mut heads = chain.heads();
    loop {
        heads.borrow_and_update();
        match chain.at(Some(block)).await {
            Err(Refusal::NotYet { number }) => {
                if heads.changed().await.is_err() {
                    return Err(Refusal::NotYet { number });
                }
            }
            known => return known,
        }
    }
}
