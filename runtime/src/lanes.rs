//! What relayers of the SDK's messages ask of a lane.

use crate::{constants::MAX_UNCONFIRMED_MESSAGES, BridgeMessages};
use alloc::vec::Vec;
use bp_messages::{LegacyLaneId, MessageNonce, OutboundMessageDetails};
use frame_support::weights::Weight;

// The APIs of a chain that bridges with one of this kind.
bp_runtime::decl_bridge_messages_runtime_apis!(duet, LegacyLaneId);

/// What is known of messages that wait in a lane, in the order of their numbers: of as many at most as can be on their way.
pub(crate) fn outbound_details(
    lane: LegacyLaneId,
    begin: MessageNonce,
    end: MessageNonce,
) -> Vec<OutboundMessageDetails> {
    let at_most = usize::try_from(MAX_UNCONFIRMED_MESSAGES).unwrap_or(usize::MAX);
    let details = |nonce| {
        let message = BridgeMessages::outbound_message_data(lane, nonce)?;
        Some(OutboundMessageDetails {
            nonce,
            // Who receives it says what it weighs.
            dispatch_weight: Weight::zero(),
            size: u32::try_from(message.len()).unwrap_or(u32::MAX),
        })
    };
    (begin..=end).take(at_most).filter_map(details).collect()
}
