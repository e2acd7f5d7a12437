//! The hash functions of the scheme, separated by tags: fingerprints, `H`, `G`, and the derivation of `r`.

use crate::{
    raw::BackEndError,
    sha256x8::CountedBlock,
    suite::{tag, EXPONENT, HASH_LEN, RANDOMNESS_LEN, SEED_LEN, TOP_BIT},
};
use openssl::{hash::MessageDigest, pkey::PKey, sha::Sha256, sign::Signer};

/// Encodes that there is no `x` or `h`: this is the first hop of a chain.
const ABSENT: &[u8] = &[0];
/// Precedes an `x` or `h`, so that an `x` of zeros differs from an absent one.
const PRESENT: &[u8] = &[1];

fn length(message: &[u8]) -> [u8; 8] {
    (message.len() as u64).to_be_bytes()
}

/// `SHA-256` of a tag and parts. Each part has a fixed length or a length given in the parts before it.
pub(crate) fn tagged(tag: &[u8], parts: &[&[u8]]) -> [u8; HASH_LEN] {
    let mut hash = Sha256::new();
    hash.update(tag);
    for part in parts {
        hash.update(part);
    }
    hash.finish()
}

/// `fp`: the identifier of a key in `H` and in records.
pub(crate) fn fingerprint(modulus: &[u8]) -> [u8; HASH_LEN] {
    tagged(tag::FINGERPRINT, &[modulus, &EXPONENT.to_be_bytes()])
}

fn presence(value: Option<&[u8]>) -> [&[u8]; 2] {
    value.map_or([ABSENT, &[]], |value| [PRESENT, value])
}

/// `H(fp, m, r, x)`. `x` is absent for the first signer.
pub(crate) fn h(
    fingerprint: &[u8; HASH_LEN],
    message: &[u8],
    r: &[u8; RANDOMNESS_LEN],
    x: Option<&[u8]>,
) -> [u8; HASH_LEN] {
    let [flag, x] = presence(x);
    let length = length(message);
    tagged(tag::MESSAGE, &[fingerprint, &length, message, r, flag, x])
}

/// MGF1 with SHA-256 (RFC 8017, appendix B.2.1) over `tag || seed`, XORed into `output`.
fn mgf1_xor(tag: &[u8], seed: &[u8], output: &mut [u8]) {
    for (counter, block) in (0_u32..).zip(output.chunks_mut(HASH_LEN)) {
        let mask = tagged(tag, &[seed, &counter.to_be_bytes()]);
        for (byte, mask) in block.iter_mut().zip(mask) {
            *byte ^= mask;
        }
    }
}

/// XORs `G(h)`, a string of `K - 1` bits, into a string of as many bits in `K/8` bytes.
///
/// MGF1 over `"BGR-V01-G" || h`, without the most significant bit.
pub(crate) fn g_xor(h: &[u8; HASH_LEN], bits: &mut [u8]) {
    if !CountedBlock::new(tag::MASK, h).xor_hashes(bits) {
        mgf1_xor(tag::MASK, h, bits);
    }
    if let Some(first) = bits.first_mut() {
        *first &= !TOP_BIT;
    }
}

/// `r` for a message and the link that it is appended to: deterministic, and unpredictable without the seed.
///
/// # Errors
/// The library is out of memory.
pub(crate) fn randomness(
    seed: &[u8; SEED_LEN],
    message: &[u8],
    previous: Option<(&[u8], &[u8; HASH_LEN])>,
) -> Result<[u8; RANDOMNESS_LEN], BackEndError> {
    let key = PKey::hmac(seed)?;
    let mut hmac = Signer::new(MessageDigest::sha256(), &key)?;
    let [x_flag, x] = presence(previous.map(|(x, _)| x));
    let [h_flag, h] = presence(previous.map(|(_, h)| h.as_slice()));
    let length = length(message);
    for part in [tag::RANDOMNESS, &length, message, h_flag, h, x_flag, x] {
        hmac.update(part)?;
    }
    let mut output = [0; HASH_LEN];
    hmac.sign(&mut output)?;
    let mut r = [0; RANDOMNESS_LEN];
    r.copy_from_slice(&output[..RANDOMNESS_LEN]);
    Ok(r)
}

#[cfg(test)]
mod tests {
    use super::*;
    use openssl::{encrypt::Encrypter, rsa::Padding};

    /// The answer was computed with another SHA-256 implementation.
    #[test]
    fn both_ways_to_a_mask_give_the_known_answer() {
        let h = std::array::from_fn(|index| u8::try_from(index).unwrap());
        let known =
            "d478b33741bf4dbb6c7d582b5519efd11a600c170f4f15298e291c48d0513c14b732ee28eb1f54fe";
        let mut one_by_one = [0; 40];
        mgf1_xor(tag::MASK, &h, &mut one_by_one);
        assert_eq!(hex::encode(one_by_one), known);
        let mut in_step = [0; 40];
        if CountedBlock::new(tag::MASK, &h).xor_hashes(&mut in_step) {
            assert_eq!(in_step, one_by_one);
        }
        let mut mask = [0; 40];
        g_xor(&h, &mut mask);
        one_by_one[0] &= !TOP_BIT;
        assert_eq!(mask, one_by_one);
    }

    #[test]
    fn vector_hashes_equal_the_scalar_hashes() {
        let mut h = [0; HASH_LEN];
        for len in (0..=512).step_by(8) {
            h = tagged(b"next", &[&h]);
            let (mut in_step, mut one_by_one) = (vec![0x5a; len], vec![0x5a; len]);
            mgf1_xor(tag::MASK, &h, &mut one_by_one);
            if CountedBlock::new(tag::MASK, &h).xor_hashes(&mut in_step) {
                assert_eq!(in_step, one_by_one, "{len} bytes");
            }
        }
    }

    /// OpenSSL masks an OAEP block with its own MGF1; ours removes the mask.
    #[test]
    fn mgf1_agrees_with_the_one_inside_openssl_oaep() {
        let key = openssl::rsa::Rsa::generate(2048).unwrap();
        let pkey = PKey::from_rsa(key.clone()).unwrap();
        let mut encrypter = Encrypter::new(&pkey).unwrap();
        encrypter.set_rsa_padding(Padding::PKCS1_OAEP).unwrap();
        encrypter.set_rsa_oaep_md(MessageDigest::sha256()).unwrap();
        encrypter.set_rsa_mgf1_md(MessageDigest::sha256()).unwrap();
        for message in [&b""[..], b"a", &[7; 190]] {
            let mut ciphertext = vec![0; encrypter.encrypt_len(message).unwrap()];
            encrypter.encrypt(message, &mut ciphertext).unwrap();
            let mut block = [0; 256];
            key.private_decrypt(&ciphertext, &mut block, Padding::NONE)
                .unwrap();

            let (seed, data) = block[1..].split_at_mut(HASH_LEN);
            mgf1_xor(b"", data, seed);
            mgf1_xor(b"", seed, data);
            let (label, data) = data.split_at(HASH_LEN);
            assert_eq!(label, tagged(b"", &[]));
            let padding = data.iter().take_while(|byte| **byte == 0).count();
            assert_eq!(data[padding], 1);
            assert_eq!(&data[padding + 1..], message);
        }
    }

    #[test]
    fn a_mask_has_one_bit_less_than_a_modulus() {
        let mut top_bits = 0;
        for counter in 0..=u8::MAX {
            let mut mask = [0; 256];
            g_xor(&[counter; HASH_LEN], &mut mask);
            assert_eq!(mask[0] & TOP_BIT, 0);
            top_bits += u32::from(mask[0] >> 6);
        }
        assert!((64..192).contains(&top_bits), "the bit below is a coin");
    }

    #[test]
    fn an_absent_x_and_an_x_of_zeros_hash_differently() {
        let zeros = [0; 256];
        let hash = |x| h(&[1; 32], b"m", &[2; 16], x);
        assert_ne!(hash(None), hash(Some(&zeros)));
        assert_ne!(hash(None), hash(Some(&[])));
    }

    #[test]
    fn bytes_cannot_move_between_the_message_and_the_randomness() {
        // The same bytes, divided one byte later.
        let mut left = [3; 16];
        left[0] = b'b';
        let right = [3; 16];
        assert_ne!(
            h(&[1; 32], b"a", &left, None),
            h(&[1; 32], b"ab", &right, None)
        );
    }

    #[test]
    fn the_randomness_depends_on_everything_that_is_signed() {
        let r = |seed: u8, message: &[u8], previous: Option<(&[u8], u8)>| {
            let h = [previous.map_or(0, |(_, h)| h); HASH_LEN];
            randomness(&[seed; 32], message, previous.map(|(x, _)| (x, &h))).unwrap()
        };
        let x = [4; 256];
        let other_x = [5; 256];
        let base = r(1, b"m", Some((&x, 6)));
        assert_eq!(base, r(1, b"m", Some((&x, 6))));
        for other in [
            r(2, b"m", Some((&x, 6))),
            r(1, b"n", Some((&x, 6))),
            r(1, b"m", Some((&other_x, 6))),
            r(1, b"m", Some((&x, 7))),
            r(1, b"m", None),
        ] {
            assert_ne!(base, other);
        }
    }
}
