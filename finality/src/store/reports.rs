//! The evidence that is not on the finalized chain yet.

use super::{
    tables::{entry, key, Tables},
    Store, StoreError,
};
use duet_gossip::LOG_TARGET;
use duet_primitives::{BlockNumber, EquivocationProof, SetId, SignerIndex};
use parking_lot::Mutex;
use std::sync::Arc;

/// The evidence by what it is about.
const REPORT: &str = "report";
/// What the evidence is about that is stored.
const REPORTS: &str = "reports";

/// The most evidence that is kept. Each is about another validator or another block.
const MOST: usize = 1_024;

/// What evidence is about: there is one report of a validator and a block.
type Id = (SetId, SignerIndex, BlockNumber);

/// Evidence that is to be reported. Cheap to clone; clones see the same.
#[derive(Clone)]
pub(crate) struct ReportBook {
    tables: Tables,
    /// The list and the evidence are written together, by one writer at a time.
    writing: Arc<Mutex<()>>,
}

impl ReportBook {
    pub(crate) fn new(store: &Store) -> Self {
        Self {
            tables: store.tables.clone(),
            writing: Arc::default(),
        }
    }

    /// All evidence, the oldest first.
    pub(crate) fn all(&self) -> Result<Vec<EquivocationProof>, StoreError> {
        let ids = self.ids()?;
        let found: Result<Vec<_>, _> = ids
            .iter()
            .map(|id| self.tables.get(REPORT, &bytes(id)))
            .collect();
        Ok(found?.into_iter().flatten().collect())
    }

    /// How much there is.
    pub(crate) fn len(&self) -> Result<u64, StoreError> {
        Ok(u64::try_from(self.ids()?.len()).unwrap_or(u64::MAX))
    }

    /// Stores evidence, unless there is some about the same already or too much waits, which is logged.
    pub(crate) fn put(&self, evidence: &EquivocationProof) -> Result<(), StoreError> {
        let _writing = self.writing.lock();
        let (id, mut ids) = (id(evidence), self.ids()?);
        if ids.contains(&id) {
            return Ok(());
        }
        if ids.len() >= MOST {
            log::error!(
                target: LOG_TARGET,
                "the equivocation of {} is not reported: {MOST} others wait to be reported",
                evidence.key,
            );
            return Ok(());
        }
        ids.push(id);
        self.tables.write(&[
            entry(REPORT, &bytes(&id), evidence),
            entry(REPORTS, &[], &ids),
        ])
    }

    /// Removes evidence.
    pub(crate) fn remove(&self, evidence: &EquivocationProof) -> Result<(), StoreError> {
        let _writing = self.writing.lock();
        let (id, mut ids) = (id(evidence), self.ids()?);
        ids.retain(|other| *other != id);
        self.tables
            .write(&[(key(REPORT, &bytes(&id)), None), entry(REPORTS, &[], &ids)])
    }

    fn ids(&self) -> Result<Vec<Id>, StoreError> {
        Ok(self.tables.get(REPORTS, &[])?.unwrap_or_default())
    }
}

fn id(evidence: &EquivocationProof) -> Id {
    let commitment = &evidence.first.0;
    (
        commitment.validator_set_id,
        evidence.signer,
        commitment.block_number,
    )
}

fn bytes((set, signer, block): &Id) -> Vec<u8> {
    [
        &set.get().to_le_bytes()[..],
        &signer.get().to_le_bytes(),
        &block.get().to_le_bytes(),
    ]
    .concat()
}
