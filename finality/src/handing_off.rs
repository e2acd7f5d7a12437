//! Submits handoff proofs on chain: a planned set waits for them, and they name the signers. (HANDOFF-1, HANDOFF-4)
//!
//! A proof grows for some time (ROUND-9), and each one on chain costs a check. So a proof is submitted when all members
//! have signed it, or when no signer has joined for a while; and again when it has grown, while the chain accepts it.

use crate::{
    chain::{error::ChainError, Chain},
    metrics::Metrics,
    store::Store,
};
use duet_gossip::{clock::Clock, LOG_TARGET};
use duet_primitives::{Bitfield, Keysets, SetId, UncheckedJustification};
use duet_voter::Millis;
use std::{collections::BTreeMap, convert::Infallible, sync::Arc};

/// The interval of requests to the chain.
const INTERVAL: Millis = 1_000;
/// The time without new signers after which an incomplete proof is submitted: some steps of the rounds.
const QUIET: Millis = 4_000;
/// The time after which a proof that the chain does not have is submitted again.
const AGAIN: Millis = 12_000;

/// Submits the handoffs of the signing set and of the one before it.
pub(crate) struct HandoffReporter {
    pub(crate) chain: Arc<Chain>,
    pub(crate) store: Store,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) metrics: Metrics,
}

/// A proof that the chain does not have.
struct Pending {
    signers: Bitfield,
    /// The earliest time of its submission.
    at: Millis,
}

impl HandoffReporter {
    /// Runs until the node stops. Calls the runtime and reads the database, so it blocks.
    pub(crate) async fn run(self) -> Infallible {
        let mut pending = BTreeMap::new();
        loop {
            if let Err(error) = self.bring(&mut pending) {
                log::debug!(target: LOG_TARGET, "handoffs cannot be submitted: {error}");
            }
            let next = self.clock.now().saturating_add(INTERVAL);
            self.clock.sleep_until(next).await;
        }
    }

    fn bring(&self, pending: &mut BTreeMap<SetId, Pending>) -> Result<(), ChainError> {
        let Some(Keysets { current, next }) = self.chain.best_keysets()? else {
            return Ok(());
        };
        let mut waits = false;
        let mut found = BTreeMap::new();
        for id in [Some(current.id), current.id.checked_previous()] {
            let Some(id) = id else { continue };
            let Some(known) = self.chain.handoff_signers(id)? else {
                continue;
            };
            waits |= id == current.id && next.id != id && known.count() == 0;
            let Some(proof) = self.store.handoff(id)? else {
                continue;
            };
            if known.union(&proof.signers) == known {
                continue;
            }
            let len = self.store.set(id)?.map_or(0, |set| set.len);
            let entry = self.pursue(proof, len, pending.remove(&id));
            found.insert(id, entry);
        }
        // Proofs that the chain has, or no longer accepts, are forgotten.
        *pending = found;
        self.metrics.handoff_waits.set(waits.into());
        Ok(())
    }

    /// Submits a proof when it is time.
    fn pursue(&self, proof: UncheckedJustification, len: u32, before: Option<Pending>) -> Pending {
        let now = self.clock.now();
        let signers = proof.signers.clone();
        let at = match before {
            Some(same) if same.signers == signers => same.at,
            _ if signers.count() == len => now,
            _ => now.saturating_add(QUIET),
        };
        if now < at {
            return Pending { signers, at };
        }
        self.submit(proof);
        let at = now.saturating_add(AGAIN);
        Pending { signers, at }
    }

    fn submit(&self, proof: UncheckedJustification) {
        let (set, signed) = (proof.commitment.validator_set_id, proof.signers.count());
        match self.chain.hand_off(proof) {
            Ok(Some(())) => {
                self.metrics.handoffs_submitted.inc();
                log::info!(target: LOG_TARGET, "submitted the handoff of set {set}, signed by {signed}");
            }
            Ok(None) => {
                log::debug!(target: LOG_TARGET, "the pool does not take the handoff of set {set} now")
            }
            Err(error) => {
                log::warn!(target: LOG_TARGET, "the handoff of set {set} was not submitted: {error}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{clock::VirtualClock, dual_keys, TestChain};
    use duet_primitives::{testing::TestSet, ConsensusLog, RoundMessage, SignerIndex, H256};
    use futures::{future::BoxFuture, FutureExt};

    const NOTHING: [u32; 0] = [];

    /// A node on a chain whose set of four has planned another one in block 1.
    struct Node {
        test: TestChain,
        sets: [TestSet; 2],
        block: H256,
        clock: VirtualClock,
        metrics: Metrics,
        run: BoxFuture<'static, Infallible>,
    }

    impl Node {
        fn new() -> Self {
            Self::of(4)
        }

        /// The same number of members signs.
        fn of(members: u64) -> Self {
            let (test, clock) = (TestChain::default(), VirtualClock::default());
            let sets = [0, 1].map(|id| TestSet::new(id, id..id + members));
            let [first, second] = &sets;
            test.push(first, first, &[]);
            let planned = ConsensusLog::Planned(second.set.commitment().clone());
            let block = test.push(first, second, &[planned]);
            let store = test.store();
            store.put_set(first.set.commitment()).unwrap();
            store
                .put_keys(first.set.commitment(), &dual_keys(first))
                .unwrap();
            let metrics = Metrics::new(None);
            let reporter = HandoffReporter {
                chain: Arc::new(test.chain()),
                store: test.store(),
                clock: Arc::new(clock.clone()),
                metrics: metrics.clone(),
            };
            let run = reporter.run().boxed();
            let len = first.set.keyset().len();
            test.client
                .expect_handoff(SetId::FIRST, Bitfield::empty(len));
            Self {
                test,
                sets,
                block,
                clock,
                metrics,
                run,
            }
        }

        /// The node proves the handoff by these members, or extends its proof.
        fn prove(&self, members: &[u32]) {
            let [first, second] = &self.sets;
            let mut said = first.commitment(1, &second.set);
            said.block_hash = self.block;
            let message = RoundMessage::new(self.test.blocks().genesis_hash(), said);
            let proof = first.justify(&message, members.iter().copied());
            let store = self.test.store();
            store.put_fuller_handoff(&proof.into_unchecked()).unwrap();
        }

        /// The submissions within this many seconds, each as its number of signers.
        fn submitted_in(&mut self, seconds: u32) -> Vec<u32> {
            assert!((&mut self.run).now_or_never().is_none());
            for _ in 0..seconds {
                assert!(self.clock.advance());
                assert!((&mut self.run).now_or_never().is_none());
            }
            let proofs = self.test.client.handed_in();
            let signed = proofs
                .iter()
                .map(|proof| proof.justification.signers.count());
            signed.collect()
        }
    }

    fn signers(members: &[u32]) -> Bitfield {
        Bitfield::from_indices(4, members.iter().copied().map(SignerIndex::new))
    }

    #[test]
    fn a_proof_by_all_is_brought_at_once_and_again_until_the_chain_has_it() {
        let mut node = Node::new();
        assert_eq!(node.submitted_in(3), NOTHING, "there is no proof yet");
        assert_eq!(node.metrics.handoff_waits.get(), 1);
        node.prove(&[0, 1, 2, 3]);
        assert_eq!(node.submitted_in(1), [4]);
        assert_eq!(node.submitted_in(11), NOTHING);
        assert_eq!(node.submitted_in(1), [4]);
        let all = signers(&[0, 1, 2, 3]);
        node.test.client.expect_handoff(SetId::FIRST, all);
        assert_eq!(node.submitted_in(60), NOTHING);
        assert_eq!(node.metrics.handoffs_submitted.get(), 2);
        assert_eq!(node.metrics.handoff_waits.get(), 0);
    }

    #[test]
    fn a_proof_that_grows_is_brought_when_nobody_joins_for_a_while() {
        let mut node = Node::new();
        node.prove(&[0, 1, 2]);
        assert_eq!(node.submitted_in(3), NOTHING);
        assert_eq!(node.submitted_in(2), [3]);
        node.test
            .client
            .expect_handoff(SetId::FIRST, signers(&[0, 1, 2]));
        assert_eq!(node.submitted_in(60), NOTHING);
        node.prove(&[0, 1, 2, 3]);
        assert_eq!(node.submitted_in(1), [4], "who was left out is named, too");
    }

    #[test]
    fn who_joins_a_proof_makes_it_wait_anew() {
        let mut node = Node::of(7);
        node.prove(&[0, 1, 2, 3, 4]);
        assert_eq!(node.submitted_in(3), NOTHING);
        node.prove(&[0, 1, 2, 3, 4, 5]);
        assert_eq!(node.submitted_in(4), NOTHING);
        assert_eq!(node.submitted_in(1), [6]);
    }

    #[test]
    fn who_was_left_out_of_the_proof_on_chain_is_named_by_a_smaller_one() {
        let mut node = Node::new();
        node.test
            .client
            .expect_handoff(SetId::FIRST, signers(&[0, 1, 2]));
        node.prove(&[1, 2, 3]);
        assert_eq!(node.submitted_in(5), [3]);
    }

    #[test]
    fn a_chain_that_takes_no_proof_is_left_alone() {
        let mut node = Node::new();
        node.test.client.settle_handoff(SetId::FIRST);
        node.prove(&[0, 1, 2, 3]);
        assert_eq!(node.submitted_in(30), NOTHING);
        assert_eq!(node.metrics.handoff_waits.get(), 0);
    }

    #[test]
    fn the_set_before_the_signing_one_is_looked_after_too() {
        let mut node = Node::new();
        node.prove(&[0, 1, 2, 3]);
        let [_, second] = &node.sets;
        node.test.push(second, second, &[]);
        assert_eq!(node.submitted_in(1), [4]);
        assert_eq!(node.metrics.handoff_waits.get(), 0, "it has taken over");
    }
}
