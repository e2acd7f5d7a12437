//! A light client sleeps, and old keys sign another history for it. (LIGHT-9)

use super::{Player, PATIENCE, SLOT, SLOTS_OF_A_BLOCK};
use crate::{group::Group, history::Recorder, scenario::Reader, Error, Result};
use duet_light_client::Trusted;
use duet_local_network::{Executables, LightClient};
use duet_runtime::constants::TRUSTING_PERIOD;
use std::fs;

/// A trusting period that is longer than every sleep, in seconds.
const FOR_EVER: &str = "1000000000";

impl Player {
    pub(super) async fn sync_from_old(&mut self, reader: Reader) -> Result {
        self.syncs(reader, &["--trust-old-start"]).await
    }

    /// Of the periods that the chain proves and the user names the shorter one counts.
    pub(super) async fn stops_as_too_old(&mut self, reader: Reader) -> Result {
        let period = format!("the trusting period is {TRUSTING_PERIOD} s");
        for more in [&[][..], &["--trusting-period", FOR_EVER]] {
            self.stops(reader, more, &["LIGHT-9", &period]).await?;
        }
        Ok(())
    }

    pub(super) async fn stops_at_old_set(&mut self, reader: Reader) -> Result {
        self.stops(reader, &[], &["LIGHT-5"]).await
    }

    async fn stops(&mut self, reader: Reader, more: &[&str], reasons: &[&str]) -> Result {
        let before = self.trusted(reader)?;
        let (said, is_synced) = self.light_client(reader, more).await?;
        let is_told = reasons.iter().all(|reason| said.contains(reason));
        if !is_synced && is_told && self.trusted(reader)?.best_hash() == before.best_hash() {
            return Ok(());
        }
        Err(Error::Expectation(format!(
            "the light client {reader:?} should stop where it is because of {reasons:?}, but says: {said}"
        )))
    }

    pub(super) async fn fooled(&mut self, reader: Reader) -> Result {
        self.sync_from_old(reader).await?;
        self.lost.forged = Some(self.trusted(reader)?.best_block());
        Ok(())
    }

    fn trusted(&self, reader: Reader) -> Result<Trusted> {
        let state = fs::read(self.state_of(reader)).map_err(Error::io("reading a state file"))?;
        let bad = |error| Error::Expectation(format!("the state of {reader:?}: {error}"));
        Trusted::decode(&state).map_err(bad)
    }

    pub(super) async fn publish(&mut self, reader: Reader) -> Result {
        let state = self.state_of(reader);
        self.lost.checkpoint = LightClient::checkpoint(&Executables::locate()?, &state).await?;
        Ok(())
    }

    pub(super) async fn old_keys_sign(&mut self) -> Result {
        self.each(Group::All, |network, node| network.node(node)?.kill())?;
        for number in 0..self.network.count() {
            let copied = self.copy_of(number);
            self.go_on_from(number, &copied)?;
        }
        let truth = std::mem::replace(&mut self.network.recorder, Recorder::begin());
        let (proven, forged) = (truth.history().proven(None), self.lost.after);
        self.lost.truth = Some(truth);
        self.network.watch();
        let limit = SLOT * SLOTS_OF_A_BLOCK * proven.saturating_sub(forged) + PATIENCE;
        let all = self.network.running();
        self.proven_by(&all, proven + 1, limit, "a history by the old keys")
            .await
    }

    pub(super) async fn truth_returns(&mut self) -> Result {
        self.own_again(Group::All)?;
        let missing = || Error::Expectation("nobody took the place of the nodes".to_owned());
        self.network.recorder = self.lost.truth.take().ok_or_else(missing)?;
        self.network.watch();
        let missing = || Error::Expectation("no light client was fooled".to_owned());
        let forged = self.lost.forged.ok_or_else(missing)?;
        self.made(forged.number().get(), SLOT * SLOTS_OF_A_BLOCK + PATIENCE)
            .await?;
        if self.rpc().await?.block_hash(forged.number()).await? != forged.hash() {
            return Ok(());
        }
        let why = format!(
            "block {} is of the chain: nobody was fooled",
            forged.number()
        );
        Err(Error::Expectation(why))
    }
}
