//! What nodes are asked for, to see that something came to be.

use super::Player;
use crate::{
    group::Group,
    history::{History, Sample},
    network::Network,
    rescue,
    scenario::Reader,
    Error, Result,
};
use duet_primitives::BlockNumber;
use jsonrpsee::rpc_params;
use serde_json::Value;
use std::time::Duration;

/// How long a metric may take: some change once a minute.
const METRIC_LIMIT: Duration = Duration::from_secs(90);

impl Player {
    pub(super) async fn shows(&mut self, group: Group, metric: &str) -> Result {
        let nodes = group.of(self.network.count());
        let since = self.network.recorder.now();
        let value = |history: &History, node: u16| {
            let of_node = |it: &&Sample| it.node == node && it.at >= since;
            let latest = history.samples.iter().rev().find(of_node)?;
            latest.gauges.get(metric).copied()
        };
        let holds = |network: &Network| {
            let history = network.recorder.history();
            nodes.iter().all(|node| value(&history, *node) > Some(0.0))
        };
        let seen = |network: &Network| {
            let history = network.recorder.history();
            let values: Vec<_> = nodes.iter().map(|node| value(&history, *node)).collect();
            format!("{values:?}")
        };
        let what = format!("{metric} of nodes {nodes:?} to be above zero");
        self.network.until(&what, METRIC_LIMIT, holds, seen).await
    }

    pub(super) fn stand_still(&self, group: Group, blocks: u32) -> Result {
        let history = self.network.recorder.history();
        let proven = history.proven(None);
        for node in group.of(self.network.count()) {
            let best = history.heads.get(&node).map_or(0, |heads| heads.best);
            if best + blocks > proven {
                return Err(Error::Expectation(format!(
                    "node {node} should stand still, but its best block is {best}, and the others have proven {proven}"
                )));
            }
        }
        Ok(())
    }

    pub(super) fn no_handoff(&self) -> Result {
        let history = self.network.recorder.history();
        let mut proofs = history.proofs.iter();
        match proofs.find(|proof| proof.hands_off_to.is_some()) {
            Some(proof) => Err(Error::Expectation(format!(
                "set {} should go on, but handed off in block {}",
                proof.set, proof.height
            ))),
            None => Ok(()),
        }
    }

    pub(super) async fn has_pruned(&mut self, group: Group, block: u32) -> Result {
        let pruned = group.of(self.network.count());
        for node in self.network.running() {
            let rpc = rescue::connect(&self.network.node(node)?.url()).await?;
            let hash = rpc.block_hash(BlockNumber::new(block)).await?;
            let body: Option<Value> = rpc.ask("chain_getBlock", rpc_params![hash]).await?;
            if body.is_none() == pruned.contains(&node) {
                continue;
            }
            let has = if body.is_none() { "no" } else { "the" };
            return Err(Error::Expectation(format!(
                "nodes {pruned:?} should have pruned block {block}, but node {node} has {has} body"
            )));
        }
        Ok(())
    }

    pub(super) async fn shows_header(&mut self, reader: Reader, block: u32) -> Result {
        let hash = self
            .rpc()
            .await?
            .block_hash(BlockNumber::new(block))
            .await?;
        let at = block.to_string();
        match self.asks(reader, "block", &["--at", &at]).await? {
            (said, true) if said.contains(&format!("{hash:?}")) => Ok(()),
            (said, _) => Err(Error::Expectation(format!(
                "the light client {reader:?} should get the header of block {block}, but says: {said}"
            ))),
        }
    }
}
