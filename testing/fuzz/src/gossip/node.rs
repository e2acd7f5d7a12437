//! A validator, and the network around it.

use super::{
    model::Fate,
    peer::{StoppedClock, PEERS},
};
use crate::sample::{GENESIS, SAMPLE};
use async_channel::Receiver;
use duet_gossip::{
    message::GossipMessage, metrics::Metrics, reputation::PeerBehaviour, Checked, GossipValidator,
    Reputations, Settings,
};
use duet_primitives::{testing::TestSet, BlockNumber, H256};
use duet_voter::{Accepted, Window};
use sc_network::{ObservedRole, ReputationChange};
use sc_network_gossip::{MessageIntent, ValidationResult, Validator, ValidatorContext};
use sc_network_types::PeerId;
use sp_runtime::{
    generic::{Block as GenericBlock, Header},
    traits::BlakeTwo256,
    OpaqueExtrinsic,
};
use std::sync::{Arc, Mutex, PoisonError};

type Block = GenericBlock<Header<u32, BlakeTwo256>, OpaqueExtrinsic>;

/// Where votes of the signing set are needed.
pub(super) const SIGNING: [u32; 2] = [5, 100];
/// Where votes of the set that takes over are needed.
pub(super) const NEXT: [u32; 2] = [101, 110];
/// Where proofs of the signing set are still awaited.
pub(super) const AWAITED: [u32; 2] = [3, 4];
/// Small, so that a few votes reach it.
pub(super) const ROUNDS_PER_SIGNER: usize = 3;
/// What is reported to the network; nobody is ever banned.
#[derive(Clone, Default)]
struct Reports(Arc<Mutex<Vec<(PeerId, ReputationChange)>>>);

impl Reports {
    fn take(&self) -> Vec<(PeerId, ReputationChange)> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Reputations for Reports {
    fn report(&self, peer: PeerId, change: ReputationChange) {
        let mut reports = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reports.push((peer, change));
    }

    fn is_banned(&self, _: &PeerId) -> bool {
        false
    }
}

/// Records what is relayed.
#[derive(Default)]
struct Relayed(Vec<Vec<u8>>);

impl ValidatorContext<Block> for Relayed {
    fn broadcast_topic(&mut self, _: H256, _: bool) {}
    fn broadcast_message(&mut self, _: H256, message: Vec<u8>, _: bool) {
        self.0.push(message);
    }
    fn send_message(&mut self, _: &PeerId, _: Vec<u8>) {}
    fn send_topic(&mut self, _: &PeerId, _: H256, _: bool) {}
}

/// A validator with fixed windows, and three connected peers.
pub(super) struct Node {
    validator: GossipValidator,
    checked: Receiver<Checked>,
    reports: Reports,
    relayed: Relayed,
}

fn accepted(set: &TestSet, [lowest, highest]: [u32; 2]) -> Accepted {
    Accepted {
        set: Arc::new(set.set.clone()),
        lowest: BlockNumber::new(lowest),
        highest: BlockNumber::new(highest),
    }
}

impl Node {
    pub(super) fn new() -> Self {
        let settings = Settings {
            genesis_hash: GENESIS,
            rounds_per_signer: ROUNDS_PER_SIGNER,
            rebroadcast: 30_000,
        };
        let (reports, clock) = (Reports::default(), Arc::new(StoppedClock));
        let (validator, checked) = GossipValidator::new(
            settings,
            Box::new(reports.clone()),
            clock,
            Metrics::new(None),
        );
        let window = Window {
            signing: Some(accepted(&SAMPLE.set, SIGNING)),
            next: Some(accepted(&SAMPLE.next, NEXT)),
            awaited: vec![accepted(&SAMPLE.set, AWAITED)],
        };
        validator.update(window, BlockNumber::new(SIGNING[0] - 1));
        let mut relayed = Relayed::default();
        for peer in &*PEERS {
            Validator::<Block>::new_peer(&validator, &mut relayed, peer, ObservedRole::Full);
        }
        Self {
            validator,
            checked,
            reports,
            relayed,
        }
    }

    /// Hands it a message, which meets this fate.
    pub(super) fn receives(&mut self, sender: &PeerId, bytes: &[u8], expected: &Fate) {
        let Self {
            validator, relayed, ..
        } = self;
        let result = Validator::<Block>::validate(validator, relayed, sender, bytes);
        let reports = self.reports.take();
        let relayed = std::mem::take(&mut self.relayed.0);
        let reported = expected.behaviour().map(|it| (*sender, it.reputation()));
        assert_eq!(reports, Vec::from_iter(reported), "{expected:?}");
        match (expected, result) {
            (Fate::Kept(_), ValidationResult::ProcessAndKeep(topic)) => {
                assert_eq!(relayed, [bytes], "relayed as it came");
                self.goes_to_others(sender, &topic);
            }
            (Fate::Blamed(behaviour), ValidationResult::Discard) => {
                assert!(behaviour.reputation().value < 0);
                assert!(relayed.is_empty());
            }
            (Fate::Dropped, ValidationResult::Discard) => assert!(relayed.is_empty()),
            _ => panic!("{expected:?} is not what the engine is told"),
        }
        self.worker_gets(expected, bytes);
    }

    /// GOSSIP-5: to everybody but the sender.
    fn goes_to_others(&self, sender: &PeerId, topic: &H256) {
        let mut allowed = Validator::<Block>::message_allowed(&self.validator);
        for peer in &*PEERS {
            let goes = allowed(peer, MessageIntent::Broadcast, topic, &[]);
            assert_eq!(goes, peer != sender);
        }
    }

    /// What the worker gets is what was sent, and holds.
    fn worker_gets(&self, fate: &Fate, bytes: &[u8]) {
        let got = self.checked.try_recv().ok();
        let sent = GossipMessage::from_bytes(bytes);
        match (fate, got) {
            (Fate::Kept(PeerBehaviour::GoodVote), Some(Checked::Vote { vote, message })) => {
                assert_eq!(message.commitment(), vote.commitment());
                assert_eq!(sent, Ok(GossipMessage::Vote(vote.into_unchecked())));
            }
            (Fate::Kept(PeerBehaviour::GoodEvidence), Some(Checked::Equivocation(evidence))) => {
                let set = [&SAMPLE.set, &SAMPLE.next].map(|set| set.set.commitment());
                let found = set.map(|set| evidence.check(set, GENESIS).is_ok());
                assert!(found.contains(&true), "evidence that holds");
            }
            (Fate::Kept(PeerBehaviour::GoodJustification), Some(Checked::Justification(proof))) => {
                assert_eq!(
                    sent,
                    Ok(GossipMessage::Justification(proof.into_unchecked()))
                )
            }
            (Fate::Blamed(_) | Fate::Dropped, None) => {}
            (fate, got) => panic!("{fate:?}, and the worker gets {got:?}"),
        }
    }
}
