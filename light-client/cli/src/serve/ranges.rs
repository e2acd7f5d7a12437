//! Lists of entries, proven complete: each key is the next one after the key before it, in the trie itself. (STATE-2)

use crate::{
    parts,
    serve::{
        chain::{Chain, Known},
        params::{Bytes, Key, MAX_KEY},
        refusal::Refusal,
    },
};
use duet_light_calls::{Lookup, Next, ProvenState};
use duet_light_rpc::{hex, Fault, Lie, Server};
use duet_primitives::H256;
use jsonrpsee::core::rpc_params;
use serde_json::{json, Value};
use std::sync::Arc;

/// How many keys are proven at once, and how many a node may leave out of its list before it is a liar.
const AT_ONCE: usize = 64;
const LEFT_OUT: usize = 32;
/// The most keys of one request, as nodes allow.
const MAX_COUNT: usize = 1_000;
/// The most bytes of trie nodes of a list.
const BYTES: usize = 64 << 20;

/// Entries in the order of their keys.
pub(crate) type Page = Vec<(Vec<u8>, Vec<u8>)>;

impl Chain {
    /// The first `count` entries of the state after a block whose keys begin with `prefix`, after the key `after`. Fewer
    /// only if there are no more.
    pub(crate) async fn page(
        &self,
        known: &Arc<Known>,
        prefix: &[u8],
        after: Option<&[u8]>,
        count: usize,
    ) -> Result<Page, Refusal> {
        let range = Range {
            known,
            prefix,
            // All keys come after one that sorts before the prefix.
            after: after.filter(|after| *after >= prefix),
            count,
        };
        let range = &range;
        let answer = self
            .upstream
            .ask(|server| async move { range.fetch(&server).await });
        Ok(answer.await?.value)
    }

    /// `state_getKeysPaged`. Cost: the proof of each key.
    pub(crate) async fn keys_paged(
        &self,
        prefix: &Key,
        count: usize,
        after: Option<&Key>,
        at: Option<H256>,
    ) -> Result<Value, Refusal> {
        if count > MAX_COUNT {
            return Err(Refusal::Params(format!(
                "at most {MAX_COUNT} keys in one request"
            )));
        }
        let known = self.at(at).await?;
        let after = after.map(|key| key.0 .0.as_slice());
        let page = self.page(&known, &prefix.0 .0, after, count).await?;
        let keys: Vec<_> = page.iter().map(|(key, _)| hex(key)).collect();
        Ok(json!(keys))
    }

    /// All entries whose keys begin with `prefix`, for `state_getKeys` and `state_getPairs`. Refused from [`MAX_COUNT`]
    /// on, because those methods have no bound.
    pub(crate) async fn all(&self, prefix: &Key, at: Option<H256>) -> Result<Page, Refusal> {
        let known = self.at(at).await?;
        let page = self.page(&known, &prefix.0 .0, None, MAX_COUNT).await?;
        if page.len() == MAX_COUNT {
            return Err(Refusal::Params(format!(
                "{MAX_COUNT} keys or more begin with this prefix: use state_getKeysPaged"
            )));
        }
        Ok(page)
    }

    /// The Merkle value of all entries whose keys begin with `prefix`; none if there are none.
    pub(crate) async fn merkle_value(
        &self,
        known: &Arc<Known>,
        prefix: &[u8],
    ) -> Result<Option<Vec<u8>>, Refusal> {
        let answer = self.upstream.ask(|server| async move {
            let mut state = ProvenState::new(known.header.state_root().0, BYTES);
            prove(&server, known, &mut state, &[prefix]).await?;
            Ok(match state.merkle_value(prefix) {
                Lookup::Found(value) => Some(value.to_vec()),
                Lookup::Absent | Lookup::Unknown => None,
            })
        });
        Ok(answer.await?.value)
    }
}

/// A part of the state after a block.
struct Range<'a> {
    known: &'a Known,
    prefix: &'a [u8],
    after: Option<&'a [u8]>,
    count: usize,
}

impl Range<'_> {
    /// The entries. The node's own list only tells which keys to prove.
    async fn fetch(&self, server: &Server) -> Result<Page, Fault> {
        let mut state = ProvenState::new(self.known.header.state_root().0, BYTES);
        let mut claimed = self.claimed(server).await?;
        claimed.push(self.after.unwrap_or(self.prefix).to_vec());
        for some in claimed.chunks(AT_ONCE) {
            let keys: Vec<_> = some.iter().map(Vec::as_slice).collect();
            prove(server, self.known, &mut state, &keys).await?;
        }
        for _ in 0..LEFT_OUT {
            match self.walk(&state) {
                Ok(page) => return Ok(page),
                Err(missing) => {
                    let keys: Vec<_> = missing.iter().map(Vec::as_slice).collect();
                    prove(server, self.known, &mut state, &keys).await?;
                }
            }
        }
        Err(Lie::OtherAnswer {
            asked: format!("the keys under {}", hex(self.prefix)),
            got: format!("a list without {LEFT_OUT} of them"),
        }
        .into())
    }

    /// The keys as a node lists them. Those that do not belong there are left out.
    async fn claimed(&self, server: &Server) -> Result<Vec<Vec<u8>>, Fault> {
        let (prefix, after) = (hex(self.prefix), self.after.map(hex));
        let params = rpc_params![prefix, self.count, after, self.known.hash()];
        let answer = server
            .call::<Vec<Bytes>>("state_getKeysPaged", params)
            .await?;
        let keys = answer.map_err(|error| Fault::Unreachable(error.message().to_owned()))?;
        let keys = keys.into_iter().take(self.count).map(|key| key.0);
        let belongs = |key: &Vec<u8>| key.starts_with(self.prefix) && key.len() <= MAX_KEY;
        Ok(keys.filter(belongs).collect())
    }

    /// The entries by the trie itself, or keys whose proof is missing.
    fn walk(&self, state: &ProvenState) -> Result<Page, Vec<Vec<u8>>> {
        let mut page = Page::new();
        let mut last = self.after.unwrap_or(self.prefix).to_vec();
        // The prefix itself may be a key.
        if self.after.is_none() {
            if let Lookup::Found(value) = state.value(self.prefix) {
                page.push((last.clone(), value.to_vec()));
            }
        }
        while page.len() < self.count {
            let next = match state.next_key(&last) {
                Next::Found(key) if key.starts_with(self.prefix) => key,
                Next::Unknown(keys) if keys.iter().any(|key| key.starts_with(self.prefix)) => {
                    return Err(keys)
                }
                // Behind the prefix, or nowhere.
                Next::Found(_) | Next::Unknown(_) | Next::Absent => break,
            };
            match state.value(&next) {
                Lookup::Found(value) => page.push((next.clone(), value.to_vec())),
                Lookup::Absent | Lookup::Unknown => return Err(vec![next]),
            }
            last = next;
        }
        Ok(page)
    }
}

/// Adds the nodes that prove these keys.
async fn prove(
    server: &Server,
    known: &Known,
    state: &mut ProvenState,
    keys: &[&[u8]],
) -> Result<(), Fault> {
    let nodes = parts::entries(server, &known.header, keys).await?;
    let all = nodes.iter().map(Vec::as_slice);
    let too_large = |error| Fault::Unreachable(format!("{error}"));
    state.insert(all).map_err(too_large)
}
