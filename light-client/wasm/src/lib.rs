//! The light client's verifier for JavaScript: bytes in and out, and no I/O.
//!
//! - [`LightClient`]: the trusted state; it verifies proofs of finality, one by one or handoffs in a row;
//! - [`Block`]: a final block, under which headers, state, extrinsics and older blocks are verified (STATE-1 to
//!   STATE-4);
//! - [`date_keys`], [`check_date`]: what [`LightClient`] needs from its caller to check the age of the newest block
//!   (LIGHT-9);
//! - [`recovery_keys`], [`peek_recovery`]: what [`LightClient`] needs from its caller to cross a reset by a recovery proof
//!   (RECOVER-7, RECOVER-8);
//! - [`start_claim`]: a sender's unproven claim of the block at which a chain's sets begin;
//! - [`peek`]: the content of a proof, before it is verified;
//! - [`blake2b`]: the hash in Substrate's addresses and storage keys; [`sha256`]: that in texts of recovery.
//!
//! Failures throw an object `{ rule, culprit, nextStep, message, expected, got }`: the number of the broken rule in
//! `docs/spec`, the culprit, the next step, and the expected and received values where there are any.
//!
//! Bytes are copied into the module and checked there; nothing here trusts its caller for anything but the genesis hash, the
//! hash of a start block, a checkpoint or a kept state. Set ids are 64 bits wide and so are `BigInt`s; block numbers are numbers.

mod age;
mod block;
mod bytes;
mod client;
mod error;
mod hash;
mod object;
mod recovery;
mod start;
mod updates;

pub use age::{check_date, date_keys};
pub use block::Block;
pub use client::LightClient;
pub use hash::{blake2b, sha256};
pub use recovery::{peek_recovery, recovery_keys};
pub use start::start_claim;
pub use updates::peek;
