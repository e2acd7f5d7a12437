//! The node's health, and the evidence of contradictions. (ROUND-10)

use super::error::RpcError;
use crate::{evidence::Divergence, links::RpcLinks, store::StoreError};
use codec::Encode;
use duet_primitives::{BlockNumber, SetId, H256};
use serde::{Deserialize, Serialize};
use sp_core::Bytes;

/// A valid proof that contradicts GRANDPA's finality on the node. (ROUND-10)
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Contradiction {
    /// The block number.
    pub block: BlockNumber,
    /// Hash of the block that GRANDPA finalized there on this node; `None` if there was none.
    pub finalized: Option<H256>,
    /// Hash of the block in the proof.
    pub proven: H256,
    /// The set that signed.
    pub set_id: SetId,
    /// The number of its members who signed.
    pub signers: u32,
    /// Whether the operator acknowledged it, so that the node votes all the same.
    pub acknowledged: bool,
    /// The proof: SCALE of `UncheckedJustification`.
    pub evidence: Bytes,
}

/// The node's health.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Health {
    /// The highest block that Duet proved here, if any.
    pub best_proven: Option<BlockNumber>,
    /// Seconds since the time of that block, by this node's clock; `None` when its state is pruned or has no time, and from
    /// nodes that do not say.
    #[serde(default)]
    pub best_proven_age: Option<u64>,
    /// The highest block that GRANDPA finalized here.
    pub finalized: BlockNumber,
    /// Whether the chain has a set that is to sign; `None` when that cannot be read. (ACTIVE-1, ACTIVE-3)
    pub active: Option<bool>,
    /// Whether this node votes: it has a key of the signing set, is not catching up, and no contradiction stops it.
    pub voting: bool,
    /// Why this node takes no part in Duet, if so: the stored entry that it cannot read.
    pub stopped: Option<String>,
    /// The contradictions known to this node, in order of discovery: at most eight.
    pub diverged: Vec<Contradiction>,
}

impl Health {
    /// The health of the node with these links. Shows stored data, so that it is the same right after a restart.
    pub(crate) fn of(links: &RpcLinks) -> Result<Self, RpcError> {
        let RpcLinks {
            store,
            blocks,
            voting,
            activity,
            ..
        } = links;
        // Unreadable data must not suppress the answer: `stopped` reports it.
        let stopped = voting.stopped();
        let best = readable(store.best(), &stopped)?;
        let diverged = readable(store.divergences(), &stopped)?.into_iter();
        Ok(Self {
            best_proven: best.map(|best| best.commitment.block_number),
            best_proven_age: activity.age(),
            finalized: blocks.finalized().0,
            active: activity.get(),
            voting: voting.get(),
            stopped,
            diverged: diverged.map(Contradiction::from).collect(),
        })
    }
}

/// The stored value, or `None` if it is unreadable and the node reports that.
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
