//! A validator, and the network around it.

use super::{
    model::Fate,
    peer::{StoppedClock, PEERS},
};
use crate::sample::{GENESIS, SAMPLE};
use duet_gossip::{
    engine::{Engine, Event, NotSent, Outlet, Parts},
    message::GossipMessage,
    metrics::Metrics,
    reputation::PeerBehaviour,
    verify, Checked, GossipValidator, Interest, Queues, Reputations, Settings,
};
use duet_primitives::{testing::TestSet, BlockNumber, Vote};
use duet_voter::{Accepted, Window};
use futures::{
    channel::mpsc::{unbounded, UnboundedSender},
    future::{self, BoxFuture},
    FutureExt, StreamExt,
};
use sc_network::ReputationChange;
use sc_network_types::PeerId;
use std::sync::{Arc, Mutex, PoisonError};

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

/// What was sent to all peers, in order.
type Sent = Arc<Mutex<Vec<(PeerId, Vec<u8>)>>>;

/// A connection that always has room.
struct Connection {
    peer: PeerId,
    sent: Sent,
}

impl Outlet for Connection {
    fn send(&self, notification: Vec<u8>) -> BoxFuture<'_, Result<(), NotSent>> {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        sent.push((self.peer, notification));
        future::ready(Ok(())).boxed()
    }
}

/// A gossip engine and its validator with fixed windows, and three connected peers.
pub(super) struct Node {
    engine: Engine,
    events: UnboundedSender<Event>,
    validator: Arc<GossipValidator>,
    checked: async_channel::Receiver<Checked>,
    reports: Reports,
    sent: Sent,
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
            interest: Interest::Votes,
        };
        let (reports, metrics) = (Reports::default(), Metrics::new(None));
        let (validator, queues) =
            GossipValidator::new(settings, Box::new(reports.clone()), metrics.clone());
        let Queues { checked, orders } = queues;
        let window = Window {
            signing: Some(accepted(&SAMPLE.set, SIGNING)),
            next: Some(accepted(&SAMPLE.next, NEXT)),
            unpublished: vec![accepted(&SAMPLE.set, AWAITED)],
            ..Window::default()
        };
        validator.update(window, BlockNumber::new(SIGNING[0] - 1));
        let (validator, sent) = (Arc::new(validator), Sent::default());
        let (events, happened) = unbounded();
        for peer in *PEERS {
            let sent = sent.clone();
            let opened = Event::Opened {
                peer,
                interest: Interest::Votes,
                outlet: Arc::new(Connection { peer, sent }),
            };
            events.unbounded_send(opened).expect("it is received below");
        }
        let engine = Engine::new(Parts {
            events: happened.boxed(),
            validator: validator.clone(),
            orders,
            rebroadcast: 30_000,
            clock: Arc::new(StoppedClock),
            metrics,
        });
        Self {
            engine,
            events,
            validator,
            checked,
            reports,
            sent,
        }
    }

    /// Lets the engine do what there is to do; what it sends.
    fn runs(&mut self) -> Vec<(PeerId, Vec<u8>)> {
        assert!((&mut self.engine).now_or_never().is_none(), "it goes on");
        std::mem::take(&mut self.sent.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Hands it a message, which is checked and meets this fate.
    pub(super) fn receives(&mut self, sender: &PeerId, bytes: &[u8], expected: &Fate) {
        let received = Event::Received(*sender, bytes.to_vec());
        self.events.unbounded_send(received).expect("it listens");
        assert_eq!(self.runs(), [], "nothing was checked yet");
        let verifier = verify(self.validator.clone());
        assert!(verifier.now_or_never().is_none(), "it waits for more");
        let reports = self.reports.take();
        let sent = self.runs();
        let reported = expected.behaviour().map(|it| (*sender, it.reputation()));
        assert_eq!(reports, Vec::from_iter(reported), "{expected:?}");
        match expected {
            Fate::Kept(_) => goes_to_others(sender, bytes, sent),
            Fate::Blamed(behaviour) => {
                assert!(behaviour.reputation().value < 0);
                assert_eq!(sent, []);
            }
            Fate::Dropped => assert_eq!(sent, []),
        }
        self.worker_gets(expected, bytes);
    }

    /// What the worker gets is what was sent, and holds.
    fn worker_gets(&self, fate: &Fate, bytes: &[u8]) {
        let got = self.checked.try_recv().ok();
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

/// GOSSIP-5: as it came, to everybody but the sender.
fn goes_to_others(sender: &PeerId, bytes: &[u8], mut sent: Vec<(PeerId, Vec<u8>)>) {
    let others = PEERS.iter().filter(|peer| *peer != sender);
    let mut expected: Vec<_> = others.map(|peer| (*peer, bytes.to_vec())).collect();
    expected.sort();
    sent.sort();
    assert_eq!(sent, expected);
}
