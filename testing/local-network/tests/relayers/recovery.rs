//! More than a third of a set's keys are lost, and relayers bring the contract and the bridge pallet across the reset.
//! (RECOVER-7, RECOVER-8)

use crate::{
    client::Client,
    lost_keys, owners,
    support::{network_that_proves, rpc, scenario_of, SOME_SESSIONS},
};
use duet_local_network::{
    bridge,
    bridged::{Bridged, Route},
    wait, Network, Result,
};
use duet_primitives::BlockNumber;

/// What a relayer does to cross.
const STEPS: [&str; 3] = ["announced_from", "crossed_from", "block"];

#[tokio::test(flavor = "multi_thread")]
async fn the_contract_and_the_pallet_cross_a_reset_by_the_recovery_keys_and_follow_the_new_set() {
    scenario_of(2, async {
        let second = Network::builder().validators(2).start();
        let (first, second) = tokio::join!(network_that_proves(), second);
        let alice = rpc(&first, 0).await;
        let owners = owners::register(&first, &alice).await;
        let second = second.expect("the network starts");
        let bridged = Bridged::start(first, second, "RecoverableDuetLightClient").await;
        let mut bridged = bridged.expect("they follow each other");

        let proven = lost_keys::lose(bridged.first_mut(), &alice).await;
        let [first, second] = bridged.networks();
        let light = Client::new(first, &alice).await;
        light.syncs(first, &[]).await;
        let reset = lost_keys::reset(first, &alice, proven).await;
        let proof = lost_keys::recovery_proof(&light, first, &owners).await;

        for route in [Route::FirstToEvm, Route::FirstToSecond] {
            let crossed = crosses(&bridged, route, &proof, reset);
            wait::at_most("a recovery to be brought", SOME_SESSIONS, crossed)
                .await
                .expect("the relayer brings it");
        }
        let second = rpc(second, 0).await;
        let best = bridge::best_bridged(&second, None).await;
        let best = best.expect("it answers").expect("it follows a chain");
        assert!(best.number() > reset.get(), "{best:?}");
    })
    .await;
}

/// Runs a relayer with the proof until its target has a block beyond the reset. All that it submits is taken, and it announces and
/// crosses once.
async fn crosses(bridged: &Bridged, route: Route, proof: &str, reset: BlockNumber) -> Result<()> {
    let mut relayer = bridged.relayer(route, &["--recovery-proof", proof])?;
    let mut steps = Vec::new();
    while steps.len() < STEPS.len() {
        let event = relayer.next_event().await?;
        println!("{route}: {event}");
        if event["event"] != "submitted" {
            continue;
        }
        assert_eq!(event["result"], "taken", "{event}");
        let is_before = event["block"]
            .as_u64()
            .is_some_and(|block| block < reset.get().into());
        steps.extend(
            STEPS
                .into_iter()
                .filter(|step| !event[step].is_null() && !is_before),
        );
    }
    assert_eq!(steps, STEPS);
    relayer.kill().await
}
