//! Blocks and fees.

use crate::chain::{refused, Chain, GWEI};
use alloy::{
    consensus::{proofs::calculate_transaction_root, BlockHeader},
    eips::BlockNumberOrTag,
    network::TransactionBuilder,
    providers::Provider,
    rpc::types::FeeHistory,
};
use serde_json::json;

#[tokio::test]
async fn blocks_follow_each_other() {
    let chain = Chain::by_hand().await;
    chain.send(chain.transfer(0)).await.expect("accepted");
    chain.node.mine();
    chain.node.mine();
    let mut blocks = Vec::new();
    for number in 0..3 {
        let block = chain.client.get_block_by_number(number.into()).full().await;
        blocks.push(block.expect("an answer").expect("a block"));
    }
    for (parent, block) in blocks.iter().zip(&blocks[1..]) {
        assert_eq!(block.header.parent_hash(), parent.header.hash);
        assert_eq!(block.header.number(), parent.header.number() + 1);
        assert!(block.header.timestamp() > parent.header.timestamp());
    }
    for block in &blocks {
        assert_eq!(block.header.inner.hash_slow(), block.header.hash);
        let found = chain
            .client
            .get_block_by_hash(block.header.hash)
            .full()
            .await;
        assert_eq!(found.expect("an answer").as_ref(), Some(block));
    }
    let envelopes: Vec<_> = blocks[1]
        .transactions
        .txns()
        .map(|tx| tx.inner.inner())
        .collect();
    assert_eq!(envelopes.len(), 1);
    assert_eq!(
        calculate_transaction_root(&envelopes),
        blocks[1].header.transactions_root
    );
    assert_eq!(blocks[1].header.gas_used, 21_000);
    assert_eq!(blocks[1].header.base_fee_per_gas, Some(1_000_000_000));
}

#[tokio::test]
async fn a_block_that_is_not_there_is_null() {
    let chain = Chain::by_hand().await;
    for tag in [BlockNumberOrTag::Number(1), BlockNumberOrTag::Pending] {
        let block = chain.client.get_block_by_number(tag).await;
        assert_eq!(block.expect("an answer"), None);
    }
    for tag in [
        BlockNumberOrTag::Safe,
        BlockNumberOrTag::Finalized,
        BlockNumberOrTag::Earliest,
    ] {
        let block = chain.client.get_block_by_number(tag).await;
        assert_eq!(
            block.expect("an answer").map(|block| block.header.number),
            Some(0)
        );
    }
}

#[tokio::test]
async fn the_chain_names_itself() {
    let chain = Chain::by_hand().await;
    assert_eq!(chain.client.get_chain_id().await.expect("an answer"), 31337);
    assert_eq!(
        chain.client.get_net_version().await.expect("an answer"),
        31337
    );
    let version = chain.client.get_client_version().await.expect("an answer");
    assert!(version.starts_with("duet-evm-node/"));
    assert_eq!(chain.client.get_block_number().await.expect("an answer"), 0);
}

#[tokio::test]
async fn prices_follow_the_base_fee() {
    let chain = Chain::by_hand().await;
    chain.node.set_base_fee(5_000_000_000);
    assert_eq!(
        chain.client.get_gas_price().await.expect("an answer"),
        6 * GWEI
    );
    assert_eq!(
        chain
            .client
            .get_max_priority_fee_per_gas()
            .await
            .expect("an answer"),
        GWEI
    );
}

#[tokio::test]
async fn the_history_has_what_was_paid() {
    let chain = Chain::by_hand().await;
    chain.send(chain.transfer(0)).await.expect("accepted");
    let request = chain.transfer(0).with_from(chain.bob);
    chain
        .send(request.with_max_priority_fee_per_gas(3 * GWEI))
        .await
        .expect("accepted");
    chain.node.mine();
    chain.node.set_base_fee(2_000_000_000);
    chain.node.mine();
    chain.node.set_base_fee(4_000_000_000);
    let percentiles = [0.0, 50.0, 51.0, 100.0];
    let history =
        |count, newest: BlockNumberOrTag| chain.client.get_fee_history(count, newest, &percentiles);
    let latest = history(10, BlockNumberOrTag::Latest)
        .await
        .expect("an answer");
    assert_eq!(latest.oldest_block, 0);
    assert_eq!(latest.base_fee_per_gas, [GWEI, GWEI, 2 * GWEI, 4 * GWEI]);
    assert_eq!(latest.gas_used_ratio, [0.0, 42_000.0 / 60_000_000.0, 0.0]);
    let paid = vec![GWEI, GWEI, 3 * GWEI, 3 * GWEI];
    assert_eq!(
        latest.reward,
        Some(vec![vec![0; 4], paid.clone(), vec![0; 4]])
    );
    let one = history(1, BlockNumberOrTag::Number(1))
        .await
        .expect("an answer");
    assert_eq!((one.oldest_block, one.reward), (1, Some(vec![paid])));
    assert_eq!(one.base_fee_per_gas, [GWEI, 2 * GWEI]);
    assert_eq!(
        refused(history(1, 3.into()).await).message,
        "header not found"
    );
    let answer = chain
        .call("eth_feeHistory", json!([1, "latest", [50]]))
        .await;
    let with_numbers: FeeHistory = answer.expect("an answer");
    assert_eq!(with_numbers.oldest_block, 2);
    for percentiles in [
        json!([50.0, 10.0]),
        json!([-1.0]),
        json!([100.1]),
        json!(vec![1.0; 101]),
    ] {
        let error = chain
            .error("eth_feeHistory", json!([1, "latest", percentiles]))
            .await;
        assert_eq!(error.code, -32602);
    }
}
