//! The receiver's secret key, which derives all other keys and decrypts.

use crate::{
    ciphertext::Ciphertext,
    constant_time,
    decrypt::{decrypt_all, verdict, Reason, Rejected},
    decryption_key::DecryptionKey,
    error::{KeywordCollidesWithKey, UnusableSeed},
    generator,
    gt::Gt,
    gt_table::SecretPowers,
    hash::{self, Derivation},
    homomorphic_key::{HomomorphicKey, Trapdoor},
    key_part::KeyPart,
    keyword::Keyword,
    message::Message,
    progress::Progress,
    public_key::PublicKey,
    scalar::Digits,
    suite::SEED_LEN,
};
use ark_bls12_381::Fr;
use ark_ec::CurveGroup;
use ark_ff::Zero;
use core::fmt;
use rand_core::{CryptoRng, RngCore};
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// The receiver's secret key, derived from 32 bytes. Wiped on drop, printed as redacted.
///
/// Derive at most 2²⁰ homomorphic keys from one seed, and then use a new one: the assumption behind the scheme becomes
/// weaker with their number.
pub struct MasterKey {
    secrets: Secrets,
    public: PublicKey,
}

#[derive(Zeroize, ZeroizeOnDrop)]
struct Secrets {
    seed: [u8; SEED_LEN],
    alpha: Fr,
    y: [Fr; 4],
    prf: [u8; 64],
}

impl fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MasterKey(redacted, of {:?})", self.public)
    }
}

impl MasterKey {
    /// KeyGen with a fresh seed.
    ///
    /// # Errors
    /// As [`from_seed`](Self::from_seed).
    pub fn generate(rng: &mut (impl RngCore + CryptoRng)) -> Result<Self, UnusableSeed> {
        let mut seed = Zeroizing::new([0; SEED_LEN]);
        rng.fill_bytes(&mut *seed);
        Self::from_seed(&seed)
    }

    /// KeyGen: the key of a seed, deterministically.
    ///
    /// # Errors
    /// [`UnusableSeed`], which has negligible probability.
    pub fn from_seed(seed: &[u8; SEED_LEN]) -> Result<Self, UnusableSeed> {
        let derivation = Derivation::new(seed);
        let y = |index: u8| *derivation.scalar(&[b"y", &[index]]);
        let secrets = Secrets {
            seed: *seed,
            alpha: *derivation.scalar(&[b"alpha"]),
            y: [y(1), y(2), y(3), y(4)],
            prf: *derivation.wide(&[b"prf"]),
        };
        let a = constant_time::mul_g1(&generator::g1(), &secrets.alpha);
        let h = secrets
            .y
            .each_ref()
            .map(|y| constant_time::mul_g2(&generator::g2(), y));
        let public = PublicKey::check(a, h).map_err(|_| UnusableSeed)?;
        Ok(Self { secrets, public })
    }

    /// The seed, wiped on drop. It is all that must be stored.
    pub fn expose(&self) -> Zeroizing<[u8; SEED_LEN]> {
        Zeroizing::new(self.secrets.seed)
    }

    /// The public key, which data holders encrypt to.
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// HomKeyGen: the key with which a server finds and adds the ciphertexts of a keyword. Deterministic.
    ///
    /// # Errors
    /// [`KeywordCollidesWithKey`], which has negligible probability, but must not be ignored.
    pub fn homomorphic_key(
        &self,
        keyword: &Keyword,
    ) -> Result<HomomorphicKey, KeywordCollidesWithKey> {
        let parts = self.parts(keyword, [3, 4])?;
        let point = generator::g1_table().mul(keyword.omega()).into_affine();
        let direction = self.public.direction_from(&point)?;
        Ok(HomomorphicKey::new(&self.public, point, direction, parts))
    }

    /// Trapdoor: an alias of [`homomorphic_key`](Self::homomorphic_key).
    ///
    /// # Errors
    /// As [`homomorphic_key`](Self::homomorphic_key).
    pub fn trapdoor(&self, keyword: &Keyword) -> Result<Trapdoor, KeywordCollidesWithKey> {
        self.homomorphic_key(keyword)
    }

    /// The key with which a delegate decrypts under one keyword.
    ///
    /// # Errors
    /// As [`homomorphic_key`](Self::homomorphic_key).
    pub fn decryption_key(
        &self,
        keyword: &Keyword,
    ) -> Result<DecryptionKey, KeywordCollidesWithKey> {
        let parts = self.parts(keyword, [1, 2, 3, 4])?;
        Ok(DecryptionKey::new(&self.public, parts))
    }

    /// `1/(α − ω)`.
    fn distance_inverse(&self, keyword: &Keyword) -> Result<Zeroizing<Fr>, KeywordCollidesWithKey> {
        let distance = Zeroizing::new(self.secrets.alpha - keyword.omega());
        if distance.is_zero() {
            return Err(KeywordCollidesWithKey);
        }
        Ok(constant_time::inverse(&distance))
    }

    /// The parts with these indices. `h_i − r·P2 = (y_i − r)·P2`, so each takes one multiplication.
    fn parts<const N: usize>(
        &self,
        keyword: &Keyword,
        numbers: [u8; N],
    ) -> Result<[KeyPart; N], KeywordCollidesWithKey> {
        let inverse = self.distance_inverse(keyword)?;
        Ok(numbers.map(|number| {
            let r = hash::prf(&self.secrets.prf, number, keyword.omega());
            let y = self.y(number);
            let log = Zeroizing::new((*y - *r) * *inverse);
            KeyPart {
                r: *r,
                k: constant_time::mul_g2(&generator::g2(), &log),
            }
        }))
    }

    fn y(&self, number: u8) -> &Fr {
        let [y1, y2, y3, y4] = &self.secrets.y;
        match number {
            1 => y1,
            2 => y2,
            3 => y3,
            _ => y4,
        }
    }

    /// Dec, scalar form: decrypts a ciphertext under a keyword.
    ///
    /// Cost: one pairing, three exponentiations in the target group, one multiplication in G1.
    ///
    /// # Errors
    /// [`Rejected`], which does not say why.
    pub fn decrypt(&self, keyword: &Keyword, ciphertext: &Ciphertext) -> Result<Message, Rejected> {
        let reject = |_| Rejected(Reason::KeywordMismatch);
        let inverse = self.distance_inverse(keyword).map_err(reject)?;
        let components = &ciphertext.components;
        let [y1, y2, y3, y4] = &self.secrets.y;
        let delta = components.delta(&self.public);
        // e(c1, P2)^(1/(α−ω)); the exponent is applied in G1, where it is cheapest.
        let scaled = Zeroizing::new(constant_time::mul_g1(&components.c1, &inverse));
        let c2 = Gt::pairing(&scaled, &generator::g2());
        let powers = SecretPowers::new(&components.c2);
        let c4 = powers.pow(&Digits::of(y2));
        let c5 = powers.pow(&Digits::of(&Zeroizing::new(*y3 + delta * y4)));
        let mask = Zeroizing::new(powers.pow(&Digits::of(y1)));
        let tau = hash::tau(self.public.fingerprint_bytes(), &c5.to_bytes());
        verdict(&[
            (c2 == components.c2, Reason::KeywordMismatch),
            (c4 == components.c4, Reason::MixedKeywords),
            (bool::from(tau.ct_eq(&ciphertext.tau)), Reason::TagMismatch),
        ])?;
        Ok(Message(components.c3.mul(&mask)))
    }

    /// [`decrypt`](Self::decrypt) for many, on all cores. The results are in the same order.
    pub fn decrypt_all(
        &self,
        keyword: &Keyword,
        ciphertexts: &[Ciphertext],
        progress: &impl Progress,
    ) -> Vec<Result<Message, Rejected>> {
        let ciphertexts: Vec<_> = ciphertexts.iter().collect();
        decrypt_all(&ciphertexts, progress, |ciphertext| {
            self.decrypt(keyword, ciphertext)
        })
    }
}
