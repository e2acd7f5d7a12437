//! The runtime of a chain that proves is upgraded, while one validator is away and the nodes stay as they are.

use crate::{
    client::Client,
    support::{
        a_session_is_proven_without, author_blocks, has_handoffs, network_that_proves,
        no_offence_is_on_chain, proven_beyond, rpc, scenario, SOON,
    },
};
use duet_local_network::{
    upgrade::{to_next_version, NEXT_VERSION},
    wait, Executables, Network, Proofs, Rpc, DEVELOPMENT_ACCOUNTS,
};
use duet_primitives::BlockNumber;
use duet_runtime::VERSION;
use sp_core::crypto::Ss58Codec;
use sp_runtime::DigestItem;
use tokio::process::Command;

const ALICE: usize = 0;
const BOB: usize = 1;
const CHARLIE: usize = 2;
const DAVE: usize = 3;

#[tokio::test(flavor = "multi_thread")]
async fn no_proof_is_lost_when_the_runtime_is_upgraded() {
    scenario(async {
        let mut network = network_that_proves().await;
        let alice = rpc(&network, ALICE).await;
        let light = Client::new(&network, &alice).await;
        light.syncs(&network, &[]).await;
        network.node_mut(DAVE).kill().expect("it can be killed");

        let first = alice.proven().await.expect("alice has proofs");
        let version = alice.spec_version().await.expect("the node answers");
        assert_eq!(version, VERSION.spec_version);
        let proofs = alice.justifications().await.expect("it can be subscribed");
        to_next_version(&alice).await.expect("the chain takes it");
        // Of the block that brought it, of the one that it executed first, and some later.
        let last = author_blocks(&alice, 3).await;
        proven_beyond(&alice, last)
            .await
            .expect("three of four go on proving");
        the_block_of_the_upgrade_has_no_proof(&alice, proofs, last).await;
        for block in first.get()..=last.get() {
            let block = BlockNumber::new(block);
            light.proves_block(&network, &alice, block).await;
        }

        network.restart(DAVE).await.expect("it starts");
        comes_back(&rpc(&network, DAVE).await, last).await;
        a_key_is_rotated(&network, &alice).await;
        light.syncs(&network, &[]).await;
        a_session_is_proven_without(&mut network, CHARLIE).await;
        a_new_node_comes_through_both_runtimes(&mut network, &alice).await;
        no_offence_is_on_chain(&alice).await;
    })
    .await;
}

/// In it the new code reads what the old code left, and finds another MMR root than the header is about. A signature of that
/// could be punished. (ROUND-1, FALSE-1)
async fn the_block_of_the_upgrade_has_no_proof(alice: &Rpc, mut proofs: Proofs, last: BlockNumber) {
    loop {
        let proof = wait::at_most("a proof", SOON, proofs.next()).await;
        let proven = proof.expect("proofs go on").commitment;
        let header = alice.header(Some(proven.block_hash)).await;
        let logs = header.expect("it is there").digest.logs;
        let brings_code = logs.contains(&DigestItem::RuntimeEnvironmentUpdated);
        assert!(!brings_code, "block {} is proven", proven.block_number);
        if proven.block_number >= last {
            return;
        }
    }
}

/// It was away when the runtime was upgraded.
async fn comes_back(node: &Rpc, missed: BlockNumber) {
    proven_beyond(node, missed).await.expect("it catches up");
    let version = node.spec_version().await.expect("the node answers");
    assert_eq!(version, NEXT_VERSION);
}

/// By the command of an executable that knows the old runtime: the calls are the same.
async fn a_key_is_rotated(network: &Network, alice: &Rpc) {
    let executables = Executables::locate().expect("this program is somewhere");
    let genesis = alice.genesis_hash().await.expect("there is a genesis");
    let account = DEVELOPMENT_ACCOUNTS[BOB];
    let mut rotate = Command::new(executables.node().expect("it was built"));
    rotate
        .args(["duet-key", "rotate", "--url", &network.node(BOB).url()])
        .args(["--genesis", &format!("{genesis:?}")])
        .args(["--account", &account.to_account_id().to_ss58check()])
        .args(["--suri", &account.to_seed()])
        .kill_on_drop(true);
    let rotated = async { Ok(rotate.output().await.expect("it runs")) };
    let rotated = wait::at_most("the command", SOON, rotated).await;
    let rotated = rotated.expect("it ends");
    assert!(rotated.status.success(), "{rotated:?}");
    has_handoffs(alice, 1).await;
}

/// It executes the blocks of both, and has what proves the change of the set.
async fn a_new_node_comes_through_both_runtimes(network: &mut Network, alice: &Rpc) {
    let node = network.follow("New", &[]).await.expect("the node starts");
    let new = rpc(network, node).await;
    let proven = alice.proven().await.expect("alice has proofs");
    proven_beyond(&new, proven).await.expect("it catches up");
    has_handoffs(&new, 1).await;
}
