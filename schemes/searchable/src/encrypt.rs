//! Encryption under a keyword, for data holders.

use crate::{
    ciphertext::{Ciphertext, Components},
    constant_time,
    error::KeywordHitsKey,
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

/// A receiver's public key and a keyword: whoever has both encrypts.
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
    /// Encrypts for this receiver under this keyword. Keep it for many encryptions.
    ///
    /// # Errors
    /// [`KeywordHitsKey`], which never happens and must not go unnoticed.
    pub fn new(public: &PublicKey, keyword: &Keyword) -> Result<Self, KeywordHitsKey> {
        Ok(Self {
            direction: public.direction(keyword)?,
            public: public.clone(),
        })
    }

    /// Encrypts a number, of either sign.
    ///
    /// Cost: one multiplication in G1 and six powers from tables in the target group, no pairing.
    ///
    /// # Security
    /// Which number and which randomness does not show in addresses or branches of this code; the arithmetic of
    /// single field elements is arkworks', of which that cannot be said. Numbers are found again by search, so keep
    /// them small: see [`DiscreteLog`](crate::DiscreteLog).
    pub fn encrypt(&self, number: i64, rng: &mut (impl RngCore + CryptoRng)) -> Ciphertext {
        self.encrypt_message(&Message::number(number), rng)
    }

    /// Encrypts any element of the target group.
    pub fn encrypt_message(
        &self,
        message: &Message,
        rng: &mut (impl RngCore + CryptoRng),
    ) -> Ciphertext {
        self.encrypt_with(message, &scalar::random_nonzero(rng))
    }

    /// [`encrypt`](Self::encrypt) of many, on all cores: the same ciphertexts as one after the other with the same
    /// randomness. `progress` is told of each.
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

/// `(s·D, Z^s, Z₁^−s, Z₂^s)`: what encrypts one, and what makes any other ciphertext a fresh one.
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
