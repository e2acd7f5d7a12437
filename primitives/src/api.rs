//! The runtime API: the only interface through which clients ask the chain.

use crate::{
    Accusation, Bitfield, CommitmentPayload, DualKeyBytes, EquivocationProof, EvidenceStatus,
    Keysets, Participation, SetId, SigningRecord, StatelessProof, VotingRules,
};
use alloc::vec::Vec;
use codec::Codec;

sp_api::decl_runtime_apis! {
    /// The API of a chain that finalizes with Duet, for clients.
    #[api_version(5)]
    pub trait DuetApi<AccountId: Codec> {
        /// The signing set and the next one; `None` before the first set.
        fn keysets() -> Option<Keysets>;

        /// The signing set's keys in set order.
        fn current_keys() -> Vec<DualKeyBytes>;

        /// The next set's keys in set order.
        fn next_keys() -> Vec<DualKeyBytes>;

        /// The payload that validators sign about the queried block.
        fn commitment_payload() -> Option<CommitmentPayload>;

        /// The registered key of an account.
        fn registered_key(account: AccountId) -> Option<DualKeyBytes>;

        /// Puts a report of an equivocation into the transaction pool, unsigned and free.
        ///
        /// `None` when the runtime refuses the evidence or the pool is not reachable.
        fn submit_equivocation_report(evidence: EquivocationProof) -> Option<()>;

        /// Whether evidence can still be reported at this block. Since version 2.
        ///
        /// Cost: the check of the evidence: two hashes to the curve and two DLEQ proofs.
        fn evidence_status(evidence: EquivocationProof) -> EvidenceStatus;

        /// The participation in a set that this block would make of the next session's validators. (CHAIN-6)
        ///
        /// Cost: some reads of storage per validator. Since version 2.
        fn participation() -> Participation<AccountId>;

        /// Puts a report that the accused signed something false into the transaction pool, unsigned and free. Since version 3.
        ///
        /// `header` is the header of the chain's block that the statement is about, if there is one; `latest` is the
        /// header of the queried block. `None` when it is not false, the runtime refuses the accusation, or the pool is
        /// not reachable. For old blocks the node needs the Merkle mountain range.
        fn submit_accusation(
            accusation: Accusation,
            header: Option<Block::Header>,
            latest: Block::Header,
        ) -> Option<()>;

        /// Whether an accusation can still be reported at this block; whether the statement is false is not checked.
        /// Since version 3.
        ///
        /// Cost: the check of the vote or the finality proof.
        fn accusation_status(accusation: Accusation) -> EvidenceStatus;

        /// Puts the proof of a set's handoff into the transaction pool, unsigned and free. (HANDOFF-1) Since version 4.
        ///
        /// `header` is the header of the proven block, and `latest` of the queried block. `None` when the runtime
        /// refuses the proof, it has no new signer, or the pool is not reachable.
        fn submit_handoff(
            proof: StatelessProof,
            header: Block::Header,
            latest: Block::Header,
        ) -> Option<()>;

        /// The known signers of a set's handoff; `None` when the chain does not accept proofs of it, or no longer.
        /// (HANDOFF-2) Since version 4.
        fn handoff_signers(set: SetId) -> Option<Bitfield>;

        /// How often each validator signed the handoffs of the sets that the chain remembers. (HANDOFF-2) Since version 4.
        ///
        /// Cost: two reads of storage per remembered set, one of them of 32 bytes per member.
        fn signing_records() -> Vec<(AccountId, SigningRecord)>;

        /// How the set votes that signs at this block. (ROUND-11) Since version 5.
        fn voting_rules() -> VotingRules;
    }
}
