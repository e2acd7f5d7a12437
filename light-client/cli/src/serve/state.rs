//! Answers from the state, each of one proven block. (STATE-2)

use crate::{
    age::{now, YOUNG},
    question::{Account, AccountInfo},
    serve::{
        chain::{Chain, Known},
        params::{Bytes, Key, Keys},
        refusal::Refusal,
    },
};
use codec::DecodeAll;
use duet_light_client::{Dated, TIME_STORAGE_KEY};
use duet_light_rpc::hex;
use duet_primitives::H256;
use serde_json::{json, Value};
use sp_crypto_hashing::blake2_256;
use std::{collections::BTreeSet, sync::Arc};

/// The most bytes of trie nodes of one request, and how often its keys are split.
const BYTES: usize = 64 << 20;
const SPLITS: usize = 16;

/// Entries of the state after a block, with the trie nodes that prove them.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    /// In the order of the keys; none where the state provably has none.
    pub(crate) values: Vec<Option<Vec<u8>>>,
    pub(crate) nodes: Vec<Vec<u8>>,
}

impl Entries {
    /// Adds those of the next keys.
    fn add(&mut self, next: Self) {
        self.values.extend(next.values);
        let known: BTreeSet<_> = self.nodes.iter().map(Vec::as_slice).collect();
        let is_new = |node: &Vec<u8>| !known.contains(node.as_slice());
        let new: Vec<_> = next.nodes.into_iter().filter(is_new).collect();
        self.nodes.extend(new);
    }
}

impl Chain {
    /// Reads entries of the state after a block. Where one answer would be too long, the keys are split.
    pub(crate) async fn entries(
        &self,
        known: &Arc<Known>,
        keys: &[&[u8]],
    ) -> Result<Entries, Refusal> {
        let mut all = Entries::default();
        // The first one is the last.
        let mut parts = vec![keys];
        let mut too_long = Vec::new();
        while let Some(part) = parts.pop().filter(|part| !part.is_empty()) {
            match self.part(known, part).await {
                Ok(some) => all.add(some),
                Err(refusal) if refusal.is_too_long() && part.len() > 1 => {
                    let (first, second) = part.split_at(part.len().div_ceil(2));
                    parts.extend([second, first]);
                    too_long.push(refusal);
                }
                Err(refusal) => return Err(refusal),
            }
            let bytes: usize = all.nodes.iter().map(Vec::len).sum();
            let is_too_much = too_long.len() > SPLITS || bytes > BYTES;
            if let Some(refusal) = too_long.first().filter(|_| is_too_much) {
                return Err(refusal.clone());
            }
        }
        Ok(all)
    }

    /// The same in one answer.
    async fn part(&self, known: &Arc<Known>, keys: &[&[u8]]) -> Result<Entries, Refusal> {
        let answer = self.upstream.ask(|server| async move {
            let nodes = server
                .read_proof(keys, known.number(), known.hash())
                .await?;
            let entries = known.header.read(keys, &nodes)?;
            let values = entries
                .iter()
                .map(|entry| entry.value().map(<[u8]>::to_vec));
            Ok(Entries {
                values: values.collect(),
                nodes,
            })
        });
        Ok(answer.await?.value)
    }

    /// One entry of the state after a block, or after the newest.
    pub(crate) async fn entry(
        &self,
        key: &Key,
        at: Option<H256>,
    ) -> Result<Option<Vec<u8>>, Refusal> {
        let known = self.at(at).await?;
        let entries = self.entries(&known, &[&key.0 .0]).await?;
        Ok(entries.values.into_iter().next().flatten())
    }

    /// The proven time of a block, or of the newest; `None` where the state has none.
    pub(crate) async fn dated(&self, at: Option<H256>) -> Result<Option<Dated>, Refusal> {
        let key = Key(Bytes(TIME_STORAGE_KEY.to_vec()));
        Ok(Dated::read(&[self.entry(&key, at).await?]))
    }

    /// `state_getStorage`.
    pub(crate) async fn storage(&self, key: &Key, at: Option<H256>) -> Result<Value, Refusal> {
        Ok(json!(self.entry(key, at).await?.map(|value| hex(&value))))
    }

    /// `system_health`: it syncs while its newest block is not young. On a chain whose state has no time nobody can tell.
    pub(crate) async fn health(&self) -> Result<Value, Refusal> {
        let age = self.dated(None).await?.map(|dated| dated.age(now()));
        Ok(json!({
            "peers": self.endpoints(),
            "isSyncing": age.is_some_and(|age| age > YOUNG),
            "shouldHavePeers": true,
            "headAge": age,
        }))
    }

    /// `state_getStorageSize`.
    pub(crate) async fn storage_size(&self, key: &Key, at: Option<H256>) -> Result<Value, Refusal> {
        Ok(json!(self.entry(key, at).await?.map(|value| value.len())))
    }

    /// `state_getStorageHash`: BLAKE2b-256 of the value.
    pub(crate) async fn storage_hash(&self, key: &Key, at: Option<H256>) -> Result<Value, Refusal> {
        let value = self.entry(key, at).await?;
        Ok(json!(value.map(|value| H256(blake2_256(&value)))))
    }

    /// `state_queryStorageAt`: all keys in the state after one block.
    pub(crate) async fn query_storage(
        &self,
        keys: &Keys,
        at: Option<H256>,
    ) -> Result<Value, Refusal> {
        let known = self.at(at).await?;
        let entries = self.entries(&known, &keys.as_slices()).await?;
        let changes = keys.0.iter().zip(entries.values);
        Ok(json!([change_set(known.hash(), changes)]))
    }

    /// `state_getReadProof`: trie nodes that were checked.
    pub(crate) async fn read_proof(&self, keys: &Keys, at: Option<H256>) -> Result<Value, Refusal> {
        let known = self.at(at).await?;
        let entries = self.entries(&known, &keys.as_slices()).await?;
        let nodes: Vec<_> = entries.nodes.iter().map(|node| hex(node)).collect();
        Ok(json!({ "at": known.hash(), "proof": nodes }))
    }

    /// `system_accountNextIndex`: the nonce in the state after the newest proven block. Transactions in a pool are not
    /// counted, because nothing proves them.
    pub(crate) async fn nonce(&self, account: &str) -> Result<Value, Refusal> {
        let account: Account = account.parse().map_err(Refusal::Params)?;
        let head = self.head().await?;
        let entries = self.entries(&head.block, &[&account.key()]).await?;
        let Some(value) = entries.values.into_iter().next().flatten() else {
            return Ok(json!(0));
        };
        let info = AccountInfo::decode_all(&mut value.as_slice())
            .map_err(|_| Refusal::Unreadable("this chain has another account format".to_owned()))?;
        Ok(json!(info.nonce))
    }
}

/// Entries of the state after a block, as nodes show changes.
pub(crate) fn change_set<'a>(
    block: H256,
    changes: impl Iterator<Item = (&'a Key, Option<Vec<u8>>)>,
) -> Value {
    let changes: Vec<_> = changes
        .map(|(key, value)| json!([key, value.map(|value| hex(&value))]))
        .collect();
    json!({ "block": block, "changes": changes })
}
