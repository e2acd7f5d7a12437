//! A block with its receipts, and how it is shown over RPC.

use crate::fill::Executed;
use alloy_consensus::{
    proofs::{calculate_receipt_root, calculate_transaction_root},
    transaction::{Recovered, TransactionInfo},
    BlockBody, Eip658Value, Header, Receipt, ReceiptEnvelope, Transaction, TxEnvelope,
};
use alloy_eips::{eip4895::Withdrawals, BlockNumHash};
use alloy_primitives::{Bloom, B256};
use alloy_rpc_types_eth::{
    Block as RpcBlock, BlockTransactions, Filter, Header as RpcHeader, Log as RpcLog,
    Transaction as RpcTransaction, TransactionReceipt,
};

/// A transaction in a block.
#[derive(Debug)]
pub(crate) struct Mined {
    pub(crate) tx: Recovered<TxEnvelope>,
    pub(crate) gas_used: u64,
    receipt: ReceiptEnvelope,
}

/// A block.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) header: RpcHeader,
    pub(crate) transactions: Vec<Mined>,
}

impl Block {
    /// Completes a header with what was executed. No root of the state is computed: the header has
    /// that of the empty state.
    pub(crate) fn seal(mut header: Header, executed: Vec<Executed>) -> Self {
        let mut transactions = Vec::with_capacity(executed.len());
        let mut total = 0;
        for Executed { tx, result } in executed {
            let gas_used = result.tx_gas_used();
            total += gas_used;
            let receipt = Receipt {
                status: Eip658Value::Eip658(result.is_success()),
                cumulative_gas_used: total,
                logs: result.into_logs(),
            };
            let receipt = ReceiptEnvelope::from_typed(tx.tx_type(), receipt.with_bloom());
            transactions.push(Mined {
                tx,
                gas_used,
                receipt,
            });
        }
        let envelopes: Vec<_> = transactions
            .iter()
            .map(|mined| mined.tx.inner().clone())
            .collect();
        let receipts: Vec<_> = transactions
            .iter()
            .map(|mined| mined.receipt.clone())
            .collect();
        header.gas_used = total;
        header.transactions_root = calculate_transaction_root(&envelopes);
        header.receipts_root = calculate_receipt_root(&receipts);
        header.logs_bloom = receipts
            .iter()
            .fold(Bloom::ZERO, |bloom, receipt| bloom | *receipt.logs_bloom());
        let body = BlockBody {
            transactions: envelopes,
            ommers: Vec::new(),
            withdrawals: Some(Withdrawals::default()),
        };
        let sealed = RpcBlock::from_consensus(alloy_consensus::Block::new(header, body), None);
        Self {
            header: sealed.header,
            transactions,
        }
    }

    /// The base fee, which every block made here has.
    pub(crate) fn base_fee(&self) -> u64 {
        self.header.base_fee_per_gas.unwrap_or_default()
    }

    /// The block as shown over RPC.
    pub(crate) fn to_rpc(&self, transactions: BlockTransactions<RpcTransaction>) -> RpcBlock {
        RpcBlock {
            header: self.header.clone(),
            uncles: Vec::new(),
            transactions,
            withdrawals: Some(Withdrawals::default()),
        }
    }

    /// The hashes of its transactions.
    pub(crate) fn hashes(&self) -> BlockTransactions<RpcTransaction> {
        let hash = |mined: &Mined| *mined.tx.tx_hash();
        BlockTransactions::Hashes(self.transactions.iter().map(hash).collect())
    }

    /// Its transactions.
    pub(crate) fn full(&self) -> BlockTransactions<RpcTransaction> {
        let indices = 0..self.transactions.len();
        BlockTransactions::Full(indices.filter_map(|i| self.transaction(i)).collect())
    }

    /// One of its transactions.
    pub(crate) fn transaction(&self, index: usize) -> Option<RpcTransaction> {
        let mined = self.transactions.get(index)?;
        let info = TransactionInfo {
            hash: Some(*mined.tx.tx_hash()),
            index: Some(index as u64),
            block_hash: Some(self.header.hash),
            block_number: Some(self.header.number),
            base_fee: Some(self.base_fee()),
            block_timestamp: Some(self.header.timestamp),
        };
        Some(RpcTransaction::from_transaction(mined.tx.clone(), info))
    }

    /// The receipt of one of its transactions.
    pub(crate) fn receipt(&self, index: usize) -> Option<TransactionReceipt> {
        let Mined {
            tx,
            gas_used,
            receipt,
        } = self.transactions.get(index)?;
        let earlier = self.transactions.iter().take(index);
        let mut log_index: u64 = earlier.map(|mined| mined.receipt.logs().len() as u64).sum();
        let inner = receipt.clone().map_logs(|log| {
            let log = RpcLog {
                inner: log,
                block_hash: Some(self.header.hash),
                block_number: Some(self.header.number),
                block_timestamp: Some(self.header.timestamp),
                transaction_hash: Some(*tx.tx_hash()),
                transaction_index: Some(index as u64),
                log_index: Some(log_index),
                removed: false,
            };
            log_index += 1;
            log
        });
        Some(TransactionReceipt {
            inner,
            transaction_hash: *tx.tx_hash(),
            transaction_index: Some(index as u64),
            block_hash: Some(self.header.hash),
            block_number: Some(self.header.number),
            gas_used: *gas_used,
            effective_gas_price: tx.effective_gas_price(Some(self.base_fee())),
            blob_gas_used: None,
            blob_gas_price: None,
            from: tx.signer(),
            to: tx.to(),
            contract_address: tx.is_create().then(|| tx.signer().create(tx.nonce())),
        })
    }

    /// Appends those of its logs that match. The block range of the filter must cover this block.
    pub(crate) fn append_logs(&self, filter: &Filter, logs: &mut Vec<RpcLog>) {
        let id = BlockNumHash::new(self.header.number, self.header.hash);
        let receipts = self
            .transactions
            .iter()
            .map(|mined| -> (B256, _) { (*mined.tx.tx_hash(), &mined.receipt) });
        filter.append_matching_block_logs(logs, id, self.header.timestamp, receipts, false);
    }
}
