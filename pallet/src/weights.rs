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
//! It ran on a Xeon at 2.5 GHz for `register_keys` and `report_equivocation`, and for the others, with 6 steps repeated 5 times, on EPYCs. On
//! one of these `register_keys` took 0.993 times as long; on the one that `rotate`, `reset`, `deregister_keys` and what is done in parts
//! were measured on, 0.7 times. There the bencher itself was not optimised, which makes accesses to storage dearer, and may be why
//! `deregister_keys` takes 1.6 ms by it and took 0.2 ms before. `activate` and `deactivate` were measured with such a bencher, too, on a
//! Xeon on which `deregister_keys` took 1.57 times and `announce_payload` 1.63 times as long as below. None of these machines is the
//! SDK's reference hardware.
//!
//! Added by hand since, for what the calls read or write more than then: two reads for `rotate` and `begin_draft` (the trusting period,
//! and whether the signing set was ended), one read and one write for `finish_draft` and two and one for `reset` (that it was ended, and
//! from where on sets are made), and two reads for `report_false_statement` (the pardons, and the hash of a block that is not beyond the
//! chain, as the measured one was). Sets' sessions with stake (EQV-6) are one read for the reports; one read and one write for `finish_draft`
//! and `reset`; one and two for `begin_draft`; two and three for `rotate`, which also reads the signing set's members.
//! `deactivate` reads whether the set was ended before.
//!
//! A chain should run the benchmarks on its own hardware, as for every pallet. With the feature
//! `host-functions` these weights are too high.

use core::marker::PhantomData;
use frame_support::{traits::Get, weights::Weight};

/// Weights of the pallet's calls, and of its work when a session starts.
pub trait WeightInfo {
    /// Registers or replaces a key.
    fn register_keys() -> Weight;
    /// Removes a key.
    fn deregister_keys() -> Weight;
    /// Reports an equivocation on a block on which `n` members of the set equivocated. All of them are slashed again.
    fn report_equivocation(n: u32) -> Weight;
    /// Starts a session in which a set of `n` new validators takes over and another set of `n` new ones is planned,
    /// at most the limit of one block.
    ///
    /// For information: the session pallet charges a whole block for the block that starts a session.
    fn rotate(n: u32) -> Weight;
    /// Starts a session in which a set of `n` new validators takes over, and later blocks make another, in `parts`.
    fn begin_draft(n: u32, parts: u32) -> Weight;
    /// Looks at `n` validators for the set in the making.
    fn draft_part(n: u32) -> Weight;
    /// Merges `n` validators into the set in the making, from `parts`.
    fn finish_draft(n: u32, parts: u32) -> Weight;
    /// Reports `n` signers of a handoff, in a block that starts no session.
    fn settle_members(n: u32) -> Weight;
    /// Forgets `n` keys in a block that starts no session.
    fn forget_keys(n: u32) -> Weight;
    /// Resets the sets to one of `n` validators.
    fn reset(n: u32) -> Weight;
    /// Reports `accused` members of a set of `n` for a false statement, by a finality proof with `non_signers`. All
    /// members reported for it are slashed again.
    fn report_false_statement(accused: u32, non_signers: u32, n: u32) -> Weight;
    /// Accepts the proof of a handoff that `non_signers` did not sign.
    fn prove_handoff(non_signers: u32) -> Weight;
    /// Names the block at whose end the chain starts to make sets.
    fn activate() -> Weight;
    /// Ends the signing set, and drops one in the making, in `parts`.
    fn deactivate(parts: u32) -> Weight;
    /// Writes the hash of the signed payload into the header.
    fn announce_payload() -> Weight;
}

/// Weights for chains that run the WASM runtime.
pub struct SubstrateWeight<T>(PhantomData<T>);

/// Time for each key of a non-signer in a proof.
const NON_SIGNER: u64 = 50_543_354;
/// Time for each validator that is slashed again because of another offender.
const PUNISHED_AGAIN: u64 = 54_460_948;

/// The cost of a call: time in picoseconds, bytes of proof, reads and writes.
fn cost<T: frame_system::Config>(time: u64, proof: u64, (reads, writes): (u64, u64)) -> Weight {
    Weight::from_parts(time, proof).saturating_add(T::DbWeight::get().reads_writes(reads, writes))
}

impl<T: frame_system::Config> WeightInfo for SubstrateWeight<T> {
    fn register_keys() -> Weight {
        // Fastest: 8 583 872 000. Nearly all of it is the proof of possession.
        cost::<T>(8_663_692_000, 6_214, (8, 5))
    }

    fn deregister_keys() -> Weight {
        // Repeated 4 times.
        cost::<T>(1_623_864_000, 3_657, (8, 6))
    }

    fn report_equivocation(n: u32) -> Weight {
        // Fastest: 3 486 291 000. Standard error of the slope: 3 314 328. For n from 1 to 100.
        let each = cost::<T>(PUNISHED_AGAIN, 2_656, (4, 0));
        cost::<T>(3_373_585_388, 5_274, (14, 3)).saturating_add(each.saturating_mul(n.into()))
    }

    fn rotate(n: u32) -> Weight {
        // Fastest: 2 333 945 000. Standard error of the slope: 6 841 073. For n from 1 to 64.
        let each = cost::<T>(594_303_235, 5_194, (5, 3));
        cost::<T>(1_572_903_582, 30_976, (24, 19)).saturating_add(each.saturating_mul(n.into()))
    }

    fn begin_draft(n: u32, parts: u32) -> Weight {
        // Fastest: 4 482 853 000. Standard error of the slope: 41 090. For n from 65 to 10 000, in parts of 64, of which the bencher
        // counted none.
        let each = cost::<T>(1_348_306, 176, (0, 0));
        let each_part = cost::<T>(0, 0, (0, 1));
        cost::<T>(4_845_874_502, 165_278, (86, 17))
            .saturating_add(each.saturating_mul(n.into()))
            .saturating_add(each_part.saturating_mul(parts.into()))
    }

    fn draft_part(n: u32) -> Weight {
        // Fastest: 791 742 000. Standard error of the slope: 2 228 953. For n from 1 to 64.
        let each = cost::<T>(328_068_386, 2_667, (3, 1));
        cost::<T>(631_370_908, 14_807, (4, 2)).saturating_add(each.saturating_mul(n.into()))
    }

    fn finish_draft(n: u32, parts: u32) -> Weight {
        // The larger of a planned set and of a reset in each figure: the slope of the first, the rest of the second. Standard errors
        // of the slopes: 26 517 and 36 285. For n from 1 to 10 000, in parts of 64, of which the bencher counted none.
        let each = cost::<T>(3_501_280, 321, (0, 0));
        let each_part = cost::<T>(0, 0, (1, 1));
        cost::<T>(1_101_267_566, 15_887, (8, 12))
            .saturating_add(each.saturating_mul(n.into()))
            .saturating_add(each_part.saturating_mul(parts.into()))
    }

    fn settle_members(n: u32) -> Weight {
        // Fastest: 1 667 409 000. Standard error of the slope: 4 626 397. For n from 1 to 64 members of a set of 10 000, and
        // points in staking for each.
        let each = cost::<T>(54_349_078, 2_567, (1, 0));
        cost::<T>(1_682_908_019, 326_446, (11, 4)).saturating_add(each.saturating_mul(n.into()))
    }

    fn forget_keys(n: u32) -> Weight {
        // Fastest: 489 251 000. Standard error of the slope: 882 646. For n from 1 to 64.
        let each = cost::<T>(194_636_737, 2_612, (2, 2));
        cost::<T>(262_984_663, 4_041, (5, 2)).saturating_add(each.saturating_mul(n.into()))
    }

    fn reset(n: u32) -> Weight {
        // Fastest: 1 254 623 000. Standard error of the slope: 3 678 339. For n from 1 to 64.
        let each = cost::<T>(340_401_520, 2_667, (3, 1));
        cost::<T>(1_228_462_265, 2_963, (10, 10)).saturating_add(each.saturating_mul(n.into()))
    }

    fn report_false_statement(accused: u32, non_signers: u32, n: u32) -> Weight {
        // Fastest: 6 105 545 000. Standard error of the slope: 2 793 621. For 1 to 100 accused, who were all members and signed.
        let each_accused = cost::<T>(396_657_523, 2_790, (5, 0));
        // The slopes of `prove_handoff` and of `report_equivocation`.
        let each_non_signer = cost::<T>(NON_SIGNER, 0, (0, 0));
        let each_member = cost::<T>(PUNISHED_AGAIN, 2_656, (4, 0));
        cost::<T>(6_572_973_316, 4_972, (15, 3))
            .saturating_add(each_accused.saturating_mul(accused.into()))
            .saturating_add(each_non_signer.saturating_mul(non_signers.into()))
            .saturating_add(each_member.saturating_mul(n.into()))
    }

    fn prove_handoff(non_signers: u32) -> Weight {
        // Fastest: 5 098 422 000. Standard error of the slope: 1 880 578. For 0 to 33 of 100.
        let each = cost::<T>(NON_SIGNER, 0, (0, 0));
        cost::<T>(5_296_832_327, 15_983, (6, 1))
            .saturating_add(each.saturating_mul(non_signers.into()))
    }

    fn activate() -> Weight {
        // Fastest: 391 896 000. Repeated 20 times.
        cost::<T>(595_257_000, 1_489, (1, 1))
    }

    fn deactivate(parts: u32) -> Weight {
        // Fastest: 683 488 000. Standard error of the slope: 6 250 420. For 1 to 157 parts of 64.
        let each = cost::<T>(161_026_196, 13_817, (1, 1));
        cost::<T>(847_604_000, 1_669, (4, 3)).saturating_add(each.saturating_mul(parts.into()))
    }

    fn announce_payload() -> Weight {
        // Fastest: 182 833 000.
        cost::<T>(189_262_000, 1_669, (2, 0))
    }
}
