//! Why a call failed, with its code.

use super::reader::ReaderError;
use crate::{missing::Missing, store::StoreError};
use duet_keystore::SignerError;
use duet_primitives::{BlockNumber, JustificationError, KeysetError, MerkleError, SetId};
use jsonrpsee::types::{ErrorObject, ErrorObjectOwned};

/// Why a call failed. The codes are in the [module documentation](super).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RpcError {
    /// This node has no proof yet.
    #[error("no block is proven on this node yet; ask again later")]
    NotReady,
    /// A limit outside the allowed range.
    #[error("the limit is {got}, it must be 1 to {most}")]
    Limit {
        /// The limit.
        most: u32,
        /// The requested number.
        got: u32,
    },
    /// More keys than one answer can prove.
    #[error("{got} keys, but one answer proves at most {most}")]
    Keys {
        /// The limit.
        most: usize,
        /// The requested number.
        got: usize,
    },
    /// A call with longer parameters than any answer needs.
    #[error("the parameters and the id of the call have {got} bytes, at most {most} are allowed")]
    Length {
        /// The limit.
        most: usize,
        /// The length of the call, in bytes of JSON.
        got: usize,
    },
    /// The state or path of a block is missing.
    #[error(transparent)]
    Reader(#[from] ReaderError),
    /// The connection has reached its limit of subscriptions.
    #[error("this connection has reached the limit of {most} subscriptions to justifications")]
    Subscriptions {
        /// The limit.
        most: u32,
    },
    /// The connection has reached its limit of open calls.
    #[error("this connection has reached the limit of {most} calls that run or wait")]
    Calls {
        /// The limit.
        most: usize,
    },
    /// The call ended without an answer, because the node is stopping or has a fault.
    #[error("the call ended without an answer")]
    NoAnswer,
    /// The voter did not answer.
    #[error("the voter of this node does not answer: duet_health says whether it has stopped")]
    VoterSilent,
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The signer.
    #[error(transparent)]
    Signer(#[from] SignerError),
    /// Not the bytes of a dual key.
    #[error("a dual key has {expected} bytes, not {got}")]
    Key {
        /// Bytes of a key.
        expected: usize,
        /// Bytes given.
        got: usize,
    },
    /// The chain did not start with Duet.
    #[error("the genesis has no set to prove: duet_getStartProof tells in which block the chain adopted Duet, if it did")]
    NoGenesisProof,
    /// The requested data is older than this node's beginning, and is being fetched from peers.
    #[error(
        "this node began in the middle of the chain and has not yet fetched {what} from its peers; \
         ask again later, or ask another node"
    )]
    NotHereYet {
        /// The requested data.
        what: HistoryItem,
    },
    /// Not the bytes of a justification.
    #[error("this is not a justification: {0}")]
    NoProof(codec::Error),
    /// The justification does not hold.
    #[error("the justification does not hold: {0}")]
    BadProof(#[from] JustificationError),
    /// The keys of the justification's set are unknown.
    #[error("set {set} is not known to this node")]
    UnknownSet {
        /// The set that the justification names.
        set: SetId,
    },
    /// The stored bytes are not the encoding of a justification.
    #[error("the proof of block {block} in the database is damaged: {error}")]
    Malformed {
        /// The block.
        block: BlockNumber,
        /// The decoder's error.
        error: codec::Error,
    },
    /// The stored justification no longer holds.
    #[error("the proof of block {block} in the database is damaged: {error}")]
    Damaged {
        /// The block.
        block: BlockNumber,
        /// The broken rule.
        error: JustificationError,
    },
    /// The stored keys of a set do not match its commitment.
    #[error("the keys of set {set} in the database are damaged: {error}")]
    DamagedKeys {
        /// The set.
        set: SetId,
        /// The broken rule.
        error: KeysetError,
    },
    /// A valid proof cannot be turned into a stateless one.
    #[error("the proof of block {block} cannot be converted into a stateless proof: {error}")]
    Stateless {
        /// The block.
        block: BlockNumber,
        /// The broken rule.
        error: MerkleError,
    },
}

/// Data that a node that began in the middle of the chain fetches from its peers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HistoryItem {
    /// The proof of the first set.
    #[error("the proof of the first set")]
    Genesis,
    /// Data of a set.
    #[error("the handoffs up to that of set {0}")]
    Set(SetId),
    /// The proof of a block.
    #[error("the proofs of blocks as old as block {0}")]
    Block(BlockNumber),
}

impl HistoryItem {
    /// Whether it may belong to the missing data.
    pub(super) fn is_in(self, missing: Missing) -> bool {
        match self {
            Self::Genesis => true,
            Self::Set(set) => set < missing.below_set,
            Self::Block(block) => block < missing.below_block,
        }
    }
}

impl From<sp_blockchain::Error> for RpcError {
    fn from(error: sp_blockchain::Error) -> Self {
        Self::Store(error.into())
    }
}

impl From<RpcError> for ErrorObjectOwned {
    fn from(error: RpcError) -> Self {
        let code = match error {
            RpcError::NotReady => 9001,
            RpcError::Limit { .. } | RpcError::Keys { .. } | RpcError::Length { .. } => 9002,
            RpcError::Reader(ReaderError::NoState(_)) => 9008,
            RpcError::Store(_)
            | RpcError::Reader(_)
            | RpcError::Malformed { .. }
            | RpcError::Damaged { .. }
            | RpcError::DamagedKeys { .. }
            | RpcError::Stateless { .. }
            | RpcError::NoAnswer => 9003,
            RpcError::Signer(_) | RpcError::Key { .. } => 9004,
            RpcError::NoGenesisProof => 9005,
            RpcError::NotHereYet { .. } => 9006,
            RpcError::Subscriptions { .. } => 9007,
            RpcError::Calls { .. } => 9010,
            RpcError::VoterSilent => 9011,
            RpcError::NoProof(_) | RpcError::BadProof(_) | RpcError::UnknownSet { .. } => 9009,
        };
        ErrorObject::owned(code, error.to_string(), None::<()>)
    }
}
