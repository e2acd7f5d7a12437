//! Errors of verification: the broken rule, the culprit, and the next step.

use crate::misbehaviour::{Conflict, DisputedRecovery, Misbehaviour};
use alloc::{boxed::Box, string::String, vec::Vec};
use codec::Encode;
use core::fmt;
use duet_primitives::{
    suite::MAX_VALIDATORS, BlockNumber, Culprit, JustificationError, KeysetError, PointError,
    SetId, StatelessError, H256,
};

/// A client's next step. Exhaustive on purpose: clients handle each variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// Drop the sender and ask another one.
    LeaveSender,
    /// Compare the trusted hash, of the genesis or of the start block, with the published one.
    CheckTrustedHash,
    /// Ask for the handoff proofs from this set on.
    FetchHandoffProofs {
        /// The newest set that is trusted.
        from_set: SetId,
    },
    /// Ask for the keys of this set, or for a stateless proof.
    FetchKeys {
        /// The set whose keys are missing.
        set: SetId,
    },
    /// Begin again from another checkpoint or start block.
    NewCheckpoint,
    /// Nothing: continue with the next proof.
    GoOn,
    /// Stop, keep the evidence, and ask people which history counts.
    Stop,
}

impl fmt::Display for NextStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LeaveSender => f.write_str("drop this server and ask another one"),
            Self::CheckTrustedHash => f.write_str(
                "compare your trusted hash with the hash that the chain, or somebody you trust, publishes",
            ),
            Self::FetchHandoffProofs { from_set } => {
                write!(f, "fetch the handoff proofs from set {from_set} on and verify them first")
            }
            Self::FetchKeys { set } => {
                write!(f, "fetch the keys of set {set}, or ask for a stateless proof")
            }
            Self::NewCheckpoint => f.write_str("begin again from another checkpoint or start block"),
            Self::GoOn => f.write_str("nothing to do: continue with the next proof"),
            Self::Stop => f.write_str(
                "stop, keep both proofs as evidence, and ask people you trust which history counts",
            ),
        }
    }
}

/// Why a storage proof of the keysets at a start block, or of entries of the state, was refused. (LIGHT-2, STATE-2)
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StorageProofError {
    /// More nodes than the paths to these keys can have.
    #[error("{got} trie nodes, above the limit of {expected} for these keys")]
    TooManyNodes {
        /// How many the paths have at most.
        expected: usize,
        /// How many there are.
        got: usize,
    },
    /// More bytes than the nodes may have together.
    #[error("{got} bytes of trie nodes, above the limit of {expected}")]
    TooManyBytes {
        /// How many there are at most.
        expected: usize,
        /// How many there are in this proof.
        got: usize,
    },
    /// A node is missing or is not the one that the state root commits to.
    #[error("a trie node is missing or not under the state root")]
    Incomplete,
    /// The proof has nodes that it does not need.
    #[error("{got} trie nodes, expected {expected}")]
    Surplus {
        /// How many nodes the proof takes.
        expected: usize,
        /// How many there are.
        got: usize,
    },
}

/// Why something that was received was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// ENC-6: the bytes are not a canonical encoding, are too many, or have more behind it.
    #[error("ENC-6: the bytes are not a canonical {object}: {reason}")]
    Malformed {
        /// What should have been there.
        object: &'static str,
        /// The decoder's error.
        reason: String,
    },
    /// LIGHT-1: the header of another block, or of another chain's genesis.
    #[error("LIGHT-1: the header has the hash {got:?}, expected the trusted hash {expected:?}")]
    WrongStart {
        /// The trusted hash: of the genesis, or of the start block.
        expected: H256,
        /// The header's hash.
        got: H256,
    },
    /// LIGHT-1: the trusted hash is the hash of something else than a header.
    #[error("LIGHT-1: the trusted hash {hash:?} is not the hash of a header")]
    NotABlockHash {
        /// The trusted hash.
        hash: H256,
    },
    /// LIGHT-1: the trusted genesis hash is the hash of something else than a genesis header.
    #[error("LIGHT-1: the trusted hash is not the hash of a genesis header")]
    NotAGenesisHash,
    /// LIGHT-1: the trusted start block is a block 0 other than the chain's own.
    #[error(
        "LIGHT-1: block {got:?} is the genesis of another chain: the genesis hash is {expected:?}"
    )]
    OtherGenesis {
        /// The trusted genesis hash.
        expected: H256,
        /// The hash of the start block.
        got: H256,
    },
    /// LIGHT-2: the storage proof.
    #[error("LIGHT-2: invalid storage proof: {0}")]
    StorageProof(#[from] StorageProofError),
    /// LIGHT-2: the state of the block provably has no set that this client can read.
    #[error("LIGHT-2: the state of block {block} has no keysets that this version can read")]
    NoKeysets {
        /// The block: the genesis, or the start block.
        block: BlockNumber,
    },
    /// LIGHT-2: the state of the start block proves that Duet is deactivated there: nothing is signed. (ACTIVE-3)
    #[error("LIGHT-2: Duet is deactivated at block {block}, and no set signs there: start at a block after Duet was activated again")]
    Ended {
        /// The start block.
        block: BlockNumber,
    },
    /// LIGHT-3: keys that are not those of their commitment.
    #[error("LIGHT-3: not the keys of set {set}: {error}")]
    Keys {
        /// The set whose keys they should be.
        set: SetId,
        /// The broken rule.
        error: KeysetError,
    },
    /// LIGHT-3: a proof of a set that is known only by its commitment.
    #[error("LIGHT-3: the keys of set {set} are not known")]
    KeysNeeded {
        /// The set.
        set: SetId,
    },
    /// LIGHT-4: a block that is older than the trusted one.
    #[error("LIGHT-4: block {got} is older than the trusted block {best}")]
    OldBlock {
        /// The trusted block.
        best: BlockNumber,
        /// The block of the proof.
        got: BlockNumber,
    },
    /// LIGHT-5: a block that is not old, by a set whose successor already signs.
    #[error("LIGHT-5: set {got} no longer signs: set {signing} does")]
    OldSet {
        /// The set that signs.
        signing: SetId,
        /// The set of the proof.
        got: SetId,
    },
    /// LIGHT-5: a handoff proof that names no successor.
    #[error("LIGHT-5: the handoff proof of set {set} names no next set")]
    NoSuccessor {
        /// The set of the proof.
        set: SetId,
    },
    /// LIGHT-5: the set signed a successor that is neither itself nor the one after it.
    #[error("LIGHT-5: set {set} names set {next} as the next set, which is neither the same set unchanged nor the one after it")]
    Successor {
        /// The set that signed.
        set: SetId,
        /// The next set according to the proof.
        next: SetId,
    },
    /// LIGHT-5: the set signed a successor without keys or with too many.
    #[error("LIGHT-5: set {set} names set {next} with {len} keys as the next set; a set has 1 to {MAX_VALIDATORS}")]
    SuccessorLen {
        /// The set that signed.
        set: SetId,
        /// The next set according to the proof.
        next: SetId,
        /// How many keys that one has.
        len: u32,
    },
    /// LIGHT-6: a set beyond the trusted ones.
    #[error("LIGHT-6: a proof of set {got}, but the newest trusted set is {latest}")]
    TooFarAhead {
        /// The newest trusted set.
        latest: SetId,
        /// The set of the proof.
        got: SetId,
    },
    /// LIGHT-7: a proof of a trusted set, whose sender changed the set's id.
    #[error("LIGHT-7: a proof that set {expected} signed claims to be of set {got}")]
    SetIdChanged {
        /// The set that signed it.
        expected: SetId,
        /// The set id in the proof.
        got: SetId,
    },
    /// LIGHT-8: a header that should contain the reset after which the chain continues.
    #[error("LIGHT-8: the header of block {block} has no usable reset")]
    NoReset {
        /// The number in the header.
        block: BlockNumber,
    },
    /// JUST-1 to JUST-5: the justification.
    #[error(transparent)]
    Justification(#[from] JustificationError),
    /// STATELESS-1, STATELESS-2, or the justification in a stateless proof.
    #[error(transparent)]
    Stateless(#[from] StatelessError),
    /// A valid proof contradicts the checkpoint or the start block that this client began with.
    #[error("a valid proof of block {number} contradicts the checkpoint or start block of this client: {conflict}")]
    CheckpointContradicted {
        /// The block of the proof.
        number: BlockNumber,
        /// The contradiction.
        conflict: Conflict,
    },
    /// LIGHT-5: a valid proof names another commitment for its own set than the checkpoint or the start block.
    #[error("LIGHT-5: a valid proof of set {set} names other keys for this set than the checkpoint or start block of this client")]
    CheckpointSet {
        /// The set.
        set: SetId,
    },
    /// Two proofs hold that cannot both be true.
    #[error("{0}")]
    Misbehaviour(Box<Misbehaviour>),
    /// RECOVER-8: a valid proof by a set from before a crossed reset contradicts the recovery.
    #[error("{0}")]
    DisputedRecovery(Box<DisputedRecovery>),
    /// Keys for a set whose keys are not needed: it is not trusted, or [`Mode::Stateless`](crate::Mode) keeps none.
    #[error("LIGHT-3: the keys of set {set} are not needed")]
    KeysNotNeeded {
        /// The set.
        set: SetId,
    },
}

impl Error {
    /// The id of the broken rule, as `docs/spec` numbers them.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::Malformed { .. } => "ENC-6",
            Self::WrongStart { .. }
            | Self::NotABlockHash { .. }
            | Self::NotAGenesisHash
            | Self::OtherGenesis { .. } => "LIGHT-1",
            Self::StorageProof(_) | Self::NoKeysets { .. } | Self::Ended { .. } => "LIGHT-2",
            Self::Keys { .. } | Self::KeysNeeded { .. } | Self::KeysNotNeeded { .. } => "LIGHT-3",
            Self::OldBlock { .. } => "LIGHT-4",
            Self::OldSet { .. }
            | Self::NoSuccessor { .. }
            | Self::Successor { .. }
            | Self::SuccessorLen { .. }
            | Self::CheckpointSet { .. } => "LIGHT-5",
            Self::TooFarAhead { .. } => "LIGHT-6",
            Self::SetIdChanged { .. } => "LIGHT-7",
            Self::NoReset { .. } => "LIGHT-8",
            Self::Justification(error) => justification_rule(error),
            Self::Stateless(error) => stateless_rule(error),
            Self::CheckpointContradicted { conflict, .. } => conflict.rule(),
            Self::Misbehaviour(misbehaviour) => misbehaviour.conflict().rule(),
            Self::DisputedRecovery(_) => "RECOVER-8",
        }
    }

    /// Who is to blame. For an error of a check in `duet_primitives` that crate says it.
    pub fn culprit(&self) -> Culprit {
        match self {
            Self::Malformed { .. }
            | Self::WrongStart { .. }
            | Self::StorageProof(_)
            | Self::OldSet { .. }
            | Self::NoSuccessor { .. }
            | Self::SetIdChanged { .. }
            | Self::NoReset { .. } => Culprit::Sender,
            Self::Keys { error, .. } => error.culprit(),
            Self::Justification(error) => error.culprit(),
            Self::Stateless(error) => error.culprit(),
            Self::Successor { .. }
            | Self::SuccessorLen { .. }
            | Self::Misbehaviour(_)
            | Self::DisputedRecovery(_) => Culprit::Validators,
            Self::NotABlockHash { .. }
            | Self::NotAGenesisHash
            | Self::OtherGenesis { .. }
            | Self::KeysNotNeeded { .. }
            | Self::CheckpointContradicted { .. }
            | Self::CheckpointSet { .. } => Culprit::Caller,
            Self::NoKeysets { .. }
            | Self::Ended { .. }
            | Self::KeysNeeded { .. }
            | Self::OldBlock { .. }
            | Self::TooFarAhead { .. } => Culprit::Nobody,
        }
    }

    /// The two proofs that hold and cannot both be true, in SCALE; `None` for any other error.
    pub fn evidence(&self) -> Option<[Vec<u8>; 2]> {
        match self {
            Self::Misbehaviour(found) => Some(found.proofs().map(Encode::encode)),
            Self::DisputedRecovery(found) => Some([found.recovery.encode(), found.proof.encode()]),
            _ => None,
        }
    }

    /// The next step of the client.
    pub fn next_step(&self) -> NextStep {
        match self {
            Self::WrongStart { .. }
            | Self::NotABlockHash { .. }
            | Self::NotAGenesisHash
            | Self::OtherGenesis { .. } => NextStep::CheckTrustedHash,
            Self::NoKeysets { .. }
            | Self::Ended { .. }
            | Self::CheckpointContradicted { .. }
            | Self::CheckpointSet { .. }
            | Self::Stateless(StatelessError::Total(_)) => NextStep::NewCheckpoint,
            Self::KeysNeeded { set } => NextStep::FetchKeys { set: *set },
            Self::TooFarAhead { latest, .. } => NextStep::FetchHandoffProofs { from_set: *latest },
            Self::OldBlock { .. } | Self::KeysNotNeeded { .. } => NextStep::GoOn,
            Self::Successor { .. }
            | Self::SuccessorLen { .. }
            | Self::Misbehaviour(_)
            | Self::DisputedRecovery(_) => NextStep::Stop,
            Self::Malformed { .. }
            | Self::StorageProof(_)
            | Self::Keys { .. }
            | Self::OldSet { .. }
            | Self::NoSuccessor { .. }
            | Self::SetIdChanged { .. }
            | Self::NoReset { .. }
            | Self::Justification(_)
            | Self::Stateless(_) => NextStep::LeaveSender,
        }
    }
}

fn point_rule(error: &PointError) -> &'static str {
    match error {
        PointError::NotCanonical => "ENC-1",
        PointError::Infinity => "ENC-2",
        PointError::NotOnCurve => "ENC-3",
        PointError::NotInSubgroup => "ENC-4",
    }
}

fn justification_rule(error: &JustificationError) -> &'static str {
    match error {
        JustificationError::WrongSet { .. } => "JUST-1",
        JustificationError::BitfieldLength { .. } => "JUST-2",
        JustificationError::PaddingBits => "JUST-3",
        JustificationError::BelowThreshold { .. } => "JUST-4",
        JustificationError::Signature(error) | JustificationError::Apk2(error) => point_rule(error),
        JustificationError::EquationFails => "JUST-5",
    }
}

fn stateless_rule(error: &StatelessError) -> &'static str {
    match error {
        StatelessError::Justification(error) => justification_rule(error),
        StatelessError::NonSignerCount { .. } => "STATELESS-1",
        StatelessError::Merkle(_) | StatelessError::Key { .. } => "STATELESS-2",
        StatelessError::Total(_) => "SET-3",
    }
}

/// Why a state file or a checkpoint was refused. Its author is to blame: no server is involved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The bytes are not a state: neither version nor checksum are those of one.
    #[error("this is not the state of a light client")]
    NotAState,
    /// The state was written by another version.
    #[error("the state has version {got}; this program reads version {expected}")]
    Version {
        /// The version that this program writes.
        expected: u8,
        /// The version of the state.
        got: u8,
    },
    /// The state is damaged: its checksum is wrong.
    #[error("the state is damaged: its checksum is wrong")]
    Checksum,
    /// The state does not decode.
    #[error("the state is damaged: {0}")]
    Malformed(String),
    /// The keys of a set are not those of its commitment.
    #[error("the keys of set {set} do not match their commitment: {error}")]
    Keys {
        /// The set.
        set: SetId,
        /// The broken rule.
        error: KeysetError,
    },
    /// The sum of the keys of a set is an invalid point.
    #[error("the total of set {set} is not a key: {error}")]
    Total {
        /// The set.
        set: SetId,
        /// The broken rule.
        error: duet_primitives::KeyError,
    },
    /// A set without members or with too many.
    #[error("SET-1: set {set} has {len} members")]
    Len {
        /// The set.
        set: SetId,
        /// How many members it claims.
        len: u32,
    },
    /// The next set is neither the signing one nor the one after it.
    #[error("LIGHT-5: set {next} does not follow set {current}")]
    Successor {
        /// The signing set.
        current: SetId,
        /// The next set according to the state.
        next: SetId,
    },
    /// The next set has no keys or too many.
    #[error("LIGHT-5: the next set {next} has {len} keys; a set has 1 to {MAX_VALIDATORS}")]
    SuccessorLen {
        /// The next set according to the state.
        next: SetId,
        /// How many keys it has.
        len: u32,
    },
}
