//! Rivals on the same input.

use super::{answer, registration};
use sha2::Sha256;
use sp_core::{bls381, proof_of_possession::ProofOfPossessionVerifier};
use w3f_bls::{
    Message, NuggetBLSnCPPoP, NuggetDoublePublicKey, NuggetPublicKey, NuggetSignature,
    ProofOfPossession, SerializableToBytes, TinyBLS381,
};

/// By `sp_core::bls381`.
#[no_mangle]
extern "C" fn possession_sp_core(len: usize) -> u32 {
    answer(len, |input| {
        let (key, proof, owner) = registration(input)?;
        let key = bls381::Public::from_raw(key.0);
        let proof = bls381::ProofOfPossession::from_raw(proof.0);
        Some(bls381::Pair::verify_proof_of_possession(
            owner, &proof, &key,
        ))
    })
}

/// By `w3f-bls` 0.3.3, composed as `sp_core` composes an earlier version of it.
#[no_mangle]
extern "C" fn possession_w3f(len: usize) -> u32 {
    answer(len, |input| {
        let (key, proof, owner) = registration(input)?;
        let key = NuggetDoublePublicKey::<TinyBLS381>::from_bytes(&key.0).ok()?;
        let owned = NuggetSignature::<TinyBLS381>::from_bytes(&proof.ownership().0).ok()?;
        let possessed = NuggetBLSnCPPoP::<TinyBLS381>::from_bytes(&proof.possession().0).ok()?;
        let statement = sp_core::proof_of_possession::statement_of_ownership(owner);
        let is_owned = key.verify(&Message::new(b"", &statement), &owned);
        Some(is_owned && ProofOfPossession::<_, Sha256, _>::verify(&possessed, &key))
    })
}
