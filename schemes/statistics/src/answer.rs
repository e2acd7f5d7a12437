//! A sum or a mean over the set, under one signature.

use crate::{
    certificate::Certificate,
    context::Context,
    error::AnswerError,
    metric::Metric,
    period::Period,
    statistic::{Statistic, Value},
    weights::Weights,
};
use codec::{Decode, DecodeWithMemTracking, Encode};
use duet_mklhs::{verify, Bounds, Combined, Program, Scalar, Signers};
use duet_primitives::{SignerIndex, H256};

/// The weighted sum of one figure of each member that reported it, under one signature. Unchecked.
///
/// Encoding: SCALE; 260 bytes for each member, and 48 and 32 for each member for the signature.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking)]
pub struct Answer {
    /// The period.
    pub period: Period,
    /// The metric.
    pub metric: Metric,
    /// Whose figures are in it, in the order of the set.
    pub contributions: Vec<Contribution>,
    /// The signature, with the weighted figure of each member.
    pub combined: Vec<u8>,
}

/// A member whose figure is in an answer.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking)]
pub struct Contribution {
    /// Position of the validator in the set.
    pub member: SignerIndex,
    /// The key of its signature.
    pub certificate: Certificate,
}

impl Answer {
    /// Checks that members of the set signed every figure in it, and that it has no others. Missing members are listed:
    /// a server can leave members out, and cannot hide that.
    ///
    /// Cost: for each member a proof without a pairing, a hash to the curve and two pairings for the key, and a hash and a
    /// pairing for the signature, on all threads of rayon's pool.
    ///
    /// # Errors
    /// [`AnswerError`] with the first broken rule.
    pub fn verify(
        &self,
        context: &Context<'_>,
        metric: Metric,
        weights: &Weights,
    ) -> Result<Statistic, AnswerError> {
        weights.check(context)?;
        if self.period != context.period() {
            return Err(AnswerError::OtherPeriod);
        }
        if self.metric != metric {
            return Err(AnswerError::OtherMetric {
                expected: metric,
                got: self.metric,
            });
        }
        let Members {
            signers,
            program,
            weighted,
        } = self.check_members(context, weights)?;
        let combined = Combined::from_bytes(&self.combined)?;
        let verified = verify(&program, &signers, combined.total(), &combined)?;
        let sums = verified.per_signer.iter().map(|(_, sum)| *sum);
        let values = weighted.into_iter().zip(sums);
        let values = values.map(|((member, weight), sum)| value(member, weight, sum));
        Ok(Statistic::new(
            self.period,
            metric,
            values.collect::<Result<_, _>>()?,
            self.absent(context, weights),
        ))
    }

    /// That the members are in order, in the set and have a weight, and their certificates hold.
    fn check_members(
        &self,
        context: &Context<'_>,
        weights: &Weights,
    ) -> Result<Members, AnswerError> {
        let mut signers = Signers::new();
        let (mut labels, mut weighted) = (Vec::new(), Vec::new());
        let mut last = None;
        for Contribution {
            member,
            certificate,
        } in &self.contributions
        {
            let member = *member;
            let wrong = AnswerError::Member { member };
            let key = context.member(member).ok_or(wrong.clone())?;
            let weight = weights.of(member).ok_or(wrong.clone())?;
            if last.is_some_and(|last| last >= member) {
                return Err(wrong);
            }
            last = Some(member);
            let signer = certificate
                .check(context, key, &mut signers)
                .map_err(|error| AnswerError::Certificate { member, error })?;
            labels.push(context.label(&key.to_bytes(), signer, self.metric)?);
            weighted.push((member, weight));
        }
        let coefficients = weighted.iter().map(|(_, weight)| Scalar::from(*weight));
        let program = Program::new(Bounds::Integers, coefficients.collect(), labels)?;
        Ok(Members {
            signers,
            program,
            weighted,
        })
    }

    /// The members with a weight that are not in it.
    fn absent(&self, context: &Context<'_>, weights: &Weights) -> Vec<SignerIndex> {
        let members = (0..context.len()).map(SignerIndex::new);
        let counting = members.filter(|member| weights.of(*member).is_some());
        let is_in = |member: &SignerIndex| {
            let found = self
                .contributions
                .binary_search_by_key(member, |contribution| contribution.member);
            found.is_ok()
        };
        counting.filter(|member| !is_in(member)).collect()
    }

    /// The context that the answer names, for a set that is known.
    ///
    /// # Errors
    /// [`AnswerError::Context`] when the figures are another set's.
    pub fn context<'a>(
        &self,
        genesis: H256,
        set: &'a duet_primitives::Keyset,
    ) -> Result<Context<'a>, AnswerError> {
        Ok(Context::new(genesis, self.period, set)?)
    }
}

/// The members of an answer, checked.
struct Members {
    signers: Signers,
    program: Program,
    /// Each with its weight.
    weighted: Vec<(SignerIndex, u64)>,
}

/// The figure of a member whose weighted figure was signed.
fn value(member: SignerIndex, weight: u64, sum: Scalar) -> Result<Value, AnswerError> {
    let exact = || {
        let sum = u128::try_from(sum.to_i128()?).ok()?;
        let weight = u128::from(weight);
        let value = u64::try_from(sum.checked_div(weight)?).ok()?;
        (u128::from(value).checked_mul(weight) == Some(sum)).then_some(value)
    };
    let value = exact().ok_or(AnswerError::Value { member })?;
    Ok(Value {
        member,
        weight,
        value,
    })
}
