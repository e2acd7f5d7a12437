//! Inputs from fixed seeds: every run measures the same bytes.

use codec::Encode;
use duet_primitives::{
    ownership_statement, suite,
    testing::{secret, TestSet},
    DualKeyBytes, PossessionProof, RoundMessage, SecretKey, SignerIndex, StatelessProof, H256,
};

/// The chain that everything here is on.
pub const GENESIS: H256 = H256::repeat_byte(0x6e);

/// A set, a message that it signs, and what travels about it.
#[derive(Debug)]
pub struct Round {
    /// The set with its secrets.
    pub set: TestSet,
    /// The message, hashed to the curve.
    pub message: RoundMessage,
}

impl Round {
    /// The round of a set of `n`.
    pub fn new(n: u64) -> Self {
        let set = TestSet::new(7, 0..n);
        let message = RoundMessage::new(GENESIS, set.commitment(1_000_000, &set.set));
        Self { set, message }
    }

    /// The bytes that every signer's signature is over, ciphersuite included.
    pub fn signed_bytes(&self) -> Vec<u8> {
        let commitment = self.message.commitment().signed_bytes(GENESIS);
        [suite::SIGNATURE_SUITE, &commitment].concat()
    }

    /// The secret of the first member.
    pub fn first_secret(&self) -> &SecretKey {
        self.set.secrets.first().expect("a set is not empty")
    }

    /// The first member's vote as it travels.
    pub fn vote(&self) -> Vec<u8> {
        self.set
            .vote(0, &self.message)
            .expect("a member's vote holds")
            .into_unchecked()
            .encode()
    }

    /// A justification as it travels, by all but the last members.
    pub fn justification(&self, signers: u32) -> Vec<u8> {
        self.set
            .justify(&self.message, spread(self.set.set.keyset().len(), signers))
            .into_unchecked()
            .encode()
    }

    /// A stateless proof as it travels.
    pub fn stateless(&self, signers: u32) -> Vec<u8> {
        let keyset = self.set.set.keyset();
        let justification = self
            .set
            .justify(&self.message, spread(keyset.len(), signers));
        StatelessProof::new(&justification, keyset)
            .expect("of this set")
            .encode()
    }
}

/// `signers` of `n`, spread evenly, so that absentees have no neighbours to share hashes with.
pub fn spread(n: u32, signers: u32) -> Vec<SignerIndex> {
    let before = |index: u32| u64::from(index) * u64::from(signers) / u64::from(n);
    (0..n)
        .filter(|index| before(index + 1) > before(*index))
        .collect()
}

/// How many of `n` sign when `percent` of them do, rounded up and never below what a proof takes.
pub fn share(n: u32, percent: u32) -> u32 {
    (n * percent)
        .div_ceil(100)
        .max(duet_primitives::threshold(n))
}

/// A key with its proof of possession.
#[derive(Debug)]
pub struct Registration {
    /// The key.
    pub key: DualKeyBytes,
    /// Whom the proof names.
    pub owner: Vec<u8>,
    /// The proof.
    pub proof: PossessionProof,
}

/// The registration of the keyring's first key.
pub fn registration() -> Registration {
    let owner = ownership_statement(GENESIS, &[1_u8; 32]);
    let secret = secret(0);
    Registration {
        key: secret.public(),
        proof: secret.prove_possession(&owner),
        owner,
    }
}
