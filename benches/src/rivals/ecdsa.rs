//! BEEFY's checks: one ECDSA signature per validator, each checked.

use sha3::{Digest, Keccak256};
use sp_core::{ecdsa, Pair};

/// The signatures of a BEEFY finality proof.
pub struct Ecdsa {
    keys: Vec<ecdsa::Public>,
    signatures: Vec<ecdsa::Signature>,
}

impl Ecdsa {
    /// `n` signatures over the Keccak hash of `message`.
    pub fn new(n: u32, message: &[u8]) -> Self {
        let hash = Keccak256::digest(message).into();
        let pairs: Vec<_> = (0..n)
            .map(|index| {
                let mut seed = [0xec; 32];
                seed[..4].copy_from_slice(&index.to_le_bytes());
                ecdsa::Pair::from_seed(&seed)
            })
            .collect();
        Self {
            keys: pairs.iter().map(Pair::public).collect(),
            signatures: pairs
                .iter()
                .map(|pair| pair.sign_prehashed(&hash))
                .collect(),
        }
    }

    /// Recovers each signer and compares it with the key, as BEEFY's verification does.
    pub fn check(&self, message: &[u8]) -> bool {
        let hash = Keccak256::digest(message).into();
        self.signatures
            .iter()
            .zip(&self.keys)
            .all(|(signature, key)| ecdsa::Pair::verify_prehashed(signature, &hash, key))
    }
}
