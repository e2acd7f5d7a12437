//! Half of the validators give up their keys. The set goes on without a successor, until enough of them have keys again.

use crate::support::{
    is_in_the_log, keysets, light_client_syncs, network_that_proves, participation, proven_beyond,
    rpc, scenario, SOME_SESSIONS, SOON,
};
use duet_local_network::{staking::register_new_key, transaction, wait, Rpc, DEVELOPMENT_ACCOUNTS};
use duet_primitives::{BlockNumber, SetId};
use duet_runtime::{constants::SESSION_BLOCKS, AccountId, Runtime};

#[tokio::test(flavor = "multi_thread")]
async fn half_of_the_keys_do_not_take_over_and_three_of_four_do() {
    scenario(async {
        let network = network_that_proves().await;
        let alice = rpc(&network, 0).await;
        // Between the two calls no session may start, which would plan a set of three.
        early_in_a_session(&alice).await;
        for account in &DEVELOPMENT_ACCOUNTS[..2] {
            let call = pallet_duet::Call::<Runtime>::deregister_keys {};
            let deregistered = transaction::submit(&alice, *account, call).await;
            deregistered.expect("it has a key");
        }
        let participation = participation(&alice).await;
        assert_eq!(participation.validators.in_set, 2);
        let missing = DEVELOPMENT_ACCOUNTS.map(|account| account.to_account_id());
        assert_eq!(sorted(participation.missing), sorted(missing[..2].to_vec()));

        // Two whole sessions, in each of which a set of two would have been planned.
        let now = alice.best().await.expect("the node answers");
        let later = BlockNumber::new(now.get() + 2 * SESSION_BLOCKS);
        wait::until(
            "proofs of two sessions",
            SOME_SESSIONS,
            || alice.proven(),
            |it| *it > later,
        )
        .await
        .expect("the set of four goes on");
        assert_eq!(alice.handoffs(SetId::FIRST).await.expect("it answers"), 0);
        let signing = keysets(&alice, None).await.current;
        assert_eq!((signing.id, signing.len), (SetId::FIRST, 4));
        is_in_the_log(network.node(0), "CHAIN-6: too few validators").await;

        let bob = rpc(&network, 1).await;
        register_new_key(&bob, DEVELOPMENT_ACCOUNTS[1])
            .await
            .expect("the transaction succeeds");
        let handoffs = || alice.handoffs(SetId::FIRST);
        wait::until("a handoff", SOME_SESSIONS, handoffs, |got| *got == 1)
            .await
            .expect("three of four take over");
        let proven = alice.proven().await.expect("it answers");
        proven_beyond(&alice, proven).await.expect("they prove");
        light_client_syncs(&network, 3, &["--stateless"]).await;
    })
    .await;
}

/// Waits until most of a session is ahead.
async fn early_in_a_session(alice: &Rpc) {
    let is_early = |best: &BlockNumber| (1..4).contains(&(best.get() % SESSION_BLOCKS));
    wait::until("a session to start", SOON, || alice.best(), is_early)
        .await
        .expect("blocks go on");
}

fn sorted(mut accounts: Vec<AccountId>) -> Vec<AccountId> {
    accounts.sort();
    accounts
}
