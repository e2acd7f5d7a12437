//! The fields of every object of `docs/spec/formats.md`, read from its bytes.

use crate::{
    format::hexed,
    input::Input,
    verdict::{Broken, Verdict},
};
use codec::{Decode, DecodeAll};
use duet_light_client::{Checkpoint, HandoffProof, StartProof};
use duet_primitives::{
    Commitment, CommitmentPayload, ConsensusLog, EquivocationProof, KeysetCommitment, Keysets,
    MerkleProof, MmrLeaf, Pk1Bytes, StatelessProof, UncheckedJustification, UncheckedVote, H256,
};
use serde_json::{json, Value};

/// Decodes an object, or refuses it by ENC-6.
pub(crate) fn object(input: Input<'_>) -> Verdict {
    let bytes = &input.bytes("bytes")[..];
    let fields = match input.text("type") {
        "KeysetCommitment" => keyset(&whole(bytes)?),
        "Keysets" => keysets(&whole(bytes)?),
        "Commitment" => commitment(&whole(bytes)?),
        "CommitmentPayload" => payload(&whole(bytes)?),
        "MmrLeaf" => leaf(&whole(bytes)?),
        "Vote" => vote(&whole(bytes)?),
        "Justification" => justification(&whole(bytes)?),
        "MerkleProof" => json!({ "hashes": hashes(&whole(bytes)?) }),
        "Keys" => json!({ "keys": keys(&whole::<Vec<Pk1Bytes>>(bytes)?) }),
        "StatelessProof" => stateless(&whole(bytes)?),
        "HandoffProof" => handoff(&whole(bytes)?),
        "StartProof" => genesis(&whole(bytes)?),
        "EquivocationProof" => evidence(&whole(bytes)?),
        "Checkpoint" => checkpoint(&whole(bytes)?),
        "DigestItem" => digest_item(bytes)?,
        "GossipMessage" => gossip_message(bytes)?,
        "JustificationsRequest" => request(bytes)?,
        "HistoryRequest" => history_request(bytes)?,
        other => panic!("no object {other}"),
    };
    Ok(json!({ "fields": fields }))
}

fn whole<T: Decode>(mut bytes: &[u8]) -> Result<T, Broken> {
    T::decode_all(&mut bytes).map_err(|_| Broken::malformed())
}

fn keys(keys: &[Pk1Bytes]) -> Vec<String> {
    keys.iter().map(|key| hexed(key.0)).collect()
}

/// The codec gives the hashes of a multiproof only through its encoding.
fn hashes(proof: &MerkleProof) -> Vec<String> {
    let bytes = codec::Encode::encode(proof);
    let hashes = <Vec<H256>>::decode_all(&mut &bytes[..]).expect("a list of hashes");
    hashes.iter().map(hexed).collect()
}

fn keyset(set: &KeysetCommitment) -> Value {
    json!({
        "id": set.id.get().to_string(),
        "len": set.len,
        "root": hexed(set.root),
        "apk1": hexed(set.apk1.0),
    })
}

fn keysets(sets: &Keysets) -> Value {
    json!({ "current": keyset(&sets.current), "next": keyset(&sets.next) })
}

fn commitment(commitment: &Commitment) -> Value {
    json!({
        "block_number": commitment.block_number.get(),
        "block_hash": hexed(commitment.block_hash),
        "mmr_root": hexed(commitment.mmr_root),
        "validator_set_id": commitment.validator_set_id.get().to_string(),
        "next": keyset(&commitment.next),
    })
}

fn payload(payload: &CommitmentPayload) -> Value {
    json!({
        "mmr_root": hexed(payload.mmr_root),
        "validator_set_id": payload.validator_set_id.get().to_string(),
        "next": keyset(&payload.next),
    })
}

fn leaf(leaf: &MmrLeaf) -> Value {
    json!({
        "version": 0,
        "parent_number": leaf.parent_number.get(),
        "parent_hash": hexed(leaf.parent_hash),
        "extra": hexed(leaf.extra),
    })
}

fn vote(vote: &UncheckedVote) -> Value {
    json!({
        "commitment": commitment(&vote.commitment),
        "signer": vote.signer.get(),
        "signature": hexed(vote.signature.0),
    })
}

fn justification(proof: &UncheckedJustification) -> Value {
    json!({
        "commitment": commitment(&proof.commitment),
        "signers": hexed(proof.signers.as_bytes()),
        "signature": hexed(proof.signature.0),
        "apk2": hexed(proof.apk2.0),
    })
}

fn stateless(proof: &StatelessProof) -> Value {
    json!({
        "justification": justification(&proof.justification),
        "non_signers": keys(&proof.non_signers),
        "multiproof": hashes(&proof.proof),
    })
}

fn handoff(proof: &HandoffProof) -> Value {
    json!({
        "justification": justification(&proof.justification),
        "next_keys": keys(&proof.next_keys),
    })
}

fn genesis(proof: &StartProof) -> Value {
    json!({
        "header": hexed(&proof.header),
        "nodes": proof.nodes.iter().map(hexed).collect::<Vec<_>>(),
        "keys": keys(&proof.keys),
    })
}

fn evidence(proof: &EquivocationProof) -> Value {
    json!({
        "signer": proof.signer.get(),
        "key": hexed(proof.key.0),
        "membership": hashes(&proof.membership),
        "first": { "commitment": commitment(&proof.first.0), "signature": hexed(proof.first.1 .0) },
        "second": { "commitment": commitment(&proof.second.0), "signature": hexed(proof.second.1 .0) },
    })
}

fn checkpoint(checkpoint: &Checkpoint) -> Value {
    json!({
        "genesis_hash": hexed(checkpoint.genesis_hash),
        "block_number": checkpoint.block_number.get(),
        "block_hash": hexed(checkpoint.block_hash),
        "current": keyset(&checkpoint.keysets.current),
        "next": keyset(&checkpoint.keysets.next),
    })
}

/// An item of a header's digest: `04`, the engine, and the log as a list of bytes. (CHAIN-2)
fn digest_item(bytes: &[u8]) -> Result<Value, Broken> {
    let (variant, engine, data): (u8, [u8; 4], Vec<u8>) = whole(bytes)?;
    if variant != 4 || engine != duet_primitives::suite::ENGINE_ID {
        return Err(Broken::malformed());
    }
    Ok(match whole(&data)? {
        ConsensusLog::Planned(set) => json!({ "planned": keyset(&set) }),
        ConsensusLog::Activated(id) => json!({ "activated": id.get().to_string() }),
        ConsensusLog::Reset { ended, set } => json!({
            "reset": { "ended": ended.get().to_string(), "set": keyset(&set) }
        }),
        ConsensusLog::Payload(hash) => json!({ "payload": hexed(hash) }),
        ConsensusLog::Rules(rules) => json!({
            "rules": { "version": rules.version, "min_delta": rules.min_delta }
        }),
        ConsensusLog::Pardoned(pardon) => json!({
            "pardoned": {
                "first_block": pardon.first_block.get(),
                "last_block": pardon.last_block.get(),
                "first_set": pardon.first_set.get().to_string(),
                "last_set": pardon.last_set.get().to_string(),
            }
        }),
    })
}

/// What nodes send to each other about votes and proofs. (GOSSIP-1)
fn gossip_message(bytes: &[u8]) -> Result<Value, Broken> {
    match bytes.split_first() {
        Some((0, rest)) => Ok(json!({ "vote": vote(&whole(rest)?) })),
        Some((1, rest)) => Ok(json!({ "justification": justification(&whole(rest)?) })),
        _ => Err(Broken::malformed()),
    }
}

fn request(bytes: &[u8]) -> Result<Value, Broken> {
    let (first_set, count): (u64, u8) = whole(bytes)?;
    Ok(json!({ "first_set": first_set.to_string(), "count": count }))
}

fn history_request(bytes: &[u8]) -> Result<Value, Broken> {
    match bytes.split_first() {
        Some((0, [])) => Ok(json!({ "first_set_proof": true })),
        Some((1, rest)) => request(rest),
        _ => Err(Broken::malformed()),
    }
}
