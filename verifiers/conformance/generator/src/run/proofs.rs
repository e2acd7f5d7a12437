//! Sets, votes, evidence and finality proofs.

use crate::{
    format::hexed,
    input::Input,
    verdict::{Broken, Verdict},
};
use codec::{Decode, DecodeAll, Encode};
use duet_light_client::{decode, Received};
use duet_primitives::{
    check_stateless, suite::AGGREGATE_TAG, testing, Bitfield, EquivocationProof, Keyset,
    KeysetCommitment, MerkleProof, Pk1Bytes, RoundMessage, SetId, SignerIndex, StatelessProof,
    UncheckedJustification, UncheckedVote,
};
use serde_json::json;

/// An object that a stranger sends. (ENC-6)
fn received<T: Received>(input: Input<'_>, name: &str) -> Result<T, Broken> {
    Ok(decode(&input.bytes(name))?)
}

/// An object that no server sends to a light client. (ENC-6)
pub(super) fn strict<T: Decode>(input: Input<'_>, name: &str) -> Result<T, Broken> {
    T::decode_all(&mut &input.bytes(name)[..]).map_err(|_| Broken::malformed())
}

/// JUST-6.
pub(crate) fn weights(input: Input<'_>) -> Verdict {
    let digests = input.byte_list("digests").into_iter();
    let digests: Vec<[u8; 32]> = digests
        .map(|digest| digest.try_into().expect("32 bytes"))
        .collect();
    let weights = testing::batch_weights(&digests).into_iter();
    let weights = weights.map(|[a, b]| json!({ "a": a.to_string(), "b": b.to_string() }));
    Ok(json!({ "weights": weights.collect::<Vec<_>>() }))
}

/// SET-4.
pub(crate) fn threshold(input: Input<'_>) -> Verdict {
    let threshold = duet_primitives::threshold(input.u32("members"));
    Ok(json!({ "signers": threshold }))
}

/// SET-1 to SET-3.
pub(crate) fn keyset(input: Input<'_>) -> Verdict {
    let keys: Vec<Pk1Bytes> = received(input, "keys")?;
    let set = Keyset::check(&input.decoded("commitment"), &keys)?;
    Ok(json!({ "threshold": set.threshold() }))
}

/// SET-1 to SET-3.
pub(crate) fn commit_to_keys(input: Input<'_>) -> Verdict {
    let keys: Vec<Pk1Bytes> = received(input, "keys")?;
    let set = KeysetCommitment::of_stored_unchecked(SetId::new(input.u64("id")), &keys)?;
    Ok(json!({ "commitment": hexed(set.encode()) }))
}

fn positions(input: Input<'_>) -> Vec<SignerIndex> {
    let positions = input.u32_list("positions").into_iter();
    positions.map(SignerIndex::new).collect()
}

/// SET-2.
pub(crate) fn prove_members(input: Input<'_>) -> Verdict {
    let keys: Vec<Pk1Bytes> = received(input, "keys")?;
    let proof = MerkleProof::prove(&keys, &positions(input))?;
    Ok(json!({ "proof": hexed(proof.encode()) }))
}

/// SET-2.
pub(crate) fn multiproof(input: Input<'_>) -> Verdict {
    let keys: Vec<Pk1Bytes> = received(input, "keys")?;
    let proof: MerkleProof = strict(input, "proof")?;
    let placed: Vec<_> = positions(input).into_iter().zip(keys).collect();
    proof.check(input.hash("root"), input.u32("len"), &placed)?;
    Ok(json!({}))
}

/// The set of the input, which is trusted.
pub(super) fn trusted_set(input: Input<'_>) -> Keyset {
    let keys: Vec<Pk1Bytes> = input.decoded("keys");
    Keyset::check(&input.decoded("commitment"), &keys).expect("a set of the generator")
}

/// VOTE-1 to VOTE-3, DLEQ-2.
pub(crate) fn vote(input: Input<'_>) -> Verdict {
    let vote: UncheckedVote = strict(input, "vote")?;
    let message = RoundMessage::new(input.hash("genesis_hash"), vote.commitment.clone());
    let vote = vote.check(&trusted_set(input), &message)?;
    Ok(json!({ "signer": vote.signer().get(), "point": hexed(message.hash()) }))
}

/// EQV-1 to EQV-5.
pub(crate) fn evidence(input: Input<'_>) -> Verdict {
    let evidence: EquivocationProof = strict(input, "evidence")?;
    let set: KeysetCommitment = input.decoded("commitment");
    let found = evidence.check(&set, input.hash("genesis_hash"))?;
    Ok(json!({
        "signer": found.signer.get(),
        "key": hexed(found.key.0),
        "block_number": found.block_number.get(),
    }))
}

/// JUST-1 to JUST-5, with what the equation is made of.
pub(crate) fn justification(input: Input<'_>) -> Verdict {
    let proof: UncheckedJustification = received(input, "justification")?;
    let (set, genesis_hash) = (trusted_set(input), input.hash("genesis_hash"));
    let proof = proof.check(&set, genesis_hash)?.into_unchecked();
    let message = RoundMessage::new(genesis_hash, proof.commitment.clone());
    let apk1 = sum(&set, &proof.signers);
    let digest = testing::equation_digest(
        AGGREGATE_TAG,
        &message.hash(),
        (&apk1, &proof.apk2),
        &proof.signature,
    );
    Ok(json!({
        "signers": proof.signers.count(),
        "point": hexed(message.hash()),
        "apk1": hexed(apk1.0),
        "digest": hexed(digest),
        "t": testing::coefficient(&digest).to_string(),
    }))
}

/// The sum of the signers' keys, which is the total of the set that they would be.
fn sum(set: &Keyset, signers: &Bitfield) -> Pk1Bytes {
    let key = |signer| set.key(signer).expect("a member").to_bytes();
    let keys: Vec<_> = signers.signers(set.len()).map(key).collect();
    let of_signers = KeysetCommitment::of_stored_unchecked(set.id(), &keys);
    of_signers.expect("members are in order").apk1
}

/// STATELESS-1, STATELESS-2.
pub(crate) fn stateless_proof(input: Input<'_>) -> Verdict {
    let proof: StatelessProof = received(input, "proof")?;
    let non_signers = proof.non_signers.len();
    let set: KeysetCommitment = input.decoded("commitment");
    let checked = check_stateless(proof, &set, input.hash("genesis_hash"))?;
    Ok(json!({ "signers": checked.signers().count(), "non_signers": non_signers }))
}
