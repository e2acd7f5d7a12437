//! The progress of the history: the next missing part, and the storing of responses.

use super::verify::{begin, resume, verify, BackfillError, UnusableError, Verified};
use crate::{
    chain::{error::ChainError, Chain},
    metrics::Metrics,
    store::{Store, StoreError},
};
use duet_gossip::{
    requests::history::HistoryPart,
    source::{HandoffProof, ProofSource, StartProof},
    LOG_TARGET,
};
use duet_light_client::{Checkpoint, Mode, Trusted};
use duet_primitives::{BlockNumber, Justification, Keysets, SetId};
use duet_voter::Era;
use std::sync::Arc;

/// The number of stored handoffs read before other work gets its turn.
const SKIP_BATCH: usize = 256;

/// Whether the proof of the first set is available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FirstSet {
    /// It is stored.
    Proven,
    /// The genesis has no set: the chain adopts Duet later, or did, in a block whose state this node may have.
    Later,
    /// This node lacks the state for the proof: peers are asked.
    Unknown,
    /// The stored history is unusable.
    Unusable,
}

/// The missing part of the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outlook {
    /// All of it is here.
    Complete,
    /// There is nothing to fetch: the stored history is unusable.
    Impossible,
    /// Some stored handoffs have not been read yet.
    Unclear,
    /// This part is missing, and the parts after it.
    Missing(HistoryPart),
    /// This set's handoff is missing, and may never have existed: a reset came after it. (RESET-5)
    BeforeReset {
        /// The set whose handoff is missing.
        set: SetId,
        /// The set that the reset started.
        behind: SetId,
    },
}

/// The result of storing a valid handoff.
pub(crate) enum Taken {
    /// It is stored.
    Stored,
    /// Its block is not final here yet, so it cannot be compared. (REQ-5)
    NotFinal(Box<Justification>),
}

/// The progress of the history.
pub(crate) struct Progress {
    chain: Arc<Chain>,
    store: Store,
    metrics: Metrics,
    first_set: FirstSet,
    /// The handoffs of all sets below this one are available.
    next: SetId,
    /// The trusted state after them, while there is something to check.
    trusted: Option<Trusted>,
}

impl Progress {
    pub(crate) fn new(chain: Arc<Chain>, store: Store, metrics: Metrics) -> Self {
        Self {
            chain,
            store,
            metrics,
            first_set: FirstSet::Unknown,
            next: SetId::new(0),
            trusted: None,
        }
    }

    /// Makes the starting proof for light clients while the genesis state is available: at the first start. Returns
    /// whether peers have to be asked for it.
    pub(crate) fn prove_genesis(&mut self) -> Result<bool, StoreError> {
        self.first_set = if self.has_first_set_proof()? {
            FirstSet::Proven
        } else {
            match self.chain.prove_genesis() {
                Ok(Some(proof)) => {
                    self.store.put_first_set_proof(&proof)?;
                    FirstSet::Proven
                }
                Ok(None) => {
                    log::debug!(target: LOG_TARGET, "the chain did not start with Duet");
                    FirstSet::Later
                }
                Err(error) => {
                    // A client that starts by warp sync never writes it.
                    log::info!(
                        target: LOG_TARGET,
                        "the genesis state is not available ({error}): peers will be asked for the proof of the first set",
                    );
                    FirstSet::Unknown
                }
            }
        };
        Ok(self.first_set == FirstSet::Unknown)
    }

    /// Whether the proof is stored. A damaged proof, or an earlier version's that proves too little, is dropped:
    /// clients would refuse it.
    fn has_first_set_proof(&self) -> Result<bool, StoreError> {
        let Some(proof) = self.store.first_set_proof()? else {
            return Ok(false);
        };
        let Err(error) = proof.keysets() else {
            return Ok(true);
        };
        log::info!(
            target: LOG_TARGET,
            "light clients cannot use the stored proof of the first set, so it is dropped: {error}",
        );
        self.store.drop_first_set_proof()?;
        Ok(false)
    }

    /// Makes that proof on a chain that adopted Duet later, if the first set still signs, and the state in which it
    /// began is available: soon after it began.
    fn prove_founding(&mut self, signing: &Era) -> Result<(), StoreError> {
        let proof = signing.start.map(|block| self.chain.prove_founding(block));
        self.first_set = match proof {
            Some(Ok(Some(proof))) => {
                self.store.put_first_set_proof(&proof)?;
                FirstSet::Proven
            }
            Some(Err(ChainError::Store(error))) => return Err(error),
            proof => {
                log::info!(
                    target: LOG_TARGET,
                    "the state in which the first set began is not available{}: peers will be asked for the proof of that set",
                    proof.and_then(Result::err).map_or_else(String::new, |error| format!(" ({error})")),
                );
                FirstSet::Unknown
            }
        };
        Ok(())
    }

    /// The set with the next handoff.
    pub(crate) fn next(&self) -> SetId {
        self.next
    }

    /// The missing part below the signing set.
    pub(crate) fn outlook(&mut self, signing: &Era) -> Result<Outlook, StoreError> {
        if self.first_set == FirstSet::Later {
            self.prove_founding(signing)?;
        }
        match self.first_set {
            FirstSet::Unusable => return Ok(Outlook::Impossible),
            FirstSet::Later | FirstSet::Unknown => {
                return Ok(Outlook::Missing(HistoryPart::Genesis))
            }
            FirstSet::Proven => {}
        }
        for _ in 0..SKIP_BATCH {
            if self.next >= signing.set.id {
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

    /// Continues at the set that a reset started.
    pub(crate) fn skip_to(&mut self, set: SetId) {
        self.next = set;
        self.trusted = None;
    }

    /// Checks the proof of the first set, and stores it. Returns whether it could be checked: its block may be missing.
    pub(crate) fn take_first_set(&mut self, proof: &StartProof) -> Result<bool, BackfillError> {
        let genesis_hash = self.chain.genesis_hash();
        let number = proof.block_number().unwrap_or(BlockNumber::ZERO);
        let Some(block_hash) = self.chain.finalized_at(number) else {
            return Ok(false);
        };
        let trusted = Trusted::from_start(genesis_hash, block_hash, proof, Mode::Full)?;
        if block_hash != genesis_hash {
            match self.chain.founds_first_set(number) {
                Ok(true) => {}
                Ok(false) => return Err(BackfillError::NotTheFirstSet { block: number }),
                Err(error) => {
                    log::debug!(target: LOG_TARGET, "block {number} cannot be read: {error}");
                    return Ok(false);
                }
            }
        }
        self.store.put_fetched_first_set(proof, trusted.signing())?;
        self.first_set = FirstSet::Proven;
        self.trusted = Some(trusted);
        Ok(true)
    }

    /// Checks the next handoff, and stores it.
    pub(crate) fn take_handoff(&mut self, proof: HandoffProof) -> Result<Taken, BackfillError> {
        let set = self.next;
        if self.store.handoff(set)?.is_none() {
            if let Taken::NotFinal(early) = self.verify_and_store(set, proof)? {
                return Ok(Taken::NotFinal(early));
            }
        }
        // If it was already stored, this node has its own handoffs from here on.
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

    /// The trusted state after the handoffs below `set`: kept from the last one, or rebuilt from the store.
    fn trusted_at(&mut self, set: SetId) -> Result<Trusted, BackfillError> {
        let kept = self.trusted.take();
        if let Some(kept) = kept.filter(|kept| kept.latest_set().id == set || set == SetId::new(0))
        {
            return Ok(kept);
        }
        let made = match set.checked_previous() {
            None => match self.store.first_set_proof()? {
                // It was checked before it was stored, and by this node's own chain.
                Some(proof) => {
                    let genesis_hash = self.chain.genesis_hash();
                    Trusted::from_start(genesis_hash, proof.block_hash(), &proof, Mode::Full)
                        .map_err(UnusableError::Rule)
                }
                None => Err(UnusableError::Absent),
            },
            Some(before) => match self.store.handoff_proof(before)? {
                Some(before) => resume(self.chain.genesis_hash(), before),
                None => self.begin_at_reset(set)?,
            },
        };
        made.map_err(|error| {
            self.first_set = FirstSet::Unusable;
            BackfillError::Unusable {
                set,
                error: Box::new(error),
            }
        })
    }

    /// The trusted state at a set started by a reset of this node's finalized chain. (RESET-5)
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

    /// REQ-5: whether a valid proof names another block, payload or set than GRANDPA finalized here.
    fn contradicts(&self, justification: &Justification) -> Result<bool, StoreError> {
        let commitment = justification.commitment();
        let known = self.store.set(commitment.next.id)?;
        if known.is_some_and(|known| known != commitment.next) {
            return Ok(true);
        }
        // If the old block is still missing here, `review` compares later.
        Ok(self.chain.contradicts(commitment) == Some(true))
    }
}

/// The set after this one. There is no set after the largest.
fn after(set: SetId) -> SetId {
    set.checked_next().unwrap_or(set)
}
