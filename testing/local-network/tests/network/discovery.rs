//! Validators publish where their nodes are reached, and look each other up.

use crate::support::{metric, scenario, SOON};
use duet_local_network::{wait, Network};

const VALIDATORS: usize = 4;

/// How many other validators a node has the addresses of.
const FOUND: &str = "substrate_authority_discovery_known_authorities_count";

#[tokio::test(flavor = "multi_thread")]
async fn every_validator_finds_the_addresses_of_the_others() {
    scenario(async {
        let network = Network::builder().validators(VALIDATORS).metrics(true);
        let network = network.start().await.expect("the network starts");
        for node in network.nodes() {
            let others = format!("{}", VALIDATORS - 1);
            wait::until(
                "the others",
                SOON,
                || metric(node, FOUND),
                |got| *got == others,
            )
            .await
            .expect("each of them has published its addresses");
        }
    })
    .await;
}
