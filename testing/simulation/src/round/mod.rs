//! One round: from the first vote to the last node that has a proof.
//!
//! A node's connection is one queue in and one out. One task, the engine, looks at what arrives, in its order: what is
//! known is dropped after a look-up, everything else waits. A few threads take what waits, and check votes on the
//! node's own commitment together. Good votes go to all peers that are not known to have them, over links with
//! back-pressure; a bad one costs its sender reputation until the link is closed. Another task, the voter, adds up the
//! votes when a threshold is there.

mod event;
mod footprint;
mod link;
mod node;
mod noted;
mod outcome;
mod pending;
mod proving;
mod receiving;
mod running;
mod sending;
mod setup;
mod waiting;

pub use node::NodeReport;
pub use outcome::Outcome;
pub use setup::Round;

use running::Running;

impl Round<'_> {
    /// Runs the round.
    pub fn run(&self) -> Outcome {
        let mut running = Running::new(*self);
        running.start();
        while let Some((at, what)) = running.next() {
            running.handle(at, what);
        }
        running.outcome()
    }
}
