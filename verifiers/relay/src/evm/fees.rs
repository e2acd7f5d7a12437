//! The fees of a transaction.

/// Fees as EIP-1559 has them, in wei for each unit of gas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fees {
    /// The most that is paid.
    pub(crate) max: u128,
    /// The part for the block's producer.
    pub(crate) tip: u128,
}

impl Fees {
    /// Enough for some full blocks: the base fee may double before the transaction waits.
    pub(crate) fn offer(base: u128, tip: u128, limit: u128) -> Self {
        let max = base.saturating_mul(2).saturating_add(tip).min(limit);
        Self {
            max,
            tip: tip.min(max),
        }
    }

    /// The fees for a replacement: an eighth more, where nodes ask for a tenth. None above the limit.
    pub(crate) fn raised(self, limit: u128) -> Option<Self> {
        let raise = |fee: u128| {
            fee.saturating_add(fee.div_ceil(8))
                .max(fee.saturating_add(1))
        };
        let raised = Self {
            max: raise(self.max),
            tip: raise(self.tip),
        };
        (raised.max <= limit).then_some(raised)
    }

    /// No less than another offer.
    pub(crate) fn at_least(self, other: Self) -> Self {
        Self {
            max: self.max.max(other.max),
            tip: self.tip.max(other.tip),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offer_leaves_room_up_to_the_limit() {
        assert_eq!(Fees::offer(100, 3, 1_000), Fees { max: 203, tip: 3 });
        assert_eq!(Fees::offer(100, 3, 150), Fees { max: 150, tip: 3 });
        assert_eq!(Fees::offer(1, 30, 20), Fees { max: 20, tip: 20 });
    }

    #[test]
    fn what_replaces_another_offers_a_tenth_more_of_both_and_keeps_the_limit() {
        for fees in [(0, 0), (1, 0), (9, 1), (1_000, 7), (1_000_003, 1_000_001)] {
            let (max, tip) = fees;
            let raised = Fees { max, tip }.raised(u128::MAX).expect("no limit");
            assert!(raised.max > max && raised.tip > tip);
            assert!(raised.max * 10 >= max * 11 && raised.tip * 10 >= tip * 11);
        }
        assert_eq!(Fees { max: 100, tip: 1 }.raised(112), None);
        assert!(Fees { max: 100, tip: 1 }.raised(113).is_some());
    }
}
