//! Weights of the calls.
//!
//! # How the numbers were obtained
//! By the benchmarks in `benchmarking.rs`, run by `frame-omni-bencher` 0.28.0 against the runtime in `verifiers/bridge/weights`, built with
//! `--release`, on an EPYC that is not the SDK's reference hardware: 6 steps, repeated 5 times. The bencher itself was not optimised, so
//! that reads and writes of storage are too dear in them. A chain should run the benchmarks on its own hardware, as for every pallet.
//!
//! Added by hand since: the write that removes an announced recovery, in all three. The calls for recoveries are not
//! measured. Their weights are made of measured ones ([`announcement`], [`crossing`]). A submission with a witness (JUST-11) is not
//! measured, and is charged as one without.

use core::marker::PhantomData;
use duet_primitives::{MerkleProof, Pk1Bytes, RecoveryProof, StatelessProof};
use frame_support::{traits::Get, weights::Weight};
use sp_runtime::SaturatedConversion;

/// Weights of the pallet's calls.
pub trait WeightInfo {
    /// Begins to follow a chain.
    fn initialize() -> Weight;
    /// Submits a proof with `a + l` non-signers; `l` of these have a sibling in the tree of keys that signed.
    fn submit_finality_proof(a: u32, l: u32) -> Weight;
    /// Sets block and sets after a contradiction, and forgets `h` headers.
    fn force_set_pallet_state(h: u32) -> Weight;
}

/// For the trie nodes that prove the terms of a recovery: at most 66 nodes with 16 KiB in all, which are hashed and
/// read. That is 30 µs for each node, and 30 ns for each byte. The nodes come with the call, and not from this chain's
/// state.
const TERMS_PROOF: Weight = Weight::from_parts(66 * 30_000_000 + 16 * 1024 * 30_000, 0);

/// The weight of a submission, by the keys and hashes of its proof.
pub(crate) fn submission<W: WeightInfo>(proof: &StatelessProof) -> Weight {
    verification::<W>(&proof.non_signers, &proof.proof)
}

/// The weight of an announcement: that of a submission with as many non-signers, which reads and writes as much; that
/// of `initialize`, which checks the totals of two sets, as here those of the terms and of the statement; and
/// [`TERMS_PROOF`].
pub(crate) fn announcement<W: WeightInfo>(proof: &RecoveryProof) -> Weight {
    verification::<W>(&proof.non_signers, &proof.proof)
        .saturating_add(W::initialize())
        .saturating_add(TERMS_PROOF)
}

/// The weight of a crossing: that of setting another block without forgetting any. It reads the announcement and the
/// time as well, and checks no point.
pub(crate) fn crossing<T: frame_system::Config, W: WeightInfo>() -> Weight {
    W::force_set_pallet_state(0).saturating_add(T::DbWeight::get().reads(2))
}

/// The weight of verifying a proof.
///
/// Each hash is the sibling of a node above a key. `l` counts as many hashes as there are keys; the rest cost the
/// weight of one hash each.
fn verification<W: WeightInfo>(non_signers: &[Pk1Bytes], proof: &MerkleProof) -> Weight {
    let absent: u32 = non_signers.len().saturated_into();
    let hashes: u32 = proof.hashes().len().saturated_into();
    let lonely = absent.min(hashes);
    let hash = W::submit_finality_proof(0, 1).saturating_sub(W::submit_finality_proof(1, 0));
    W::submit_finality_proof(absent.saturating_sub(lonely), lonely)
        .saturating_add(hash.saturating_mul(hashes.saturating_sub(lonely).into()))
}

/// Weights for chains that run the WASM runtime.
pub struct SubstrateWeight<T>(PhantomData<T>);

impl<T: frame_system::Config> WeightInfo for SubstrateWeight<T> {
    fn initialize() -> Weight {
        Weight::from_parts(550_683_000, 2_543).saturating_add(T::DbWeight::get().reads_writes(4, 7))
    }

    fn submit_finality_proof(a: u32, l: u32) -> Weight {
        Weight::from_parts(4_766_165_785, 2_543)
            .saturating_add(Weight::from_parts(37_878_536, 0).saturating_mul(a.into()))
            .saturating_add(Weight::from_parts(40_550_333, 0).saturating_mul(l.into()))
            .saturating_add(T::DbWeight::get().reads_writes(7, 7))
    }

    fn force_set_pallet_state(h: u32) -> Weight {
        // With one header it took 776 µs, most of it for the keys of the sets, which the slope over up to 1 024 headers hides.
        let header = T::DbWeight::get().reads_writes(1, 2);
        let header = header.saturating_add(Weight::from_parts(76_025_949, 1_520));
        Weight::from_parts(700_000_000, 2_802)
            .saturating_add(T::DbWeight::get().reads_writes(4, 6))
            .saturating_add(header.saturating_mul(h.into()))
    }
}
