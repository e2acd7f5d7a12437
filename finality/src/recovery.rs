//! Tells the operator whether recovery keys are ready. (RECOVER-2, RECOVER-3)
//!
//! Reads the storage of the pallets `DuetRecovery`, `Duet` and `Session` by name, so that no runtime call needs a new
//! version. Deposits have 128 bits, as balances of nearly all chains. A value that does not decode counts as none.

use crate::{
    chain::{error::ChainError, Chain},
    client::AccountId,
    metrics::RecoveryMetrics,
    own_keys,
};
use codec::{Decode, Encode};
use duet_gossip::{clock::Clock, LOG_TARGET};
use duet_keystore::Signer;
use duet_primitives::{
    suite::{PALLET_NAME, RECOVERY_PALLET_NAME, RECOVERY_TERMS_STORAGE_KEY},
    BlockNumber, Pk1Bytes, RecoveryTerms, H256,
};
use duet_voter::Millis;
use prometheus_endpoint::Registry;
use sp_core::hexdisplay::HexDisplay;
use sp_crypto_hashing::{blake2_128, twox_128};
use std::{convert::Infallible, sync::Arc};

/// The interval of the looks. Drills are for many sessions.
const INTERVAL: Millis = 60_000;

type SessionIndex = u32;
/// The key, the deposit, the last drill, and the first session for which the key is not ready.
type RegisteredKey = (
    Pk1Bytes,
    (AccountId, u128),
    Option<BlockNumber>,
    SessionIndex,
);

/// Reads the state of the finalized block again and again.
pub(crate) struct RecoveryWatch {
    chain: Arc<Chain>,
    clock: Arc<dyn Clock>,
    signer: Arc<dyn Signer>,
    registry: Option<Registry>,
    /// `None` until the chain has the pallet.
    metrics: Option<RecoveryMetrics>,
    /// Whether the operator knows of a value that does not decode.
    told: bool,
}

impl RecoveryWatch {
    /// Nothing read yet.
    pub(crate) fn new(
        chain: Arc<Chain>,
        clock: Arc<dyn Clock>,
        signer: Arc<dyn Signer>,
        registry: Option<Registry>,
    ) -> Self {
        Self {
            chain,
            clock,
            signer,
            registry,
            metrics: None,
            told: false,
        }
    }

    /// Runs for as long as the node does. Reads the database and asks the signer, so it blocks.
    pub(crate) async fn run(mut self) -> Infallible {
        loop {
            if let Err(error) = self.look() {
                log::debug!(target: LOG_TARGET, "the recovery keys are not known: {error}");
            }
            let next = self.clock.now().saturating_add(INTERVAL);
            self.clock.sleep_until(next).await;
        }
    }

    fn look(&mut self) -> Result<(), ChainError> {
        let (_, at) = self.chain.finalized();
        // The pallet writes it in its first block.
        let seen = item(RECOVERY_PALLET_NAME, "Seen");
        let Some((session, _)) = self.value::<(SessionIndex, bool)>(at, &seen)? else {
            return Ok(());
        };
        let terms = self.value::<RecoveryTerms>(at, &RECOVERY_TERMS_STORAGE_KEY)?;
        let mut own = Vec::new();
        for key in own_keys::list(&*self.signer).unwrap_or_default() {
            // The owner is the first field.
            own.extend(self.value::<AccountId>(at, &entry(PALLET_NAME, "KeyOwners", &key))?);
        }
        let validators = self.value::<Vec<AccountId>>(at, &item("Session", "Validators"))?;
        // Of each validator's key, and whether it is this node's.
        let mut sessions_left = Vec::new();
        for validator in validators.unwrap_or_default() {
            let key = entry(RECOVERY_PALLET_NAME, "Keys", &validator);
            let key = self.value::<RegisteredKey>(at, &key)?;
            let left = key.map_or(0, |(.., until)| until.saturating_sub(session));
            sessions_left.push((left, own.contains(&validator)));
        }
        let registry = self.registry.as_ref();
        let new = || RecoveryMetrics::new(registry);
        let metrics = self.metrics.get_or_insert_with(new);
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let members = terms.map_or(0, |terms| terms.set.len);
        metrics.members.set(members.into());
        metrics.validators.set(number(sessions_left.len()));
        let ready = sessions_left.iter().filter(|(left, _)| *left > 0).count();
        metrics.ready.set(number(ready));
        let own = sessions_left.iter().filter(|(_, is_own)| *is_own);
        let least = own.map(|(left, _)| *left).min().unwrap_or_default();
        metrics.sessions_left.set(least.into());
        Ok(())
    }

    fn value<T: Decode>(&mut self, at: H256, key: &[u8]) -> Result<Option<T>, ChainError> {
        let Some(bytes) = self.chain.stored(at, key)? else {
            return Ok(None);
        };
        match T::decode(&mut bytes.as_slice()) {
            Ok(value) => Ok(Some(value)),
            Err(error) => {
                if !std::mem::replace(&mut self.told, true) {
                    log::warn!(
                        target: LOG_TARGET,
                        "the metrics of recovery keys are wrong: the state's value under 0x{} does not decode: {error}",
                        HexDisplay::from(&key),
                    );
                }
                Ok(None)
            }
        }
    }
}

/// The storage key of a value.
fn item(pallet: &str, item: &str) -> Vec<u8> {
    [pallet, item]
        .map(|name| twox_128(name.as_bytes()))
        .concat()
}

/// That of an entry of a map with the hasher `Blake2_128Concat`.
fn entry(pallet: &str, map: &str, key: &impl Encode) -> Vec<u8> {
    let key = key.encode();
    [&*item(pallet, map), &blake2_128(&key), &key].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{clock::VirtualClock, nodes::OneKey, TestChain};
    use duet_primitives::testing::TestSet;
    use futures::{future::BoxFuture, FutureExt};

    /// A node of the first of three validators. It has looked once, when the chain did not have the pallet.
    struct Node {
        test: TestChain,
        clock: VirtualClock,
        registry: Registry,
        run: BoxFuture<'static, Infallible>,
    }

    impl Node {
        fn new(set: &TestSet) -> Self {
            let (test, clock) = (TestChain::default(), VirtualClock::default());
            test.push(set, set, &[]);
            let registry = Registry::new();
            let watch = RecoveryWatch::new(
                Arc::new(test.chain()),
                Arc::new(clock.clone()),
                Arc::new(OneKey::new(set.secrets[0].clone())),
                Some(registry.clone()),
            );
            let mut run = watch.run().boxed();
            assert!((&mut run).now_or_never().is_none());
            assert!(registry.gather().is_empty());
            Self {
                test,
                clock,
                registry,
                run,
            }
        }

        fn store(&self, key: Vec<u8>, value: impl Encode) {
            self.test.client.store(key, value.encode());
        }

        fn register(&self, validator: u8, ready_until: SessionIndex) {
            let key = entry(RECOVERY_PALLET_NAME, "Keys", &account(validator));
            let deposit = (account(validator), 5_u128);
            let drilled = Some(BlockNumber::new(7));
            let registered = (
                Pk1Bytes::from([validator; 48]),
                deposit,
                drilled,
                ready_until,
            );
            self.store(key, registered);
        }

        /// Its gauges a minute later, by name.
        fn shows(&mut self) -> Vec<(String, f64)> {
            assert!(self.clock.advance());
            assert!((&mut self.run).now_or_never().is_none());
            let families = self.registry.gather().into_iter();
            let shown = families.map(|family| {
                let name = family.get_name().replace("substrate_duet_recovery_", "");
                (name, family.get_metric()[0].get_gauge().get_value())
            });
            shown.collect()
        }
    }

    fn account(validator: u8) -> AccountId {
        AccountId::new([validator; 32])
    }

    fn gauges(members: u32, ready: u32, sessions_left: u32, validators: u32) -> Vec<(String, f64)> {
        let names = ["members", "ready", "sessions_left", "validators"];
        let values = [members, ready, sessions_left, validators];
        let gauge = |(name, value): (&str, u32)| (name.to_owned(), f64::from(value));
        names.into_iter().zip(values).map(gauge).collect()
    }

    /// RECOVER-2, RECOVER-3.
    #[test]
    fn gauges_are_there_with_the_pallet_and_follow_its_storage() {
        let set = TestSet::new(0, [1, 2]);
        let mut node = Node::new(&set);
        assert_eq!(node.shows(), []);

        node.store(item(RECOVERY_PALLET_NAME, "Seen"), (9_u32, true));
        assert_eq!(node.shows(), gauges(0, 0, 0, 0));

        let owner = (account(1), account(1), 1_u8);
        let own = set.secrets[0].public().pk1();
        node.store(entry(PALLET_NAME, "KeyOwners", &own), owner);
        node.store(
            item("Session", "Validators"),
            [1, 2, 3].map(account).to_vec(),
        );
        node.register(1, 12);
        // Its last session is over.
        node.register(2, 9);
        assert_eq!(node.shows(), gauges(0, 1, 3, 3));

        let terms = RecoveryTerms {
            set: set.set.commitment().clone(),
            delay: 1,
        };
        node.store(RECOVERY_TERMS_STORAGE_KEY.to_vec(), terms);
        node.register(2, 10);
        assert_eq!(node.shows(), gauges(2, 2, 3, 3));
    }

    #[test]
    fn a_value_that_does_not_decode_counts_as_none() {
        let mut node = Node::new(&TestSet::new(0, [1, 2]));
        let seen = item(RECOVERY_PALLET_NAME, "Seen");
        node.store(seen.clone(), 9_u8);
        assert_eq!(node.shows(), []);

        node.store(seen, (9_u32, true));
        node.store(item("Session", "Validators"), [1, 2].map(account).to_vec());
        node.register(1, 12);
        node.register(2, 12);
        assert_eq!(node.shows(), gauges(0, 2, 0, 2));
        node.store(RECOVERY_TERMS_STORAGE_KEY.to_vec(), 1_u8);
        node.store(entry(RECOVERY_PALLET_NAME, "Keys", &account(2)), 1_u8);
        assert_eq!(node.shows(), gauges(0, 1, 0, 2));
    }
}
