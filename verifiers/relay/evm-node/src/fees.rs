//! What transactions have paid: `eth_feeHistory`.

use crate::{block::Block, chain::Chain, refusal::Refusal};
use alloy_consensus::Transaction;
use alloy_eips::BlockNumberOrTag;
use alloy_rpc_types_eth::{FeeHistory, TxGasAndReward};

/// The tip that is proposed: one gwei.
pub(crate) const PROPOSED_TIP: u64 = 1_000_000_000;

/// The most blocks of one answer.
const MAX_BLOCKS: u64 = 1024;

/// The most percentiles of one request.
const MAX_PERCENTILES: usize = 100;

/// The price of blob gas, of which this chain has none: the least.
const BLOB_FEE: u128 = 1;

/// The fees of the blocks up to `newest`.
///
/// # Errors
/// When the block does not exist, or the percentiles are not ascending from 0 to 100.
pub(crate) fn history(
    chain: &Chain,
    count: u64,
    newest: BlockNumberOrTag,
    percentiles: Option<&[f64]>,
) -> Result<FeeHistory, Refusal> {
    if let Some(percentiles) = percentiles {
        check_percentiles(percentiles)?;
    }
    let latest = chain.head().header.number;
    let newest = chain.number(newest).unwrap_or(latest);
    if newest > latest {
        return Err(Refusal::UnknownBlock);
    }
    let oldest = (newest + 1).saturating_sub(count.clamp(1, MAX_BLOCKS));
    let blocks: Vec<_> = (oldest..=newest)
        .filter_map(|number| chain.block(number))
        .collect();
    let next = chain
        .block(newest + 1)
        .map_or(chain.base_fee(), Block::base_fee);
    let base_fees = blocks.iter().map(|block| block.base_fee()).chain([next]);
    Ok(FeeHistory {
        base_fee_per_gas: base_fees.map(u128::from).collect(),
        gas_used_ratio: blocks
            .iter()
            .map(|block| block.header.gas_used as f64 / block.header.gas_limit as f64)
            .collect(),
        base_fee_per_blob_gas: vec![BLOB_FEE; blocks.len() + 1],
        blob_gas_used_ratio: vec![0.0; blocks.len()],
        oldest_block: oldest,
        reward: percentiles.map(|percentiles| {
            blocks
                .iter()
                .map(|block| rewards(block, percentiles))
                .collect()
        }),
    })
}

fn check_percentiles(percentiles: &[f64]) -> Result<(), Refusal> {
    if percentiles.len() > MAX_PERCENTILES {
        return Err(Refusal::InvalidParameter("too many reward percentiles"));
    }
    let is_in_range = percentiles.iter().all(|p| (0.0..=100.0).contains(p));
    if is_in_range && percentiles.is_sorted() {
        Ok(())
    } else {
        Err(Refusal::InvalidParameter("invalid reward percentile"))
    }
}

/// The tips that were paid for these shares of the gas of a block, the lowest tips first.
fn rewards(block: &Block, percentiles: &[f64]) -> Vec<u128> {
    let mut paid: Vec<_> = block
        .transactions
        .iter()
        .map(|mined| TxGasAndReward {
            gas_used: mined.gas_used,
            reward: mined
                .tx
                .effective_tip_per_gas(block.base_fee())
                .unwrap_or_default(),
        })
        .collect();
    paid.sort();
    let reward = |percentile: &f64| {
        let threshold = block.header.gas_used as f64 * percentile / 100.0;
        let mut gas = 0;
        for TxGasAndReward { gas_used, reward } in &paid {
            gas += gas_used;
            if gas as f64 >= threshold {
                return *reward;
            }
        }
        0
    };
    percentiles.iter().map(reward).collect()
}
