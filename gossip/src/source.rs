//! The node's interface for gossip and requests: the proofs that it serves, and the blocks that it knows to be final.

use duet_primitives::{SetId, UncheckedJustification};
use sc_network_types::PeerId;

pub use duet_light_client::{HandoffProof, StartProof};

/// Finds stored proofs for the [request server](crate::requests::Server). The returned proofs were checked before
/// they were stored.
pub trait ProofSource: Send + Sync {
    /// Why the store failed; the requesting peer is not to blame.
    type Error: std::error::Error + Send + Sync + 'static;

    /// The handoff justifications of `first_set` and the sets after it, in order, up to `count` of them or up to the
    /// first missing one.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn handoff_justifications(
        &self,
        first_set: SetId,
        count: u32,
    ) -> Result<Vec<UncheckedJustification>, Self::Error>;

    /// The same with the keys of the next sets, in at most 1 MiB; at least one entry if there is one.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn handoff_proofs(
        &self,
        first_set: SetId,
        count: u32,
    ) -> Result<Vec<HandoffProof>, Self::Error>;

    /// The proof of the first set; `None` when it is not stored.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn first_set_proof(&self) -> Result<Option<StartProof>, Self::Error>;
}

/// Takes finality proofs that contradict this node's final blocks. (ROUND-10)
pub trait Watch: Send + Sync {
    /// Takes a peer's proof of a block in the voter's window if it names another block than the final one at its
    /// height, whatever its signature is worth: the proof is evidence, or its sender is to blame. Returns whether it
    /// took the proof, which is then neither checked nor kept nor relayed as a proof.
    ///
    /// Cost: a look-up in the database, for which the engine waits.
    fn takes(&self, sender: &PeerId, justification: &UncheckedJustification) -> bool;

    /// Shows a peer's proof that the voter does not need, perhaps of an old block. It is compared later: a stranger
    /// chose the block, so the engine does not wait for the look-up.
    fn shows(&self, sender: &PeerId, justification: &UncheckedJustification);
}
