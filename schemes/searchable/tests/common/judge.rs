//! The equations of the specification, written with plain arkworks and without any checks. The library is compared with
//! them, and attacks are shown to succeed against them.

use ark_bls12_381::{Bls12_381, Fq12, Fr, G1Affine, G2Affine};
use ark_ec::{pairing::Pairing, AffineRepr, CurveGroup};
use ark_ff::{BigInteger, Field, One, PrimeField, Zero};
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize};
use sha2::{Digest, Sha256, Sha512};

pub fn wide(bytes: &[u8]) -> Fr {
    Fr::from_be_bytes_mod_order(bytes)
}

pub fn scalar_bytes(scalar: &Fr) -> [u8; 32] {
    scalar
        .into_bigint()
        .to_bytes_be()
        .try_into()
        .expect("32 bytes")
}

pub fn point<P: CanonicalDeserialize>(bytes: &[u8]) -> P {
    P::deserialize_compressed_unchecked(bytes).expect("a point")
}

pub fn encode(value: &impl CanonicalSerialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    value
        .serialize_compressed(&mut bytes)
        .expect("a vector takes anything");
    bytes
}

pub fn e(p: &G1Affine, q: &G2Affine) -> Fq12 {
    Bls12_381::pairing(*p, *q).0
}

pub fn z() -> Fq12 {
    e(&G1Affine::generator(), &G2Affine::generator())
}

pub fn pow(f: &Fq12, exponent: &Fr) -> Fq12 {
    f.pow(exponent.into_bigint())
}

fn sha512(fields: &[&[u8]]) -> [u8; 64] {
    Sha512::digest(fields.concat()).into()
}

pub fn keyword(bytes: &[u8]) -> Fr {
    let length = u32::try_from(bytes.len()).expect("short").to_be_bytes();
    wide(&sha512(&[b"MRSHE-V01-KW", &length, bytes]))
}

/// A public key without its checks.
pub struct Public {
    pub a: G1Affine,
    pub h: [G2Affine; 4],
    pub fingerprint: [u8; 32],
}

impl Public {
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut hash = Sha256::new();
        hash.update(b"MRSHE-V01-PK");
        hash.update(bytes);
        Self {
            a: point(&bytes[..48]),
            h: [48, 144, 240, 336].map(|start| point(&bytes[start..start + 96])),
            fingerprint: hash.finalize().into(),
        }
    }

    pub fn zi(&self, index: usize) -> Fq12 {
        e(&G1Affine::generator(), &self.h[index - 1])
    }

    pub fn tau(&self, c5: &Fq12) -> [u8; 64] {
        sha512(&[b"MRSHE-V01-TAU", &self.fingerprint, &encode(c5)])
    }

    pub fn delta(&self, c: &Tuple) -> Fr {
        let fields = [encode(&c.c1), encode(&c.c2), encode(&c.c3), encode(&c.c4)].concat();
        wide(&sha512(&[b"MRSHE-V01-GAMMA", &self.fingerprint, &fields]))
    }

    pub fn encrypt(&self, omega: &Fr, message: &Fq12, s: &Fr) -> Tuple {
        let direction = self.a.into_group() - G1Affine::generator() * omega;
        let mut c = Tuple {
            c1: (direction * s).into_affine(),
            c2: pow(&z(), s),
            c3: *message * pow(&self.zi(1), &-*s),
            c4: pow(&self.zi(2), s),
            tau: [0; 64],
        };
        let delta = self.delta(&c);
        c.tau = self.tau(&(pow(&self.zi(3), s) * pow(&self.zi(4), &(*s * delta))));
        c
    }
}

/// The parts of a key for a keyword, by index.
#[derive(Clone)]
pub struct Parts(pub Vec<(usize, Fr, G2Affine)>);

impl Parts {
    /// From the 304 bytes of a homomorphic key.
    pub fn homomorphic(bytes: &[u8]) -> Self {
        Self::read(&bytes[48..], &[3, 4])
    }

    /// From the 512 bytes of a decryption key.
    pub fn decryption(bytes: &[u8]) -> Self {
        Self::read(bytes, &[1, 2, 3, 4])
    }

    fn read(bytes: &[u8], numbers: &[usize]) -> Self {
        let part =
            |(number, bytes): (&usize, &[u8])| (*number, wide(&bytes[..32]), point(&bytes[32..]));
        Self(numbers.iter().zip(bytes.chunks(128)).map(part).collect())
    }

    pub fn part(&self, number: usize) -> (Fr, G2Affine) {
        let (_, r, k) = self
            .0
            .iter()
            .find(|part| part.0 == number)
            .expect("the part");
        (*r, *k)
    }

    /// `e(c1, k_i)·c2^r_i`
    pub fn apply(&self, number: usize, c: &Tuple) -> Fq12 {
        let (r, k) = self.part(number);
        e(&c.c1, &k) * pow(&c.c2, &r)
    }

    pub fn c5(&self, public: &Public, c: &Tuple) -> Fq12 {
        let delta = public.delta(c);
        let ((r3, k3), (r4, k4)) = (self.part(3), self.part(4));
        let shifted = (c.c1 * delta).into_affine();
        e(&c.c1, &k3) * e(&shifted, &k4) * pow(&c.c2, &(r3 + r4 * delta))
    }

    /// Test, without the checks of received ciphertexts.
    pub fn naive_test(&self, public: &Public, c: &Tuple) -> bool {
        public.tau(&self.c5(public, c)) == c.tau
    }

    /// Dec, without the checks of received ciphertexts and without the check of `c4`.
    pub fn naive_decrypt(&self, public: &Public, c: &Tuple) -> Option<Fq12> {
        self.naive_test(public, c).then(|| c.c3 * self.apply(1, c))
    }

    /// Computes a tag with which a tuple passes the test with these parts.
    pub fn forge_tag(&self, public: &Public, mut c: Tuple) -> Tuple {
        c.tau = public.tau(&self.c5(public, &c));
        c
    }
}

/// A ciphertext without its checks.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuple {
    pub c1: G1Affine,
    pub c2: Fq12,
    pub c3: Fq12,
    pub c4: Fq12,
    pub tau: [u8; 64],
}

impl Tuple {
    pub fn from_plain(bytes: &[u8]) -> Self {
        Self {
            c1: point(&bytes[..48]),
            c2: point(&bytes[48..624]),
            c3: point(&bytes[624..1200]),
            c4: point(&bytes[1200..1776]),
            tau: bytes[1776..].try_into().expect("64 bytes"),
        }
    }

    pub fn to_plain(&self) -> Vec<u8> {
        let [c1, c2, c3, c4] = [
            encode(&self.c1),
            encode(&self.c2),
            encode(&self.c3),
            encode(&self.c4),
        ];
        [c1, c2, c3, c4, self.tau.to_vec()].concat()
    }

    /// The component-wise product of two tuples, without a tag.
    pub fn times(&self, other: &Self) -> Self {
        Self {
            c1: (self.c1.into_group() + other.c1).into_affine(),
            c2: self.c2 * other.c2,
            c3: self.c3 * other.c3,
            c4: self.c4 * other.c4,
            tau: [0; 64],
        }
    }
}

/// A field element of this small prime order.
pub fn of_order(prime: u32) -> Fq12 {
    let p = num_bigint::BigUint::from(ark_bls12_381::Fq::MODULUS);
    let cofactor = (p.pow(12) - 1u32) / prime;
    (2u64..)
        .map(|seed| {
            let coordinates = (0..12).map(|index| ark_bls12_381::Fq::from(seed * 31 + index));
            Fq12::from_base_prime_field_elems(coordinates)
                .expect("twelve coordinates")
                .pow(cofactor.to_u64_digits())
        })
        .find(|element| !element.is_one() && !element.is_zero())
        .expect("one in every few is not one")
}
