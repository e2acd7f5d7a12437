//! The homomorphic key of a keyword, which is also its trapdoor.

use crate::{
    ciphertext::{Ciphertext, Components},
    encoding::{concat, g1_from_bytes, g1_to_bytes, Reader},
    error::{BadHomKey, Unmatched},
    fixed_base::PointTable,
    generator,
    gt::{Gt, Powers},
    hash,
    key_part::KeyPart,
    keyword::Keyword,
    pairing::{exponent_factor, pairing_times_power},
    progress::Progress,
    public_key::PublicKey,
    suite::{G1_LEN, HOMOMORPHIC_KEY_LEN},
};
use ark_bls12_381::{Fr, G1Affine, G2Affine, G2Projective};
use ark_ec::CurveGroup;
use core::fmt;
use rayon::prelude::*;
use std::sync::OnceLock;
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, Zeroizing};

/// Ciphertexts that share one simultaneous inversion.
pub(crate) const BATCH: usize = 16;

/// The server's key for a keyword: [`test`](Self::test) finds the ciphertexts of the keyword, and
/// [`evaluate`](Self::evaluate) adds them. It cannot decrypt.
///
/// Searching and adding use the same key; [`Trapdoor`] is an alias. Wiped on drop, printed as redacted.
pub struct HomomorphicKey {
    pub(crate) public: PublicKey,
    keyword_point: G1Affine,
    pub(crate) direction: G1Affine,
    part3: KeyPart,
    part4: KeyPart,
    /// Computed on first use, because a key that is only passed on does not need it.
    prepared: OnceLock<Prepared>,
    pub(crate) id: HomomorphicKeyId,
}

/// A trapdoor is the homomorphic key of its keyword.
pub type Trapdoor = HomomorphicKey;

/// Identifies the key that a ciphertext was tested with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HomomorphicKeyId([u8; 32]);

/// Values that are computed once from the parts.
struct Prepared {
    /// Multiples of `k4`, one of which is needed per ciphertext.
    k4: PointTable<G2Projective>,
    /// `r3` and `r4`, scaled for the joint loop of pairing and power.
    r3: Fr,
    r4: Fr,
}

impl Drop for Prepared {
    fn drop(&mut self) {
        self.r3.zeroize();
        self.r4.zeroize();
    }
}

impl fmt::Debug for HomomorphicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HomomorphicKey")
            .field("public", &self.public)
            .finish_non_exhaustive()
    }
}

/// A ciphertext that passed the test with a homomorphic key, so it is for the key's keyword.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tested {
    pub(crate) ciphertext: Ciphertext,
    pub(crate) key: HomomorphicKeyId,
}

impl Tested {
    /// The ciphertext.
    pub fn ciphertext(&self) -> &Ciphertext {
        &self.ciphertext
    }

    /// The ciphertext, no longer marked as tested.
    pub fn into_ciphertext(self) -> Ciphertext {
        self.ciphertext
    }
}

impl HomomorphicKey {
    pub(crate) fn new(
        public: &PublicKey,
        keyword_point: G1Affine,
        direction: G1Affine,
        [part3, part4]: [KeyPart; 2],
    ) -> Self {
        let bytes = Zeroizing::new(encode(&keyword_point, &part3, &part4));
        let id = hash::homomorphic_key(public.fingerprint_bytes(), &*bytes);
        Self {
            public: public.clone(),
            keyword_point,
            direction,
            part3,
            part4,
            prepared: OnceLock::new(),
            id: HomomorphicKeyId(id),
        }
    }

    /// Decodes the 304 bytes of a key, and checks it against the receiver's public key and the keyword.
    ///
    /// Cost: two pairings, and a table of 156 KiB on first use.
    ///
    /// # Errors
    /// The first check that fails. Without these checks a wrong key would silently find nothing.
    pub fn from_bytes(
        public: &PublicKey,
        keyword: &Keyword,
        bytes: &[u8],
    ) -> Result<Self, BadHomKey> {
        let mut reader = Reader::exactly(HOMOMORPHIC_KEY_LEN, bytes)?;
        let point = g1_from_bytes(reader.take::<G1_LEN>()?).map_err(BadHomKey::BadKeywordPoint)?;
        if generator::g1_table().mul(keyword.omega()) != point {
            return Err(BadHomKey::WrongKeyword);
        }
        let direction = public.direction_from(&point)?;
        let part3 = KeyPart::read(&mut reader, 3)?;
        let part4 = KeyPart::read(&mut reader, 4)?;
        part3.check(3, public, &direction)?;
        part4.check(4, public, &direction)?;
        Ok(Self::new(public, point, direction, [part3, part4]))
    }

    /// The 304 bytes of the key, wiped on drop.
    pub fn expose(&self) -> Zeroizing<[u8; HOMOMORPHIC_KEY_LEN]> {
        Zeroizing::new(encode(&self.keyword_point, &self.part3, &self.part4))
    }

    fn prepared(&self) -> &Prepared {
        self.prepared.get_or_init(|| {
            let factor = exponent_factor();
            Prepared {
                k4: PointTable::new(self.part4.k),
                r3: self.part3.r * factor,
                r4: self.part4.r * factor,
            }
        })
    }

    /// The receiver that this key belongs to.
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// Test: checks that a ciphertext is for this key's keyword and receiver, and unmodified.
    ///
    /// Cost: one pairing, fifty multiplications in the target group, and a multiplication in G2 from a table.
    ///
    /// # Errors
    /// [`Unmatched`] if it is not.
    pub fn test(&self, ciphertext: &Ciphertext) -> Result<Tested, Unmatched> {
        let c5 = self.c5(&ciphertext.components);
        self.verdict(ciphertext, &c5)
    }

    /// [`test`](Self::test) for many, on all cores. The results are in the same order.
    pub fn test_all(
        &self,
        ciphertexts: &[Ciphertext],
        progress: &impl Progress,
    ) -> Vec<Result<Tested, Unmatched>> {
        ciphertexts
            .par_chunks(BATCH)
            .flat_map_iter(|batch| {
                let c5s = self.c5_batch(batch.iter().map(|ciphertext| &ciphertext.components));
                progress.advance(batch.len() as u64);
                batch
                    .iter()
                    .zip(c5s)
                    .map(|(ciphertext, c5)| self.verdict(ciphertext, &c5))
            })
            .collect()
    }

    /// Whether the tags are equal, compared in constant time.
    pub(crate) fn tag_agrees(&self, ciphertext: &Ciphertext, c5: &Gt) -> bool {
        let expected = hash::tau(self.public.fingerprint_bytes(), &c5.to_bytes());
        bool::from(expected.ct_eq(&ciphertext.tau))
    }

    fn verdict(&self, ciphertext: &Ciphertext, c5: &Gt) -> Result<Tested, Unmatched> {
        if self.tag_agrees(ciphertext, c5) {
            Ok(Tested {
                ciphertext: ciphertext.clone(),
                key: self.id,
            })
        } else {
            Err(Unmatched)
        }
    }

    /// `c5`, computed with this key.
    pub(crate) fn c5(&self, components: &Components) -> Gt {
        let delta = components.delta(&self.public);
        let point = (self.prepared().k4.mul(&delta) + self.part3.k).into_affine();
        self.joint(components, &delta, &point)
    }

    /// [`c5`](Self::c5) for several, with one simultaneous inversion for all points.
    pub(crate) fn c5_batch<'a>(
        &self,
        batch: impl Iterator<Item = &'a Components> + Clone,
    ) -> Vec<Gt> {
        let deltas: Vec<_> = batch
            .clone()
            .map(|components| components.delta(&self.public))
            .collect();
        let points: Vec<_> = deltas
            .iter()
            .map(|delta| self.prepared().k4.mul(delta) + self.part3.k)
            .collect();
        let points = G2Projective::normalize_batch(&points);
        batch
            .zip(deltas.iter().zip(&points))
            .map(|(components, (delta, point))| self.joint(components, delta, point))
            .collect()
    }

    /// `e(c1, k3 + δ·k4) · c2^(r3 + δ·r4)`.
    fn joint(&self, components: &Components, delta: &Fr, point: &G2Affine) -> Gt {
        let prepared = self.prepared();
        let exponent = Zeroizing::new(prepared.r3 + prepared.r4 * delta);
        let powers = Powers::new(&components.c2, &exponent);
        pairing_times_power(&components.c1, point, &powers)
    }
}

fn encode(point: &G1Affine, part3: &KeyPart, part4: &KeyPart) -> [u8; HOMOMORPHIC_KEY_LEN] {
    let parts = [part3, part4].map(|part| Zeroizing::new(part.to_bytes()));
    concat(&[&g1_to_bytes(point), &*parts[0], &*parts[1]])
}
