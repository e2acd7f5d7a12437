//! An attacker floods a running network with votes in the name of its validators.

use crate::{
    adversaries::Forger,
    support::{
        commitment_of, network_that_proves, proven_beyond, rpc, scenario, signing_set, SOON,
    },
};
use duet_keystore::secret_of_suri;
use duet_local_network::{wait, Peer, Result, Rpc};
use duet_primitives::SignerIndex;
use std::time::Duration;
use tokio::time::interval;

#[tokio::test(flavor = "multi_thread")]
async fn who_forges_votes_is_thrown_out_and_the_proofs_go_on() {
    scenario(async {
        let network = network_that_proves().await;
        let alice = rpc(&network, 0).await;
        let genesis = alice.genesis_hash().await.expect("there is a genesis");
        let address = alice.peer_address().await.expect("alice listens");
        let signers = signing_set(&alice, genesis).await.len();
        let nobodys = secret_of_suri("//Eve").expect("a well-known secret");

        let silent = Peer::join(&address, genesis).await;
        let mut silent = silent.expect("the network takes a peer");
        let peer = Peer::join(&address, genesis).await;
        let peer = peer.expect("the network takes the peer");
        let mut forger = Forger::new(peer, genesis, nobodys);

        let flooded = flood(&alice, &mut forger, SignerIndex::new(signers).get());
        let flooded = wait::at_most("the forger to be thrown out", SOON, flooded).await;
        flooded.expect("the node throws the forger out");
        let proven = alice.proven().await.expect("there is a proof");
        proven_beyond(&alice, proven).await.expect("proofs go on");

        assert!(!forger.is_in(), "the forger is let in again");
        assert!(silent.is_in(), "who did nothing is thrown out, too");
        let heard = silent.received();
        assert!(!heard.is_empty(), "the node gossips with its peers");
        assert!(!forger.forged_one_of(&heard), "a forged vote was relayed");
    })
    .await;
}

/// Forges votes of every signer about the last final block, until the node does not listen any more.
async fn flood(alice: &Rpc, forger: &mut Forger, signers: u32) -> Result<()> {
    let mut ticks = interval(Duration::from_millis(50));
    while forger.is_in() {
        ticks.tick().await;
        let number = alice.finalized().await?;
        let hash = alice.block_hash(number).await?;
        let honest = commitment_of(alice, number, hash).await?;
        for signer in 0..signers {
            forger.forge(&honest, SignerIndex::new(signer));
        }
    }
    Ok(())
}
