//! The chain's statement about a block: the header of its own block of that number. (FALSE-1)
//!
//! A header of the chain proves everything that validators sign about its block: its hash and, by CHAIN-7, the rest.
//! The chain keeps the hashes of the latest blocks. An older block is proven by the leaf of its child in the Merkle
//! mountain range of one of the latest blocks.

// The casts are in the code that `Encode` derives for enums.
#![allow(clippy::cast_possible_truncation)]

use crate::{signing, types::HeaderOf, Config, Error};
use alloc::{boxed::Box, vec, vec::Vec};
use codec::{Decode, DecodeWithMemTracking, Encode};
use duet_primitives::{
    Accusation, BlockNumber, Commitment, CommitmentPayload, ConsensusLog, MmrLeaf, H256,
};
use frame_support::{ensure, traits::Get, BoundedVec};
use frame_system::pallet_prelude::BlockNumberFor;
use scale_info::TypeInfo;
use sp_mmr_primitives::{DataOrHash, LeafProof};
use sp_runtime::{
    traits::{ConstU32, Header as HeaderT, Keccak256},
    SaturatedConversion, Saturating,
};

/// The most hashes of a proof in the range: a path has below 64, and there are below 64 peaks.
const MAX_ITEMS: u32 = 128;

/// Evidence of a false statement.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking, TypeInfo)]
pub struct FalseStatement<Header> {
    /// The signers and their statement.
    pub accusation: Accusation,
    /// The truth.
    pub truth: Truth<Header>,
}

/// The chain's statement about a block.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking, TypeInfo)]
pub enum Truth<Header> {
    /// The chain has no block of that number yet.
    #[codec(index = 0)]
    Beyond,
    /// The header of one of the latest blocks, whose hashes the chain keeps.
    #[codec(index = 1)]
    Recent(Box<Header>),
    /// The header of an older block.
    #[codec(index = 2)]
    Older(Box<Older<Header>>),
}

/// The header of an older block, and the proof that it belongs to the chain.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking, TypeInfo)]
pub struct Older<Header> {
    /// The header.
    pub header: Header,
    /// The leaf of the block after it, which contains its hash.
    pub leaf: MmrLeaf,
    /// The position of the leaf in the range.
    pub leaf_index: u64,
    /// The number of leaves of the range at `recent`.
    pub leaf_count: u64,
    /// The hashes of the proof.
    pub items: BoundedVec<H256, ConstU32<MAX_ITEMS>>,
    /// The header of one of the latest blocks.
    pub recent: Header,
    /// The payload whose hash is in that header: it contains the root of the range. (CHAIN-7)
    pub payload: CommitmentPayload,
}

impl<Header: HeaderT<Hash = H256>> Truth<Header> {
    /// Whether the chain of this block contradicts the statement. (FALSE-1)
    ///
    /// # Errors
    /// When this does not match the chain, or the chain agrees with the statement.
    pub(crate) fn refutes<T: Config>(&self, statement: &Commitment) -> Result<(), Error<T>> {
        let number = statement.block_number;
        let Some(header) = self.header_of::<T>(number)? else {
            let now = frame_system::Pallet::<T>::block_number();
            let is_beyond = BlockNumberFor::<T>::from(number.get()) > now;
            return is_beyond.then_some(()).ok_or(Error::<T>::NotFalse);
        };
        // A header from before CHAIN-7 does not commit to the payload.
        let same_payload =
            || payload_hash(header).is_none_or(|expected| expected == statement.payload().hash());
        let says_the_same = header.hash() == statement.block_hash && same_payload();
        ensure!(!says_the_same, Error::<T>::NotFalse);
        Ok(())
    }

    /// The header of the chain's block, if the statement agrees with the chain. (HANDOFF-1)
    ///
    /// # Errors
    /// When this does not match the chain, or the chain contradicts the statement.
    pub(crate) fn confirms<T: Config>(&self, statement: &Commitment) -> Result<&Header, Error<T>> {
        let header = self.header_of::<T>(statement.block_number)?;
        let header = header.ok_or(Error::<T>::ForeignHeader)?;
        let says_the_same = header.hash() == statement.block_hash
            && payload_hash(header) == Some(statement.payload().hash());
        ensure!(says_the_same, Error::<T>::NotAHandoff);
        Ok(header)
    }

    /// The header of the chain's block of this number; `None` where this claims that there is none.
    ///
    /// # Errors
    /// When the proof does not show that.
    fn header_of<T: Config>(&self, number: BlockNumber) -> Result<Option<&Header>, Error<T>> {
        let header = match self {
            Self::Beyond => return Ok(None),
            Self::Recent(header) => {
                ensure!(is_recent::<T>(&**header), Error::<T>::ForeignHeader);
                &**header
            }
            Self::Older(older) => {
                ensure!(older.is_of_chain::<T>(), Error::<T>::ForeignHeader);
                &older.header
            }
        };
        ensure!(
            (*header.number()).saturated_into::<u32>() == number.get(),
            Error::<T>::ForeignHeader
        );
        Ok(Some(header))
    }
}

impl<Header: HeaderT<Hash = H256>> Older<Header> {
    fn is_of_chain<T: Config>(&self) -> bool {
        // The library computes with these, and expects neither a leaf beyond the range nor more leaves than blocks.
        let has_leaf = self.leaf_index < self.leaf_count && self.leaf_count <= u64::from(u32::MAX);
        let names_header = self.leaf.parent_hash == self.header.hash();
        let named_by_recent = payload_hash(&self.recent) == Some(self.payload.hash());
        let proof = LeafProof {
            leaf_indices: vec![self.leaf_index],
            leaf_count: self.leaf_count,
            items: self.items.to_vec(),
        };
        let in_range = || {
            let leaf = vec![DataOrHash::Data(self.leaf)];
            pallet_mmr::verify_leaves_proof::<Keccak256, _>(self.payload.mmr_root, leaf, proof)
        };
        has_leaf
            && names_header
            && named_by_recent
            && is_recent::<T>(&self.recent)
            && in_range().is_ok()
    }
}

/// Whether this is the header of a block whose hash the chain keeps.
fn is_recent<T: Config>(header: &impl HeaderT<Hash = H256>) -> bool {
    let number: u32 = (*header.number()).saturated_into();
    let kept = frame_system::Pallet::<T>::block_hash(BlockNumberFor::<T>::from(number));
    // Zero stands for a hash that is not kept.
    !kept.is_zero() && kept == header.hash()
}

/// A header's entry about the signed payload of its block. (CHAIN-7)
fn payload_hash(header: &impl HeaderT) -> Option<H256> {
    ConsensusLog::payload_hash(logs(header))
}

/// Duet's logs in a header.
pub(crate) fn logs(header: &impl HeaderT) -> impl Iterator<Item = ConsensusLog> + '_ {
    let items = header.digest().logs().iter();
    ConsensusLog::of_header(items.filter_map(|item| item.as_consensus()))
}

/// The chain's statement about a block, for a report; `None` where it cannot be proven.
///
/// `header` belongs to the chain's block of this number, and `latest` to the block whose state this is. `prove`
/// proves a block's leaf in the range that ends with the second block.
pub(crate) fn find<T: Config>(
    number: BlockNumber,
    header: Option<HeaderOf<T>>,
    latest: HeaderOf<T>,
    prove: impl FnOnce(BlockNumberFor<T>, BlockNumberFor<T>) -> Option<(Vec<MmrLeaf>, LeafProof<H256>)>,
) -> Option<Truth<HeaderOf<T>>> {
    let number = BlockNumberFor::<T>::from(number.get());
    let now = *latest.number();
    if number > now {
        return Some(Truth::Beyond);
    }
    let header = header?;
    let age = now.saturating_sub(number);
    // The report may wait in the pool for as long again.
    if age.saturating_add(age) < T::BlockHashCount::get() {
        return Some(Truth::Recent(Box::new(header)));
    }
    let (leaves, proof) = prove(number.saturating_add(1u32.into()), now)?;
    Some(Truth::Older(Box::new(Older {
        header,
        leaf: leaves.into_iter().next()?,
        leaf_index: proof.leaf_indices.into_iter().next()?,
        leaf_count: proof.leaf_count,
        items: proof.items.try_into().ok()?,
        recent: latest,
        payload: signing::payload::<T>()?,
    })))
}
