//! Nodes are killed and come back.

use crate::support::{
    assert_holds, author_blocks, network_that_proves, no_offence_is_on_chain, proven_beyond, rpc,
    scenario, SOON,
};
use duet_local_network::{wait, Network, Rpc};
use duet_primitives::BlockNumber;

/// Blocks that a network without a quorum must author before it counts as one that proves nothing.
const BLOCKS_WITHOUT_PROOF: u32 = 6;

#[tokio::test(flavor = "multi_thread")]
async fn proofs_go_on_without_a_third_stop_without_more_and_resume() {
    scenario(async {
        let mut network = network_that_proves().await;
        let alice = rpc(&network, 0).await;

        a_proof_grows_until_all_four_have_signed(&alice).await;
        three_of_four_go_on(&mut network, &alice).await;
        the_fourth_catches_up(&mut network, &alice).await;
        two_of_four_prove_nothing(&mut network, &alice).await;
        a_third_brings_the_proofs_back(&mut network, &alice).await;

        no_offence_is_on_chain(&alice).await;
    })
    .await;
}

/// Three are enough for a proof; the vote of the fourth comes late and is added.
async fn a_proof_grows_until_all_four_have_signed(alice: &Rpc) {
    let signers = || async {
        let newest = alice.proven().await?;
        let before = BlockNumber::new(newest.get().saturating_sub(1));
        let before = alice.justification(before).await?;
        Ok(before.map_or(0, |proof| proof.signers.count()))
    };
    wait::until("a proof by all four", SOON, signers, |count| *count == 4)
        .await
        .expect("proofs grow");
}

async fn three_of_four_go_on(network: &mut Network, alice: &Rpc) {
    network.node_mut(3).kill().expect("the process is ours");
    let genesis = alice.genesis_hash().await.expect("there is a genesis");
    let mut proofs = alice
        .justifications()
        .await
        .expect("the subscription starts");
    for _ in 0..3 {
        let proof = wait::at_most("a proof by three of four", SOON, proofs.next()).await;
        assert_holds(alice, genesis, proof.expect("proofs go on")).await;
    }
}

async fn the_fourth_catches_up(network: &mut Network, alice: &Rpc) {
    let missed = alice.proven().await.expect("alice has proofs");
    network
        .restart(3)
        .await
        .expect("a killed node starts again");
    let dave = rpc(network, 3).await;
    let proven = proven_beyond(&dave, missed)
        .await
        .expect("the restarted node catches up");
    let genesis = dave.genesis_hash().await.expect("there is a genesis");
    let proof = dave.justification(proven).await.expect("the node answers");
    assert_holds(&dave, genesis, proof.expect("the head has its proof")).await;
}

async fn two_of_four_prove_nothing(network: &mut Network, alice: &Rpc) {
    for node in [2, 3] {
        network.node_mut(node).kill().expect("the process is ours");
    }
    // Votes that were on their way may still make a proof of what was final before.
    let settled = author_blocks(alice, 2).await;
    let proven = alice.proven().await.expect("alice has proofs");
    author_blocks(alice, BLOCKS_WITHOUT_PROOF).await;
    assert_eq!(
        alice.proven().await.expect("alice has proofs"),
        proven,
        "settled at {settled}"
    );
}

async fn a_third_brings_the_proofs_back(network: &mut Network, alice: &Rpc) {
    let proven = alice.proven().await.expect("alice has proofs");
    network
        .restart(2)
        .await
        .expect("a killed node starts again");
    for node in [0, 1, 2] {
        let node = rpc(network, node).await;
        let again = proven_beyond(&node, proven).await.expect("proofs resume");
        let genesis = node.genesis_hash().await.expect("there is a genesis");
        let proof = node.justification(again).await.expect("the node answers");
        assert_holds(&node, genesis, proof.expect("the head has its proof")).await;
    }
}
