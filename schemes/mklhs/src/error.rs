//! Errors: one enum per check. Each error names the input at fault.

use crate::{
    curve::PointError,
    identity::SignerId,
    scalar::Scalar,
    suite::{MAX_INPUTS, MAX_LABEL_FIELD_LEN, MIN_KEY_MATERIAL_LEN},
};

/// Why a key, a signature or a proof could not be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// Too few or too many bytes.
    #[error("expected {expected} bytes, got {got}")]
    BadLength {
        /// The expected length. For a combined signature, the next valid length.
        expected: usize,
        /// The actual length.
        got: usize,
    },
    /// Invalid flags, a coordinate that is not reduced, or a point that is not on the curve.
    #[error("not a compressed point of the curve")]
    BadPoint,
    /// The point is on the curve, but not in the subgroup of prime order.
    #[error("the point is not in the subgroup of prime order")]
    NotInSubgroup,
    /// The neutral element.
    #[error("the point is infinity")]
    IdentityPoint,
    /// A scalar that is not below `q`.
    #[error("scalar {index} is not below the group order")]
    NonCanonicalScalar {
        /// The index of the scalar, from 0.
        index: usize,
    },
}

/// Why an equivocation proof or a record could not be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EvidenceError {
    /// Too few or too many bytes.
    #[error("expected {expected} bytes, got {got}")]
    BadLength {
        /// The expected length, computed from the length field of the label.
        expected: usize,
        /// The actual length.
        got: usize,
    },
    /// The label does not decode.
    #[error("label: {0}")]
    Label(#[from] LabelError),
    /// A signature does not decode.
    #[error("signature {index}: {error}")]
    Signature {
        /// Its index, from 0.
        index: usize,
        /// The cause.
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
    /// The chain or the deployment.
    Context,
    /// The signer.
    Signer,
    /// The epoch or the height.
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

/// Why a label is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LabelError {
    /// The length of a field does not fit two bytes.
    #[error("the {field} has {got} bytes, at most {MAX_LABEL_FIELD_LEN} are allowed")]
    FieldTooLong {
        /// The field.
        field: LabelField,
        /// Its length.
        got: usize,
    },
    /// The bytes end within this field, bytes follow the last field, or the signer does not have 32 bytes.
    #[error("invalid length at the {field}")]
    BadLength {
        /// The field.
        field: LabelField,
    },
}

/// Why a key could not be created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// Too little key material.
    #[error("{got} bytes of key material, at least {MIN_KEY_MATERIAL_LEN} are needed")]
    ShortMaterial {
        /// The length of the key material.
        got: usize,
    },
    /// The scalar is zero or not below the group order.
    #[error("the secret key is zero or not below the group order")]
    BadSecret,
    /// The random number generator failed.
    #[error("the random number generator failed")]
    Randomness,
}

/// Why a key was not admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AdmissionError {
    /// The key does not decode.
    #[error("key: {0}")]
    Key(DecodeError),
    /// The proof of possession does not decode.
    #[error("proof of possession: {0}")]
    Pop(DecodeError),
    /// The proof of possession does not belong to this key.
    #[error("the proof of possession does not belong to this key")]
    BadPop,
    /// The key was revoked.
    #[error("the key of {signer} was revoked")]
    Revoked {
        /// The signer.
        signer: SignerId,
    },
}

/// Why a program is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// The program has no inputs.
    #[error("the program has no inputs")]
    EmptyProgram,
    /// The numbers of coefficients and labels differ.
    #[error("{coefficients} coefficients for {labels} labels")]
    LengthMismatch {
        /// The number of coefficients.
        coefficients: usize,
        /// The number of labels.
        labels: usize,
    },
    /// Too many inputs.
    #[error("{got} inputs, at most {MAX_INPUTS} are allowed")]
    TooManyInputs {
        /// The number of inputs.
        got: usize,
    },
    /// A zero coefficient would remove its label from the equation, and with it the binding to the signer.
    #[error("coefficient {index} is zero")]
    ZeroCoefficient {
        /// The index of the input, from 0.
        index: usize,
    },
    /// Two inputs have the same label.
    #[error("inputs {first} and {second} have the same label")]
    DuplicateLabel {
        /// The index of the first one.
        first: usize,
        /// The index of the second one.
        second: usize,
    },
    /// A coefficient of more than 64 bits.
    #[error("coefficient {index} is out of bounds")]
    OutOfBounds {
        /// The index of the input, from 0.
        index: usize,
    },
}

/// Why bytes are not a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MalformedProgram {
    /// The bytes end within an input, or within the header.
    #[error("the bytes end within input {index}")]
    Cut {
        /// The index of the input, from 0.
        index: usize,
    },
    /// There are bytes after the last input.
    #[error("{got} bytes after the last input")]
    Trailing {
        /// How many.
        got: usize,
    },
    /// The first byte names no bounds.
    #[error("unknown bounds {got}")]
    Bounds {
        /// The byte.
        got: u8,
    },
    /// A coefficient is not below the group order.
    #[error("coefficient {index} is not canonical")]
    NonCanonicalScalar {
        /// The index of the input, from 0.
        index: usize,
    },
    /// A label does not decode.
    #[error("input {index}: {error}")]
    Label {
        /// The index of the input, from 0.
        index: usize,
        /// The cause.
        error: LabelError,
    },
    /// The inputs are not a program.
    #[error(transparent)]
    Program(#[from] ProgramError),
}

/// Why the signatures of a key are not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyStatusError {
    /// The key is not known.
    #[error("the key of {signer} is not known")]
    UnknownSigner {
        /// The signer.
        signer: SignerId,
    },
    /// The key is known, but without a proof of possession.
    #[error("the key of {signer} has no proof of possession")]
    MissingPop {
        /// The signer.
        signer: SignerId,
    },
    /// The key was revoked, because the signer signed two messages under one label.
    #[error("the key of {signer} was revoked")]
    Revoked {
        /// The signer.
        signer: SignerId,
    },
}

/// Why a combined signature was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The key of a signer is not accepted.
    #[error(transparent)]
    KeyStatus(#[from] KeyStatusError),
    /// The numbers of partial sums and signers differ.
    #[error("expected {expected} partial sums, one per signer, got {got}")]
    PartialCountMismatch {
        /// The signers of the program.
        expected: usize,
        /// The partial sums of the signature.
        got: usize,
    },
    /// A partial sum that no messages within bounds can produce.
    #[error("the partial sum of {signer} is out of bounds")]
    OutOfBounds {
        /// The signer.
        signer: SignerId,
    },
    /// The partial sums do not add up to the claimed total.
    #[error("the partial sums do not add up to the total")]
    SumMismatch,
    /// The pairing equation is not satisfied: a message was not signed, or the signature was modified.
    #[error("the pairing equation is not satisfied")]
    PairingMismatch,
}

/// Why a signature was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignatureError {
    /// The key of the signer is not accepted.
    #[error(transparent)]
    KeyStatus(#[from] KeyStatusError),
    /// A message of more than 64 bits.
    #[error("the message of {signer} is out of bounds")]
    OutOfBounds {
        /// The signer.
        signer: SignerId,
    },
    /// The pairing equation is not satisfied.
    #[error("the pairing equation is not satisfied for {signer}")]
    PairingMismatch {
        /// The claimed signer.
        signer: SignerId,
    },
}

/// The invalid inputs; never empty.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} invalid inputs, the first at index {}: {}", .0.len(), first_index(.0), first_error(.0))]
pub struct BadInputs(pub Vec<(usize, SignatureError)>);

fn first_index(bad: &[(usize, SignatureError)]) -> usize {
    bad.first().map_or(0, |(index, _)| *index)
}

fn first_error(bad: &[(usize, SignatureError)]) -> String {
    bad.first()
        .map_or_else(String::new, |(_, error)| error.to_string())
}

/// Why a batch of signatures was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// The numbers of signatures and labels differ.
    #[error("{signatures} signatures for {labels} labels")]
    LengthMismatch {
        /// The number of labels.
        labels: usize,
        /// The number of signatures.
        signatures: usize,
    },
    /// Some signatures are invalid.
    #[error(transparent)]
    BadInputs(#[from] BadInputs),
}

/// Why signatures could not be combined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CombineError {
    /// The numbers of signatures and inputs differ.
    #[error("expected {expected} signatures, one per input, got {got}")]
    LengthMismatch {
        /// The inputs of the program.
        expected: usize,
        /// The signatures.
        got: usize,
    },
    /// Some signatures are invalid.
    #[error(transparent)]
    BadInputs(#[from] BadInputs),
    /// The programs cannot be joined.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The numbers of partial sums and signers of a part differ.
    #[error("part {part}: expected {expected} partial sums, one per signer, got {got}")]
    PartialCountMismatch {
        /// The index of the part, from 0.
        part: usize,
        /// The signers of its program.
        expected: usize,
        /// The partial sums of its signature.
        got: usize,
    },
    /// The parts mix integers and residues.
    #[error("the bounds of part {part} differ from those of the first")]
    BoundsMismatch {
        /// The index of the part, from 0.
        part: usize,
    },
    /// The signatures cancel out. Those of honest signers do not.
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

/// Why a message was not signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignError {
    /// The label names another signer.
    #[error("the label names signer {label}, but the key belongs to {key}")]
    WrongSigner {
        /// The signer that the label names.
        label: SignerId,
        /// The signer that the key belongs to.
        key: SignerId,
    },
    /// A message of more than 64 bits.
    #[error("the message {message} is out of bounds")]
    OutOfBounds {
        /// The message.
        message: Scalar,
    },
}

/// Why a pair of signatures does not prove equivocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EquivocationError {
    /// Both signatures are on the same message, which is allowed.
    #[error("both signatures are on the same message")]
    SameMessage,
    /// The label names another signer.
    #[error("the label names signer {label}, but the key belongs to {key}")]
    WrongSigner {
        /// The signer that the label names.
        label: SignerId,
        /// The signer that the key belongs to.
        key: SignerId,
    },
    /// One of the signatures is not valid on the label.
    #[error("signature {index} is not valid")]
    PairingMismatch {
        /// 0 or 1.
        index: usize,
    },
    /// The key is not known.
    #[error("the key of {signer} is not known")]
    UnknownSigner {
        /// The signer.
        signer: SignerId,
    },
}
