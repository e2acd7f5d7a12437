//! The keys with which this node can vote, and notices about them for its operator.

use crate::{desk::Desk, metrics::Metrics};
use duet_gossip::LOG_TARGET;
use duet_keystore::Signer;
use duet_primitives::{Keyset, Pk1Bytes, SetId};
use duet_voter::Millis;

/// The interval of requests for the signer's keys.
const INTERVAL: Millis = 3_000;

/// The signer's keys, as last listed.
pub(crate) struct OwnKeys {
    /// Has the signer list its keys.
    signer: Desk<()>,
    /// Other nodes also have a signer, but do not vote.
    is_authority: bool,
    keys: Vec<Pk1Bytes>,
    /// Whether the signer has answered, or failed to, since the start.
    asked: bool,
    /// The time of the next request to the signer.
    ask_at: Millis,
    /// The signing set for which the operator was told whether this validator has a key.
    announced: Option<SetId>,
    /// The signing set for which the operator was told that a key votes elsewhere.
    warned: Option<SetId>,
    /// The number of such votes at the last look.
    elsewhere: u64,
    metrics: Metrics,
}

impl OwnKeys {
    /// No keys until the signer is asked for the first time.
    pub(crate) fn new(signer: Desk<()>, is_authority: bool, metrics: Metrics) -> Self {
        Self {
            signer,
            is_authority,
            keys: Vec::new(),
            asked: false,
            ask_at: 0,
            announced: None,
            warned: None,
            elsewhere: 0,
            metrics,
        }
    }

    /// The keys, as last listed.
    pub(crate) fn get(&self) -> &[Pk1Bytes] {
        &self.keys
    }

    /// Asks the signer if it is time; [`OwnKeys::listed`] follows.
    pub(crate) fn refresh(&mut self, now: Millis) {
        if !self.is_authority || now < self.ask_at {
            return;
        }
        self.ask_at = now.saturating_add(INTERVAL);
        if self.signer.hand_in(()).is_err() {
            log::debug!(target: LOG_TARGET, "the signer has not listed its keys yet");
        }
    }

    /// Handles the signer's answer; returns the keys when they have changed.
    pub(crate) fn listed(&mut self, keys: Option<Vec<Pk1Bytes>>) -> Option<Vec<Pk1Bytes>> {
        self.asked = true;
        let keys = keys.filter(|keys| *keys != self.keys)?;
        self.keys.clone_from(&keys);
        self.announced = None;
        Some(keys)
    }

    /// Another voter starts: the operator is informed again.
    pub(crate) fn voter_started(&mut self) {
        self.announced = None;
        self.elsewhere = 0;
    }

    /// Logs, once per signing set, that votes of an own key arrive which this node did not make. `votes` is their
    /// number since the voter started.
    pub(crate) fn voted_elsewhere(&mut self, signing: SetId, votes: u64) {
        if votes > self.elsewhere && self.warned != Some(signing) {
            self.warned = Some(signing);
            log::error!(
                target: LOG_TARGET,
                "received a valid vote of a key of this node that this node did not make: either another machine \
                 votes with the same key (stop one of the two, because two votes on one block are an offence), or \
                 this node's database is an old copy",
            );
        }
        self.elsewhere = votes;
    }

    /// Logs, once per signing set, whether this validator has a key in it.
    pub(crate) fn announce(&mut self, signing: &Keyset) {
        let id = signing.id();
        if !self.is_authority || !self.asked || self.announced == Some(id) {
            return;
        }
        self.announced = Some(id);
        let mut keys = self.keys.iter();
        match keys.find(|key| signing.position(key).is_some()) {
            Some(key) => log::info!(target: LOG_TARGET, "set {id} signs now, with our key {key}"),
            None => {
                self.metrics.no_key_in_set.inc();
                log::error!(
                    target: LOG_TARGET,
                    "set {id} signs now, and this validator has none of its {} keys",
                    signing.len(),
                );
            }
        }
    }
}

/// Lists the signer's keys; `None` when the signer fails.
pub(crate) fn list(signer: &dyn Signer) -> Option<Vec<Pk1Bytes>> {
    match signer.keys() {
        Ok(keys) => Some(keys.iter().map(|key| key.pk1()).collect()),
        Err(error) => {
            log::error!(target: LOG_TARGET, "the signer does not list its keys: {error}");
            None
        }
    }
}
