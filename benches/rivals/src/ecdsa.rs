//! A vote of BEEFY: an ECDSA signature, from its bytes.

use secp256k1::{
    ecdsa::{RecoverableSignature, RecoveryId, Signature},
    All, Message, PublicKey, Secp256k1, SecretKey,
};
use sha3::{Digest, Keccak256};

/// The votes of as many validators on one message.
pub struct EcdsaVotes {
    context: Secp256k1<All>,
    message: Vec<u8>,
    keys: Vec<PublicKey>,
    encoded_keys: Vec<[u8; 33]>,
    signatures: Vec<[u8; 65]>,
}

impl EcdsaVotes {
    /// `n` signatures over the Keccak hash of `message`.
    pub fn new(n: u32, message: &[u8]) -> Self {
        let context = Secp256k1::new();
        let hash = Message::from_digest(Keccak256::digest(message).into());
        let secrets = (0..n).map(|index| {
            let mut seed = [0xec; 32];
            seed[..4].copy_from_slice(&index.to_le_bytes());
            SecretKey::from_slice(&seed).expect("below the order")
        });
        let (mut keys, mut signatures) = (Vec::new(), Vec::new());
        for secret in secrets {
            keys.push(secret.public_key(&context));
            let signed = context.sign_ecdsa_recoverable(&hash, &secret);
            let (id, compact) = signed.serialize_compact();
            let mut bytes = [0; 65];
            bytes[..64].copy_from_slice(&compact);
            bytes[64] = u8::try_from(id.to_i32()).expect("0 to 3");
            signatures.push(bytes);
        }
        Self {
            encoded_keys: keys.iter().map(PublicKey::serialize).collect(),
            context,
            message: message.to_vec(),
            keys,
            signatures,
        }
    }

    /// Once for a round, as ours; BEEFY hashes for each vote.
    fn hash(&self) -> Message {
        Message::from_digest(Keccak256::digest(&self.message).into())
    }

    /// As BEEFY does it: recovers the key from each signature and compares the encodings.
    pub fn recover(&self) -> bool {
        let hash = self.hash();
        self.signatures
            .iter()
            .zip(&self.encoded_keys)
            .all(|(bytes, key)| {
                let id = RecoveryId::from_i32(bytes[64].into());
                let read = id.and_then(|id| RecoverableSignature::from_compact(&bytes[..64], id));
                let found = read.and_then(|read| self.context.recover_ecdsa(&hash, &read));
                found.is_ok_and(|found| found.serialize() == *key)
            })
    }

    /// With decoded keys, which needs no recovery: a possible faster BEEFY.
    pub fn verify(&self) -> bool {
        let hash = self.hash();
        self.signatures.iter().zip(&self.keys).all(|(bytes, key)| {
            Signature::from_compact(&bytes[..64])
                .and_then(|read| self.context.verify_ecdsa(&hash, &read, key))
                .is_ok()
        })
    }
}
