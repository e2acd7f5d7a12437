//! From a chain's genesis to a final block, by what its GRANDPA voters signed. No sender is trusted.
//!
//! A chain that took Duet up later proves no set at its genesis, and a light client has to be told the hash of a block at which one
//! signs. GRANDPA's voters have signed such blocks: those of the genesis are in its state, and the last block of each set of voters
//! names the next one. [`Follower`] walks this way and ends at a final block, whose hash is a start block's. (WARP-1 to WARP-4)
//!
//! - [`GenesisProof`]: the voters of the genesis, proven by a storage proof against its header;
//! - [`WarpProof`]: what the SDK's nodes send each other to *warp sync*, the last block of each set with its justification;
//! - [`Follower`]: checks both, and knows the newest block that was proven.
//!
//! There is no I/O and no clock here. A proof carries no time, so the voters that signed it may have left long ago: what holds for
//! the sets of Duet from a genesis on holds here too.
//!
//! ```
//! use duet_light_client::decode;
//! use duet_light_warp::{testing::{warp_proof, TestGrandpa}, Follower, WarpProof};
//!
//! // A chain whose voters change twice before its newest block.
//! let chain = TestGrandpa::default();
//! let begin = Follower::begin(chain.genesis.hash, &chain.genesis_proof())?;
//!
//! // What a node sends.
//! let proof: WarpProof = decode(&warp_proof(&chain.fragments(), true))?;
//! let end = begin.follow(&proof)?;
//! assert_eq!((end.number().get(), end.set_id()), (12, 2));
//! assert_eq!(end.hash(), chain.blocks[2].hash);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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

mod error;
mod follower;
mod header;
mod justification;
mod proof;
#[cfg(feature = "testing")]
#[allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "for tests: no stranger's bytes reach it, and a panic is a failed test"
)]
pub mod testing;

pub use error::{JustificationError, WarpError};
pub use follower::{voters_key, Follower};
pub use proof::{GenesisProof, WarpProof};
