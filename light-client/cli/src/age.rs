//! The age of the trusted block: proven, kept, and checked before each proof. (LIGHT-9)

use crate::{args::Run, event::Event, parts, session::Session};
use duet_light_client::Dated;
use duet_light_rpc::{Failure, Fault, Kind, Missing, Server};
use duet_primitives::BlockNumber;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How long a client follows on before it proves the time of its newest block again.
const INTERVAL: Duration = Duration::from_secs(60);

/// What the user says about age, and when an endpoint was asked for the time of a block.
pub(crate) struct Age {
    /// The user's trusting period, in seconds.
    given: Option<u64>,
    /// The user trusts the start whatever its age.
    trust_old_start: bool,
    /// When an endpoint was last asked for the time of a block.
    asked: Option<Instant>,
}

impl Age {
    pub(crate) fn new(args: &Run) -> Self {
        Self {
            given: args.trusting_period,
            trust_old_start: args.trust_old_start,
            asked: None,
        }
    }

    fn check(&self, dated: &Dated, what: &str) -> Result<(), Failure> {
        dated.check(now(), self.given).map_err(|error| {
            let message = format!(
                "{error}{what}: those who signed for it may have their stake back, and their keys may have been sold; \
                 begin from a younger block with --checkpoint or --start, or, if people whom you trust confirm that the \
                 sets from there on were honest, add --trust-old-start"
            );
            Failure::new(Kind::TooOld, message)
        })
    }
}

impl Session {
    /// Refuses to continue from a block that is too old. One without a date is the genesis, or the user trusts it.
    pub(crate) fn check_age(&self) -> Result<(), Failure> {
        match self.trusted()?.dated() {
            Some(dated) if !self.age.trust_old_start => self.age.check(&dated, ""),
            _ => Ok(()),
        }
    }

    /// Checks the age of the block that this client begins from, before it takes a proof.
    pub(crate) async fn check_start(&mut self, server: &Server) -> Result<(), Fault> {
        if self.age.trust_old_start {
            return Ok(());
        }
        let trusted = self.trusted()?;
        let number = trusted.best_number();
        if trusted.dated().is_none() {
            if number == BlockNumber::ZERO {
                return self.check_genesis(server).await;
            }
            if !self.prove_time(server).await? {
                return Err(Fault::Incomplete(Missing::Time(number)));
            }
        }
        Ok(self.check_age()?)
    }

    /// The state of a genesis has no time: an honest endpoint says how old block 1 is.
    async fn check_genesis(&self, server: &Server) -> Result<(), Fault> {
        match server.genesis_date().await {
            Ok(Some(dated)) => {
                let what = format!(", so says {} of the genesis", server.url);
                Ok(self.age.check(&dated, &what)?)
            }
            Err(fault @ Fault::Lie(_)) => Err(fault),
            Ok(None) | Err(_) => Ok(()),
        }
    }

    /// Proves the time of the newest proven block, unless that was done a moment ago.
    pub(crate) async fn keep_time(&mut self, server: &Server) -> Result<(), Fault> {
        let is_due = |asked: Instant| asked.elapsed() >= INTERVAL;
        if self.trusted()?.best_proof().is_some() && self.age.asked.is_none_or(is_due) {
            self.prove_time(server).await?;
            self.check_age()?;
        }
        Ok(())
    }

    /// Proves the time of the newest block from the endpoint's state. Whether it could.
    async fn prove_time(&mut self, server: &Server) -> Result<bool, Fault> {
        self.age.asked = Some(Instant::now());
        let trusted = self.trusted()?;
        let parts = match parts::fetch(server, trusted, None, &Dated::keys()).await {
            Ok(parts) => parts,
            Err(fault @ (Fault::Lie(_) | Fault::Fatal(_))) => return Err(fault),
            Err(_) => return Ok(false),
        };
        let Some(dated) = Dated::read(&parts.values) else {
            return Ok(false);
        };
        let is_known = trusted.dated().is_some();
        let trusted = trusted.clone().with_date(dated);
        self.set_trusted(trusted);
        // From now on the age of newer blocks counts.
        self.age.trust_old_start &= dated.check(now(), self.age.given).is_err();
        if !is_known && dated.trusting_period.or(self.age.given).is_none() {
            self.output
                .event(&Event::NoTrustingPeriod { url: &server.url });
        }
        Ok(true)
    }
}

/// Milliseconds since the Unix epoch.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}
