//! GRANDPA stalls for some sessions while the set changes, and the chain is proven again without a reset.

use crate::support::{
    author_blocks, keysets, light_client_syncs, network_that_proves, no_offence_is_on_chain,
    proven_beyond, rpc, scenario, SOME_SESSIONS, SOON,
};
use duet_local_network::{staking::register_new_key, wait, Rpc, DEVELOPMENT_ACCOUNTS};
use duet_primitives::SetId;
use duet_runtime::constants::SESSION_BLOCKS;
use jsonrpsee::rpc_params;
use serde_json::Value;

/// Without these two GRANDPA finalizes nothing.
const GONE: [usize; 2] = [2, 3];

#[tokio::test(flavor = "multi_thread")]
async fn a_set_that_was_planned_during_a_stall_waits_for_its_handoff() {
    scenario(async {
        let mut network = network_that_proves().await;
        let alice = rpc(&network, 0).await;
        for node in GONE {
            network.node_mut(node).kill().expect("the process is ours");
        }
        // What they had on the way may still become final.
        author_blocks(&alice, 2).await;
        let finalized = alice.finalized().await.expect("it answers");
        register_new_key(&rpc(&network, 1).await, DEVELOPMENT_ACCOUNTS[1])
            .await
            .expect("the transaction succeeds");
        for _ in 0..3 {
            author_blocks(&alice, SESSION_BLOCKS).await;
        }
        assert_eq!(alice.finalized().await.expect("it answers"), finalized);
        assert_eq!(
            ids(&alice).await,
            (0, 1),
            "HANDOFF-4: it is planned and waits"
        );

        for node in GONE {
            network
                .restart(node)
                .await
                .expect("a killed node starts again");
        }
        let takes_over = || async { Ok(ids(&alice).await) };
        wait::until("the planned set", SOME_SESSIONS, takes_over, |ids| {
            ids.0 == 1
        })
        .await
        .expect("the handoff is brought on chain");
        let best = alice.best().await.expect("it answers");
        for node in 0..4 {
            let node = rpc(&network, node).await;
            proven_beyond(&node, best).await.expect("proofs go on");
        }
        everybody_signed(&alice).await;
        for flags in [&[][..], &["--stateless"]] {
            light_client_syncs(&network, 1, flags).await;
        }
        no_offence_is_on_chain(&alice).await;
    })
    .await;
}

async fn ids(alice: &Rpc) -> (u64, u64) {
    let sets = keysets(alice, None).await;
    (sets.current.id.get(), sets.next.id.get())
}

/// The chain knows who signed the handoff: late ones are added.
async fn everybody_signed(alice: &Rpc) {
    let records = || alice.ask::<Vec<Value>>("duet_getSigningRecords", rpc_params![]);
    let all_signed = |records: &Vec<Value>| {
        let signed = |record: &&Value| record["signed"] == 1 && record["handoffs"] == 1;
        records.iter().filter(signed).count() == 4
    };
    wait::until("the records of all four", SOON, records, all_signed)
        .await
        .expect("all of them sign");
    assert_eq!(alice.handoffs(SetId::FIRST).await.expect("it answers"), 1);
}
