//! Hyperbridge's consensus client for chains that Duet finalizes.
//!
//! [`DuetConsensusClient`] implements [`ConsensusClient`](ismp::consensus::ConsensusClient). Its trusted state is a
//! [`Checkpoint`](duet_light_client::Checkpoint) in SCALE, with a recovery behind it while there is one, and its proof an
//! [`Update`]. `duet-light-client` verifies the proof; this crate adds the header's state root, timestamp and overlay
//! root.

// Strangers' bytes reach this crate: outside tests, what may panic or overflow is refused.
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]
#![no_std]

extern crate alloc;

mod client;
mod clock;
mod digest;
mod error;
mod proof;
mod recovery;
mod state;

pub use client::{DuetConsensusClient, CONSENSUS_CLIENT_ID};
pub use clock::Clock;
pub use error::Error;
pub use proof::{Announcement, ConsensusProof, Update, MAX_HANDOFFS, MAX_PROOF_LEN};
pub use recovery::recovery_keys;
pub use state::MAX_STATE_LEN;
