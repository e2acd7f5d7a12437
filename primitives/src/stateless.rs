//! Proofs for verifiers that keep only a [`KeysetCommitment`]: the justification, the keys of the non-signers, and a
//! multiproof of these keys. The cost grows with the number of non-signers, not with the set.

use crate::{
    bitfield::Bitfield,
    bytes::decode_list,
    error::{MerkleError, StatelessError},
    justification::{Justification, PreparedJustification, UncheckedJustification},
    keyset::{threshold, Keyset, KeysetCommitment},
    merkle::MerkleProof,
    numbers::SignerIndex,
    suite::MAX_VALIDATORS,
    Pk1, Pk1Bytes, RoundMessage, H256,
};
use alloc::vec::Vec;
use codec::{Decode, DecodeWithMemTracking, Encode, Error, Input};
use duet_curve::{Base, Encodings, Native, Purpose, Sums};
use scale_info::TypeInfo;

/// A finality proof for a verifier without keys, as it travels. Decoding refuses more keys than the largest set
/// may have non-signers, before it allocates.
#[derive(Clone, Debug, PartialEq, Eq, Encode, DecodeWithMemTracking, TypeInfo)]
pub struct StatelessProof {
    /// The finality proof.
    pub justification: UncheckedJustification,
    /// The keys of the non-signers, in set order.
    pub non_signers: Vec<Pk1Bytes>,
    /// Proves that these are their keys.
    pub proof: MerkleProof,
}

impl Decode for StatelessProof {
    fn decode<I: Input>(input: &mut I) -> Result<Self, Error> {
        Ok(Self {
            justification: Decode::decode(input)?,
            non_signers: decode_non_signers(input)?,
            proof: Decode::decode(input)?,
        })
    }
}

impl StatelessProof {
    /// Adds the data for a verifier without keys. `justification` must belong to `set`.
    ///
    /// Cost: look-ups in the set's Merkle tree.
    ///
    /// # Errors
    /// [`MerkleError`] when the bitfield does not fit the set.
    pub fn new(justification: &Justification, set: &Keyset) -> Result<Self, MerkleError> {
        let (non_signers, proof) = prove_non_signers(justification.signers(), set)?;
        Ok(Self {
            justification: justification.as_unchecked().clone(),
            non_signers,
            proof,
        })
    }
}

/// The keys of the members that did not sign, and the proof that they are theirs.
pub(crate) fn prove_non_signers(
    signers: &Bitfield,
    set: &Keyset,
) -> Result<(Vec<Pk1Bytes>, MerkleProof), MerkleError> {
    let indices: Vec<_> = signers.non_signers(set.len()).collect();
    let key = |index: &SignerIndex| set.key(*index).map(Pk1::to_bytes);
    let non_signers = indices.iter().filter_map(key).collect();
    Ok((non_signers, set.prove(&indices)?))
}

/// Decodes the keys of non-signers.
pub(crate) fn decode_non_signers<I: Input>(input: &mut I) -> Result<Vec<Pk1Bytes>, Error> {
    let limit = MAX_VALIDATORS.saturating_sub(threshold(MAX_VALIDATORS));
    let refusal = "STATELESS-1: more non-signers than any set may have";
    decode_list(input, limit, refusal)
}

/// Checks a stateless proof against a commitment.
///
/// Rules: JUST-1 to JUST-4; STATELESS-1 one key per non-signer; STATELESS-2 the multiproof; then
/// `apk1 = total − Σ non-signers` and JUST-5.
/// Cost: for `k` non-signers `O(k log n)` hashes, `k` decompressions and additions in G1, and the cost of one
/// justification.
///
/// # Errors
/// The first broken rule in that order; see [`StatelessError::culprit`].
///
/// # Security
/// `set` must come from chain state or from a checked justification, never from the sender.
pub fn check_stateless(
    proof: StatelessProof,
    set: &KeysetCommitment,
    genesis_hash: H256,
) -> Result<Justification, StatelessError> {
    Ok(prepare_stateless(proof, set, genesis_hash, None)?.verify()?)
}

/// [`check_stateless`] without the pairing equation, which [`PreparedJustification::verify_all`] checks for many at
/// once; with the proof `before` it there, as in [`UncheckedJustification::prepare`].
///
/// # Errors
/// As [`check_stateless`], save for JUST-5.
///
/// # Security
/// As [`UncheckedJustification::prepare`].
pub fn prepare_stateless(
    proof: StatelessProof,
    set: &KeysetCommitment,
    genesis_hash: H256,
    before: Option<&PreparedJustification>,
) -> Result<PreparedJustification, StatelessError> {
    let StatelessProof {
        justification,
        non_signers,
        proof,
    } = proof;
    justification.check_form(set)?;
    let apk1 = signers_sum(set, &justification.signers, non_signers, &proof)?;
    let message = RoundMessage::new(genesis_hash, justification.commitment.clone());
    Ok(justification.prepare_equation(&apk1, &message, before)?)
}

/// STATELESS-1, STATELESS-2, and `apk1 = total − Σ non-signers`.
pub(crate) fn signers_sum(
    set: &KeysetCommitment,
    signers: &Bitfield,
    non_signers: Vec<Pk1Bytes>,
    proof: &MerkleProof,
) -> Result<Base<Native>, StatelessError> {
    let indices: Vec<_> = signers.non_signers(set.len).collect();
    if indices.len() != non_signers.len() {
        let (expected, got) = (indices.len(), non_signers.len());
        return Err(StatelessError::NonSignerCount { expected, got });
    }
    let placed: Vec<_> = indices.into_iter().zip(non_signers).collect();
    proof.check(set.root, set.len, &placed)?;

    // SET-5: under the root are only keys that the chain checked.
    let read = |(index, key): &(SignerIndex, Pk1Bytes)| {
        Pk1::from_chain_state_unchecked(key).map_err(|error| StatelessError::Key {
            index: *index,
            error,
        })
    };
    let keys = placed.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let points: Vec<_> = keys.iter().map(|key| key.0.point()).collect();
    // SET-5 spares keys that were registered from a second subgroup check. A total was never registered: one in a
    // handoff is the word of the validators that signed it. It is checked, so that all back ends agree on it.
    let total = Native::g1_from_bytes(&set.apk1.0).map_err(StatelessError::Total)?;
    Ok(Base::new(
        Native::g1_sub(&total, &Native::g1_sum(&points)),
        Purpose::Once,
    ))
}
