//! A chain that follows another one by `pallet-bridge-duet`: both have this repository's runtime.

use crate::{
    relayer::TRUSTING_PERIOD,
    rpc::Rpc,
    transaction::{free_balance, submit},
    Result, DEVELOPMENT_ACCOUNTS,
};
use bp_runtime::{BasicOperatingMode, HeaderId};
use duet_primitives::{BlockNumber, Keysets, SetId, StatelessProof};
use duet_runtime::{Balance, Hash, Header, Runtime, RuntimeCall};
use pallet_bridge_duet::{BestFinalized, Call, Followed, FollowedChain, InitializationData};
use sp_keyring::Sr25519Keyring;

/// The account that is root in development networks.
const ADMINISTRATOR: Sr25519Keyring = DEVELOPMENT_ACCOUNTS[0];

/// A header, and the proof of its finality.
#[derive(Clone, Debug)]
pub struct Proven {
    /// The header.
    pub header: Header,
    /// Its proof.
    pub proof: StatelessProof,
}

/// The fee that a submitter expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fee {
    /// None: the pool refuses the transaction if it would cost a fee.
    None,
    /// The usual fee, unless the pallet waives it.
    IfDue,
}

/// A block from which another chain can follow this one. Taken from the node without verification.
///
/// # Errors
/// [`Error`](crate::Error) when the node does not answer or does not have the block.
pub async fn checkpoint(rpc: &Rpc, block: BlockNumber) -> Result<InitializationData<Header>> {
    let hash = rpc.block_hash(block).await?;
    let keysets: Option<Keysets> = rpc.call_runtime("DuetApi_keysets", &[], Some(hash)).await?;
    Ok(InitializationData {
        header: Box::new(rpc.header(Some(hash)).await?),
        genesis_hash: rpc.genesis_hash().await?,
        keysets: keysets.ok_or_else(|| {
            crate::rpc::answer("DuetApi_keysets", "says that the block has no sets")
        })?,
        trusting_period: TRUSTING_PERIOD,
        operating_mode: BasicOperatingMode::Normal,
    })
}

/// Lets root of the chain at `rpc` follow another chain from this checkpoint on. Returns the block of that transaction.
///
/// # Errors
/// [`Error`](crate::Error) when the transaction fails. [`best_bridged`] shows whether root's call succeeded.
pub async fn follow(rpc: &Rpc, checkpoint: InitializationData<Header>) -> Result<Hash> {
    let init_data = checkpoint;
    let call = RuntimeCall::BridgeDuet(Call::initialize { init_data });
    let call = Box::new(call);
    submit(
        rpc,
        ADMINISTRATOR,
        pallet_sudo::Call::<Runtime>::sudo { call },
    )
    .await
}

/// The highest header of the other chain known to the chain at `rpc`, at a block or at the best one; `None` when it
/// follows none.
///
/// # Errors
/// [`Error`](crate::Error) when the node does not answer.
pub async fn best_bridged(rpc: &Rpc, at: Option<Hash>) -> Result<Option<HeaderId<Hash, u32>>> {
    let key = BestFinalized::<Runtime>::hashed_key();
    rpc.storage(&key, at).await
}

/// The chain that the chain at `rpc` follows, with the signing sets known of it; `None` when it follows none.
///
/// # Errors
/// [`Error`](crate::Error) when the node does not answer.
pub async fn followed(rpc: &Rpc) -> Result<Option<FollowedChain>> {
    rpc.storage(&Followed::<Runtime>::hashed_key(), None).await
}

/// A block of the chain at `rpc` with its proof; `None` without a proof.
///
/// # Errors
/// [`Error`](crate::Error) when the node does not answer.
pub async fn proven(rpc: &Rpc, block: BlockNumber) -> Result<Option<Proven>> {
    match rpc.stateless_proof(block).await? {
        Some(proof) => Ok(Some(with_header(rpc, proof).await?)),
        None => Ok(None),
    }
}

/// The block in which a set handed off to the next one, with its proof; `None` before the handoff.
///
/// # Errors
/// [`Error`](crate::Error) when the node does not answer, and while it has no proof at all.
pub async fn handoff(rpc: &Rpc, of: SetId) -> Result<Option<Proven>> {
    match rpc.stateless_handoffs(of, 1).await?.pop() {
        Some(proof) => Ok(Some(with_header(rpc, proof).await?)),
        None => Ok(None),
    }
}

async fn with_header(rpc: &Rpc, proof: StatelessProof) -> Result<Proven> {
    let hash = proof.justification.commitment.block_hash;
    let header = rpc.header(Some(hash)).await?;
    Ok(Proven { header, proof })
}

/// Submits a header of the other chain to the chain at `rpc`. Returns the relayer's cost, measured by its balance:
/// the relayer must make no other transaction meanwhile, and be no validator, because validators earn fees.
///
/// # Errors
/// As [`submit`]: [`Error::Rpc`](crate::Error::Rpc) when the pool refuses it, which costs nothing, and
/// [`Error::Dispatch`](crate::Error::Dispatch) when it fails in a block, which does.
pub async fn bring(
    rpc: &Rpc,
    relayer: Sr25519Keyring,
    Proven { header, proof }: &Proven,
    fee: Fee,
) -> Result<Balance> {
    let account = relayer.to_account_id();
    let signing = followed(rpc).await?;
    let call = Call::submit_finality_proof_ex {
        finality_target: Box::new(header.clone()),
        proof: Box::new(proof.clone()),
        current_set_id: signing.map_or(SetId::FIRST, |chain| chain.keysets.current.id),
        is_free_execution_expected: fee == Fee::None,
    };
    let before = free_balance(rpc, &account, None).await?;
    let block = submit(rpc, relayer, RuntimeCall::BridgeDuet(call)).await?;
    let after = free_balance(rpc, &account, Some(block)).await?;
    Ok(before.saturating_sub(after))
}
