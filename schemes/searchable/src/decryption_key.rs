//! The key that decrypts under one keyword, for a delegate of the receiver.

use crate::{
    ciphertext::Ciphertext,
    decrypt::{decrypt_all, verdict, Reason, Rejected},
    encoding::{concat, Reader},
    error::BadHomKey,
    hash,
    key_part::KeyPart,
    keyword::Keyword,
    message::Message,
    progress::Progress,
    public_key::PublicKey,
    suite::DECRYPTION_KEY_LEN,
};
use ark_ec::CurveGroup;
use core::fmt;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// Decrypts ciphertexts under one keyword. Never give it to a server that evaluates sums: its part 2 is what detects
/// combined keywords.
///
/// Wiped on drop, printed as redacted.
pub struct DecryptionKey {
    public: PublicKey,
    parts: [KeyPart; 4],
}

impl fmt::Debug for DecryptionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DecryptionKey")
            .field("public", &self.public)
            .finish_non_exhaustive()
    }
}

impl DecryptionKey {
    pub(crate) fn new(public: &PublicKey, parts: [KeyPart; 4]) -> Self {
        Self {
            public: public.clone(),
            parts,
        }
    }

    /// Decodes the 512 bytes of a key, and checks it against the receiver's public key and the keyword.
    ///
    /// Cost: four pairings.
    ///
    /// # Errors
    /// The first check that fails.
    pub fn from_bytes(
        public: &PublicKey,
        keyword: &Keyword,
        bytes: &[u8],
    ) -> Result<Self, BadHomKey> {
        let mut reader = Reader::exactly(DECRYPTION_KEY_LEN, bytes)?;
        let mut read = |index| KeyPart::read(&mut reader, index);
        let parts = [read(1)?, read(2)?, read(3)?, read(4)?];
        let direction = public.direction(keyword)?;
        for (index, part) in (1..).zip(&parts) {
            part.check(index, public, &direction)?;
        }
        Ok(Self::new(public, parts))
    }

    /// The 512 bytes of the key, wiped on drop.
    pub fn expose(&self) -> Zeroizing<[u8; DECRYPTION_KEY_LEN]> {
        let parts = self
            .parts
            .each_ref()
            .map(|part| Zeroizing::new(part.to_bytes()));
        let [first, second, third, fourth] = &parts;
        Zeroizing::new(concat(&[&**first, &**second, &**third, &**fourth]))
    }

    /// Dec, group form: decrypts a ciphertext under this key's keyword.
    ///
    /// Cost: three pairings. Not constant-time: the running time depends on the key.
    ///
    /// # Errors
    /// [`Rejected`], which does not say why.
    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Result<Message, Rejected> {
        let components = &ciphertext.components;
        let delta = components.delta(&self.public);
        let [part1, part2, part3, part4] = &self.parts;
        let joint = KeyPart {
            r: part3.r + part4.r * delta,
            k: (part4.k * delta + part3.k).into_affine(),
        };
        let apply = |part: &KeyPart| part.apply(&components.c1, &components.c2);
        let (c5, c4) = (apply(&joint), apply(part2));
        let mask = Zeroizing::new(apply(part1));
        let tau = hash::tau(self.public.fingerprint_bytes(), &c5.to_bytes());
        verdict(&[
            (bool::from(tau.ct_eq(&ciphertext.tau)), Reason::TagMismatch),
            (c4 == components.c4, Reason::MixedKeywords),
        ])?;
        Ok(Message(components.c3.mul(&mask)))
    }

    /// [`decrypt`](Self::decrypt) for many, on all cores. The results are in the same order. Reports `progress` for
    /// each.
    pub fn decrypt_all(
        &self,
        ciphertexts: &[Ciphertext],
        progress: &impl Progress,
    ) -> Vec<Result<Message, Rejected>> {
        let ciphertexts: Vec<_> = ciphertexts.iter().collect();
        decrypt_all(&ciphertexts, progress, |ciphertext| {
            self.decrypt(ciphertext)
        })
    }
}
