//! Other libraries for the same job. Each reads its keys in advance where its interface allows, as ours does, and goes
//! from the bytes of the checked object to a verdict.

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
