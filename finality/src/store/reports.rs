//! The evidence that is not yet on the finalized chain.

use super::{
    tables::{entry, key, Tables},
    Store, StoreError,
};
use codec::{Decode, Encode};
use duet_gossip::LOG_TARGET;
use parking_lot::Mutex;
use std::{marker::PhantomData, sync::Arc};

/// The most evidence of one kind. Each is about another validator or another block.
const MOST: usize = 1_024;

/// Evidence that can be stored until it is reported.
pub(crate) trait Entry: Encode + Decode {
    /// The table of the evidence by subject.
    const ENTRY: &'static str;
    /// The list of the stored evidence's subjects.
    const LIST: &'static str;

    /// The type of subjects: there is one entry per subject.
    type Id: Encode + Decode + PartialEq;

    /// The subject.
    fn id(&self) -> Self::Id;

    /// The name for the log.
    fn describe(&self) -> String;
}

/// Unreported evidence of one kind. Clones share it.
pub(crate) struct ReportBook<R> {
    tables: Tables,
    /// The list and the evidence are written together, by one writer at a time.
    writing: Arc<Mutex<()>>,
    _kind: PhantomData<fn(R)>,
}

impl<R> Clone for ReportBook<R> {
    fn clone(&self) -> Self {
        Self {
            tables: self.tables.clone(),
            writing: self.writing.clone(),
            _kind: PhantomData,
        }
    }
}

impl<R: Entry> ReportBook<R> {
    pub(crate) fn new(store: &Store) -> Self {
        Self {
            tables: store.tables.clone(),
            writing: Arc::default(),
            _kind: PhantomData,
        }
    }

    /// All evidence, the oldest first.
    pub(crate) fn all(&self) -> Result<Vec<R>, StoreError> {
        let ids = self.ids()?;
        let found: Result<Vec<_>, _> = ids
            .iter()
            .map(|id| self.tables.get(R::ENTRY, &id.encode()))
            .collect();
        Ok(found?.into_iter().flatten().collect())
    }

    /// The number of entries.
    pub(crate) fn len(&self) -> Result<u64, StoreError> {
        Ok(u64::try_from(self.ids()?.len()).unwrap_or(u64::MAX))
    }

    /// Stores evidence, unless its subject already has some or too much waits, which is logged. Returns whether it did.
    pub(crate) fn put(&self, evidence: &R) -> Result<bool, StoreError> {
        let _writing = self.writing.lock();
        let (id, mut ids) = (evidence.id(), self.ids()?);
        if ids.contains(&id) {
            return Ok(false);
        }
        if ids.len() >= MOST {
            log::error!(
                target: LOG_TARGET,
                "{} is not reported: {MOST} others wait to be reported",
                evidence.describe(),
            );
            return Ok(false);
        }
        let key = id.encode();
        ids.push(id);
        let entries = [entry(R::ENTRY, &key, evidence), entry(R::LIST, &[], &ids)];
        self.tables.write(&entries)?;
        Ok(true)
    }

    /// Removes evidence.
    pub(crate) fn remove(&self, evidence: &R) -> Result<(), StoreError> {
        let _writing = self.writing.lock();
        let (id, mut ids) = (evidence.id(), self.ids()?);
        ids.retain(|other| *other != id);
        self.tables.write(&[
            (key(R::ENTRY, &id.encode()), None),
            entry(R::LIST, &[], &ids),
        ])
    }

    fn ids(&self) -> Result<Vec<R::Id>, StoreError> {
        Ok(self.tables.get(R::LIST, &[])?.unwrap_or_default())
    }
}
