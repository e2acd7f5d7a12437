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
        table::{answered, row, Class, TABLE},
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

/// For each subscription: its method, the name of its messages, the method that ends it, and its feed.
const FEEDS: [(&str, &str, &str, Feed); 10] = [
    (
        "chain_subscribeAllHeads",
        "chain_allHead",
        "chain_unsubscribeAllHeads",
        Feed::Headers,
    ),
    (
        "chain_subscribeFinalizedHeads",
        "chain_finalizedHead",
        "chain_unsubscribeFinalizedHeads",
        Feed::Headers,
    ),
    (
        "chain_subscribeNewHeads",
        "chain_newHead",
        "chain_unsubscribeNewHeads",
        Feed::Headers,
    ),
    (
        "duet_subscribeJustifications",
        "duet_justifications",
        "duet_unsubscribeJustifications",
        Feed::Justifications,
    ),
    (
        "state_subscribeStorage",
        "state_storage",
        "state_unsubscribeStorage",
        Feed::Storage,
    ),
    (
        "state_subscribeRuntimeVersion",
        "state_runtimeVersion",
        "state_unsubscribeRuntimeVersion",
        Feed::RuntimeVersion,
    ),
    (
        "author_submitAndWatchExtrinsic",
        "author_extrinsicUpdate",
        "author_unwatchExtrinsic",
        Feed::Transaction,
    ),
    (
        "transactionWatch_v1_submitAndWatch",
        "transactionWatch_v1_watchEvent",
        "transactionWatch_v1_unwatch",
        Feed::TransactionWatch,
    ),
    (
        "chainHead_v1_follow",
        "chainHead_v1_followEvent",
        "chainHead_v1_unfollow",
        Feed::Follow,
    ),
    (
        "archive_v1_storage",
        "archive_v1_storageEvent",
        "archive_v1_stopStorage",
        Feed::ArchiveStorage,
    ),
];

/// All methods that are not refused.
pub(crate) fn module(context: Context) -> Result<RpcModule<Context>, RegisterMethodError> {
    let strict = context.strict;
    let mut module = RpcModule::new(context);
    let is_feed = |method: &str| {
        FEEDS
            .iter()
            .any(|(begin, _, end, _)| [*begin, *end].contains(&method))
    };
    for row in TABLE
        .iter()
        .filter(|row| !row.method.ends_with('*') && !is_feed(row.method))
    {
        let method = row.method;
        if self::row(method, strict).class == Class::Refused {
            continue;
        }
        module.register_async_method(method, move |params, context, _| async move {
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
    for (begin, message, end, feed) in FEEDS {
        if row(begin, strict).class == Class::Refused {
            continue;
        }
        module.register_subscription(begin, message, end, move |params, pending, context, _| {
            serve_feed(feed, params, pending, context)
        })?;
    }
    flow::register(&mut module)?;
    Ok(module)
}

/// Answers one request.
async fn answer(method: &str, params: &Params<'_>, context: &Context) -> Result<Value, Refusal> {
    let chain = &context.chain;
    let mut params = Positional::new(params)?;
    match method {
        "rpc_methods" => Ok(json!({ "methods": answered(context.strict) })),
        "archive_v1_genesisHash" | "chainSpec_v1_genesisHash" => {
            Ok(json!(chain.head().await?.trusted.genesis_hash()))
        }
        "chain_getFinalizedHead" | "duet_getFinalizedHead" => {
            Ok(json!(chain.head().await?.block.hash()))
        }
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
        "state_getReadProof" => chain.read_proof(&params.next()?, params.optional()?).await,
        "state_call" => {
            let name: String = params.next()?;
            chain.call(&name, params.next()?, params.optional()?).await
        }
        "state_getMetadata" => chain.metadata(params.optional()?).await,
        "chain_getRuntimeVersion" | "state_getRuntimeVersion" => {
            chain.version(params.optional()?).await
        }
        "payment_queryInfo" => chain.fee(&params.next()?, params.optional()?).await,
        "payment_queryFeeDetails" => chain.fee_details(&params.next()?, params.optional()?).await,
        "account_nextIndex" | "system_accountNextIndex" => {
            chain.nonce(&params.next::<String>()?).await
        }
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
