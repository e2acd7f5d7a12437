//! Announcements in headers about sets and blocks. (CHAIN-2, CHAIN-7)

use crate::{signing, Config};
use codec::Encode;
use duet_primitives::{suite, ConsensusLog};
use sp_runtime::generic::DigestItem;

/// CHAIN-2.
pub(crate) fn announce<T: Config>(log: &ConsensusLog) {
    let item = DigestItem::Consensus(suite::ENGINE_ID, log.encode());
    frame_system::Pallet::<T>::deposit_log(item);
}

/// CHAIN-7: the header has the hash of the payload to be signed about its block. Nothing before the first set.
pub(crate) fn announce_payload<T: Config>() {
    if let Some(payload) = signing::payload::<T>() {
        announce::<T>(&ConsensusLog::Payload(payload.hash()));
    }
}
