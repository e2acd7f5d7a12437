//! Transactions that wait for a block.

use crate::refusal::Refusal;
use alloy_consensus::{transaction::Recovered, Transaction, TxEnvelope};
use alloy_primitives::{Address, B256, U256};
use std::collections::{BTreeMap, HashMap};

/// The most transactions in the pool.
const CAPACITY: usize = 1024;

/// The most transactions of one sender.
const CAPACITY_OF_SENDER: usize = 64;

/// How much more both fees of a replacement must be, in percent.
const PRICE_BUMP: u128 = 10;

/// A transaction in the pool.
#[derive(Clone, Debug)]
pub(crate) struct Pooled {
    pub(crate) tx: Recovered<TxEnvelope>,
    /// Orders transactions with equal tips.
    pub(crate) arrival: u64,
}

/// The transactions of one sender, by nonce.
pub(crate) type Queue = BTreeMap<u64, Pooled>;

/// Transactions by sender and nonce. A sender without transactions has no queue.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    queues: BTreeMap<Address, Queue>,
    by_hash: HashMap<B256, (Address, u64)>,
    arrivals: u64,
}

impl Pool {
    /// How many transactions wait.
    pub(crate) fn len(&self) -> usize {
        self.by_hash.len()
    }

    /// The transaction with this hash.
    pub(crate) fn get(&self, hash: &B256) -> Option<&Recovered<TxEnvelope>> {
        let (sender, nonce) = self.by_hash.get(hash)?;
        Some(&self.queues.get(sender)?.get(nonce)?.tx)
    }

    /// All transactions, by sender.
    pub(crate) fn queues(&self) -> &BTreeMap<Address, Queue> {
        &self.queues
    }

    /// The first nonce, from the account's on, that no transaction of the sender has.
    pub(crate) fn next_nonce(&self, sender: &Address, account: u64) -> u64 {
        let Some(queue) = self.queues.get(sender) else {
            return account;
        };
        let mut next = account;
        while queue.contains_key(&next) {
            next += 1;
        }
        next
    }

    /// The most that the sender's transactions can cost, without the one with this nonce.
    pub(crate) fn cost_beside(&self, sender: &Address, nonce: u64) -> U256 {
        self.queues
            .get(sender)
            .into_iter()
            .flatten()
            .filter(|(other, _)| **other != nonce)
            .fold(U256::ZERO, |sum, (_, pooled)| {
                sum.saturating_add(cost(&pooled.tx))
            })
    }

    /// Adds a transaction, or puts it in the place of one with the same nonce.
    ///
    /// # Errors
    /// When it is known, pays too little to replace another, or finds the pool full.
    pub(crate) fn insert(&mut self, tx: Recovered<TxEnvelope>) -> Result<(), Refusal> {
        let (sender, nonce, hash) = (tx.signer(), tx.nonce(), *tx.tx_hash());
        if self.by_hash.contains_key(&hash) {
            return Err(Refusal::AlreadyKnown);
        }
        let queue = self.queues.get(&sender);
        if let Some(old) = queue.and_then(|queue| queue.get(&nonce)) {
            if !replaces(&tx, &old.tx) {
                return Err(Refusal::Underpriced);
            }
            self.by_hash.remove(old.tx.tx_hash());
        } else if self.len() >= CAPACITY {
            return Err(Refusal::PoolFull { limit: CAPACITY });
        } else if queue.is_some_and(|queue| queue.len() >= CAPACITY_OF_SENDER) {
            return Err(Refusal::SenderFull {
                limit: CAPACITY_OF_SENDER,
            });
        }
        let arrival = self.arrivals;
        self.arrivals += 1;
        self.by_hash.insert(hash, (sender, nonce));
        self.queues
            .entry(sender)
            .or_default()
            .insert(nonce, Pooled { tx, arrival });
        Ok(())
    }

    /// Removes a transaction.
    pub(crate) fn remove(&mut self, tx: &Recovered<TxEnvelope>) {
        self.by_hash.remove(tx.tx_hash());
        let sender = tx.signer();
        if let Some(queue) = self.queues.get_mut(&sender) {
            queue.remove(&tx.nonce());
            if queue.is_empty() {
                self.queues.remove(&sender);
            }
        }
    }
}

/// The most that a transaction can cost its sender.
pub(crate) fn cost(tx: &TxEnvelope) -> U256 {
    U256::from(tx.max_fee_per_gas())
        .saturating_mul(U256::from(tx.gas_limit()))
        .saturating_add(tx.value())
}

/// Whether both fees are high enough above those of the transaction to be replaced.
fn replaces(new: &TxEnvelope, old: &TxEnvelope) -> bool {
    // For a legacy transaction the tip that counts here is its whole price, as in other nodes.
    let tip = |tx: &TxEnvelope| tx.priority_fee_or_price();
    let is_enough = |new: u128, old: u128| {
        let bumped = old.saturating_add(old / 100 * PRICE_BUMP + old % 100 * PRICE_BUMP / 100);
        new > old && new >= bumped
    };
    is_enough(new.max_fee_per_gas(), old.max_fee_per_gas()) && is_enough(tip(new), tip(old))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy_consensus::{SignableTransaction, TxEip1559};
    use alloy_primitives::Signature;

    fn transaction(sender: u8, nonce: u64, fee: u128) -> Recovered<TxEnvelope> {
        let tx = TxEip1559 {
            nonce,
            gas_limit: 21_000,
            max_fee_per_gas: fee,
            max_priority_fee_per_gas: fee,
            to: Address::repeat_byte(sender).into(),
            ..TxEip1559::default()
        };
        // The pool does not look at signatures.
        let signed = tx.into_signed(Signature::new(U256::ONE, U256::ONE, false));
        Recovered::new_unchecked(signed.into(), Address::repeat_byte(sender))
    }

    #[test]
    fn a_full_pool_takes_replacements_only() {
        let mut pool = Pool::default();
        for sender in 0..16 {
            for nonce in 0..64 {
                pool.insert(transaction(sender, nonce, 100)).expect("room");
            }
        }
        assert_eq!(pool.len(), CAPACITY);
        let refused = pool.insert(transaction(16, 0, 100));
        assert!(
            matches!(refused, Err(Refusal::PoolFull { .. })),
            "{refused:?}"
        );
        pool.insert(transaction(0, 0, 110)).expect("a replacement");
        assert_eq!(pool.len(), CAPACITY);
        pool.remove(&transaction(0, 0, 110));
        pool.insert(transaction(16, 0, 100)).expect("room again");
    }

    #[test]
    fn an_emptied_pool_keeps_nothing() {
        let mut pool = Pool::default();
        pool.insert(transaction(1, 0, 100)).expect("room");
        pool.insert(transaction(1, 0, 200)).expect("a replacement");
        pool.remove(&transaction(1, 0, 200));
        assert!(pool.queues.is_empty() && pool.by_hash.is_empty());
    }
}
