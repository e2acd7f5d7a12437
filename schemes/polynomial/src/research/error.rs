//! One error for each check, naming what broke.

use super::function::Monomial;
use num_bigint::BigInt;
use thiserror::Error;

/// Why bytes are no encoding of what they were taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BadEncoding {
    /// There are fewer or more bytes than the contents ask for.
    #[error("the length is not what the contents ask for")]
    Length,
    /// The first byte names a version that we do not know.
    #[error("version {got} is not known")]
    Version {
        /// The version named.
        got: u8,
    },
    /// A number is written in more bytes than it needs, or a coefficient in fewer or more than the others.
    #[error("a number is not written in the one way allowed")]
    NotMinimal,
    /// A number is larger than any valid one.
    #[error("a number is larger than any valid one")]
    TooLarge,
}

/// Which rule for public keys is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
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
    #[error("a is no root of x^n + 1 mod p")]
    BadRootA,
    /// `b` is not below `q`, or `b^n` is not -1 mod `q`.
    #[error("b is no root of x^n + 1 mod q")]
    BadRootB,
    /// The width is not the one of this dimension.
    #[error("the width is not n^4 log2(n)")]
    Width,
}

/// Which rule for secret keys is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SecretKeyFault {
    /// A generator is not `1 + 2S` with coefficients of `2S` from -n to n.
    #[error("a generator has a coefficient out of range or of the wrong parity")]
    Generator,
    /// The norm of a generator is not prime, or both are the same.
    #[error("a generator has no prime norm of its own")]
    Norm,
    /// The Gaussian width is too small for this basis: signatures would leak it.
    #[error("the width is too small for this basis")]
    Width,
}

/// What is wrong with a key or its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum KeyError {
    /// The dimension is no power of two, under 4, or over what is supported.
    #[error("dimension {got} is no power of two from 4 to 128")]
    BadDimension {
        /// The dimension asked for.
        got: usize,
    },
    /// A limit is zero, or the one for coefficients is too large.
    #[error("the limits must be positive, and the one for coefficients below 2^63")]
    BadLimits,
    /// The bytes are no encoding of a key.
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

/// Why a function is not one that a key admits.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FunctionError {
    /// It has no variables, or all its coefficients are zero.
    #[error("the function is zero")]
    EmptyFunction,
    /// It has a constant term, which no signature would stand behind.
    #[error("the function has a constant term")]
    ConstantTerm,
    /// A monomial is named twice.
    #[error("the monomial {0} is named twice")]
    RepeatedMonomial(Monomial),
    /// The text is no sum of terms.
    #[error("no polynomial is written at byte {at}")]
    Unreadable {
        /// How many bytes could be read.
        at: usize,
    },
    /// The list of coefficients does not have one for each monomial.
    #[error("expected {expected} coefficients, got {got}")]
    CoefficientCount {
        /// How many monomials there are.
        expected: usize,
        /// How many coefficients were given.
        got: usize,
    },
    /// A coefficient is larger than the key admits.
    #[error("the coefficient {got} of {monomial} is not within {limit}")]
    CoefficientOutOfRange {
        /// Whose coefficient.
        monomial: Monomial,
        /// The coefficient.
        got: i64,
        /// The largest that is admitted.
        limit: u64,
    },
    /// The degree, the number of variables or the number of terms is more than is admitted.
    #[error("{what} is {got}, and at most {limit} is admitted")]
    NotAdmissible {
        /// What is too large.
        what: &'static str,
        /// How large it is.
        got: u64,
        /// The most that is admitted.
        limit: u64,
    },
}

/// Why a request was not signed.
#[derive(Debug, Error)]
pub enum SignError {
    /// The index is not below the key's data-set size.
    #[error("index {index} is not below the data-set size {limit}")]
    NotAdmissible {
        /// The index asked for.
        index: u64,
        /// The key's largest data set.
        limit: u32,
    },
    /// The message is no member of the message space.
    #[error("the message {message} is not strictly between -p/2 and p/2")]
    MessageOutOfRange {
        /// The message.
        message: BigInt,
    },
    /// The register refused, or could not be written. Nothing was signed.
    #[error(transparent)]
    Register(#[from] super::register::RegisterError),
}

/// Why signatures were not combined.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EvaluateError {
    /// The key does not admit the function.
    #[error(transparent)]
    Function(#[from] FunctionError),
    /// There is not one signature for each variable.
    #[error("the function has {expected} variables, and {got} signatures came")]
    InputCount {
        /// The function's variables.
        expected: u32,
        /// The signatures handed in.
        got: usize,
    },
    /// A signature is of another dimension than the key.
    #[error("signature {index} is of another dimension than the key")]
    WrongDimension {
        /// Which signature.
        index: usize,
    },
    /// The signatures are so long that the result's coefficients have over 255 bytes. Honest ones of admissible
    /// functions of low degree never are.
    #[error("the signatures are too long to be combined by this function")]
    TooLong,
    /// With messages of the declared size the result may not fit between -p/2 and p/2.
    #[error("with messages up to {range} the result may leave the message space")]
    ResultOutOfRange {
        /// The largest message declared.
        range: u64,
    },
}

/// Why a signature on a result was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum VerifyError {
    /// The key does not admit the function.
    #[error(transparent)]
    Function(#[from] FunctionError),
    /// The signature is of another dimension than the key.
    #[error("the signature is of dimension {got}, the key of {expected}")]
    WrongDimension {
        /// The key's.
        expected: usize,
        /// The signature's.
        got: usize,
    },
    /// The value is not strictly between -p/2 and p/2, so that it stands for another one mod p.
    #[error("the value is not strictly between -p/2 and p/2")]
    ResultOutOfRange,
    /// The signature is longer than an honest one for this function can be.
    #[error("the norm is over the bound")]
    NormExceeded,
    /// The signature is for another value.
    #[error("the signature is not for this value")]
    ValueMismatch,
    /// The signature is for another function, data set or order of values, or under another key.
    #[error("the signature is not for this function of this data set under this key")]
    FunctionMismatch,
}
