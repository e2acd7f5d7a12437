//! Relayers of one contract that know nothing of each other, and take no turns.

use crate::{
    support::{key, options, until, EthereumNode, World, FUNDS, LONG},
    LATE,
};
use duet_relay::{evm::Options, Event, Policy, Relayer, Turns};
use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    num::NonZeroU32,
    rc::Rc,
    time::Duration,
};
use tokio::{
    task::LocalSet,
    time::{interval, sleep},
};

/// A number from the environment, for a run at the pace of a real chain.
fn given(name: &str, usual: u32) -> u32 {
    std::env::var(name).map_or(usual, |text| text.parse().expect("a number"))
}

/// How transactions have ended.
type Ended = BTreeMap<&'static str, u32>;

/// So many relayers bring so many blocks, one after the other.
async fn race(relayers: u8, block: Duration, proofs: u32) -> Ended {
    let geth = std::env::var_os("DUET_RELAYERS_GETH");
    let evm = match &geth {
        Some(geth) => EthereumNode::geth(geth.as_ref(), block).await,
        None => EthereumNode::anvil().await,
    };
    for number in 1..=relayers.max(3) {
        let account = key(number).address();
        match &geth {
            Some(_) => evm.pay(account, FUNDS).await,
            None => evm.set_balance(account, FUNDS).await,
        }
    }
    // Each set but the last proves three blocks.
    let sets = u64::from(proofs / 3 + 2);
    let world = Rc::new(World::between(sets, LATE, evm).await);
    let proven = world.chain.justifications();
    let heads = proven.map(|proof| proof.commitment.block_number.get());
    let heads: Vec<_> = heads.take(proofs as usize).collect();
    world.node.set_head(heads[0]);
    let ended = Rc::new(RefCell::new(Ended::new()));
    let is_over = Rc::new(Cell::new(false));
    let tasks = LocalSet::new();
    if geth.is_none() {
        world.evm.by_hand().await;
        let world = Rc::clone(&world);
        tasks.spawn_local(async move {
            let mut blocks = interval(block);
            loop {
                blocks.tick().await;
                world.evm.mine().await;
            }
        });
    }
    for number in 1..=relayers {
        let (world, ended) = (Rc::clone(&world), Rc::clone(&ended));
        let options = Options {
            look_every: block / 12,
            resend_after: LONG * 10,
            ..options()
        };
        let policy = Policy {
            every: NonZeroU32::new(1),
            patience: Duration::ZERO,
            turns: Turns::new(NonZeroU32::MIN, 0, block * 5).expect("the only position"),
        };
        let target = world.target_with(world.contract, number, options);
        let (mut relayer, demands) = Relayer::new(world.source(), target, policy);
        drop(demands);
        tasks.spawn_local(async move {
            sleep(block / 2 / u32::from(relayers) * u32::from(number)).await;
            let tell = |event| {
                if let Event::Submitted { result, .. } = event {
                    *ended.borrow_mut().entry(result).or_default() += 1;
                }
            };
            let failed = relayer.run(block / 2, tell).await;
            panic!("it runs until it is dropped: {failed:?}");
        });
    }
    let proving = async {
        for head in heads {
            world.node.set_head(head);
            until("a block to be brought", async || {
                world.status().await.best.get() >= head
            })
            .await;
        }
        until("all to be told", async || {
            ended.borrow().get("taken") == Some(&proofs)
        })
        .await;
        is_over.set(true);
    };
    tasks.run_until(proving).await;
    assert!(is_over.get());
    let ended = ended.borrow().clone();
    println!("{relayers} relayers, {proofs} proofs: {ended:?}");
    ended
}

/// After the first race one goes first, and the others leave it to that one. `DUET_RELAYERS_BLOCK_MILLIS` and
/// `DUET_RELAYERS_PROOFS` set the time of a block and how many proofs there are, `DUET_RELAYERS_GETH` is a geth to use
/// instead of anvil.
#[tokio::test]
async fn relayers_that_take_no_turns_soon_leave_it_to_one() {
    let block = Duration::from_millis(given("DUET_RELAYERS_BLOCK_MILLIS", 300).into());
    let proofs = given("DUET_RELAYERS_PROOFS", 20);
    for relayers in [2, 5] {
        let ended = race(relayers, block, proofs).await;
        let lost = ["reverted", "known"].map(|result| ended.get(result).unwrap_or(&0));
        let lost: u32 = lost.into_iter().sum();
        assert!(lost < relayers.into(), "{ended:?}");
    }
}
