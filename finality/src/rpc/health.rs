//! Whether the node works as it should, and the evidence of contradictions. (ROUND-10)

use super::error::RpcError;
use crate::{evidence::Divergence, links::RpcLinks, store::StoreError};
use codec::Encode;
use duet_primitives::{BlockNumber, SetId, H256};
use serde::{Deserialize, Serialize};
use sp_core::Bytes;

/// A valid proof that contradicts what GRANDPA finalized on the node. (ROUND-10)
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Contradiction {
    /// The block number.
    pub block: BlockNumber,
    /// Hash of the block that GRANDPA finalized there on this node; nothing when it had none.
    pub finalized: Option<H256>,
    /// Hash of the block that the proof names.
    pub proven: H256,
    /// The set that signed.
    pub set_id: SetId,
    /// How many of its members did.
    pub signers: u32,
    /// Whether the operator knows of it and wants the node to vote all the same.
    pub acknowledged: bool,
    /// The proof: SCALE of `UncheckedJustification`.
    pub evidence: Bytes,
}

/// Whether the node works as it should.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Health {
    /// The highest block that Duet proved here, if there is one.
    pub best_proven: Option<BlockNumber>,
    /// The highest block that GRANDPA finalized here.
    pub finalized: BlockNumber,
    /// Whether the chain has a set that is to sign; nothing when that cannot be read. (ACTIVE-1, ACTIVE-3)
    pub active: Option<bool>,
    /// Whether this node votes: it has a key of the signing set, is not catching up, and no contradiction keeps it from
    /// voting.
    pub voting: bool,
    /// Why this node takes no part in Duet, if it does not: what it has stored and cannot read.
    pub stopped: Option<String>,
    /// The contradictions that this node knows of, in the order in which it found them: at most eight.
    pub diverged: Vec<Contradiction>,
}

impl Health {
    /// Of the node with these links. What is stored is shown, so that it is the same right after a restart.
    pub(crate) fn of(links: &RpcLinks) -> Result<Self, RpcError> {
        let RpcLinks {
            store,
            blocks,
            voting,
            activity,
            ..
        } = links;
        // What cannot be read is no reason to say nothing: that is what `stopped` is for.
        let stopped = voting.stopped();
        let best = readable(store.best(), &stopped)?;
        let diverged = readable(store.divergences(), &stopped)?.into_iter();
        Ok(Self {
            best_proven: best.map(|best| best.commitment.block_number),
            finalized: blocks.finalized().0,
            active: activity.get(),
            voting: voting.get(),
            stopped,
            diverged: diverged.map(Contradiction::from).collect(),
        })
    }
}

/// What is stored, or nothing where it cannot be read and the node says so.
fn readable<T: Default>(
    stored: Result<T, StoreError>,
    stopped: &Option<String>,
) -> Result<T, RpcError> {
    match stored {
        Err(StoreError::Corrupt { .. }) if stopped.is_some() => Ok(T::default()),
        stored => Ok(stored?),
    }
}

impl From<Divergence> for Contradiction {
    fn from(one: Divergence) -> Self {
        let Divergence {
            finalized,
            justification,
            acknowledged,
        } = one;
        let commitment = &justification.commitment;
        Self {
            block: commitment.block_number,
            finalized,
            proven: commitment.block_hash,
            set_id: commitment.validator_set_id,
            signers: justification.signers.count(),
            acknowledged,
            evidence: justification.encode().into(),
        }
    }
}
