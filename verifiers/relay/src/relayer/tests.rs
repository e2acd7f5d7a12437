//! The loops of a relayer, between a node that serves a chain with known keys and a verifier that refuses on demand.

// What other tests need of the node is not used here.
#[allow(dead_code, unreachable_pub, missing_docs)]
#[path = "../../tests/support/chain.rs"]
mod chain;
mod recovery;
mod sources;

use super::*;
use crate::{
    messages::{Contents, Due, Parcel},
    recovery::{Announced, RecoveryStatus},
    target::{no_lane, Estimate, LaneStatus, Receipt, SetRef},
    turns::Turns,
};
use chain::ChainNode;
use duet_light_client::testing::TestChain;
use duet_primitives::{KeysetCommitment, RecoveryStatement, SetId, H256};
use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    rc::Rc,
};

/// Longer than anything here takes.
const LONG: Duration = Duration::from_secs(60);
/// The source's newest block; set 0 has handed off before it.
const HEAD: u32 = 8;
const TRANSACTION: H256 = H256::repeat_byte(7);

/// A verifier that accepts every proof, unless told otherwise. Clones share state.
#[derive(Clone)]
struct Verifier(Rc<State>);

struct State {
    genesis_hash: H256,
    status: Cell<Status>,
    /// How the next submissions end.
    results: RefCell<VecDeque<Delivered>>,
    submitted: RefCell<Vec<Instant>>,
    looks: Cell<usize>,
    /// None when it crosses no reset by a proof.
    recovery: RefCell<Option<RecoveryStatus>>,
    cargo: RefCell<Vec<Cargo>>,
    /// What its node says to several things in one transaction, when it is asked for the cost or when it gets them.
    several: RefCell<Several>,
}

/// A node's opinion of several things in one transaction.
#[derive(Clone, Default)]
enum Several {
    #[default]
    Fine,
    NotEstimated(TargetError),
    NotTaken(TargetError),
}

/// Whether there are several things in it.
fn has_several(cargo: &Cargo) -> bool {
    match cargo {
        Cargo::Parcel(Parcel {
            contents: Contents::Messages { messages, .. },
            ..
        }) => messages.len() > 1,
        cargo => cargo.first_handoff().is_some(),
    }
}

impl Verifier {
    fn of(chain: &TestChain) -> Self {
        Self::at_genesis(chain.genesis_hash, chain.sets[0].set.commitment())
    }

    fn at_genesis(genesis_hash: H256, set: &KeysetCommitment) -> Self {
        let signing = reference(set);
        Self(Rc::new(State {
            genesis_hash,
            status: Cell::new(Status {
                best: BlockNumber::new(0),
                signing,
                next: None,
                is_stopped: false,
                trust: None,
            }),
            results: RefCell::default(),
            submitted: RefCell::default(),
            looks: Cell::new(0),
            recovery: RefCell::default(),
            cargo: RefCell::default(),
            several: RefCell::default(),
        }))
    }

    fn take(&self, cargo: &Cargo) {
        let (state, mut status) = (&self.0, self.0.status.get());
        let mut recovery = state.recovery.borrow_mut();
        match (cargo, recovery.as_mut()) {
            (Cargo::Proof(delivery), recovery) => {
                for (proof, set) in delivery.proofs() {
                    let commitment = &proof.justification.commitment;
                    assert_eq!(commitment.validator_set_id, set.id);
                    status.best = commitment.block_number;
                    if status.next.is_some_and(|next| next.id == set.id) {
                        status.signing = status.next.take().expect("it is there");
                    }
                    let next = &commitment.next;
                    status.next = (next.id > status.signing.id).then(|| reference(next));
                }
                if let Some(recovery) = recovery {
                    let commitment = &delivery.proof.justification.commitment;
                    *recovery = recovery::at(status.best, commitment.block_hash);
                }
            }
            (Cargo::Announcement(announcement), Some(recovery)) => {
                let statement = announcement.proof.statement.clone();
                assert!(recovery.takes(&statement), "{recovery:?}");
                let known = recovery.announced.take();
                let is_contradicted = known.is_some();
                let announced = known.unwrap_or(Announced {
                    statement: Some(statement),
                    left: announcement.terms.delay,
                    is_contradicted,
                });
                recovery.announced = Some(Announced {
                    is_contradicted,
                    ..announced
                });
            }
            (Cargo::Parcel(_), _) => {}
            (Cargo::Crossing(statement), Some(recovery)) => {
                assert!(recovery.crosses(statement), "{recovery:?}");
                *recovery = recovery::at(statement.reset_number, statement.reset_hash);
                status.best = statement.reset_number;
                (status.signing, status.next) = (reference(&statement.set), None);
            }
            _ => panic!("{cargo:?}"),
        }
        state.status.set(status);
    }

    /// The next submissions end so, and leave the verifier as it is unless they are taken.
    fn will(&self, results: impl IntoIterator<Item = Delivered>) {
        self.0.results.borrow_mut().extend(results);
    }

    fn submissions(&self) -> usize {
        self.0.submitted.borrow().len()
    }

    /// Waits until it knows that this set comes next.
    async fn has_next(&self, set: u64) {
        while self.0.status.get().next.map(|next| next.id.get()) != Some(set) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Waits until it was asked so often where it is.
    async fn was_looked_at(&self, times: usize) {
        while self.0.looks.get() < times {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

fn reference(set: &KeysetCommitment) -> SetRef {
    SetRef {
        id: set.id,
        fingerprint: H256::from_low_u64_be(set.id.get()),
    }
}

impl Target for Verifier {
    const WITH_HEADER: bool = false;
    const MOST_HANDOFFS: u32 = 3;

    async fn genesis_hash(&self) -> Result<H256, TargetError> {
        Ok(self.0.genesis_hash)
    }

    fn fingerprint(&self, set: &KeysetCommitment) -> H256 {
        reference(set).fingerprint
    }

    async fn status(&self) -> Result<Status, TargetError> {
        self.0.looks.set(self.0.looks.get() + 1);
        Ok(self.0.status.get())
    }

    async fn recovery(
        &self,
        _: Option<&RecoveryStatement>,
    ) -> Result<Option<RecoveryStatus>, TargetError> {
        Ok(self.0.recovery.borrow().clone())
    }

    async fn estimate(&self, cargo: &Cargo) -> Result<Estimate, TargetError> {
        match &*self.0.several.borrow() {
            Several::NotEstimated(why) if has_several(cargo) => return Err(why.clone()),
            _ => {}
        }
        let (work, cost, bytes) = (1, 1, 1);
        Ok(Estimate { work, cost, bytes })
    }

    async fn submit(&self, cargo: &Cargo) -> Result<Receipt, TargetError> {
        let state = &self.0;
        match &*state.several.borrow() {
            Several::NotTaken(why) if has_several(cargo) => return Err(why.clone()),
            _ => {}
        }
        state.submitted.borrow_mut().push(Instant::now());
        let told = state.results.borrow_mut().pop_front();
        let result = told.unwrap_or(Delivered::Taken);
        state.cargo.borrow_mut().push(cargo.clone());
        if result == Delivered::Taken {
            self.take(cargo);
        }
        Ok(Receipt {
            result,
            transaction: TRANSACTION,
            work: 1,
            paid: 1,
        })
    }

    async fn lane(&self, lane: &Lane) -> Result<LaneStatus, TargetError> {
        Err(no_lane(lane))
    }

    async fn balance(&self) -> Result<Option<u128>, TargetError> {
        Ok(None)
    }
}

fn source(node: &ChainNode, chain: &TestChain) -> Source {
    let url = std::slice::from_ref(&node.url);
    Source::new(url, chain.genesis_hash, LONG, Duration::from_secs(1))
}

/// A node, a verifier at genesis, and a relayer between them that wants the handoff of set 0.
async fn between(patience: Duration) -> (ChainNode, Verifier, Relayer<Verifier>, Demands) {
    let chain = TestChain::new(1, chain::VALIDATORS, 7);
    let node = ChainNode::start(&chain, HEAD).await;
    let source = source(&node, &chain);
    let policy = Policy {
        every: None,
        patience,
        turns: Turns::alone(),
    };
    let verifier = Verifier::of(&chain);
    let (relayer, demands) = Relayer::new(source, verifier.clone(), policy);
    (node, verifier, relayer, demands)
}

/// The events of a relayer until something else has happened.
async fn told_until(
    relayer: &mut Relayer<Verifier>,
    pause: Duration,
    happened: impl std::future::Future<Output = ()>,
) -> Vec<Event> {
    let mut told = Vec::new();
    tokio::select! {
        ended = relayer.run(pause, |event| told.push(event)) => panic!("it ended: {ended:?}"),
        happened = tokio::time::timeout(LONG, happened) => happened.expect("it takes too long"),
    }
    told
}

#[tokio::test]
async fn after_each_loss_a_relayer_waits_for_longer_and_then_goes_on() {
    let (_node, verifier, mut relayer, _demands) = between(Duration::ZERO).await;
    verifier.will([Delivered::Reverted, Delivered::Reverted]);
    let pause = Duration::from_millis(100);
    // Three looks submit, and the fourth finds nothing to do.
    let told = told_until(&mut relayer, pause, verifier.was_looked_at(4)).await;
    let results = told.iter().filter_map(|event| match event {
        Event::Submitted { result, .. } => Some(*result),
        _ => None,
    });
    assert!(results.eq(["reverted", "reverted", "taken"]), "{told:?}");
    let submitted = verifier.0.submitted.borrow();
    let [first, second, third] = submitted[..] else {
        panic!("{submitted:?}")
    };
    assert!(second - first >= pause * 2, "{submitted:?}");
    assert!(third - second >= pause * 4, "{submitted:?}");
}

#[tokio::test]
async fn a_loss_ends_a_relayer_that_runs_once() {
    let (_node, verifier, mut relayer, _demands) = between(Duration::ZERO).await;
    verifier.will([Delivered::Reverted]);
    let mut told = Vec::new();
    let ended = relayer.run_once(|event| told.push(event)).await;
    let failure = ended.expect_err("something was paid for nothing");
    assert_eq!(failure.kind, Kind::Unverified);
    let expected = format!("the target refused transaction {TRANSACTION:?}");
    assert_eq!(failure.message, expected);
    assert_eq!(verifier.submissions(), 1);
    assert!(
        matches!(
            told[..],
            [Event::Submitted {
                result: "reverted",
                ..
            }]
        ),
        "{told:?}"
    );
}

#[tokio::test]
async fn who_runs_once_goes_on_when_others_are_faster_until_everything_is_brought() {
    let (_node, verifier, mut relayer, _demands) = between(Duration::ZERO).await;
    verifier.will([Delivered::Withdrawn, Delivered::Known]);
    let ended = relayer.run_once(drop).await;
    let status = ended.expect("nothing was refused");
    assert_eq!(status.next.map(|set| set.id), Some(SetId::new(1)));
    assert_eq!(verifier.submissions(), 3);
}

/// The last handoff, which lacks a vote, travels alone when its turn comes.
#[tokio::test]
async fn several_handoffs_travel_together_unless_they_are_refused() {
    let chain = TestChain::new(5, chain::VALIDATORS, 7);
    let gas = || TargetError::Unreachable("gas required exceeds allowance".into());
    let length = || TargetError::Refused("oversized data".into());
    for (several, is_full, together) in [
        (Several::Fine, true, vec![3, 2]),
        (Several::Fine, false, vec![3, 1, 1]),
        (Several::NotEstimated(length()), true, vec![1; 5]),
        (Several::NotEstimated(gas()), true, vec![1; 5]),
        (Several::NotTaken(length()), true, vec![1; 5]),
    ] {
        let node = ChainNode::start(&chain, chain.mandatory(4)).await;
        node.set_full(is_full);
        let (_, verifier, mut relayer, _demands) = between(Duration::ZERO).await;
        verifier.0.several.replace(several);
        relayer.source = source(&node, &chain);
        let done = verifier.has_next(5);
        told_until(&mut relayer, Duration::from_millis(1), done).await;
        assert_eq!(verifier.0.status.get().best.get(), chain.mandatory(4));
        let cargo = verifier.0.cargo.borrow();
        let proofs = |cargo: &Cargo| match cargo {
            Cargo::Proof(delivery) => delivery.proofs().count(),
            _ => panic!("{cargo:?}"),
        };
        assert_eq!(cargo.iter().map(proofs).collect::<Vec<_>>(), together);
    }
}

/// Messages of some length or weight each.
#[tokio::test]
async fn after_a_refusal_fewer_messages_travel_together_and_then_more_again() {
    let (_node, verifier, mut relayer, _demands) = between(Duration::ZERO).await;
    let lane = Lane::new("BridgeMessages", "0x64756574".parse().expect("a lane"));
    let mut bring = async |why: Option<TargetError>| {
        let is_refused = why.is_some();
        let several = why.map_or(Several::Fine, Several::NotTaken);
        verifier.0.several.replace(several);
        let due = Due::Messages { first: 5, last: 20 }.at_most(relayer.at_once);
        let Due::Messages { first, last } = due else {
            panic!("{due:?}")
        };
        let parcel = Parcel {
            lane: lane.clone(),
            under: BlockNumber::new(1),
            hash: H256::zero(),
            nodes: Vec::new(),
            contents: Contents::Messages {
                first,
                messages: (first..=last).map(|_| Vec::new()).collect(),
            },
        };
        let brought = relayer.bring(Cargo::Parcel(parcel)).await;
        assert_eq!(brought.is_err(), is_refused && first < last);
        last - first + 1
    };
    let too_long = || Some(TargetError::Refused("ExhaustsResources".into()));
    let mut counts = Vec::new();
    for _ in 0..5 {
        counts.push(bring(too_long()).await);
    }
    for _ in 0..3 {
        counts.push(bring(None).await);
    }
    assert_eq!(counts, [16, 8, 4, 2, 1, 2, 4, 8]);
}

#[tokio::test]
async fn where_the_target_is_is_told_once_and_again_when_it_changes() {
    let (_node, verifier, mut relayer, _demands) = between(Duration::ZERO).await;
    let newer = BlockNumber::new(HEAD);
    let changing = async {
        // The first look brings the handoff.
        verifier.was_looked_at(4).await;
        let mut status = verifier.0.status.get();
        status.best = newer;
        verifier.0.status.set(status);
        verifier.was_looked_at(8).await;
    };
    let told = told_until(&mut relayer, Duration::from_millis(1), changing).await;
    let targets = told.iter().filter_map(|event| match event {
        Event::Target { block, .. } => Some(*block),
        _ => None,
    });
    let handoff = BlockNumber::new(5);
    assert!(targets.eq([handoff, newer]), "{told:?}");
}

#[tokio::test]
async fn what_was_submitted_in_vain_waits_for_missing_votes_anew() {
    let patience = Duration::from_millis(200);
    let (node, verifier, mut relayer, _demands) = between(patience).await;
    node.set_full(false);
    verifier.will([Delivered::Reverted]);
    let mut look = async || relayer.look().await.expect("both are there");
    let Look::Later(due) = look().await else {
        panic!("it waits for a vote")
    };
    tokio::time::sleep_until(due.into()).await;
    let first = look().await;
    assert!(matches!(first, Look::Submitted(..)), "{first:?}");
    let begin = Instant::now();
    let second = look().await;
    assert!(
        matches!(second, Look::Later(due) if due >= begin + patience),
        "{second:?}"
    );
    assert_eq!(verifier.submissions(), 1);
}

#[test]
fn the_newest_block_that_anybody_wants_is_wanted() {
    let (sender, mut demanded) = watch::channel(None);
    let demands = Demands(sender);
    for (wanted, is_news, expected) in [
        (10, true, 10),
        (5, false, 10),
        (10, false, 10),
        (11, true, 11),
    ] {
        demands.want(BlockNumber::new(wanted));
        assert_eq!(demanded.has_changed().ok(), Some(is_news), "{wanted}");
        assert_eq!(
            *demanded.borrow_and_update(),
            Some(BlockNumber::new(expected))
        );
    }
}
