//! A light client that keeps its state.

use crate::support::SOON;
use duet_local_network::{wait, Executables, LightClient, Network, Rpc};
use duet_primitives::{BlockNumber, H256};
use std::path::PathBuf;

/// The light client.
pub(crate) struct Client {
    pub(crate) executables: Executables,
    pub(crate) genesis: H256,
    pub(crate) state: PathBuf,
}

impl Client {
    pub(crate) async fn new(network: &Network, alice: &Rpc) -> Self {
        Self {
            executables: Executables::locate().expect("this program is somewhere"),
            genesis: alice.genesis_hash().await.expect("there is a genesis"),
            state: network.directory().join("light.state"),
        }
    }

    /// Another client that goes on from this one's state.
    pub(crate) fn copy(&self, name: &str) -> Self {
        let state = self.state.with_file_name(name);
        std::fs::copy(&self.state, &state).expect("the directory is ours");
        Self {
            executables: self.executables.clone(),
            genesis: self.genesis,
            state,
        }
    }

    /// Runs it against one node until it has the node's head or gives up; what it says, and whether it has it.
    pub(crate) async fn run(&self, network: &Network, more: &[&str]) -> (String, bool) {
        self.asks(network, "sync", more).await
    }

    /// Runs one of its commands against one node; what it says, and whether it has succeeded.
    pub(crate) async fn asks(
        &self,
        network: &Network,
        command: &str,
        more: &[&str],
    ) -> (String, bool) {
        let (url, state) = (network.node(1).url(), self.state.display().to_string());
        let ours = ["--state", &state, "--json", "--give-up-after", "3"];
        let flags = [&ours, more].concat();
        let ran = LightClient::attempt(&self.executables, command, self.genesis, &url, &flags);
        let ran = wait::at_most("a light client", SOON, ran).await;
        ran.expect("it runs")
    }

    /// Comes to the head of a node.
    pub(crate) async fn syncs(&self, network: &Network, more: &[&str]) {
        let (said, is_synced) = self.run(network, more).await;
        assert!(is_synced, "{said}");
    }

    /// Gets the block of the chain with this number proven.
    pub(crate) async fn proves_block(&self, network: &Network, alice: &Rpc, block: BlockNumber) {
        let hash = alice.block_hash(block).await.expect("it is there");
        let at = block.get().to_string();
        let (said, is_proven) = self.asks(network, "block", &["--at", &at]).await;
        assert!(is_proven && said.contains(&format!("{hash:?}")), "{said}");
    }

    /// Does not come to the head of a node, and says each of these.
    pub(crate) async fn says(&self, network: &Network, all: &[&str]) {
        let (said, is_synced) = self.run(network, &[]).await;
        assert!(!is_synced, "{said}");
        for told in all {
            assert!(said.contains(told), "{told} is not in {said}");
        }
    }
}
