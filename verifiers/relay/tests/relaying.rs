//! Relayers between a chain with known keys and the contract in anvil, by JSON-RPC on both sides.

#[path = "relaying/account.rs"]
mod account;
#[path = "relaying/recovery.rs"]
mod recovery;
mod support;
#[path = "relaying/unarranged.rs"]
mod unarranged;

use alloy::{
    network::{Ethereum, EthereumWallet},
    primitives::Address,
    providers::{PendingTransactionBuilder, Provider, ProviderBuilder},
    rpc::types::TransactionRequest,
};
use duet_light_client::testing::SPAN;
use duet_light_rpc::Kind;
use duet_primitives::{BlockNumber, Keysets, SetId};
use duet_relay::{
    evm::{self, Evm, Options},
    Brought, Cargo, Delivered, Event, Look, Metrics, Policy, Relayer, Target, TargetError, Turns,
};
use std::{
    num::NonZeroU32,
    time::{Duration, Instant},
};
use support::{
    bytecode, deploy, key, kill_when, options, policy, quiet, until, until_nothing, ChainNode,
    Fault, Gate, ResetChain, World, FUNDS, GWEI, LONG, SETS,
};

/// The block of a set whose proof is after its handoff.
const LATE: u32 = 8;

#[tokio::test]
async fn every_handoff_is_brought_and_nothing_else() {
    let world = World::new(SPAN * 4 + LATE).await;
    let (mut relayer, _demands) = world.relayer(1);
    let receipts = until_nothing(&mut relayer).await;
    // Sets 0 to 4 have named their successors, in one transaction. One alone takes 180 000.
    let [receipt] = &receipts[..] else {
        panic!("{receipts:?}")
    };
    assert_eq!(receipt.result, Delivered::Taken);
    assert!(receipt.work < 5 * 140_000, "{receipt:?}");
    let status = world.status().await;
    assert_eq!(status.best.get(), world.chain.mandatory(4));
    assert_eq!(
        (status.signing.id, status.latest()),
        (SetId::new(4), SetId::new(5))
    );
    // What is said to be paid is what is paid.
    assert_eq!(world.paid(1).await, receipt.paid);
    assert!(until_nothing(&mut relayer).await.is_empty());
}

#[tokio::test]
async fn a_block_is_brought_when_it_is_demanded_or_far_enough() {
    let world = World::new(LATE).await;
    let (mut relayer, demands) = world.relayer(1);
    assert_eq!(until_nothing(&mut relayer).await.len(), 1);
    demands.want(BlockNumber::new(6));
    assert_eq!(until_nothing(&mut relayer).await.len(), 1);
    assert_eq!(world.status().await.best.get(), LATE);
    // Already known, and not proven yet.
    demands.want(BlockNumber::new(LATE));
    demands.want(BlockNumber::new(LATE + 1));
    assert!(until_nothing(&mut relayer).await.is_empty());

    let every = |blocks| Policy {
        every: NonZeroU32::new(blocks),
        ..policy()
    };
    let head = SPAN + 2;
    world.node.set_head(head);
    let (mut seldom, _demands) =
        Relayer::new(world.source(), world.target(1), every(head - LATE + 1));
    assert!(until_nothing(&mut seldom).await.is_empty());
    let (mut often, _demands) = Relayer::new(world.source(), world.target(1), every(head - LATE));
    assert_eq!(until_nothing(&mut often).await.len(), 1);
    assert_eq!(world.status().await.best.get(), head);
}

#[tokio::test]
async fn a_demand_wakes_a_relayer_that_runs() {
    let world = World::new(LATE).await;
    let (mut relayer, demands) = world.relayer(1);
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let running = async {
        // It would look again in a minute.
        let ended = relayer.run(LONG, |event| drop(tell.send(event))).await;
        panic!("it runs until it is dropped: {ended:?}");
    };
    let wanting = async {
        let next = told.recv().await.expect("it runs");
        assert!(
            matches!(
                next,
                Event::Submitted {
                    result: "taken",
                    ..
                }
            ),
            "{next:?}"
        );
        let next = told.recv().await.expect("it runs");
        assert!(
            matches!(
                next,
                Event::Target {
                    knows_next: true,
                    ..
                }
            ),
            "{next:?}"
        );
        demands.want(BlockNumber::new(LATE));
        let next = told.recv().await.expect("it runs");
        let Event::Submitted { what, .. } = next else {
            panic!("{next:?}")
        };
        let Brought::Proof { block, .. } = what else {
            panic!("{what:?}")
        };
        assert_eq!(block, BlockNumber::new(LATE));
    };
    tokio::select! {
        () = running => {}
        woken = tokio::time::timeout(LONG / 2, wanting) => woken.expect("it is woken"),
    }
}

#[tokio::test]
async fn a_killed_relayers_transaction_is_not_paid_for_twice() {
    let world = World::new(LATE).await;
    world.evm.by_hand().await;
    let (mut first, _demands) = world.relayer(1);
    let work = async { drop(first.look().await) };
    kill_when(work, world.evm.until_waiting(1)).await;
    // The next one sees it in the pool, leaves it alone, and goes on when it is in a block.
    let (mut second, _demands) = world.relayer(1);
    let look = second.look().await.expect("both chains are there");
    assert!(
        matches!(look, Look::Trouble(TargetError::Overtaken(_))),
        "{look:?}"
    );
    world.evm.mine().await;
    assert!(until_nothing(&mut second).await.is_empty());
    assert_eq!(world.status().await.best.get(), world.chain.mandatory(0));
    assert_eq!(world.evm.pool().await.len(), 0);
}

#[tokio::test]
async fn a_killed_relayers_transaction_that_is_stuck_is_replaced() {
    let world = World::new(LATE).await;
    world.evm.by_hand().await;
    let (mut first, _demands) = world.relayer(1);
    let work = async { drop(first.look().await) };
    kill_when(work, world.evm.until_waiting(1)).await;
    let stuck = world.evm.pool().await.remove(0);
    // Far more than was offered.
    world.evm.set_base_fee(40 * GWEI).await;
    assert_eq!(world.evm.ready().await, 0);
    let patient = Options {
        resend_after: Duration::from_millis(50),
        ..options()
    };
    let gate = Gate::start(&world.evm.url).await;
    // The first of its offers has the same tip.
    gate.set(Some(Fault::Underpriced));
    let (mut second, _demands) = world.relayer_through(&gate, patient);
    let mining = async {
        world.evm.until_replaced(&stuck).await;
        until("it offers enough", async || world.evm.ready().await == 1).await;
        world.evm.mine().await;
    };
    let (receipts, ()) = tokio::join!(until_nothing(&mut second), mining);
    assert_eq!(receipts.len(), 1);
    assert_eq!(world.paid(1).await, receipts[0].paid);
    assert_eq!(world.evm.pool().await.len(), 0);
}

#[tokio::test]
async fn a_transaction_that_waits_is_sent_again_with_higher_fees_up_to_the_limit() {
    let world = World::new(LATE).await;
    world.evm.by_hand().await;
    let impatient = Options {
        resend_after: Duration::from_millis(50),
        max_fee_per_gas: 20 * GWEI,
        ..options()
    };
    let target = world.target_with(world.contract, 1, impatient);
    let (mut relayer, _demands) = Relayer::new(world.source(), target, policy());
    let dearer = async {
        world.evm.until_waiting(1).await;
        let first = world.evm.pool().await.remove(0);
        world.evm.set_base_fee(10 * GWEI).await;
        world.evm.until_replaced(&first).await;
        until("it offers enough", async || world.evm.ready().await == 1).await;
        world.evm.mine().await;
    };
    let (look, ()) = tokio::join!(relayer.look(), dearer);
    let look = look.expect("both chains are there");
    let Look::Submitted(_, receipt) = look else {
        panic!("{look:?}")
    };
    assert_eq!(receipt.result, Delivered::Taken);
    assert_eq!(world.paid(1).await, receipt.paid);
    assert!(receipt.paid <= u128::from(receipt.work) * 20 * GWEI);

    // Above the limit nothing is sent.
    world.evm.set_base_fee(30 * GWEI).await;
    world.node.set_head(SPAN + LATE);
    let look = relayer.look().await.expect("both chains are there");
    assert!(
        matches!(look, Look::Trouble(TargetError::TooDear { .. })),
        "{look:?}"
    );
    assert_eq!(
        (world.paid(1).await, world.evm.pool().await.len()),
        (receipt.paid, 0)
    );
    world.evm.set_base_fee(GWEI).await;
    world.evm.on_each_transaction().await;
    assert_eq!(until_nothing(&mut relayer).await.len(), 1);
}

#[tokio::test]
async fn what_a_node_has_lost_is_sent_again_also_at_the_limit() {
    let world = World::new(LATE).await;
    world.evm.by_hand().await;
    let at_the_limit = Options {
        resend_after: Duration::from_millis(50),
        max_fee_per_gas: 2 * GWEI,
        ..options()
    };
    let target = world.target_with(world.contract, 1, at_the_limit);
    let (mut relayer, _demands) = Relayer::new(world.source(), target, policy());
    let losing = async {
        world.evm.until_waiting(1).await;
        world.evm.lose_pool().await;
        world.evm.until_waiting(1).await;
        world.evm.mine().await;
    };
    let (look, ()) = tokio::join!(relayer.look(), losing);
    assert!(
        matches!(&look, Ok(Look::Submitted(_, receipt)) if receipt.result == Delivered::Taken),
        "{look:?}"
    );
}

#[tokio::test]
async fn who_is_overtaken_withdraws_for_a_tenth() {
    let world = World::new(LATE).await;
    world.evm.by_hand().await;
    let (mut slow, _demands) = world.relayer(1);
    let others = async {
        world.evm.until_waiting(1).await;
        let overtaken = world.evm.pool().await.remove(0);
        // The first one's offer is too low now, so that the other one does not count on it.
        world.evm.set_base_fee(10 * GWEI).await;
        let (mut fast, _demands) = world.relayer(2);
        let mined = async {
            world.evm.until_waiting(2).await;
            // Both offer enough, and the block has room for the higher offer.
            world.evm.set_base_fee(GWEI).await;
            world.evm.set_gas_limit(300_000).await;
            world.evm.mine().await;
            world.evm.set_gas_limit(30_000_000).await;
        };
        let (look, ()) = tokio::join!(fast.look(), mined);
        let look = look.expect("both chains are there");
        assert!(
            matches!(&look, Look::Submitted(_, receipt) if receipt.result == Delivered::Taken),
            "{look:?}"
        );
        world.evm.until_replaced(&overtaken).await;
        world.evm.mine().await;
    };
    let (look, ()) = tokio::join!(slow.look(), others);
    let look = look.expect("both chains are there");
    let Look::Submitted(_, receipt) = look else {
        panic!("{look:?}")
    };
    assert_eq!(receipt.result, Delivered::Withdrawn);
    assert_eq!(receipt.work, 21_000);
    assert_eq!(world.paid(1).await, receipt.paid);
    assert!(world.paid(2).await > 5 * world.paid(1).await);
}

#[tokio::test]
async fn who_brings_what_another_transaction_of_the_block_has_brought_has_paid_for_nothing() {
    let world = World::new(LATE).await;
    world.evm.by_hand().await;
    let (mut relayer, _demands) = world.relayer(1);
    let another = async {
        world.evm.until_waiting(1).await;
        let handoff = world.chain.mandatory(0);
        let proof = support::proof(&world.chain, handoff, true).expect("it is proven");
        let set = world.chain.sets[0].set.commitment();
        let _waiting = send(&world, duet_calldata::submit(&proof, set)).await;
        assert_eq!(world.evm.pool().await.len(), 2);
        world.evm.mine().await;
    };
    let (look, ()) = tokio::join!(relayer.look(), another);
    let look = look.expect("both chains are there");
    let Look::Submitted(_, receipt) = look else {
        panic!("{look:?}")
    };
    assert_eq!(receipt.result, Delivered::Known);
    assert_eq!(world.paid(1).await, receipt.paid);
    // The contract does not verify what it knows.
    assert!(receipt.work < 60_000, "{receipt:?}");
    assert!(until_nothing(&mut relayer).await.is_empty());
}

#[tokio::test]
async fn what_somebody_has_in_the_pool_is_left_to_them() {
    let world = World::new(LATE).await;
    world.evm.by_hand().await;
    let (mut first, _demands) = world.relayer(1);
    let second = async {
        world.evm.until_waiting(1).await;
        let (mut second, _demands) = world.relayer(2);
        let look = second.look().await.expect("both chains are there");
        assert!(
            matches!(look, Look::Trouble(TargetError::Overtaken(_))),
            "{look:?}"
        );
        world.evm.mine().await;
    };
    let (look, ()) = tokio::join!(first.look(), second);
    assert!(matches!(look, Ok(Look::Submitted(..))), "{look:?}");
    assert_eq!(world.paid(2).await, 0);
}

#[tokio::test]
async fn relayers_that_take_turns_never_pay_for_the_same() {
    let world = World::new(LATE).await;
    let turns = |position| {
        let turns = Turns::new(NonZeroU32::new(2).expect("two"), position, LONG);
        Policy {
            turns: turns.expect("a position"),
            ..policy()
        }
    };
    let relayer = |position: u8| {
        let target = world.target(position + 1);
        Relayer::new(world.source(), target, turns(position.into()))
    };
    let ((mut one, _a), (mut other, _b)) = (relayer(0), relayer(1));
    let mut brought = [0, 0];
    loop {
        let best = world.status().await.best.get();
        let is_here = |id: &u64| world.chain.mandatory(*id) <= best;
        let sets = u64::try_from((0..).take_while(is_here).count()).expect("few");
        if sets == SETS {
            break;
        }
        // The handoffs come one by one: together they would be one transaction.
        let head = u32::try_from(sets).expect("few") * SPAN + LATE;
        world.node.set_head(head);
        let looks = tokio::join!(one.look(), other.look());
        for (brought, look) in brought.iter_mut().zip([looks.0, looks.1]) {
            match look.expect("both chains are there") {
                Look::Submitted(_, receipt) => {
                    assert_eq!(receipt.result, Delivered::Taken);
                    *brought += 1;
                }
                Look::Later(_) | Look::Nothing(_) => {}
                look => panic!("{look:?}"),
            }
        }
    }
    assert_eq!(brought[0] + brought[1], SETS);
    assert!(brought.iter().all(|brought| *brought > 0), "{brought:?}");
}

#[tokio::test]
async fn the_next_in_turn_goes_when_the_first_is_down() {
    let world = World::new(LATE).await;
    let turn = Duration::from_millis(200);
    for position in 0..2 {
        let turns = Turns::new(NonZeroU32::new(2).expect("two"), position, turn);
        let policy = Policy {
            turns: turns.expect("a position"),
            ..policy()
        };
        if policy.turns.wait(0).is_zero() {
            continue;
        }
        let (mut relayer, _demands) = Relayer::new(world.source(), world.target(1), policy);
        let begin = Instant::now();
        relayer
            .run_once(quiet)
            .await
            .expect("both chains are there");
        assert!(begin.elapsed() >= turn);
        assert_eq!(world.status().await.best.get(), world.chain.mandatory(0));
    }
}

/// Of the set that signed a proof.
fn absent(cargo: &Cargo) -> usize {
    match cargo {
        Cargo::Proof(delivery) => delivery.absent(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_proof_waits_for_votes_that_are_missing_and_is_cheaper_then() {
    let world = World::new(LATE).await;
    world.node.set_full(false);
    let patient = Policy {
        patience: LONG,
        ..policy()
    };
    let (mut relayer, _demands) = Relayer::new(world.source(), world.target(1), patient);
    let look = relayer.look().await.expect("both chains are there");
    assert!(matches!(look, Look::Later(_)), "{look:?}");
    assert_eq!(world.paid(1).await, 0);
    world.node.set_full(true);
    let look = relayer.look().await.expect("both chains are there");
    let Look::Submitted(cargo, full) = look else {
        panic!("{look:?}")
    };
    assert_eq!(absent(&cargo), 0);

    // Who does not wait pays for who is absent.
    world.node.set_full(false);
    world.node.set_head(SPAN + LATE);
    let (mut hasty, _demands) = world.relayer(1);
    let look = hasty.look().await.expect("both chains are there");
    let Look::Submitted(cargo, receipt) = look else {
        panic!("{look:?}")
    };
    assert_eq!(absent(&cargo), 1);
    assert!(receipt.work > full.work + 5_000);
}

#[tokio::test]
async fn what_lies_is_dropped_before_anything_is_paid() {
    let world = World::new(LATE).await;
    let liar = ChainNode::start(&world.chain, LATE).await;
    liar.set_forging(true);
    let source = world.source_at(&[&liar, &world.node]);
    let (mut relayer, demands) = Relayer::new(source, world.target(1), policy());
    demands.want(BlockNumber::new(LATE));
    let mut told = Vec::new();
    relayer
        .run_once(|event| told.push(event))
        .await
        .expect("one is honest");
    assert!(told.iter().any(|event| matches!(
        event,
        Event::Source { url, is_dropped: true, reason } if *url == liar.url && reason.contains("JUST-5")
    )), "{told:?}");
    assert_eq!(world.status().await.best.get(), LATE);

    let (mut relayer, _demands) =
        Relayer::new(world.source_at(&[&liar]), world.target(2), policy());
    world.node.set_head(SPAN + LATE);
    liar.set_head(SPAN + LATE);
    let failure = relayer.run_once(quiet).await.expect_err("nobody is honest");
    assert_eq!(failure.kind, Kind::Unverified);
    assert_eq!(world.paid(2).await, 0);

    // Of an ordinary block too, when no handoff is missing.
    let (mut honest, _demands) = world.relayer(1);
    until_nothing(&mut honest).await;
    let liar = ChainNode::start(&world.chain, SPAN + LATE).await;
    let (mut relayer, demands) = Relayer::new(world.source_at(&[&liar]), world.target(2), policy());
    until_nothing(&mut relayer).await;
    liar.set_forging(true);
    demands.want(BlockNumber::new(SPAN + LATE));
    let failure = relayer.run_once(quiet).await.expect_err("nobody is honest");
    assert_eq!(failure.kind, Kind::Unverified);
    assert_eq!(world.paid(2).await, 0);
}

/// The first source claims blocks that nobody has, or hides the newest.
#[tokio::test]
async fn no_source_decides_alone_which_proof_is_the_newest() {
    for hides in [false, true] {
        let world = World::new(SPAN + LATE).await;
        let liar = ChainNode::start(&world.chain, LATE).await;
        if !hides {
            liar.set_claimed(1_000_000);
        }
        let every = Policy {
            every: NonZeroU32::new(1),
            ..policy()
        };
        let source = world.source_at(&[&liar, &world.node]);
        let (mut relayer, _demands) = Relayer::new(source, world.target(1), every);
        let mut told = Vec::new();
        let ended = relayer.run_once(|event| told.push(event)).await;
        assert_eq!(ended.expect("one is honest").best.get(), SPAN + LATE);
        let is_liar =
            |event: &Event| matches!(event, Event::Source { url, .. } if *url == liar.url);
        assert!(hides || told.iter().any(is_liar), "{told:?}");
    }
}

#[tokio::test]
async fn a_target_that_does_not_answer_is_tried_again() {
    let world = World::new(LATE).await;
    let gate = Gate::start(&world.evm.url).await;
    let hasty = Options {
        timeout: Duration::from_secs(1),
        ..options()
    };
    for fault in [
        Fault::Overloaded,
        Fault::Page,
        Fault::Unavailable,
        Fault::HangsUp,
        Fault::Silent,
    ] {
        gate.set(Some(fault));
        let (mut relayer, _demands) = world.relayer_through(&gate, hasty);
        let look = relayer.look().await.expect("it is tried again");
        assert!(
            matches!(look, Look::Trouble(TargetError::Unreachable(_))),
            "{fault:?}: {look:?}"
        );
    }
    gate.set(Some(Fault::Overloaded));
    let (mut relayer, _demands) = world.relayer_through(&gate, options());
    let look = relayer.look().await.expect("it is tried again");
    let Look::Trouble(TargetError::Unreachable(reason)) = look else {
        panic!("{look:?}")
    };
    assert!(reason.contains("overloaded"), "{reason}");
    gate.set(None);
    assert_eq!(until_nothing(&mut relayer).await.len(), 1);
}

#[tokio::test]
async fn an_answer_that_is_lost_after_sending_costs_nothing_more() {
    let world = World::new(LATE).await;
    world.evm.by_hand().await;
    let gate = Gate::start(&world.evm.url).await;
    let (mut relayer, _demands) = world.relayer_through(&gate, options());
    let outage = async {
        world.evm.until_waiting(1).await;
        gate.set(Some(Fault::Overloaded));
        world.evm.mine().await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        gate.set(None);
    };
    let (look, ()) = tokio::join!(relayer.look(), outage);
    assert!(
        matches!(&look, Ok(Look::Submitted(_, receipt)) if receipt.result == Delivered::Taken),
        "{look:?}"
    );
    assert!(until_nothing(&mut relayer).await.is_empty());
}

#[tokio::test]
async fn what_a_reorganisation_undoes_is_brought_again() {
    let world = World::new(LATE).await;
    let (mut relayer, _demands) = world.relayer(1);
    let before = world.evm.snapshot().await;
    let look = relayer.look().await;
    assert!(matches!(look, Ok(Look::Submitted(..))), "{look:?}");
    let handoff = BlockNumber::new(world.chain.mandatory(0));
    for is_all in [false, true] {
        if is_all {
            world.evm.go_back(&before).await;
        } else {
            // Another block takes the place of the latest, without its transaction.
            world.evm.reorganise().await;
        }
        assert_eq!(world.status().await.best.get(), 0);
        let mut told = Vec::new();
        let ended = relayer.run_once(|event| told.push(event)).await;
        assert_eq!(ended.expect("both chains are there").best, handoff);
        let [Event::WentBack { from, to }, Event::Submitted { result, .. }, ..] = told[..] else {
            panic!("{told:?}")
        };
        assert_eq!((from, to.get(), result), (handoff, 0, "taken"));
    }
}

#[tokio::test]
async fn a_frozen_contract_ends_the_relayer() {
    let world = World::new(LATE).await;
    freeze(&world).await;
    let (mut relayer, _demands) = world.relayer(1);
    let failure = relayer
        .look()
        .await
        .expect_err("it takes no proof any more");
    assert_eq!(failure.kind, Kind::Misbehaviour);
    assert_eq!(world.paid(1).await, 0);
}

/// Two proofs of one block by one set, that say different things.
async fn freeze(world: &World) {
    let one = support::proof(&world.chain, 2, true).expect("it is proven");
    let set = &world.chain.sets[0];
    let mut commitment = one.justification.commitment.clone();
    commitment.block_hash.0[0] ^= 1;
    let message = duet_primitives::RoundMessage::new(world.chain.genesis_hash, commitment);
    let justification = set.justify(&message, 0..4);
    let other = duet_primitives::StatelessProof::new(&justification, set.set.keyset());
    let (other, set) = (other.expect("members"), set.set.commitment());
    let input = duet_calldata::report_misbehaviour([(&one, set), (&other, set)]);
    let sent = send(world, input).await;
    assert!(sent.get_receipt().await.expect("it is in a block").status());
}

/// Calls the contract with an account that no relayer uses, and a tip that none of them offers.
async fn send(world: &World, input: Vec<u8>) -> PendingTransactionBuilder<Ethereum> {
    let provider = ProviderBuilder::new()
        .wallet(EthereumWallet::from(key(3)))
        .connect_http(world.evm.url.parse().expect("a URL"));
    let call = TransactionRequest::default()
        .to(world.contract)
        .input(input.into())
        .gas_limit(1_000_000)
        .max_priority_fee_per_gas(10 * GWEI)
        .max_fee_per_gas(90 * GWEI);
    provider.send_transaction(call).await.expect("it is taken")
}

#[tokio::test]
async fn no_contract_and_another_chains_contract_are_bad_usage() {
    let world = World::new(LATE).await;
    let nowhere = world.target_with(key(1).address(), 1, options());
    let error = nowhere
        .genesis_hash()
        .await
        .expect_err("there is no contract");
    assert!(matches!(error, TargetError::Misconfigured(_)), "{error:?}");
    let (mut relayer, _demands) = Relayer::new(world.source(), nowhere, policy());
    let failure = relayer.look().await.expect_err("there is no contract");
    assert_eq!(failure.kind, Kind::Usage);

    // The source is of another chain than the contract.
    let other = duet_light_client::testing::TestChain::new(1, 4, 8);
    let node = ChainNode::start(&other, 5).await;
    let (mut relayer, _demands) =
        Relayer::new(world.source_at(&[&node]), world.target(1), policy());
    let failure = relayer
        .look()
        .await
        .expect_err("nobody serves the contract's chain");
    assert_eq!(failure.kind, Kind::Unverified);
    assert_eq!(world.paid(1).await, 0);
}

#[tokio::test]
async fn a_contract_that_crosses_no_reset_refuses_a_recovery_proof() {
    let world = World::new(LATE).await;
    let chain = ResetChain::new(false, true);
    let (relayer, _demands) = world.relayer(1);
    let mut relayer = relayer.with_recovery_proof(chain.recovery(&chain.statement()));
    let failure = relayer.look().await.expect_err("it takes none");
    assert_eq!(failure.kind, Kind::Usage);
    assert!(
        failure.message.contains("no recovery proofs"),
        "{failure:?}"
    );
    assert_eq!(world.paid(1).await, 0);
}

#[tokio::test]
async fn a_dry_run_needs_no_key_and_tells_what_it_would_cost() {
    let world = World::new(LATE).await;
    let target = Evm::new(&world.evm.url, world.contract, None, options()).expect("a URL");
    let (relayer, _demands) = Relayer::new(world.source(), target, policy());
    let mut told = Vec::new();
    let mut relayer = relayer.dry_run();
    relayer
        .run_once(|event| told.push(event))
        .await
        .expect("both chains are there");
    let [Event::Estimated { work, bytes, .. }] = told[..] else {
        panic!("{told:?}")
    };
    assert_eq!(world.evm.pool().await.len(), 0);
    assert_eq!(world.status().await.best.get(), 0);

    let (mut relayer, _demands) = world.relayer(1);
    let receipts = until_nothing(&mut relayer).await;
    let used = receipts[0].work;
    assert!(
        work >= used && work < used + used / 10,
        "estimated {work}, used {used}"
    );
    assert!(bytes > 600 && bytes < 1_000);

    // It is the turn of one of two, and neither waits.
    world.node.set_head(SPAN + LATE);
    for position in 0..2 {
        let turns = Turns::new(NonZeroU32::new(2).expect("two"), position, LONG);
        let turns = turns.expect("a position");
        let target = Evm::new(&world.evm.url, world.contract, None, options()).expect("a URL");
        let (relayer, _demands) =
            Relayer::new(world.source(), target, Policy { turns, ..policy() });
        let look = relayer.dry_run().look().await.expect("both are there");
        assert!(matches!(look, Look::Estimated(..)), "{position}: {look:?}");
    }

    // Without a key nothing is sent.
    let target = Evm::new(&world.evm.url, world.contract, None, options()).expect("a URL");
    let (mut relayer, _demands) = Relayer::new(world.source(), target, policy());
    let look = relayer.look().await.expect("both chains are there");
    assert!(
        matches!(look, Look::Trouble(TargetError::NoKey)),
        "{look:?}"
    );
}

#[tokio::test]
async fn an_account_without_funds_is_named() {
    let world = World::new(LATE).await;
    world.evm.set_balance(key(1).address(), 1).await;
    let (mut relayer, _demands) = world.relayer(1);
    let look = relayer.look().await.expect("both chains are there");
    assert!(
        matches!(look, Look::Trouble(TargetError::NoFunds(_))),
        "{look:?}"
    );
}

#[tokio::test]
async fn contracts_share_a_library_whose_code_is_compared() {
    let world = World::new(LATE).await;
    let target = world.target_with(Address::ZERO, 3, options());
    let (code, checkpoint) = (bytecode(), world.chain.checkpoint(0));
    let (one, libraries) = deploy(&target, &code, &checkpoint, &[]).await;
    assert_eq!(libraries.len(), 1);
    let (other, deployed) = deploy(&target, &code, &checkpoint, &libraries).await;
    assert!(deployed.is_empty() && one != other);
    for (name, address) in [
        ("RareCalls", one),
        ("RareCalls", key(9).address()),
        ("Else", one),
    ] {
        let contract = evm::Deployment {
            bytecode: &code,
            libraries: &[(name.to_owned(), address)],
            checkpoint: &checkpoint,
            trusting_period: 1,
            owner: None,
        };
        let refused = evm::deploy(&target, &contract, |_, _| panic!("deployed")).await;
        assert_eq!(refused.expect_err(name).kind, Kind::Usage);
    }
}

#[tokio::test]
async fn sets_that_no_handoff_names_come_from_a_checkpoint() {
    let mut world = World::new(SPAN * 3 + LATE).await;
    world.contract = world.deploy(3).await;
    // As after a reset: nobody has the handoff by which set 3 was named.
    world.node.set_pruned(true);
    let (mut relayer, _demands) = world.relayer(1);
    let failure = relayer.look().await.expect_err("nobody knows set 3");
    assert_eq!(failure.kind, Kind::NoWay);

    world.node.set_pruned(false);
    let mut source = world.source();
    let keysets = world.chain.checkpoint(3).keysets;
    source.remember(&Keysets {
        current: world.chain.checkpoint(2).keysets.current,
        next: keysets.current,
    });
    let asked = world.node.proofs_asked();
    let (mut relayer, _demands) = Relayer::new(source, world.target(1), policy());
    assert_eq!(until_nothing(&mut relayer).await.len(), 1);
    assert_eq!(world.status().await.best.get(), world.chain.mandatory(3));
    assert_eq!(world.node.proofs_asked(), asked);
}

#[tokio::test]
async fn the_first_set_of_a_chain_that_took_duet_up_later_is_found() {
    let world = World::new(LATE).await;
    world.node.set_later(true);
    let (mut relayer, _demands) = world.relayer(1);
    assert_eq!(until_nothing(&mut relayer).await.len(), 1);
    assert_eq!(world.status().await.best.get(), world.chain.mandatory(0));
}

#[tokio::test]
async fn metrics_tell_where_both_chains_are_and_what_was_paid() {
    let world = World::new(SPAN + LATE).await;
    let registry = prometheus_endpoint::Registry::new();
    let (relayer, _demands) = world.relayer(1);
    let mut relayer = relayer.with_metrics(Metrics::register(&registry).expect("they are new"));
    relayer
        .run_once(quiet)
        .await
        .expect("both chains are there");
    let value = |name: &str| {
        let families = registry.gather();
        let family = families.iter().find(|family| family.get_name() == name);
        let family = family.unwrap_or_else(|| panic!("there is no {name}"));
        let metrics = family.get_metric().iter();
        metrics
            .map(|metric| metric.get_gauge().get_value() + metric.get_counter().get_value())
            .sum::<f64>()
    };
    assert_eq!(
        value("duet_relay_target_block"),
        f64::from(world.chain.mandatory(1))
    );
    assert_eq!(value("duet_relay_source_block"), f64::from(SPAN + LATE));
    assert_eq!(value("duet_relay_target_set"), 2.0);
    // Both handoffs in one.
    assert_eq!(value("duet_relay_submissions_total"), 1.0);
    let paid = value("duet_relay_paid_total");
    assert!((paid / world.paid(1).await as f64 - 1.0).abs() < 1e-9);
    let left = value("duet_relay_balance");
    assert!((left / (FUNDS - world.paid(1).await) as f64 - 1.0).abs() < 1e-9);
}
