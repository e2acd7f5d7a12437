//! Common parts of unsigned calls: nobody pays for them, so a node accepts them only from itself and from blocks.

use crate::{Call, Config};
use frame_support::{
    ensure,
    pallet_prelude::{InvalidTransaction, TransactionSource, TransactionValidityError},
};
use frame_system::offchain::{CreateBare, SubmitTransaction};

/// Whether this node made the call, or a block contains it.
pub(crate) fn ensure_own(source: TransactionSource) -> Result<(), TransactionValidityError> {
    ensure!(
        matches!(
            source,
            TransactionSource::Local | TransactionSource::InBlock
        ),
        InvalidTransaction::Call
    );
    Ok(())
}

/// Submits a call to the node's own pool; an error when the pool refuses it.
pub(crate) fn submit<T: Config + CreateBare<Call<T>>>(call: Call<T>) -> Result<(), ()> {
    let extrinsic = T::create_bare(call.into());
    SubmitTransaction::<T, Call<T>>::submit_transaction(extrinsic)
}
