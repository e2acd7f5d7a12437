//! Ciphertexts, as received and as checked.

use crate::{
    encoding::{concat, g1_from_bytes, g1_to_bytes, Reader},
    error::{CiphertextError, Component, LengthError},
    gt::Gt,
    hash,
    progress::Progress,
    public_key::PublicKey,
    suite::{
        COMPRESSED_LEN, COMPRESSED_VERSION, G1_LEN, GT_LEN, PLAIN_LEN, PLAIN_VERSION, TAU_LEN,
        TORUS_LEN,
    },
    torus,
};
use ark_bls12_381::{Fr, G1Affine};
use ark_ec::AffineRepr;
use rayon::prelude::*;
use std::collections::HashSet;

/// An encoding of ciphertexts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// 1840 bytes, fast to encode and to decode.
    Plain,
    /// 976 bytes: elements of the target group take half the bytes, and cost an inversion each.
    Compressed,
}

/// Bytes with the length of a ciphertext. Nothing else has been checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivedCiphertext(Bytes);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Bytes {
    Plain(Box<[u8; PLAIN_LEN]>),
    Compressed(Box<[u8; COMPRESSED_LEN]>),
}

impl ReceivedCiphertext {
    /// Splits off the version byte, and checks the length that belongs to it.
    ///
    /// # Errors
    /// [`CiphertextError::Version`], [`CiphertextError::Length`].
    pub fn parse(wire: &[u8]) -> Result<Self, CiphertextError> {
        match wire.split_first() {
            Some((&PLAIN_VERSION, body)) => Ok(Self::from_plain(body)?),
            Some((&COMPRESSED_VERSION, body)) => Ok(Self::from_compressed(body)?),
            Some((&got, _)) => Err(CiphertextError::Version { got }),
            None => Err(CiphertextError::Length(LengthError {
                expected: COMPRESSED_LEN + 1,
                got: 0,
            })),
        }
    }

    /// From the 1840 bytes of the plain form, without a version byte.
    ///
    /// # Errors
    /// The length is wrong.
    pub fn from_plain(bytes: &[u8]) -> Result<Self, LengthError> {
        let body = Reader::exactly(PLAIN_LEN, bytes)?.take()?;
        Ok(Self(Bytes::Plain(Box::new(*body))))
    }

    /// From the 976 bytes of the compressed form, without a version byte.
    ///
    /// # Errors
    /// The length is wrong.
    pub fn from_compressed(bytes: &[u8]) -> Result<Self, LengthError> {
        let body = Reader::exactly(COMPRESSED_LEN, bytes)?.take()?;
        Ok(Self(Bytes::Compressed(Box::new(*body))))
    }

    /// Makes the checks that need no key: `c1` is in its group and not the identity, `c2` to `c4` are in the target
    /// group, and `c2` is not one.
    ///
    /// Cost: one check in G1 and three in the target group, together about half a pairing.
    ///
    /// # Errors
    /// The first check that fails, in this order.
    pub fn check(&self) -> Result<Ciphertext, CiphertextError> {
        match &self.0 {
            Bytes::Plain(bytes) => check::<PLAIN_LEN, GT_LEN>(bytes, Gt::from_bytes),
            Bytes::Compressed(bytes) => {
                check::<COMPRESSED_LEN, TORUS_LEN>(bytes, torus::decompress)
            }
        }
    }

    /// [`check`](Self::check) for many, on all cores. The results are in the same order. Reports `progress` for each.
    pub fn check_all(
        received: &[Self],
        progress: &impl Progress,
    ) -> Vec<Result<Ciphertext, CiphertextError>> {
        received
            .par_iter()
            .map(|received| {
                let checked = received.check();
                progress.advance(1);
                checked
            })
            .collect()
    }
}

fn check<const LEN: usize, const GT: usize>(
    bytes: &[u8; LEN],
    decode: impl Fn(&[u8; GT]) -> Option<Gt>,
) -> Result<Ciphertext, CiphertextError> {
    let mut reader = Reader::exactly(LEN, bytes)?;
    let c1 = g1_from_bytes(reader.take::<G1_LEN>()?)?;
    if c1.is_zero() {
        let component = Component::C1;
        return Err(CiphertextError::IdentityElement { component });
    }
    let mut next =
        |component| decode(reader.take()?).ok_or(CiphertextError::BadGtElement { component });
    let c2 = next(Component::C2)?;
    if c2.is_one() {
        let component = Component::C2;
        return Err(CiphertextError::IdentityElement { component });
    }
    let (c3, c4) = (next(Component::C3)?, next(Component::C4)?);
    Ok(Ciphertext {
        components: Components { c1, c2, c3, c4 },
        tau: *reader.take()?,
    })
}

/// The first four components of a ciphertext, which are hashed by Γ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Components {
    pub(crate) c1: G1Affine,
    pub(crate) c2: Gt,
    pub(crate) c3: Gt,
    pub(crate) c4: Gt,
}

impl Components {
    /// Γ of these components for this receiver.
    pub(crate) fn delta(&self, public: &PublicKey) -> Fr {
        let rest = [self.c2, self.c3, self.c4].map(Gt::to_bytes);
        hash::gamma(public.fingerprint_bytes(), &g1_to_bytes(&self.c1), &rest)
    }

    pub(crate) fn seal(self, public: &PublicKey, c5: &Gt) -> Ciphertext {
        let tau = hash::tau(public.fingerprint_bytes(), &c5.to_bytes());
        Ciphertext {
            components: self,
            tau,
        }
    }
}

/// A ciphertext whose components are in their groups. Only a key can tell which keyword it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ciphertext {
    pub(crate) components: Components,
    pub(crate) tau: [u8; TAU_LEN],
}

/// The digest of a ciphertext, which is the same for both encodings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CiphertextDigest(pub [u8; 32]);

impl Ciphertext {
    /// The 1840 bytes of the plain form, without a version byte.
    pub fn to_plain(&self) -> [u8; PLAIN_LEN] {
        let Components { c1, c2, c3, c4 } = &self.components;
        let [c2, c3, c4] = [c2, c3, c4].map(|element| element.to_bytes());
        concat(&[&g1_to_bytes(c1), &c2, &c3, &c4, &self.tau])
    }

    /// The 976 bytes of the compressed form, without a version byte.
    pub fn to_compressed(&self) -> [u8; COMPRESSED_LEN] {
        let Components { c1, c2, c3, c4 } = &self.components;
        let [c2, c3, c4] = [c2, c3, c4].map(torus::compress);
        concat(&[&g1_to_bytes(c1), &c2, &c3, &c4, &self.tau])
    }

    /// The encoding for [`ReceivedCiphertext::parse`]: a version byte and one of the forms.
    pub fn to_wire(&self, form: Form) -> Vec<u8> {
        match form {
            Form::Plain => [&[PLAIN_VERSION][..], &self.to_plain()].concat(),
            Form::Compressed => [&[COMPRESSED_VERSION][..], &self.to_compressed()].concat(),
        }
    }

    /// The digest of the plain form.
    pub fn digest(&self) -> CiphertextDigest {
        CiphertextDigest(hash::digest(&self.to_plain()))
    }
}

/// The ciphertexts without duplicates, in their order. Anyone can send a ciphertext twice, and a sum would count it
/// twice.
pub fn without_duplicates(ciphertexts: impl IntoIterator<Item = Ciphertext>) -> Vec<Ciphertext> {
    let mut seen = HashSet::new();
    let mut distinct: Vec<_> = ciphertexts.into_iter().collect();
    distinct.retain(|ciphertext| seen.insert(ciphertext.digest()));
    distinct
}
