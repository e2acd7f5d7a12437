//! A validator, and the network around it.

use super::{
    model::Fate,
    peer::{StoppedClock, PEERS},
};
use crate::sample::{GENESIS, SAMPLE};
use codec::Encode;
use duet_gossip::{
    engine::{Engine, Event, NotSent, Outlet, Parts},
    message::GossipMessage,
    metrics::Metrics,
    notification::messages_of,
    reputation::PeerBehaviour,
    verify, Checked, GossipValidator, Interest, Queues, Reputations, Settings, GOSSIP,
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
                version: GOSSIP.newest,
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

    /// Hands it a notification, whose messages are checked and meet these fates.
    pub(super) fn receives(&mut self, sender: &PeerId, bytes: &[u8], expected: &[Fate]) {
        let received = Event::Received(*sender, bytes.to_vec());
        self.events.unbounded_send(received).expect("it listens");
        assert_eq!(self.runs(), [], "nothing was checked yet");
        let verifier = verify(self.validator.clone());
        assert!(verifier.now_or_never().is_none(), "it waits for more");
        let mut reports = self.reports.take();
        let sent = self.runs();
        let mut reported: Vec<_> = expected
            .iter()
            .filter_map(|fate| Some((*sender, fate.behaviour()?.reputation())))
            .collect();
        reports.sort_by_key(|(_, change)| change.value);
        reported.sort_by_key(|(_, change)| change.value);
        assert_eq!(reports, reported, "{expected:?}");
        for fate in expected {
            if let Fate::Blamed(behaviour) = fate {
                assert!(behaviour.reputation().value < 0);
            }
        }
        goes_to_others(sender, expected, &sent);
        self.worker_gets(expected);
    }

    /// What the worker gets is what was sent, in the same order, and holds.
    fn worker_gets(&self, fates: &[Fate]) {
        let mut got = std::iter::from_fn(|| self.checked.try_recv().ok());
        for fate in fates {
            let Fate::Kept(sent, behaviour) = fate else {
                continue;
            };
            match (behaviour, got.next()) {
                (PeerBehaviour::GoodVote, Some(Checked::Votes(votes))) => {
                    let got = votes.into_iter().map(Vote::into_unchecked);
                    let got: Vec<_> = got.map(GossipMessage::Vote).collect();
                    assert_eq!(got, std::slice::from_ref(&**sent));
                }
                (PeerBehaviour::GoodEvidence, Some(Checked::Equivocation(evidence))) => {
                    let set = [&SAMPLE.set, &SAMPLE.next].map(|set| set.set.commitment());
                    let found = set.map(|set| evidence.check(set, GENESIS).is_ok());
                    assert!(found.contains(&true), "evidence that holds");
                }
                (PeerBehaviour::GoodJustification, Some(Checked::Justification(proof))) => {
                    let got = GossipMessage::Justification(proof.into_unchecked());
                    assert_eq!(**sent, got);
                }
                (behaviour, got) => panic!("{behaviour:?}, and the worker gets {got:?}"),
            }
        }
        assert_eq!(got.count(), 0, "nothing else");
    }
}

/// GOSSIP-5: what is kept goes to everybody but the sender, as it came.
fn goes_to_others(sender: &PeerId, fates: &[Fate], sent: &[(PeerId, Vec<u8>)]) {
    let kept = || {
        fates.iter().filter_map(|fate| match fate {
            Fate::Kept(message, _) => Some(message.encode()),
            Fate::Blamed(_) | Fate::Dropped => None,
        })
    };
    let others = PEERS.iter().filter(|peer| *peer != sender);
    let expected = others.flat_map(|peer| kept().map(|message| (*peer, message)));
    let mut expected: Vec<_> = expected.collect();
    let sent = sent.iter().flat_map(|(peer, notification)| {
        let messages = messages_of(notification).expect("nodes send messages");
        messages
            .into_iter()
            .map(|message| (*peer, message.encode()))
    });
    let mut sent: Vec<_> = sent.collect();
    expected.sort();
    sent.sort();
    assert_eq!(sent, expected);
}
