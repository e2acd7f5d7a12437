//! Common parts of unsigned calls: nobody pays for them, so a node accepts them only from itself and from blocks.

use crate::{types::ExtrinsicOf, Call, Config};
use codec::Encode;
use frame_support::{
    ensure,
    pallet_prelude::{InvalidTransaction, TransactionSource, TransactionValidityError},
    traits::InherentBuilder,
};

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
pub(crate) fn submit<T: Config>(call: Call<T>) -> Result<(), ()>
where
    ExtrinsicOf<T>: InherentBuilder<Call: From<Call<T>>>,
{
    // An unsigned transaction and an inherent are the same extrinsic: a call alone.
    let extrinsic = ExtrinsicOf::<T>::new_inherent(call.into());
    sp_io::offchain::submit_transaction(extrinsic.encode())
}
