//! A validator votes twice on a running network.

use crate::{
    adversaries::Equivocator,
    support::{network_that_proves, position, rpc, signing_set, story, SOME_SESSIONS},
};
use duet_keystore::secret_of_suri;
use duet_local_network::{staking::bonded, transaction::events, wait, Result, Rpc};
use duet_primitives::{BlockNumber, CommitmentPayload};
use duet_runtime::{AccountId, RuntimeEvent};
use sp_keyring::Sr25519Keyring;
use std::time::Duration;
use tokio::time::interval;

#[tokio::test(flavor = "multi_thread")]
async fn who_votes_twice_is_reported_by_the_others_and_slashed() {
    story(async {
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
        let double = Equivocator::join(&address, genesis, secret, signer).await;
        let double = double.expect("the network takes the peer");

        let reported = contradict_until_reported(&alice, &double, &dave);
        let block = wait::at_most("the report on chain", SOME_SESSIONS, reported).await;
        let block = block.expect("the others report the double vote");

        let hash = alice.block_hash(block).await.expect("the block is final");
        let left = bonded(&alice, &dave, Some(hash))
            .await
            .expect("the ledger can be read");
        assert!(left < stake, "{left} of {stake} is left");
    })
    .await;
}

/// Contradicts Dave about each block that becomes final, until a final block has the report of it.
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
            let function = "DuetApi_commitment_payload";
            let payload: Option<CommitmentPayload> =
                alice.call_runtime(function, &[], Some(hash)).await?;
            double.contradict(payload.expect("the chain has sets").commit(next, hash));
            next += 1;
        }
    }
}

async fn has_report(alice: &Rpc, block: duet_runtime::Hash, dave: &AccountId) -> Result<bool> {
    Ok(events(alice, block).await?.iter().any(|record| {
        matches!(
            &record.event,
            RuntimeEvent::Duet(pallet_duet::Event::EquivocationReported { offender, .. })
                if offender == dave
        )
    }))
}
