//! The bridge pallet on a Substrate chain, by that chain's RPC.

mod client;
mod pallet;

pub use client::{key_from_file, Substrate};
