//! Which transactions the pool takes.

use crate::{
    evm::{tx_env, Rules},
    pool::{cost, Pool},
    refusal::Refusal,
};
use alloy_consensus::{
    transaction::{Recovered, SignerRecoverable},
    Transaction, TxEnvelope,
};
use alloy_eips::Decodable2718;
use revm::state::AccountInfo;

/// The most bytes of a transaction.
const MAX_BYTES: usize = 128 * 1024;

/// Reads a signed transaction and recovers its sender.
///
/// # Errors
/// When it is too long, no transaction, of a type not taken, or wrongly signed.
pub(crate) fn decode(raw: &[u8]) -> Result<Recovered<TxEnvelope>, Refusal> {
    if raw.len() > MAX_BYTES {
        return Err(Refusal::Oversized {
            got: raw.len(),
            limit: MAX_BYTES,
        });
    }
    let tx = TxEnvelope::decode_2718_exact(raw).map_err(Refusal::Encoding)?;
    match tx {
        TxEnvelope::Legacy(_) | TxEnvelope::Eip2930(_) | TxEnvelope::Eip1559(_) => {}
        TxEnvelope::Eip4844(_) | TxEnvelope::Eip7702(_) => return Err(Refusal::UnsupportedType),
    }
    let sender = tx.recover_signer().map_err(|_| Refusal::InvalidSender)?;
    Ok(Recovered::new_unchecked(tx, sender))
}

/// Checks a transaction against the rules, and against the account and the pool of its sender.
///
/// # Errors
/// The first check that fails.
pub(crate) fn check(
    rules: Rules,
    account: &AccountInfo,
    pool: &Pool,
    tx: &Recovered<TxEnvelope>,
) -> Result<(), Refusal> {
    let chain_id = tx.chain_id().ok_or(Refusal::Unprotected)?;
    if chain_id != rules.chain_id {
        return Err(Refusal::WrongChain {
            got: chain_id,
            expected: rules.chain_id,
        });
    }
    rules.check(tx_env(tx)).map_err(Refusal::NotExecutable)?;
    if !account.is_empty_code_hash() {
        return Err(Refusal::SenderIsContract);
    }
    if tx.nonce() < account.nonce {
        return Err(Refusal::NonceTooLow {
            next: account.nonce,
            got: tx.nonce(),
        });
    }
    let (cost, queued) = (cost(tx), pool.cost_beside(tx.signer_ref(), tx.nonce()));
    if cost.saturating_add(queued) > account.balance {
        return Err(Refusal::InsufficientFunds {
            balance: account.balance,
            cost,
            queued,
        });
    }
    Ok(())
}
