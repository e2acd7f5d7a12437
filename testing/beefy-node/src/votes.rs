//! The bytes of BEEFY's gossip, which its crate keeps to itself.

use codec::{Decode, DecodeAll, Encode};
use sp_consensus_beefy::{
    ecdsa_crypto::{AuthorityId, Pair, Signature},
    Commitment, VersionedFinalityProof, VoteMessage,
};
use sp_core::{crypto::Wraps, Pair as _};
use sp_crypto_hashing::keccak_256;

/// A vote.
pub type Vote = VoteMessage<u32, AuthorityId, Signature>;

/// A message of the protocol `/{genesis}/beefy/2`.
#[derive(Debug, Encode, Decode)]
#[allow(
    clippy::cast_possible_truncation,
    reason = "in what the codec's macro makes of the indices"
)]
pub enum Message {
    /// A validator's vote.
    #[codec(index = 0)]
    Vote(Vote),
    /// A finality proof: the signatures of a threshold.
    #[codec(index = 1)]
    Proof(VersionedFinalityProof<u32, Signature>),
}

impl Message {
    /// Reads a notification.
    ///
    /// # Errors
    /// When the bytes are no message, or more than one.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, codec::Error> {
        Self::decode_all(&mut &*bytes)
    }
}

/// The vote of a validator.
pub fn vote(pair: &Pair, commitment: &Commitment<u32>) -> Vote {
    let hash = keccak_256(&commitment.encode());
    let signature = pair.as_inner_ref().sign_prehashed(&hash);
    VoteMessage {
        commitment: commitment.clone(),
        id: pair.public(),
        signature: signature.into(),
    }
}
