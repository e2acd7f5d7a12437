//! A valid proof of a block that is not the chain's reaches all validators and a full node.

use crate::{
    adversaries::false_proof,
    support::{author_blocks, is_final, is_in_the_log, network_that_proves, rpc, scenario, SOON},
};
use codec::Encode;
use duet_local_network::{wait, Network, Peer, Result, Rpc};
use duet_primitives::{UncheckedJustification, H256};
use jsonrpsee::rpc_params;
use serde_json::{json, Value};

/// The first byte of a gossip message that holds a finality proof.
const PROOF: u8 = 1;
/// More blocks than a round that is open takes to end.
const A_FEW: u32 = 5;

#[tokio::test(flavor = "multi_thread")]
async fn a_proof_that_contradicts_the_chain_stops_the_votes_and_is_kept() {
    scenario(async {
        let mut network = network_that_proves().await;
        let follower = network.follow("Eve", &[]).await.expect("it joins");
        let alice = rpc(&network, 0).await;
        let genesis = alice.genesis_hash().await.expect("there is a genesis");
        let next = alice.finalized().await.expect("it answers");
        let truth = is_final(&alice, next.saturating_add(3)).await;
        let block = truth.block_number.get();
        let lie = false_proof(&alice, genesis, truth).await;
        let evidence = format!("0x{}", hex::encode(lie.encode()));

        // A node does not forward it, so each has to be told.
        let mut peers = Vec::new();
        for node in 0..=follower {
            peers.push(tell(&network, node, genesis, &lie).await);
        }
        for node in 0..=follower {
            let health = diverged(&rpc(&network, node).await).await;
            let known = &health["diverged"][0];
            assert_eq!(known["block"], json!(block));
            assert_eq!(known["evidence"], json!(evidence));
            assert_eq!(known["acknowledged"], json!(false));
            assert_eq!(health["voting"], json!(false));
            is_in_the_log(network.node(node), "DIVERGENCE: 3 signers of set 0").await;
        }

        // Nobody votes, and the chain goes on.
        author_blocks(&alice, A_FEW).await;
        let proven = alice.proven().await.expect("it answers");
        author_blocks(&alice, A_FEW).await;
        assert_eq!(alice.proven().await.expect("it answers"), proven);

        // Who lost power still has the evidence, and still does not vote.
        drop(peers);
        for node in [3, follower] {
            network.node_mut(node).kill().expect("the process is ours");
            network.restart(node).await.expect("it starts");
            let health = diverged(&rpc(&network, node).await).await;
            assert_eq!(health["diverged"][0]["evidence"], json!(evidence));
            assert_eq!(health["voting"], json!(false));
        }
    })
    .await;
}

/// A peer of a node that gossips the proof.
async fn tell(
    network: &Network,
    node: usize,
    genesis: H256,
    proof: &UncheckedJustification,
) -> Peer {
    let address = rpc(network, node).await.peer_address().await;
    let peer = Peer::join(&address.expect("it listens"), genesis).await;
    let peer = peer.expect("the node takes the peer");
    peer.send((PROOF, proof).encode());
    peer
}

/// What a node says of itself once it knows of a contradiction.
async fn diverged(node: &Rpc) -> Value {
    let health = || async { node.ask::<Value>("duet_health", rpc_params![]).await };
    let knows = |health: &Value| {
        health["diverged"]
            .as_array()
            .is_some_and(|all| !all.is_empty())
    };
    let found: Result<Value> = wait::until("the contradiction", SOON, health, knows).await;
    found.expect("the node knows it")
}
