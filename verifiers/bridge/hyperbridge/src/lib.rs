//! Hyperbridge's consensus client for chains that Duet finalizes.
//!
//! [`DuetConsensusClient`] implements [`ConsensusClient`](ismp::consensus::ConsensusClient). Its trusted state is a
//! [`Checkpoint`](duet_light_client::Checkpoint) in SCALE, and its proof a [`ConsensusProof`]. `duet-light-client`
//! verifies the proof; this crate adds the header's state root, timestamp and overlay root.

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
mod digest;
mod error;
mod proof;

pub use client::{DuetConsensusClient, CONSENSUS_CLIENT_ID};
pub use error::Error;
pub use proof::{ConsensusProof, MAX_HANDOFFS, MAX_PROOF_LEN, MAX_STATE_LEN};
