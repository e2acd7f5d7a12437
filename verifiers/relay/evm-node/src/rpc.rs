//! The methods of JSON-RPC.

use crate::{
    block::Block,
    chain::{At, Chain},
    fees::{self, PROPOSED_TIP},
    node::Node,
    refusal::Refusal,
};
use alloy_consensus::transaction::TransactionInfo;
use alloy_eips::{BlockId, BlockNumberOrTag};
use alloy_primitives::{Address, Bytes, B256, U64};
use alloy_rpc_types_eth::{
    Block as RpcBlock, Filter, FilterBlockOption, Log, Transaction, TransactionRequest,
};
use jsonrpsee::{
    core::RegisterMethodError,
    types::{params::ParamsSequence, ErrorObjectOwned},
    RpcModule,
};
use serde_json::Value;
use std::sync::Arc;

/// The most logs of one answer.
const MAX_LOGS: usize = 10_000;

type Answer = Result<Value, ErrorObjectOwned>;
type Method = fn(&Node, ParamsSequence<'_>) -> Answer;

const METHODS: [(&str, Method); 19] = [
    ("web3_clientVersion", |_, _| json("duet-evm-node/0.1.0")),
    ("net_version", |node, _| {
        json(node.chain().rules().chain_id.to_string())
    }),
    ("eth_chainId", |node, _| {
        json(U64::from(node.chain().rules().chain_id))
    }),
    ("eth_blockNumber", |node, _| {
        json(U64::from(node.chain().head().header.number))
    }),
    ("eth_gasPrice", |node, _| {
        json(U64::from(
            node.chain().base_fee().saturating_add(PROPOSED_TIP),
        ))
    }),
    ("eth_maxPriorityFeePerGas", |_, _| {
        json(U64::from(PROPOSED_TIP))
    }),
    ("eth_feeHistory", fee_history),
    ("eth_getBlockByNumber", block_by_number),
    ("eth_getBlockByHash", block_by_hash),
    ("eth_getBalance", |node, params| {
        at(node, params, |chain, at, address| {
            chain.snapshot(at).account(address).balance
        })
    }),
    ("eth_getCode", |node, params| {
        at(node, params, |chain, at, address| {
            chain.snapshot(at).code(address)
        })
    }),
    ("eth_getTransactionCount", |node, params| {
        at(node, params, transaction_count)
    }),
    ("eth_call", call),
    ("eth_estimateGas", estimate_gas),
    ("eth_sendRawTransaction", send_raw_transaction),
    ("eth_getTransactionByHash", transaction_by_hash),
    ("eth_getTransactionReceipt", transaction_receipt),
    ("eth_getLogs", logs),
    ("eth_syncing", |_, _| json(false)),
];

/// All methods, on this node.
///
/// # Errors
/// When two have one name.
pub(crate) fn module(node: Arc<Node>) -> Result<RpcModule<Node>, RegisterMethodError> {
    let mut module = RpcModule::from_arc(node);
    for (name, method) in METHODS {
        // A call may take long, and must not hold up the runtime of the tests meanwhile.
        module.register_blocking_method(name, move |params, node, _| {
            if node.is_refusing() {
                return Err(Refusal::Overloaded.into());
            }
            method(&node, params.sequence())
        })?;
    }
    Ok(module)
}

fn json<T: serde::Serialize>(value: T) -> Answer {
    Ok(serde_json::to_value(value).map_err(Refusal::Unwritable)?)
}

/// Answers about an account at a block, by default the latest.
fn at<T: serde::Serialize>(
    node: &Node,
    mut params: ParamsSequence<'_>,
    read: impl Fn(&Chain, At, Address) -> T,
) -> Answer {
    let address: Address = params.next()?;
    let block: Option<BlockId> = params.optional_next()?;
    let chain = node.chain();
    let at = chain.at(block.unwrap_or_default())?;
    json(read(&chain, at, address))
}

fn transaction_count(chain: &Chain, at: At, address: Address) -> U64 {
    let nonce = chain.account(address).nonce;
    U64::from(match at {
        At::Latest => nonce,
        At::Pending => chain.pool().next_nonce(&address, nonce),
    })
}

fn fee_history(node: &Node, mut params: ParamsSequence<'_>) -> Answer {
    // Some clients write the count as a number, others as hexadecimal text.
    let count: U64 = params.next()?;
    let newest: BlockNumberOrTag = params.next()?;
    let percentiles: Option<Vec<f64>> = params.optional_next()?;
    let chain = node.chain();
    json(fees::history(
        &chain,
        count.to(),
        newest,
        percentiles.as_deref(),
    )?)
}

fn block_by_number(node: &Node, mut params: ParamsSequence<'_>) -> Answer {
    let tag: BlockNumberOrTag = params.next()?;
    let is_full: Option<bool> = params.optional_next()?;
    let chain = node.chain();
    let block = chain.number(tag).and_then(|number| chain.block(number));
    json(block.map(|block| shown(block, is_full)))
}

fn block_by_hash(node: &Node, mut params: ParamsSequence<'_>) -> Answer {
    let hash: B256 = params.next()?;
    let is_full: Option<bool> = params.optional_next()?;
    json(
        node.chain()
            .block_by_hash(&hash)
            .map(|block| shown(block, is_full)),
    )
}

fn shown(block: &Block, is_full: Option<bool>) -> RpcBlock {
    block.to_rpc(match is_full {
        Some(true) => block.full(),
        Some(false) | None => block.hashes(),
    })
}

fn call(node: &Node, params: ParamsSequence<'_>) -> Answer {
    let (request, block) = call_parameters(params)?;
    let chain = node.chain();
    let at = chain.at(block)?;
    json(chain.snapshot(at).call(request)?)
}

fn estimate_gas(node: &Node, params: ParamsSequence<'_>) -> Answer {
    let (request, block) = call_parameters(params)?;
    let chain = node.chain();
    let at = chain.at(block)?;
    json(U64::from(chain.snapshot(at).estimate(request)?))
}

fn call_parameters(
    mut params: ParamsSequence<'_>,
) -> Result<(TransactionRequest, BlockId), ErrorObjectOwned> {
    let request = params.next()?;
    let block: Option<BlockId> = params.optional_next()?;
    let overrides: Option<Value> = params.optional_next()?;
    if overrides.is_some() {
        return Err(Refusal::InvalidParameter("overrides of the state are not supported").into());
    }
    Ok((request, block.unwrap_or_default()))
}

fn send_raw_transaction(node: &Node, mut params: ParamsSequence<'_>) -> Answer {
    let raw: Bytes = params.next()?;
    json(node.submit(&raw)?)
}

fn transaction_by_hash(node: &Node, mut params: ParamsSequence<'_>) -> Answer {
    let hash: B256 = params.next()?;
    let chain = node.chain();
    json(match chain.find(&hash) {
        Some((block, index)) => block.transaction(index),
        None => chain
            .pool()
            .get(&hash)
            .map(|tx| Transaction::from_transaction(tx.clone(), TransactionInfo::default())),
    })
}

fn transaction_receipt(node: &Node, mut params: ParamsSequence<'_>) -> Answer {
    let hash: B256 = params.next()?;
    let chain = node.chain();
    json(
        chain
            .find(&hash)
            .and_then(|(block, index)| block.receipt(index)),
    )
}

fn logs(node: &Node, mut params: ParamsSequence<'_>) -> Answer {
    let mut filter: Filter = params.next()?;
    let chain = node.chain();
    let latest = chain.head().header.number;
    let (from, to) = match std::mem::take(&mut filter.block_option) {
        FilterBlockOption::AtBlockHash(hash) => {
            let block = chain.block_by_hash(&hash).ok_or(Refusal::UnknownBlock)?;
            (block.header.number, block.header.number)
        }
        FilterBlockOption::Range {
            from_block,
            to_block,
        } => {
            let number = |tag: Option<_>| tag.and_then(|tag| chain.number(tag)).unwrap_or(latest);
            (number(from_block), number(to_block))
        }
    };
    if from > to {
        return Err(Refusal::InvalidParameter("invalid block range params").into());
    }
    let mut logs: Vec<Log> = Vec::new();
    for block in (from..=to.min(latest)).filter_map(|number| chain.block(number)) {
        block.append_logs(&filter, &mut logs);
        if logs.len() > MAX_LOGS {
            return Err(Refusal::TooManyLogs { limit: MAX_LOGS }.into());
        }
    }
    json(logs)
}
