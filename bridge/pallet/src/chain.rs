//! The chain that is followed: what is known of it, and how that begins.

use crate::{
    headers, BestFinalized, Config, Contradicted, Error, Event, Followed, Pallet,
    PalletOperatingMode, WeightInfo,
};
use alloc::boxed::Box;
use bp_runtime::{BasicOperatingMode, Chain, HeaderId, HeaderOf};
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use duet_light_client::{Checkpoint, Mode, Trusted};
use duet_primitives::{BlockNumber, Keysets, H256};
use frame_support::{
    dispatch::{DispatchResultWithPostInfo, PostDispatchInfo},
    ensure,
};
use scale_info::TypeInfo;
use serde::{Deserialize, Serialize};
use sp_runtime::traits::Header as _;

/// A header of the chain that is followed.
pub type BridgedHeader<T, I> = HeaderOf<<T as Config<I>>::BridgedChain>;

/// A chain that Duet finalizes.
pub trait ChainWithDuet: Chain<BlockNumber = u32, Hash = H256> {
    /// Name of this pallet in the runtimes that follow the chain.
    const WITH_CHAIN_DUET_PALLET_NAME: &'static str;

    /// The most bytes of a header that are brought free of charge. A larger one is taken, and its submitter pays.
    const MAX_FREE_HEADER_SIZE: u32;
}

/// What is known of the chain that is followed, beside its headers.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct FollowedChain {
    /// Which chain.
    pub genesis_hash: H256,
    /// The set that signs, and the one after it; the same one twice when none is named.
    pub keysets: Keysets,
}

impl FollowedChain {
    /// The state of a light client of this chain at its best block.
    ///
    /// The sets were checked when they were set, or were signed by one that was: their totals are not checked again here, which
    /// would take a subgroup check each. Whoever uses them checks them once more.
    pub(crate) fn trusted_at(self, best: HeaderId<H256, u32>) -> Trusted {
        Trusted::from_own_checkpoint_unchecked(self.checkpoint_at(best))
    }

    fn checkpoint_at(self, HeaderId(number, hash): HeaderId<H256, u32>) -> Checkpoint {
        Checkpoint {
            genesis_hash: self.genesis_hash,
            block_number: BlockNumber::new(number),
            block_hash: hash,
            keysets: self.keysets,
        }
    }
}

/// From where a chain is followed. Nothing of it can be proven to the pallet.
#[derive(
    Clone,
    Debug,
    PartialEq,
    Eq,
    Encode,
    Decode,
    DecodeWithMemTracking,
    TypeInfo,
    Serialize,
    Deserialize,
)]
pub struct InitializationData<Header> {
    /// A final block.
    pub header: Box<Header>,
    /// The chain's genesis hash.
    pub genesis_hash: H256,
    /// The set that signs there, and the one after it; the same one twice when none is named. In JSON the hexadecimal digits of
    /// its encoding.
    #[serde(with = "as_hex")]
    pub keysets: Keysets,
    /// Whether submissions are taken.
    pub operating_mode: BasicOperatingMode,
}

pub(crate) fn initialize<T: Config<I>, I: 'static>(
    data: InitializationData<BridgedHeader<T, I>>,
) -> Result<(), Error<T, I>> {
    ensure!(
        !BestFinalized::<T, I>::exists(),
        Error::<T, I>::AlreadyInitialized
    );
    let followed = FollowedChain {
        genesis_hash: data.genesis_hash,
        keysets: data.keysets,
    };
    begin::<T, I>(followed, &data.header)?;
    PalletOperatingMode::<T, I>::put(data.operating_mode);
    Ok(())
}

pub(crate) fn force<T: Config<I>, I: 'static>(
    keysets: Keysets,
    best: &BridgedHeader<T, I>,
) -> DispatchResultWithPostInfo {
    let known = Followed::<T, I>::get().ok_or(Error::<T, I>::NotInitialized)?;
    let forgotten = if Contradicted::<T, I>::take().is_some() {
        headers::forget_all::<T, I>()
    } else {
        0
    };
    let event = Event::StateForced {
        number: *best.number(),
        hash: best.hash(),
        keysets: keysets.clone(),
    };
    begin::<T, I>(FollowedChain { keysets, ..known }, best)?;
    Pallet::<T, I>::deposit_event(event);
    Ok(PostDispatchInfo {
        actual_weight: Some(T::WeightInfo::force_set_pallet_state(forgotten)),
        ..PostDispatchInfo::default()
    })
}

/// SET-1, LIGHT-5: the sets are sets, and the second one follows the first.
fn begin<T: Config<I>, I: 'static>(
    followed: FollowedChain,
    best: &BridgedHeader<T, I>,
) -> Result<(), Error<T, I>> {
    let id = HeaderId(*best.number(), best.hash());
    let checkpoint = followed.clone().checkpoint_at(id);
    if let Err(error) = Trusted::from_checkpoint(checkpoint, Mode::Stateless) {
        log::warn!(target: crate::LOG_TARGET, "this is no block to begin at: {error}");
        return Err(Error::InvalidKeysets);
    }
    Followed::<T, I>::put(followed);
    headers::insert::<T, I>(best, id);
    Ok(())
}

mod as_hex {
    use codec::{DecodeAll, Encode};
    use duet_primitives::Keysets;
    use serde::{de::Error, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        keysets: &Keysets,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        impl_serde::serialize::serialize(&keysets.encode(), serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Keysets, D::Error> {
        let bytes = impl_serde::serialize::deserialize(deserializer)?;
        Keysets::decode_all(&mut &*bytes).map_err(D::Error::custom)
    }
}
