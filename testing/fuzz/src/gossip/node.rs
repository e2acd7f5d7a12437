//! A validator, and the network around it.

use super::{
    model::Fate,
    peer::{StoppedClock, PEERS},
};
use crate::sample::{GENESIS, SAMPLE};
use codec::Encode;
use duet_gossip::{
    message::GossipMessage, metrics::Metrics, reputation::PeerBehaviour, verify, Checked,
    GossipValidator, Queues, Reputations, Settings,
};
use duet_primitives::{testing::TestSet, BlockNumber, Vote, H256};
use duet_voter::{Accepted, Window};
use futures::FutureExt;
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

/// What the engine offers; a validator uses none of it, because nothing is relayed before its check.
struct Engine;

impl ValidatorContext<Block> for Engine {
    fn broadcast_topic(&mut self, _: H256, _: bool) {
        panic!("nothing was checked yet");
    }
    fn broadcast_message(&mut self, _: H256, _: Vec<u8>, _: bool) {
        panic!("nothing was checked yet");
    }
    fn send_message(&mut self, _: &PeerId, _: Vec<u8>) {
        panic!("nothing was checked yet");
    }
    fn send_topic(&mut self, _: &PeerId, _: H256, _: bool) {
        panic!("nothing was checked yet");
    }
}

/// A validator with fixed windows, and three connected peers.
pub(super) struct Node {
    validator: Arc<GossipValidator>,
    queues: Queues,
    reports: Reports,
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
        let (validator, queues) = GossipValidator::new(
            settings,
            Box::new(reports.clone()),
            clock,
            Metrics::new(None),
        );
        let window = Window {
            signing: Some(accepted(&SAMPLE.set, SIGNING)),
            next: Some(accepted(&SAMPLE.next, NEXT)),
            unpublished: vec![accepted(&SAMPLE.set, AWAITED)],
            ..Window::default()
        };
        validator.update(window, BlockNumber::new(SIGNING[0] - 1));
        for peer in &*PEERS {
            Validator::<Block>::new_peer(&validator, &mut Engine, peer, ObservedRole::Full);
        }
        Self {
            validator: Arc::new(validator),
            queues,
            reports,
        }
    }

    /// Hands it a message, which is checked and meets this fate.
    pub(super) fn receives(&mut self, sender: &PeerId, bytes: &[u8], expected: &Fate) {
        let told = Validator::<Block>::validate(&*self.validator, &mut Engine, sender, bytes);
        assert!(matches!(told, ValidationResult::Discard));
        let verifier = verify(self.validator.clone());
        assert!(verifier.now_or_never().is_none(), "it waits for more");
        let reports = self.reports.take();
        let relayed: Vec<_> = std::iter::from_fn(|| self.queues.outgoing.try_recv().ok()).collect();
        let reported = expected.behaviour().map(|it| (*sender, it.reputation()));
        assert_eq!(reports, Vec::from_iter(reported), "{expected:?}");
        match expected {
            Fate::Kept(_) => {
                let relayed: Vec<_> = relayed.iter().map(Encode::encode).collect();
                assert_eq!(relayed, [bytes], "relayed as it came");
                let sent = GossipMessage::from_bytes(bytes).expect("it was decoded");
                self.goes_to_others(sender, &sent.topic_hash());
            }
            Fate::Blamed(behaviour) => {
                assert!(behaviour.reputation().value < 0);
                assert!(relayed.is_empty());
            }
            Fate::Dropped => assert!(relayed.is_empty()),
        }
        self.worker_gets(expected, bytes);
    }

    /// GOSSIP-5: to everybody but the sender.
    fn goes_to_others(&self, sender: &PeerId, topic: &H256) {
        let mut allowed = Validator::<Block>::message_allowed(&*self.validator);
        for peer in &*PEERS {
            let goes = allowed(peer, MessageIntent::Broadcast, topic, &[]);
            assert_eq!(goes, peer != sender);
        }
    }

    /// What the worker gets is what was sent, and holds.
    fn worker_gets(&self, fate: &Fate, bytes: &[u8]) {
        let got = self.queues.checked.try_recv().ok();
        let sent = GossipMessage::from_bytes(bytes);
        match (fate, got) {
            (Fate::Kept(PeerBehaviour::GoodVote), Some(Checked::Votes(votes))) => {
                let got = votes.into_iter().map(Vote::into_unchecked);
                let got: Vec<_> = got.map(GossipMessage::Vote).collect();
                assert_eq!(sent.map(|sent| vec![sent]), Ok(got));
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
