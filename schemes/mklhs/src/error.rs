//! Why something is refused: one enum per check, each naming its culprit.

use crate::{
    curve::PointError,
    keys::SignerId,
    suite::{MAX_INPUTS, MAX_LABEL_FIELD_LEN, MIN_KEY_MATERIAL_LEN},
};

/// Why bytes are no key, signature or proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// Truncated, or followed by more.
    #[error("{got} bytes, where {expected} are expected")]
    BadLength {
        /// The bytes there should be; for a combined signature the next length that one has.
        expected: usize,
        /// The bytes there are.
        got: usize,
    },
    /// Flags that do not belong there, a coordinate that is not reduced, or a point beside the curve.
    #[error("no compressed point of the curve")]
    BadPoint,
    /// On the curve and not in the subgroup of prime order.
    #[error("a point that is not in the subgroup of prime order")]
    NotInSubgroup,
    /// The neutral element.
    #[error("the point at infinity")]
    IdentityPoint,
    /// A number that is not below `q`.
    #[error("number {index} is not below the group's order")]
    NonCanonicalScalar {
        /// Which number, from 0.
        index: usize,
    },
}

/// Why bytes are no evidence that a signer signed twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvidenceError {
    /// Truncated, or followed by more.
    #[error("{got} bytes, where {expected} are expected")]
    BadLength {
        /// The bytes there should be, by the length that the label is said to have.
        expected: usize,
        /// The bytes there are.
        got: usize,
    },
    /// The label is none.
    #[error("label: {0}")]
    Label(#[from] LabelError),
    /// One of the two signatures is none.
    #[error("signature {index} of the two: {error}")]
    Signature {
        /// 0 or 1.
        index: usize,
        /// Why.
        error: DecodeError,
    },
}

impl From<PointError> for DecodeError {
    fn from(error: PointError) -> Self {
        match error {
            PointError::Bad => Self::BadPoint,
            PointError::NotInSubgroup => Self::NotInSubgroup,
            PointError::Identity => Self::IdentityPoint,
        }
    }
}

/// A field of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelField {
    /// The chain or deployment.
    Context,
    /// Who signs.
    Signer,
    /// The epoch or height.
    Dataset,
    /// The metric and its index.
    Tag,
}

impl std::fmt::Display for LabelField {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Context => "context",
            Self::Signer => "signer",
            Self::Dataset => "dataset",
            Self::Tag => "tag",
        })
    }
}

/// Why something is no label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LabelError {
    /// More bytes than two bytes of length can say.
    #[error("the {field} has {got} bytes, and {MAX_LABEL_FIELD_LEN} are allowed")]
    FieldTooLong {
        /// Which field.
        field: LabelField,
        /// Its bytes.
        got: usize,
    },
    /// The bytes end within this field, or go on after it, or it is a signer and has not 32 bytes.
    #[error("bad length at the {field}")]
    BadLength {
        /// Which field.
        field: LabelField,
    },
}

/// Why there is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Too little key material.
    #[error("{got} bytes of key material, and {MIN_KEY_MATERIAL_LEN} are the least")]
    ShortMaterial {
        /// The bytes there are.
        got: usize,
    },
    /// Zero, or not below the group's order.
    #[error("a secret key that is zero or not below the group's order")]
    BadSecret,
    /// The random number generator failed.
    #[error("no randomness")]
    Randomness,
}

/// Why a key is not admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AdmissionError {
    /// The key is none.
    #[error("key: {0}")]
    Key(DecodeError),
    /// The proof of possession is no point of the right form.
    #[error("proof of possession: {0}")]
    Pop(DecodeError),
    /// The proof of possession is not of this key.
    #[error("the proof of possession is not of this key")]
    BadPop,
    /// The key was revoked.
    #[error("the key of {signer} was revoked")]
    Revoked {
        /// Whose key.
        signer: SignerId,
    },
}

/// Why coefficients and labels are no program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// Without inputs.
    #[error("a program without inputs")]
    EmptyProgram,
    /// As many coefficients as labels are needed.
    #[error("{coefficients} coefficients for {labels} labels")]
    LengthMismatch {
        /// Coefficients.
        coefficients: usize,
        /// Labels.
        labels: usize,
    },
    /// Too many.
    #[error("{got} inputs, and {MAX_INPUTS} are allowed")]
    TooManyInputs {
        /// Inputs.
        got: usize,
    },
    /// A zero takes its label out of the equation, and with it what binds the signer.
    #[error("coefficient {index} is zero")]
    ZeroCoefficient {
        /// Which input, from 0.
        index: usize,
    },
    /// The same label twice.
    #[error("inputs {first} and {second} have the same label")]
    DuplicateLabel {
        /// Where it is first.
        first: usize,
        /// Where it is again.
        second: usize,
    },
    /// A coefficient of 65 bits or more.
    #[error("coefficient {index} is out of bounds")]
    OutOfBounds {
        /// Which input, from 0.
        index: usize,
    },
}

/// Why a signer's key does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StandingError {
    /// Nobody announced the key.
    #[error("nobody knows the key of {signer}")]
    UnknownSigner {
        /// Whose key.
        signer: SignerId,
    },
    /// The key is known, and nobody proved to have its secret.
    #[error("the key of {signer} has no proof of possession")]
    MissingPop {
        /// Whose key.
        signer: SignerId,
    },
    /// The signer signed two messages under one label.
    #[error("the key of {signer} was revoked")]
    Revoked {
        /// Whose key.
        signer: SignerId,
    },
}

/// Why a combined signature is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// A signer's key does not count.
    #[error(transparent)]
    Standing(#[from] StandingError),
    /// As many partial sums as signers are needed.
    #[error("{got} partial sums for {expected} signers")]
    PartialCountMismatch {
        /// Signers of the program.
        expected: usize,
        /// Partial sums of the signature.
        got: usize,
    },
    /// A partial sum that no messages within bounds add up to.
    #[error("the partial sum of {signer} is out of bounds")]
    OutOfBounds {
        /// Whose sum.
        signer: SignerId,
    },
    /// The partial sums do not add up to the claimed total.
    #[error("the partial sums do not add up to the total")]
    SumMismatch,
    /// The equation does not hold: somebody did not sign this, or somebody changed it.
    #[error("the pairing equation does not hold")]
    PairingMismatch,
}

/// Why one signature is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// The signer's key does not count.
    #[error(transparent)]
    Standing(#[from] StandingError),
    /// A message of 65 bits or more.
    #[error("the message of {signer} is out of bounds")]
    OutOfBounds {
        /// Who signed it.
        signer: SignerId,
    },
    /// The equation does not hold.
    #[error("the pairing equation does not hold for {signer}")]
    PairingMismatch {
        /// Who is said to have signed.
        signer: SignerId,
    },
}

/// Inputs that are not signed by whom they should be; never empty.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} bad inputs, the first at {}: {}", .0.len(), first_index(.0), first_error(.0))]
pub struct BadInputs(pub Vec<(usize, SignatureError)>);

fn first_index(bad: &[(usize, SignatureError)]) -> usize {
    bad.first().map_or(0, |(index, _)| *index)
}

fn first_error(bad: &[(usize, SignatureError)]) -> String {
    bad.first()
        .map_or_else(String::new, |(_, error)| error.to_string())
}

/// Why signatures on many labels are not all accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// As many signatures as labels are needed.
    #[error("{signatures} signatures for {labels} labels")]
    LengthMismatch {
        /// Labels.
        labels: usize,
        /// Signatures.
        signatures: usize,
    },
    /// Some are not what they should be.
    #[error(transparent)]
    BadInputs(#[from] BadInputs),
}

/// Why signatures cannot be combined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CombineError {
    /// As many signatures as inputs are needed.
    #[error("{got} signatures for {expected} inputs")]
    LengthMismatch {
        /// Inputs of the program.
        expected: usize,
        /// Signatures.
        got: usize,
    },
    /// Some are not what they should be.
    #[error(transparent)]
    BadInputs(#[from] BadInputs),
    /// The programs do not go together.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A combined signature has not as many partial sums as its program has signers.
    #[error("part {part} has {got} partial sums for {expected} signers")]
    PartialCountMismatch {
        /// Which part, from 0.
        part: usize,
        /// Signers of its program.
        expected: usize,
        /// Partial sums of its signature.
        got: usize,
    },
    /// One program counts in integers and another in residues.
    #[error("part {part} has other bounds than the first")]
    BoundsMismatch {
        /// Which part, from 0.
        part: usize,
    },
    /// The signatures cancel each other out, which those of honest signers do not.
    #[error("the sum of the signatures is the point at infinity")]
    IdentityPoint,
}

impl From<BatchError> for CombineError {
    fn from(error: BatchError) -> Self {
        match error {
            BatchError::LengthMismatch { labels, signatures } => Self::LengthMismatch {
                expected: labels,
                got: signatures,
            },
            BatchError::BadInputs(bad) => Self::BadInputs(bad),
        }
    }
}

/// Why something cannot be signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignError {
    /// The label names somebody else.
    #[error("the label is of {label}, and the key of {key}")]
    WrongSigner {
        /// Whom the label names.
        label: SignerId,
        /// Whose key it is.
        key: SignerId,
    },
    /// A message of 65 bits or more.
    #[error("the message {message} is out of bounds")]
    OutOfBounds {
        /// The message.
        message: crate::Scalar,
    },
}

/// Why something is no evidence that a signer signed twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EquivocationError {
    /// Both signatures are of one message: that is allowed.
    #[error("both signatures are of the same message")]
    SameMessage,
    /// The label names somebody else.
    #[error("the label is of {label}, and the key of {key}")]
    WrongSigner {
        /// Whom the label names.
        label: SignerId,
        /// Whose key it is.
        key: SignerId,
    },
    /// One of the two is not a signature on the label.
    #[error("signature {index} of the two does not hold")]
    PairingMismatch {
        /// 0 or 1.
        index: usize,
    },
    /// Nobody announced the key.
    #[error("nobody knows the key of {signer}")]
    UnknownSigner {
        /// Whose key.
        signer: SignerId,
    },
}
