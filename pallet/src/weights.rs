//! What calls cost.
//!
//! # How the numbers were obtained
//! Curve operations were measured in WASM: the module of `benches/wasm`, built in release with LTO for
//! `wasm32v1-none` and run by wasmtime with the settings of the node's executor, on a busy server core (Xeon,
//! 2.5 GHz); thread CPU time of 60 runs. There and then `sp_core::bls381` took 59.9 ms at best for the first.
//!
//! | operation | fastest | median | charged |
//! | --- | --- | --- | --- |
//! | check a proof of possession | 9.1 ms | 9.3 ms | 12 ms |
//! | check evidence of an equivocation in a set of 100 | 3.4 ms | 3.5 ms | 5 ms |
//! | commit to a set of 100, per key | 0.081 ms | 0.083 ms | 0.12 ms |
//!
//! What else a call does is counted in the order of the code: each access to storage at `DbWeight`, and 100 µs
//! for the rest. That is no output of a benchmark run; `benchmarking.rs` measures the same calls, and its
//! output may take this file's place.

use core::marker::PhantomData;
use frame_support::{
    traits::Get,
    weights::{constants::WEIGHT_REF_TIME_PER_MICROS, Weight},
};

/// Weights of the pallet's calls, and of what it does when a session starts.
pub trait WeightInfo {
    /// Registers or replaces a key.
    fn register_keys() -> Weight;
    /// Takes a key out.
    fn deregister_keys() -> Weight;
    /// Reports an equivocation on a block on which `n` members of the set equivocated, which are all punished
    /// anew.
    fn report_equivocation(n: u32) -> Weight;
    /// Starts a session in which a set of `n` other validators takes over and one of `n` others is planned.
    ///
    /// For information: the session pallet charges a whole block for the block that starts a session.
    fn rotate(n: u32) -> Weight;
}

/// Checks a proof of possession.
const POSSESSION_MICROS: u64 = 12_000;
/// Checks evidence of an equivocation.
const EVIDENCE_MICROS: u64 = 5_000;
/// Reads, hashes and adds a key of a set.
const MEMBER_MICROS: u64 = 120;
/// Everything else in a call.
const CALL_MICROS: u64 = 100;

fn micros(micros: u64) -> Weight {
    Weight::from_parts(micros.saturating_mul(WEIGHT_REF_TIME_PER_MICROS), 0)
}

/// Bytes of proof that reading an entry is charged with.
fn proof(entries: u64) -> Weight {
    Weight::from_parts(0, entries.saturating_mul(4_096))
}

/// Weights for chains that run the WASM runtime.
pub struct SubstrateWeight<T>(PhantomData<T>);

impl<T: frame_system::Config> WeightInfo for SubstrateWeight<T> {
    fn register_keys() -> Weight {
        micros(POSSESSION_MICROS + CALL_MICROS)
            .saturating_add(proof(11))
            .saturating_add(T::DbWeight::get().reads_writes(11, 8))
    }

    fn deregister_keys() -> Weight {
        micros(CALL_MICROS)
            .saturating_add(proof(8))
            .saturating_add(T::DbWeight::get().reads_writes(8, 7))
    }

    fn report_equivocation(n: u32) -> Weight {
        // Each offender at the same slot is read again and handed to staking again.
        let n = u64::from(n);
        micros(EVIDENCE_MICROS + CALL_MICROS)
            .saturating_add(proof(16))
            .saturating_add(T::DbWeight::get().reads_writes(16, 8))
            .saturating_add(micros(CALL_MICROS).saturating_mul(n))
            .saturating_add(proof(8).saturating_mul(n))
            .saturating_add(T::DbWeight::get().reads_writes(8, 4).saturating_mul(n))
    }

    fn rotate(n: u32) -> Weight {
        let n = u64::from(n);
        // Per validator: its key, its owner's status, one retired key forgotten.
        let each = micros(MEMBER_MICROS + CALL_MICROS)
            .saturating_add(proof(4))
            .saturating_add(T::DbWeight::get().reads_writes(4, 3));
        micros(CALL_MICROS)
            .saturating_add(proof(12))
            .saturating_add(T::DbWeight::get().reads_writes(12, 12))
            .saturating_add(each.saturating_mul(n))
    }
}
