//! Why something is refused. Each error names the rule and the member at fault.

use crate::metric::Metric;
use duet_mklhs::{
    AdmissionError, BatchError, CombineError, DecodeError, EquivocationError, LabelError,
    ProgramError, VerifyError,
};
use duet_primitives::{SetId, SignatureError, SignerIndex};

/// The period is another set's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the figures are those of set {got}, not of set {expected}")]
pub struct ContextError {
    /// The set that is known.
    pub expected: SetId,
    /// The set of the period.
    pub got: SetId,
}

/// Why a certificate is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CertificateError {
    /// The validator's Duet key did not sign it.
    #[error("the Duet key did not certify this key: {0}")]
    Ownership(#[from] SignatureError),
    /// The key, or its proof of possession.
    #[error(transparent)]
    Key(#[from] AdmissionError),
}

/// Why a report is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReportError {
    /// It is about another period.
    #[error("the report is about another period")]
    OtherPeriod,
    /// The set has no such member.
    #[error("there is no member {member} in a set of {len}")]
    UnknownMember {
        /// The member that the report names.
        member: SignerIndex,
        /// Members of the set.
        len: u32,
    },
    /// It has no figures, or one twice, or not in their order.
    #[error("the figures are missing, repeated or out of order")]
    Order,
    /// The certificate.
    #[error("invalid certificate: {0}")]
    Certificate(#[from] CertificateError),
    /// A signature does not decode.
    #[error("{metric}: {error}")]
    Figure {
        /// The figure.
        metric: Metric,
        /// The broken rule.
        error: DecodeError,
    },
    /// A figure is negative, or has more than 64 bits.
    #[error("{metric} is not a number from 0 to 2^64 - 1")]
    Range {
        /// The figure.
        metric: Metric,
    },
    /// A label that the scheme refuses.
    #[error(transparent)]
    Label(#[from] LabelError),
    /// A signature does not hold.
    #[error(transparent)]
    Signatures(#[from] BatchError),
}

/// Why weights are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// There is not one for each member.
    #[error("{got} weights for {expected} members")]
    Count {
        /// Members of the set.
        expected: u32,
        /// Weights.
        got: usize,
    },
    /// Their sum is too large for sums to be exact.
    #[error("the weights add up to 2^63 or more")]
    Sum,
    /// All are zero.
    #[error("all weights are zero")]
    Zero,
}

/// Why an answer cannot be made, or is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// The period is another set's.
    #[error(transparent)]
    Context(#[from] ContextError),
    /// The weights.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// It is about another metric.
    #[error("the answer is about {got}, not about {expected}")]
    OtherMetric {
        /// The requested metric.
        expected: Metric,
        /// The metric of the answer.
        got: Metric,
    },
    /// It is about another period.
    #[error("the answer is about another period")]
    OtherPeriod,
    /// Nobody with a weight reported this figure.
    #[error("no member with a non-zero weight has reported {0}")]
    Nobody(Metric),
    /// The members are not in order, each once, inside the set and with a weight.
    #[error("member {member} is out of order, outside of the set, or without a weight")]
    Member {
        /// The member.
        member: SignerIndex,
    },
    /// The certificate of a member.
    #[error("invalid certificate of member {member}: {error}")]
    Certificate {
        /// The member.
        member: SignerIndex,
        /// The broken rule.
        error: CertificateError,
    },
    /// The combined signature does not decode.
    #[error("malformed combined signature: {0}")]
    Combined(#[from] DecodeError),
    /// A label that the scheme refuses.
    #[error(transparent)]
    Label(#[from] LabelError),
    /// Too many members, or two members with one key.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The signatures cannot be combined.
    #[error(transparent)]
    Combine(#[from] CombineError),
    /// The combined signature does not hold.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// A member's signed value is not its weight times a number from 0 to 2^64 - 1.
    #[error(
        "the signed value of member {member} is not its weight times a number from 0 to 2^64 - 1"
    )]
    Value {
        /// The member.
        member: SignerIndex,
    },
}

/// Why evidence is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvidenceError {
    /// It is about another period.
    #[error("the evidence is about another period")]
    OtherPeriod,
    /// The set has no such member.
    #[error("there is no member {member} in a set of {len}")]
    UnknownMember {
        /// The member that is accused.
        member: SignerIndex,
        /// Members of the set.
        len: u32,
    },
    /// A certificate.
    #[error("invalid certificate: {0}")]
    Certificate(#[from] CertificateError),
    /// Both certificates are of one key.
    #[error("both certificates are for the same key")]
    SameKey,
    /// A signature does not decode.
    #[error("signature {index}: {error}")]
    Signature {
        /// Which of the two.
        index: usize,
        /// The broken rule.
        error: DecodeError,
    },
    /// A label that the scheme refuses.
    #[error(transparent)]
    Label(#[from] LabelError),
    /// The two signatures are no evidence.
    #[error(transparent)]
    Values(#[from] EquivocationError),
}
