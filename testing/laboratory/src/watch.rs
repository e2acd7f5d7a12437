//! A light client for each node: it verifies every proof that the node shows, from the genesis on, and writes down what it saw.

use crate::{
    gauges,
    history::{Heads, Proof, Recorder, Sample},
};
use duet_light_client::{Error, Mode, NextStep, Outcome, Trusted, Update, Verified};
use duet_light_rpc::{decode_hex, Fault, Server};
use duet_primitives::{BlockNumber, UncheckedJustification, H256};
use jsonrpsee::rpc_params;
use serde_json::Value;
use std::{net::SocketAddr, time::Duration};
use tokio::time::{interval, sleep, timeout, MissedTickBehavior};

/// How long a node may take for one answer.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);
/// How soon a node that is away is asked again.
const PAUSE: Duration = Duration::from_millis(500);
/// How often heads, memory and metrics are read.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The most handoff proofs that are asked for at once.
const MAX_SETS: u32 = 64;

/// The watcher of one node.
pub(crate) struct Watcher {
    node: u16,
    url: String,
    genesis: H256,
    recorder: Recorder,
    trusted: Option<Trusted>,
}

impl Watcher {
    /// One that trusts nothing but a genesis, or also where it begins.
    pub(crate) fn new(
        (node, url): (u16, String),
        genesis: H256,
        begin: Option<Trusted>,
        recorder: Recorder,
    ) -> Self {
        Self {
            node,
            url,
            genesis,
            recorder,
            trusted: begin,
        }
    }

    /// Verifies the way to what the node has proven last, and returns that block.
    pub(crate) async fn catch_up_once(mut self) -> Result<u32, Fault> {
        let server = Server::connect(&self.url, ANSWER_LIMIT).await?;
        self.catch_up(&server).await?;
        let best = self.trusted.map(|trusted| trusted.best_number().get());
        Ok(best.unwrap_or(0))
    }

    /// Follows the node for ever, also after it was away.
    pub(crate) async fn follow(mut self) {
        loop {
            if let Err(fault) = self.follow_once().await {
                self.note(&fault);
            }
            sleep(PAUSE).await;
        }
    }

    /// Only what an honest node never sends is written down: that a node is away is no news here.
    fn note(&self, fault: &Fault) {
        if let Fault::Lie(_) | Fault::OtherChain { .. } | Fault::Reset(_) = fault {
            let refusal = format!("data from node {}: {fault}", self.node);
            self.recorder.history().refusals.push(refusal);
        }
    }

    async fn follow_once(&mut self) -> Result<(), Fault> {
        let server = Server::connect(&self.url, ANSWER_LIMIT).await?;
        server.check_chain(self.genesis).await?;
        let mut pushed = server.subscribe().await?;
        self.catch_up(&server).await?;
        let mut looks = interval(LOOK_EVERY);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                item = pushed.next() => match item {
                    Some(Ok(text)) => {
                        let proof: UncheckedJustification = decode_hex(&text)?;
                        self.take(&server, proof).await?;
                    }
                    Some(Err(_)) | None => return Err(server.disconnected().await),
                },
                _ = looks.tick() => self.read_heads(&server).await?,
            }
        }
    }

    /// Verifies the way from the genesis to what the node has proven last: one handoff for each set, and then its head.
    async fn catch_up(&mut self, server: &Server) -> Result<(), Fault> {
        if self.trusted.is_none() {
            let proof = server.genesis_proof().await?;
            let trusted = Trusted::from_genesis(self.genesis, &proof, Mode::Full)?;
            self.trusted = Some(trusted);
        }
        self.walk(server).await?;
        let Some((head, _)) = server.head().await? else {
            return Ok(());
        };
        match server.justification(head).await? {
            Some(proof) => self.take(server, proof).await,
            None => Ok(()),
        }
    }

    /// Takes the handoffs that the node has.
    async fn walk(&mut self, server: &Server) -> Result<(), Fault> {
        loop {
            self.fetch_keys(server).await?;
            let Some(trusted) = &self.trusted else {
                return Ok(());
            };
            let latest = trusted.latest_set().id;
            let proofs = server.handoff_proofs(latest, MAX_SETS).await?;
            if proofs.is_empty() {
                return Ok(());
            }
            for proof in proofs {
                self.verify(proof.into())?;
            }
            let stands_still = |trusted: &Trusted| trusted.latest_set().id == latest;
            if self.trusted.as_ref().is_some_and(stands_still) {
                return Ok(());
            }
        }
    }

    async fn take(&mut self, server: &Server, proof: UncheckedJustification) -> Result<(), Fault> {
        self.fetch_keys(server).await?;
        match self.verify(proof.clone().into()) {
            Err(error) => match error.next_step() {
                NextStep::FetchHandoffProofs { .. } => {
                    self.walk(server).await?;
                    Ok(self.verify(proof.into())?)
                }
                _ => Err(error.into()),
            },
            Ok(()) => Ok(()),
        }
    }

    async fn fetch_keys(&mut self, server: &Server) -> Result<(), Fault> {
        while let Some(trusted) = &self.trusted {
            let Some(set) = trusted.missing_keys() else {
                return Ok(());
            };
            let Some(keys) = server.keys(set).await? else {
                return Ok(());
            };
            self.trusted = Some(trusted.with_keys(set, &keys)?);
        }
        Ok(())
    }

    /// Verifies a proof and writes it down if it is new.
    fn verify(&mut self, update: Update) -> Result<(), Error> {
        let Some(trusted) = &self.trusted else {
            return Ok(());
        };
        match trusted.verify(update) {
            Ok(Outcome::New(verified)) => {
                self.record(&verified);
                self.trusted = Some(verified.trusted);
                Ok(())
            }
            Ok(Outcome::Known) | Err(Error::OldBlock { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn record(&self, verified: &Verified) {
        let commitment = verified.justification.commitment();
        let proof = Proof {
            node: self.node,
            at: self.recorder.now(),
            height: commitment.block_number.get(),
            hash: commitment.block_hash,
            set: commitment.validator_set_id.get(),
            hands_off_to: verified.next_set().map(|set| set.get()),
        };
        self.recorder.history().proofs.push(proof);
    }

    async fn read_heads(&self, server: &Server) -> Result<(), Fault> {
        let best: Value = server.ask("chain_getHeader", rpc_params![]).await?;
        let number = best["number"].as_str().unwrap_or_default();
        let best = u32::from_str_radix(number.trim_start_matches("0x"), 16).unwrap_or(0);
        let finalized = server.chain_head().await?.get();
        let heads = Heads { best, finalized };
        self.recorder.history().heads.insert(self.node, heads);
        Ok(())
    }
}

/// Reads a node's memory and metrics once, if it answers.
pub(crate) async fn sample(recorder: &Recorder, node: u16, process: u32, metrics: SocketAddr) {
    let Some(memory) = gauges::resident_memory(process) else {
        return;
    };
    let gauges = gauges::read(metrics).await.unwrap_or_default();
    let sample = Sample {
        node,
        at: recorder.now(),
        memory,
        gauges,
    };
    recorder.history().samples.push(sample);
}

/// The genesis of the chain that a node serves; `None` when it does not answer.
pub(crate) async fn genesis(url: &str) -> Option<H256> {
    let asked = async {
        let server = Server::connect(url, ANSWER_LIMIT).await?;
        server
            .ask::<H256>("chain_getBlockHash", rpc_params![BlockNumber::ZERO])
            .await
    };
    timeout(ANSWER_LIMIT, asked).await.ok()?.ok()
}
