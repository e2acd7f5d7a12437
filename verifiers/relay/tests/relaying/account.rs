//! Transactions that are in the way of a relayer's own, and estimates of gas that are none.

use crate::{
    support::{key, options, policy, until, until_nothing, Fault, Gate, World, GWEI, LONG},
    LATE,
};
use alloy::{
    network::EthereumWallet,
    providers::{Provider, ProviderBuilder},
    rpc::types::TransactionRequest,
};
use duet_light_client::testing::SPAN;
use duet_primitives::H256;
use duet_relay::{evm::Options, Event, Look, Metrics, Relayer, TargetError, Then};
use std::time::Duration;
use tokio::time::timeout;

/// Another program with the first account's key pays somebody.
async fn pay(world: &World, nonce: u64, price: u128) -> H256 {
    let provider = ProviderBuilder::new()
        .wallet(EthereumWallet::from(key(1)))
        .connect_http(world.evm.url.parse().expect("a URL"));
    let payment = TransactionRequest::default()
        .to(key(3).address())
        .nonce(nonce)
        .gas_limit(21_000)
        .max_priority_fee_per_gas(price)
        .max_fee_per_gas(price);
    let sent = provider.send_transaction(payment).await;
    H256(sent.expect("it is taken").tx_hash().0)
}

fn impatient() -> Options {
    Options {
        max_fee_per_gas: 50 * GWEI,
        resend_after: Duration::from_millis(300),
        ..options()
    }
}

/// What was told of transactions in the way.
fn stuck(told: &[Event]) -> Vec<(u64, Option<H256>, Then)> {
    let stuck = told.iter().filter_map(|event| match event {
        Event::Stuck(stuck) => Some((stuck.nonce, stuck.transaction, stuck.then)),
        _ => None,
    });
    stuck.collect()
}

#[tokio::test]
async fn a_transaction_of_the_account_that_nobody_mines_is_named_and_replaced() {
    for is_shown in [true, false] {
        let world = World::new(LATE).await;
        world.evm.by_hand().await;
        let hash = pay(&world, 0, 30 * GWEI).await;
        let waiting = world.evm.pool().await.remove(0);
        let gate = Gate::start(&world.evm.url).await;
        gate.set((!is_shown).then_some(Fault::NoPool));
        let (mut relayer, _demands) = world.relayer_through(&gate, impatient());
        let mut told = Vec::new();
        let mining = async {
            if is_shown {
                world.evm.until_replaced(&waiting).await;
            } else {
                let is_gone = async || world.evm.pool().await != [waiting.clone()];
                until("a replacement", is_gone).await;
            }
            world.evm.mine().await;
        };
        let running = relayer.run_once(|event| told.push(event));
        let (ended, ()) = tokio::join!(running, mining);
        assert_eq!(
            ended.expect("it goes on").best.get(),
            world.chain.mandatory(0)
        );
        let hash = is_shown.then_some(hash);
        let expected = [(0, hash, Then::Awaited), (0, hash, Then::Replaced)];
        assert_eq!(stuck(&told), expected);
        let text = told[0].to_string();
        let shown = hash.map_or("".to_owned(), |hash| format!(" ({hash:?})"));
        assert!(text.contains(&format!("nonce 0{shown} waits")), "{text}");
    }
}

#[tokio::test]
async fn what_costs_more_to_replace_than_is_allowed_is_named_and_waited_for() {
    let world = World::new(LATE).await;
    world.evm.by_hand().await;
    // An eighth more is above the limit.
    pay(&world, 0, 45 * GWEI).await;
    let target = world.target_with(world.contract, 1, impatient());
    let (mut relayer, _demands) = Relayer::new(world.source(), target, policy());
    for _ in 0..2 {
        let look = timeout(LONG, relayer.look()).await;
        let look = look.expect("it takes too long").expect("both are there");
        let Look::Trouble(TargetError::Stuck { nonce: 0, limit }) = look else {
            panic!("{look:?}")
        };
        assert_eq!(limit, 50 * GWEI);
        assert_eq!(world.evm.pool().await.len(), 1);
    }
    world.evm.mine().await;
    world.evm.on_each_transaction().await;
    assert_eq!(until_nothing(&mut relayer).await.len(), 1);
}

#[tokio::test]
async fn the_highest_fees_that_are_allowed_and_do_not_suffice_are_told() {
    let world = World::new(LATE).await;
    world.evm.by_hand().await;
    let limited = Options {
        max_fee_per_gas: 2 * GWEI,
        ..impatient()
    };
    let target = world.target_with(world.contract, 1, limited);
    let (mut relayer, _demands) = Relayer::new(world.source(), target, policy());
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let waiting = async {
        world.evm.until_waiting(1).await;
        let waiting = world.evm.pool().await.remove(0);
        // It is told while the relayer waits.
        let event = told.recv().await.expect("it runs");
        let transaction = Some(H256(waiting.inner.tx_hash().0));
        let nonce = 0;
        let then = Then::AtLimit;
        assert_eq!(stuck(&[event]), [(nonce, transaction, then)]);
        world.evm.mine().await;
    };
    let running = relayer.run_once(|event| drop(tell.send(event)));
    let both = async { tokio::join!(running, waiting) };
    let both = timeout(LONG, both).await.expect("it takes too long");
    both.0.expect("it goes on");
    let rest: Vec<_> = std::iter::from_fn(|| told.try_recv().ok()).collect();
    assert_eq!(stuck(&rest), []);
}

#[tokio::test]
async fn a_transaction_behind_a_gap_is_named_once_and_holds_nothing_up() {
    let world = World::new(SPAN * 3 + LATE).await;
    let hash = pay(&world, 2, 5 * GWEI).await;
    let target = world.target_with(world.contract, 1, impatient());
    let registry = prometheus_endpoint::Registry::new();
    let (relayer, _demands) = Relayer::new(world.source(), target, policy());
    let mut relayer = relayer.with_metrics(Metrics::register(&registry).expect("they are new"));
    let mut told = Vec::new();
    let ended = relayer.run_once(|event| told.push(event)).await;
    assert_eq!(
        ended.expect("it goes on").best.get(),
        world.chain.mandatory(3)
    );
    let stuck = stuck(&told);
    assert_eq!(stuck[0], (2, Some(hash), Then::BehindGap));
    let gaps = stuck.iter().filter(|(.., then)| *then == Then::BehindGap);
    assert_eq!(gaps.count(), 1, "{stuck:?}");
    let families = registry.gather();
    let mut families = families.iter();
    let counter = families.find(|it| it.get_name() == "duet_relay_stuck_transactions_total");
    let counted = counter.expect("it is there").get_metric()[0].get_counter();
    assert_eq!(counted.get_value(), stuck.len() as f64);
}

#[tokio::test]
async fn a_nonce_that_another_program_has_used_is_named() {
    let world = World::new(LATE).await;
    world.evm.by_hand().await;
    let target = world.target_with(world.contract, 1, impatient());
    let (mut relayer, _demands) = Relayer::new(world.source(), target, policy());
    let another = async {
        world.evm.until_waiting(1).await;
        pay(&world, 0, 20 * GWEI).await;
        world.evm.mine().await;
    };
    let (look, ()) = tokio::join!(relayer.look(), another);
    let look = look.expect("both chains are there");
    let Look::Trouble(error @ TargetError::Unreachable(_)) = look else {
        panic!("{look:?}")
    };
    assert!(error.to_string().contains("used nonce 0"), "{error}");
    world.evm.on_each_transaction().await;
    assert_eq!(until_nothing(&mut relayer).await.len(), 1);
}

#[tokio::test]
async fn nothing_is_paid_by_an_estimate_that_fails_or_is_too_low() {
    let world = World::new(LATE).await;
    let gate = Gate::start(&world.evm.url).await;
    for (fault, why) in [
        (Fault::NoEstimate, "gas estimation is overloaded"),
        (Fault::Capped(100_000), "eth_estimateGas says 100000"),
        // Less than any transaction needs.
        (Fault::Capped(0), "eth_estimateGas says 0"),
    ] {
        gate.set(Some(fault));
        let (mut relayer, _demands) = world.relayer_through(&gate, options());
        let look = relayer.look().await.expect("it is tried again");
        let Look::Trouble(error @ TargetError::Unreachable(_)) = look else {
            panic!("{fault:?}: {look:?}")
        };
        let text = error.to_string();
        assert!(
            text.contains("eth_estimateGas") && text.contains(why),
            "{text}"
        );
        assert_eq!(world.paid(1).await, 0);
        gate.set(None);
    }
    let (mut relayer, _demands) = world.relayer_through(&gate, options());
    assert_eq!(until_nothing(&mut relayer).await.len(), 1);
}
