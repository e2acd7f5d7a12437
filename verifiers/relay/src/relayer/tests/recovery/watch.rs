//! What others announce is compared with the source.

use super::*;

/// RECOVER-8: without the operator's word nothing is announced or crossed.
#[tokio::test]
async fn without_a_proof_of_its_own_a_relayer_announces_and_crosses_nothing() {
    let world = World::usual().await;
    let mut relayer = world.relayer();
    assert_eq!(world.look(&mut relayer).await, Did::Nothing);
    world.announced(world.chain.statement(), 0);
    assert_eq!(world.look(&mut relayer).await, Did::Nothing);
    assert_eq!(world.verifier.submissions(), 0);
}

/// RECOVER-8: nobody can compare a statement that the target's node hides.
#[tokio::test]
async fn a_statement_that_is_not_shown_is_warned_of_once_and_counted() {
    let world = World::usual().await;
    world.announced(world.chain.statement(), DELAY);
    world.hides_the_statement();
    let mut relayer = world.with_metrics(world.relayer());
    for _ in 0..2 {
        assert_eq!(world.look(&mut relayer).await, Did::Nothing);
    }
    let told = world.told.borrow();
    let is_warning = |event: &&Event| matches!(event, Event::RecoveryHidden { .. });
    assert_eq!(told.iter().filter(is_warning).count(), 1, "{told:?}");
    assert_eq!(world.metric("duet_relay_recoveries_unfounded_total"), 1.0);
}

/// RECOVER-8: also by the signing set after it has handed off, and by a node that only one source is.
#[tokio::test]
async fn a_newer_proof_ends_an_announcement_at_once() {
    for hands_off in [false, true] {
        let knows = Serves {
            lost: NEWER,
            ..Serves::all()
        };
        let chain = ResetChain::new(hands_off, true);
        let world = World::new(chain, &[Serves::all(), knows]).await;
        if hands_off {
            world.moves_to(2, H256::repeat_byte(9));
            assert_eq!(world.look(&mut world.relayer()).await, Did::Proof(ABOUT));
        }
        world.announced(world.chain.statement(), DELAY);
        let never = Policy {
            every: None,
            patience: LONG,
            turns: Turns::new(NonZeroU32::MAX, 7, LONG).expect("a position"),
        };
        let mut relayer = world.with_metrics(world.relayer_with(never));
        assert_eq!(world.look(&mut relayer).await, Did::Proof(NEWER));
        let url = &world.nodes[1].url;
        let expected = format!("{url} has a proof of block {NEWER}, which is newer");
        assert_eq!(world.doubts(), [expected]);
        assert_eq!(world.look(&mut relayer).await, Did::Nothing);
        assert_eq!(world.metric("duet_relay_recovery_announced"), 0.0);
        assert_eq!(world.metric("duet_relay_recoveries_unfounded_total"), 1.0);
    }
}

#[tokio::test]
async fn the_newest_of_all_newer_proofs_ends_an_announcement() {
    let knows = Serves {
        lost: NEWER,
        ..Serves::all()
    };
    let chain = ResetChain::new(false, true);
    let world = World::new(chain, &[Serves::all(), knows, Serves::all()]).await;
    world.moves_to(2, H256::repeat_byte(9));
    world.announced(world.chain.lie(), DELAY);
    assert_eq!(world.look(&mut world.relayer()).await, Did::Proof(NEWER));
}

/// RECOVER-8: before the reset a newer proof comes as it always does, from a node that knows no other question.
#[tokio::test]
async fn the_newest_proof_of_a_node_that_lacks_the_method_ends_an_announcement_too() {
    let alive = Serves {
        head: NEWER,
        lost: NEWER,
        reset: None,
        last: false,
        state: true,
    };
    let world = World::new(ResetChain::new(false, true), &[alive]).await;
    world.announced(world.chain.lie(), DELAY);
    assert_eq!(world.look(&mut world.relayer()).await, Did::Proof(NEWER));
}

/// RECOVER-9: the reset is compared in all that a statement says of it.
#[tokio::test]
async fn an_announcement_that_the_source_does_not_bear_out_is_told_once_and_counted() {
    let world = World::usual().await;
    let mut relayer = world.with_metrics(world.relayer());
    let url = world.nodes[0].url.clone();
    world.announced(world.chain.statement(), DELAY);
    world.look(&mut relayer).await;
    assert_eq!(world.doubts(), Vec::<String>::new());
    assert_eq!(world.metric("duet_relay_recovery_announced"), 1.0);
    assert_eq!(
        world.metric("duet_relay_recovery_seconds_left"),
        DELAY as f64
    );

    let otherwise = format!("{url} says that block {RESET} ");
    let lies: [fn(&mut RecoveryStatement); 4] = [
        |it| it.reset_number = BlockNumber::new(OTHER_RESET),
        |it| it.reset_hash = H256::repeat_byte(8),
        |it| it.ended = SetId::new(1),
        |it| it.set = TestChain::new(1, 4, 1).sets[0].set.commitment().clone(),
    ];
    for (counted, lie) in (1..).zip(lies) {
        let mut statement = world.chain.statement();
        lie(&mut statement);
        world.announced(statement, DELAY);
        world.look(&mut relayer).await;
        world.look(&mut relayer).await;
        let doubts = world.doubts();
        assert_eq!(doubts.len(), counted, "{doubts:?}");
        assert!(doubts[counted - 1].starts_with(&otherwise), "{doubts:?}");
        let metric = world.metric("duet_relay_recoveries_unfounded_total");
        assert_eq!(metric, counted as f64);
    }
    world.nodes[0].set(|serves| serves.reset = None);
    world.announced(world.chain.statement(), DELAY);
    world.look(&mut relayer).await;
    assert_eq!(world.doubts()[4], format!("{url} knows of no reset"));
    assert_eq!(world.verifier.submissions(), 0);
}

#[tokio::test]
async fn an_announcement_is_told_once_and_again_when_it_is_contradicted() {
    let world = World::usual().await;
    let mut relayer = world.relayer();
    let statement = world.chain.statement();
    world.announced(statement.clone(), DELAY);
    world.look(&mut relayer).await;
    world.waits(1);
    world.look(&mut relayer).await;
    let contradict = |it: &mut RecoveryStatus| {
        it.announced
            .as_mut()
            .expect("it is announced")
            .is_contradicted = true;
    };
    contradict(
        world
            .verifier
            .0
            .recovery
            .borrow_mut()
            .as_mut()
            .expect("it is there"),
    );
    world.look(&mut relayer).await;
    let mut told = world.told.borrow_mut();
    told.retain(|event| !matches!(event, Event::Target { .. }));
    let [Event::RecoveryAnnounced {
        block,
        ended,
        reset_block,
        reset_hash,
        set,
        seconds_left: DELAY,
        is_contradicted: false,
    }, Event::RecoveryAnnounced {
        seconds_left: 1,
        is_contradicted: true,
        ..
    }] = &told[..]
    else {
        panic!("{told:?}")
    };
    assert_eq!((*block, *ended), (statement.block_number, statement.ended));
    let reset = (statement.reset_number, statement.reset_hash);
    assert_eq!((*reset_block, *reset_hash), reset);
    assert_eq!(*set, statement.set.id);
}
