//! The result of a verified answer.

use crate::{metric::Metric, period::Period};
use duet_primitives::SignerIndex;
use std::fmt;

/// A verified statistic of a set's members about their nodes.
///
/// The signature of each figure is proven, not its truth: a validator can sign a false figure about its own node,
/// without effect on others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statistic {
    period: Period,
    metric: Metric,
    values: Vec<Value>,
    absent: Vec<SignerIndex>,
}

/// The figure of one member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// Position of the validator in the set.
    pub member: SignerIndex,
    /// How much it counts.
    pub weight: u64,
    /// The figure.
    pub value: u64,
}

/// A number that is not negative, in three decimals, rounded down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    whole: u128,
    thousandths: u128,
}

impl Statistic {
    pub(crate) fn new(
        period: Period,
        metric: Metric,
        values: Vec<Value>,
        absent: Vec<SignerIndex>,
    ) -> Self {
        Self {
            period,
            metric,
            values,
            absent,
        }
    }

    /// The period.
    pub fn period(&self) -> Period {
        self.period
    }

    /// The metric.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The figure of each member in the answer; at least one.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The members with a weight that are not in the answer: they reported nothing, or the server left them out.
    pub fn absent(&self) -> &[SignerIndex] {
        &self.absent
    }

    /// `Σ weight · value`. Exact: weights add up to less than 2^63.
    pub fn total(&self) -> u128 {
        let weighted = self.values.iter().map(|value| {
            let (weight, value) = (u128::from(value.weight), u128::from(value.value));
            weight.saturating_mul(value)
        });
        weighted.fold(0, u128::saturating_add)
    }

    /// `Σ weight`.
    pub fn weight(&self) -> u128 {
        let weights = self.values.iter().map(|value| u128::from(value.weight));
        weights.fold(0, u128::saturating_add)
    }

    /// The mean, weighted: `total / weight`.
    pub fn mean(&self) -> Decimal {
        let (total, weight) = (self.total(), self.weight().max(1));
        let rest = total.checked_rem(weight).unwrap_or_default();
        let thousandths = rest.saturating_mul(1000).checked_div(weight);
        Decimal {
            whole: total.checked_div(weight).unwrap_or_default(),
            thousandths: thousandths.unwrap_or_default(),
        }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.whole, self.thousandths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duet_primitives::{BlockNumber, SetId};

    fn statistic(values: &[(u64, u64)]) -> Statistic {
        let values = values
            .iter()
            .zip(0..)
            .map(|((weight, value), member)| Value {
                member: SignerIndex::new(member),
                weight: *weight,
                value: *value,
            });
        let period = Period {
            set: SetId::new(0),
            session: 0,
            block: BlockNumber::ZERO,
        };
        Statistic::new(period, Metric::Peers, values.collect(), vec![])
    }

    #[test]
    fn a_mean_is_rounded_down_to_thousandths() {
        let thirds = statistic(&[(1, 1), (1, 0), (1, 1)]);
        assert_eq!((thirds.total(), thirds.weight()), (2, 3));
        assert_eq!(thirds.mean().to_string(), "0.666");
        assert_eq!(statistic(&[(3, 10), (1, 6)]).mean().to_string(), "9.000");
    }

    #[test]
    fn the_largest_numbers_are_exact() {
        let most = i64::MAX.unsigned_abs();
        let largest = statistic(&[(most - 1, u64::MAX), (1, u64::MAX)]);
        assert_eq!(largest.total(), u128::from(most) * u128::from(u64::MAX));
        assert_eq!(largest.mean().to_string(), format!("{}.000", u64::MAX));
    }
}
