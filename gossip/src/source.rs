//! What gossip and requests need of the node: the proofs that it serves to others, and what it knows to be final.

use duet_primitives::{SetId, UncheckedJustification};
use sc_network_types::PeerId;

pub use duet_light_client::{HandoffProof, StartProof};

/// Finds stored proofs for the [request server](crate::requests::Server). What it returns was checked before it
/// was stored.
pub trait ProofSource: Send + Sync {
    /// Why the store gave no answer; the peer that asked is not to blame.
    type Error: std::error::Error + Send + Sync + 'static;

    /// The handoff justifications of `first_set` and the sets after it, in order, up to `count` of them or up to
    /// the first that is not stored.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn handoff_justifications(
        &self,
        first_set: SetId,
        count: u32,
    ) -> Result<Vec<UncheckedJustification>, Self::Error>;

    /// The same with the keys of the sets that take over, and in at most 1 MiB; one at least when there is one.
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

/// Takes finality proofs that contradict what this node knows to be final. (ROUND-10)
pub trait Watch: Send + Sync {
    /// Takes what a peer sent if it names another block than is final here at its height, whatever its signature is
    /// worth: it is evidence, or its sender is to blame. Says whether it did; then it is neither checked nor kept nor
    /// relayed as a proof.
    ///
    /// Cost: a look-up in the database. The engine waits for it.
    fn takes(&self, sender: &PeerId, justification: &UncheckedJustification) -> bool;
}
