//! The followed chain, and its known state.

use crate::Config;
use alloc::boxed::Box;
use bp_runtime::{BasicOperatingMode, Chain, HeaderId, HeaderOf};
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use duet_light_client::{Checkpoint, Trusted};
use duet_primitives::{BlockNumber, KeysetCommitment, Keysets, SetId, H256};
use frame_support::{traits::ConstU32, BoundedVec};
use scale_info::TypeInfo;
use serde::{Deserialize, Serialize};

/// Target of this pallet's log lines.
pub(crate) const LOG_TARGET: &str = "runtime::bridge-duet";

/// A header of the chain that is followed.
pub type BridgedHeader<T, I> = HeaderOf<<T as Config<I>>::BridgedChain>;

/// A chain that Duet finalizes.
pub trait ChainWithDuet: Chain<BlockNumber = u32, Hash = H256> {
    /// Name of this pallet in the runtimes that follow the chain.
    const WITH_CHAIN_DUET_PALLET_NAME: &'static str;

    /// The largest header in bytes that is free of charge. A larger one is accepted, and its submitter pays.
    const MAX_FREE_HEADER_SIZE: u32;
}

/// The known state of the followed chain, beside its headers.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct FollowedChain {
    /// Which chain.
    pub genesis_hash: H256,
    /// The signing set and its successor; both are the same when no successor is named.
    pub keysets: Keysets,
    /// For how many seconds after its newest header the chain is followed: less than its validators wait for their stake.
    /// (LIGHT-9)
    pub trusting_period: u64,
    /// When the newest header came, in seconds of this chain's time; `None` from the genesis until the end of the first block,
    /// which has the first time.
    pub taken: Option<u64>,
    /// The sets before the signing one, the latest last: their contradictions are evidence.
    pub replaced: BoundedVec<ReplacedSet, ConstU32<SETS_TO_KEEP>>,
}

/// A set that signed before the signing one.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct ReplacedSet {
    /// The set.
    pub keyset: KeysetCommitment,
    /// When it was replaced, in seconds of this chain's time.
    pub at: u64,
}

/// The number of sets that are kept after others have replaced them.
pub const SETS_TO_KEEP: u32 = 4;

impl FollowedChain {
    /// The state of a light client of this chain at its best block.
    ///
    /// The sets were checked when they were set, or a checked set signed them. Their totals are not checked again here,
    /// which would take a subgroup check each. Their users check them once more.
    pub(crate) fn trusted_at(self, best: HeaderId<H256, u32>) -> Trusted {
        Trusted::from_own_checkpoint_unchecked(self.checkpoint_at(best))
    }

    /// LIGHT-9.
    pub(crate) fn is_awake(&self, now: u64) -> bool {
        let age = self.taken.map_or(0, |taken| now.saturating_sub(taken));
        age <= self.trusting_period
    }

    /// The same chain with a newer header, which came now.
    pub(crate) fn at_newer(mut self, keysets: Keysets, now: u64) -> Self {
        let before = core::mem::replace(&mut self.keysets, keysets).current;
        if before.id != self.keysets.current.id {
            self.keep_replaced(before, now);
        }
        self.taken = Some(now);
        self
    }

    /// The same chain behind a reset that ended one of its sets. Its newest header remains the one before the reset,
    /// and with it its age. (RECOVER-8)
    pub(crate) fn behind_reset(mut self, ended: SetId, set: KeysetCommitment, now: u64) -> Self {
        let after = Keysets::without_successor(set);
        let Keysets { current, next } = core::mem::replace(&mut self.keysets, after);
        let has_handed_off = current.id < ended;
        self.keep_replaced(current, now);
        if has_handed_off {
            self.keep_replaced(next, now);
        }
        self
    }

    fn keep_replaced(&mut self, keyset: KeysetCommitment, at: u64) {
        if self.replaced.is_full() {
            self.replaced.remove(0);
        }
        // There is a place.
        let _full = self.replaced.try_push(ReplacedSet { keyset, at });
    }

    /// The state in which evidence signed by this set is checked: that with the set as the signing one, if it was replaced not
    /// longer ago than the trusting period.
    pub(crate) fn as_of(&self, signer: SetId, now: u64) -> Self {
        let is_punishable = |set: &&ReplacedSet| now.saturating_sub(set.at) <= self.trusting_period;
        let mut replaced = self.replaced.iter().filter(is_punishable);
        let found = replaced.find(|set| set.keyset.id == signer);
        let mut state = self.clone();
        if let Some(set) = found {
            state.keysets = Keysets::without_successor(set.keyset.clone());
        }
        state
    }

    pub(crate) fn checkpoint_at(self, HeaderId(number, hash): HeaderId<H256, u32>) -> Checkpoint {
        Checkpoint {
            genesis_hash: self.genesis_hash,
            block_number: BlockNumber::new(number),
            block_hash: hash,
            keysets: self.keysets,
        }
    }
}

/// The starting point of a followed chain. It cannot be proven to the pallet.
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
    /// The signing set there and its successor; both are the same when no successor is named. In JSON the hexadecimal
    /// digits of its encoding.
    #[serde(with = "as_hex")]
    pub keysets: Keysets,
    /// The trusting period in seconds: less than the chain's validators wait for their stake. (LIGHT-9)
    pub trusting_period: u64,
    /// Whether submissions are taken.
    pub operating_mode: BasicOperatingMode,
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
