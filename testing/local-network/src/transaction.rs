//! Signed extrinsics, tracked until they are in a block.

use crate::{
    rpc::{answer, Rpc},
    wait, Error, Result,
};
use codec::{Decode, Encode};
use duet_runtime::{
    extrinsic, AccountId, Balance, Hash, Nonce, Runtime, RuntimeCall, RuntimeEvent,
    UncheckedExtrinsic,
};
use frame_system::{AccountInfo, EventRecord, Phase};
use jsonrpsee::rpc_params;
use serde_json::Value;
use sp_core::{sr25519, Bytes, Pair};
use sp_io::hashing::twox_128;
use sp_keyring::Sr25519Keyring;
use std::time::Duration;

/// The time limit for inclusion. A transaction with a runtime takes an author a while, and a busy machine longer.
const INCLUSION_LIMIT: Duration = Duration::from_secs(180);

/// Signs `call` for a development account, submits it and waits until it is in a block and has succeeded.
///
/// Returns the block.
///
/// # Errors
/// [`Error::NotIncluded`] when the pool refuses or drops it, [`Error::Dispatch`] when it fails in its block,
/// [`Error::TimedOut`] when no block includes it.
pub async fn submit(
    rpc: &Rpc,
    signer: Sr25519Keyring,
    call: impl Into<RuntimeCall>,
) -> Result<Hash> {
    submit_by(rpc, &signer.pair(), call).await
}

/// The same for the account of any pair of keys.
///
/// # Errors
/// As [`submit`].
pub async fn submit_by(
    rpc: &Rpc,
    signer: &sr25519::Pair,
    call: impl Into<RuntimeCall>,
) -> Result<Hash> {
    let transaction = sign(rpc, signer, call.into()).await?.encode();
    let block = send(rpc, transaction.clone()).await?;
    check_success(rpc, block, &transaction).await?;
    Ok(block)
}

/// Submits a transaction of any chain and waits until a block includes it. Does not check whether it succeeded.
///
/// Returns the block.
///
/// # Errors
/// [`Error::NotIncluded`] when the pool refuses or drops it, [`Error::TimedOut`] when no block includes it.
pub async fn send(rpc: &Rpc, transaction: Vec<u8>) -> Result<Hash> {
    let included = included(rpc, Bytes(transaction));
    wait::at_most(
        "the transaction to be in a block",
        INCLUSION_LIMIT,
        included,
    )
    .await
}

async fn sign(rpc: &Rpc, signer: &sr25519::Pair, call: RuntimeCall) -> Result<UncheckedExtrinsic> {
    let account = AccountId::from(signer.public());
    let nonce = rpc.next_nonce(&account).await?;
    let (genesis, version) = (rpc.genesis_hash().await?, rpc.spec_version().await?);
    let payload = extrinsic::payload(call, nonce, genesis, version);
    Ok(extrinsic::sign(payload, account, |bytes| {
        signer.sign(bytes).into()
    }))
}

async fn included(rpc: &Rpc, transaction: Bytes) -> Result<Hash> {
    let (method, end) = ("author_submitAndWatchExtrinsic", "author_unwatchExtrinsic");
    let mut statuses = rpc
        .subscribe::<Value>(method, rpc_params![transaction], end)
        .await?;
    while let Some(status) = statuses.next().await {
        if let Some(block) = block_of(&status.map_err(|error| answer(method, error))?)? {
            return Ok(block);
        }
    }
    Err(answer(method, "stream has ended"))
}

/// The block of a transaction, from the node's status: a name, or a name with a value.
fn block_of(status: &Value) -> Result<Option<Hash>> {
    for included in ["inBlock", "finalized"] {
        if let Some(block) = status.get(included) {
            let block = serde_json::from_value(block.clone());
            return block.map(Some).map_err(|error| answer(included, error));
        }
    }
    let given_up = ["dropped", "invalid", "usurped", "finalityTimeout"];
    if given_up
        .iter()
        .any(|name| status == name || status.get(name).is_some())
    {
        return Err(Error::NotIncluded {
            status: status.to_string(),
        });
    }
    Ok(None)
}

/// The events of a block.
///
/// # Errors
/// [`Error::Rpc`] and [`Error::Answer`].
pub async fn events(rpc: &Rpc, block: Hash) -> Result<Vec<EventRecord<RuntimeEvent, Hash>>> {
    let key = [twox_128(b"System"), twox_128(b"Events")].concat();
    Ok(rpc.storage(&key, Some(block)).await?.unwrap_or_default())
}

/// The balance that an account can spend or bond, at a block or at the best one.
///
/// # Errors
/// [`Error::Rpc`] and [`Error::Answer`].
pub async fn free_balance(rpc: &Rpc, account: &AccountId, at: Option<Hash>) -> Result<Balance> {
    type Account = AccountInfo<Nonce, <Runtime as frame_system::Config>::AccountData>;
    let key = frame_system::Account::<Runtime>::hashed_key_for(account);
    let found: Option<Account> = rpc.storage(&key, at).await?;
    Ok(found.map_or(0, |account| account.data.free))
}

async fn check_success(rpc: &Rpc, block: Hash, transaction: &[u8]) -> Result<()> {
    let position = position(rpc, block, transaction).await?;
    for record in events(rpc, block).await? {
        if record.phase != Phase::ApplyExtrinsic(position) {
            continue;
        }
        if let RuntimeEvent::System(frame_system::Event::ExtrinsicFailed {
            dispatch_error, ..
        }) = record.event
        {
            return Err(Error::Dispatch {
                block,
                error: format!("{dispatch_error:?}"),
            });
        }
    }
    Ok(())
}

/// The index of a transaction in its block.
async fn position(rpc: &Rpc, block: Hash, transaction: &[u8]) -> Result<u32> {
    #[derive(serde::Deserialize)]
    struct Signed {
        block: Body,
    }
    #[derive(serde::Deserialize)]
    struct Body {
        extrinsics: Vec<Bytes>,
    }
    let method = "chain_getBlock";
    let found: Option<Signed> = rpc.ask(method, rpc_params![block]).await?;
    let found = found.ok_or_else(|| answer(method, "says that there is no such block"))?;
    let position = found
        .block
        .extrinsics
        .iter()
        .position(|other| other.0 == transaction);
    position
        .and_then(|position| u32::try_from(position).ok())
        .ok_or_else(|| answer(method, "does not contain the transaction"))
}

/// Decodes a node's answer and rejects trailing bytes.
pub(crate) fn decode_all<T: Decode>(what: &str, mut bytes: &[u8]) -> Result<T> {
    T::decode(&mut bytes).map_err(|error| answer(what, error))
}
