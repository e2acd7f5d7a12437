//! What a round came to.

use super::node::NodeReport;

/// What a round came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The honest nodes.
    pub nodes: Vec<NodeReport>,
    /// When the first of them had added up a proof; `None` when no threshold was reached.
    pub first_proof: Option<u64>,
    /// When the last of them had a proof; `None` when one has none.
    pub last_proof: Option<u64>,
    /// Links between an honest node and a garbage sender.
    pub garbage_links: u32,
    /// Those of them that were closed.
    pub closed_links: u32,
    /// Events that were simulated.
    pub events: u64,
}
