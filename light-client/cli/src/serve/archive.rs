//! `archive_v1_*`: blocks and their state by hash, without a subscription.

use crate::{
    calls::Function,
    serve::{
        chain::Chain,
        params::Number,
        refusal::Refusal,
        storage_items::{answer_items, Item},
        subscriptions::{send, with},
    },
};
use duet_light_rpc::hex;
use duet_primitives::H256;
use jsonrpsee::{server::SubscriptionSink, types::ErrorObjectOwned};
use serde_json::{json, Value};

impl Chain {
    /// `archive_v1_hashByHeight`: one proven block, or none above the newest.
    pub(crate) async fn hashes_at(&self, number: Number) -> Result<Value, Refusal> {
        let hash = self.block_hash(Some(number)).await?;
        let hashes: Vec<_> = Some(hash)
            .filter(|hash| !hash.is_null())
            .into_iter()
            .collect();
        Ok(json!(hashes))
    }

    /// `archive_v1_call`.
    pub(crate) async fn archive_call(
        &self,
        hash: H256,
        function: &Function,
    ) -> Result<Value, Refusal> {
        let known = self.at(Some(hash)).await?;
        match self.outcome_of(function, &known).await {
            Ok(outcome) => Ok(json!({ "success": true, "value": hex(&outcome.output) })),
            Err(Refusal::Call(why)) => Ok(json!({ "success": false, "error": why.to_string() })),
            Err(refusal) => Err(refusal),
        }
    }
}

/// `archive_v1_storage`: the items, each as an event, and the end.
pub(crate) async fn storage(
    chain: &Chain,
    sink: &SubscriptionSink,
    hash: H256,
    items: Vec<Item>,
) -> Result<(), Refusal> {
    let answered = async {
        let known = chain.at(Some(hash)).await?;
        answer_items(chain, &known, items, |items| async move {
            for item in items {
                send(sink, &with(item, "event", "storage")).await;
            }
        })
        .await
    };
    let end = match answered.await {
        Ok(()) => json!({ "event": "storageDone" }),
        Err(refusal) => {
            let error = ErrorObjectOwned::from(refusal);
            json!({ "event": "storageError", "error": error.message() })
        }
    };
    send(sink, &end).await;
    Ok(())
}
