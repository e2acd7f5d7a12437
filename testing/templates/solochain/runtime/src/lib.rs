//! The runtime of a small chain: Aura authors, GRANDPA finalizes, validators are those of the genesis.

#![cfg_attr(not(feature = "std"), no_std)]
#![allow(missing_docs)] // The SDK's macros generate what has none.

extern crate alloc;

#[cfg(feature = "std")]
include!(concat!(env!("OUT_DIR"), "/wasm_binary.rs"));

mod apis;
mod configs;
mod genesis;
mod sessions;

pub use apis::{RuntimeApi, VERSION};

use alloc::vec::Vec;
use sp_runtime::{
    generic,
    traits::{BlakeTwo256, IdentifyAccount, Verify},
    MultiAddress, MultiSignature, OpaqueExtrinsic,
};

/// Milliseconds from one block to the next.
pub const SLOT_MILLIS: u64 = 2_000;
/// Blocks in a session.
pub const SESSION_BLOCKS: BlockNumber = 10;
/// One token.
pub const UNIT: Balance = 1_000_000_000_000;
/// What an account must hold to exist.
pub const EXISTENTIAL_DEPOSIT: Balance = UNIT / 1_000;

pub type Signature = MultiSignature;
pub type AccountId = <<Signature as Verify>::Signer as IdentifyAccount>::AccountId;
pub type Balance = u128;
pub type BlockNumber = u32;
pub type Nonce = u32;
pub type Hash = sp_core::H256;
pub type Header = generic::Header<BlockNumber, BlakeTwo256>;
/// A block as nodes carry it: extrinsics are bytes.
pub type OpaqueBlock = generic::Block<Header, OpaqueExtrinsic>;
pub type Block = generic::Block<Header, UncheckedExtrinsic>;

/// The checks of every transaction.
pub type TxExtension = (
    frame_system::CheckNonZeroSender<Runtime>,
    frame_system::CheckSpecVersion<Runtime>,
    frame_system::CheckTxVersion<Runtime>,
    frame_system::CheckGenesis<Runtime>,
    frame_system::CheckEra<Runtime>,
    frame_system::CheckNonce<Runtime>,
    frame_system::CheckWeight<Runtime>,
    pallet_transaction_payment::ChargeTransactionPayment<Runtime>,
);
pub type UncheckedExtrinsic =
    generic::UncheckedExtrinsic<MultiAddress<AccountId, ()>, RuntimeCall, Signature, TxExtension>;
pub type SignedPayload = generic::SignedPayload<RuntimeCall, TxExtension>;

pub type Executive = frame_executive::Executive<
    Runtime,
    Block,
    frame_system::ChainContext<Runtime>,
    Runtime,
    AllPalletsWithSystem,
>;

sp_runtime::impl_opaque_keys! {
    /// The keys of a validator.
    pub struct SessionKeys {
        pub aura: Aura,
        pub grandpa: Grandpa,
    }
}

#[frame_support::runtime]
mod runtime {
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

    #[runtime::pallet_index(0)]
    pub type System = frame_system;
    #[runtime::pallet_index(1)]
    pub type Timestamp = pallet_timestamp;
    #[runtime::pallet_index(2)]
    pub type Aura = pallet_aura;
    #[runtime::pallet_index(3)]
    pub type Grandpa = pallet_grandpa;
    #[runtime::pallet_index(4)]
    pub type Balances = pallet_balances;
    #[cfg(feature = "duet")]
    #[runtime::pallet_index(8)]
    pub type Duet = pallet_duet;
    #[runtime::pallet_index(5)]
    pub type Session = pallet_session;
    #[runtime::pallet_index(6)]
    pub type TransactionPayment = pallet_transaction_payment;
    #[runtime::pallet_index(7)]
    pub type Sudo = pallet_sudo;
    #[cfg(feature = "duet")]
    #[runtime::pallet_index(9)]
    pub type Mmr = pallet_duet::pallet_mmr;
}
