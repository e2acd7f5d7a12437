//! One error per check. Each names what broke, and where.

/// A point was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PointError {
    /// The bytes are not the one encoding of a point on the curve.
    #[error("the bytes are not the encoding of a point on the curve")]
    Encoding,
    /// The point is on the curve and not in the group of prime order.
    #[error("the point is not in the group of prime order")]
    Subgroup,
}

/// Bytes of the wrong number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{expected} bytes are expected, and here are {got}")]
pub struct LengthError {
    /// How many there should be.
    pub expected: usize,
    /// How many there are.
    pub got: usize,
}

/// A component of a ciphertext.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// `c1`, a point of G1.
    C1,
    /// `c2`, in the target group.
    C2,
    /// `c3`, in the target group: the one that carries the message.
    C3,
    /// `c4`, in the target group: the one that only the receiver can check.
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

/// Why a ciphertext was refused before anybody's key came into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CiphertextError {
    /// Too few bytes, or bytes left over.
    #[error("no ciphertext: {0}")]
    Length(#[from] LengthError),
    /// A version of the wire that is not known.
    #[error("a ciphertext of version {got} is not known here")]
    Version {
        /// The version byte.
        got: u8,
    },
    /// `c1` is no point of G1.
    #[error("c1: {0}")]
    BadG1Point(#[from] PointError),
    /// `c1` is the identity or `c2` is one: such a tuple would pass the test under every keyword.
    #[error("{component} is the identity element")]
    IdentityElement {
        /// Which.
        component: Component,
    },
    /// A component is not in the target group: small orders would leak the key that it is raised to.
    #[error("{component} is not in the target group")]
    BadGtElement {
        /// Which.
        component: Component,
    },
}

/// Bytes that should be a message of the target group are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bytes are no element of the target group")]
pub struct MessageError;

/// Why the secrets could not be derived from a seed. Of 2²⁵⁰ seeds not one is like that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this seed derives a zero or a repeated secret: take another")]
pub struct UnusableSeed;

/// A keyword is longer than its length field can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a keyword or a field of it has {got} bytes, and at most {most} are possible")]
pub struct KeywordTooLong {
    /// Its bytes.
    pub got: usize,
    /// The most it could have.
    pub most: usize,
}

/// The keyword hashes to the receiver's secret: no key and no ciphertext for it may be made, for they would give
/// the secret away. A probability of 2⁻²⁵⁵.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this keyword cannot be used with this key")]
pub struct KeywordHitsKey;

/// A part of a public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublicPart {
    /// `A`, in G1.
    A,
    /// One of `h₁` to `h₄`, in G2, by its number.
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

/// Why a public key was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PublicKeyError {
    /// Too few or too many bytes.
    #[error("no public key: {0}")]
    Length(#[from] LengthError),
    /// A part is no point of its group.
    #[error("{part}: {error}")]
    BadPoint {
        /// Which.
        part: PublicPart,
        /// Why.
        error: PointError,
    },
    /// A part is the identity.
    #[error("{part} is the identity element")]
    IdentityElement {
        /// Which.
        part: PublicPart,
    },
    /// Two of the four points of G2 are one: what is hidden under one would be shown under the other.
    #[error("h{first} and h{second} are the same")]
    RepeatedPoint {
        /// The first.
        first: usize,
        /// The second.
        second: usize,
    },
    /// The key is not the one that was pinned.
    #[error("the key does not have the fingerprint that was pinned")]
    FingerprintMismatch,
}

/// Why a homomorphic key or a decryption key was refused on import (`BadHomKey` of the specification). A wrong key
/// would not fail later: it would silently find nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadHomKey {
    /// Too few or too many bytes.
    #[error("no key: {0}")]
    Length(#[from] LengthError),
    /// The point that names the keyword is no point of G1.
    #[error("the keyword's point: {0}")]
    BadKeywordPoint(PointError),
    /// The key is for another keyword.
    #[error("the key is for another keyword")]
    WrongKeyword,
    /// A scalar is not below the order of the groups.
    #[error("the scalar of part {index} is not reduced")]
    ScalarNotReduced {
        /// Of the part with this number.
        index: usize,
    },
    /// The point of a part is no point of G2.
    #[error("the point of part {index}: {error}")]
    BadPoint {
        /// Of the part with this number.
        index: usize,
        /// Why.
        error: PointError,
    },
    /// A part does not belong to this public key and keyword.
    #[error("part {index} does not belong to this public key and keyword")]
    WrongPart {
        /// The part with this number.
        index: usize,
    },
    /// No key of this receiver can be for this keyword.
    #[error(transparent)]
    KeywordHitsKey(#[from] KeywordHitsKey),
}

/// The test failed: a ciphertext for another keyword or another receiver, or one that was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the ciphertext was not made for this keyword")]
pub struct Unmatched;

/// Why ciphertexts could not be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvaluationError {
    /// There is nothing to add.
    #[error("nothing to add")]
    EmptyInput,
    /// An input fails the test of this key.
    #[error("input {index} was not made for this keyword")]
    MisOperation {
        /// Its position, from zero.
        index: usize,
    },
    /// An input passed the test of another key, which says nothing here.
    #[error("input {index} was tested with another homomorphic key")]
    TestedWithOtherKey {
        /// Its position, from zero.
        index: usize,
    },
}

/// The result is not in the range that the table of discrete logarithms was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the plaintext is not between -{bound} and {bound}")]
pub struct PlaintextOutOfRange {
    /// The largest magnitude that could be found.
    pub bound: u64,
}

/// Why there can be no table of discrete logarithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// A range of which the number of values does not fit 63 bits.
    #[error("a range up to {bound} is more than a search can cover")]
    RangeTooLarge {
        /// The magnitude that was asked for.
        bound: u64,
    },
    /// Less memory than the smallest table takes.
    #[error("{allowed} bytes are less than the {least} of the smallest table")]
    TooLittleMemory {
        /// The bytes that were allowed.
        allowed: usize,
        /// The bytes of the smallest table.
        least: usize,
    },
}

/// A bound on a result does not fit: the weights or the inputs are too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bound on the result is more than {}", i64::MAX)]
pub struct BoundTooLarge;
