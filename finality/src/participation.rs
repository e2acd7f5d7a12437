//! Tells the operator which share of the validators can sign, and which validators cannot. (CHAIN-6)

use crate::{chain::Chain, client::AccountId, metrics::ParticipationMetrics};
use duet_gossip::{clock::Clock, LOG_TARGET};
use duet_primitives::{Participation, Share};
use duet_voter::Millis;
use std::{convert::Infallible, sync::Arc};

/// The interval of the requests. Keys are registered once in months, and sessions last for minutes.
const INTERVAL: Millis = 60_000;

/// The most accounts in one log line.
const MOST_NAMED: usize = 20;

/// Asks the runtime at the finalized block again and again.
pub(crate) struct Watch {
    chain: Arc<Chain>,
    clock: Arc<dyn Clock>,
    metrics: ParticipationMetrics,
    /// The last log entry.
    told: Option<Participation<AccountId>>,
}

impl Watch {
    /// Nothing logged yet.
    pub(crate) fn new(
        chain: Arc<Chain>,
        clock: Arc<dyn Clock>,
        metrics: ParticipationMetrics,
    ) -> Self {
        Self {
            chain,
            clock,
            metrics,
            told: None,
        }
    }

    /// Runs for as long as the node does. Calls the runtime, so it blocks.
    pub(crate) async fn run(mut self) -> Infallible {
        loop {
            self.look();
            let next = self.clock.now().saturating_add(INTERVAL);
            self.clock.sleep_until(next).await;
        }
    }

    fn look(&mut self) {
        let (_, at) = self.chain.finalized();
        match self.chain.participation(at) {
            Ok(Some(now)) => {
                self.count(&now);
                self.tell(now);
            }
            // A runtime from before CHAIN-6.
            Ok(None) => {}
            Err(error) => {
                log::debug!(target: LOG_TARGET, "the participation is not known: {error}")
            }
        }
    }

    fn count(&self, now: &Participation<AccountId>) {
        let in_gauge = |number: u128| u64::try_from(number).unwrap_or(u64::MAX);
        let metrics = &self.metrics;
        metrics.elected.set(in_gauge(now.validators.elected));
        metrics.with_keys.set(in_gauge(now.validators.in_set));
        metrics.needed.set(in_gauge(now.validators.needed));
        metrics.stake.set(permille(&now.stake));
        metrics.below_floor.set(u64::from(!now.suffices()));
    }

    /// Logs changes since the last time; at first only problems.
    fn tell(&mut self, now: Participation<AccountId>) {
        let is_news = match &self.told {
            Some(told) => told.missing != now.missing || told.suffices() != now.suffices(),
            None => !now.missing.is_empty(),
        };
        if !is_news {
            return;
        }
        let Participation {
            validators,
            stake,
            missing,
        } = &now;
        if !now.suffices() {
            log::error!(
                target: LOG_TARGET,
                "CHAIN-6: too few validators of the next session have Duet keys, so no new set can take over: {validators}; of their \
                 stake {stake}. Missing: {}",
                named(missing),
            );
        } else if missing.is_empty() {
            log::info!(target: LOG_TARGET, "all validators of the next session have Duet keys");
        } else {
            log::warn!(
                target: LOG_TARGET,
                "validators of the next session without Duet keys, or without room in the set: {}",
                named(missing),
            );
        }
        self.told = Some(now);
    }
}

/// Thousandths, rounded down; all of nothing is everything.
fn permille(share: &Share) -> u64 {
    let parts = match share.in_set.checked_mul(1_000) {
        Some(parts) => parts.checked_div(share.elected),
        // Beyond 2¹¹⁸ the whole is divided first, which loses nothing that a thousandth shows.
        None => share.in_set.checked_div(share.elected / 1_000),
    };
    parts
        .and_then(|parts| u64::try_from(parts).ok())
        .map_or(1_000, |parts| parts.min(1_000))
}

fn named(accounts: &[AccountId]) -> String {
    let mut names: Vec<_> = accounts
        .iter()
        .take(MOST_NAMED)
        .map(ToString::to_string)
        .collect();
    let unnamed = accounts.len().saturating_sub(names.len());
    if unnamed > 0 {
        names.push(format!("and {unnamed} more"));
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{clock::VirtualClock, TestChain};
    use duet_primitives::testing::TestSet;
    use futures::FutureExt;

    fn share(in_set: u128, elected: u128, needed: u128) -> Share {
        Share {
            in_set,
            elected,
            needed,
        }
    }

    #[test]
    fn thousandths_hold_for_nothing_and_for_more_than_any_stake() {
        assert_eq!(permille(&share(0, 0, 0)), 1_000);
        assert_eq!(permille(&share(2, 3, 2)), 666);
        assert_eq!(permille(&share(u128::MAX, u128::MAX, 0)), 1_000);
        assert_eq!(permille(&share(u128::MAX / 2, u128::MAX, 0)), 500);
    }

    #[test]
    fn a_line_names_twenty_accounts_and_how_many_more_there_are() {
        let accounts = |n: u8| (0..n).map(|i| AccountId::new([i; 32])).collect::<Vec<_>>();
        assert_eq!(named(&accounts(20)).matches(", ").count(), 19);
        assert!(named(&accounts(23)).ends_with(", and 3 more"));
    }

    #[test]
    fn gauges_follow_the_runtime_from_minute_to_minute() {
        let set = TestSet::new(0, [1, 2]);
        let test = TestChain::default();
        test.push(&set, &set, &[]);
        let (clock, metrics) = (VirtualClock::default(), ParticipationMetrics::new(None));
        let watch = Watch::new(
            Arc::new(test.chain()),
            Arc::new(clock.clone()),
            metrics.clone(),
        );
        let mut run = watch.run().boxed();

        // The runtime does not answer.
        assert!((&mut run).now_or_never().is_none());
        assert_eq!(metrics.elected.get(), 0);

        let mut participation = Participation {
            validators: share(2, 4, 3),
            stake: share(1, 4, 3),
            missing: vec![AccountId::new([8; 32]), AccountId::new([9; 32])],
        };
        test.client.participate(participation.clone());
        assert!((&mut run).now_or_never().is_none());
        assert_eq!(metrics.elected.get(), 0, "it is not time yet");
        assert!(clock.advance());
        assert!((&mut run).now_or_never().is_none());
        let seen = || {
            let [elected, with_keys, needed, stake, below] = [
                &metrics.elected,
                &metrics.with_keys,
                &metrics.needed,
                &metrics.stake,
                &metrics.below_floor,
            ]
            .map(|gauge| gauge.get());
            (elected, with_keys, needed, stake, below)
        };
        assert_eq!(seen(), (4, 2, 3, 250, 1));

        participation.validators.in_set = 3;
        participation.stake.in_set = 3;
        participation.missing.pop();
        test.client.participate(participation);
        assert!(clock.advance());
        assert!((&mut run).now_or_never().is_none());
        assert_eq!(seen(), (4, 3, 3, 750, 0));
    }
}
