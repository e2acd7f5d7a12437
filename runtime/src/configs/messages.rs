//! What is sent to the other chain, and what happens to what arrives.

use crate::{
    configs::bridge::SiblingChain,
    constants::{LANE, MAX_MESSAGE_BYTES, MAX_UNCONFIRMED_MESSAGES},
    BridgeDuet, BridgeMessages, MessageBoard, Runtime, RuntimeEvent,
};
use alloc::vec::Vec;
use bp_messages::{ChainWithMessages, LegacyLaneId, MessageNonce};
use frame_support::{
    parameter_types,
    traits::{ConstU32, ConstU64},
};
use pallet_bridge_messages::weights::BridgeWeight;

impl ChainWithMessages for SiblingChain {
    const WITH_CHAIN_MESSAGES_PALLET_NAME: &'static str = "BridgeMessages";
    const MAX_UNREWARDED_RELAYERS_IN_CONFIRMATION_TX: MessageNonce = 16;
    const MAX_UNCONFIRMED_MESSAGES_IN_CONFIRMATION_TX: MessageNonce = MAX_UNCONFIRMED_MESSAGES;
}

parameter_types! {
    /// The only lane. It is open from genesis on; messages travel once each chain follows the other one.
    pub const Lane: LegacyLaneId = LANE;
}

/// Who brings a message pays for it; nobody is rewarded.
impl pallet_bridge_messages::Config for Runtime {
    type RuntimeEvent = RuntimeEvent;
    type WeightInfo = BridgeWeight<Runtime>;
    type ThisChain = SiblingChain;
    type BridgedChain = SiblingChain;
    type BridgedHeaderChain = BridgeDuet;
    type OutboundPayload = Vec<u8>;
    type InboundPayload = Vec<u8>;
    type LaneId = LegacyLaneId;
    type DeliveryPayments = ();
    type DeliveryConfirmationPayments = ();
    type OnMessagesDelivered = ();
    type MessageDispatch = MessageBoard;
}

impl pallet_message_board::Config for Runtime {
    type LaneId = LegacyLaneId;
    type Bridge = BridgeMessages;
    type Lane = Lane;
    type MaxLength = ConstU32<MAX_MESSAGE_BYTES>;
    type MaxWaiting = ConstU64<MAX_UNCONFIRMED_MESSAGES>;
}
