//! The runtime API: the only interface through which clients ask the chain.

use crate::{CommitmentPayload, DualKeyBytes, EquivocationProof, Keysets};
use alloc::vec::Vec;
use codec::Codec;

sp_api::decl_runtime_apis! {
    /// What clients ask a chain that finalizes with Duet.
    #[api_version(1)]
    pub trait DuetApi<AccountId: Codec> {
        /// The signing set and the next one; `None` while no validator has keys.
        fn keysets() -> Option<Keysets>;

        /// The signing set's keys in set order.
        fn current_keys() -> Vec<DualKeyBytes>;

        /// The next set's keys in set order.
        fn next_keys() -> Vec<DualKeyBytes>;

        /// What validators sign about the block whose state this is asked of.
        fn commitment_payload() -> Option<CommitmentPayload>;

        /// The registered key of an account.
        fn registered_key(account: AccountId) -> Option<DualKeyBytes>;

        /// Puts a report of an equivocation into the transaction pool, unsigned and free.
        ///
        /// `None` when the runtime refuses the evidence or the pool is not reachable.
        fn submit_equivocation_report(evidence: EquivocationProof) -> Option<()>;
    }
}
