//! The operator's proof is brought step by step.

use super::*;
use duet_light_client::Checkpoint;
use duet_primitives::suite::RECOVERY_TERMS_STORAGE_KEY;

/// RECOVER-7, RECOVER-8.
#[tokio::test]
async fn a_relayer_that_is_killed_after_each_step_announces_once_waits_crosses_and_goes_on() {
    let chain = ResetChain::new(false, true);
    let world = World::new(chain, &[Serves::all(), Serves::all()]).await;
    world.moves_to(2, H256::repeat_byte(9));
    assert_eq!(world.restarted().await, Did::Proof(ABOUT));
    assert_eq!(world.restarted().await, Did::Announcement);
    for left in [DELAY, 1] {
        world.waits(left);
        assert_eq!(world.restarted().await, Did::Nothing);
    }
    world.waits(0);
    assert_eq!(world.restarted().await, Did::Crossing);
    assert_eq!(world.restarted().await, Did::Nothing);
    let every = Policy {
        every: NonZeroU32::new(1),
        patience: Duration::ZERO,
        turns: Turns::alone(),
    };
    let proof = world.chain.recovery(&world.chain.statement());
    let mut relayer = world.relayer_with(every).with_recovery_proof(proof);
    assert_eq!(world.look(&mut relayer).await, Did::Proof(AFTER));
    assert_eq!(world.look(&mut relayer).await, Did::Nothing);
    assert_eq!(world.obstacles(), Vec::<String>::new());
    assert_eq!(world.doubts(), Vec::<String>::new());
    let told = world.told.borrow();
    let is_fault = |event: &Event| matches!(event, Event::Source { .. });
    assert!(!told.iter().any(is_fault), "{told:?}");
}

/// RECOVER-7: what is announced is what the verifier needs to check it.
#[tokio::test]
async fn an_announcement_has_the_proof_and_the_state_proof_of_the_terms() {
    let world = World::usual().await;
    world.restarted().await;
    let brought = world.verifier.0.cargo.borrow();
    let [Cargo::Announcement(announcement)] = &brought[..] else {
        panic!("{brought:?}")
    };
    let statement = world.chain.statement();
    assert_eq!(announcement.proof, world.chain.recovery(&statement));
    assert_eq!(announcement.terms.delay, DELAY);
    let hash = sp_crypto_hashing::blake2_256(&announcement.header);
    assert_eq!(H256(hash), statement.block_hash);
    assert!(!announcement.nodes.is_empty());
}

/// RECOVER-8: who gets no answer does not cross.
#[tokio::test]
async fn nothing_is_paid_for_when_no_source_answers() {
    let world = World::usual().await;
    let status = world.verifier.0.status.get();
    let hindrance = crate::relayer::recovery::hindrance(&status, &world.chain.statement(), &[]);
    assert_eq!(hindrance.as_deref(), Some("no source answers"));
}

/// RECOVER-7, RECOVER-8.
#[tokio::test]
async fn a_statement_is_taken_once_at_its_block_and_crossed_by_alone_after_the_wait() {
    let world = World::usual().await;
    let (true_one, lie) = (world.chain.statement(), world.chain.lie());
    let status = |statement: Option<&RecoveryStatement>, left, is_contradicted| RecoveryStatus {
        announced: statement.cloned().map(|statement| Announced {
            statement: Some(statement),
            left,
            is_contradicted,
        }),
        ..at(true_one.block_number, true_one.block_hash)
    };
    for (status, takes, crosses) in [
        (status(None, 0, false), true, false),
        (status(Some(&lie), 0, false), true, false),
        (status(Some(&lie), 0, true), false, false),
        (status(Some(&true_one), 1, false), false, false),
        (status(Some(&true_one), 0, false), false, true),
        (status(Some(&true_one), 0, true), false, false),
    ] {
        for hash in [status.hash, None] {
            let status = RecoveryStatus {
                hash,
                ..status.clone()
            };
            assert_eq!(status.takes(&true_one), takes, "{status:?}");
            assert_eq!(status.crosses(&true_one), crosses, "{status:?}");
        }
    }
    // A statement that is not shown is another one.
    let mut hidden = status(Some(&true_one), 0, false);
    hidden
        .announced
        .as_mut()
        .expect("it is announced")
        .statement = None;
    assert!(hidden.takes(&true_one) && !hidden.crosses(&true_one));
}

/// RECOVER-8: the sources are asked before the crossing too.
#[tokio::test]
async fn nothing_is_paid_for_a_crossing_that_the_source_does_not_bear_out_any_more() {
    let world = World::usual().await;
    world.announced(world.chain.statement(), 0);
    world.nodes[0].set(|serves| serves.reset = Some(OTHER_RESET));
    assert_eq!(world.restarted().await, Did::Nothing);
    assert_eq!(world.obstacles(), world.doubts());
    world.nodes[0].set(|serves| serves.reset = Some(RESET));
    assert_eq!(world.restarted().await, Did::Crossing);
}

/// RECOVER-8: the true statement contradicts the false one, and nobody crosses by either.
#[tokio::test]
async fn the_operators_proof_contradicts_what_a_thief_has_announced() {
    let world = World::usual().await;
    world.announced(world.chain.lie(), DELAY);
    assert_eq!(world.restarted().await, Did::Announcement);
    world.waits(0);
    assert_eq!(world.restarted().await, Did::Nothing);
}

/// RECOVER-4 to RECOVER-7: nothing is paid for a proof that the target would refuse, or that the source does not bear out.
#[tokio::test]
async fn what_does_not_hold_is_told_once_and_not_announced() {
    let usual = || ResetChain::new(false, true);
    let no_reset = Serves {
        reset: None,
        ..Serves::all()
    };
    let other_reset = Serves {
        reset: Some(OTHER_RESET),
        ..Serves::all()
    };
    let pruned = Serves {
        state: false,
        ..Serves::all()
    };
    let newer = Serves {
        lost: NEWER,
        ..Serves::all()
    };
    let nothing: fn(&World, &mut RecoveryStatement) = |_, _| {};
    type Change = fn(&World, &mut RecoveryStatement);
    let cases: [(ResetChain, Serves, Change, &str); 10] = [
        (usual(), no_reset, nothing, "knows of no reset"),
        (usual(), other_reset, nothing, "says that block 11"),
        (
            usual(),
            pruned,
            nothing,
            "no source keeps the state of block 6",
        ),
        (usual(), newer, nothing, "RECOVER-7: block 8 is proven"),
        (
            ResetChain::new(false, false),
            Serves::all(),
            nothing,
            "RECOVER-4",
        ),
        (
            usual(),
            Serves::all(),
            |_, it| it.block_hash = H256::repeat_byte(5),
            "RECOVER-7: the target's block has the hash",
        ),
        (
            usual(),
            Serves::all(),
            |_, it| it.block_number = BlockNumber::new(ABOUT + 1),
            "no source has a proof of that block",
        ),
        (
            usual(),
            Serves::all(),
            |world, _| world.moves_to(NEWER, world.chain.hash(NEWER)),
            "RECOVER-7: block 8 is proven",
        ),
        (
            usual(),
            Serves::all(),
            |_, it| it.recovery_set = SetId::new(4),
            "RECOVER-6",
        ),
        (
            usual(),
            Serves::all(),
            |world, _| {
                let mut status = world.verifier.0.status.get();
                status.trust = Some(Trust {
                    until: 1,
                    period: 1,
                });
                world.verifier.0.status.set(status);
            },
            "LIGHT-9",
        ),
    ];
    for (chain, serves, change, expected) in cases {
        let world = World::new(chain, &[serves]).await;
        let mut proof = world.chain.recovery(&world.chain.statement());
        change(&world, &mut proof.statement);
        let mut relayer = world.relayer().with_recovery_proof(proof);
        for _ in 0..2 {
            let did = world.look(&mut relayer).await;
            assert_eq!(did, Did::Nothing, "{expected}");
        }
        let obstacles = world.obstacles();
        assert!(
            matches!(&obstacles[..], [only] if only.contains(expected)),
            "{expected}: {obstacles:?}"
        );
    }
}

/// RECOVER-6: the signatures are checked before anything is paid.
#[tokio::test]
async fn a_proof_with_another_signature_is_not_announced() {
    let world = World::usual().await;
    let mut proof = world.chain.recovery(&world.chain.statement());
    proof.signature = world.chain.recovery(&world.chain.lie()).signature;
    let mut relayer = world.relayer().with_recovery_proof(proof);
    assert_eq!(world.look(&mut relayer).await, Did::Nothing);
    let obstacles = world.obstacles();
    assert!(obstacles[0].contains("JUST-5"), "{obstacles:?}");
}

/// RECOVER-7: the terms come from the first node that keeps the state.
#[tokio::test]
async fn one_node_that_keeps_the_state_is_enough() {
    let pruned = Serves {
        state: false,
        ..Serves::all()
    };
    let world = World::new(ResetChain::new(false, true), &[pruned, Serves::all()]).await;
    assert_eq!(world.restarted().await, Did::Announcement);
}

/// STATE-2: the ends of a lane, and its messages, come from such a node, too.
#[tokio::test]
async fn a_node_that_says_it_keeps_no_state_hides_none() {
    let pruned = Serves {
        state: false,
        ..Serves::all()
    };
    let chain = ResetChain::new(false, true);
    let world = World::new(chain, &[pruned, Serves::all()]).await;
    let genesis = world.chain.genesis_hash;
    let mut source = Source::new(&world.urls, genesis, LONG, Duration::ZERO);
    let trusted = Trusted::from_own_checkpoint_unchecked(Checkpoint {
        genesis_hash: genesis,
        block_number: BlockNumber::new(ABOUT),
        block_hash: world.chain.hash(ABOUT),
        keysets: Keysets::without_successor(world.chain.first()),
    });
    let keys = [RECOVERY_TERMS_STORAGE_KEY.to_vec()];
    let state = source.state(trusted.best_block(), &keys).await;
    assert!(state.expect("both answer").is_some());
}

/// LIGHT-8: behind a reset the newest proof by the target's sets counts, and a node that does not know it has none.
#[tokio::test]
async fn a_target_before_a_reset_is_brought_as_far_as_its_sets_have_proven() {
    let world = World::usual().await;
    world.moves_to(2, H256::repeat_byte(9));
    let every = Policy {
        every: NonZeroU32::new(1),
        patience: Duration::ZERO,
        turns: Turns::alone(),
    };
    world.nodes[0].set(|serves| serves.last = false);
    let mut relayer = world.with_metrics(world.relayer_with(every));
    assert_eq!(world.look(&mut relayer).await, Did::Nothing);
    assert_eq!(world.metric("duet_relay_source_block"), f64::from(AFTER));
    // The operator's proof says which block to ask for.
    assert_eq!(world.restarted().await, Did::Proof(ABOUT));

    world.moves_to(2, H256::repeat_byte(9));
    world.nodes[0].set(|serves| serves.last = true);
    assert_eq!(world.look(&mut relayer).await, Did::Proof(ABOUT));
}

/// LIGHT-8: what the target trusts counts, and the source names it.
#[tokio::test]
async fn behind_a_reset_a_relayer_finds_the_set_without_the_proof() {
    let world = World::usual().await;
    let mut status = world.verifier.0.status.get();
    status.best = BlockNumber::new(RESET);
    status.signing = reference(&world.chain.statement().set);
    world.verifier.0.status.set(status);
    *world.verifier.0.recovery.borrow_mut() = Some(at(status.best, world.chain.hash(RESET)));
    let every = Policy {
        every: NonZeroU32::new(1),
        patience: Duration::ZERO,
        turns: Turns::alone(),
    };
    world.nodes[0].set(|serves| serves.reset = Some(OTHER_RESET));
    let failure = world.relayer_with(every).look().await;
    assert_eq!(failure.expect_err("it is not that set").kind, Kind::NoWay);
    world.nodes[0].set(|serves| serves.reset = Some(RESET));
    let mut relayer = world.relayer_with(every);
    assert_eq!(world.look(&mut relayer).await, Did::Proof(AFTER));
}

#[tokio::test]
async fn a_target_that_crosses_no_reset_by_a_proof_refuses_the_option_and_nothing_else() {
    let world = World::usual().await;
    *world.verifier.0.recovery.borrow_mut() = None;
    assert_eq!(world.look(&mut world.relayer()).await, Did::Nothing);
    let proof = world.chain.recovery(&world.chain.statement());
    let mut relayer = world.relayer().with_recovery_proof(proof);
    let failure = relayer.look().await.expect_err("it takes no such proof");
    assert_eq!(failure.kind, Kind::Usage);
    assert!(
        failure.message.contains("no recovery proofs"),
        "{failure:?}"
    );
}

#[tokio::test]
async fn relayers_take_turns_to_announce_and_a_dry_run_tells_what_it_would_do() {
    let world = World::usual().await;
    let proof = world.chain.recovery(&world.chain.statement());
    let count = NonZeroU32::new(2).expect("two");
    let mut did = Vec::new();
    for position in 0..2 {
        let policy = Policy {
            every: None,
            patience: LONG,
            turns: Turns::new(count, position, LONG).expect("a position"),
        };
        let relayer = world
            .relayer_with(policy)
            .with_recovery_proof(proof.clone());
        did.push(world.look(&mut relayer.dry_run()).await);
        let relayer = world
            .relayer_with(policy)
            .with_recovery_proof(proof.clone());
        let before = world.verifier.0.recovery.borrow().clone();
        did.push(world.look(&mut { relayer }).await);
        *world.verifier.0.recovery.borrow_mut() = before;
    }
    let one_waits = [Did::Announcement, Did::Later];
    assert_eq!(did[0], Did::Announcement);
    assert_eq!(did[2], Did::Announcement);
    assert!(
        one_waits.iter().all(|it| [&did[1], &did[3]].contains(&it)),
        "{did:?}"
    );
    assert_eq!(world.verifier.submissions(), 1);
}
