//! The chain loses final blocks: what operators, governance and light clients do, as docs/operators/rescue.md says.

use super::{Player, PATIENCE, SLOT, SLOTS_OF_A_BLOCK};
use crate::{rescue, scenario::Reader, validator::Validator, Error, Result};
use duet_light_rpc::CheckpointJson;
use duet_local_network::{wait, Executables, LightClient, Rpc};
use duet_primitives::{BlockNumber, Commitment, EvidenceStatus, Pardon};
use std::{fs, path::PathBuf, time::Duration};

/// How long a light client may take.
const LIGHT_CLIENT_LIMIT: Duration = Duration::from_secs(60);

/// What a node logs instead of a second statement about one block.
const REFUSAL: &str = "has signed another commitment for block";

impl Player {
    pub(super) async fn rpc(&mut self) -> Result<Rpc> {
        rescue::connect(&self.network.node(0)?.url()).await
    }

    pub(super) async fn keep_evidence(&mut self) -> Result {
        let rpc = self.rpc().await?;
        let blocks = self.lost.after + 1..=self.network.recorder.history().proven(Some(0));
        self.lost.evidence = rescue::evidence(&rpc, blocks).await?;
        self.say(&format!("{} proofs are kept", self.lost.evidence.len()));
        self.lost.latest().map(|_| ())
    }

    /// Whether the signers of lost blocks can be punished is as it should be.
    pub(super) async fn punishable(&mut self, expected: bool) -> Result {
        let rpc = self.rpc().await?;
        let latest = std::slice::from_ref(self.lost.latest()?);
        // The restored chain need not know the later sets.
        let asked = match expected {
            true => latest,
            false => self.lost.evidence.as_slice(),
        };
        let statuses = rescue::statuses(&rpc, asked).await?;
        let holds = |status: &EvidenceStatus| match status {
            EvidenceStatus::New => expected,
            EvidenceStatus::Reported => false,
            _ => !expected,
        };
        if statuses.iter().all(holds) {
            return Ok(());
        }
        let not = if expected { "" } else { "not " };
        Err(Error::Expectation(format!(
            "signers of lost blocks should {not}be punishable, but the chain says {statuses:?}"
        )))
    }

    pub(super) async fn pardon(&mut self) -> Result {
        let sets = || self.lost.said().map(|said| said.validator_set_id);
        let (Some(first_set), Some(last_set)) = (sets().min(), sets().max()) else {
            return self.lost.latest().map(|_| ());
        };
        let pardon = Pardon {
            first_block: BlockNumber::new(self.lost.after + 1),
            last_block: BlockNumber::new(self.lost.last),
            first_set,
            last_set,
        };
        rescue::pardon(&self.rpc().await?, pardon).await
    }

    /// The chain grows past the lost blocks. None of those that were proven is proven again as another one, and a key was asked for a
    /// second statement and refused.
    pub(super) async fn outgrow(&mut self) -> Result {
        let blocks = self.lost.last.saturating_sub(self.lost.after);
        let limit = SLOT * SLOTS_OF_A_BLOCK * blocks + PATIENCE;
        self.made(self.lost.last + 1, limit).await?;
        let rpc = self.rpc().await?;
        rescue::proves_none_again(&rpc, &self.lost.evidence).await?;
        for node in &self.network.nodes {
            if node.logged(REFUSAL)? {
                return Ok(());
            }
        }
        Err(Error::Expectation(format!("no node logged: {REFUSAL}")))
    }

    pub(super) async fn accuse(&mut self) -> Result {
        self.punishable(false).await?;
        let rpc = self.rpc().await?;
        rescue::is_refused_as_pardoned(&rpc, self.lost.latest()?).await?;
        rescue::nobody_is_punished(&rpc).await
    }

    pub(super) async fn equivocate(&mut self) -> Result {
        let validator = Validator::new(self.network.count() - 1)?;
        let rpc = self.rpc().await?;
        let said = self.lost.latest()?.commitment();
        rescue::two_statements_are_punished(&rpc, &validator, said).await
    }

    pub(super) async fn reset(&mut self) -> Result {
        let rpc = self.rpc().await?;
        if !self.lost.evidence.is_empty() && !self.lost.said().any(Commitment::is_handoff) {
            let why = "no handoff is among the lost proofs: the keys changed too late or too early";
            return Err(Error::Expectation(why.to_owned()));
        }
        let checkpoint = rescue::reset(&rpc).await?;
        let set = checkpoint.keysets.current.id;
        let last = self.lost.said().map(|said| said.validator_set_id).max();
        if Some(set) <= last {
            return Err(Error::Expectation(format!(
                "the reset began set {set}, but the lost chain had sets up to {last:?}"
            )));
        }
        let published = CheckpointJson::from(checkpoint.clone());
        self.lost.checkpoint = serde_json::to_string(&published).map_err(|error| {
            let why = format!("the checkpoint cannot be written: {error}");
            Error::Expectation(why)
        })?;
        let recorder = &self.network.recorder;
        recorder.history().resets.insert(set.get());
        self.network.begin_at(checkpoint)
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.files.folder.join(name)
    }

    pub(super) fn state_of(&self, reader: Reader) -> PathBuf {
        self.file(&format!("{reader:?}.state"))
    }

    /// `duet-light sync` with the state that this light client has: what it says, and whether it got to the node's head.
    pub(super) async fn light_client(
        &mut self,
        reader: Reader,
        more: &[&str],
    ) -> Result<(String, bool)> {
        self.asks(reader, "sync", more).await
    }

    /// The same for any of its commands.
    pub(super) async fn asks(
        &mut self,
        reader: Reader,
        verb: &str,
        more: &[&str],
    ) -> Result<(String, bool)> {
        let executables = Executables::locate()?;
        let genesis = self.rpc().await?.genesis_hash().await?;
        let state = self.state_of(reader).display().to_string();
        let url = self.network.node(0)?.url();
        let ours = ["--state", &state, "--json", "--give-up-after", "3"];
        let flags = [&ours, more].concat();
        let synced = LightClient::attempt(&executables, verb, genesis, &url, &flags);
        Ok(wait::at_most("a light client", LIGHT_CLIENT_LIMIT, synced).await?)
    }

    pub(super) async fn sync(&mut self, reader: Reader) -> Result {
        self.syncs(reader, &[]).await
    }

    pub(super) async fn syncs(&mut self, reader: Reader, more: &[&str]) -> Result {
        match self.light_client(reader, more).await? {
            (_, true) => Ok(()),
            (said, false) => Err(Error::Expectation(format!(
                "the light client {reader:?} does not get to the head: {said}"
            ))),
        }
    }

    /// It names the reset and the checkpoint that was published, and does not go on.
    pub(super) async fn stops_at_reset(&mut self, reader: Reader) -> Result {
        let (said, is_synced) = self.light_client(reader, &[]).await?;
        // The checkpoint is JSON in a text of JSON.
        let plain = said.replace('\\', "");
        if !is_synced && plain.contains("LIGHT-8") && plain.contains(&self.lost.checkpoint) {
            return Ok(());
        }
        Err(Error::Expectation(format!(
            "the light client {reader:?} should stop at the reset with the checkpoint {}, but says: {said}",
            self.lost.checkpoint
        )))
    }

    pub(super) async fn sync_from_checkpoint(&mut self, reader: Reader) -> Result {
        let file = self.file("checkpoint.json");
        let written = fs::write(&file, &self.lost.checkpoint);
        written.map_err(Error::io("writing the checkpoint"))?;
        let file = file.display().to_string();
        self.syncs(reader, &["--checkpoint", &file]).await
    }
}
