//! The reference implementation: the scheme written from its definition with other libraries. Single checks can be
//! disabled.

use duet_sequential::{ChainSignature, Hop, Link, SecretKey};
use hmac::{Hmac, Mac};
use num_bigint::BigUint;
use openssl::pkey::PKey;
use sha2::{Digest, Sha256};

pub(crate) type Seed = [u8; 32];
pub(crate) type Hash = [u8; 32];
pub(crate) type Randomness = [u8; 16];
/// The predecessor's `x` and `h`.
pub(crate) type Previous<'a> = Option<(&'a BigUint, &'a Hash)>;
/// Where `r` comes from: seed, message, predecessor, bytes of a modulus.
pub(crate) type RandomnessOf = fn(&Seed, &[u8], Previous<'_>, usize) -> Randomness;

/// The checks of the verifier, each of which can be disabled.
#[derive(Clone, Copy)]
pub(crate) struct Checks {
    pub(crate) canonical: bool,
    pub(crate) range: bool,
}

pub(crate) const ALL_CHECKS: Checks = Checks {
    canonical: true,
    range: true,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Good,
    Bad,
    NonCanonical,
    OutOfRange,
}

#[derive(Clone)]
pub(crate) struct Key {
    pub(crate) n: BigUint,
    pub(crate) d: BigUint,
    pub(crate) seed: Seed,
    pub(crate) fingerprint: Hash,
    pub(crate) len: usize,
}

pub(crate) struct Signed {
    pub(crate) r: Randomness,
    pub(crate) b: bool,
    pub(crate) x: BigUint,
    pub(crate) h: Hash,
}

impl Key {
    pub(crate) fn of(key: &SecretKey) -> Self {
        let bytes = key.to_bytes().unwrap();
        let rsa = PKey::private_key_from_pkcs8(&bytes[34..])
            .unwrap()
            .rsa()
            .unwrap();
        let n = BigUint::from_bytes_be(&rsa.n().to_vec());
        let len = key.public().as_bytes().len();
        Self {
            fingerprint: fingerprint(&n, len),
            d: BigUint::from_bytes_be(&rsa.d().to_vec()),
            seed: bytes[2..34].try_into().unwrap(),
            n,
            len,
        }
    }

    fn half(&self) -> BigUint {
        BigUint::from(1_u8) << (8 * self.len - 1)
    }
}

pub(crate) fn padded(number: &BigUint, len: usize) -> Vec<u8> {
    let bytes = number.to_bytes_be();
    let mut padded = vec![0; len - bytes.len()];
    padded.extend(bytes);
    padded
}

pub(crate) fn xor(left: &Hash, right: &Hash) -> Hash {
    std::array::from_fn(|index| left[index] ^ right[index])
}

pub(crate) fn fingerprint(n: &BigUint, len: usize) -> Hash {
    let exponent = [0, 1, 0, 1];
    let input = [b"BGR-V01-FPRINT", padded(n, len).as_slice(), &exponent].concat();
    Sha256::digest(input).into()
}

fn with_length(message: &[u8]) -> Vec<u8> {
    let length = u64::try_from(message.len()).unwrap();
    [&length.to_be_bytes(), message].concat()
}

fn flagged(bytes: Option<Vec<u8>>) -> Vec<u8> {
    bytes.map_or(vec![0], |bytes| [vec![1], bytes].concat())
}

pub(crate) fn h(key: &Key, message: &[u8], r: &Randomness, x: Option<&BigUint>) -> Hash {
    let x = flagged(x.map(|x| padded(x, key.len)));
    let input = [
        b"BGR-V01-H".as_slice(),
        &key.fingerprint,
        &with_length(message),
        r,
        &x,
    ];
    Sha256::digest(input.concat()).into()
}

pub(crate) fn g(key: &Key, h: &Hash) -> BigUint {
    let mut output = Vec::new();
    for counter in 0_u32.. {
        if output.len() >= key.len {
            break;
        }
        let input = [b"BGR-V01-G", h.as_slice(), &counter.to_be_bytes()].concat();
        output.extend(Sha256::digest(input));
    }
    BigUint::from_bytes_be(&output[..key.len]) % key.half()
}

/// The derivation of the scheme.
pub(crate) fn input_dependent(
    seed: &Seed,
    message: &[u8],
    previous: Previous<'_>,
    len: usize,
) -> Randomness {
    let mut hmac = <Hmac<Sha256> as Mac>::new_from_slice(seed).unwrap();
    hmac.update(b"BGR-V01-R");
    hmac.update(&with_length(message));
    hmac.update(&flagged(previous.map(|(_, h)| h.to_vec())));
    hmac.update(&flagged(previous.map(|(x, _)| padded(x, len))));
    hmac.finalize().into_bytes()[..16].try_into().unwrap()
}

/// Weak: constant.
pub(crate) fn constant(_: &Seed, _: &[u8], _: Previous<'_>, _: usize) -> Randomness {
    [0; 16]
}

/// Weak: secret, but independent of `h`.
pub(crate) fn without_h(
    seed: &Seed,
    message: &[u8],
    previous: Previous<'_>,
    len: usize,
) -> Randomness {
    let mut hmac = <Hmac<Sha256> as Mac>::new_from_slice(seed).unwrap();
    hmac.update(&with_length(message));
    hmac.update(&flagged(previous.map(|(x, _)| padded(x, len))));
    hmac.finalize().into_bytes()[..16].try_into().unwrap()
}

pub(crate) fn sign(
    key: &Key,
    message: &[u8],
    previous: Previous<'_>,
    randomness: RandomnessOf,
) -> Signed {
    let r = randomness(&key.seed, message, previous, key.len);
    let eta = h(key, message, &r, previous.map(|(x, _)| x));
    let h = previous.map_or(eta, |(_, h)| xor(h, &eta));
    let y = g(key, &h) ^ previous.map_or_else(BigUint::default, |(x, _)| x.clone());
    let output = y.modpow(&key.d, &key.n);
    let b = output >= key.half();
    let x = output % key.half();
    Signed { r, b, x, h }
}

/// Verifies a chain backwards with the enabled checks.
pub(crate) fn verify(
    keys: &[Key],
    messages: &[&[u8]],
    signature: &ChainSignature,
    checks: Checks,
) -> Verdict {
    let mut x = BigUint::from_bytes_be(signature.link().x());
    let mut h_now = *signature.link().h();
    for (index, hop) in signature.hops().iter().enumerate().rev() {
        let (key, message) = (&keys[index], messages[index]);
        let number = if hop.overflow { x + key.half() } else { x };
        if checks.canonical && number >= key.n {
            return Verdict::NonCanonical;
        }
        let y = number.modpow(&65537_u32.into(), &key.n);
        if checks.range && y >= key.half() {
            return Verdict::OutOfRange;
        }
        if index == 0 {
            let is_first = h_now == h(key, message, &hop.randomness, None);
            let is_good = is_first && y == g(key, &h_now);
            return if is_good { Verdict::Good } else { Verdict::Bad };
        }
        // Without the range check, a value that is too large loses its highest bit.
        x = (y ^ g(key, &h_now)) % key.half();
        h_now = xor(&h_now, &h(key, message, &hop.randomness, Some(&x)));
    }
    Verdict::Bad
}

/// Converts to the library's type.
pub(crate) fn link(key: &SecretKey, x: &BigUint, h: &Hash) -> Link {
    let len = key.suite().modulus_len();
    Link::new(key.suite(), &padded(x, len), *h).unwrap()
}

/// The chain of these hops.
pub(crate) fn chain(key: &SecretKey, signed: &[Signed]) -> ChainSignature {
    let last = signed.last().unwrap();
    let hops = signed.iter().map(|signed| Hop {
        randomness: signed.r,
        overflow: signed.b,
    });
    ChainSignature::from_parts(link(key, &last.x, &last.h), hops.collect()).unwrap()
}

/// The inverse of `a` modulo `m`, if it exists.
pub(crate) fn inverse(a: &BigUint, m: &BigUint) -> Option<BigUint> {
    let (mut r0, mut r1) = (m.clone(), a % m);
    // The coefficients of `a`, modulo `m`.
    let (mut s0, mut s1) = (BigUint::default(), BigUint::from(1_u8));
    while r1 != BigUint::default() {
        let quotient = &r0 / &r1;
        let remainder = &r0 % &r1;
        let s = (&s0 + m - &quotient * &s1 % m) % m;
        (r0, r1, s0, s1) = (r1, remainder, s1, s);
    }
    (r0 == BigUint::from(1_u8)).then_some(s0)
}
