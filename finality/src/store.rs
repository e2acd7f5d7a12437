//! State that survives a restart, in the client's auxiliary store.
//!
//! Keys start with `duet/v1/`; a change of a layout changes the number.
//!
//! The database applies writes in the order in which they were made, so that after a crash it holds a prefix of them:
//! never a proof without the sets before it, never a vote without its finalized block. That prefix may lack a vote
//! that was sent. The voter then asks for it again, and the signer, which flushes its own record with each vote,
//! returns the same bytes or an error. (ROUND-4)

mod entries;
mod reports;
mod resets;
mod served;
mod tables;
#[cfg(test)]
mod tests;

use crate::evidence::Divergence;
use duet_gossip::source::{HandoffProof, StartProof};
use duet_primitives::{
    BlockNumber, CommitmentPayload, DualKeyBytes, KeysetCommitment, Pk1Bytes, SetId,
    UncheckedJustification, H256,
};
use sc_client_api::AuxStore;
use std::sync::Arc;
use tables::{entry, key, Tables, Write};

pub(crate) use entries::Checked;
pub(crate) use reports::{Entry, ReportBook};
pub(crate) use resets::Reset;
#[cfg(test)]
pub(crate) use served::MAX_LIST_BYTES;
pub(crate) use served::{bounded, sets};
pub use tables::StoreError;

const STATE: &str = "state";
/// The block up to which nothing is signed if there is no state, because it was removed. (ROUND-4)
const FLOOR: &str = "floor";
const KEYS: &str = "keys";
/// The halves in G1 of the keys under a root, of sets whose keys did not come from the chain's state.
const HALVES: &str = "halves";
const SET: &str = "set";
const PAYLOAD: &str = "payload";
const HANDOFF: &str = "handover";
/// By block number, the set that handed off with the block.
const HANDOFF_AT: &str = "handover-at";
const BEST: &str = "best";
/// The last proof by a set that ended without a handoff. (RESET-5)
const LAST: &str = "last";
/// A ring of slots by block number, for justifications with more signers than those stored with their blocks.
const FULLER: &str = "fuller";
const FIRST_SET: &str = "genesis";
/// Valid proofs that contradict the finalized chain. (ROUND-10)
const DIVERGED: &str = "diverged";

/// The slots of the ring of fuller justifications: this many of the latest blocks are served with all signers.
const FULLER_SLOTS: u32 = 1024;

/// The slot of a block.
fn slot(block: BlockNumber) -> [u8; 4] {
    block.get().rem_euclid(FULLER_SLOTS).to_le_bytes()
}

/// Duet's data in the client's auxiliary store. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Store {
    tables: Tables,
}

impl Store {
    /// The store over a client or its back end.
    pub(crate) fn new<A: AuxStore + Send + Sync + 'static>(aux: Arc<A>) -> Self {
        Self {
            tables: Tables::new(aux),
        }
    }

    /// The voter's encoded state.
    pub(crate) fn voter_state(&self) -> Result<Option<Vec<u8>>, StoreError> {
        self.tables.read(STATE, &[])
    }

    /// Stores the voter's state. (ROUND-4)
    pub(crate) fn put_voter_state(&self, state: Vec<u8>) -> Result<(), StoreError> {
        self.tables.write(&[(key(STATE, &[]), Some(state))])
    }

    /// The keys under a commitment's root, as they were on chain.
    pub(crate) fn keys(
        &self,
        commitment: &KeysetCommitment,
    ) -> Result<Option<Vec<DualKeyBytes>>, StoreError> {
        self.tables.get(KEYS, commitment.root.as_bytes())
    }

    /// Stores the keys of a set that a block of any fork plans.
    pub(crate) fn put_keys(
        &self,
        commitment: &KeysetCommitment,
        keys: &[DualKeyBytes],
    ) -> Result<(), StoreError> {
        self.tables.put(KEYS, commitment.root.as_bytes(), &keys)
    }

    /// The halves in G1 of the keys under a commitment's root, in set order.
    pub(crate) fn key_halves(
        &self,
        commitment: &KeysetCommitment,
    ) -> Result<Option<Vec<Pk1Bytes>>, StoreError> {
        if let Some(keys) = self.keys(commitment)? {
            return Ok(Some(keys.iter().map(DualKeyBytes::pk1).collect()));
        }
        self.tables.get(HALVES, commitment.root.as_bytes())
    }

    /// The set with this number on the finalized chain.
    pub(crate) fn set(&self, id: SetId) -> Result<Option<KeysetCommitment>, StoreError> {
        self.tables.get(SET, &id.get().to_le_bytes())
    }

    /// Stores a set of the finalized chain under its number.
    pub(crate) fn put_set(&self, commitment: &KeysetCommitment) -> Result<(), StoreError> {
        self.tables
            .put(SET, &commitment.id.get().to_le_bytes(), commitment)
    }

    /// The payload of a block, kept because its state may be gone when it is signed. One that does not decode counts as
    /// none: no repair finds it, and it is read from the state or replaced.
    pub(crate) fn payload(&self, block: H256) -> Result<Option<CommitmentPayload>, StoreError> {
        readable(self.tables.get(PAYLOAD, block.as_bytes()))
    }

    /// Stores the payload of a block.
    pub(crate) fn put_payload(
        &self,
        block: H256,
        payload: &CommitmentPayload,
    ) -> Result<(), StoreError> {
        self.tables.put(PAYLOAD, block.as_bytes(), payload)
    }

    /// Removes the payloads of blocks that need no vote any more.
    pub(crate) fn drop_payloads(&self, blocks: &[H256]) -> Result<(), StoreError> {
        let writes: Vec<_> = blocks
            .iter()
            .map(|block| (key(PAYLOAD, block.as_bytes()), None))
            .collect();
        self.tables.write(&writes)
    }

    /// The justification with which this set handed off to the next.
    pub(crate) fn handoff(
        &self,
        set_id: SetId,
    ) -> Result<Option<UncheckedJustification>, StoreError> {
        self.tables.get(HANDOFF, &set_id.get().to_le_bytes())
    }

    /// The justification of the highest block.
    pub(crate) fn best(&self) -> Result<Option<UncheckedJustification>, StoreError> {
        self.tables.get(BEST, &[])
    }

    /// The last justification by this set, if it is the newest set with one, or ended without a handoff.
    pub(crate) fn last(&self, set_id: SetId) -> Result<Option<UncheckedJustification>, StoreError> {
        let best = self.best()?;
        match best.filter(|best| best.commitment.validator_set_id == set_id) {
            Some(best) => Ok(Some(best)),
            None => self.tables.get(LAST, &set_id.get().to_le_bytes()),
        }
    }

    /// Stores the justification of the highest block.
    pub(crate) fn put_best(
        &self,
        justification: &UncheckedJustification,
    ) -> Result<(), StoreError> {
        self.tables.write(&self.best_writes(justification)?)
    }

    /// The justification of the highest block, and the one before it if its set ended without a handoff to this one.
    fn best_writes(
        &self,
        justification: &UncheckedJustification,
    ) -> Result<Vec<Write>, StoreError> {
        let mut writes = vec![entry(BEST, &[], justification)];
        let set_id = justification.commitment.validator_set_id;
        // What is unreadable is replaced all the same.
        if let Some(before) = readable(self.best())? {
            let ended = before.commitment.validator_set_id;
            if ended < set_id {
                let handoff = readable(self.handoff(ended))?;
                if handoff.is_none_or(|handoff| handoff.commitment.next.id != set_id) {
                    writes.push(entry(LAST, &ended.get().to_le_bytes(), &before));
                }
            }
        }
        Ok(writes)
    }

    /// Stores the justification of the highest block, also as the handoff of its set, unless one with more signers is
    /// stored: after a crash the same block may be proven a second time.
    pub(crate) fn put_handoff(
        &self,
        justification: &UncheckedJustification,
    ) -> Result<(), StoreError> {
        let set_id = justification.commitment.validator_set_id;
        let stored = self.handoff(set_id)?;
        let mut writes = self.best_writes(justification)?;
        if stored.is_none_or(|stored| !is_fuller(&stored, justification)) {
            writes.push(entry(HANDOFF, &set_id.get().to_le_bytes(), justification));
        }
        self.tables.write(&writes)
    }

    /// Stores the handoff of a set in place of one with fewer signers. (ROUND-9)
    pub(crate) fn put_fuller_handoff(
        &self,
        justification: &UncheckedJustification,
    ) -> Result<(), StoreError> {
        let set_id = justification.commitment.validator_set_id;
        self.tables
            .put(HANDOFF, &set_id.get().to_le_bytes(), justification)
    }

    /// Stores a justification with more signers than the one stored with its block, replacing that of an older block.
    /// (ROUND-9)
    pub(crate) fn put_fuller(
        &self,
        justification: &UncheckedJustification,
    ) -> Result<(), StoreError> {
        let block = justification.commitment.block_number;
        self.tables.put(FULLER, &slot(block), justification)
    }

    /// The stored justification of a block with the most signers: `first`, which is stored with it, or one that has
    /// grown.
    pub(crate) fn fullest(
        &self,
        first: UncheckedJustification,
    ) -> Result<UncheckedJustification, StoreError> {
        let commitment = &first.commitment;
        let mut grown = self.tables.get(FULLER, &slot(commitment.block_number))?;
        if commitment.is_handoff() && !grown.as_ref().is_some_and(|one| is_fuller(one, &first)) {
            grown = self.handoff(commitment.validator_set_id)?;
        }
        Ok(grown.filter(|one| is_fuller(one, &first)).unwrap_or(first))
    }

    /// The contradictions known to this node, in order of discovery.
    pub(crate) fn divergences(&self) -> Result<Vec<Divergence>, StoreError> {
        Ok(self.tables.get(DIVERGED, &[])?.unwrap_or_default())
    }

    /// Stores the contradictions known to this node. (ROUND-10)
    pub(crate) fn put_divergences(&self, divergences: &[Divergence]) -> Result<(), StoreError> {
        self.tables.put(DIVERGED, &[], &divergences)
    }

    /// Stores the starting proof for light clients.
    pub(crate) fn put_first_set_proof(&self, proof: &StartProof) -> Result<(), StoreError> {
        self.tables.put(FIRST_SET, &[], proof)
    }

    /// Removes that proof.
    pub(crate) fn drop_first_set_proof(&self) -> Result<(), StoreError> {
        self.tables.write(&[(key(FIRST_SET, &[]), None)])
    }

    /// The handoff justification of this block, if it was fetched from peers.
    pub(crate) fn handoff_at(
        &self,
        block: BlockNumber,
    ) -> Result<Option<UncheckedJustification>, StoreError> {
        match self.tables.get(HANDOFF_AT, &block.get().to_le_bytes())? {
            Some(set_id) => self.handoff(set_id),
            None => Ok(None),
        }
    }

    /// The handoff of this set with the keys of the next set.
    pub(crate) fn handoff_proof(&self, set_id: SetId) -> Result<Option<HandoffProof>, StoreError> {
        let Some(justification) = self.handoff(set_id)? else {
            return Ok(None);
        };
        let next_keys = self.key_halves(&justification.commitment.next)?;
        Ok(next_keys.map(|next_keys| HandoffProof {
            justification,
            next_keys,
        }))
    }

    /// Stores the proof of the first set from a peer, after its check, and that set.
    pub(crate) fn put_fetched_first_set(
        &self,
        proof: &StartProof,
        first: &KeysetCommitment,
    ) -> Result<(), StoreError> {
        self.tables.write(&[
            entry(SET, &first.id.get().to_le_bytes(), first),
            entry(HALVES, first.root.as_bytes(), &proof.keys),
            entry(FIRST_SET, &[], proof),
        ])
    }

    /// Stores a handoff proof from a peer, after its check, and the next set.
    pub(crate) fn put_fetched(&self, proof: &HandoffProof) -> Result<(), StoreError> {
        let HandoffProof {
            justification,
            next_keys,
        } = proof;
        let commitment = &justification.commitment;
        let (set_id, next) = (commitment.validator_set_id, &commitment.next);
        self.tables.write(&[
            entry(SET, &next.id.get().to_le_bytes(), next),
            entry(HALVES, next.root.as_bytes(), next_keys),
            entry(
                HANDOFF_AT,
                &commitment.block_number.get().to_le_bytes(),
                &set_id,
            ),
            entry(HANDOFF, &set_id.get().to_le_bytes(), justification),
        ])
    }
}

/// An entry that does not decode counts as none.
fn readable<T>(read: Result<Option<T>, StoreError>) -> Result<Option<T>, StoreError> {
    match read {
        Err(StoreError::Corrupt { .. }) => Ok(None),
        read => read,
    }
}

/// Whether a justification makes the same statement as another one, with more signers.
fn is_fuller(one: &UncheckedJustification, other: &UncheckedJustification) -> bool {
    one.commitment == other.commitment && one.signers.count() > other.signers.count()
}
