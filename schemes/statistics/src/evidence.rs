//! Evidence that a validator said two different things.

use crate::{
    certificate::Certificate, context::Context, error::EvidenceError, metric::Metric,
    period::Period,
};
use codec::{Decode, DecodeWithMemTracking, Encode};
use duet_mklhs::{suite::SIGNATURE_LEN, EquivocationProof, Signature, Signers};
use duet_primitives::SignerIndex;

/// Evidence that a member of a set said two different things about one period. Unchecked.
///
/// Two signed values of one metric also give away so much of the key that anybody can sign in its name. So nothing of that
/// member counts in that period.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking)]
pub struct Evidence {
    /// The period.
    pub period: Period,
    /// Position of the validator in the set.
    pub member: SignerIndex,
    /// The contradicting statements.
    pub conflict: Conflict,
}

/// Two things that an honest validator does not both say.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking)]
// There is little of it. The cast is in what the derive makes.
#[allow(clippy::large_enum_variant, clippy::cast_possible_truncation)]
pub enum Conflict {
    /// Certificates of two keys.
    Keys([Certificate; 2]),
    /// Two values of one metric.
    Values {
        /// The key of both signatures.
        certificate: Certificate,
        /// The metric.
        metric: Metric,
        /// The signatures, with the values in them.
        signatures: [[u8; SIGNATURE_LEN]; 2],
    },
}

impl Evidence {
    /// Checks that the member said both things.
    ///
    /// # Errors
    /// [`EvidenceError`] with the first broken rule.
    pub fn check(&self, context: &Context<'_>) -> Result<(), EvidenceError> {
        if self.period != context.period() {
            return Err(EvidenceError::OtherPeriod);
        }
        let unknown = EvidenceError::UnknownMember {
            member: self.member,
            len: context.len(),
        };
        let member = context.member(self.member).ok_or(unknown)?;
        let mut signers = Signers::new();
        match &self.conflict {
            Conflict::Keys([first, second]) => {
                if first.key == second.key {
                    return Err(EvidenceError::SameKey);
                }
                first.check(context, member, &mut signers)?;
                second.check(context, member, &mut signers)?;
            }
            Conflict::Values {
                certificate,
                metric,
                signatures: [first, second],
            } => {
                let signer = certificate.check(context, member, &mut signers)?;
                let label = context.label(&member.to_bytes(), signer, *metric)?;
                let decode = |index, bytes: &[u8]| {
                    Signature::from_bytes(bytes)
                        .map_err(|error| EvidenceError::Signature { index, error })
                };
                let (first, second) = (decode(0, first)?, decode(1, second)?);
                signers.revoke(&EquivocationProof::new(label, first, second))?;
            }
        }
        Ok(())
    }
}
