//! The light client's verifier for JavaScript: bytes in and out, and no I/O.
//!
//! - [`LightClient`]: what is trusted; it verifies proofs of finality, one by one or handoffs in a row;
//! - [`Block`]: a block that is final, under which headers, state, extrinsics and older blocks are verified (STATE-1 to STATE-4);
//! - [`start_claim`]: where a sender says that a chain's sets begin, which nothing proves;
//! - [`peek`]: what a proof says, before it is verified;
//! - [`blake2b`]: the hash that Substrate's addresses and storage keys are made with.
//!
//! What fails throws an object `{ rule, culprit, nextStep, message, expected, got }`: the rule that broke by its number in
//! `docs/spec`, who is to blame, what to do next, and what was expected and came instead where that are values.
//!
//! Bytes are copied into the module and checked there; nothing here trusts its caller for anything but the genesis hash, the
//! hash of a start block, a checkpoint or a kept state. Set ids are 64 bits wide and so are `BigInt`s; block numbers are numbers.

mod block;
mod bytes;
mod client;
mod error;
mod hash;
mod object;
mod start;
mod updates;

pub use block::Block;
pub use client::LightClient;
pub use hash::blake2b;
pub use start::start_claim;
pub use updates::peek;
