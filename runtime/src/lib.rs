//! The runtime of a chain that GRANDPA finalizes and whose finality Duet proves.
//!
//! - [`constants`]: the chain's times, sizes and units.
//! - [`types`]: accounts, balances, hashes and headers.
//! - [`Block`] and [`Executive`]: blocks, and what executes them.
//! - [`configs`]: every pallet's configuration, by concern.
//! - [`extrinsic`]: the transaction format, and how a client builds a transaction.
//! - [`apis`]: the runtime APIs and the version.
//! - [`genesis`]: the presets of the development and local networks, and the parts to make one's own.
//!
//! Aura authors blocks; with the feature `babe`, BABE does ([`configs::authoring`]).
//!
//! Equivocations of GRANDPA and of Duet go the same way: evidence → its pallet → Offences → Staking, which
//! slashes at once and disables the offender, as long as no more than a third of the set is disabled.

#![cfg_attr(not(feature = "std"), no_std)]
#![recursion_limit = "512"]
#![allow(missing_docs)] // Only for what the SDK's macros generate here; the modules ask for them again.

extern crate alloc;

#[cfg(feature = "std")]
include!(concat!(env!("OUT_DIR"), "/wasm_binary.rs"));

/// The blob of the next version, for tests of an upgrade. It has another number, and keeps the MMR root elsewhere.
#[cfg(all(feature = "std", feature = "next-blob"))]
pub mod next {
    include!(concat!(env!("OUT_DIR"), "/next_wasm_binary.rs"));
}

pub mod apis;
#[cfg(feature = "runtime-benchmarks")]
mod benchmarking;
#[warn(missing_docs)]
mod block;
#[warn(missing_docs)]
pub mod configs;
#[warn(missing_docs)]
pub mod constants;
#[warn(missing_docs)]
pub mod extrinsic;
#[warn(missing_docs)]
pub mod genesis;
#[warn(missing_docs)]
mod lanes;
#[warn(missing_docs)]
mod obsolete;
mod token;
#[warn(missing_docs)]
pub mod types;

#[cfg(test)]
mod tests;

use alloc::vec::Vec;
use sp_core::{ed25519, sr25519};

pub use apis::{RuntimeApi, RUNTIME_API_VERSIONS, VERSION};
pub use block::{Block, Executive};
pub use extrinsic::{SignedPayload, TxExtension, UncheckedExtrinsic};
pub use obsolete::RejectObsoleteMessages;
pub use types::{AccountId, Address, Balance, BlockNumber, Hash, Header, Nonce, Signature};

/// Declares the keys with the name of the first one, which is that of its pallet.
macro_rules! session_keys {
    ($author:ident: $pallet:ident) => {
        sp_runtime::impl_opaque_keys! {
            /// The keys of a validator in the session pallet; its Duet key is in Duet's own registry.
            pub struct SessionKeys {
                /// Authors blocks.
                pub $author: $pallet,
                /// Finalizes them.
                pub grandpa: Grandpa,
                /// Signs the addresses at which its node is reached.
                pub authority_discovery: AuthorityDiscovery,
            }
        }

        impl SessionKeys {
            /// The keys of a validator that has one for blocks and for its addresses.
            pub fn new(author: sr25519::Public, grandpa: ed25519::Public) -> Self {
                Self {
                    $author: author.into(),
                    grandpa: grandpa.into(),
                    authority_discovery: author.into(),
                }
            }
        }
    };
}

#[cfg(not(feature = "babe"))]
session_keys!(aura: Aura);
#[cfg(feature = "babe")]
session_keys!(babe: Babe);

/// The pallets, in the order in which their hooks and their genesis run.
///
/// Genesis: Session asks Staking for the first validators and Duet for their set; Duet lets only those register
/// who have bonded in Staking, which takes their stake from Balances. Hooks: Authorship stands before Session,
/// so that the author of a session's first block is looked up in the session that it was elected for. DuetRecovery stands
/// after Duet, which may reset its sets when it finalizes a block.
#[frame_support::runtime]
mod runtime {
    /// The state machine.
    #[runtime::runtime]
    #[runtime::derive(
        RuntimeCall,
        RuntimeEvent,
        RuntimeError,
        RuntimeOrigin,
        RuntimeFreezeReason,
        RuntimeHoldReason,
        RuntimeSlashReason,
        RuntimeLockId,
        RuntimeTask,
        RuntimeViewFunction
    )]
    pub struct Runtime;

    /// Accounts' nonces, events, hashes of past blocks.
    #[runtime::pallet_index(0)]
    pub type System = frame_system;
    /// The time, set by each block's author.
    #[runtime::pallet_index(1)]
    pub type Timestamp = pallet_timestamp;
    /// Whose turn it is to author.
    #[cfg(not(feature = "babe"))]
    #[runtime::pallet_index(2)]
    pub type Aura = pallet_aura;
    /// Who may author, by lot, and the sessions.
    #[cfg(feature = "babe")]
    #[runtime::pallet_index(20)]
    pub type Babe = pallet_babe;
    /// Finality inside the network.
    #[runtime::pallet_index(3)]
    pub type Grandpa = pallet_grandpa;
    /// Who authored the block.
    #[runtime::pallet_index(4)]
    pub type Authorship = pallet_authorship;
    /// Money.
    #[runtime::pallet_index(5)]
    pub type Balances = pallet_balances;
    /// Who is elected, rewarded and slashed.
    #[runtime::pallet_index(6)]
    pub type Staking = pallet_staking;
    /// Finality as one proof that anybody checks.
    #[runtime::pallet_index(7)]
    pub type Duet = pallet_duet;
    /// Who held which session key in earlier sessions.
    #[runtime::pallet_index(8)]
    pub type Historical = pallet_session::historical;
    /// Sessions and their keys.
    #[runtime::pallet_index(9)]
    pub type Session = pallet_session;
    /// Offences, each counted once.
    #[runtime::pallet_index(10)]
    pub type Offences = pallet_offences;
    /// Fees.
    #[runtime::pallet_index(11)]
    pub type TransactionPayment = pallet_transaction_payment;
    /// Batches.
    #[runtime::pallet_index(12)]
    pub type Utility = pallet_utility;
    /// The development network's administrator.
    #[runtime::pallet_index(13)]
    pub type Sudo = pallet_sudo;
    /// The Merkle mountain range over all earlier blocks.
    #[runtime::pallet_index(14)]
    pub type Mmr = pallet_mmr;
    /// Another chain of this kind, by its finality proofs.
    #[runtime::pallet_index(15)]
    pub type BridgeDuet = pallet_bridge_duet;
    /// Messages to that chain and from it, by proofs of its state.
    #[runtime::pallet_index(16)]
    pub type BridgeMessages = pallet_bridge_messages;
    /// Who sends them, and where they arrive.
    #[runtime::pallet_index(17)]
    pub type MessageBoard = pallet_message_board;
    /// By which keys validators sign the addresses of their nodes.
    #[runtime::pallet_index(18)]
    pub type AuthorityDiscovery = pallet_authority_discovery;
    /// The keys that say which set follows a reset.
    #[runtime::pallet_index(19)]
    pub type DuetRecovery = pallet_duet_recovery;
}
