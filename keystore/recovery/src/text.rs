//! The objects of a recovery as text: one line for each, fit for a file or a QR code.
//!
//! The line is `duet-recovery-<kind>:<lower-case hex of SCALE>:<checksum>`. The checksum is the first 8 hex digits of
//! SHA-256 over `<kind>:<hex>`. It shows a slip of the pen, not a forger: signatures are checked by themselves.

use codec::{Decode, DecodeAll, Encode, Input};
use duet_primitives::{
    decode_list, suite::MAX_VALIDATORS, Drill, DualKeyBytes, Pk1Bytes, PossessionProof,
    RecoveryProof, RecoveryStatement, RecoveryTerms, RecoveryVote, H256,
};
use sha2::{Digest, Sha256};
use std::fmt;

/// The longest text that is read, in bytes. A proof or the members of the largest set are shorter.
pub const MAX_TEXT_LEN: usize = 16 * 1024 * 1024;
const PREFIX: &str = "duet-recovery-";
const CHECKSUM_DIGITS: usize = 8;

/// What a text holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// [`StatementFile`].
    Statement,
    /// [`SignatureFile`].
    Signature,
    /// [`ProofFile`].
    Proof,
    /// [`MembersFile`].
    Members,
    /// [`Registration`].
    Registration,
    /// [`Drill`].
    Drill,
}

impl Kind {
    const ALL: [Self; 6] = [
        Self::Statement,
        Self::Signature,
        Self::Proof,
        Self::Members,
        Self::Registration,
        Self::Drill,
    ];

    /// The kind that a text claims to have. Nothing else of the text is checked.
    ///
    /// # Errors
    /// [`TextError::TooLong`] or [`TextError::NotOurs`].
    pub fn of(text: &str) -> Result<Self, TextError> {
        split(text).map(|(kind, _)| kind)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Statement => "statement",
            Self::Signature => "signature",
            Self::Proof => "proof",
            Self::Members => "members",
            Self::Registration => "registration",
            Self::Drill => "drill",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An object that has a text.
pub trait Text: Encode + Decode {
    /// Its kind.
    const KIND: Kind;
}

/// A statement for members to sign. (RECOVER-5)
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct StatementFile {
    /// The chain.
    pub genesis_hash: H256,
    /// The statement.
    pub statement: RecoveryStatement,
}

/// The signature of one member. (RECOVER-5)
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct SignatureFile {
    /// The chain.
    pub genesis_hash: H256,
    /// The signature, and what it signs.
    pub vote: RecoveryVote,
}

/// A recovery proof. (RECOVER-6)
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct ProofFile {
    /// The chain.
    pub genesis_hash: H256,
    /// The proof, not checked.
    pub proof: RecoveryProof,
}

/// The members of a recovery set, not checked. (RECOVER-4)
///
/// Decoding refuses more than [`MAX_VALIDATORS`] keys before it allocates.
#[derive(Clone, Debug, PartialEq, Eq, Encode)]
pub struct MembersFile {
    /// The chain.
    pub genesis_hash: H256,
    /// The terms of the chain's state: the commitment to the set, and the wait.
    pub terms: RecoveryTerms,
    /// The keys, in set order.
    pub keys: Vec<Pk1Bytes>,
}

impl Decode for MembersFile {
    fn decode<I: Input>(input: &mut I) -> Result<Self, codec::Error> {
        Ok(Self {
            genesis_hash: Decode::decode(input)?,
            terms: Decode::decode(input)?,
            keys: decode_list(input, MAX_VALIDATORS, "SET-1: too many members")?,
        })
    }
}

/// A recovery key with its proof of possession: the arguments of `DuetRecovery.register_key`. (RECOVER-1)
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Registration {
    /// The key.
    pub key: DualKeyBytes,
    /// The proof of possession for one account on one chain.
    pub proof: PossessionProof,
}

impl Text for StatementFile {
    const KIND: Kind = Kind::Statement;
}

impl Text for SignatureFile {
    const KIND: Kind = Kind::Signature;
}

impl Text for ProofFile {
    const KIND: Kind = Kind::Proof;
}

impl Text for MembersFile {
    const KIND: Kind = Kind::Members;
}

impl Text for Registration {
    const KIND: Kind = Kind::Registration;
}

impl Text for Drill {
    const KIND: Kind = Kind::Drill;
}

/// Why a text was not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// It is above the limit.
    #[error("the text has {len} bytes, more than {MAX_TEXT_LEN}")]
    TooLong {
        /// Its length in bytes.
        len: usize,
    },
    /// It has not the form of these texts.
    #[error("not a text of Duet's recovery, which is {PREFIX}KIND:HEX:CHECKSUM in one line")]
    NotOurs,
    /// It holds something else.
    #[error("a text of the kind {got}, where one of the kind {expected} is expected")]
    OtherKind {
        /// The kind that was asked for.
        expected: Kind,
        /// The kind of the text.
        got: Kind,
    },
    /// It was damaged.
    #[error("the text of the kind {0} is damaged: its checksum differs")]
    Checksum(Kind),
    /// Its bytes are not those of an object of this kind, or there are more of them.
    #[error("the text of the kind {kind} does not decode: {reason}")]
    Decode {
        /// The kind.
        kind: Kind,
        /// The fault.
        reason: String,
    },
}

/// The text of an object, without a line break.
pub fn write<T: Text>(object: &T) -> String {
    let hex = hex::encode(object.encode());
    let kind = T::KIND;
    let sum = checksum(kind, &hex);
    format!("{PREFIX}{kind}:{hex}:{sum}")
}

/// Reads a text. White space around it is ignored.
///
/// Cost: linear in the length of the text, which is at most [`MAX_TEXT_LEN`]. No signature is checked.
///
/// # Errors
/// [`TextError`] with the first fault.
///
/// # Security
/// The checksum is no signature: anyone can write such a text.
pub fn read<T: Text>(text: &str) -> Result<T, TextError> {
    let (got, rest) = split(text)?;
    let kind = T::KIND;
    if got != kind {
        let expected = kind;
        return Err(TextError::OtherKind { expected, got });
    }
    let (hex, sum) = rest.split_once(':').ok_or(TextError::NotOurs)?;
    if sum != checksum(kind, hex) {
        return Err(TextError::Checksum(kind));
    }
    let fault = |reason: String| TextError::Decode { kind, reason };
    if hex.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Err(fault("upper-case hex".to_owned()));
    }
    let bytes = hex::decode(hex).map_err(|error| fault(error.to_string()))?;
    T::decode_all(&mut &bytes[..]).map_err(|error| fault(error.to_string()))
}

/// The kind, and what stands after it.
fn split(text: &str) -> Result<(Kind, &str), TextError> {
    let len = text.len();
    if len > MAX_TEXT_LEN {
        return Err(TextError::TooLong { len });
    }
    let tail = text.trim().strip_prefix(PREFIX);
    let (name, rest) = tail
        .and_then(|tail| tail.split_once(':'))
        .ok_or(TextError::NotOurs)?;
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
    Ok((kind.ok_or(TextError::NotOurs)?, rest))
}

fn checksum(kind: Kind, hex: &str) -> String {
    let digest = Sha256::digest(format!("{kind}:{hex}"));
    let mut sum = hex::encode(digest);
    sum.truncate(CHECKSUM_DIGITS);
    sum
}
