//! What others offer for the same job, each with its keys read in advance where its interface lets us, as ours are,
//! and each from the bytes of what is checked to a verdict.

mod arkworks;
mod blst;
mod ecdsa;
mod w3f;

pub use arkworks::Arkworks;
pub use blst::{
    BlstBatch, BlstMinPk, BlstMinPkAggregate, BlstMinSig, BlstMinSigAggregate, BlstSignatures,
    Threads,
};
pub use ecdsa::Ecdsa;
pub use w3f::{W3fAggregate, W3fVote};
