//! Errors of a proof by GRANDPA.

use duet_light_client::StateProofError;
use duet_primitives::{BlockNumber, Culprit, H256};

/// Why a proof by GRANDPA was refused. Nothing in it is trusted then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WarpError {
    /// WARP-1: the header or the state of the genesis.
    #[error("WARP-1: invalid proof of the GRANDPA voters at genesis: {0}")]
    Genesis(#[from] StateProofError),
    /// WARP-1: the genesis has no list of voters: the chain has no GRANDPA, or calls its pallet by another name.
    #[error("WARP-1: the genesis state has no list of GRANDPA voters")]
    NoVoters,
    /// WARP-2: an older block, or none.
    #[error("WARP-2: the proof is of block {got}, expected a block after {best}")]
    NotNewer {
        /// The newest block that was proven before.
        best: BlockNumber,
        /// The block in the proof.
        got: BlockNumber,
    },
    /// WARP-2: the justification is of another block than its header.
    #[error("WARP-2: the justification sent with the header of block {number} ({header:?}) is of block {target:?}")]
    OtherBlock {
        /// The number in the header.
        number: BlockNumber,
        /// The header's hash.
        header: H256,
        /// The block that is justified.
        target: H256,
    },
    /// WARP-3: the justification does not hold.
    #[error("WARP-3: invalid justification of block {number} by voter set {set}: {error}")]
    Justification {
        /// The block.
        number: BlockNumber,
        /// The set that has to have signed.
        set: u64,
        /// The error of the justification.
        error: JustificationError,
    },
    /// WARP-4: a block that does not end its set, before the end of the proof.
    #[error("WARP-4: block {number} names no next voters, but the proof continues after it")]
    NoChange {
        /// The block.
        number: BlockNumber,
    },
    /// WARP-4: the next voters take over later, or are no set.
    #[error(
        "WARP-4: block {number} changes the voters in a way that cannot be followed: {reason}"
    )]
    Change {
        /// The block.
        number: BlockNumber,
        /// Why.
        reason: &'static str,
    },
}

/// The error of a justification by GRANDPA. (WARP-3)
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JustificationError {
    /// More votes than the set can have cast: none is checked.
    #[error("{got} votes, but the set can have cast at most {most}")]
    TooManyVotes {
        /// Two of each voter.
        most: usize,
        /// How many came.
        got: usize,
    },
    /// Signed by a key that is not in the set.
    #[error("the voter of vote {vote} is not in the set")]
    Stranger {
        /// Which vote, from 0 on.
        vote: usize,
    },
    /// More votes of one voter than prove its equivocation.
    #[error("vote {vote} is the third one of its voter")]
    ThirdVote {
        /// Which vote, from 0 on.
        vote: usize,
    },
    /// The signature of a vote.
    #[error("the signature of vote {vote} is not by its voter")]
    Signature {
        /// Which vote, from 0 on.
        vote: usize,
    },
    /// The votes do not have two thirds of the set's weight on the block and its descendants.
    #[error("the votes do not finalize the block")]
    NotFinal,
    /// Headers that lead from no vote to the block.
    #[error("a header that no vote needs")]
    Surplus,
}

impl WarpError {
    /// The id of the broken rule, as `docs/spec` numbers them.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::Genesis(_) | Self::NoVoters => "WARP-1",
            Self::NotNewer { .. } | Self::OtherBlock { .. } => "WARP-2",
            Self::Justification { .. } => "WARP-3",
            Self::NoChange { .. } | Self::Change { .. } => "WARP-4",
        }
    }

    /// The culprit: nobody, where the genesis hash pins the data or the voters signed it.
    pub fn culprit(&self) -> Culprit {
        match self {
            Self::Genesis(error) => error.culprit(),
            Self::NoVoters | Self::Change { .. } => Culprit::Nobody,
            Self::NotNewer { .. }
            | Self::OtherBlock { .. }
            | Self::Justification { .. }
            | Self::NoChange { .. } => Culprit::Sender,
        }
    }
}
