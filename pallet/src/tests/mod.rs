mod activation;
mod drafts;
mod false_statements;
mod floor;
mod handoffs;
mod invariants;
mod offences;
mod recovery;
mod registration;
mod rotation;
mod rules;

use duet_curve::{Encodings, Groups, Hashing, Multiplications, Native, Scalars};
use duet_primitives::{
    suite::{HASH_TO_CURVE_DST, POSSESSION_SUITE},
    Pk2Bytes, PossessionProof, SecretKey, VoteSignature,
};
use sp_io::hashing::sha2_256;

/// The hash to a scalar of `bls381`, written down again.
fn hash_to_scalar(parts: &[&[u8]]) -> <Native as Scalars>::Scalar {
    let seed = sha2_256(&[&[0; 48], &parts.concat()[..], &[0, 48, 0, 0]].concat());
    let first = sha2_256(&[&seed[..], &[1, 0]].concat());
    let mixed: Vec<u8> = seed.iter().zip(&first).map(|(a, b)| a ^ b).collect();
    let second = sha2_256(&[&mixed[..], &[2, 0]].concat());
    let wide: Vec<u8> = first.iter().chain(&second[..16]).copied().collect();
    Native::scalar_from_wide(&wide.try_into().expect("48 bytes"))
}

fn times(point: &<Native as Groups>::G1, scalar: &<Native as Scalars>::Scalar) -> [u8; 48] {
    Native::g1_to_bytes(&Native::g1_mul_secret(point, scalar))
}

/// The best that a holder of `secret` can prove about somebody else's half in G2: both parts hold under its
/// own `pk1`, but the possession part is about the other's `pk2`.
fn proof_about(secret: &SecretKey, pk2: &Pk2Bytes, owner: &[u8]) -> PossessionProof {
    let scalar = Native::scalar_from_bytes(&secret.expose()).expect("a secret");
    let hm = Native::hash_to_g1(
        HASH_TO_CURVE_DST,
        &[POSSESSION_SUITE, pk2.as_ref()].concat(),
    );
    let k = Native::scalar_from_wide(&[5; 48]);
    let a = times(&Native::g1_generator(), &k);
    let b = times(&hm, &k);
    let sigma = times(&hm, &scalar);
    let pk1 = secret.public().pk1();
    let hashed = Native::g1_to_bytes(&hm);
    let c = hash_to_scalar(&[&hashed, pk1.as_ref(), &sigma, &a, &b]);
    let s = Native::scalar_sub_mul(&k, &c, &scalar);
    let (c, s) = (Native::scalar_to_bytes(&c), Native::scalar_to_bytes(&s));
    let bytes = [&sigma[..], &c, &s].concat();
    let possession = VoteSignature::try_from(&bytes[..]).expect("112 bytes");
    PossessionProof::new(secret.prove_possession(owner).ownership(), possession)
}

/// The secret whose keys cancel those of `secret`.
fn negated(secret: &SecretKey) -> SecretKey {
    let [zero, mut one] = [[0; 32]; 2];
    one[0] = 1;
    let scalar = |bytes: &[u8; 32]| Native::scalar_from_bytes(bytes).expect("below the order");
    let negated = Native::scalar_sub_mul(&scalar(&zero), &scalar(&one), &scalar(&secret.expose()));
    SecretKey::from_bytes(&Native::scalar_to_bytes(&negated)).expect("not zero")
}

#[test]
fn a_proof_about_ones_own_half_written_down_again_holds() {
    let secret = duet_primitives::testing::secret(1);
    let proof = proof_about(&secret, &secret.public().pk2(), b"owner");
    assert!(secret.public().check_possession(b"owner", &proof).is_ok());
}
