//! The messages after the hello: requests and answers.

// The codec's derive casts the indices of variants, which are constants below 256.
#![allow(clippy::cast_possible_truncation)]

use crate::{
    bounded::{KeyList, Owner},
    refusal::Refusal,
};
use codec::{Decode, DecodeAll, Encode};
use duet_primitives::{
    Commitment, DualKeyBytes, Pk1Bytes, PossessionProof, SignerIndex, VoteSignature, H256,
};

/// A client's request.
#[derive(Clone, Debug, PartialEq, Eq, Encode)]
pub struct Request {
    /// Chosen by the client, and repeated in the answer.
    pub id: u64,
    /// The call.
    pub call: Call,
}

/// The calls to a signer. Their numbers are part of the protocol.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Call {
    /// List the keys.
    #[codec(index = 0)]
    Keys,
    /// Sign a commitment, as the member at a position.
    #[codec(index = 1)]
    SignVote {
        /// The key.
        key: Pk1Bytes,
        /// The position.
        signer: SignerIndex,
        /// The chain.
        genesis: H256,
        /// The commitment. The signer encodes the signed bytes itself.
        commitment: Commitment,
    },
    /// Prove to an owner that the signer holds the secret of a key.
    #[codec(index = 2)]
    ProvePossession {
        /// The key.
        key: Pk1Bytes,
        /// The owner.
        owner: Owner,
    },
    /// Make a key.
    #[codec(index = 3)]
    Generate,
}

/// A request that does not decode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the request does not decode: {error}")]
pub struct BadRequest {
    /// Its number, if the frame is long enough for one.
    pub id: Option<u64>,
    /// The decoder's error.
    pub error: codec::Error,
}

impl Request {
    /// Decodes a frame.
    ///
    /// # Errors
    /// [`BadRequest`], with the number for the answer.
    pub fn from_frame(frame: &[u8]) -> Result<Self, BadRequest> {
        let mut rest = frame;
        let id = u64::decode(&mut rest).map_err(|error| BadRequest { id: None, error })?;
        let call = Call::decode_all(&mut rest).map_err(|error| BadRequest {
            id: Some(id),
            error,
        })?;
        Ok(Self { id, call })
    }
}

/// A signer's answer.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Answer {
    /// The number of the request.
    pub id: u64,
    /// The result, or the reason of the refusal.
    pub result: Result<Reply, Refusal>,
}

/// The results of calls, with the numbers of [`Call`].
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Reply {
    /// The keys.
    #[codec(index = 0)]
    Keys(KeyList),
    /// The signature of the vote. The client already has the rest of the vote.
    #[codec(index = 1)]
    Vote(VoteSignature),
    /// The proof.
    #[codec(index = 2)]
    Possession(PossessionProof),
    /// The public half of the new key.
    #[codec(index = 3)]
    Generated(DualKeyBytes),
}
