//! The parts of keys for a keyword: `(r, k)` with `k = (h − r·P2)/(α − ω)`.
//!
//! For a ciphertext under the keyword, `e(c1, k)·c2^r = Z_i^s`: the part recovers a value that the sender computed from
//! `s`.

use crate::{
    encoding::{concat, g2_from_bytes, g2_to_bytes, Reader},
    error::BadHomKey,
    generator,
    gt::{Gt, Powers},
    pairing::{exponent_factor, pairing_times_power},
    public_key::PublicKey,
    scalar::{self, Digits},
    suite::KEY_PART_LEN,
};
use ark_bls12_381::{Fr, G1Affine, G2Affine};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

#[derive(Zeroize, ZeroizeOnDrop)]
pub(crate) struct KeyPart {
    pub(crate) r: Fr,
    pub(crate) k: G2Affine,
}

impl KeyPart {
    pub(crate) fn to_bytes(&self) -> [u8; KEY_PART_LEN] {
        concat(&[&scalar::to_bytes(&self.r), &g2_to_bytes(&self.k)])
    }

    /// Decodes the part with this index, from 1 to 4.
    pub(crate) fn read(reader: &mut Reader<'_>, index: usize) -> Result<Self, BadHomKey> {
        let r = scalar::from_bytes(reader.take()?).ok_or(BadHomKey::ScalarNotReduced { index })?;
        let k =
            g2_from_bytes(reader.take()?).map_err(|error| BadHomKey::BadPoint { index, error })?;
        Ok(Self { r, k })
    }

    /// Checks that this is the part with this index of a key for the keyword of `direction`: `e(A − ω·P1, k)·Z^r =
    /// Z_i`.
    pub(crate) fn check(
        &self,
        index: usize,
        public: &PublicKey,
        direction: &G1Affine,
    ) -> Result<(), BadHomKey> {
        let power = generator::table().pow(&Digits::of(&self.r));
        let z = index.checked_sub(1).and_then(|index| public.z().get(index));
        if z == Some(&Gt::pairing(direction, &self.k).mul(&power)) {
            Ok(())
        } else {
            Err(BadHomKey::WrongPart { index })
        }
    }

    /// `e(c1, k)·c2^r`.
    pub(crate) fn apply(&self, c1: &G1Affine, c2: &Gt) -> Gt {
        let exponent = Zeroizing::new(self.r * exponent_factor());
        let powers = Powers::new(c2, &exponent);
        pairing_times_power(c1, &self.k, &powers)
    }
}
