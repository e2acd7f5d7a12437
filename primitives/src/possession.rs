//! Proofs of possession: one secret stands behind both halves, and its holder names an owner.
//!
//! Byte for byte those of `bls381`. A proof is never an ordinary signature: the ownership part signs a
//! tagged statement, and the possession part is under its own ciphersuite.

use crate::{
    curve::Curve,
    dleq::{self, Encoded},
    error::PossessionError,
    suite::{OWNERSHIP_TAG, OWNER_CONTEXT, POSSESSION_SUITE, SIGNATURE_SUITE},
    transcript::hash_to_scalar,
    Pk2Bytes, PossessionProof, H256,
};
use alloc::vec::Vec;
use codec::Encode;

/// The owner that a key on chain names: SCALE of `(b"duet", genesis_hash, account)`. (POP-1)
///
/// Genesis keys are proven before there is a genesis hash: they name 32 zero bytes.
pub fn ownership_statement(genesis_hash: H256, account: &impl Encode) -> Vec<u8> {
    (OWNER_CONTEXT, genesis_hash, account).encode()
}

/// What the ownership part signs.
pub(crate) fn tagged_owner(owner: &[u8]) -> Vec<u8> {
    [OWNERSHIP_TAG, owner].concat()
}

/// Rules POP-1, POP-2 and POP-3, in that order.
pub(crate) fn check<C: Curve>(
    pk1: &Encoded<C>,
    pk2: &C::G2,
    pk2_bytes: &Pk2Bytes,
    owner: &[u8],
    proof: &PossessionProof,
) -> Result<(), PossessionError> {
    // It is multiplied three times.
    let pk1 = &Encoded {
        tables: C::few_tables(),
        ..pk1.clone()
    };
    let owned = Encoded::hash(SIGNATURE_SUITE, &tagged_owner(owner));
    dleq::check(&proof.ownership(), pk1, &owned).map_err(PossessionError::Ownership)?;
    let hm = Encoded::hash(POSSESSION_SUITE, pk2_bytes.as_ref());
    let possession = proof.possession();
    let sigma = dleq::check(&possession, pk1, &hm).map_err(PossessionError::Possession)?;

    // POP-3: e(H_pop(pk2) + t·g1, pk2) = e(σ_pop + t·pk1, g2), with t a hash of everything in it.
    let t = hash_to_scalar::<C>(&[
        &hm.bytes,
        pk2_bytes.as_ref(),
        &pk1.bytes,
        possession.sigma().as_ref(),
    ]);
    let plus_t_times = |point: &C::G1, base: &C::G1, tables: &C::Tables| -> C::G1 {
        C::g1_sum(&[point, &C::g1_mul_public(&t, base, tables)])
    };
    let left = plus_t_times(&hm.point, &C::g1_generator(), &C::g1_generator_tables());
    let right = plus_t_times(&sigma, &pk1.point, &pk1.tables);
    C::pairings_equal(&left, pk2, &right, &C::g2_generator())
        .then_some(())
        .ok_or(PossessionError::HalvesDiffer)
}
