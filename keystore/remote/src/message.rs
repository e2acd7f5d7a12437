//! What is said over a connection after the hello: requests and answers.

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

/// What a client asks.
#[derive(Clone, Debug, PartialEq, Eq, Encode)]
pub struct Request {
    /// Chosen by the client; the answer has it too.
    pub id: u64,
    /// What is asked.
    pub call: Call,
}

/// What can be asked of a signer. Its numbers are part of the protocol.
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
        /// What is signed. The signer makes the signed bytes of it itself.
        commitment: Commitment,
    },
    /// Prove to an owner that the secret of a key is there.
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
    /// What the decoder says.
    pub error: codec::Error,
}

impl Request {
    /// Decodes a frame.
    ///
    /// # Errors
    /// [`BadRequest`], with the number that the answer must have.
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

/// What a signer answers.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Answer {
    /// The number of the request.
    pub id: u64,
    /// What was asked for, or why it is refused.
    pub result: Result<Reply, Refusal>,
}

/// What was asked for. Its numbers are those of [`Call`].
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Reply {
    /// The keys.
    #[codec(index = 0)]
    Keys(KeyList),
    /// The signature of the vote. The client has the rest of the vote.
    #[codec(index = 1)]
    Vote(VoteSignature),
    /// The proof.
    #[codec(index = 2)]
    Possession(PossessionProof),
    /// The public half of the new key.
    #[codec(index = 3)]
    Generated(DualKeyBytes),
}
