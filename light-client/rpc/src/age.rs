//! A server's word on the age of its chain's genesis, whose state has no time. (LIGHT-9)

use crate::{
    fault::Fault,
    server::Server,
    state::{from_hex, hex},
};
use codec::Decode;
use duet_light_client::{digest_items, Dated, DigestItem};
use duet_primitives::H256;
use jsonrpsee::rpc_params;

impl Server {
    /// The time of block 1, and the chain's trusting period, as the server claims; nothing is proven. `None` where the
    /// chain has no such block yet, no slots in its headers, or no time in its state.
    ///
    /// The time follows from the slots, which Aura and BABE count from the epoch: it is wrong where the chain changed their
    /// length.
    ///
    /// # Errors
    /// [`Fault::Lie`] when an answer is none, or those of any request.
    pub async fn genesis_date(&self) -> Result<Option<Dated>, Fault> {
        let first: Option<H256> = self.ask("chain_getBlockHash", rpc_params![1]).await?;
        let Some(first) = first else {
            return Ok(None);
        };
        let head: H256 = self.ask("chain_getFinalizedHead", rpc_params![]).await?;
        let slots = (
            slot(&self.header(first).await?),
            slot(&self.header(head).await?),
        );
        let mut values = Vec::new();
        for key in Dated::keys() {
            let params = rpc_params![hex(key), head];
            let value: Option<String> = self.ask("state_getStorage", params).await?;
            let asked = || format!("the entry {}", hex(key));
            values.push(value.map(|value| from_hex(&value, asked)).transpose()?);
        }
        let ((Some(first), Some(head)), Some(dated)) = (slots, Dated::read(&values)) else {
            return Ok(None);
        };
        let since = u128::from(head.saturating_sub(first)).saturating_mul(dated.time.into());
        let since = since.checked_div(head.into()).unwrap_or(0);
        let since = u64::try_from(since).unwrap_or(u64::MAX);
        Ok(Some(Dated {
            time: dated.time.saturating_sub(since),
            ..dated
        }))
    }
}

/// The slot in a header of Aura or BABE.
fn slot(header: &[u8]) -> Option<u64> {
    let items = digest_items(header).ok()?;
    items.iter().find_map(|item| {
        let DigestItem::PreRuntime(engine, bytes) = item else {
            return None;
        };
        let mut slot = match engine {
            b"aura" => bytes.as_slice(),
            // The kind of claim and the author's index come first.
            b"BABE" => bytes.get(5..)?,
            _ => return None,
        };
        u64::decode(&mut slot).ok()
    })
}
