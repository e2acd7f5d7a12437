//! `pallet-mmr` as Duet uses it: its root, and the bodies of `MmrApi`.

use alloc::vec::Vec;
use core::marker::PhantomData;
use duet_primitives::H256;
use frame_support::traits::{Get, PalletInfo};
use frame_system::pallet_prelude::BlockNumberFor;
use pallet_mmr::{Config, Pallet, RootHash};
use sp_mmr_primitives::{
    DataOrHash, EncodableOpaqueLeaf, Error, LeafDataProvider, LeafProof, OpaqueLeaf,
};
use sp_runtime::traits::Hash;

/// A block's leaf in `T`'s range.
type LeafOf<T> = <<T as Config>::LeafData as LeafDataProvider>::LeafData;

/// The root of `pallet-mmr`: for [`MmrRoot`](crate::Config::MmrRoot).
///
/// The range ends at the parent of the block whose state is read. It is extended while the block is initialised, before
/// any extrinsic runs.
///
/// # Panics
/// When `pallet-mmr` is configured, but is not among the runtime's pallets. The integrity test of
/// [`pallet-duet`](crate::Pallet) finds that.
pub struct MmrRootOf<T>(PhantomData<T>);

impl<T: Config<Hashing: Hash<Output = H256>>> Get<H256> for MmrRootOf<T> {
    fn get() -> H256 {
        assert!(
            T::PalletInfo::index::<Pallet<T>>().is_some(),
            "the runtime lacks pallet-mmr, so no block has a commitment; add pallet_duet::pallet_mmr to its pallets"
        );
        RootHash::<T>::get()
    }
}

/// The leaf of one block, with its proof in the range that ends with the block `at`. `None` when the node has not kept
/// the range.
///
/// For [`submit_accusation`](crate::Pallet::submit_accusation) and [`submit_handoff`](crate::Pallet::submit_handoff).
pub fn prove<T: Config<Hashing: Hash<Output = H256>>>(
    block: BlockNumberFor<T>,
    at: BlockNumberFor<T>,
) -> Option<(Vec<LeafOf<T>>, LeafProof<H256>)> {
    Pallet::<T>::generate_proof([block].into(), Some(at)).ok()
}

/// `MmrApi::generate_proof`: the leaves of blocks with their proof in the range that ends with the block `at`, or with the
/// newest.
///
/// # Errors
/// When a block has no leaf there, or the node has not kept the range.
pub fn generate_proof<T: Config<Hashing: Hash<Output = H256>>>(
    blocks: Vec<BlockNumberFor<T>>,
    at: Option<BlockNumberFor<T>>,
) -> Result<(Vec<EncodableOpaqueLeaf>, LeafProof<H256>), Error> {
    let (leaves, proof) = Pallet::<T>::generate_proof(blocks, at)?;
    let leaves = leaves.iter().map(EncodableOpaqueLeaf::from_leaf);
    Ok((leaves.collect(), proof))
}

/// `MmrApi::verify_proof`: checks leaves against the range of this block.
///
/// # Errors
/// When a leaf is not one of this chain's, or the proof does not hold.
pub fn verify_proof<T: Config<Hashing: Hash<Output = H256>>>(
    leaves: Vec<EncodableOpaqueLeaf>,
    proof: LeafProof<H256>,
) -> Result<(), Error> {
    let decode = |leaf: EncodableOpaqueLeaf| leaf.into_opaque_leaf().try_decode::<LeafOf<T>>();
    let leaves = leaves.into_iter().map(decode).collect::<Option<_>>();
    Pallet::<T>::verify_leaves(leaves.ok_or(Error::Verify)?, proof)
}

/// `MmrApi::verify_proof_stateless`: checks leaves against a root.
///
/// # Errors
/// When the proof does not hold.
pub fn verify_proof_stateless<T: Config<Hashing: Hash<Output = H256>>>(
    root: H256,
    leaves: Vec<EncodableOpaqueLeaf>,
    proof: LeafProof<H256>,
) -> Result<(), Error> {
    let leaves = leaves
        .into_iter()
        .map(EncodableOpaqueLeaf::into_opaque_leaf);
    let nodes = leaves.map(DataOrHash::<<T as Config>::Hashing, OpaqueLeaf>::Data);
    pallet_mmr::verify_leaves_proof(root, nodes.collect(), proof)
}
