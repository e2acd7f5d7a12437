//! One error per check: variants in the order in which the rules are checked, each with the rule that broke.
//!
//! Who is to blame for each is decided in `blame.rs`. The enums are exhaustive on purpose: the matches there, and
//! those of the crates that map these errors to their own, must not compile until a new variant has its answer.

use crate::{
    bytes::Pk1Bytes,
    numbers::{BlockNumber, SetId, SignerIndex},
};
use duet_curve::PointError;
use primitive_types::H256;

/// Why a secret key was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecretKeyError {
    /// ENC-5: the scalar is not below the order of the groups.
    #[error("ENC-5: the secret scalar is not below the order of the groups")]
    NotReduced,
    /// KEY-2: zero is not a secret key.
    #[error("KEY-2: zero is not a secret key")]
    Zero,
}

/// Why a public key was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// KEY-1: the half in G1.
    #[error("KEY-1: pk1 is not a key: {0}")]
    Pk1(PointError),
    /// KEY-1: the half in G2.
    #[error("KEY-1: pk2 is not a key: {0}")]
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
    /// ENC-1 to ENC-4: σ is an invalid point.
    #[error("the signature is an invalid point: {0}")]
    Sigma(#[from] PointError),
    /// DLEQ-2: the proof does not hold for this key, message and signature.
    #[error("DLEQ-2: the Chaum-Pedersen proof does not hold for this key and message")]
    ProofFails,
}

/// Why a proof of possession was refused.
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
    /// POP-3: `pk1` and `pk2` have different secrets.
    #[error("POP-3: pk1 and pk2 do not share one secret")]
    HalvesDiffer,
}

/// Why a Merkle multiproof was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MerkleError {
    /// SET-2: positions are not strictly ascending, or outside the set.
    #[error("SET-2: the positions are not strictly ascending, or one is outside the set")]
    Indices,
    /// SET-2: too few or too many hashes.
    #[error("SET-2: the multiproof has {got} hashes instead of {expected}")]
    HashCount {
        /// How many hashes these positions need.
        expected: usize,
        /// How many there are.
        got: usize,
    },
    /// SET-2: the keys are not the ones under the root.
    #[error("SET-2: the keys do not match the root")]
    Root,
}

/// Why a set of keys was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeysetError {
    /// SET-1: there are no keys.
    #[error("SET-1: a set has at least one key")]
    Empty,
    /// SET-1: too many keys.
    #[error("SET-1: {got} keys, above the limit of {limit}")]
    TooLarge {
        /// The most a set may have.
        limit: u32,
        /// How many there are.
        got: u32,
    },
    /// SET-1: keys are not in strictly ascending order, or one is repeated.
    #[error("SET-1: the key at {index} is not above its predecessor")]
    Order {
        /// Position of the key.
        index: usize,
    },
    /// SET-1: a key is an invalid point.
    #[error("SET-1: the key at {index} is invalid: {error}")]
    Key {
        /// Position of the key.
        index: usize,
        /// The broken rule.
        error: KeyError,
    },
    /// SET-3: the keys add up to zero.
    #[error("SET-3: the keys add up to zero")]
    ZeroTotal,
    /// SET-3: another number of keys than the commitment says.
    #[error("SET-3: {got} keys, but the commitment says {expected}")]
    Length {
        /// The value in the commitment.
        expected: usize,
        /// How many there are.
        got: usize,
    },
    /// SET-3: the keys are not the ones committed to.
    #[error("SET-3: the root of the keys is {got:?}, but the commitment says {expected:?}")]
    Root {
        /// The value in the commitment.
        expected: H256,
        /// The value computed from the keys.
        got: H256,
    },
    /// SET-3: the commitment's total is not the sum of its keys.
    #[error("SET-3: the keys add up to {got}, but the commitment says {expected}")]
    Total {
        /// The value in the commitment.
        expected: Pk1Bytes,
        /// The value computed from the keys.
        got: Pk1Bytes,
    },
    /// SET-3: the keys add up to no valid key, though each is one of the curve.
    #[error("SET-3: the keys add up to an invalid key: {0}")]
    InvalidTotal(KeyError),
}

/// Why a vote was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VoteError {
    /// VOTE-1: the vote is of another set.
    #[error("VOTE-1: the vote names set {got}, but the signing set is {expected}")]
    WrongSet {
        /// The set that signs.
        expected: SetId,
        /// The set that the vote names.
        got: SetId,
    },
    /// VOTE-2: the set has no such member.
    #[error("VOTE-2: the set of {len} has no signer {signer}")]
    UnknownSigner {
        /// The position that the vote names.
        signer: SignerIndex,
        /// How many members there are.
        len: u32,
    },
    /// The caller checked the vote against the message of another commitment.
    #[error("the vote was checked against the message of another commitment")]
    OtherMessage,
    /// VOTE-3: the signature or its proof does not hold.
    #[error("VOTE-3: the signature does not hold under the key of signer {signer}: {error}")]
    Signature {
        /// The position that the vote names, which need not have made it.
        signer: SignerIndex,
        /// The broken rule.
        error: SignatureError,
    },
}

/// Why votes could not be added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AggregateError {
    /// JUST-1: the message is of another set.
    #[error("JUST-1: the message names set {got}, but this is set {expected}")]
    WrongSet {
        /// This set.
        expected: SetId,
        /// The set that the message names.
        got: SetId,
    },
    /// The vote was checked against a key that is not the one at its position in this set.
    #[error("the vote of signer {signer} was checked against a key of another set")]
    ForeignKey {
        /// The vote's signer.
        signer: SignerIndex,
    },
    /// The vote was checked against another message: another commitment, or another chain.
    #[error("the vote of signer {signer} is for another commitment or another chain")]
    OtherMessage {
        /// The vote's signer.
        signer: SignerIndex,
    },
    /// JUST-4: a signer has two votes. Only one may count.
    #[error("JUST-4: signer {signer} has two votes")]
    RepeatedSigner {
        /// The signer.
        signer: SignerIndex,
    },
    /// JUST-4: too few votes.
    #[error("JUST-4: {got} signers are below the threshold of {threshold}")]
    BelowThreshold {
        /// How many are needed.
        threshold: u32,
        /// How many there are.
        got: u32,
    },
    /// JUST-8: the justification is not about the commitment of the message, or was not checked against this set.
    #[error("JUST-8: the justification is for another commitment or another set")]
    OtherJustification,
    /// ENC-2: the signatures, and with them the signers' keys, add up to infinity, which no verifier accepts. The
    /// holders of these keys must have chosen them together.
    #[error("ENC-2: the signatures of the signers add up to infinity")]
    ZeroSum,
}

/// Why a justification was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JustificationError {
    /// JUST-1: the proof is of another set.
    #[error("JUST-1: the proof names set {got}, but the signing set is {expected}")]
    WrongSet {
        /// The set that signs.
        expected: SetId,
        /// The set that the proof names.
        got: SetId,
    },
    /// JUST-2: the bitfield has another length than the set needs.
    #[error("JUST-2: the bitfield has {got} bytes instead of {expected}")]
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
        /// How many are needed.
        threshold: u32,
        /// How many there are.
        got: u32,
    },
    /// ENC-1 to ENC-4: the signature is an invalid point.
    #[error("the aggregate signature is an invalid point: {0}")]
    Signature(PointError),
    /// ENC-1 to ENC-4: `apk2` is an invalid point.
    #[error("apk2 is an invalid point: {0}")]
    Apk2(PointError),
    /// JUST-5: the equation of signature, signers, `apk2` and message does not hold on this chain.
    #[error(
        "JUST-5: the equation of signature, signers, apk2 and message does not hold on this chain"
    )]
    EquationFails,
}

/// Why a stateless proof was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StatelessError {
    /// The justification in it does not hold.
    #[error(transparent)]
    Justification(#[from] JustificationError),
    /// STATELESS-1: there is not exactly one key per non-signer.
    #[error("STATELESS-1: {got} keys for {expected} non-signers")]
    NonSignerCount {
        /// How many did not sign.
        expected: usize,
        /// How many keys there are.
        got: usize,
    },
    /// STATELESS-2: the multiproof does not hold.
    #[error("STATELESS-2: the non-signers' keys are not proven: {0}")]
    Merkle(#[from] MerkleError),
    /// STATELESS-2: a proven key is an invalid point.
    #[error("STATELESS-2: the key of non-signer {index} is invalid: {error}")]
    Key {
        /// Position of the non-signer.
        index: SignerIndex,
        /// The broken rule.
        error: KeyError,
    },
    /// SET-3: the total of the trusted commitment is an invalid point.
    #[error("SET-3: the total of the trusted commitment is an invalid point: {0}")]
    Total(PointError),
}

/// Why evidence of an equivocation was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EquivocationError {
    /// EQV-1: a vote is of another set.
    #[error("EQV-1: a vote names set {got}, but the evidence is checked against set {expected}")]
    WrongSet {
        /// The set that the evidence is checked against.
        expected: SetId,
        /// The set that a vote names.
        got: SetId,
    },
    /// The votes were checked on different chains, so that they do not contradict each other.
    #[error("the votes are on different chains")]
    DifferentChains,
    /// EQV-1: the votes are of two signers.
    #[error("EQV-1: the votes are from different signers")]
    DifferentSigners,
    /// EQV-2: the votes are on two block numbers.
    #[error("EQV-2: the votes are on different block numbers")]
    DifferentBlocks,
    /// EQV-3: both votes say the same.
    #[error("EQV-3: both votes sign the same commitment")]
    SameCommitment,
    /// EQV-4: the key is not a member of the set.
    #[error("EQV-4: the key is not a member of the set: {0}")]
    Membership(#[from] MerkleError),
    /// EQV-4: the key is an invalid point.
    #[error("EQV-4: the key is invalid: {0}")]
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

/// Why an accusation was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccusationError {
    /// FALSE-2: the vote is of another set.
    #[error(
        "FALSE-2: the vote names set {got}, but the accusation is checked against set {expected}"
    )]
    WrongSet {
        /// The set that the accusation is checked against.
        expected: SetId,
        /// The set that the vote names.
        got: SetId,
    },
    /// FALSE-2, FALSE-3: a key is not proven to be a member of the set.
    #[error("FALSE-2: the keys of the accused are not proven: {0}")]
    Membership(#[from] MerkleError),
    /// FALSE-2: the key is an invalid point.
    #[error("FALSE-2: the key is invalid: {0}")]
    Key(#[from] KeyError),
    /// FALSE-2: the signature does not hold.
    #[error("FALSE-2: the signature does not hold: {0}")]
    Signature(#[from] SignatureError),
    /// FALSE-3: nobody is accused.
    #[error("FALSE-3: nobody is accused")]
    Nobody,
    /// FALSE-3: one of the accused is not among the signers.
    #[error("FALSE-3: member {signer} is not among the signers")]
    NotASigner {
        /// Who is not.
        signer: SignerIndex,
    },
    /// FALSE-3: the finality proof does not hold.
    #[error("FALSE-3: the finality proof does not hold: {0}")]
    Proof(#[from] StatelessError),
}

/// Why something about a recovery was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecoveryError {
    /// RECOVER-6: the statement names another recovery set.
    #[error("RECOVER-6: the statement names recovery set {got}, but the terms name {expected}")]
    WrongSet {
        /// The set in the terms.
        expected: SetId,
        /// The set that the statement names.
        got: SetId,
    },
    /// RECOVER-5: the reset is not after the block.
    #[error("RECOVER-5: the reset in block {reset} is not after block {block}")]
    ResetOrder {
        /// Number of the block that the statement is about.
        block: BlockNumber,
        /// Number of the block of the reset.
        reset: BlockNumber,
    },
    /// RECOVER-5: the new set is not after the ended one.
    #[error("RECOVER-5: set {got} is not above the ended set {ended}")]
    SetOrder {
        /// The ended set.
        ended: SetId,
        /// The new set.
        got: SetId,
    },
    /// RECOVER-5: the new set has no form of a set.
    #[error("RECOVER-5: the new set of {len} keys has not the length of a set")]
    SetLength {
        /// How many keys it claims to have.
        len: u32,
    },
    /// RECOVER-5: the total of the new set is no key.
    #[error("RECOVER-5: the total of the new set is invalid: {0}")]
    SetTotal(KeyError),
    /// The signers, their keys, or the equation.
    #[error(transparent)]
    Proof(#[from] StatelessError),
    /// RECOVER-9: a vote names a position outside the set.
    #[error("RECOVER-9: the recovery set of {len} has no signer {signer}")]
    UnknownSigner {
        /// The position.
        signer: SignerIndex,
        /// How many members there are.
        len: u32,
    },
    /// RECOVER-9: nobody is accused.
    #[error("RECOVER-9: nobody is accused")]
    Nobody,
    /// RECOVER-9: one of the accused is not among the signers.
    #[error("RECOVER-9: member {signer} is not among the signers")]
    NotASigner {
        /// The position.
        signer: SignerIndex,
    },
    /// RECOVER-9: the keys of the accused are not proven.
    #[error("RECOVER-9: the keys of the accused are not proven: {0}")]
    Membership(#[from] MerkleError),
}

impl From<JustificationError> for RecoveryError {
    fn from(error: JustificationError) -> Self {
        Self::Proof(error.into())
    }
}

/// Why signatures of a recovery set could not be combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CombineError {
    /// RECOVER-6: there is no signature.
    #[error("RECOVER-6: there is no signature to combine")]
    Nothing,
    /// RECOVER-5: two signatures are for different statements.
    #[error("RECOVER-5: signature {at} is for another statement than the first")]
    OtherStatement {
        /// Its place in the list, from zero.
        at: usize,
    },
    /// RECOVER-6: a signature does not hold.
    #[error("signature {at} does not hold: {error}")]
    Vote {
        /// Its place in the list, from zero.
        at: usize,
        /// The broken rule.
        error: RecoveryError,
    },
    /// JUST-4: a signer has two signatures.
    #[error("JUST-4: signer {signer} has two signatures")]
    RepeatedSigner {
        /// The signer.
        signer: SignerIndex,
    },
    /// JUST-4: too few.
    #[error("JUST-4: {got} signers are below the threshold of {threshold}")]
    BelowThreshold {
        /// How many are needed.
        threshold: u32,
        /// How many there are.
        got: u32,
    },
    /// ENC-2: the signatures add up to infinity.
    #[error("ENC-2: the signatures of the signers add up to infinity")]
    ZeroSum,
    /// The sum does not hold, although its parts do.
    #[error(transparent)]
    Sum(#[from] RecoveryError),
}
