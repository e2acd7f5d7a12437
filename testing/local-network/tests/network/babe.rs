//! A chain with BABE and nominators, one of whose five validators has no Duet key. Stake is slashed, elections change
//! the set, eras are forced, epochs pass without a block, and a light client follows. `cargo xtask babe` builds the
//! node and runs this.
//!
//! Three of four slots have a primary author, so many slots have two blocks and many have none but the secondary one.

use crate::{
    client::Client,
    equivocation::votes_twice,
    false_statements::{left_of, liar, reported, AHEAD},
    support::{
        is_final, is_in_the_log, keysets, participation, proven_beyond, proven_within, rpc,
        scenario, SOME_SESSIONS,
    },
};
use duet_local_network::{
    staking::become_validator, transaction::submit, wait, Executables, Network, Rpc,
};
use duet_primitives::{BlockNumber, Commitment, DualKeyBytes};
use duet_runtime::{
    constants::{SESSION_BLOCKS, SLOT_MILLIS, UNIT},
    Runtime, RuntimeCall,
};
use serde_json::{json, Value};
use sp_keyring::{
    Ed25519Keyring,
    Sr25519Keyring::{self, Alice, Bob, Charlie, CharlieStash, Dave, DaveStash, Eve, Ferdie},
};
use std::time::{Duration, SystemTime};

/// The bond of a validator of the genesis, and of each nominator.
const STAKE: u128 = 1_000 * UNIT;
/// For so long nobody authors: two epochs and a half.
const SKIPPED: Duration = Duration::from_millis(SLOT_MILLIS * SESSION_BLOCKS as u64 * 5 / 2);

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the node that cargo xtask babe builds"]
async fn a_chain_with_babe_and_nominators_is_proven() {
    scenario(async {
        let executables = Executables::locate().expect("this program is somewhere");
        let node = executables.babe().expect("it was built");
        let network = Network::builder().executable(node).validators(5);
        let network = network.patch(five_validators_and_two_nominators);
        let mut network = network.start().await.expect("the network starts");
        let alice = rpc(&network, 0).await;
        proven_beyond(&alice, BlockNumber::new(0))
            .await
            .expect("four of five prove");
        assert_eq!(keysets(&alice, None).await.current.len, 4);
        let missing = participation(&alice).await.missing;
        assert_eq!(missing, [Eve.to_account_id()]);
        let light = Client::new(&network, &alice).await;
        light.syncs(&network, &[]).await;

        let block = votes_twice(&alice, Dave).await;
        slashed_with_its_nominator(&alice, Dave, DaveStash, block).await;
        let block = votes_on_a_block_far_ahead(&alice, Charlie).await;
        slashed_with_its_nominator(&alice, Charlie, CharlieStash, block).await;
        light.syncs(&network, &[]).await;
        tell(&network, &alice, "two offences").await;

        an_election_changes_the_set(&mut network, &alice).await;
        light.syncs(&network, &[]).await;
        tell(&network, &alice, "elections").await;
        eras_are_forced(&alice).await;
        light.syncs(&network, &[]).await;
        tell(&network, &alice, "forced eras").await;
        epochs_pass_without_a_block(&mut network).await;
        let alice = rpc(&network, 0).await;
        light.syncs(&network, &[]).await;
        let proven = alice.proven().await.expect("it answers");
        light.proves_block(&network, &alice, proven).await;
        is_in_the_log(network.node(0), "Reorg on").await;
        tell(&network, &alice, "all").await;
    })
    .await;
}

/// The changes to the local network of four: Eve validates without a Duet key, Charlie and Dave have a nominator each.
fn five_validators_and_two_nominators(genesis: &mut Value) {
    let add = |list: &mut Value, value| {
        let list = list.as_array_mut();
        list.expect("the genesis has it").push(value);
    };
    let grandpa = Ed25519Keyring::Eve.to_account_id();
    let eve = Eve.to_account_id();
    let keys = json!({ "babe": eve, "grandpa": grandpa, "authority_discovery": eve });
    add(&mut genesis["session"]["keys"], json!([eve, eve, keys]));
    let stakers = &mut genesis["staking"]["stakers"];
    add(stakers, json!([eve, eve, STAKE, "Validator"]));
    for (nominator, validator) in [(CharlieStash, Charlie), (DaveStash, Dave)] {
        let nominator = nominator.to_account_id();
        let role = json!({ "Nominator": [validator.to_account_id()] });
        add(stakers, json!([nominator, nominator, STAKE, role]));
    }
    let epochs = json!({ "c": [3, 4], "allowed_slots": "PrimaryAndSecondaryVRFSlots" });
    genesis["babe"] = json!({ "epochConfig": epochs });
}

/// A validator's one vote on a block that is not there yet is reported. Returns the block with the report.
async fn votes_on_a_block_far_ahead(alice: &Rpc, validator: Sr25519Keyring) -> BlockNumber {
    let genesis = alice.genesis_hash().await.expect("there is a genesis");
    let finalized = alice.finalized().await.expect("it answers");
    let true_of_it = is_final(alice, finalized).await;
    liar(alice, genesis, validator).await.vote(Commitment {
        block_number: finalized.saturating_add(AHEAD),
        ..true_of_it
    });
    reported(alice, &[validator]).await
}

async fn slashed_with_its_nominator(
    alice: &Rpc,
    validator: Sr25519Keyring,
    nominator: Sr25519Keyring,
    block: BlockNumber,
) {
    assert!(left_of(alice, validator, block).await > 0, "one of five");
    assert!(left_of(alice, nominator, block).await > 0, "its nominator");
}

/// Ferdie joins and Bob leaves by elections, and the set follows.
async fn an_election_changes_the_set(network: &mut Network, alice: &Rpc) {
    let bob: Option<DualKeyBytes> = key_of(alice, Bob).await;
    let bob = bob.expect("he is in the genesis");
    let node = network.join("Ferdie").await.expect("the node starts");
    let (ferdie, _) = become_validator(&rpc(network, node).await, Ferdie, |_| ())
        .await
        .expect("the transactions succeed");
    submit(alice, Bob, pallet_staking::Call::<Runtime>::chill {})
        .await
        .expect("he validates");
    let signing = || alice.call_runtime::<Vec<DualKeyBytes>>("DuetApi_current_keys", &[], None);
    let changed = |keys: &Vec<DualKeyBytes>| keys.contains(&ferdie) && !keys.contains(&bob);
    wait::until("the elected set", SOME_SESSIONS, signing, changed)
        .await
        .expect("the set follows the elections");
    let now = alice.best().await.expect("it answers");
    proven_within(SOME_SESSIONS, alice, now)
        .await
        .expect("the set proves");
}

/// Prints the state of the chain, for the report.
async fn tell(network: &Network, alice: &Rpc, after: &str) {
    let at = alice.proven().await.expect("it answers");
    let set = keysets(alice, None).await.current;
    let logs = network.nodes().iter().map(|node| {
        let log = std::fs::read_to_string(node.log()).expect("the node has a log");
        log.matches("Reorg on").count()
    });
    println!(
        "after {after}: block {at} is proven; set {} of {} signs; the nodes saw {} reorganisations",
        set.id,
        set.len,
        logs.sum::<usize>()
    );
}

async fn key_of(alice: &Rpc, account: Sr25519Keyring) -> Option<DualKeyBytes> {
    let account = codec::Encode::encode(&account.to_account_id());
    let asked = alice.call_runtime("DuetApi_registered_key", &account, None);
    asked.await.expect("the API answers")
}

async fn eras_are_forced(alice: &Rpc) {
    let era = || async {
        let era = pallet_staking::CurrentEra::<Runtime>::hashed_key();
        Ok(alice.storage::<u32>(&era, None).await?.unwrap_or_default())
    };
    let before = era().await.expect("the state is there");
    let force = RuntimeCall::from(pallet_staking::Call::<Runtime>::force_new_era_always {});
    let call = Box::new(force);
    submit(alice, Alice, pallet_sudo::Call::<Runtime>::sudo { call })
        .await
        .expect("Alice administers");
    // Each session is an era now: two sessions would be one otherwise.
    wait::until("eras", SOME_SESSIONS, era, |now| *now >= before + 3)
        .await
        .expect("eras begin with sessions");
    let now = alice.best().await.expect("it answers");
    proven_within(SOME_SESSIONS, alice, now)
        .await
        .expect("the set proves");
}

/// All nodes are away for longer than an epoch. The next block begins a later one.
async fn epochs_pass_without_a_block(network: &mut Network) {
    let nodes = network.nodes().len();
    let alice = rpc(network, 0).await;
    let best = alice.best().await.expect("it answers");
    for node in 0..nodes {
        network.node_mut(node).kill().expect("the process is ours");
    }
    let until = SystemTime::now() + SKIPPED;
    let clock = || async { Ok(SystemTime::now()) };
    wait::until("epochs to pass", SOME_SESSIONS, clock, |now| *now >= until)
        .await
        .expect("time goes on");
    for node in 0..nodes {
        network.restart(node).await.expect("a killed node starts");
    }
    let alice = rpc(network, 0).await;
    let later = best.saturating_add(SESSION_BLOCKS);
    proven_within(SOME_SESSIONS, &alice, later)
        .await
        .expect("the set proves");
}
