//! The entries that can be found by name, and whether they are readable. (The database cannot list its keys.)

use super::{
    readable,
    resets::RESETS,
    tables::{entry, key, Write},
    Entry, Reset, Store, StoreError, BEST, DIVERGED, FIRST_SET, FLOOR, FULLER, FULLER_SLOTS,
    HALVES, HANDOFF, HANDOFF_AT, KEYS, LAST, SET, STATE,
};
use crate::{evidence::Divergence, statement::FalseStatement};
use codec::{Decode, DecodeAll, Encode};
use duet_gossip::source::StartProof;
use duet_primitives::{
    BlockNumber, DualKeyBytes, EquivocationProof, KeysetCommitment, Pk1Bytes, SetId,
    UncheckedJustification,
};
use duet_voter::State;
use std::collections::{BTreeMap, BTreeSet};

/// An entry in the database.
pub(crate) struct Checked {
    pub(crate) table: &'static str,
    /// Its id for people; empty if the table has one entry.
    pub(crate) of: String,
    pub(crate) key: Vec<u8>,
    /// Why it is unreadable, and its actual content.
    pub(crate) broken: Option<(String, Vec<u8>)>,
}

impl Checked {
    /// The loss if it is removed.
    pub(crate) fn loss(&self) -> &'static str {
        match self.table {
            STATE => "the record of this node's votes: the node votes on no block up to the finalized one, and starts again near that block",
            BEST => "nothing: the next proof takes its place",
            FIRST_SET => "nothing: it is made again if the state is available, or fetched from peers",
            DIVERGED => "the evidence of contradictions, and the stop of voting that they cause",
            RESETS => "the blocks at which governance reset the sets: light clients are not told why a handoff is missing",
            FLOOR => "the block up to which nothing is signed after an earlier repair: the finalized block takes its place",
            SET => "nothing where the handoff to the set is stored; otherwise proofs of the set cannot be checked here",
            KEYS | HALVES => "nothing: they are read from the chain's state, or fetched from peers with the handoff to the set",
            HANDOFF => "nothing while a peer has it: it is fetched",
            LAST => "the last proof by a set that governance ended: a light client that lacks it needs another server",
            HANDOFF_AT => "the link from a block to its handoff: the node no longer serves that block with its handoff",
            FULLER => "the later signers of one proof",
            _ => "evidence of an offence that may not be on chain yet",
        }
    }
}

/// An id, as in the key and for people.
struct Id(Vec<u8>, String);

impl Id {
    fn none() -> Self {
        Self(Vec::new(), String::new())
    }

    fn set(id: SetId) -> Self {
        Self(id.get().to_le_bytes().into(), id.to_string())
    }

    fn root(commitment: &KeysetCommitment) -> Self {
        let of = format!("set {}", commitment.id);
        Self(commitment.root.as_bytes().into(), of)
    }
}

impl Store {
    /// No block at or below this one is signed again, because earlier votes are no longer known. (ROUND-4)
    pub(crate) fn floor(&self) -> Result<Option<BlockNumber>, StoreError> {
        self.tables.get(FLOOR, &[])
    }

    /// Every entry except the payloads of blocks.
    ///
    /// Cost: up to six reads for each set since the genesis.
    pub(crate) fn entries(&self) -> Result<Vec<Checked>, StoreError> {
        let mut all: Vec<_> = self
            .check(STATE, Id::none(), read_state)?
            .into_iter()
            .collect();
        all.extend(self.check_as::<UncheckedJustification>(BEST, Id::none())?);
        all.extend(self.check_as::<StartProof>(FIRST_SET, Id::none())?);
        all.extend(self.check_as::<Vec<Divergence>>(DIVERGED, Id::none())?);
        all.extend(self.check_as::<Vec<Reset>>(RESETS, Id::none())?);
        all.extend(self.check_as::<BlockNumber>(FLOOR, Id::none())?);
        all.extend(self.check_reports::<EquivocationProof>()?);
        all.extend(self.check_reports::<FalseStatement>()?);
        for slot in 0..FULLER_SLOTS {
            let id = Id(slot.to_le_bytes().into(), format!("slot {slot}"));
            all.extend(self.check_as::<UncheckedJustification>(FULLER, id)?);
        }
        for id in self.sets_so_far()? {
            all.extend(self.check_set(id)?);
        }
        // Sets with the same keys share them.
        let mut seen = BTreeSet::new();
        all.retain(|one| seen.insert(one.key.clone()));
        Ok(all)
    }

    /// All sets up to the newest one named by the voter's state or the newest proof; none if neither is readable.
    fn sets_so_far(&self) -> Result<impl Iterator<Item = SetId>, StoreError> {
        let state = self.voter_state()?;
        let state = state.and_then(|bytes| State::from_bytes(&bytes).ok());
        let of_state = state.and_then(|state| state.eras().last().map(|era| era.set.id));
        let best = readable(self.best())?;
        let newest = of_state.max(best.map(|best| best.commitment.next.id));
        let behind = newest.map_or(SetId::FIRST, SetId::saturating_next);
        Ok(SetId::FIRST.until(behind))
    }

    fn check_set(&self, id: SetId) -> Result<Vec<Checked>, StoreError> {
        let mut found: Vec<_> = self
            .check_as::<KeysetCommitment>(SET, Id::set(id))?
            .into_iter()
            .collect();
        if let Ok(Some(commitment)) = self.set(id) {
            found.extend(self.check_as::<Vec<DualKeyBytes>>(KEYS, Id::root(&commitment))?);
            found.extend(self.check_as::<Vec<Pk1Bytes>>(HALVES, Id::root(&commitment))?);
        }
        found.extend(self.check_as::<UncheckedJustification>(HANDOFF, Id::set(id))?);
        found.extend(self.check_as::<UncheckedJustification>(LAST, Id::set(id))?);
        if let Ok(Some(proof)) = self.handoff(id) {
            let block = proof.commitment.block_number;
            let at = Id(block.get().to_le_bytes().into(), format!("block {block}"));
            found.extend(self.check_as::<SetId>(HANDOFF_AT, at)?);
        }
        Ok(found)
    }

    fn check_reports<R: Entry>(&self) -> Result<Vec<Checked>, StoreError> {
        let list = self.check_as::<Vec<R::Id>>(R::LIST, Id::none())?;
        let ids: Option<Vec<R::Id>> = readable(self.tables.get(R::LIST, &[]))?;
        let mut found: Vec<_> = list.into_iter().collect();
        for (number, id) in ids.iter().flatten().enumerate() {
            let id = Id(id.encode(), format!("{number}"));
            found.extend(self.check_as::<R>(R::ENTRY, id)?);
        }
        Ok(found)
    }

    fn check_as<T: Decode>(
        &self,
        table: &'static str,
        id: Id,
    ) -> Result<Option<Checked>, StoreError> {
        let read = |mut bytes: &[u8]| {
            T::decode_all(&mut bytes)
                .err()
                .map(|error| error.to_string())
        };
        self.check(table, id, read)
    }

    fn check(
        &self,
        table: &'static str,
        id: Id,
        fault: impl Fn(&[u8]) -> Option<String>,
    ) -> Result<Option<Checked>, StoreError> {
        let Id(id, of) = id;
        let bytes = self.tables.read(table, &id)?;
        Ok(bytes.map(|bytes| Checked {
            table,
            of,
            key: key(table, &id),
            broken: fault(&bytes).map(|error| (error, bytes)),
        }))
    }

    /// Removes these entries at once. If the record of the node's votes is removed, so is the right to sign up to
    /// `floor`. A set named by the handoff to it is written again.
    pub(crate) fn remove_unreadable(
        &self,
        entries: &[Checked],
        floor: BlockNumber,
    ) -> Result<(), StoreError> {
        let mut writes: BTreeMap<Vec<u8>, Option<Vec<u8>>> =
            entries.iter().map(|one| (one.key.clone(), None)).collect();
        if entries
            .iter()
            .any(|one| [STATE, FLOOR].contains(&one.table))
        {
            writes.extend([entry(FLOOR, &[], &floor)]);
        }
        for id in self.sets_so_far()? {
            if self.set(id).is_err() {
                writes.extend(self.set_of_handoff(id));
            }
        }
        let writes: Vec<Write> = writes.into_iter().collect();
        self.tables.write(&writes)
    }

    /// Writes a set as named by the handoff to it.
    fn set_of_handoff(&self, id: SetId) -> Option<Write> {
        let handoff = self.handoff(id.checked_previous()?).ok()??;
        let set = handoff.commitment.next;
        (set.id == id).then(|| entry(SET, &id.get().to_le_bytes(), &set))
    }
}

fn read_state(bytes: &[u8]) -> Option<String> {
    State::from_bytes(bytes)
        .err()
        .map(|error| error.to_string())
}
