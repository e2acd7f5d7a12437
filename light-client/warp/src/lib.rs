//! From a chain's genesis to a final block, by its GRANDPA voters' signatures. No sender is trusted.
//!
//! A chain that adopted Duet later proves no set at its genesis: a light client needs the hash of a block with one.
//! GRANDPA's voters have signed such blocks. The state of the genesis has the first voters, and the last block of each
//! set of voters names the next. [`Follower`] walks this way to a final block, which can be the start block. (WARP-1 to
//! WARP-4)
//!
//! - [`GenesisProof`]: the voters of the genesis, proven by a storage proof against its header;
//! - [`WarpProof`]: the SDK's message for *warp sync*, the last block of each set with its justification;
//! - [`Follower`]: checks both, and knows the newest proven block.
//!
//! There is no I/O and no clock here. A proof carries no time, so its voters may have left long ago, as with Duet's
//! sets from a genesis on.
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
