//! The time of the newest block: proven, kept, and checked before each proof. (LIGHT-9)

use crate::{age::age, event::Event, parts, session::Session};
use duet_light_client::Dated;
use duet_light_rpc::{Failure, Fault, Kind, Missing, Server};
use duet_primitives::BlockNumber;

impl Session {
    /// Refuses to continue from a block that is too old. One without a date is the genesis, or the user trusts it.
    pub(crate) fn check_age(&self) -> Result<(), Failure> {
        match self.trusted()?.dated() {
            Some(dated) if !self.age.is_trusted() => self.age.check(&dated, ""),
            _ => Ok(()),
        }
    }

    /// Refuses a newest block that is older than the user accepts, or whose time nobody proves.
    pub(crate) fn check_fresh(&self, max_age: Option<u64>) -> Result<(), Failure> {
        let Some(max_age) = max_age else {
            return Ok(());
        };
        let trusted = self.trusted()?;
        let block = trusted.best_number();
        let message = match age(trusted) {
            Some(age) if age <= max_age => return Ok(()),
            Some(age) => format!(
                "block {block}, the newest proven one, is {age} s old, more than {max_age} s"
            ),
            None => format!("no endpoint proves the time of block {block}, the newest proven one"),
        };
        Err(Failure::new(Kind::Stale, message))
    }

    /// Tells if an endpoint says why no newer proof comes.
    pub(crate) async fn tell_of_silence(&self, server: &Server) -> Result<(), Fault> {
        if server.signs().await? == Some(false) {
            let trusted = self.trusted()?;
            self.output.event(&Event::Silent {
                url: &server.url,
                block: trusted.best_number(),
                set: trusted.latest_set().id,
            });
        }
        Ok(())
    }

    /// Checks the age of the block that this client begins from, before it takes a proof.
    pub(crate) async fn check_start(&mut self, server: &Server) -> Result<(), Fault> {
        if self.age.is_trusted() {
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

    /// Proves the time of the newest proven block, unless that of an older one was proven a moment ago.
    pub(crate) async fn keep_time(&mut self, server: &Server) -> Result<(), Fault> {
        if self.age.is_due() {
            self.date_head(server).await?;
        }
        Ok(())
    }

    /// Proves the time of the newest proven block.
    pub(crate) async fn date_head(&mut self, server: &Server) -> Result<(), Fault> {
        let trusted = self.trusted()?;
        if trusted.best_proof().is_some() && !self.age.is_of(trusted.best_number()) {
            let is_proven = self.prove_time(server).await?;
            let trusted = self.trusted()?;
            let is_needed = trusted
                .dated()
                .is_some_and(|dated| self.age.is_running_out(&dated));
            if !is_proven && is_needed && !self.age.is_trusted() {
                // Another endpoint may have it. Without it this client would come to an end although newer blocks are proven.
                return Err(Fault::Incomplete(Missing::Time(trusted.best_number())));
            }
            self.check_age()?;
        }
        Ok(())
    }

    /// Proves the time of the newest block from the endpoint's state. Whether it could.
    async fn prove_time(&mut self, server: &Server) -> Result<bool, Fault> {
        let parts = match parts::fetch(server, self.trusted()?, None, &Dated::keys()).await {
            Ok(parts) => parts,
            Err(fault @ (Fault::Lie(_) | Fault::Fatal(_))) => return Err(fault),
            Err(_) => return Ok(false),
        };
        let block = self.trusted()?.best_number();
        self.age.ask(block);
        let Some(dated) = Dated::read(&parts.values) else {
            return Ok(false);
        };
        let trusted = self.trusted()?;
        let is_known = trusted.dated().is_some();
        let trusted = trusted.clone().with_date(dated);
        self.set_trusted(trusted);
        self.age.prove(&dated);
        if let Some(seconds) = self.age.ahead(&dated) {
            let url = &server.url;
            self.output.event(&Event::Ahead {
                url,
                block,
                seconds,
            });
        }
        if !is_known && dated.period(self.age.given()).is_none() {
            self.output
                .event(&Event::NoTrustingPeriod { url: &server.url });
        }
        Ok(true)
    }
}
