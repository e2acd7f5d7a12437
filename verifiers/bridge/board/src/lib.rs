//! A FRAME pallet that posts messages on another chain, and emits events for messages posted there for this one.
//!
//! It is the smallest application of the SDK's `pallet-bridge-messages`: [`Call::post`] sends, and the pallet is the
//! `MessageDispatch` to which arriving messages go. Messages are bytes; applications read [`Event::Received`].
//!
//! The messages of a lane arrive in the order in which they were posted, each once. Relayers cannot change them: each
//! message has a proof of the other chain's state under a final header.

#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

pub use pallet::*;

use alloc::vec::Vec;
use bp_messages::{
    source_chain::MessagesBridge,
    target_chain::{DispatchMessage, MessageDispatch},
};
use bp_runtime::messages::MessageDispatchResult;
use frame_support::{pallet_prelude::Get, weights::Weight};
use frame_system::WeightInfo as _;

#[cfg(test)]
mod tests;

/// Storage items that a post reads and writes: the mode of the messages pallet, the lane, the message.
const READS: u64 = 2;
const WRITES: u64 = 2;

#[frame_support::pallet]
// In what the macros generate.
#[allow(clippy::cast_possible_truncation, unused_qualifications)]
pub mod pallet {
    use super::*;
    use bp_messages::{LaneIdType, MessageNonce};
    use frame_support::pallet_prelude::*;
    use frame_system::pallet_prelude::*;

    /// The pallet.
    #[pallet::pallet]
    pub struct Pallet<T>(_);

    /// The runtime's configuration.
    #[pallet::config]
    pub trait Config: frame_system::Config<RuntimeEvent: From<Event<Self>>> {
        /// Names a lane.
        type LaneId: LaneIdType;
        /// Sends.
        type Bridge: MessagesBridge<Vec<u8>, Self::LaneId>;
        /// The lane to the other chain, which has the same name at both ends.
        #[pallet::constant]
        type Lane: Get<Self::LaneId>;
        /// Bytes of the longest message, the same for both chains.
        #[pallet::constant]
        type MaxLength: Get<u32>;
        /// How many messages may wait for the news that they were received.
        #[pallet::constant]
        type MaxWaiting: Get<MessageNonce>;
    }

    /// The events of the pallet.
    #[pallet::event]
    #[pallet::generate_deposit(pub(super) fn deposit_event)]
    pub enum Event<T: Config> {
        /// A message waits for delivery to the other chain.
        Posted {
            /// Who posted it.
            who: T::AccountId,
            /// Its number in the lane, from 1 on.
            nonce: MessageNonce,
        },
        /// A message of the other chain has arrived.
        Received {
            /// Its number in the lane.
            nonce: MessageNonce,
            /// The message.
            message: Vec<u8>,
        },
        /// Something of the other chain has arrived that is no message of this pallet. It is skipped.
        Unreadable {
            /// Its number in the lane.
            nonce: MessageNonce,
        },
    }

    /// Why nothing was posted.
    #[pallet::error]
    pub enum Error<T> {
        /// The lane is closed, or the messages pallet is halted.
        Closed,
        /// As many messages wait as may.
        Full,
    }

    #[pallet::call]
    impl<T: Config> Pallet<T> {
        /// Posts a message on the other chain. Any account may, for the fee of the call.
        ///
        /// # Errors
        /// [`Error::Closed`], [`Error::Full`].
        ///
        /// # Cost
        /// The SDK's weight of an event with as many bytes, and two reads and writes of the state.
        #[pallet::call_index(0)]
        #[pallet::weight(Pallet::<T>::post_weight(message.len()))]
        pub fn post(origin: OriginFor<T>, message: BoundedVec<u8, T::MaxLength>) -> DispatchResult {
            let who = ensure_signed(origin)?;
            let message = T::Bridge::validate_message(T::Lane::get(), &message.into_inner());
            let sent = T::Bridge::send_message(message.map_err(|_| Error::<T>::Closed)?);
            // A call that fails leaves nothing behind.
            let is_full = sent.enqueued_messages > T::MaxWaiting::get();
            ensure!(!is_full, Error::<T>::Full);
            let nonce = sent.nonce;
            Self::deposit_event(Event::Posted { who, nonce });
            Ok(())
        }
    }
}

impl<T: Config> Pallet<T> {
    fn post_weight(length: usize) -> Weight {
        let event =
            T::SystemWeightInfo::remark_with_event(u32::try_from(length).unwrap_or(u32::MAX));
        event.saturating_add(T::DbWeight::get().reads_writes(READS, WRITES))
    }
}

impl<T: Config> MessageDispatch for Pallet<T> {
    type DispatchPayload = Vec<u8>;
    type DispatchLevelResult = ();
    type LaneId = T::LaneId;

    fn is_active(lane: T::LaneId) -> bool {
        lane == T::Lane::get()
    }

    /// The SDK's weight of the event of the longest message.
    fn dispatch_weight(_: &mut DispatchMessage<Vec<u8>, T::LaneId>) -> Weight {
        T::SystemWeightInfo::remark_with_event(T::MaxLength::get())
    }

    fn dispatch(message: DispatchMessage<Vec<u8>, T::LaneId>) -> MessageDispatchResult<()> {
        let nonce = message.key.nonce;
        let fits = |message: &Vec<u8>| message.len() <= T::MaxLength::get() as usize;
        Self::deposit_event(match message.data.payload.ok().filter(fits) {
            Some(message) => Event::Received { nonce, message },
            None => Event::Unreadable { nonce },
        });
        MessageDispatchResult {
            unspent_weight: Weight::zero(),
            dispatch_level_result: (),
        }
    }
}
