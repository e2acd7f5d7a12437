//! Which transactions of the pool go into a block, and what they do.

use crate::{
    evm::{tx_env, Rules},
    pool::{Pool, Pooled},
};
use alloy_consensus::{transaction::Recovered, Transaction, TxEnvelope};
use alloy_primitives::Address;
use revm::{
    context::{result::ExecutionResult, BlockEnv},
    Database, DatabaseCommit, ExecuteCommitEvm,
};
use std::{cmp::Reverse, collections::BTreeMap, convert::Infallible};

/// A transaction, and what came of it.
#[derive(Debug)]
pub(crate) struct Executed {
    pub(crate) tx: Recovered<TxEnvelope>,
    pub(crate) result: ExecutionResult,
}

/// What became of the pool.
#[derive(Debug, Default)]
pub(crate) struct Filled {
    /// In the order of the block.
    pub(crate) executed: Vec<Executed>,
    /// What can never go into a block, such as one whose sender has spent the money meanwhile.
    pub(crate) invalid: Vec<Recovered<TxEnvelope>>,
}

/// Executes what the block can take of the pool: each sender's transactions by nonce, and among the
/// senders the highest tip first.
pub(crate) fn fill<DB>(rules: Rules, block: &BlockEnv, db: &mut DB, pool: &Pool) -> Filled
where
    DB: Database<Error = Infallible> + DatabaseCommit,
{
    let mut filled = Filled::default();
    let mut next: BTreeMap<Address, u64> = pool
        .queues()
        .keys()
        .map(|sender| (*sender, nonce(db, *sender)))
        .collect();
    let mut evm = rules.evm(block.clone(), db);
    let mut gas_left = block.gas_limit;
    while let Some(tx) = best(pool, &next, block.basefee, gas_left) {
        let sender = tx.signer();
        match evm.transact_commit(tx_env(tx)) {
            Ok(result) => {
                gas_left = gas_left.saturating_sub(result.tx_gas_used());
                next.insert(sender, tx.nonce() + 1);
                let tx = tx.clone();
                filled.executed.push(Executed { tx, result });
            }
            Err(_) => {
                next.remove(&sender);
                filled.invalid.push(tx.clone());
            }
        }
    }
    filled
}

/// Whether a block with this base fee would take anything.
pub(crate) fn is_ready<DB>(block: &BlockEnv, db: &mut DB, pool: &Pool) -> bool
where
    DB: Database<Error = Infallible>,
{
    let next = pool
        .queues()
        .keys()
        .map(|sender| (*sender, nonce(db, *sender)))
        .collect();
    best(pool, &next, block.basefee, block.gas_limit).is_some()
}

fn nonce<DB: Database<Error = Infallible>>(db: &mut DB, address: Address) -> u64 {
    let Ok(account) = db.basic(address);
    account.map(|account| account.nonce).unwrap_or_default()
}

/// The transaction with the highest tip among those whose turn it is; the older of equals.
fn best<'a>(
    pool: &'a Pool,
    next: &BTreeMap<Address, u64>,
    base_fee: u64,
    gas_left: u64,
) -> Option<&'a Recovered<TxEnvelope>> {
    let candidate = |(sender, nonce): (&Address, &u64)| -> Option<(u128, &'a Pooled)> {
        let pooled = pool.queues().get(sender)?.get(nonce)?;
        let tip = pooled.tx.effective_tip_per_gas(base_fee)?;
        (pooled.tx.gas_limit() <= gas_left).then_some((tip, pooled))
    };
    next.iter()
        .filter_map(candidate)
        .max_by_key(|(tip, pooled)| (*tip, Reverse(pooled.arrival)))
        .map(|(_, pooled)| &pooled.tx)
}
