//! Hashing to scalars.

use crate::suite::{BATCH_TAG, G1_LEN, G2_LEN};
use alloc::vec::Vec;
use duet_curve::{Curve, Weight};
use sha2::{Digest, Sha256};
use zeroize::Zeroize;

/// Bytes that are reduced to one scalar: its 255 bits, and 128 more against bias.
const ELEMENT_LEN: u8 = 48;
/// The suffix that RFC 9380 writes after each block: the tag, which is empty, and its length.
const EMPTY_TAG: [u8; 1] = [0];

/// The hash to a scalar that `bls381` uses for challenges, witnesses, seeds and proofs of possession:
/// RFC 9380 `hash_to_field` over SHA-256 with an empty tag. Its zero padding has the length of one
/// output element (48 bytes) instead of the hash's block (64): `bls381` fixes these bytes. (DLEQ-1)
///
/// Inputs may be secret, so that all intermediate values are wiped.
pub(crate) fn hash_to_scalar<C: Curve>(parts: &[&[u8]]) -> C::Scalar {
    let mut hasher = Sha256::new_with_prefix([0; ELEMENT_LEN as usize]);
    for part in parts {
        hasher.update(part);
    }
    hasher.update([0, ELEMENT_LEN, 0]);
    let mut seed: [u8; 32] = hasher.chain_update(EMPTY_TAG).finalize().into();
    let block = |number: u8, input: &[u8; 32]| -> [u8; 32] {
        Sha256::new()
            .chain_update(input)
            .chain_update([number])
            .chain_update(EMPTY_TAG)
            .finalize()
            .into()
    };
    let mut first = block(1, &seed);
    for (byte, of_first) in seed.iter_mut().zip(&first) {
        *byte ^= of_first;
    }
    let mut second = block(2, &seed);

    let mut wide = [0; ELEMENT_LEN as usize];
    wide[..32].copy_from_slice(&first);
    wide[32..].copy_from_slice(&second[..16]);
    let scalar = C::scalar_from_wide(&wide);
    for secret in [&mut seed[..], &mut first, &mut second, &mut wide] {
        secret.zeroize();
    }
    scalar
}

/// JUST-5: SHA-256 over a tag and all that is in the equation, each field after its length: `H(m)`, the key in G1, the key in G2, the signature.
pub(crate) fn equation_digest(
    tag: &[u8],
    message_point: &[u8; G1_LEN],
    pk1: &[u8; G1_LEN],
    pk2: &[u8; G2_LEN],
    signature: &[u8; G1_LEN],
) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for field in [tag, message_point, pk1, pk2, signature] {
        hasher.update((field.len() as u64).to_le_bytes());
        hasher.update(field);
    }
    hasher.finalize().into()
}

/// A coefficient: the first 128 bits of a digest, never zero.
pub(crate) fn coefficient(digest: &[u8; 32]) -> u128 {
    let mut low = [0; 16];
    low.copy_from_slice(&digest[..16]);
    u128::from_le_bytes(low).max(1)
}

/// A weight: the same bits, the lower half of them first.
fn weight(digest: &[u8; 32]) -> Weight {
    let bits = coefficient(digest).to_le_bytes();
    let mut halves = [0; 2];
    for (half, bytes) in halves.iter_mut().zip(bits.as_chunks().0) {
        *half = u64::from_le_bytes(*bytes);
    }
    halves
}

/// JUST-6: the weights of equations that are checked together; the first is one.
///
/// They hash the digests of all equations, so that nobody can choose equations to fit the weights.
pub(crate) fn batch_weights<'a>(
    digests: impl Iterator<Item = &'a [u8; 32]> + Clone,
) -> Vec<Weight> {
    let mut hasher = Sha256::new_with_prefix(BATCH_TAG);
    digests.clone().for_each(|digest| hasher.update(digest));
    let seed: [u8; 32] = hasher.finalize().into();
    let of = |(_, number): (&[u8; 32], u64)| match number {
        0 => [1, 0],
        number => {
            let hasher = Sha256::new_with_prefix(seed);
            weight(&hasher.chain_update(number.to_le_bytes()).finalize().into())
        }
    };
    digests.zip(0..).map(of).collect()
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;
    use crate::suite::AGGREGATE_TAG;
    use ark_bls12_381::Fr;
    use ark_ff::field_hashers::{DefaultFieldHasher, HashToField};
    use duet_curve::{Ark, Blst, Scalars};

    #[test]
    fn a_hash_to_a_scalar_is_that_of_the_library_behind_bls381() {
        let judge = <DefaultFieldHasher<Sha256, 128> as HashToField<Fr>>::new(&[]);
        for length in [0_usize, 1, 16, 31, 32, 33, 64, 144, 240, 1000] {
            let input: Vec<u8> = (0_u8..=255).cycle().take(length).collect();
            let [expected]: [Fr; 1] = judge.hash_to_field(&input);
            let (head, tail) = input.split_at(length / 3);
            let ours = hash_to_scalar::<Ark>(&[head, tail]);
            assert!(ours == expected, "{length} bytes");
            let bytes = Blst::scalar_to_bytes(&hash_to_scalar::<Blst>(&[&input]));
            assert_eq!(bytes, Ark::scalar_to_bytes(&expected), "{length} bytes");
        }
    }

    #[test]
    fn the_coefficient_of_a_justification_depends_on_every_byte_of_what_it_hashes() {
        let (g1, g2) = ([1; G1_LEN], [2; G2_LEN]);
        let of = equation_digest(AGGREGATE_TAG, &g1, &g1, &g2, &g1);
        for at in 0..G1_LEN {
            let mut other = g1;
            other[at] ^= 1;
            assert_ne!(of, equation_digest(AGGREGATE_TAG, &other, &g1, &g2, &g1));
            assert_ne!(of, equation_digest(AGGREGATE_TAG, &g1, &other, &g2, &g1));
            assert_ne!(of, equation_digest(AGGREGATE_TAG, &g1, &g1, &g2, &other));
        }
        for at in 0..G2_LEN {
            let mut other = g2;
            other[at] ^= 1;
            assert_ne!(of, equation_digest(AGGREGATE_TAG, &g1, &g1, &other, &g1));
        }
    }

    /// The values are worked out in `docs/spec/examples.md` from the text of the spec: a valid proof holds for every coefficient
    /// and weight, so that nothing else notices a wrong one. (DLEQ-1, POP-3, JUST-5, JUST-6)
    #[test]
    fn scalars_coefficients_and_weights_are_the_known_answers_of_the_spec() {
        let scalar = hash_to_scalar::<Ark>(&[&[1; 48], &[2; 96], &[3; 48], &[4; 48]]);
        assert_eq!(
            hex::encode(Ark::scalar_to_bytes(&scalar)),
            "b20b713ab58ddac9a3d9f83c48f840a8fe523e882f3650a9964e5a525bf77f38"
        );
        let (hm, apk1, apk2, sigma) = ([1; G1_LEN], [2; G1_LEN], [3; G2_LEN], [4; G1_LEN]);
        let digest = equation_digest(AGGREGATE_TAG, &hm, &apk1, &apk2, &sigma);
        assert_eq!(
            coefficient(&digest),
            153_289_433_459_645_615_313_687_446_368_728_371_416
        );
        let weights = batch_weights([[1; 32], [2; 32], [3; 32]].iter());
        assert_eq!(
            weights,
            [
                [1, 0],
                [13_067_247_948_550_434_242, 10_160_187_400_852_614_878],
                [3_219_956_106_320_511_932, 12_230_886_293_626_717_685]
            ]
        );
    }
}
