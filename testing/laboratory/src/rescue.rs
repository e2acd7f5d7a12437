//! What a chain that was restored to an earlier block is told and asked: pardon, accusations, reset. (FALSE-1 to FALSE-4)

use crate::{validator::Validator, Error, Result};
use codec::Encode;
use duet_keystore::secret_of_suri;
use duet_light_client::Checkpoint;
use duet_local_network::{
    staking::bonded,
    transaction::{self, events},
    wait, Rpc, DEVELOPMENT_ACCOUNTS,
};
use duet_primitives::{
    Accusation, BlockNumber, Commitment, CommitmentPayload, DualKeyBytes, EquivocationProof,
    EvidenceStatus, Keyset, Keysets, Pardon, Pk1Bytes, RoundMessage, UncheckedVote, H256,
};
use duet_runtime::{Runtime, RuntimeCall, RuntimeEvent};
use jsonrpsee::rpc_params;
use pallet_duet::{Call, Error as Refusal, Event, FalseStatement, Truth};
use sp_core::Bytes;
use sp_crypto_hashing::twox_128;
use sp_runtime::DispatchError;
use std::{ops::RangeInclusive, time::Duration};

/// How long a node may take to answer after it was started with all others.
const ANSWER_LIMIT: Duration = Duration::from_secs(180);
/// How long a block may take to become final.
const FINALITY_LIMIT: Duration = Duration::from_secs(60);

/// A connection to a node, which may only just have been started.
pub(crate) async fn connect(url: &str) -> Result<Rpc> {
    let answer = || Rpc::connect(url);
    Ok(wait::until("a node to answer", ANSWER_LIMIT, answer, |_| true).await?)
}

/// The proofs of blocks that a node has, as accusations of their signers.
pub(crate) async fn evidence(rpc: &Rpc, blocks: RangeInclusive<u32>) -> Result<Vec<Accusation>> {
    let genesis = rpc.genesis_hash().await?;
    let mut evidence = Vec::new();
    for block in blocks.map(BlockNumber::new) {
        let Some(proof) = rpc.justification(block).await? else {
            continue;
        };
        let set = signing_set(rpc, proof.commitment.block_hash).await?;
        let proof = proof.check(&set, genesis);
        let proof =
            proof.map_err(|error| unexpected(format!("the proof of block {block}: {error}")))?;
        evidence.extend(Accusation::of_proof(&proof, &set));
    }
    Ok(evidence)
}

/// What the chain says of these accusations; whether the statements are false is not asked.
pub(crate) async fn statuses(rpc: &Rpc, evidence: &[Accusation]) -> Result<Vec<EvidenceStatus>> {
    let mut statuses = Vec::new();
    for accusation in evidence {
        let (function, accusation) = ("DuetApi_accusation_status", accusation.encode());
        statuses.push(rpc.call_runtime(function, &accusation, None).await?);
    }
    Ok(statuses)
}

/// Fails where the node has a proof of another block of one of these numbers: a set has then signed two.
pub(crate) async fn proves_none_again(rpc: &Rpc, lost: &[Accusation]) -> Result {
    for said in lost.iter().map(Accusation::commitment) {
        let Some(proof) = rpc.justification(said.block_number).await? else {
            continue;
        };
        if proof.commitment.block_hash != said.block_hash {
            return Err(unexpected(format!(
                "block {} has a second proof, of {:?} after {:?}",
                said.block_number, proof.commitment.block_hash, said.block_hash
            )));
        }
    }
    Ok(())
}

/// Root pardons.
pub(crate) async fn pardon(rpc: &Rpc, pardon: Pardon) -> Result {
    let block = as_root(rpc, Call::pardon { pardon }).await?;
    let is_it = |event: &Event<Runtime>| match event {
        Event::StatementsPardoned { pardon: told } => *told == pardon,
        _ => false,
    };
    happened(rpc, block, "StatementsPardoned", is_it).await
}

/// Hands in the accusation of a lost block in a transaction, which the chain refuses because it has pardoned it.
pub(crate) async fn is_refused_as_pardoned(rpc: &Rpc, accusation: &Accusation) -> Result {
    let said = accusation.commitment().block_number;
    let header = rpc.header(Some(rpc.block_hash(said).await?)).await?;
    let evidence = Box::new(FalseStatement {
        accusation: accusation.clone(),
        truth: Truth::Recent(Box::new(header)),
    });
    let [reporter, ..] = DEVELOPMENT_ACCOUNTS;
    let call = RuntimeCall::Duet(Call::report_false_statement { evidence });
    // A block does not keep the words of an error.
    let pardoned = DispatchError::from(Refusal::<Runtime>::Pardoned).stripped();
    match transaction::submit(rpc, reporter, call).await {
        Err(duet_local_network::Error::Dispatch { error, .. })
            if error == format!("{pardoned:?}") =>
        {
            Ok(())
        }
        Err(error) => Err(error.into()),
        Ok(block) => Err(unexpected(format!(
            "block {block:?} took the report of a pardoned statement about block {said}"
        ))),
    }
}

/// Fails when the chain knows of any offence.
pub(crate) async fn nobody_is_punished(rpc: &Rpc) -> Result {
    let prefix = Bytes([twox_128(b"Offences"), twox_128(b"Reports")].concat());
    let asked = rpc.ask("state_getKeysPaged", rpc_params![prefix, 1]).await;
    let reports: Vec<Bytes> = asked?;
    if reports.is_empty() {
        return Ok(());
    }
    Err(unexpected("somebody was punished".to_owned()))
}

/// The key of a validator signs what is true of a block, and also what was said about a lost one of that number. Both are handed in,
/// and the validator loses stake.
pub(crate) async fn two_statements_are_punished(
    rpc: &Rpc,
    validator: &Validator,
    lost: &Commitment,
) -> Result {
    let block = lost.block_number;
    let hash = rpc.block_hash(block).await?;
    let (truth, set) = (
        commitment_of(rpc, block, hash).await?,
        signing_set(rpc, hash).await?,
    );
    let genesis = rpc.genesis_hash().await?;
    let why = |error: &dyn std::fmt::Display| {
        unexpected(format!("two statements about block {block}: {error}"))
    };
    let secret = secret_of_suri(validator.suri()).map_err(|error| why(&error))?;
    let signer = set.position(&secret.public().pk1());
    let signer = signer.ok_or_else(|| why(&"the key is not in the set"))?;
    let vote = |said: Commitment| {
        let message = RoundMessage::new(genesis, said);
        let vote = UncheckedVote::sign(&secret, signer, &message).check(&set, &message);
        vote.map_err(|error| why(&error))
    };
    let evidence = EquivocationProof::new(&set, &vote(truth)?, &vote(lost.clone())?);
    let evidence = Box::new(evidence.map_err(|error| why(&error))?);

    let account = validator.account_id();
    let before = bonded(rpc, &account, None).await?;
    let [reporter, ..] = DEVELOPMENT_ACCOUNTS;
    let call = RuntimeCall::Duet(Call::report_equivocation { evidence });
    let block = transaction::submit(rpc, reporter, call).await?;
    let is_it = |event: &Event<Runtime>| match event {
        Event::EquivocationReported { offender, .. } => *offender == account,
        _ => false,
    };
    happened(rpc, block, "EquivocationReported", is_it).await?;
    let left = bonded(rpc, &account, Some(block)).await?;
    if left < before {
        return Ok(());
    }
    Err(unexpected(format!("{left} of {before} is left at stake")))
}

/// Root resets the sets. Where a light client begins from then on, once that is final.
pub(crate) async fn reset(rpc: &Rpc) -> Result<Checkpoint> {
    let block_hash = as_root(rpc, Call::reset {}).await?;
    let is_it = |event: &Event<Runtime>| matches!(event, Event::SetsReset { .. });
    happened(rpc, block_hash, "SetsReset", is_it).await?;
    let block_number = BlockNumber::new(rpc.header(Some(block_hash)).await?.number);
    let is_final = |finalized: &BlockNumber| *finalized >= block_number;
    let finalized = || rpc.finalized();
    wait::until("the reset to be final", FINALITY_LIMIT, finalized, is_final).await?;
    if rpc.block_hash(block_number).await? != block_hash {
        let why = format!("the chain left block {block_number}, in which it was reset");
        return Err(unexpected(why));
    }
    Ok(Checkpoint {
        genesis_hash: rpc.genesis_hash().await?,
        block_number,
        block_hash,
        keysets: keysets(rpc, block_hash).await?,
    })
}

/// Root calls. The block.
async fn as_root(rpc: &Rpc, call: Call<Runtime>) -> Result<H256> {
    let call = Box::new(RuntimeCall::Duet(call));
    let [root, ..] = DEVELOPMENT_ACCOUNTS;
    let sudo = pallet_sudo::Call::<Runtime>::sudo { call };
    Ok(transaction::submit(rpc, root, sudo).await?)
}

/// Fails unless a block has such an event: what root calls may fail in a transaction that succeeds.
async fn happened(
    rpc: &Rpc,
    block: H256,
    name: &str,
    is_it: impl Fn(&Event<Runtime>) -> bool,
) -> Result {
    let events = events(rpc, block).await?;
    let mut events = events.iter();
    if events.any(|record| matches!(&record.event, RuntimeEvent::Duet(event) if is_it(event))) {
        return Ok(());
    }
    Err(unexpected(format!("no event {name} in block {block:?}")))
}

async fn keysets(rpc: &Rpc, block: H256) -> Result<Keysets> {
    let asked = rpc.call_runtime("DuetApi_keysets", &[], Some(block)).await;
    let sets: Option<Keysets> = asked?;
    sets.ok_or_else(|| unexpected(format!("block {block:?} has no sets")))
}

/// The set that signs a block, and its keys.
async fn signing_set(rpc: &Rpc, block: H256) -> Result<Keyset> {
    let signing = keysets(rpc, block).await?.current;
    let function = "DuetApi_current_keys";
    let keys: Vec<DualKeyBytes> = rpc.call_runtime(function, &[], Some(block)).await?;
    let keys: Vec<Pk1Bytes> = keys.iter().map(DualKeyBytes::pk1).collect();
    let set = Keyset::check(&signing, &keys);
    set.map_err(|error| unexpected(format!("the set of block {block:?}: {error}")))
}

/// What the set of a block signs about it.
async fn commitment_of(rpc: &Rpc, number: BlockNumber, hash: H256) -> Result<Commitment> {
    let function = "DuetApi_commitment_payload";
    let asked = rpc.call_runtime(function, &[], Some(hash)).await;
    let payload: Option<CommitmentPayload> = asked?;
    let payload = payload.ok_or_else(|| unexpected(format!("block {number} has no payload")))?;
    Ok(payload.commit(number, hash))
}

fn unexpected(why: String) -> Error {
    Error::Expectation(why)
}
