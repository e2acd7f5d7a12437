//! The methods by their names.

use crate::{
    calls::Function,
    serve::{
        archive,
        chain::Chain,
        chain_head::{self, Payload},
        flow,
        follow::{Begun, Follows},
        params::{Bytes, Keys, Positional},
        proofs::ProofsAsked,
        refusal::Refusal,
        storage_items::Item,
        subscriptions::{self as feeds, Statuses},
        table::{answered, Class, Known},
    },
};
use duet_light_rpc::hex;
use duet_primitives::H256;
use jsonrpsee::{
    server::{PendingSubscriptionSink, RegisterMethodError, RpcModule, SubscriptionCloseResponse},
    types::{ErrorObjectOwned, Params},
};
use serde_json::{json, Value};
use std::sync::Arc;

/// The state behind the methods.
pub(crate) struct Context {
    pub(crate) chain: Arc<Chain>,
    pub(crate) strict: bool,
    pub(crate) follows: Arc<Follows>,
}

/// A kind of subscription.
#[derive(Clone, Copy)]
enum Feed {
    Headers,
    Justifications,
    Storage,
    RuntimeVersion,
    Transaction,
    TransactionWatch,
    Follow,
    ArchiveStorage,
}

impl Feed {
    /// The feed of a subscription.
    fn of(method: &str) -> Option<Self> {
        Some(match method {
            "chain_subscribeAllHeads"
            | "chain_subscribeFinalizedHeads"
            | "chain_subscribeNewHeads" => Self::Headers,
            "duet_subscribeJustifications" => Self::Justifications,
            "state_subscribeStorage" => Self::Storage,
            "state_subscribeRuntimeVersion" => Self::RuntimeVersion,
            "author_submitAndWatchExtrinsic" => Self::Transaction,
            "transactionWatch_v1_submitAndWatch" => Self::TransactionWatch,
            "chainHead_v1_follow" => Self::Follow,
            "archive_v1_storage" => Self::ArchiveStorage,
            _ => return None,
        })
    }
}

/// All methods that are not refused, by all their names.
pub(crate) fn module(context: Context) -> Result<RpcModule<Context>, RegisterMethodError> {
    let strict = context.strict;
    let mut module = RpcModule::new(context);
    for known in answered(strict) {
        let Some(message) = known.pushes else {
            register(&mut module, known, strict)?;
            continue;
        };
        let Some(feed) = Feed::of(known.name) else {
            continue;
        };
        for (begin, end) in known.methods.iter().zip(&known.ends) {
            module.register_subscription(
                begin,
                message,
                end,
                move |params, pending, context, _| serve_feed(feed, params, pending, context),
            )?;
        }
    }
    flow::register(&mut module)?;
    Ok(module)
}

/// A method that is no subscription. Names of one method have one answer; a node is asked by the name that was used.
fn register(
    module: &mut RpcModule<Context>,
    known: &'static Known,
    strict: bool,
) -> Result<(), RegisterMethodError> {
    for name in &known.methods {
        let method = match known.class(strict) {
            Class::Verified => known.name,
            Class::Passed | Class::Refused => name,
        };
        module.register_async_method(name, move |params, context, _| async move {
            let answer = match method.starts_with("chainHead_") {
                true => {
                    let Context { chain, follows, .. } = &*context;
                    chain_head::answer(method, &params, chain, follows).await
                }
                false => answer(method, &params, &context)
                    .await
                    .map(Payload::success),
            };
            answer.unwrap_or_else(|refusal| Payload::error(ErrorObjectOwned::from(refusal)))
        })?;
    }
    Ok(())
}

/// Answers one request.
async fn answer(method: &str, params: &Params<'_>, context: &Context) -> Result<Value, Refusal> {
    let chain = &context.chain;
    let mut params = Positional::new(params)?;
    match method {
        "rpc_methods" => {
            let names = |known: &'static Known| known.methods.iter().chain(&known.ends);
            let names: Vec<_> = answered(context.strict).flat_map(names).collect();
            Ok(json!({ "methods": names }))
        }
        "chainSpec_v1_genesisHash" => Ok(json!(chain.head().await?.trusted.genesis_hash())),
        "chain_getFinalizedHead" => Ok(json!(chain.head().await?.block.hash())),
        "chain_getBlockHash" => chain.block_hash(params.optional()?).await,
        "chain_getHeader" => Ok(chain.at(params.optional()?).await?.json.clone()),
        "chain_getBlock" => chain.block(params.optional()?).await,
        "state_getStorage" => chain.storage(&params.next()?, params.optional()?).await,
        "state_getStorageSize" => {
            chain
                .storage_size(&params.next()?, params.optional()?)
                .await
        }
        "state_getStorageHash" => {
            chain
                .storage_hash(&params.next()?, params.optional()?)
                .await
        }
        "state_queryStorageAt" => {
            chain
                .query_storage(&params.next()?, params.optional()?)
                .await
        }
        "state_getKeysPaged" => {
            let (prefix, count) = (params.next()?, params.next()?);
            let (after, at) = (params.optional()?, params.optional()?);
            chain.keys_paged(&prefix, count, after.as_ref(), at).await
        }
        "state_getKeys" => {
            let entries = chain.all(&params.next()?, params.optional()?).await?;
            let keys: Vec<_> = entries.iter().map(|(key, _)| hex(key)).collect();
            Ok(json!(keys))
        }
        "state_getPairs" => {
            let entries = chain.all(&params.next()?, params.optional()?).await?;
            let pairs: Vec<_> = entries
                .iter()
                .map(|(key, value)| [hex(key), hex(value)])
                .collect();
            Ok(json!(pairs))
        }
        "state_getReadProof" => chain.read_proof(&params.next()?, params.optional()?).await,
        "state_call" => {
            let name: String = params.next()?;
            chain.call(&name, params.next()?, params.optional()?).await
        }
        "state_getMetadata" => chain.metadata(params.optional()?).await,
        "state_getRuntimeVersion" => chain.version(params.optional()?).await,
        "payment_queryInfo" => chain.fee(&params.next()?, params.optional()?).await,
        "payment_queryFeeDetails" => chain.fee_details(&params.next()?, params.optional()?).await,
        "system_accountNextIndex" => chain.nonce(&params.next::<String>()?).await,
        "system_health" => chain.health().await,
        "duet_getGenesisProof" => chain.genesis_proof().await,
        "duet_getStartProof" => match params.optional()? {
            Some(block) => chain.start_proof(block).await,
            None if context.strict => Err(Refusal::Method {
                method: method.to_owned(),
                why: "without a block the answer is an endpoint's claim, and --strict was given",
            }),
            None => chain.claimed_start().await,
        },
        "duet_getProofs" => {
            let asked = ProofsAsked {
                keys: params.next()?,
                block: params.optional()?,
                under: params.optional()?,
                stateless: params.optional()?.unwrap_or(false),
            };
            chain.proofs(&asked).await
        }
        "archive_v1_finalizedHeight" => Ok(json!(chain.head().await?.block.number().get())),
        "archive_v1_hashByHeight" => chain.hashes_at(params.next()?).await,
        "archive_v1_header" => {
            let known = chain.at(Some(params.next()?)).await?;
            Ok(json!(hex(&known.bytes)))
        }
        "archive_v1_body" => {
            let known = chain.at(Some(params.next()?)).await?;
            chain.body(&known).await
        }
        "archive_v1_call" => {
            let (hash, name) = (params.next()?, params.next::<String>()?);
            let function = Function::new(&name, params.next::<Bytes>()?.0);
            chain.archive_call(hash, &function).await
        }
        "transaction_v1_broadcast" => chain.broadcast(&params.next()?).await,
        "transaction_v1_stop" => Ok(Value::Null),
        "author_submitExtrinsic" => chain.submit(&params.next()?).await,
        passed => chain.pass(passed, params.rest()).await,
    }
}

/// The subject of a subscription.
enum Subject {
    Headers,
    Justifications,
    RuntimeVersion,
    Storage(Keys),
    Transaction(Box<feeds::Watched>),
    Follow(Begun),
    ArchiveStorage(H256, Vec<Item>),
}

/// Reads the subject of a subscription. A transaction is submitted.
async fn subject(
    feed: Feed,
    params: &Params<'_>,
    pending: &PendingSubscriptionSink,
    context: &Context,
) -> Result<Subject, Refusal> {
    let chain = &context.chain;
    let mut params = Positional::new(params)?;
    Ok(match feed {
        Feed::Headers => Subject::Headers,
        Feed::Justifications => Subject::Justifications,
        Feed::RuntimeVersion => Subject::RuntimeVersion,
        Feed::Storage => Subject::Storage(params.next()?),
        Feed::Transaction | Feed::TransactionWatch => {
            let form = match feed {
                Feed::Transaction => Statuses::Author,
                _ => Statuses::Events,
            };
            let watched = feeds::submit(chain, params.next()?, form).await?;
            Subject::Transaction(Box::new(watched))
        }
        Feed::Follow => {
            // Without a proven block there is nothing to follow: then the request itself fails.
            chain.head().await?;
            let with_runtime = params.optional()?.unwrap_or(false);
            Subject::Follow(context.follows.begin(pending, with_runtime)?)
        }
        Feed::ArchiveStorage => {
            let hash = params.next()?;
            let items = Item::several(params.next()?, params.optional()?)?;
            Subject::ArchiveStorage(hash, items)
        }
    })
}

/// Accepts a subscription, or refuses it, and serves it to its end.
async fn serve_feed(
    feed: Feed,
    params: Params<'static>,
    pending: PendingSubscriptionSink,
    context: Arc<Context>,
) -> SubscriptionCloseResponse {
    let chain = &context.chain;
    let subject = match subject(feed, &params, &pending, &context).await {
        Ok(subject) => subject,
        Err(refusal) => {
            pending.reject(ErrorObjectOwned::from(refusal)).await;
            return SubscriptionCloseResponse::None;
        }
    };
    let Ok(sink) = pending.accept().await else {
        return SubscriptionCloseResponse::None;
    };
    let served = match subject {
        Subject::Headers => feeds::headers(chain, &sink).await,
        Subject::Justifications => feeds::justifications(chain, &sink).await,
        Subject::RuntimeVersion => feeds::runtime_version(chain, &sink).await,
        Subject::Storage(keys) => feeds::storage(chain, &sink, &keys).await,
        Subject::Transaction(watched) => watched.run(chain, &sink).await,
        Subject::Follow(begun) => begun.run(chain, &sink).await,
        Subject::ArchiveStorage(hash, items) => archive::storage(chain, &sink, hash, items).await,
    };
    match served {
        Ok(()) => SubscriptionCloseResponse::None,
        Err(refusal) => SubscriptionCloseResponse::NotifErr(feeds::end(refusal)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subscription_of_the_table_has_a_feed() {
        let begin = answered(false).filter(|known| known.pushes.is_some());
        let without: Vec<_> = begin
            .filter(|known| Feed::of(known.name).is_none())
            .collect();
        assert!(without.is_empty(), "{without:?}");
        assert!(answered(false).count() > 40);
    }
}
