//! `chainHead_v1_*`: requests about blocks that a subscription has pinned. Most start an operation, whose answer comes as
//! events of the subscription.

use crate::{
    calls::Function,
    serve::{
        chain::Chain,
        follow::{Follow, Follows, Operation},
        params::{Bytes, Positional},
        refusal::Refusal,
        storage_items::{answer_items, Item},
        subscriptions::with,
    },
};
use duet_light_rpc::hex;
use duet_primitives::H256;
use jsonrpsee::{
    server::{MethodResponseFuture, ResponsePayload},
    types::Params,
};
use serde_json::{json, Value};
use std::{future::Future, sync::Arc};

/// An answer, and word of when it was sent.
pub(crate) type Payload = ResponsePayload<'static, Value>;

/// Answers one request.
pub(crate) async fn answer(
    method: &str,
    params: &Params<'_>,
    chain: &Arc<Chain>,
    follows: &Follows,
) -> Result<Payload, Refusal> {
    let mut params = Positional::new(params)?;
    let follow = follows.get(&params.next::<String>()?);
    let Some(follow) = follow else {
        // The specification wants no error where a subscription has just ended.
        return Ok(Payload::success(match method {
            "chainHead_v1_body" | "chainHead_v1_call" | "chainHead_v1_storage" => limit_reached(),
            _ => Value::Null,
        }));
    };
    let chain = Arc::clone(chain);
    match method {
        "chainHead_v1_header" => {
            let block = follow.block(params.next()?)?;
            Ok(Payload::success(json!(hex(&block.bytes))))
        }
        "chainHead_v1_body" => {
            let block = follow.block(params.next()?)?;
            Ok(operate(&follow, json!({}), |operation| async move {
                let body = chain.body(&block).await?;
                let done = json!({ "event": "operationBodyDone", "value": body });
                operation.tell(done).await;
                Ok(())
            }))
        }
        "chainHead_v1_call" => {
            let block = follow.block(params.next()?)?;
            let name: String = params.next()?;
            let function = Function::new(&name, params.next::<Bytes>()?.0);
            Ok(operate(&follow, json!({}), |operation| async move {
                let output = chain.outcome_of(&function, &block).await?.output;
                let done = json!({ "event": "operationCallDone", "output": hex(&output) });
                operation.tell(done).await;
                Ok(())
            }))
        }
        "chainHead_v1_storage" => {
            let block = follow.block(params.next()?)?;
            let items = Item::several(params.next()?, params.optional()?)?;
            let more = json!({ "discardedItems": 0 });
            Ok(operate(&follow, more, |operation| async move {
                answer_items(&chain, &block, items, |items| {
                    let operation = Arc::clone(&operation);
                    async move {
                        let event = json!({ "event": "operationStorageItems", "items": items });
                        operation.tell(event).await;
                    }
                })
                .await?;
                operation
                    .tell(json!({ "event": "operationStorageDone" }))
                    .await;
                Ok(())
            }))
        }
        "chainHead_v1_unpin" => {
            let hashes = match params.next::<Value>()? {
                Value::Array(all) => all,
                one => vec![one],
            };
            let hashes = hashes.into_iter().map(serde_json::from_value);
            let hashes: Result<Vec<H256>, _> = hashes.collect();
            let hashes = hashes.map_err(|_| Refusal::Params("hashes of blocks".to_owned()))?;
            follow.unpin(&hashes)?;
            Ok(Payload::success(Value::Null))
        }
        "chainHead_v1_stopOperation" => {
            follow.stop(&params.next::<String>()?);
            Ok(Payload::success(Value::Null))
        }
        // No operation waits to be continued.
        _ => Ok(Payload::success(Value::Null)),
    }
}

fn limit_reached() -> Value {
    json!({ "result": "limitReached" })
}

/// Starts an operation when the answer with its id was sent.
fn operate<Run>(
    follow: &Arc<Follow>,
    answer: Value,
    run: impl FnOnce(Arc<Operation>) -> Run + Send + 'static,
) -> Payload
where
    Run: Future<Output = Result<(), Refusal>> + Send,
{
    let (sent, answered) = tokio::sync::oneshot::channel::<MethodResponseFuture>();
    let answered = async move {
        match answered.await {
            Ok(sent) => sent.await.is_ok(),
            Err(_) => false,
        }
    };
    let Some(id) = follow.start(answered, run) else {
        return Payload::success(limit_reached());
    };
    let answer = with(with(answer, "result", "started"), "operationId", id);
    let (payload, future) = Payload::success(answer).notify_on_completion();
    let _ = sent.send(future);
    payload
}
