//! The keys that this node can vote with, and what its operator should know about them.

use crate::{chain::Chain, metrics::Metrics};
use duet_gossip::LOG_TARGET;
use duet_keystore::Signer;
use duet_primitives::{KeysetCommitment, Pk1Bytes, SetId};
use duet_voter::Millis;
use std::sync::Arc;

/// How often the signer is asked for its keys.
const INTERVAL: Millis = 3_000;

/// The keys of the signer, as they were listed last.
pub(crate) struct OwnKeys {
    signer: Arc<dyn Signer>,
    /// Other nodes have a signer, too, and do not vote.
    is_authority: bool,
    keys: Vec<Pk1Bytes>,
    /// When the signer is asked again.
    ask_at: Millis,
    /// The signing set for which the operator was told whether this validator has a key.
    announced: Option<SetId>,
    metrics: Metrics,
}

impl OwnKeys {
    /// No keys until the signer is asked for the first time.
    pub(crate) fn new(signer: Arc<dyn Signer>, is_authority: bool, metrics: Metrics) -> Self {
        Self {
            signer,
            is_authority,
            keys: Vec::new(),
            ask_at: 0,
            announced: None,
            metrics,
        }
    }

    /// The keys, as they were listed last.
    pub(crate) fn get(&self) -> &[Pk1Bytes] {
        &self.keys
    }

    /// Asks the signer if it is time; the keys when they have changed.
    pub(crate) fn refresh(&mut self, now: Millis) -> Option<Vec<Pk1Bytes>> {
        if !self.is_authority || now < self.ask_at {
            return None;
        }
        self.ask_at = now.saturating_add(INTERVAL);
        let keys: Vec<_> = match self.signer.keys() {
            Ok(keys) => keys.iter().map(|key| key.pk1()).collect(),
            Err(error) => {
                log::error!(target: LOG_TARGET, "the signer does not list its keys: {error}");
                return None;
            }
        };
        if keys == self.keys {
            return None;
        }
        self.keys.clone_from(&keys);
        self.announced = None;
        Some(keys)
    }

    /// Another voter starts: the operator is told again.
    pub(crate) fn voter_started(&mut self) {
        self.announced = None;
    }

    /// Says, once per signing set, whether this validator has a key in it.
    pub(crate) fn announce(&mut self, signing: &KeysetCommitment, chain: &Chain) {
        let id = signing.id;
        if !self.is_authority || self.announced == Some(id) {
            return;
        }
        let (_, finalized) = chain.finalized();
        let set = match chain.set(signing, finalized) {
            Ok(set) => set,
            Err(error) => {
                log::debug!(target: LOG_TARGET, "set {id} cannot be read: {error}");
                return;
            }
        };
        self.announced = Some(id);
        let mut keys = self.keys.iter();
        match keys.find(|key| set.keyset().position(key).is_some()) {
            Some(key) => log::info!(target: LOG_TARGET, "set {id} signs now, with our key {key}"),
            None => {
                self.metrics.no_key_in_set.inc();
                log::error!(
                    target: LOG_TARGET,
                    "set {id} signs now, and this validator has none of its {} keys",
                    signing.len,
                );
            }
        }
    }
}
