//! Keys are lost for good, and recovery keys lead light clients across the reset. (RECOVER-7, RECOVER-8)

use super::{Player, PATIENCE};
use crate::{scenario::Reader, validator::Validator, Error, Result};
use duet_light_client::Checkpoint;
use duet_light_rpc::CheckpointJson;
use duet_local_network::{recovery, wait, Executables, LightClient};
use std::time::{Duration, Instant};

impl Player {
    pub(super) async fn register_recovery_keys(&mut self) -> Result {
        let validators = (0..self.network.count()).map(Validator::new);
        let pairs = validators.map(|validator| Ok(validator?.pair()));
        let pairs = pairs.collect::<Result<Vec<_>>>()?;
        let rpc = self.rpc().await?;
        let registered = recovery::register(&rpc, &pairs, &self.files.folder).await?;
        self.lost.recovery = Some(registered);
        Ok(())
    }

    pub(super) async fn crosses_by_proof(&mut self, reader: Reader) -> Result {
        let members = self.file("members.txt");
        let flags = ["--members", &members.display().to_string()];
        let (said, is_there) = self.asks(reader, "recovery-statement", &flags).await?;
        let missing = || Error::Expectation(format!("no statement for recovery keys: {said}"));
        let recovery = self.lost.recovery.as_ref().filter(|_| is_there);
        let (owners, delay) = recovery.ok_or_else(missing)?;
        let (proof, delay) = (
            recovery::sign(owners, &said, &members)?,
            Duration::from_secs(*delay),
        );

        let checkpoint: CheckpointJson = serde_json::from_str(&self.lost.checkpoint)
            .map_err(|error| Error::Expectation(format!("no checkpoint of a reset: {error}")))?;
        let reset = Checkpoint::from(checkpoint).block_number;
        let genesis = self.rpc().await?.genesis_hash().await?;
        let urls = [self.network.node(0)?.url()];
        let (state, proof) = (self.state_of(reader), proof.display().to_string());
        let flags = ["--json", "--recovery-proof", &proof];
        let executables = Executables::locate()?;
        let began = Instant::now();
        let mut client = LightClient::follow(&executables, genesis, &urls, &state, &flags)?;
        let crossed = recovery::crosses(&mut client, reset);
        let crossed = wait::at_most("a light client to cross", delay + PATIENCE, crossed).await?;
        let waited = crossed - began;
        client.end().await?;
        if waited < delay {
            return Err(Error::Expectation(format!(
                "the light client {reader:?} crossed after {waited:?}, but the chain says {delay:?}"
            )));
        }
        self.say(&format!("{reader:?} crossed after {} s", waited.as_secs()));
        self.sync(reader).await
    }
}
