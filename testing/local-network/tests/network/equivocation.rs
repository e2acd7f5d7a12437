//! A validator votes twice on a running network.

use crate::{
    adversaries::Equivocator,
    support::{
        commitment_of, is_in_the_log, network_that_proves, position, rpc, scenario, signing_set,
        SOME_SESSIONS,
    },
};
use duet_keystore::secret_of_suri;
use duet_local_network::{staking::bonded, transaction::events, wait, Peer, Result, Rpc};
use duet_primitives::{BlockNumber, H256};
use duet_runtime::{AccountId, RuntimeEvent};
use frame_system::Phase;
use sp_keyring::Sr25519Keyring;
use std::time::Duration;
use tokio::time::interval;

#[tokio::test(flavor = "multi_thread")]
async fn who_votes_twice_is_reported_by_the_others_and_slashed() {
    scenario(async {
        let network = network_that_proves().await;
        let alice = rpc(&network, 0).await;
        let dave = Sr25519Keyring::Dave.to_account_id();
        let stake = bonded(&alice, &dave, None)
            .await
            .expect("the ledger can be read");
        assert!(stake > 0);

        let genesis = alice.genesis_hash().await.expect("there is a genesis");
        let secret = secret_of_suri("//Dave").expect("a well-known secret");
        let signer = position(&signing_set(&alice, genesis).await, &secret.public());
        let address = alice.peer_address().await.expect("alice listens");
        let peer = Peer::join(&address, genesis).await;
        let peer = peer.expect("the network takes the peer");
        let double = Equivocator::new(peer, genesis, secret, signer);

        let reported = contradict_until_reported(&alice, &double, &dave);
        let block = wait::at_most("the report on chain", SOME_SESSIONS, reported).await;
        let block = block.expect("the others report the double vote");

        let hash = alice.block_hash(block).await.expect("the block is final");
        let left = bonded(&alice, &dave, Some(hash))
            .await
            .expect("the ledger can be read");
        assert!(left < stake, "{left} of {stake} is left");
        is_in_the_log(network.node(0), "is on the finalized chain").await;
    })
    .await;
}

/// Contradicts Dave about each block that becomes final, until a final block has an extrinsic that reports it.
async fn contradict_until_reported(
    alice: &Rpc,
    double: &Equivocator,
    dave: &AccountId,
) -> Result<BlockNumber> {
    let mut ticks = interval(Duration::from_millis(200));
    let mut next = alice.finalized().await?;
    loop {
        ticks.tick().await;
        while next <= alice.finalized().await? {
            let hash = alice.block_hash(next).await?;
            if has_report(alice, hash, dave).await? {
                return Ok(next);
            }
            double.contradict(commitment_of(alice, next, hash).await?);
            next = next.saturating_next();
        }
    }
}

async fn has_report(alice: &Rpc, block: H256, dave: &AccountId) -> Result<bool> {
    Ok(events(alice, block).await?.iter().any(|record| {
        let by_extrinsic = matches!(record.phase, Phase::ApplyExtrinsic(_));
        by_extrinsic
            && matches!(
                &record.event,
                RuntimeEvent::Duet(pallet_duet::Event::EquivocationReported { offender, .. })
                    if offender == dave
            )
    }))
}
