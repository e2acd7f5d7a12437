//! The owners of recovery keys.

use codec::Encode;
use duet_local_network::{
    recovery::{self, Owner},
    transaction, Network, Rpc, DEVELOPMENT_ACCOUNTS,
};
use duet_runtime::{configs::finality::RecoveryDelay, Runtime, RuntimeCall};

/// For how many seconds light clients wait in this scenario.
pub(crate) const DELAY: u64 = 4;

/// Gives each of four validators a recovery key, and waits until the state of a proven block names their set.
pub(crate) async fn register(network: &Network, alice: &Rpc) -> Vec<Owner> {
    let delay = vec![(RecoveryDelay::key().to_vec(), DELAY.encode())];
    let call = RuntimeCall::System(frame_system::Call::<Runtime>::set_storage { items: delay });
    let call = Box::new(call);
    let sudo = pallet_sudo::Call::<Runtime>::sudo { call };
    let submitted = transaction::submit(alice, DEVELOPMENT_ACCOUNTS[0], sudo).await;
    submitted.expect("the sudo key is Alice's");

    let four = DEVELOPMENT_ACCOUNTS.into_iter().take(4);
    let four: Vec<_> = four.map(|account| account.pair()).collect();
    let registered = recovery::register(alice, &four, network.directory()).await;
    let (owners, delay) = registered.expect("each gets a key");
    assert_eq!(delay, DELAY);
    owners
}
