//! Weights of the calls, and of the work in each block.
//!
//! # How the numbers were obtained
//! They are those of the calls and of the work of `pallet-duet` that do the same or more, with reads and writes of this pallet's own.
//! No run of the benchmarks in `benchmarking.rs` has replaced them yet. A chain should run these on its own hardware, as for every
//! pallet:
//!
//! ```text
//! frame-omni-bencher v1 benchmark pallet --runtime duet_runtime.wasm --pallet pallet_duet_recovery --extrinsic '*' \
//!     --genesis-builder runtime --genesis-builder-preset development --steps 20 --repeat 10
//! ```

use core::marker::PhantomData;
use frame_support::{traits::Get, weights::Weight};
use pallet_duet::WeightInfo as _;

/// Weights of the pallet's calls, and of its work in each block.
pub trait WeightInfo {
    /// Registers or replaces a key.
    fn register_key() -> Weight;
    /// Withdraws a key.
    fn withdraw_key() -> Weight;
    /// Takes a drill.
    fn drill() -> Weight;
    /// Reports `accused` members of a set of `n` by a recovery proof with `non_signers`. All members reported for its
    /// block are slashed again.
    fn report(accused: u32, non_signers: u32, n: u32) -> Weight;
    /// Looks whether the session has its set, when it has.
    fn look() -> Weight;
    /// Makes a set of `n` validators, at most the limit of one block.
    fn make_set(n: u32) -> Weight;
    /// Makes none of `n` validators, more than the limit of one block.
    fn skip_set(n: u32) -> Weight;
    /// Forgets a set, and returns the deposits of those members who `withdrew` their keys.
    fn forget_set(others: u32, withdrew: u32) -> Weight;
    /// Looks for a reset in the header of a block, and learns it.
    fn learn_reset() -> Weight;
}

/// Weights for chains that run the WASM runtime.
pub struct SubstrateWeight<T>(PhantomData<T>);

type Duet<T> = pallet_duet::SubstrateWeight<T>;

/// Reads and writes beside those of the work of Duet.
fn own<T: frame_system::Config>(reads: u64, writes: u64) -> Weight {
    T::DbWeight::get().reads_writes(reads, writes)
}

impl<T: frame_system::Config> WeightInfo for SubstrateWeight<T> {
    fn register_key() -> Weight {
        // The same proof and deposit as for a key in use, which is looked up as well.
        Duet::<T>::register_keys().saturating_add(own::<T>(1, 0))
    }

    fn withdraw_key() -> Weight {
        // The same writes and deposit as for a key in use.
        Duet::<T>::deregister_keys()
    }

    fn drill() -> Weight {
        // One of the two signatures of a proof of possession, and no pairing.
        Duet::<T>::register_keys()
    }

    fn report(accused: u32, non_signers: u32, n: u32) -> Weight {
        // A report by a finality proof. The range of what is judged, the resets, and the session of the set in force.
        Duet::<T>::report_false_statement(accused, non_signers, n).saturating_add(own::<T>(3, 0))
    }

    fn look() -> Weight {
        own::<T>(2, 0)
    }

    fn make_set(n: u32) -> Weight {
        // Looking at as many validators, and making a set of them. The session, twice; its validators; terms, their session, members,
        // the set before and the next id; the oldest set and its id.
        Duet::<T>::draft_part(n)
            .saturating_add(Duet::<T>::finish_draft(n, 1))
            .saturating_add(own::<T>(10, 7))
    }

    fn skip_set(n: u32) -> Weight {
        // Beginning to look at as many validators, in no parts. All of that but members and the next id, which are not read.
        Duet::<T>::begin_draft(n, 0).saturating_add(own::<T>(8, 5))
    }

    fn forget_set(others: u32, withdrew: u32) -> Weight {
        // Forgetting as many keys, and returning a deposit. The set and its id were read.
        let keys = Duet::<T>::forget_keys(others.saturating_add(withdrew));
        let deposits = Duet::<T>::deregister_keys().saturating_mul(withdrew.into());
        keys.saturating_add(deposits).saturating_add(own::<T>(0, 2))
    }

    fn learn_reset() -> Weight {
        // The digest, the resets, and from where on they are known.
        own::<T>(3, 2)
    }
}
