//! Errors: one per check. Each names the value at fault.

/// Why a point was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PointError {
    /// The bytes are not the canonical encoding of a point on the curve.
    #[error("the bytes are not the canonical encoding of a point on the curve")]
    Encoding,
    /// The point is on the curve, but not in the subgroup of prime order.
    #[error("the point is not in the subgroup of prime order")]
    Subgroup,
}

/// The number of bytes is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected} bytes, got {got}")]
pub struct LengthError {
    /// The expected number.
    pub expected: usize,
    /// The actual number.
    pub got: usize,
}

/// A component of a ciphertext.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// `c1`, a point of G1.
    C1,
    /// `c2`, in the target group.
    C2,
    /// `c3`, in the target group. It contains the message.
    C3,
    /// `c4`, in the target group. Only the receiver or a delegate can check it.
    C4,
}

impl core::fmt::Display for Component {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::C1 => "c1",
            Self::C2 => "c2",
            Self::C3 => "c3",
            Self::C4 => "c4",
        })
    }
}

/// Why a ciphertext was rejected before any key was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CiphertextError {
    /// Too few or too many bytes.
    #[error("not a ciphertext: {0}")]
    Length(#[from] LengthError),
    /// Unknown version.
    #[error("unknown ciphertext version {got}")]
    Version {
        /// The version.
        got: u8,
    },
    /// `c1` is not a point of G1.
    #[error("c1: {0}")]
    BadG1Point(#[from] PointError),
    /// `c1` is the identity or `c2` is one: such a ciphertext would pass the test for every keyword.
    #[error("{component} is the identity element")]
    IdentityElement {
        /// The component.
        component: Component,
    },
    /// A component is not in the target group. Components of small order would leak the key that they are raised to.
    #[error("{component} is not in the target group")]
    BadGtElement {
        /// The component.
        component: Component,
    },
}

/// Bytes do not encode an element of the target group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bytes do not encode an element of the target group")]
pub struct MessageError;

/// The secrets derived from a seed are unusable. The probability is below 2⁻²⁵⁰.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this seed gives a zero or repeated secret: use another seed")]
pub struct UnusableSeed;

/// The length of a keyword does not fit its length field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a keyword or one of its fields has {got} bytes, at most {most} are allowed")]
pub struct KeywordTooLong {
    /// Its length.
    pub got: usize,
    /// The maximum length.
    pub most: usize,
}

/// The keyword hashes to the receiver's secret. Keys or ciphertexts for it would reveal the secret, so they cannot be
/// created. The probability is 2⁻²⁵⁵.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this keyword cannot be used with this key")]
pub struct KeywordCollidesWithKey;

/// A component of a public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublicPart {
    /// `A`, in G1.
    A,
    /// One of `h₁` to `h₄`, in G2, by its index.
    H(usize),
}

impl core::fmt::Display for PublicPart {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::A => f.write_str("A"),
            Self::H(index) => write!(f, "h{index}"),
        }
    }
}

/// Why a public key was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PublicKeyError {
    /// Too few or too many bytes.
    #[error("not a public key: {0}")]
    Length(#[from] LengthError),
    /// A component is not a point of its group.
    #[error("{part}: {error}")]
    BadPoint {
        /// The component.
        part: PublicPart,
        /// The cause.
        error: PointError,
    },
    /// A component is the identity.
    #[error("{part} is the identity element")]
    IdentityElement {
        /// The component.
        part: PublicPart,
    },
    /// Two of the four points of G2 are equal: one would reveal the other's secret.
    #[error("h{first} and h{second} are equal")]
    RepeatedPoint {
        /// The first index.
        first: usize,
        /// The second index.
        second: usize,
    },
    /// The key does not have the pinned fingerprint.
    #[error("the key does not have the pinned fingerprint")]
    FingerprintMismatch,
}

/// Why a homomorphic key or a decryption key was rejected on import (`BadHomKey` in the specification). A wrong key
/// would not fail later: it would silently find nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadHomKey {
    /// Too few or too many bytes.
    #[error("not a key: {0}")]
    Length(#[from] LengthError),
    /// The point of the keyword is not a point of G1.
    #[error("the keyword's point: {0}")]
    BadKeywordPoint(PointError),
    /// The key is for another keyword.
    #[error("the key is for another keyword")]
    WrongKeyword,
    /// A scalar is not below the group order.
    #[error("the scalar of part {index} is not reduced")]
    ScalarNotReduced {
        /// The index of the part.
        index: usize,
    },
    /// The point of a part is not a point of G2.
    #[error("the point of part {index}: {error}")]
    BadPoint {
        /// The index of the part.
        index: usize,
        /// The cause.
        error: PointError,
    },
    /// A part does not match this public key and keyword.
    #[error("part {index} does not match this public key and keyword")]
    WrongPart {
        /// The index of the part.
        index: usize,
    },
    /// The keyword collides with the receiver's secret.
    #[error(transparent)]
    KeywordCollidesWithKey(#[from] KeywordCollidesWithKey),
}

/// The test failed: the ciphertext is for another keyword or receiver, or was modified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the ciphertext is not for this keyword")]
pub struct Unmatched;

/// Why ciphertexts could not be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvaluationError {
    /// There are no inputs.
    #[error("there are no inputs to add")]
    EmptyInput,
    /// An input fails the test with this key.
    #[error("input {index} is not for this keyword")]
    MisOperation {
        /// Its index, from zero.
        index: usize,
    },
    /// An input was tested with another key, which says nothing about this one.
    #[error("input {index} was tested with another homomorphic key")]
    TestedWithOtherKey {
        /// Its index, from zero.
        index: usize,
    },
}

/// The result is not in the range of the table of discrete logarithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the plaintext is not between -{bound} and {bound}")]
pub struct PlaintextOutOfRange {
    /// The largest magnitude of the range.
    pub bound: u64,
}

/// Why a table of discrete logarithms could not be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The number of values in the range does not fit 63 bits.
    #[error("a range up to {bound} is too large for a search")]
    RangeTooLarge {
        /// The requested magnitude.
        bound: u64,
    },
    /// The memory is less than the smallest table needs.
    #[error("{allowed} bytes are too few: the smallest table needs {least}")]
    TooLittleMemory {
        /// The allowed bytes.
        allowed: usize,
        /// The bytes of the smallest table.
        least: usize,
    },
    /// The memory was allowed, and cannot be had.
    #[error("cannot allocate a table of {entries} entries: set a lower memory limit")]
    NoMemory {
        /// The entries of the table.
        entries: usize,
    },
}

/// The bound on a result overflows: the weights or the inputs are too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bound on the result exceeds {}", i64::MAX)]
pub struct BoundTooLarge;
