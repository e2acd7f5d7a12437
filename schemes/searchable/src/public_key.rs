//! The public key of a receiver, with precomputed values.

use crate::{
    encoding::{concat, g1_from_bytes, g1_to_bytes, g2_from_bytes, g2_to_bytes, Reader},
    error::{KeywordCollidesWithKey, PublicKeyError, PublicPart},
    generator,
    gt::Gt,
    gt_table::GtTable,
    hash::{self, FingerprintBytes},
    keyword::Keyword,
    suite::{G1_LEN, G2_LEN, PUBLIC_KEY_LEN},
};
use ark_bls12_381::{G1Affine, G2Affine};
use ark_ec::{AffineRepr, CurveGroup};
use core::fmt;
use std::sync::Arc;

/// The fingerprint of a public key: the hash of its bytes. It is part of every hash of a ciphertext.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub(crate) FingerprintBytes);

impl Fingerprint {
    /// A fingerprint from its bytes, for example from a registry.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fingerprint(")?;
        for byte in self.0 {
            write!(f, "{byte:02x}")?;
        }
        f.write_str(")")
    }
}

/// The checked public key of a receiver. Clones share one copy.
#[derive(Clone)]
pub struct PublicKey(Arc<Checked>);

struct Checked {
    a: G1Affine,
    h: [G2Affine; 4],
    fingerprint: FingerprintBytes,
    /// `Z_i = e(P1, h_i)`.
    z: [Gt; 4],
    z_tables: [GtTable; 4],
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PublicKey")
            .field(&self.fingerprint())
            .finish()
    }
}

impl PartialEq for PublicKey {
    fn eq(&self, other: &Self) -> bool {
        self.0.fingerprint == other.0.fingerprint
    }
}

impl Eq for PublicKey {}

impl PublicKey {
    /// Decodes the 432 bytes of a public key and checks lengths, points, groups, no identity, no repetition.
    ///
    /// Cost: four pairings and four tables of 124 KiB each.
    ///
    /// # Errors
    /// The first check that fails, in this order.
    ///
    /// # Security
    /// This does not authenticate the owner of the key. Use bytes that the receiver signed, or
    /// [`from_bytes_pinned`](Self::from_bytes_pinned): encrypting to a substituted key reveals the plaintext.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PublicKeyError> {
        let mut reader = Reader::exactly(PUBLIC_KEY_LEN, bytes)?;
        let part = PublicPart::A;
        let a = g1_from_bytes(reader.take::<G1_LEN>()?)
            .map_err(|error| PublicKeyError::BadPoint { part, error })?;
        let mut h = [G2Affine::zero(); 4];
        for (index, point) in (1..).zip(&mut h) {
            let part = PublicPart::H(index);
            *point = g2_from_bytes(reader.take::<G2_LEN>()?)
                .map_err(|error| PublicKeyError::BadPoint { part, error })?;
        }
        Self::check(a, h)
    }

    /// As [`from_bytes`](Self::from_bytes), and checks that the key has the pinned fingerprint.
    ///
    /// # Errors
    /// [`PublicKeyError::FingerprintMismatch`] first; otherwise as [`from_bytes`](Self::from_bytes).
    pub fn from_bytes_pinned(bytes: &[u8], pinned: &Fingerprint) -> Result<Self, PublicKeyError> {
        if hash::fingerprint(bytes) != pinned.0 {
            return Err(PublicKeyError::FingerprintMismatch);
        }
        Self::from_bytes(bytes)
    }

    /// The checks of every public key, whatever its origin.
    pub(crate) fn check(a: G1Affine, h: [G2Affine; 4]) -> Result<Self, PublicKeyError> {
        if a.is_zero() {
            let part = PublicPart::A;
            return Err(PublicKeyError::IdentityElement { part });
        }
        for (index, point) in (1..).zip(&h) {
            if point.is_zero() {
                let part = PublicPart::H(index);
                return Err(PublicKeyError::IdentityElement { part });
            }
            if let Some(earlier) = h.iter().take(index - 1).position(|other| other == point) {
                return Err(PublicKeyError::RepeatedPoint {
                    first: earlier + 1,
                    second: index,
                });
            }
        }
        let z = h.map(|point| Gt::pairing(&generator::g1(), &point));
        Ok(Self(Arc::new(Checked {
            a,
            h,
            fingerprint: hash::fingerprint(&encode(&a, &h)),
            z_tables: z.each_ref().map(GtTable::new),
            z,
        })))
    }

    /// The encoding, 432 bytes.
    pub fn to_bytes(&self) -> [u8; PUBLIC_KEY_LEN] {
        encode(&self.0.a, &self.0.h)
    }

    /// The fingerprint.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint(self.0.fingerprint)
    }

    pub(crate) fn fingerprint_bytes(&self) -> &FingerprintBytes {
        &self.0.fingerprint
    }

    /// `D = A − ω·P1`. For this keyword every `c1` is a multiple of it.
    pub(crate) fn direction(&self, keyword: &Keyword) -> Result<G1Affine, KeywordCollidesWithKey> {
        self.direction_from(&generator::g1_table().mul(keyword.omega()).into_affine())
    }

    /// As [`direction`](Self::direction), from the point `ω·P1`.
    pub(crate) fn direction_from(
        &self,
        keyword: &G1Affine,
    ) -> Result<G1Affine, KeywordCollidesWithKey> {
        let direction = (self.0.a.into_group() - keyword).into_affine();
        if direction.is_zero() {
            return Err(KeywordCollidesWithKey);
        }
        Ok(direction)
    }

    /// `Z_1` to `Z_4`.
    pub(crate) fn z(&self) -> &[Gt; 4] {
        &self.0.z
    }

    /// The tables of `Z_1` to `Z_4`.
    pub(crate) fn z_tables(&self) -> &[GtTable; 4] {
        &self.0.z_tables
    }
}

fn encode(a: &G1Affine, h: &[G2Affine; 4]) -> [u8; PUBLIC_KEY_LEN] {
    let [h1, h2, h3, h4] = h.each_ref().map(g2_to_bytes);
    concat(&[&g1_to_bytes(a), &h1, &h2, &h3, &h4])
}
