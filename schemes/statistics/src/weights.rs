//! How much each member counts.

use crate::{context::Context, error::WeightsError};
use duet_primitives::SignerIndex;

/// Weights of all members, in the order of the set. Their sum is below 2^63, so that each sum of weighted figures is exact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Weights {
    /// Each member counts once: sums and means.
    Equal,
    /// One for each member, chosen by the caller; zero leaves a member out.
    Each(Vec<u64>),
}

impl Weights {
    /// Checks them.
    ///
    /// # Errors
    /// [`WeightsError`] with the first broken rule.
    pub(crate) fn check(&self, context: &Context<'_>) -> Result<(), WeightsError> {
        let Self::Each(weights) = self else {
            return Ok(());
        };
        let (expected, got) = (context.len(), weights.len());
        if u32::try_from(got) != Ok(expected) {
            return Err(WeightsError::Count { expected, got });
        }
        let add = |sum: i64, weight: &u64| sum.checked_add_unsigned(*weight);
        match weights.iter().try_fold(0, add) {
            Some(0) => Err(WeightsError::Zero),
            Some(_) => Ok(()),
            None => Err(WeightsError::Sum),
        }
    }

    /// The weight of a member; `None` if it does not count.
    pub(crate) fn of(&self, member: SignerIndex) -> Option<u64> {
        match self {
            Self::Equal => Some(1),
            Self::Each(weights) => {
                let weight = weights.get(usize::try_from(member.get()).ok()?)?;
                Some(*weight).filter(|weight| *weight > 0)
            }
        }
    }
}
