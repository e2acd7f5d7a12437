//! Encryption under a keyword, for data holders.

use crate::{
    ciphertext::{Ciphertext, Components},
    constant_time,
    error::KeywordCollidesWithKey,
    generator,
    gt_table::Product,
    keyword::Keyword,
    message::Message,
    progress::Progress,
    public_key::PublicKey,
    scalar::{self, Digits},
};
use ark_bls12_381::{Fr, G1Affine};
use core::fmt;
use rand_core::{CryptoRng, RngCore};
use rayon::prelude::*;
use zeroize::Zeroizing;

/// Encrypts for one receiver under one keyword. It contains no secrets.
pub struct Encryptor {
    public: PublicKey,
    direction: G1Affine,
}

impl fmt::Debug for Encryptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encryptor")
            .field("public", &self.public)
            .finish_non_exhaustive()
    }
}

impl Encryptor {
    /// Prepares encryption for this receiver under this keyword. Reuse it for many encryptions.
    ///
    /// # Errors
    /// [`KeywordCollidesWithKey`], which has negligible probability, but must not be ignored.
    pub fn new(public: &PublicKey, keyword: &Keyword) -> Result<Self, KeywordCollidesWithKey> {
        Ok(Self {
            direction: public.direction(keyword)?,
            public: public.clone(),
        })
    }

    /// Encrypts a signed number.
    ///
    /// Cost: one multiplication in G1 and six fixed-base exponentiations in the target group, no pairing.
    ///
    /// # Security
    /// Addresses and branches of this code do not depend on the number or the randomness. Arithmetic of single field
    /// elements is by arkworks, which does not guarantee this. Decryption needs a search for the number, so keep
    /// numbers small: see [`DiscreteLog`](crate::DiscreteLog).
    pub fn encrypt(&self, number: i64, rng: &mut (impl RngCore + CryptoRng)) -> Ciphertext {
        self.encrypt_message(&Message::number(number), rng)
    }

    /// Encrypts an element of the target group.
    pub fn encrypt_message(
        &self,
        message: &Message,
        rng: &mut (impl RngCore + CryptoRng),
    ) -> Ciphertext {
        self.encrypt_with(message, &scalar::random_nonzero(rng))
    }

    /// [`encrypt`](Self::encrypt) for many, on all cores. The result is the same as encrypting in sequence with the
    /// same randomness. Reports `progress` for each.
    pub fn encrypt_all(
        &self,
        numbers: &[i64],
        rng: &mut (impl RngCore + CryptoRng),
        progress: &impl Progress,
    ) -> Vec<Ciphertext> {
        let drawn: Vec<_> = numbers
            .iter()
            .map(|number| (*number, scalar::random_nonzero(rng)))
            .collect();
        drawn
            .par_iter()
            .map(|(number, s)| {
                let ciphertext = self.encrypt_with(&Message::number(*number), s);
                progress.advance(1);
                ciphertext
            })
            .collect()
    }

    fn encrypt_with(&self, message: &Message, s: &Fr) -> Ciphertext {
        let digits = Digits::of(s);
        let mut components = encryption_of_one(&self.public, &self.direction, s, &digits);
        components.c3 = components.c3.mul(&message.0);
        let delta = components.delta(&self.public);
        let [_, _, z3, z4] = self.public.z_tables();
        let mut c5 = Product::new();
        c5.multiply(z3, &digits);
        c5.multiply(z4, &Digits::of(&Zeroizing::new(*s * delta)));
        components.seal(&self.public, &c5.finish())
    }
}

/// `(s·D, Z^s, Z₁^−s, Z₂^s)`: an encryption of one, which also re-randomises any other ciphertext.
pub(crate) fn encryption_of_one(
    public: &PublicKey,
    direction: &G1Affine,
    s: &Fr,
    digits: &Digits,
) -> Components {
    let [z1, z2, _, _] = public.z_tables();
    Components {
        c1: constant_time::mul_g1(direction, s),
        c2: generator::table().pow(digits),
        c3: z1.pow(digits).inverse(),
        c4: z2.pow(digits),
    }
}
