//! Follows Duet finality from one trusted state. No sender is trusted.
//!
//! A [`Trusted`] state is made from a chain's genesis hash, from the hash of a later block, from a checkpoint, or by
//! verification, and in no other way. Bytes from a server are decoded with [`decode`] and given to
//! [`verify`](fn@verify), which returns the next trusted state or the first broken rule. An [`Error`] has the broken
//! rule ([`Error::rule`]), the culprit ([`Error::culprit`]) and the next step ([`Error::next_step`]).
//!
//! - [`start`]: the set that signs at the genesis or at another block, proven by a storage proof against the block's header
//!   (LIGHT-1 to LIGHT-3);
//! - [`verify`](fn@verify): one proof after another, set by set (LIGHT-4 to LIGHT-6); [`verify_prefix`] for many;
//! - [`Mode::Full`] keeps the keys of the sets, [`Mode::Stateless`] only their commitments; both give the same
//!   verdicts;
//! - [`Trusted::best_block`]: the newest block, under which [`FinalBlock::header`], [`FinalHeader::read`],
//!   [`BlockProof::check`] and [`FinalHeader::body`] verify its header, its state, older blocks and the transactions
//!   in them (STATE-1 to STATE-4);
//! - [`Trusted::announce`] and [`Trusted::cross`]: a reset is crossed by a recovery proof, after a wait (RECOVER-7, RECOVER-8);
//! - [`Misbehaviour`]: two valid proofs that contradict each other, which is the end of the chain's finality.
//!
//! There is no I/O, no clock and no randomness here: the caller decides whom to ask and when to give up.
//!
//! A proof carries no time, and [`verify`](fn@verify) checks no age: the caller has the clock. It proves the time of the newest
//! block from the chain's state, keeps it with [`Trusted::with_date`], and asks [`Dated::check`] before each proof (LIGHT-9).
//!
//! ```
//! use duet_light_client::{Checkpoint, Mode, Outcome, Trusted, Update};
//! use duet_primitives::{testing::TestSet, BlockNumber, Keysets, RoundMessage, SetId, H256};
//!
//! // A set of four, what a user trusts of it, and a proof by three of them for block 7.
//! let set = TestSet::new(0, 0..4);
//! let commitment = set.set.commitment().clone();
//! let checkpoint = Checkpoint {
//!     genesis_hash: H256::repeat_byte(1),
//!     block_number: BlockNumber::ZERO,
//!     block_hash: H256::repeat_byte(1),
//!     keysets: Keysets { current: commitment.clone(), next: commitment },
//! };
//! let message = RoundMessage::new(checkpoint.genesis_hash, set.commitment(7, &set.set));
//! let proof = set.justify(&message, [0, 1, 3]).into_unchecked();
//!
//! // Its keys are checked against the checkpoint, then the proof against the keys.
//! let trusted = Trusted::from_checkpoint(checkpoint, Mode::Full)?;
//! let trusted = trusted.with_keys(SetId::new(0), &set.set.keyset().key_bytes())?;
//! let Outcome::New(verified) = trusted.verify(Update::Justification(proof))? else {
//!     panic!("block 7 is new");
//! };
//! assert_eq!(verified.trusted.best_number(), BlockNumber::new(7));
//! assert_eq!((verified.signers(), verified.set_len), (3, 4));
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
#![no_std]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod age;
mod announced;
mod block;
mod body;
mod checkpoint;
mod digest;
mod error;
mod hashers;
mod header;
pub mod history;
mod misbehaviour;
mod recovery;
mod reset;
mod rules;
pub mod start;
mod state;
mod state_proof;
mod storage;
#[cfg(feature = "testing")]
#[allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "for tests: no stranger's bytes reach it, and a panic is a failed test"
)]
pub mod testing;
mod trusted;
mod update;
mod verify;

pub use age::{Dated, TooOld, MAX_AHEAD, TIME_STORAGE_KEY};
pub use announced::{seconds_left, Announced};
pub use block::{Entry, FinalBlock, FinalHeader, MAX_STATE_BYTES};
pub use body::{BodyError, FinalBody, Inclusion};
pub use checkpoint::Checkpoint;
pub use digest::{digest_items, DigestItem, MAX_HEADER_LEN};
pub use duet_primitives::Culprit;
pub use error::{Error, NextStep, StateError, StorageProofError};
pub use history::BlockProof;
pub use misbehaviour::{Conflict, DisputedRecovery, Misbehaviour};
pub use recovery::{recovery_terms, Crossing, RecoverError};
pub use reset::{last_reset, ResetClaim};
pub use start::StartProof;
pub use state_proof::StateProofError;
pub use trusted::{Mode, Trusted};
pub use update::{decode, HandoffProof, Received, Update, MAX_ANSWER_LEN};
pub use verify::{verify, verify_prefix, Outcome, Verified};
