//! A validator votes twice on a running network.

use crate::{
    adversaries::Equivocator,
    false_statements::{left_of, liar},
    support::{commitment_of, is_in_the_log, network_that_proves, rpc, scenario, SOME_SESSIONS},
};
use duet_local_network::{transaction::events, wait, Result, Rpc};
use duet_primitives::{BlockNumber, H256};
use duet_runtime::{AccountId, RuntimeEvent};
use frame_system::Phase;
use sp_keyring::Sr25519Keyring::{self, Dave};
use std::time::Duration;
use tokio::time::interval;

#[tokio::test(flavor = "multi_thread")]
async fn who_votes_twice_is_reported_by_the_others_and_slashed() {
    scenario(async {
        let network = network_that_proves().await;
        let alice = rpc(&network, 0).await;
        let block = votes_twice(&alice, Dave).await;
        left_of(&alice, Dave, block).await;
        is_in_the_log(network.node(0), "is on the finalized chain").await;
    })
    .await;
}

/// A peer signs other votes than the validator's with its secret, until the others have reported it in a final block.
/// Returns the block.
pub(crate) async fn votes_twice(alice: &Rpc, validator: Sr25519Keyring) -> BlockNumber {
    let genesis = alice.genesis_hash().await.expect("there is a genesis");
    let double = liar(alice, genesis, validator).await;
    let account = validator.to_account_id();
    let reported = contradict_until_reported(alice, &double, &account);
    let block = wait::at_most("the report on chain", SOME_SESSIONS, reported).await;
    block.expect("the others report the double vote")
}

/// Contradicts a validator about each block that becomes final, until a final block has an extrinsic that reports it.
async fn contradict_until_reported(
    alice: &Rpc,
    double: &Equivocator,
    account: &AccountId,
) -> Result<BlockNumber> {
    let mut ticks = interval(Duration::from_millis(200));
    let mut next = alice.finalized().await?;
    loop {
        ticks.tick().await;
        while next <= alice.finalized().await? {
            let hash = alice.block_hash(next).await?;
            if has_report(alice, hash, account).await? {
                return Ok(next);
            }
            double.contradict(commitment_of(alice, next, hash).await?);
            next = next.saturating_next();
        }
    }
}

async fn has_report(alice: &Rpc, block: H256, account: &AccountId) -> Result<bool> {
    Ok(events(alice, block).await?.iter().any(|record| {
        let by_extrinsic = matches!(record.phase, Phase::ApplyExtrinsic(_));
        by_extrinsic
            && matches!(
                &record.event,
                RuntimeEvent::Duet(pallet_duet::Event::EquivocationReported { offender, .. })
                    if offender == account
            )
    }))
}
