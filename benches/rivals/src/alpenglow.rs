//! Votes and certificates with the crate of Alpenglow, `solana-bls-signatures`: keys in G1, signatures in G2.

use solana_bls_signatures::{
    hash::PreparedHashedMessage,
    keypair::Keypair,
    pubkey::{PubkeyProjective, VerifySignature},
    signature::{SignatureCompressed, SignatureProjective},
};

/// The votes of as many validators on one message.
pub struct AlpenglowVotes {
    keypairs: Vec<Keypair>,
    message: Vec<u8>,
    prepared: PreparedHashedMessage,
    signatures: Vec<SignatureCompressed>,
}

impl AlpenglowVotes {
    /// `n` signatures over `message`.
    pub fn new(n: u32, message: &[u8]) -> Self {
        let keypairs: Vec<_> = (0..n)
            .map(|index| {
                let mut seed = [0xa1; 32];
                seed[..4].copy_from_slice(&index.to_le_bytes());
                Keypair::derive(&seed).expect("long enough")
            })
            .collect();
        Self {
            signatures: keypairs
                .iter()
                .map(|keypair| keypair.sign(message).into())
                .collect(),
            prepared: PreparedHashedMessage::new(message),
            message: message.to_vec(),
            keypairs,
        }
    }

    /// One vote, the message hashed and prepared in advance.
    pub fn check_one(&self, at: usize) -> bool {
        let keypair = &self.keypairs[at % self.keypairs.len()];
        let signature = &self.signatures[at % self.signatures.len()];
        let checked = keypair
            .public
            .verify_signature_prepared(signature, &self.prepared);
        checked.is_ok()
    }

    /// All votes as one aggregate: no vote has a verdict of its own.
    pub fn check_together(&self) -> bool {
        SignatureProjective::verify_aggregate(
            self.keypairs.iter().map(|keypair| &keypair.public),
            self.signatures.iter(),
            &self.message,
        )
        .is_ok()
    }

    /// A certificate by the first `signers`: their aggregate signature, from its bytes.
    pub fn certificate(&self, signers: usize) -> SignatureCompressed {
        SignatureProjective::aggregate(self.signatures.iter().take(signers))
            .expect("there are some")
            .into()
    }

    /// Adds the signers' keys, which are read already, and checks the certificate.
    pub fn check_certificate(&self, signers: usize, certificate: &SignatureCompressed) -> bool {
        let keys = self.keypairs.iter().take(signers);
        PubkeyProjective::aggregate(keys.map(|keypair| &keypair.public))
            .and_then(|sum| sum.verify_signature(certificate, &self.message))
            .is_ok()
    }
}
