//! How far the history is known: what is missing next, and what of a response is stored.

use super::verify::{begin, resume, verify, BackfillError, UnusableError, Verified};
use crate::{chain::Chain, metrics::Metrics, store::Store, store::StoreError};
use duet_gossip::{
    requests::history::HistoryPart,
    source::{GenesisProof, HandoffProof, ProofSource},
    LOG_TARGET,
};
use duet_light_client::{Checkpoint, Mode, Trusted};
use duet_primitives::{Justification, Keysets, SetId};
use std::sync::Arc;

/// How many stored handoffs are read before other work gets its turn.
const SKIP_BATCH: usize = 256;

/// Whether the proof of the first set is here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Genesis {
    /// It is stored.
    Proven,
    /// The chain did not start with Duet: nothing leads from its genesis to its sets.
    WithoutDuet,
    /// This node never had the state of the genesis: peers are asked.
    Unknown,
    /// The stored history is unusable.
    Unusable,
}

/// Which part of the history is still missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outlook {
    /// All of it is here.
    Complete,
    /// There is nothing to fetch: the chain did not start with Duet, or the stored history is unusable.
    Impossible,
    /// Not all stored handoffs have been read yet.
    Unclear,
    /// This is missing, and what comes after it.
    Missing(HistoryPart),
    /// The handoff of this set is missing, and may never have been: a reset came after it. (RESET-5)
    BeforeReset {
        /// The set whose handoff is missing.
        set: SetId,
        /// The set that the reset started.
        behind: SetId,
    },
}

/// What became of a handoff that holds.
pub(crate) enum Taken {
    /// It is stored.
    Stored,
    /// Its block is not final here yet, so that it cannot be compared. (REQ-5)
    NotFinal(Box<Justification>),
}

/// How far the history is known.
pub(crate) struct Progress {
    chain: Arc<Chain>,
    store: Store,
    metrics: Metrics,
    genesis: Genesis,
    /// The handoffs of all sets below this one are here.
    next: SetId,
    /// What they lead to, while there is something to check.
    trusted: Option<Trusted>,
}

impl Progress {
    pub(crate) fn new(chain: Arc<Chain>, store: Store, metrics: Metrics) -> Self {
        Self {
            chain,
            store,
            metrics,
            genesis: Genesis::Unknown,
            next: SetId::new(0),
            trusted: None,
        }
    }

    /// Makes the proof that light clients start from while the genesis state is there: at the first start. Returns
    /// whether peers have to be asked for it.
    pub(crate) fn prove_genesis(&mut self) -> Result<bool, StoreError> {
        self.genesis = if self.store.genesis_proof()?.is_some() {
            Genesis::Proven
        } else {
            match self.chain.prove_genesis() {
                Ok(Some(proof)) => {
                    self.store.put_genesis_proof(&proof)?;
                    Genesis::Proven
                }
                Ok(None) => {
                    log::debug!(target: LOG_TARGET, "the chain did not start with Duet");
                    Genesis::WithoutDuet
                }
                Err(error) => {
                    // A client that starts by warp sync never writes it.
                    log::info!(
                        target: LOG_TARGET,
                        "the state of the genesis is not here ({error}): peers will be asked for the proof of the first set",
                    );
                    Genesis::Unknown
                }
            }
        };
        Ok(self.genesis == Genesis::Unknown)
    }

    /// The set whose handoff is next.
    pub(crate) fn next(&self) -> SetId {
        self.next
    }

    /// What is missing below the set that signs.
    pub(crate) fn outlook(&mut self, signing: SetId) -> Result<Outlook, StoreError> {
        match self.genesis {
            Genesis::WithoutDuet | Genesis::Unusable => return Ok(Outlook::Impossible),
            Genesis::Unknown => return Ok(Outlook::Missing(HistoryPart::Genesis)),
            Genesis::Proven => {}
        }
        for _ in 0..SKIP_BATCH {
            if self.next >= signing {
                self.trusted = None;
                return Ok(Outlook::Complete);
            }
            if self.store.handoff(self.next)?.is_some() {
                self.next = after(self.next);
                continue;
            }
            let set = self.next;
            let reset = self
                .store
                .reset_after(set, |number| self.chain.finalized_at(number))?;
            match reset {
                // No handoff leads across a reset. (RESET-5)
                Some(reset) if reset.ended <= set => self.skip_to(reset.set.id),
                Some(reset) => {
                    let behind = reset.set.id;
                    return Ok(Outlook::BeforeReset { set, behind });
                }
                None => return Ok(Outlook::Missing(HistoryPart::Handoffs(set))),
            }
        }
        Ok(Outlook::Unclear)
    }

    /// Goes on at the set that a reset started.
    pub(crate) fn skip_to(&mut self, set: SetId) {
        self.next = set;
        self.trusted = None;
    }

    /// Checks the proof of the first set, and stores it.
    pub(crate) fn take_genesis(&mut self, proof: &GenesisProof) -> Result<(), BackfillError> {
        let trusted = Trusted::from_genesis(self.chain.genesis_hash(), proof, Mode::Full)?;
        self.store.put_fetched_genesis(proof, trusted.signing())?;
        self.genesis = Genesis::Proven;
        self.trusted = Some(trusted);
        Ok(())
    }

    /// Checks the next handoff, and stores it.
    pub(crate) fn take_handoff(&mut self, proof: HandoffProof) -> Result<Taken, BackfillError> {
        let set = self.next;
        if self.store.handoff(set)?.is_none() {
            if let Taken::NotFinal(early) = self.verify_and_store(set, proof)? {
                return Ok(Taken::NotFinal(early));
            }
        }
        // If it was stored already, this node has its own from here on.
        self.next = after(set);
        Ok(Taken::Stored)
    }

    fn verify_and_store(
        &mut self,
        set: SetId,
        proof: HandoffProof,
    ) -> Result<Taken, BackfillError> {
        let trusted = self.trusted_at(set)?;
        let Verified {
            trusted,
            justification,
        } = verify(&trusted, set, proof.clone())?;
        if self.contradicts(&justification)? {
            return Err(BackfillError::Contradiction(Box::new(justification)));
        }
        if justification.commitment().block_number > self.chain.finalized().0 {
            return Ok(Taken::NotFinal(Box::new(justification)));
        }
        self.store.put_fetched(&proof)?;
        self.metrics.history_stored.inc();
        self.trusted = Some(trusted);
        Ok(Taken::Stored)
    }

    /// What the handoffs below `set` lead to: kept from the last one, or made from what is stored.
    fn trusted_at(&mut self, set: SetId) -> Result<Trusted, BackfillError> {
        let kept = self.trusted.take();
        if let Some(kept) = kept.filter(|kept| kept.latest_set().id == set || set == SetId::new(0))
        {
            return Ok(kept);
        }
        let made = match set.checked_previous() {
            None => match self.store.genesis_proof()? {
                Some(proof) => Trusted::from_genesis(self.chain.genesis_hash(), &proof, Mode::Full)
                    .map_err(UnusableError::Rule),
                None => Err(UnusableError::Absent),
            },
            Some(before) => match self.store.handoff_proof(before)? {
                Some(before) => resume(self.chain.genesis_hash(), before),
                None => self.begin_at_reset(set)?,
            },
        };
        made.map_err(|error| {
            self.genesis = Genesis::Unusable;
            BackfillError::Unusable {
                set,
                error: Box::new(error),
            }
        })
    }

    /// What is trusted at a set that a reset of this node's finalized chain started. (RESET-5)
    fn begin_at_reset(&self, set: SetId) -> Result<Result<Trusted, UnusableError>, StoreError> {
        let reset = self
            .store
            .reset_to(set, |number| self.chain.finalized_at(number))?;
        let Some(reset) = reset else {
            return Ok(Err(UnusableError::Absent));
        };
        let Some(keys) = self.store.key_halves(&reset.set)? else {
            return Ok(Err(UnusableError::Absent));
        };
        let checkpoint = Checkpoint {
            genesis_hash: self.chain.genesis_hash(),
            block_number: reset.block,
            block_hash: reset.hash,
            keysets: Keysets::without_successor(reset.set),
        };
        Ok(begin(checkpoint, &keys))
    }

    /// REQ-5: whether a proof that holds names another block or another set than GRANDPA finalized here.
    fn contradicts(&self, justification: &Justification) -> Result<bool, StoreError> {
        let commitment = justification.commitment();
        let known = self.store.set(commitment.next.id)?;
        if known.is_some_and(|known| known != commitment.next) {
            return Ok(true);
        }
        // Where the old block is not here yet, `review` compares later.
        let finalized = self.chain.finalized_at(commitment.block_number);
        Ok(finalized.is_some_and(|hash| hash != commitment.block_hash))
    }
}

/// The set after this one. There is no set after the largest.
fn after(set: SetId) -> SetId {
    set.checked_next().unwrap_or(set)
}
