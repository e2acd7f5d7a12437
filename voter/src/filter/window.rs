//! The sets and blocks whose votes and proofs are needed now. (GOSSIP-2)

use super::key::Key;
use crate::verdict::Ignored;
use duet_primitives::{BlockNumber, DualKeyset, SetId};
use std::sync::Arc;

/// The voter's current needs: [`Voter::window`](crate::Voter::window).
#[derive(Clone, Debug, Default)]
pub struct Window {
    /// The set that signs; `None` until it is loaded.
    pub signing: Option<Accepted>,
    /// The set that takes over: peers may be ahead.
    pub next: Option<Accepted>,
    /// Blocks that were concluded here from votes and for which no peer has shown a proof yet: the
    /// first one is worth its check, because it ends the own wait to publish (ROUND-6) and because
    /// others may miss it.
    pub unpublished: Vec<Accepted>,
    /// Proven blocks whose proofs lack signers: votes of the missing signers are still useful here. (ROUND-9)
    pub late: Vec<Accepted>,
    /// The mandatory ones among them. Their votes are useful to all nodes, and forwarded.
    pub late_handoffs: Vec<Accepted>,
}

/// The blocks whose votes and proofs of one set are needed, both ends included; none when `lowest` is above
/// `highest`.
#[derive(Clone, Debug)]
pub struct Accepted {
    /// The set.
    pub set: Arc<DualKeyset>,
    /// The lowest block.
    pub lowest: BlockNumber,
    /// The highest block.
    pub highest: BlockNumber,
}

impl Accepted {
    pub(super) fn id(&self) -> SetId {
        self.set.keyset().id()
    }

    fn place(&self, block: BlockNumber) -> Result<(), Ignored> {
        if block < self.lowest {
            Err(Ignored::Stale {
                lowest: self.lowest,
                got: block,
            })
        } else if block > self.highest {
            Err(Ignored::Future {
                highest: self.highest,
                got: block,
            })
        } else {
            Ok(())
        }
    }
}

impl Window {
    pub(super) fn accepted(&self, id: SetId) -> Option<&Accepted> {
        let Self { signing, next, .. } = self;
        signing
            .iter()
            .chain(next)
            .find(|accepted| accepted.id() == id)
    }

    /// The window that an object about this block falls in, or why it is ignored.
    pub(super) fn place(&self, id: SetId, block: BlockNumber) -> Result<&Accepted, Ignored> {
        let signing = self.signing.as_ref().ok_or(Ignored::NotReady)?;
        let accepted = self.accepted(id).ok_or(Ignored::set(signing.id(), id))?;
        accepted.place(block).map(|()| accepted)
    }

    /// The block in the list of unpublished ones, if present.
    pub(super) fn unpublished(&self, id: SetId, block: BlockNumber) -> Option<&Accepted> {
        let mut unpublished = self.unpublished.iter();
        unpublished.find(|accepted| accepted.id() == id && accepted.place(block).is_ok())
    }

    /// The block, if it is one whose proof may grow.
    pub(super) fn late(&self, (id, block): Key) -> Option<&Accepted> {
        let mut late = self.late.iter().chain(&self.late_handoffs);
        late.find(|accepted| accepted.id() == id && accepted.place(block).is_ok())
    }

    /// Whether the block is a mandatory one whose proof may grow.
    pub(super) fn is_late_handoff(&self, (id, block): Key) -> bool {
        let mut late = self.late_handoffs.iter();
        late.any(|accepted| accepted.id() == id && accepted.place(block).is_ok())
    }

    /// Whether a round that was open is behind this window.
    pub(super) fn has_concluded(&self, (id, block): Key) -> bool {
        self.accepted(id)
            .is_none_or(|accepted| block < accepted.lowest)
    }
}
