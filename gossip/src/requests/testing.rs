//! Proofs in memory, for tests.

use crate::source::{HandoffProof, ProofSource, StartProof};
use duet_primitives::{Pk1Bytes, SetId, UncheckedJustification};
use std::convert::Infallible;

/// The handoff justifications of the sets from 0 on, with the keys of the sets that take over.
#[derive(Default)]
pub(crate) struct Stored {
    pub(crate) genesis: Option<StartProof>,
    pub(crate) handoffs: Vec<(UncheckedJustification, Vec<Pk1Bytes>)>,
}

impl Stored {
    fn from(&self, first_set: SetId, count: u32) -> &[(UncheckedJustification, Vec<Pk1Bytes>)] {
        let len = self.handoffs.len();
        let first = usize::try_from(first_set.get()).unwrap().min(len);
        let end = first.saturating_add(usize::try_from(count).unwrap());
        &self.handoffs[first..end.min(len)]
    }
}

impl ProofSource for Stored {
    type Error = Infallible;

    fn handoff_justifications(
        &self,
        first_set: SetId,
        count: u32,
    ) -> Result<Vec<UncheckedJustification>, Infallible> {
        let found = self.from(first_set, count).iter();
        Ok(found
            .map(|(justification, _)| justification.clone())
            .collect())
    }

    fn handoff_proofs(
        &self,
        first_set: SetId,
        count: u32,
    ) -> Result<Vec<HandoffProof>, Infallible> {
        let found = self.from(first_set, count).iter().cloned();
        Ok(found
            .map(|(justification, next_keys)| HandoffProof {
                justification,
                next_keys,
            })
            .collect())
    }

    fn first_set_proof(&self) -> Result<Option<StartProof>, Infallible> {
        Ok(self.genesis.clone())
    }
}
