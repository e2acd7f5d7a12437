//! The loop: begins periods, has the figures signed, and passes reports on.

use crate::{
    chain::{period_at, Chain, ClientChain},
    collected::{Collected, Taken},
    gossip::{topic, Gate, BAD_REPORT},
    key::{Key, KeyError},
    LOG_TARGET,
};
use codec::Encode;
use duet_keystore::{Signer, SignerError};
use duet_meter::{Meter, Reader};
use duet_primitives::{BlockNumber, DuetApi, Keyset, Pk1Bytes, SignerIndex, H256};
use duet_statistics::{Certificate, Context, Metric, Period, Report};
use futures::{FutureExt, StreamExt};
use prometheus_endpoint::Registry;
use sc_client_api::{Backend as BackendT, BlockchainEvents, StorageProvider};
use sc_network::{NotificationService, ProtocolName};
use sc_network_gossip::{GossipEngine, Network, Syncing};
use sc_network_types::PeerId;
use sp_api::ProvideRuntimeApi;
use sp_blockchain::HeaderBackend;
use sp_core::crypto::AccountId32;
use sp_runtime::traits::{Block as BlockT, NumberFor};
use std::{collections::HashSet, sync::Arc};

/// Peers that wait to be charged.
const FAULTS: usize = 64;

/// The parameters of [`run`].
pub struct Params<Client, Network, Syncing> {
    /// The client.
    pub client: Arc<Client>,
    /// The network.
    pub network: Network,
    /// The syncing service.
    pub sync: Syncing,
    /// How many peers the node has.
    pub peers: Box<dyn Fn() -> usize + Send>,
    /// From [`peers_set_config`](crate::peers_set_config), with the name of its protocol.
    pub notification_service: (Box<dyn NotificationService>, ProtocolName),
    /// Where reports are kept, and served from.
    pub collected: Collected,
    /// The meter of the block import.
    pub meter: Meter,
    /// Signs the figures of this node; `None` where they are only collected.
    pub signing: Option<Signing>,
    /// Takes the metrics of the gossip engine.
    pub registry: Option<Registry>,
}

/// How a validator signs.
pub struct Signing {
    /// Holds the Duet keys.
    pub signer: Arc<dyn Signer>,
    /// The key of the figures.
    pub key: Key,
}

/// Runs until the node stops. It writes to the disk and checks signatures: spawn it as a blocking task.
pub async fn run<Block, Backend, Client, Net, S>(params: Params<Client, Net, S>)
where
    Block: BlockT<Hash = H256>,
    NumberFor<Block>: Into<u32>,
    Backend: BackendT<Block> + 'static,
    Client: BlockchainEvents<Block>
        + HeaderBackend<Block>
        + StorageProvider<Block, Backend>
        + ProvideRuntimeApi<Block>
        + Send
        + Sync
        + 'static,
    Client::Api: DuetApi<Block, AccountId32>,
    Net: Network<Block> + Send + Clone + 'static,
    S: Syncing<Block> + Send + Clone + 'static,
{
    let (faults, charged) = async_channel::bounded(FAULTS);
    let gate = Gate::new(params.collected.clone(), faults);
    let (service, protocol) = params.notification_service;
    let mut engine = GossipEngine::<Block>::new(
        params.network,
        params.sync,
        service,
        protocol,
        Arc::new(gate),
        params.registry.as_ref(),
    );
    let mut finality = params.client.finality_notification_stream().fuse();
    let mut imports = params.client.import_notification_stream().fuse();
    let mut worker = Worker {
        chain: Box::new(ClientChain::<Block, Backend, Client>::new(
            params.client.clone(),
        )),
        collected: params.collected,
        figures: params.meter.reader(),
        peers: params.peers,
        signing: params.signing,
        last: None,
    };
    let mut charged = charged.fuse();
    // What was begun before the node was started is collected, too.
    let mut news = worker.turn(params.client.info().finalized_hash);
    loop {
        for one in news.drain(..) {
            match one {
                News::Report { period, message } => {
                    engine.gossip_message(topic(period), message, false);
                }
                News::Liar(peer) => engine.report(peer, BAD_REPORT),
            }
        }
        futures::select! {
            () = (&mut engine).fuse() => {
                log::debug!(target: LOG_TARGET, "the network has stopped");
                return;
            }
            finalized = finality.next() => match finalized {
                Some(finalized) => news = worker.turn(finalized.hash),
                None => return,
            },
            imported = imports.next() => match imported {
                Some(_) => params.meter.lag(worker.chain.lag()),
                None => return,
            },
            peer = charged.next() => {
                if let Some(peer) = peer {
                    news.push(News::Liar(peer));
                }
            }
        }
    }
}

/// The next event of the loop.
enum News {
    /// Passes a report on.
    Report { period: Period, message: Vec<u8> },
    /// Charges a peer.
    Liar(PeerId),
}

struct Worker {
    chain: Box<dyn Chain>,
    collected: Collected,
    figures: Reader,
    peers: Box<dyn Fn() -> usize + Send>,
    signing: Option<Signing>,
    /// The session of the block that was final last, and its first block if it is known.
    last: Option<(u32, Option<BlockNumber>)>,
}

impl Worker {
    /// A block is final. When it is in another session than the last one, a period begins.
    fn turn(&mut self, finalized: H256) -> Vec<News> {
        let Some(now) = self.chain.session(finalized) else {
            return Vec::new();
        };
        if self.last.is_some_and(|(last, _)| last == now) {
            return Vec::new();
        }
        let found = period_at(&*self.chain, finalized);
        let first = found.as_ref().map(|(period, _)| period.block);
        let last = self.last.replace((now, first));
        let measured = match last {
            Some(_) => self.figures.turn((self.peers)()),
            None => None,
        };
        let measured = measured.filter(|_| self.has_seen_whole(last, now));
        let Some((period, set)) = found else {
            return Vec::new();
        };
        let set = Arc::new(set);
        let mut news = self.take_early(self.collected.begin(period, set.clone()));
        if let (Some(signing), Some(figures)) = (&self.signing, measured) {
            for message in self.reports(signing, period, &set, &figures) {
                if let Taken::Useful(period) = self.collected.take(None, &message) {
                    news.push(News::Report { period, message });
                }
            }
        }
        news
    }

    /// Takes messages that came early. Of a peer that sent one bad report the others are not looked at.
    fn take_early(&self, early: Vec<(PeerId, Vec<u8>)>) -> Vec<News> {
        let mut liars = HashSet::new();
        let mut news = Vec::new();
        for (peer, message) in early {
            if liars.contains(&peer) {
                continue;
            }
            match self.collected.take(Some(peer), &message) {
                Taken::Useful(period) => news.push(News::Report { period, message }),
                Taken::Refused(_) => {
                    liars.insert(peer);
                    news.push(News::Liar(peer));
                }
                Taken::Nothing | Taken::Early => {}
            }
        }
        news
    }

    /// Whether this node saw a session from its first block, as it was made, up to the next session.
    fn has_seen_whole(&self, last: Option<(u32, Option<BlockNumber>)>, now: u32) -> bool {
        let Some((session, Some(first))) = last else {
            return false;
        };
        session.checked_add(1) == Some(now) && self.figures.has_kept_up_since(first.get())
    }

    /// The reports of this node: one for each of its keys that is in the set.
    fn reports(
        &self,
        signing: &Signing,
        period: Period,
        set: &Keyset,
        figures: &[(Metric, u64)],
    ) -> Vec<Vec<u8>> {
        let keys = match signing.signer.keys() {
            Ok(keys) => keys,
            Err(error) => {
                log::warn!(target: LOG_TARGET, "the signer does not list its keys: {error}");
                return Vec::new();
            }
        };
        let members = keys.iter().filter_map(|key| {
            let pk1 = key.pk1();
            Some((set.position(&pk1)?, pk1))
        });
        members
            .filter_map(|(member, pk1)| {
                let made = self.report(signing, period, set, (member, pk1), figures);
                made.inspect_err(|error| {
                    log::warn!(
                        target: LOG_TARGET,
                        "cannot sign this node's figures at the start of session {}: {error}",
                        period.session,
                    );
                })
                .ok()
            })
            .inspect(
                |_| log::info!(target: LOG_TARGET, "signed this node's figures at the start of session {}", period.session),
            )
            .collect()
    }

    fn report(
        &self,
        Signing { signer, key }: &Signing,
        period: Period,
        set: &Keyset,
        (member, pk1): (SignerIndex, Pk1Bytes),
        figures: &[(Metric, u64)],
    ) -> Result<Vec<u8>, SignFailure> {
        let context = Context::new(self.collected.genesis(), period, set)?;
        let statement = context.statement(&key.key().public().to_bytes());
        let proof = signer.prove_possession(&pk1, &statement)?;
        let report = Report {
            period,
            member,
            certificate: Certificate::new(key.key(), proof.ownership()),
            figures: key.sign(&context, &pk1, figures)?,
        };
        Ok(report.encode())
    }
}

/// Why a report is not made.
#[derive(Debug, thiserror::Error)]
enum SignFailure {
    #[error(transparent)]
    Context(#[from] duet_statistics::ContextError),
    #[error(transparent)]
    Signer(#[from] SignerError),
    #[error(transparent)]
    Key(#[from] KeyError),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        chain::tests::{hash, TestChain},
        collected::tests::{period, report, test_set, GENESIS},
    };
    use codec::DecodeAll;
    use duet_keystore::KeyStore;
    use std::time::Duration;
    use tempfile::TempDir;

    struct Node {
        worker: Worker,
        meter: Meter,
        _place: TempDir,
    }

    /// A node with the keys of some members of the set.
    fn node(members: &[usize]) -> Node {
        let place = tempfile::tempdir().unwrap();
        let (signer, test) = (KeyStore::in_memory(), test_set());
        for member in members {
            signer.insert_ephemeral(test.secrets[*member].clone());
        }
        let key = Key::open_or_create(&place.path().join("statistics")).unwrap();
        let meter = Meter::default();
        let worker = Worker {
            chain: Box::new(TestChain { pruned_below: 0 }),
            collected: Collected::new(GENESIS),
            figures: meter.reader(),
            peers: Box::new(|| 4),
            signing: Some(Signing {
                signer: Arc::new(signer),
                key,
            }),
            last: None,
        };
        Node {
            worker,
            meter,
            _place: place,
        }
    }

    impl Node {
        fn finalize(&mut self, block: u32) -> Vec<News> {
            self.worker.turn(hash(block))
        }

        fn reports(news: &[News]) -> Vec<Report> {
            let messages = news.iter().filter_map(|one| match one {
                News::Report { message, .. } => Some(message),
                News::Liar(_) => None,
            });
            messages
                .map(|message| Report::decode_all(&mut &message[..]).unwrap())
                .collect()
        }
    }

    #[test]
    fn a_validator_reports_each_session_that_it_saw_whole() {
        let mut node = node(&[1]);
        assert!(node.finalize(12).is_empty(), "it began in the middle");
        assert!(node.finalize(19).is_empty());
        assert!(
            node.finalize(20).is_empty(),
            "the session before was not whole"
        );
        assert_eq!(node.worker.collected.periods(), [period(1), period(2)]);
        let news = node.finalize(31);
        let reports = Node::reports(&news);
        assert_eq!(reports.len(), 1);
        assert_eq!(reports[0].period, period(3));
        assert_eq!(reports[0].member, SignerIndex::new(1));
        assert!(node.finalize(32).is_empty());
    }

    #[test]
    fn sessions_that_end_together_are_not_reported() {
        let mut node = node(&[1]);
        for block in [12, 20] {
            node.finalize(block);
        }
        assert!(node.finalize(45).is_empty(), "two sessions at once");
        assert_eq!(Node::reports(&node.finalize(50)).len(), 1);
    }

    /// As after a restart: blocks come in a bunch, and finality follows step by step.
    #[test]
    fn a_session_that_the_node_caught_up_with_is_not_reported() {
        let mut node = node(&[1]);
        node.finalize(12);
        node.meter.imported(Duration::ZERO, Some(33));
        for block in [20, 30, 40] {
            assert!(node.finalize(block).is_empty(), "{block}");
        }
        assert_eq!(Node::reports(&node.finalize(50)).len(), 1);
    }

    #[test]
    fn it_reports_for_each_of_its_keys_in_the_set_and_for_no_other() {
        let mut both = node(&[0, 2]);
        let mut none = node(&[]);
        for block in [12, 20] {
            both.finalize(block);
            none.finalize(block);
        }
        let members = Node::reports(&both.finalize(30)).len();
        assert_eq!((members, none.finalize(30).len()), (2, 0));
    }

    #[test]
    fn what_came_early_is_passed_on_and_liars_are_charged() {
        let mut node = node(&[]);
        node.finalize(12);
        let (honest, liar) = (PeerId::random(), PeerId::random());
        let early = report(&test_set(), period(2), 0, 5);
        let mut bad = report(&test_set(), period(2), 1, 5);
        *bad.last_mut().unwrap() ^= 1;
        let mut worse = bad.clone();
        *worse.last_mut().unwrap() ^= 2;
        for (peer, message) in [(honest, &early), (liar, &bad), (liar, &worse)] {
            assert_eq!(
                node.worker.collected.take(Some(peer), message),
                Taken::Early
            );
        }
        let news = node.finalize(21);
        assert_eq!(Node::reports(&news).len(), 1);
        let charged = news.iter().filter_map(|one| match one {
            News::Liar(peer) => Some(*peer),
            News::Report { .. } => None,
        });
        assert_eq!(charged.collect::<Vec<_>>(), [liar]);
    }
}
