//! Accounts, balances, hashes and headers.

use sp_runtime::{
    generic,
    traits::{BlakeTwo256, IdentifyAccount, Verify},
    MultiAddress, MultiSignature,
};

/// A signature of any of the SDK's usual schemes.
pub type Signature = MultiSignature;
/// An account: 32 bytes, the hash or the bytes of its public key.
pub type AccountId = <<Signature as Verify>::Signer as IdentifyAccount>::AccountId;
/// How transactions name accounts.
pub type Address = MultiAddress<AccountId, ()>;
/// An amount, in the smallest unit.
pub type Balance = u128;
/// Number of a block.
pub type BlockNumber = u32;
/// How many transactions an account has sent.
pub type Nonce = u32;
/// A hash of anything.
pub type Hash = sp_core::H256;
/// Header of a block.
pub type Header = generic::Header<BlockNumber, BlakeTwo256>;
/// Blocks as clients carry them: extrinsics that only the runtime decodes.
pub mod opaque {
    use super::Header;
    use sp_runtime::{generic, OpaqueExtrinsic};

    /// A block whose extrinsics are bytes.
    pub type Block = generic::Block<Header, OpaqueExtrinsic>;
}
