//! Why a key must not be removed yet.

use duet_primitives::{BlockNumber, SetId};
use sp_core::crypto::AccountId32;

/// Why a key must stay. Each message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StillNeeded {
    /// The node cannot tell.
    #[error("the node is still syncing: wait until it has synced, or use another node")]
    Syncing,
    /// The key is in the registry.
    #[error(
        "{account} has registered this key: register another key first (duet-key rotate), or deregister this one \
         with duet.deregisterKeys"
    )]
    Registered {
        /// The account that registered it.
        account: AccountId32,
    },
    /// The key is a member of the signing set.
    #[error("set {set} signs with this key: wait until a set without it signs")]
    Signs {
        /// The set.
        set: SetId,
    },
    /// The key is, or may be, a member of a planned set.
    #[error("set {signing} signs, and this key may be a member of sets up to {last}: wait until a later set signs")]
    Planned {
        /// The signing set.
        signing: SetId,
        /// The last set that may contain the key.
        last: SetId,
    },
    /// The key's last set no longer signs, and the proof of its handoff is missing.
    #[error(
        "Duet has not proven the handoff of set {last}, the last set with this key, and may need the key's vote; \
         Duet has proven {}: wait until Duet has caught up, see duet_health",
        proven.map_or_else(|| "nothing".to_owned(), |block| format!("block {block}"))
    )]
    Unproven {
        /// The last set with the key.
        last: SetId,
        /// The highest block that Duet proved on the node.
        proven: Option<BlockNumber>,
    },
}
