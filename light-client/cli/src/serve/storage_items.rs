//! The items of `chainHead_v1_storage` and `archive_v1_storage`.

use crate::serve::{
    chain::{Chain, Known},
    params::{Bytes, Key},
    refusal::Refusal,
};
use duet_light_rpc::hex;
use duet_primitives::H256;
use serde::Deserialize;
use serde_json::{json, Value};
use sp_crypto_hashing::blake2_256;
use std::{future::Future, sync::Arc};

/// The most items of one request, and how many of them are read at once.
const ITEMS: usize = 256;
const AT_ONCE: usize = 64;
/// How many entries under a key are told at once.
const PAGE: usize = 256;

/// What is asked of a key.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Kind {
    Value,
    Hash,
    ClosestDescendantMerkleValue,
    DescendantsValues,
    DescendantsHashes,
}

/// A question about a key.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Item {
    key: Key,
    #[serde(rename = "type")]
    kind: Kind,
}

impl Item {
    /// At most [`ITEMS`] of them, of the main trie.
    pub(crate) fn several(all: Vec<Self>, child_trie: Option<Bytes>) -> Result<Vec<Self>, Refusal> {
        if child_trie.is_some() {
            return Err(Refusal::Params("child tries are not verified".to_owned()));
        }
        if all.len() > ITEMS {
            return Err(Refusal::Params(format!(
                "at most {ITEMS} items in one request"
            )));
        }
        Ok(all)
    }
}

/// Answers items at a block: those about single keys first, then those about all entries under a key. An item without
/// an entry has no answer.
pub(crate) async fn answer_items<Told>(
    chain: &Chain,
    block: &Arc<Known>,
    items: Vec<Item>,
    mut tell: impl FnMut(Vec<Value>) -> Told,
) -> Result<(), Refusal>
where
    Told: Future<Output = ()>,
{
    let is_single = |item: &Item| matches!(item.kind, Kind::Value | Kind::Hash);
    let (single, ranges): (Vec<_>, Vec<_>) = items.into_iter().partition(is_single);
    for some in single.chunks(AT_ONCE) {
        let keys: Vec<_> = some.iter().map(|item| item.key.0 .0.as_slice()).collect();
        let entries = chain.entries(block, &keys).await?;
        let answered = some.iter().zip(entries.values);
        let answered: Vec<_> = answered
            .filter_map(|(item, value)| Some(answered_item(&item.key.0 .0, item.kind, &value?)))
            .collect();
        if !answered.is_empty() {
            tell(answered).await;
        }
    }
    for item in ranges {
        let prefix = &item.key.0 .0;
        if item.kind == Kind::ClosestDescendantMerkleValue {
            if let Some(value) = chain.merkle_value(block, prefix).await? {
                let value = hex(&value);
                tell(vec![
                    json!({ "key": item.key, "closestDescendantMerkleValue": value }),
                ])
                .await;
            }
            continue;
        }
        let mut after = None;
        loop {
            let page = chain.page(block, prefix, after.as_deref(), PAGE).await?;
            let is_last = page.len() < PAGE;
            let answer = |(key, value): &(Vec<u8>, Vec<u8>)| answered_item(key, item.kind, value);
            if !page.is_empty() {
                tell(page.iter().map(answer).collect()).await;
            }
            after = page.into_iter().last().map(|(key, _)| key);
            if is_last {
                break;
            }
        }
    }
    Ok(())
}

fn answered_item(key: &[u8], kind: Kind, value: &[u8]) -> Value {
    match kind {
        Kind::Hash | Kind::DescendantsHashes => {
            json!({ "key": hex(key), "hash": H256(blake2_256(value)) })
        }
        _ => json!({ "key": hex(key), "value": hex(value) }),
    }
}
