//! Deterministic keys and sets for tests and benches. Not for chains: everybody knows these secrets.
//!
//! Ids, positions and block numbers are plain integers here, because tests write them as literals.

use crate::{
    dleq,
    error::VoteError,
    numbers::{BlockNumber, SetId, SignerIndex},
    suite::{G1_LEN, SCALAR_LEN},
    transcript, Commitment, DualKeyset, Justification, Pk1Bytes, Pk2Bytes, PossessedKey,
    RoundMessage, SecretKey, SignatureBytes, UncheckedVote, Vote, VoteSignature, H256,
};
use alloc::vec::Vec;
use duet_curve::{Native, Purpose, Scalars, Weight};

/// Secret number `index` of the test keyring.
pub fn secret(index: u64) -> SecretKey {
    let mut seed = [0xd0; 32];
    seed[..8].copy_from_slice(&index.to_le_bytes());
    SecretKey::from_seed(&seed).expect("no seed of the keyring hashes to zero")
}

/// A set together with its members' secrets.
#[derive(Clone, Debug)]
pub struct TestSet {
    /// The set.
    pub set: DualKeyset,
    /// The secrets, in set order.
    pub secrets: Vec<SecretKey>,
}

impl TestSet {
    /// The set with this id of the keyring's secrets with these numbers.
    pub fn new(id: u64, members: impl IntoIterator<Item = u64>) -> Self {
        let mut secrets: Vec<_> = members.into_iter().map(secret).collect();
        secrets.sort_by_cached_key(|secret| secret.public().pk1());
        // The secrets are at hand, so that the keys need no proof.
        let keys = secrets
            .iter()
            .map(|secret| PossessedKey::from_chain_state_unchecked(&secret.public()))
            .collect::<Result<Vec<_>, _>>()
            .expect("a secret's key is a key");
        Self {
            set: DualKeyset::new(SetId::new(id), keys).expect("the keyring has no key twice"),
            secrets,
        }
    }

    /// The set of the same members with another id. Cost: one hash for each member.
    pub fn renamed(&self, id: u64) -> Self {
        let keys = self.set.keys().to_vec();
        Self {
            set: DualKeyset::new(SetId::new(id), keys).expect("no key is twice"),
            secrets: self.secrets.clone(),
        }
    }

    /// A commitment of this set to a block, with `next` in it.
    pub fn commitment(&self, block_number: u32, next: &DualKeyset) -> Commitment {
        Commitment {
            block_number: BlockNumber::new(block_number),
            block_hash: ending_in((u64::from(block_number) + 1).to_be_bytes()),
            mmr_root: ending_in((u64::from(block_number) + 1).to_le_bytes()),
            validator_set_id: self.set.commitment().id,
            next: next.commitment().clone(),
        }
    }

    /// The vote of the member at `signer`, checked.
    ///
    /// # Errors
    /// [`VoteError`] when the message is about another set.
    pub fn vote(&self, signer: u32, message: &RoundMessage) -> Result<Vote, VoteError> {
        let signer = SignerIndex::new(signer);
        let secret = &self.secrets[signer.to_usize()];
        UncheckedVote::sign(secret, signer, message).check(self.set.keyset(), message)
    }

    /// A justification by the given signers.
    ///
    /// # Panics
    /// When they are below the threshold or not members.
    pub fn justify(
        &self,
        message: &RoundMessage,
        signers: impl IntoIterator<Item = u32>,
    ) -> Justification {
        let votes: Vec<_> = signers
            .into_iter()
            .map(|signer| self.vote(signer, message).expect("a member's vote holds"))
            .collect();
        self.set
            .aggregate(message, &votes)
            .expect("enough members signed")
    }
}

/// A hash of zeros that ends in these bytes.
fn ending_in(bytes: [u8; 8]) -> H256 {
    let mut hash = [0; 32];
    hash[24..].copy_from_slice(&bytes);
    H256(hash)
}

/// The hash to G1 of `suite ‖ message`, for known answers. (MSG-1)
pub fn message_point(suite: &[u8], message: &[u8]) -> [u8; G1_LEN] {
    *dleq::hash_message::<Native>(suite, message, Purpose::Once).bytes()
}

/// The hash of `parts` to a scalar, 32 little-endian bytes, for known answers. (DLEQ-1, POP-3)
pub fn hash_to_scalar(parts: &[&[u8]]) -> [u8; SCALAR_LEN] {
    Native::scalar_to_bytes(&transcript::hash_to_scalar::<Native>(parts))
}

/// The digest of a pairing equation, for known answers. (JUST-5, POP-4)
pub fn equation_digest(
    tag: &[u8],
    message_point: &[u8; G1_LEN],
    keys: (&Pk1Bytes, &Pk2Bytes),
    signature: &SignatureBytes,
) -> [u8; 32] {
    let (pk1, pk2) = keys;
    transcript::equation_digest(tag, message_point, &pk1.0, &pk2.0, &signature.0)
}

/// The coefficient `t` that comes of a digest, for known answers. (JUST-5)
pub fn coefficient(digest: &[u8; 32]) -> u128 {
    transcript::coefficient(digest)
}

/// The weights of equations with these digests, for known answers: of each `a`, then `b`. (JUST-6)
pub fn batch_weights(digests: &[[u8; 32]]) -> Vec<Weight> {
    transcript::batch_weights(digests.iter())
}

/// A signature in the form of DLEQ-2 over a message of any suite, such as a possession part for a foreign `pk2`. (POP-2)
pub fn sign_point(secret: &SecretKey, suite: &[u8], message: &[u8]) -> VoteSignature {
    secret.sign_point(&dleq::hash_message(suite, message, Purpose::Once))
}
