//! The runtime API: the only interface through which clients ask the chain.

use crate::{
    Accusation, Bitfield, CommitmentPayload, DualKeyBytes, EquivocationProof, EvidenceStatus,
    Keysets, Participation, SetId, SigningRecord, StatelessProof, VotingRules,
};
use alloc::vec::Vec;
use codec::Codec;

sp_api::decl_runtime_apis! {
    /// What clients ask a chain that finalizes with Duet.
    #[api_version(5)]
    pub trait DuetApi<AccountId: Codec> {
        /// The signing set and the next one; `None` before the first set.
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

        /// What can still be done about evidence at this block. Since version 2.
        ///
        /// Cost: that of checking the evidence: two hashes to the curve and two DLEQ proofs.
        fn evidence_status(evidence: EquivocationProof) -> EvidenceStatus;

        /// What a set would stand for if it were made at this block of the validators of the next session. (CHAIN-6)
        ///
        /// Cost: some reads of storage per validator. Since version 2.
        fn participation() -> Participation<AccountId>;

        /// Puts a report that the accused signed something false into the transaction pool, unsigned and free. Since version 3.
        ///
        /// `header` is that of the chain's block about which they signed it, if there is one, and `latest` that of the block at which
        /// this is asked. `None` when it is not false, the runtime refuses the accusation, or the pool is not reachable. An
        /// old block is proven by the Merkle mountain range, which the node has to have.
        fn submit_accusation(
            accusation: Accusation,
            header: Option<Block::Header>,
            latest: Block::Header,
        ) -> Option<()>;

        /// What can still be done at this block about members of a set that signed something false; whether it is false is not
        /// looked at. Since version 3.
        ///
        /// Cost: that of checking the vote or the finality proof.
        fn accusation_status(accusation: Accusation) -> EvidenceStatus;

        /// Puts the proof of a set's handoff into the transaction pool, unsigned and free. (HANDOFF-1) Since version 4.
        ///
        /// `header` is that of the block that it proves, and `latest` that of the block at which this is asked. `None` when the
        /// runtime refuses the proof, it has no new signer, or the pool is not reachable.
        fn submit_handoff(
            proof: StatelessProof,
            header: Block::Header,
            latest: Block::Header,
        ) -> Option<()>;

        /// Who signed the handoff of a set, as far as the chain knows; `None` when it takes no proof of it (any more).
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
