//! A validator with a network that records and a clock that tests set.

use crate::{
    clock::Clock,
    message::GossipMessage,
    metrics::Metrics,
    topic::{Kind, Topic},
    validation::Checked,
    validator::{GossipValidator, Reputations, Settings},
};
use codec::Encode;
use duet_primitives::{
    testing::TestSet, BlockNumber, Commitment, RoundMessage, SetId, SignerIndex, UncheckedVote,
    H256,
};
use duet_voter::{Accepted, Millis, Window};
use futures::{
    future::{self, BoxFuture},
    FutureExt,
};
use parking_lot::Mutex;
use sc_network::{peer_store::BANNED_THRESHOLD, ObservedRole, ReputationChange};
use sc_network_gossip::{ValidationResult, Validator, ValidatorContext};
use sc_network_types::PeerId;
use sp_runtime::{
    generic::{Block as GenericBlock, Header},
    traits::BlakeTwo256,
    OpaqueExtrinsic,
};
use std::{
    cell::RefCell,
    sync::{
        atomic::{AtomicU64, Ordering},
        Arc,
    },
};

pub(super) type Block = GenericBlock<Header<u32, BlakeTwo256>, OpaqueExtrinsic>;

/// Records what is relayed, and to whom it may go.
#[derive(Default)]
pub(super) struct Context {
    pub(super) relayed: RefCell<Vec<Vec<u8>>>,
}

impl ValidatorContext<Block> for Context {
    fn broadcast_topic(&mut self, _: H256, _: bool) {}
    fn broadcast_message(&mut self, _: H256, message: Vec<u8>, _: bool) {
        self.relayed.borrow_mut().push(message);
    }
    fn send_message(&mut self, _: &PeerId, _: Vec<u8>) {}
    fn send_topic(&mut self, _: &PeerId, _: H256, _: bool) {}
}

/// Reputations as the network keeps them, except that they never decay.
#[derive(Clone, Default)]
pub(super) struct Ledger(Arc<Mutex<Vec<(PeerId, i32)>>>);

impl Ledger {
    pub(super) fn entries(&self) -> usize {
        self.0.lock().len()
    }

    pub(super) fn last(&self) -> Option<i32> {
        self.0.lock().last().map(|(_, value)| *value)
    }
}

impl Reputations for Ledger {
    fn report(&self, peer: PeerId, change: ReputationChange) {
        self.0.lock().push((peer, change.value));
    }

    fn is_banned(&self, peer: &PeerId) -> bool {
        let of_peer = |(who, value): &(PeerId, i32)| (who == peer).then_some(*value);
        let ledger = self.0.lock();
        let reputation = ledger
            .iter()
            .filter_map(of_peer)
            .fold(0, i32::saturating_add);
        reputation < BANNED_THRESHOLD
    }
}

/// A clock that a test sets; nothing here waits for it.
#[derive(Default)]
pub(super) struct TestClock(pub(super) AtomicU64);

impl Clock for TestClock {
    fn now(&self) -> Millis {
        self.0.load(Ordering::Relaxed)
    }

    fn sleep_until(&self, _: Millis) -> BoxFuture<'static, ()> {
        future::pending().boxed()
    }
}

pub(super) struct Setup {
    pub(super) set: TestSet,
    pub(super) genesis: H256,
    pub(super) validator: GossipValidator,
    pub(super) checked: async_channel::Receiver<Checked>,
    pub(super) ledger: Ledger,
    pub(super) clock: Arc<TestClock>,
    pub(super) context: Context,
    pub(super) peer: PeerId,
}

/// See [`Settings::rebroadcast`].
pub(super) const REBROADCAST: Millis = 30_000;
pub(super) const LOWEST: u32 = 5;
pub(super) const HIGHEST: u32 = 100;

pub(super) fn setup_with_queue(queue: usize) -> Setup {
    let set = TestSet::new(0, 0..4);
    let genesis = H256::repeat_byte(9);
    let (ledger, clock) = (Ledger::default(), Arc::new(TestClock::default()));
    let settings = Settings {
        genesis_hash: genesis,
        rounds_per_signer: 32,
        rebroadcast: REBROADCAST,
    };
    let (mut validator, _) = GossipValidator::new(
        settings,
        Box::new(ledger.clone()),
        clock.clone(),
        Metrics::new(None),
    );
    let (sender, checked) = async_channel::bounded(queue);
    validator.checked = sender;
    let signing = Accepted {
        set: Arc::new(set.set.clone()),
        lowest: BlockNumber::new(LOWEST),
        highest: BlockNumber::new(HIGHEST),
    };
    let window = Window {
        signing: Some(signing),
        next: None,
        unpublished: Vec::new(),
    };
    validator.update(window, BlockNumber::new(LOWEST - 1));
    let mut setup = Setup {
        set,
        genesis,
        validator,
        checked,
        ledger,
        clock,
        context: Context::default(),
        peer: PeerId::random(),
    };
    let role = ObservedRole::Full;
    Validator::<Block>::new_peer(&setup.validator, &mut setup.context, &setup.peer, role);
    setup
}

pub(super) fn setup() -> Setup {
    setup_with_queue(16)
}

/// What the gossip engine is told.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Told {
    Keep(Topic),
    Process(Topic),
    Discard,
}

impl Setup {
    pub(super) fn send(&mut self, bytes: &[u8]) -> Told {
        // The connection does not matter for most tests: see the one about relaying.
        let topic = |hash: H256| Topic {
            from: None,
            ..Topic::from_hash(&hash).expect("the validator made the topic")
        };
        let Self {
            validator,
            context,
            peer,
            ..
        } = self;
        match Validator::<Block>::validate(validator, context, peer, bytes) {
            ValidationResult::ProcessAndKeep(hash) => Told::Keep(topic(hash)),
            ValidationResult::ProcessAndDiscard(hash) => Told::Process(topic(hash)),
            ValidationResult::Discard => Told::Discard,
        }
    }

    pub(super) fn commitment(&self, number: u32) -> Commitment {
        self.set.commitment(number, &self.set.set)
    }

    pub(super) fn vote(&self, commitment: Commitment, signer: u32) -> UncheckedVote {
        let message = RoundMessage::new(self.genesis, commitment);
        let secret = &self.set.secrets[usize::try_from(signer).unwrap()];
        UncheckedVote::sign(secret, SignerIndex::new(signer), &message)
    }

    pub(super) fn send_vote(&mut self, vote: UncheckedVote) -> Told {
        self.send(&GossipMessage::Vote(vote).encode())
    }

    pub(super) fn relayed(&self) -> usize {
        self.context.relayed.borrow().len()
    }

    pub(super) fn dleq_checks(&self) -> u64 {
        self.validator.metrics.dleq_checks.get()
    }

    pub(super) fn last_report(&self) -> Option<i32> {
        self.ledger.last()
    }
}

pub(super) fn topic(kind: Kind, number: u32) -> Topic {
    Topic {
        kind,
        set_id: SetId::new(0),
        number: BlockNumber::new(number),
        from: None,
    }
}

pub(super) fn vote_topic(number: u32) -> Topic {
    topic(Kind::Vote, number)
}
