//! Weights of the calls.
//!
//! # How the numbers were obtained
//! By the benchmarks in `benchmarking.rs`, run by the pallet command of `frame-benchmarking-cli` 64.0.0 against the runtime of this
//! repository in WASM, built with its feature `runtime-benchmarks` and not compacted. `frame-omni-bencher` 0.28.0 has that command as
//!
//! ```text
//! frame-omni-bencher v1 benchmark pallet --runtime duet_runtime.wasm --pallet pallet_duet --extrinsic '*' \
//!     --genesis-builder runtime --genesis-builder-preset development --steps 20 --repeat 10
//! ```
//!
//! It ran on a Xeon at 2.5 GHz, which is not the SDK's reference hardware. A chain should run the benchmarks on its own
//! hardware, as for every pallet. With the feature `host-functions` these weights are too high.

use core::marker::PhantomData;
use frame_support::{traits::Get, weights::Weight};

/// Weights of the pallet's calls, and of what it does when a session starts.
pub trait WeightInfo {
    /// Registers or replaces a key.
    fn register_keys() -> Weight;
    /// Takes a key out.
    fn deregister_keys() -> Weight;
    /// Reports an equivocation on a block on which `n` members of the set equivocated. All of them are slashed
    /// again.
    fn report_equivocation(n: u32) -> Weight;
    /// Starts a session in which a set of `n` new validators takes over and another set of `n` new ones is planned.
    ///
    /// For information: the session pallet charges a whole block for the block that starts a session.
    fn rotate(n: u32) -> Weight;
    /// Resets the sets to one of `n` validators.
    fn reset(n: u32) -> Weight;
    /// Reports `accused` members of a set of `n` for a false statement, by a finality proof with `non_signers`. All of those who
    /// were reported for it are slashed again.
    fn report_false_statement(accused: u32, non_signers: u32, n: u32) -> Weight;
    /// Takes the proof of a handoff that `non_signers` did not sign.
    fn prove_handoff(non_signers: u32) -> Weight;
    /// Writes into the header what is signed about the block.
    fn announce_payload() -> Weight;
}

/// Weights for chains that run the WASM runtime.
pub struct SubstrateWeight<T>(PhantomData<T>);

/// What a call takes: time in picoseconds, bytes of proof, reads and writes.
fn cost<T: frame_system::Config>(time: u64, proof: u64, (reads, writes): (u64, u64)) -> Weight {
    Weight::from_parts(time, proof).saturating_add(T::DbWeight::get().reads_writes(reads, writes))
}

impl<T: frame_system::Config> WeightInfo for SubstrateWeight<T> {
    fn register_keys() -> Weight {
        // Fastest: 8 583 872 000. Nearly all of it is the proof of possession.
        cost::<T>(8_663_692_000, 6_206, (7, 5))
    }

    fn deregister_keys() -> Weight {
        // Fastest: 198 010 000.
        cost::<T>(208_510_000, 3_657, (7, 6))
    }

    fn report_equivocation(n: u32) -> Weight {
        // Fastest: 3 486 291 000. Standard error of the slope: 3 314 328. For n from 1 to 100.
        let each = cost::<T>(54_460_948, 2_656, (4, 0));
        cost::<T>(3_373_585_388, 5_274, (13, 3)).saturating_add(each.saturating_mul(n.into()))
    }

    fn rotate(n: u32) -> Weight {
        // Fastest: 303 750 000. Standard error of the slope: 10 066 869. For n from 1 to 100.
        let each = cost::<T>(219_307_442, 5_205, (4, 3));
        cost::<T>(1_767_545_051, 65_423, (55, 78)).saturating_add(each.saturating_mul(n.into()))
    }

    fn reset(n: u32) -> Weight {
        // An upper bound: it does with `n` validators what `rotate` does, and forgets no retired keys.
        Self::rotate(n)
    }

    fn report_false_statement(accused: u32, non_signers: u32, n: u32) -> Weight {
        // An upper bound, put together of what was measured. A finality proof takes one equation of pairings, as a proof of
        // possession does, and each key in it less than one in a rotation does. The rest is a report of an equivocation,
        // whose slope has the look-up and the punishment of one validator.
        let keys = accused.saturating_add(non_signers);
        Self::register_keys()
            .saturating_add(Self::rotate(keys))
            .saturating_add(Self::report_equivocation(n.saturating_add(accused)))
    }

    fn prove_handoff(non_signers: u32) -> Weight {
        // An upper bound: as for `report_false_statement`, without the punishment.
        Self::register_keys().saturating_add(Self::rotate(non_signers))
    }

    fn announce_payload() -> Weight {
        // An upper bound: `deregister_keys` reads and writes more, and hashes as much.
        Self::deregister_keys()
    }
}
