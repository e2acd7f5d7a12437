//! The host's time, and for how long after it a block may be trusted. (LIGHT-9)

use core::time::Duration;
use duet_light_client::{Dated, TooOld};

/// The host's time, and for how long after the time of its newest block the client goes on. (LIGHT-9)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Since the Unix epoch.
    pub now: Duration,
    /// The host's unbonding period for this client. The followed chain's own trusting period counts where it is shorter.
    pub unbonding_period: Option<Duration>,
}

pub(crate) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl Clock {
    pub(crate) fn millis(&self) -> u64 {
        millis(self.now)
    }

    /// In seconds.
    pub(crate) fn period(&self) -> Option<u64> {
        self.unbonding_period.map(|period| period.as_secs())
    }

    /// LIGHT-9. The host's own check does not suffice here: for the host an announcement is an update like any other.
    pub(crate) fn check(&self, dated: Dated) -> Result<(), TooOld> {
        dated.check(self.millis(), self.period())
    }

    /// When the unbonding period will be over, in milliseconds; without one, never.
    pub(crate) fn until(&self) -> u64 {
        let millis = self.period().unwrap_or(u64::MAX).saturating_mul(1000);
        self.millis().saturating_add(millis)
    }
}
