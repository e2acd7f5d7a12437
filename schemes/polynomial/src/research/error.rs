//! One error for each check, naming the rule that was broken.

use super::monomial::Monomial;
use duet_journal::{register::Refusal, FileError};
use num_bigint::BigInt;
use thiserror::Error;

/// Why bytes could not be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BadEncoding {
    /// Too few or too many bytes for the content.
    #[error("the length does not match the content")]
    Length,
    /// The first byte is an unknown version.
    #[error("unknown version {got}")]
    Version {
        /// The version.
        got: u8,
    },
    /// A number has leading zero bytes, or a coefficient has another length than the others.
    #[error("a number is not in its canonical encoding")]
    NotMinimal,
    /// A number is larger than any valid one.
    #[error("a number is larger than any valid one")]
    TooLarge,
}

/// The rule that a public key breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PublicKeyFault {
    /// The modulus of the messages is not an odd prime.
    #[error("p is not an odd prime")]
    CompositeP,
    /// The modulus of the identifiers is not an odd prime.
    #[error("q is not an odd prime")]
    CompositeQ,
    /// The two ideals have the same modulus.
    #[error("p and q are equal")]
    SameModulus,
    /// `a` is not below `p`, or `a^n` is not -1 mod `p`.
    #[error("a is not a root of x^n + 1 mod p")]
    BadRootA,
    /// `b` is not below `q`, or `b^n` is not -1 mod `q`.
    #[error("b is not a root of x^n + 1 mod q")]
    BadRootB,
    /// The width does not match the dimension.
    #[error("the width is not n^4 log2(n)")]
    Width,
}

/// The rule that a secret key breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SecretKeyFault {
    /// A generator is not `1 + 2S` with coefficients of `2S` from -n to n.
    #[error("a generator has a coefficient out of range or of the wrong parity")]
    Generator,
    /// The norm of a generator is not prime, or both norms are equal.
    #[error("the norms of the generators are not two different primes")]
    Norm,
    /// The Gaussian width is too small for this basis, so signatures would leak it.
    #[error("the width is too small for this basis")]
    Width,
}

/// Why a key or its parameters are invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The dimension is not a power of two, below 4, or above the supported maximum.
    #[error("dimension {got} is not a power of two from 4 to 128")]
    BadDimension {
        /// The requested dimension.
        got: usize,
    },
    /// A limit is zero, or the limit for coefficients is too large.
    #[error("the limits must be positive, and the limit for coefficients below 2^63")]
    BadLimits,
    /// The bytes do not encode a key.
    #[error("bad encoding: {0}")]
    BadEncoding(#[from] BadEncoding),
    /// A public key breaks a rule.
    #[error("bad public key: {0}")]
    BadPublicKey(PublicKeyFault),
    /// A secret key breaks a rule.
    #[error("bad secret key: {0}")]
    BadSecretKey(SecretKeyFault),
    /// The public key does not belong to the secret key.
    #[error("the public key does not belong to the secret key")]
    KeyMismatch,
}

/// Why a function is not admitted by a key.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FunctionError {
    /// It has no variables, or all its coefficients are zero.
    #[error("the function is zero")]
    EmptyFunction,
    /// The function has a constant term, which is not covered by any signature.
    #[error("the function has a constant term")]
    ConstantTerm,
    /// A monomial appears twice.
    #[error("the monomial {0} appears twice")]
    RepeatedMonomial(Monomial),
    /// The text is not a sum of terms.
    #[error("not a polynomial: cannot parse the text from byte {at}")]
    Unreadable {
        /// The number of bytes that were parsed.
        at: usize,
    },
    /// The number of coefficients does not match the number of monomials.
    #[error("expected {expected} coefficients, got {got}")]
    CoefficientCount {
        /// The number of monomials.
        expected: usize,
        /// The number of coefficients.
        got: usize,
    },
    /// A coefficient is larger than the key admits.
    #[error("the coefficient {got} of {monomial} exceeds the limit {limit}")]
    CoefficientOutOfRange {
        /// The monomial.
        monomial: Monomial,
        /// The coefficient.
        got: i64,
        /// The largest admitted magnitude.
        limit: u64,
    },
    /// The degree, the number of variables or the number of terms exceeds the limit.
    #[error("{what} is {got}, above the limit of {limit}")]
    NotAdmissible {
        /// The quantity that is too large.
        what: &'static str,
        /// Its value.
        got: u64,
        /// The largest admitted value.
        limit: u64,
    },
}

/// Why a request was not signed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SignError {
    /// The index is not below the maximum size of a data set under this key.
    #[error("index {index} is not below the maximum data-set size {limit}")]
    NotAdmissible {
        /// The index.
        index: u64,
        /// The maximum data-set size.
        limit: u32,
    },
    /// The message is not in the message space.
    #[error("the message {message} is not strictly between -p/2 and p/2")]
    MessageOutOfRange {
        /// The message.
        message: BigInt,
    },
    /// The register refused the request or could not be written. Nothing was signed.
    #[error(transparent)]
    Register(#[from] RegisterError),
}

/// Why a register refused a request or cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// The label was already used for another message.
    #[error("label {position} of the request was already used for another message")]
    LabelAlreadyUsed {
        /// The position of the label in the request.
        position: usize,
    },
    /// The register belongs to another key than the signing one.
    #[error("the register belongs to another key")]
    OtherKey,
    /// The journal or the anchor cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
}

impl<M> From<Refusal<M>> for RegisterError {
    fn from(refusal: Refusal<M>) -> Self {
        match refusal {
            Refusal::LabelUsed { index, .. } => Self::LabelAlreadyUsed { position: index },
            Refusal::File(error) => Self::File(error),
        }
    }
}

/// Why signatures were not combined.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// The key does not admit the function.
    #[error(transparent)]
    Function(#[from] FunctionError),
    /// The numbers of signatures and variables differ.
    #[error("expected {expected} signatures, one per variable, got {got}")]
    InputCount {
        /// The number of variables.
        expected: u32,
        /// The number of signatures.
        got: usize,
    },
    /// A signature has another dimension than the key.
    #[error("signature {index} has another dimension than the key")]
    WrongDimension {
        /// The index of the signature.
        index: usize,
    },
    /// The signatures are so long that the result's coefficients exceed 255 bytes. This cannot happen with honest
    /// signatures and admissible functions of low degree.
    #[error("the signatures are too long to be combined with this function")]
    TooLong,
    /// With messages up to the declared magnitude, the result may not be between -p/2 and p/2.
    #[error("with messages up to {range} the result may leave the message space")]
    ResultOutOfRange {
        /// The declared magnitude.
        range: u64,
    },
}

/// Why the signature of a result was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The key does not admit the function.
    #[error(transparent)]
    Function(#[from] FunctionError),
    /// The signature has another dimension than the key.
    #[error("the signature has dimension {got}, the key has dimension {expected}")]
    WrongDimension {
        /// The dimension of the key.
        expected: usize,
        /// The dimension of the signature.
        got: usize,
    },
    /// The value is not strictly between -p/2 and p/2, so it is equal to another value mod p.
    #[error("the value is not strictly between -p/2 and p/2")]
    ResultOutOfRange,
    /// The signature is longer than an honest one for this function can be.
    #[error("the norm exceeds the bound")]
    NormExceeded,
    /// The signature is for another value.
    #[error("the signature is not for this value")]
    ValueMismatch,
    /// The signature is for another function, data set or order of values, or under another key.
    #[error("the signature is not for this function of this data set under this key")]
    FunctionMismatch,
}
