//! Writes the runtime APIs of Duet into a runtime.

/// What [`impl_runtime_apis!`](crate::impl_runtime_apis) expands to names it.
#[doc(hidden)]
pub mod __private {
    pub use alloc::vec::Vec;
    pub use duet_primitives;
    pub use frame_system;
    pub use pallet_mmr;
    pub use sp_api;
    pub use sp_mmr_primitives;
    pub use sp_runtime::traits::{Block, NumberFor};
}

/// `sp_api::impl_runtime_apis!`, which also implements
/// [`DuetApi`](duet_primitives::DuetApi), and on request [`MmrApi`](sp_mmr_primitives::MmrApi).
///
/// The first line names the APIs to add, the runtime and its block type; the runtime's own APIs follow as ever.
///
/// ```ignore
/// pallet_duet::impl_runtime_apis! { DuetApi, MmrApi for Runtime, Block;
///     impl sp_api::Core<Block> for Runtime {
///         // …
///     }
///     // …
/// }
/// ```
///
/// A runtime that has `MmrApi` already, for BEEFY for example, writes `DuetApi for Runtime, Block;`. Proofs of old blocks
/// come from `pallet-mmr`, whose leaves are Duet's: `type LeafData = Duet`.
#[macro_export]
macro_rules! impl_runtime_apis {
    (DuetApi, MmrApi for $runtime:ident, $block:ident; $($apis:tt)*) => {
        $crate::impl_runtime_apis! { DuetApi for $runtime, $block;
            $($apis)*

            impl $crate::__private::sp_mmr_primitives::MmrApi<
                $block,
                $crate::__private::duet_primitives::H256,
                $crate::__private::NumberFor<$block>,
            > for $runtime {
                fn mmr_root() -> ::core::result::Result<
                    $crate::__private::duet_primitives::H256,
                    $crate::__private::sp_mmr_primitives::Error,
                > {
                    Ok($crate::__private::pallet_mmr::RootHash::<$runtime>::get())
                }

                fn mmr_leaf_count() -> ::core::result::Result<
                    $crate::__private::sp_mmr_primitives::LeafIndex,
                    $crate::__private::sp_mmr_primitives::Error,
                > {
                    Ok($crate::__private::pallet_mmr::NumberOfLeaves::<$runtime>::get())
                }

                fn generate_proof(
                    blocks: $crate::__private::Vec<$crate::__private::NumberFor<$block>>,
                    at: ::core::option::Option<$crate::__private::NumberFor<$block>>,
                ) -> ::core::result::Result<
                    (
                        $crate::__private::Vec<
                            $crate::__private::sp_mmr_primitives::EncodableOpaqueLeaf,
                        >,
                        $crate::__private::sp_mmr_primitives::LeafProof<
                            $crate::__private::duet_primitives::H256,
                        >,
                    ),
                    $crate::__private::sp_mmr_primitives::Error,
                > {
                    $crate::mmr::generate_proof::<$runtime>(blocks, at)
                }

                fn generate_ancestry_proof(
                    earlier: $crate::__private::NumberFor<$block>,
                    at: ::core::option::Option<$crate::__private::NumberFor<$block>>,
                ) -> ::core::result::Result<
                    $crate::__private::sp_mmr_primitives::AncestryProof<
                        $crate::__private::duet_primitives::H256,
                    >,
                    $crate::__private::sp_mmr_primitives::Error,
                > {
                    $crate::__private::pallet_mmr::Pallet::<$runtime>::generate_ancestry_proof(
                        earlier, at,
                    )
                }

                fn verify_proof(
                    leaves: $crate::__private::Vec<
                        $crate::__private::sp_mmr_primitives::EncodableOpaqueLeaf,
                    >,
                    proof: $crate::__private::sp_mmr_primitives::LeafProof<
                        $crate::__private::duet_primitives::H256,
                    >,
                ) -> ::core::result::Result<(), $crate::__private::sp_mmr_primitives::Error> {
                    $crate::mmr::verify_proof::<$runtime>(leaves, proof)
                }

                fn verify_proof_stateless(
                    root: $crate::__private::duet_primitives::H256,
                    leaves: $crate::__private::Vec<
                        $crate::__private::sp_mmr_primitives::EncodableOpaqueLeaf,
                    >,
                    proof: $crate::__private::sp_mmr_primitives::LeafProof<
                        $crate::__private::duet_primitives::H256,
                    >,
                ) -> ::core::result::Result<(), $crate::__private::sp_mmr_primitives::Error> {
                    $crate::mmr::verify_proof_stateless::<$runtime>(root, leaves, proof)
                }
            }
        }
    };
    (DuetApi for $runtime:ident, $block:ident; $($apis:tt)*) => {
        $crate::__private::sp_api::impl_runtime_apis! {
            $($apis)*

            impl $crate::__private::duet_primitives::DuetApi<
                $block,
                <$runtime as $crate::__private::frame_system::Config>::AccountId,
            > for $runtime {
                fn keysets() -> ::core::option::Option<$crate::__private::duet_primitives::Keysets> {
                    $crate::Pallet::<$runtime>::keysets()
                }

                fn current_keys() -> $crate::__private::Vec<
                    $crate::__private::duet_primitives::DualKeyBytes,
                > {
                    $crate::Pallet::<$runtime>::current_keys()
                }

                fn next_keys() -> $crate::__private::Vec<
                    $crate::__private::duet_primitives::DualKeyBytes,
                > {
                    $crate::Pallet::<$runtime>::next_keys()
                }

                fn commitment_payload() -> ::core::option::Option<
                    $crate::__private::duet_primitives::CommitmentPayload,
                > {
                    $crate::Pallet::<$runtime>::commitment_payload()
                }

                fn registered_key(
                    account: <$runtime as $crate::__private::frame_system::Config>::AccountId,
                ) -> ::core::option::Option<$crate::__private::duet_primitives::DualKeyBytes> {
                    $crate::Pallet::<$runtime>::registered_key(&account)
                }

                fn submit_equivocation_report(
                    evidence: $crate::__private::duet_primitives::EquivocationProof,
                ) -> ::core::option::Option<()> {
                    $crate::Pallet::<$runtime>::submit_equivocation_report(evidence)
                }

                fn evidence_status(
                    evidence: $crate::__private::duet_primitives::EquivocationProof,
                ) -> $crate::__private::duet_primitives::EvidenceStatus {
                    $crate::Pallet::<$runtime>::evidence_status(&evidence)
                }

                fn participation() -> $crate::__private::duet_primitives::Participation<
                    <$runtime as $crate::__private::frame_system::Config>::AccountId,
                > {
                    $crate::Pallet::<$runtime>::participation()
                }

                fn submit_accusation(
                    accusation: $crate::__private::duet_primitives::Accusation,
                    header: ::core::option::Option<<$block as $crate::__private::Block>::Header>,
                    latest: <$block as $crate::__private::Block>::Header,
                ) -> ::core::option::Option<()> {
                    let prove = $crate::mmr::prove::<$runtime>;
                    $crate::Pallet::<$runtime>::submit_accusation(accusation, header, latest, prove)
                }

                fn accusation_status(
                    accusation: $crate::__private::duet_primitives::Accusation,
                ) -> $crate::__private::duet_primitives::EvidenceStatus {
                    $crate::Pallet::<$runtime>::accusation_status(&accusation)
                }

                fn submit_handoff(
                    proof: $crate::__private::duet_primitives::StatelessProof,
                    header: <$block as $crate::__private::Block>::Header,
                    latest: <$block as $crate::__private::Block>::Header,
                ) -> ::core::option::Option<()> {
                    let prove = $crate::mmr::prove::<$runtime>;
                    $crate::Pallet::<$runtime>::submit_handoff(proof, header, latest, prove)
                }

                fn handoff_signers(
                    set: $crate::__private::duet_primitives::SetId,
                ) -> ::core::option::Option<$crate::__private::duet_primitives::Bitfield> {
                    $crate::Pallet::<$runtime>::handoff_signers(set)
                }

                fn signing_records() -> $crate::__private::Vec<(
                    <$runtime as $crate::__private::frame_system::Config>::AccountId,
                    $crate::__private::duet_primitives::SigningRecord,
                )> {
                    $crate::Pallet::<$runtime>::signing_records()
                }

                fn voting_rules() -> $crate::__private::duet_primitives::VotingRules {
                    $crate::Pallet::<$runtime>::voting_rules()
                }
            }
        }
    };
}
