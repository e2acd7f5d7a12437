//! What the user says about the age of the trusted block. (LIGHT-9)

use crate::args::Run;
use duet_light_client::{Dated, Trusted, MAX_AHEAD};
use duet_light_rpc::{Failure, Kind};
use duet_primitives::BlockNumber;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The greatest age of the newest block of a chain that goes on, in seconds.
pub(crate) const YOUNG: u64 = 60;

/// How long a client follows on before it proves the time of its newest block again.
const INTERVAL: Duration = Duration::from_secs(60);

/// What the user says about age, and when an endpoint was asked for the time of a block.
pub(crate) struct Age {
    /// The user's trusting period, in seconds.
    given: Option<u64>,
    /// The user trusts the start whatever its age.
    trust_old_start: bool,
    /// When an endpoint last said what the time of a block is, and of which one.
    asked: Option<(Instant, BlockNumber)>,
    /// The user was told that a block is in the future.
    told_ahead: bool,
}

impl Age {
    pub(crate) fn new(args: &Run) -> Self {
        Self {
            given: args.trusting_period,
            trust_old_start: args.trust_old_start,
            asked: None,
            told_ahead: false,
        }
    }

    /// Whether the user trusts the block that this client continues from, whatever its age.
    pub(crate) fn is_trusted(&self) -> bool {
        self.trust_old_start
    }

    /// The user's trusting period, in seconds.
    pub(crate) fn given(&self) -> Option<u64> {
        self.given
    }

    /// Whether it is time to ask for the time of a newer block.
    pub(crate) fn is_due(&self) -> bool {
        self.asked
            .is_none_or(|(asked, _)| asked.elapsed() >= INTERVAL)
    }

    /// Whether an endpoint has said what the time of this block is.
    pub(crate) fn is_of(&self, block: BlockNumber) -> bool {
        self.asked.is_some_and(|(_, of)| of == block)
    }

    /// Whether more than half of the period is over since the newest block whose time is known.
    pub(crate) fn is_running_out(&self, dated: &Dated) -> bool {
        let period = dated.period(self.given);
        period.is_some_and(|period| dated.age(now()) > period / 2)
    }

    /// Takes note that an endpoint has said what the time of a block is, or that its state has none.
    pub(crate) fn ask(&mut self, block: BlockNumber) {
        self.asked = Some((Instant::now(), block));
    }

    /// Takes note of the proven time of a block: from a young one on, the age of newer blocks counts.
    pub(crate) fn prove(&mut self, dated: &Dated) {
        self.trust_old_start &= dated.check(now(), self.given).is_err();
    }

    /// How many seconds a block is ahead of this machine's clock, if the user is to be told.
    pub(crate) fn ahead(&mut self, dated: &Dated) -> Option<u64> {
        let ahead = dated.ahead(now());
        let is_told = std::mem::replace(&mut self.told_ahead, ahead > MAX_AHEAD);
        (ahead > MAX_AHEAD && !is_told).then_some(ahead / 1000)
    }

    /// Refuses a block that is too old; `what` says more of it.
    pub(crate) fn check(&self, dated: &Dated, what: &str) -> Result<(), Failure> {
        dated.check(now(), self.given).map_err(|error| {
            let message = format!(
                "{error}{what}: its signers may have their stake back, and their keys may have been sold; \
                 begin from a younger block with --checkpoint or --start, or, if people whom you trust confirm that the \
                 sets from there on were honest, add --trust-old-start"
            );
            Failure::new(Kind::TooOld, message)
        })
    }
}

/// Seconds since the newest block of which the time is known.
pub(crate) fn age(trusted: &Trusted) -> Option<u64> {
    trusted.dated().map(|dated| dated.age(now()))
}

/// Milliseconds since the Unix epoch.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}
