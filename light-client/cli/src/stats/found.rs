//! The statistic of an endpoint, verified.

use super::args::Asked;
use duet_light_client::Trusted;
use duet_light_rpc::{Fault, Missing};
use duet_primitives::SignerIndex;
use duet_statistics::Statistic;
use std::collections::BTreeSet;

/// A statistic, and the validators that contradicted themselves.
pub(super) struct Found {
    pub(super) statistic: Statistic,
    /// Members that said two different things about one of the last periods.
    pub(super) contradicted: BTreeSet<SignerIndex>,
}

impl Found {
    /// Whether it meets the user's limits. Another endpoint may have more.
    pub(super) fn is_enough(&self, trusted: &Trusted, args: &Asked) -> Result<(), Fault> {
        let (got, required) = (self.statistic.values().len(), args.at_least);
        if got < required {
            return Err(Fault::Incomplete(Missing::Reporters { required, got }));
        }
        let began = self.statistic.period().block;
        let oldest = args
            .max_age
            .map_or(0, |age| trusted.best_number().get().saturating_sub(age));
        if began.get() < oldest {
            return Err(Fault::Incomplete(Missing::FreshStatistic(began)));
        }
        Ok(())
    }
}
