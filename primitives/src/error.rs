//! One error per check. Each names the rule that broke, in the order in which the rules are checked, and
//! [`Culprit`] says who is to blame.

use crate::{
    numbers::{SetId, SignerIndex},
    Pk1Bytes, H256,
};
use duet_curve::PointError;

/// Who is to blame for an object that was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Culprit {
    /// Whoever handed the object over: a peer, a server, the author of an extrinsic.
    Sender,
    /// Nobody: the object may be good, and this verifier is at another point of the chain.
    Nobody,
    /// The calling code: it put together things that do not belong together.
    Caller,
}

/// Why a secret key was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecretKeyError {
    /// ENC-5: the scalar is not below the order of the groups.
    #[error("ENC-5: the secret scalar is not below the order of the groups")]
    NotReduced,
    /// KEY-2: zero is no secret.
    #[error("KEY-2: zero is no secret key")]
    Zero,
}

/// Why a public key was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// KEY-1: the half in G1.
    #[error("KEY-1: pk1 is no key: {0}")]
    Pk1(PointError),
    /// KEY-1: the half in G2.
    #[error("KEY-1: pk2 is no key: {0}")]
    Pk2(PointError),
}

/// Why a signature with its proof was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// ENC-5: `c` is not below `r`.
    #[error("ENC-5: the challenge c is not below the order of the groups")]
    ChallengeNotReduced,
    /// ENC-5: `s` is not below `r`.
    #[error("ENC-5: the response s is not below the order of the groups")]
    ResponseNotReduced,
    /// ENC-1 to ENC-4: σ is no point.
    #[error("the signature is no point: {0}")]
    Sigma(#[from] PointError),
    /// DLEQ-2: the proof does not hold for this key, message and signature.
    #[error("DLEQ-2: the Chaum-Pedersen proof does not hold for this key and message")]
    ProofFails,
}

/// Why a proof of possession was refused. To blame is whoever handed it over, for each of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PossessionError {
    /// The key itself.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// POP-1: the ownership part: another owner, another chain, or a forgery.
    #[error("POP-1: the ownership part does not name this owner on this chain: {0}")]
    Ownership(SignatureError),
    /// POP-2: the possession part.
    #[error("POP-2: the possession part does not hold: {0}")]
    Possession(SignatureError),
    /// POP-3: different secrets stand behind `pk1` and `pk2`.
    #[error("POP-3: pk1 and pk2 do not share one secret")]
    HalvesDiffer,
}

/// Why a Merkle multiproof was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MerkleError {
    /// SET-2: positions are not ascending or not in the set.
    #[error("SET-2: positions are not ascending or outside of the set")]
    Indices,
    /// SET-2: too few or too many hashes.
    #[error("SET-2: the multiproof has {got} hashes where {expected} belong")]
    HashCount {
        /// How many hashes these positions take.
        expected: usize,
        /// How many there are.
        got: usize,
    },
    /// SET-2: the keys are not those under the root.
    #[error("SET-2: the keys are not those under the root")]
    Root,
}

/// Why a set of keys was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeysetError {
    /// SET-1: no keys.
    #[error("SET-1: a set has at least one key")]
    Empty,
    /// SET-1: too many keys.
    #[error("SET-1: {got} keys are more than {limit}")]
    TooLarge {
        /// The most a set may have.
        limit: u32,
        /// How many there are.
        got: u32,
    },
    /// SET-1: keys are not in strictly ascending order, or one stands twice.
    #[error("SET-1: the key at {index} does not stand after its predecessor")]
    Order {
        /// Position of the key.
        index: usize,
    },
    /// SET-1: a key is no point.
    #[error("SET-1: the key at {index} is refused: {error}")]
    Key {
        /// Position of the key.
        index: usize,
        /// The broken rule.
        error: KeyError,
    },
    /// SET-3: the keys add up to zero.
    #[error("SET-3: the keys add up to zero")]
    ZeroTotal,
    /// SET-3: not as many keys as the commitment says.
    #[error("SET-3: {got} keys where the commitment has {expected}")]
    Length {
        /// What the commitment says.
        expected: usize,
        /// How many there are.
        got: usize,
    },
    /// SET-3: the keys are not those of the commitment.
    #[error("SET-3: the keys have the root {got:?} where the commitment has {expected:?}")]
    Root {
        /// What the commitment says.
        expected: H256,
        /// What the keys give.
        got: H256,
    },
    /// SET-3: the commitment's total is not the sum of its keys.
    #[error("SET-3: the keys add up to {got} where the commitment has {expected}")]
    Total {
        /// What the commitment says.
        expected: Pk1Bytes,
        /// What the keys give.
        got: Pk1Bytes,
    },
}

/// Why a vote was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VoteError {
    /// VOTE-1: a vote of another set.
    #[error("VOTE-1: a vote of set {got} where set {expected} signs")]
    WrongSet {
        /// The set that signs.
        expected: SetId,
        /// The set that the vote names.
        got: SetId,
    },
    /// VOTE-2: no such member.
    #[error("VOTE-2: signer {signer} is not in the set of {len}")]
    UnknownSigner {
        /// The position that the vote names.
        signer: SignerIndex,
        /// How many members there are.
        len: u32,
    },
    /// The round message was made from another commitment.
    #[error("the message to check against was made from another commitment")]
    OtherMessage,
    /// VOTE-3: signature or proof.
    #[error("VOTE-3: the signature under the key of signer {signer} is refused: {error}")]
    Signature {
        /// The position that the vote names; not proven to have made it.
        signer: SignerIndex,
        /// The broken rule.
        error: SignatureError,
    },
}

impl VoteError {
    /// Who is to blame. A bad vote never blames the signer it names: anybody can write that name.
    pub fn culprit(&self) -> Culprit {
        match self {
            Self::WrongSet { .. } => Culprit::Nobody,
            Self::UnknownSigner { .. } | Self::Signature { .. } => Culprit::Sender,
            Self::OtherMessage => Culprit::Caller,
        }
    }
}

/// Why votes could not be added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AggregateError {
    /// The message is about another set.
    #[error("JUST-1: a message of set {got} where this is set {expected}")]
    WrongSet {
        /// This set.
        expected: SetId,
        /// The set that the message names.
        got: SetId,
    },
    /// The vote was checked against a key that does not stand at its position here.
    #[error("the vote of signer {signer} was checked against another key than this set's")]
    ForeignKey {
        /// The vote's signer.
        signer: SignerIndex,
    },
    /// The vote is about something else.
    #[error("the vote of signer {signer} is about another commitment")]
    OtherCommitment {
        /// The vote's signer.
        signer: SignerIndex,
    },
    /// A signer stands twice.
    #[error("JUST-2: a signer has two votes")]
    RepeatedSigner,
    /// Too few votes.
    #[error("JUST-4: {got} signers are below the threshold of {threshold}")]
    BelowThreshold {
        /// How many it takes.
        threshold: u32,
        /// How many there are.
        got: u32,
    },
}

/// Why a justification was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JustificationError {
    /// JUST-1: a proof of another set.
    #[error("JUST-1: a proof of set {got} where set {expected} signs")]
    WrongSet {
        /// The set that signs.
        expected: SetId,
        /// The set that the proof names.
        got: SetId,
    },
    /// JUST-2: the bitfield is not as long as the set needs.
    #[error("JUST-2: the bitfield has {got} bytes where {expected} belong")]
    BitfieldLength {
        /// Bytes that the set needs.
        expected: usize,
        /// Bytes that there are.
        got: usize,
    },
    /// JUST-3: a bit beyond the set is set.
    #[error("JUST-3: a padding bit of the bitfield is set")]
    PaddingBits,
    /// JUST-4: too few signers.
    #[error("JUST-4: {got} signers are below the threshold of {threshold}")]
    BelowThreshold {
        /// How many it takes.
        threshold: u32,
        /// How many there are.
        got: u32,
    },
    /// ENC-1 to ENC-4: the signature is no point.
    #[error("the aggregate signature is no point: {0}")]
    Signature(PointError),
    /// ENC-1 to ENC-4: `apk2` is no point.
    #[error("apk2 is no point: {0}")]
    Apk2(PointError),
    /// JUST-5: signature, signers, `apk2`, chain and message do not belong together.
    #[error("JUST-5: signature, signers, apk2 and message do not belong together on this chain")]
    EquationFails,
}

impl JustificationError {
    /// Who is to blame.
    pub fn culprit(&self) -> Culprit {
        match self {
            Self::WrongSet { .. } => Culprit::Nobody,
            Self::BitfieldLength { .. }
            | Self::PaddingBits
            | Self::BelowThreshold { .. }
            | Self::Signature(_)
            | Self::Apk2(_)
            | Self::EquationFails => Culprit::Sender,
        }
    }
}

/// Why a stateless proof was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StatelessError {
    /// The justification in it.
    #[error(transparent)]
    Justification(#[from] JustificationError),
    /// STATELESS-1: not one key per non-signer.
    #[error("STATELESS-1: {got} keys for {expected} non-signers")]
    NonSignerCount {
        /// How many did not sign.
        expected: usize,
        /// How many keys there are.
        got: usize,
    },
    /// STATELESS-2: the multiproof.
    #[error("STATELESS-2: the non-signers' keys are not proven: {0}")]
    Merkle(#[from] MerkleError),
    /// A proven key is no point.
    #[error("STATELESS-2: the key of non-signer {index} is refused: {error}")]
    Key {
        /// Position of the non-signer.
        index: SignerIndex,
        /// The broken rule.
        error: KeyError,
    },
    /// The commitment's own total is no point.
    #[error("SET-3: the total of the trusted commitment is no point: {0}")]
    Total(PointError),
}

impl StatelessError {
    /// Who is to blame.
    pub fn culprit(&self) -> Culprit {
        match self {
            Self::Justification(error) => error.culprit(),
            Self::NonSignerCount { .. } | Self::Merkle(_) | Self::Key { .. } => Culprit::Sender,
            // It was trusted before the proof came.
            Self::Total(_) => Culprit::Caller,
        }
    }
}

/// Why evidence of an equivocation was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EquivocationError {
    /// EQV-1: a vote of another set.
    #[error("EQV-1: a vote of set {got} in evidence about set {expected}")]
    WrongSet {
        /// The set that the evidence is checked against.
        expected: SetId,
        /// The set that a vote names.
        got: SetId,
    },
    /// EQV-1: votes of two signers.
    #[error("EQV-1: the votes are of two signers")]
    DifferentSigners,
    /// EQV-2: votes on two blocks.
    #[error("EQV-2: the votes are on two block numbers")]
    DifferentBlocks,
    /// EQV-3: the votes say the same.
    #[error("EQV-3: both votes say the same")]
    SameCommitment,
    /// EQV-4: the key does not stand in the set.
    #[error("EQV-4: the key does not stand in the set: {0}")]
    Membership(#[from] MerkleError),
    /// EQV-4: the key is no point.
    #[error("EQV-4: the key is refused: {0}")]
    Key(#[from] KeyError),
    /// EQV-5: a signature does not hold.
    #[error("EQV-5: signature {which} does not hold: {error}")]
    Signature {
        /// 0 for the first vote, 1 for the second.
        which: usize,
        /// The broken rule.
        error: SignatureError,
    },
}

impl EquivocationError {
    /// Who is to blame. Evidence that does not hold never blames the signer it names.
    pub fn culprit(&self) -> Culprit {
        match self {
            Self::WrongSet { .. } => Culprit::Nobody,
            Self::DifferentSigners
            | Self::DifferentBlocks
            | Self::SameCommitment
            | Self::Membership(_)
            | Self::Key(_)
            | Self::Signature { .. } => Culprit::Sender,
        }
    }
}
