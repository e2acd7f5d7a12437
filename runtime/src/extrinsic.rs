//! The transaction format, and how a client builds a transaction from these types.

use crate::{
    obsolete::RejectObsoleteMessages,
    types::{AccountId, Address, Hash, Nonce, Signature},
    Runtime, RuntimeCall,
};
use pallet_bridge_duet::RejectObsoleteHeaders;
use sp_runtime::generic::{self, Era};

/// The checks of every transaction before it runs. Their data is part of what the signer signs.
pub type TxExtension = (
    frame_system::AuthorizeCall<Runtime>,
    frame_system::CheckNonZeroSender<Runtime>,
    frame_system::CheckSpecVersion<Runtime>,
    frame_system::CheckTxVersion<Runtime>,
    frame_system::CheckGenesis<Runtime>,
    frame_system::CheckEra<Runtime>,
    frame_system::CheckNonce<Runtime>,
    frame_system::CheckWeight<Runtime>,
    RejectObsolete,
    pallet_transaction_payment::ChargeTransactionPayment<Runtime>,
    frame_metadata_hash_extension::CheckMetadataHash<Runtime>,
    frame_system::WeightReclaim<Runtime>,
);

/// Two in one place, because the SDK has no larger tuples.
pub type RejectObsolete = (RejectObsoleteHeaders<Runtime>, RejectObsoleteMessages);

/// A transaction as encoded in a block.
pub type UncheckedExtrinsic =
    generic::UncheckedExtrinsic<Address, RuntimeCall, Signature, TxExtension>;

/// What a signer signs.
pub type SignedPayload = generic::SignedPayload<RuntimeCall, TxExtension>;

/// The payload of a transaction that never expires and pays no tip, without asking any state.
///
/// `spec_version` is that of the runtime that the chain has; with any other one the chain refuses the transaction. The chain reads it as
/// it is meant if its `transaction_version` is that of [`VERSION`](crate::VERSION).
pub fn payload(
    call: RuntimeCall,
    nonce: Nonce,
    genesis_hash: Hash,
    spec_version: u32,
) -> SignedPayload {
    let extension: TxExtension = (
        frame_system::AuthorizeCall::new(),
        frame_system::CheckNonZeroSender::new(),
        frame_system::CheckSpecVersion::new(),
        frame_system::CheckTxVersion::new(),
        frame_system::CheckGenesis::new(),
        frame_system::CheckEra::from(Era::Immortal),
        frame_system::CheckNonce::from(nonce),
        frame_system::CheckWeight::new(),
        (RejectObsoleteHeaders::new(), RejectObsoleteMessages),
        pallet_transaction_payment::ChargeTransactionPayment::from(0),
        frame_metadata_hash_extension::CheckMetadataHash::new(false),
        frame_system::WeightReclaim::new(),
    );
    // An immortal transaction names the genesis block as the one that it is anchored to.
    let version = <Runtime as frame_system::Config>::Version::get();
    let implicit = (
        (),
        (),
        spec_version,
        version.transaction_version,
        genesis_hash,
        genesis_hash,
        (),
        (),
        ((), ()),
        (),
        None,
        (),
    );
    SignedPayload::from_raw(call, extension, implicit)
}

/// Signs a [`payload`] for `signer` and returns the transaction to submit.
///
/// `sign` gets the bytes to sign, already hashed if they are long.
pub fn sign(
    payload: SignedPayload,
    signer: AccountId,
    sign: impl FnOnce(&[u8]) -> Signature,
) -> UncheckedExtrinsic {
    use codec::Encode;

    let signature = payload.using_encoded(sign);
    let (call, extension, _) = payload.deconstruct();
    UncheckedExtrinsic::new_signed(call, signer.into(), signature, extension)
}
