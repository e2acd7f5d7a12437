//! Proofs of possession: both halves of a key have one secret, and its holder names an owner.
//!
//! The bytes are those of `bls381`. No part of a proof is an ordinary signature: the ownership part signs a
//! tagged statement, and the possession part has its own ciphersuite.

use crate::{
    dleq::{self, hash_message},
    equation::{Coefficient, Equation},
    error::PossessionError,
    suite::{
        OWNERSHIP_TAG, OWNER_CONTEXT, POSSESSION_SUITE, POSSESSION_TAG, RECOVERY_OWNER_CONTEXT,
        RECOVERY_POSSESSION_SUITE, RECOVERY_SUITE, SIGNATURE_SUITE,
    },
    transcript::{equation_digest, hash_to_scalar},
    Pk2Bytes, PossessionProof, SignatureBytes, H256,
};
use alloc::vec::Vec;
use codec::Encode;
use duet_curve::{Base, Curve, Purpose};

/// The owner that a key on chain names: SCALE of `(b"duet", genesis_hash, account)`. (POP-1)
///
/// Genesis keys are proven before the genesis hash is known, so their statement has 32 zero bytes instead.
pub fn ownership_statement(genesis_hash: H256, account: &impl Encode) -> Vec<u8> {
    (OWNER_CONTEXT, genesis_hash, account).encode()
}

/// The owner that a recovery key on chain names: SCALE of `(b"drcv", genesis_hash, account)`. (RECOVER-1)
pub fn recovery_ownership_statement(genesis_hash: H256, account: &impl Encode) -> Vec<u8> {
    (RECOVERY_OWNER_CONTEXT, genesis_hash, account).encode()
}

/// The suites of the two parts of a proof.
pub(crate) struct Suites {
    pub(crate) ownership: &'static [u8],
    pub(crate) possession: &'static [u8],
}

impl Suites {
    /// Those of keys that sign votes. (POP-1, POP-2)
    pub(crate) const VOTING: Self = Self {
        ownership: SIGNATURE_SUITE,
        possession: POSSESSION_SUITE,
    };
    /// Those of recovery keys. (RECOVER-1)
    pub(crate) const RECOVERY: Self = Self {
        ownership: RECOVERY_SUITE,
        possession: RECOVERY_POSSESSION_SUITE,
    };
}

/// The message of the ownership part.
pub(crate) fn tagged_owner(owner: &[u8]) -> Vec<u8> {
    [OWNERSHIP_TAG, owner].concat()
}

/// Rules POP-1 and POP-2, in that order, and the equation of POP-3, which the caller checks. `pk1` is multiplied three
/// times: its tables pay.
pub(crate) fn prepare<C: Curve>(
    pk1: &Base<C>,
    pk2: C::G2Prepared,
    pk2_bytes: &Pk2Bytes,
    owner: &[u8],
    proof: &PossessionProof,
    suites: &Suites,
) -> Result<Equation<C>, PossessionError> {
    let owned = hash_message(suites.ownership, &tagged_owner(owner), Purpose::Once);
    dleq::check(&proof.ownership(), pk1, &owned).map_err(PossessionError::Ownership)?;
    let hm = hash_message(suites.possession, pk2_bytes.as_ref(), Purpose::Once);
    let possession = proof.possession();
    let sigma = dleq::check(&possession, pk1, &hm).map_err(PossessionError::Possession)?;
    Ok(equation(
        &hm,
        pk1,
        (pk2, pk2_bytes),
        (&sigma, &possession.sigma()),
    ))
}

/// POP-3: `e(H_pop(pk2) + t·g1, pk2) = e(σ_pop + t·pk1, g2)`, with `t` a hash of everything in it.
fn equation<C: Curve>(
    hm: &Base<C>,
    pk1: &Base<C>,
    (pk2, pk2_bytes): (C::G2Prepared, &Pk2Bytes),
    (sigma, sigma_bytes): (&C::G1, &SignatureBytes),
) -> Equation<C> {
    let t = Coefficient::Full(hash_to_scalar::<C>(&[
        hm.bytes(),
        pk2_bytes.as_ref(),
        pk1.bytes(),
        sigma_bytes.as_ref(),
    ]));
    Equation {
        right: t.add_mul(hm.point(), &Base::generator()),
        sigma: sigma.clone(),
        t,
        key: pk1.clone(),
        point: pk2.into(),
        digest: equation_digest(
            POSSESSION_TAG,
            hm.bytes(),
            pk1.bytes(),
            &pk2_bytes.0,
            &sigma_bytes.0,
        ),
    }
}

/// POP-3.
pub(crate) fn verify<C: Curve>(equation: &Equation<C>) -> Result<(), PossessionError> {
    equation
        .holds()
        .then_some(())
        .ok_or(PossessionError::HalvesDiffer)
}

/// POP-3 for many: all together, and one by one only if some do not hold.
pub(crate) fn verify_all<C: Curve>(equations: &[&Equation<C>]) -> Vec<Result<(), PossessionError>> {
    let all_hold = Equation::all_hold(equations);
    let verdict = |equation: &&Equation<C>| {
        if all_hold {
            Ok(())
        } else {
            verify(equation)
        }
    };
    equations.iter().map(verdict).collect()
}
