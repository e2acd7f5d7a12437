//! Answers about blocks: headers, hashes, bodies.

use crate::serve::{
    chain::{Chain, Known},
    params::Number,
    refusal::Refusal,
};
use duet_light_rpc::hex;
use duet_primitives::{BlockNumber, H256};
use serde_json::{json, Value};
use std::sync::Arc;

impl Chain {
    /// The hash of the block with a number, or of the newest. Null when no block with it is proven.
    pub(crate) async fn block_hash(&self, number: Option<Number>) -> Result<Value, Refusal> {
        let head = self.head().await?;
        let Some(Number(number)) = number else {
            return Ok(json!(head.block.hash()));
        };
        let number = BlockNumber::new(number);
        if number == BlockNumber::ZERO {
            return Ok(json!(head.trusted.genesis_hash()));
        }
        match self.numbered(&head, number).await {
            Ok(known) => Ok(json!(known.hash())),
            Err(Refusal::NotYet { .. }) => Ok(Value::Null),
            Err(refusal) => Err(refusal),
        }
    }

    /// A block with its extrinsics. (STATE-4)
    pub(crate) async fn block(&self, hash: Option<H256>) -> Result<Value, Refusal> {
        let known = self.at(hash).await?;
        let extrinsics = self.body(&known).await?;
        let block = json!({ "header": known.json, "extrinsics": extrinsics });
        Ok(json!({ "block": block, "justifications": null }))
    }

    /// A block's extrinsics as nodes show them. (STATE-4)
    pub(crate) async fn body(&self, known: &Arc<Known>) -> Result<Value, Refusal> {
        let extrinsics = self.extrinsics(known).await?;
        Ok(extrinsics.iter().map(|bytes| hex(bytes)).collect())
    }

    /// A block's extrinsics.
    pub(crate) async fn extrinsics(&self, known: &Arc<Known>) -> Result<Vec<Vec<u8>>, Refusal> {
        let answer = self.upstream.ask(|server| async move {
            let extrinsics = server.extrinsics(known.number(), known.hash()).await?;
            known.header.body(&extrinsics)?;
            Ok(extrinsics)
        });
        Ok(answer.await?.value)
    }
}
