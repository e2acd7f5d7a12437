//! `eth_getLogs`.

use crate::chain::{refused, Chain, LOGGER};
use alloy::{
    network::TransactionBuilder,
    primitives::{Address, B256, U256},
    providers::Provider,
    rpc::types::{Filter, Log},
};

/// Two contracts. Block 3 has topics 1 and 2 of the first; block 4 has topic 1 of the second.
async fn with_logs() -> (Chain, Address, Address) {
    let chain = Chain::by_hand().await;
    let first = chain.deploy(LOGGER).await;
    let second = chain.deploy(LOGGER).await;
    let log = |nonce, to, topic| {
        let request = chain.transfer(nonce).with_to(to).with_value(U256::ZERO);
        request
            .with_gas_limit(50_000)
            .with_input(B256::with_last_byte(topic))
    };
    chain.send(log(0, first, 1)).await.expect("accepted");
    chain.send(log(1, first, 2)).await.expect("accepted");
    chain.node.mine();
    chain.send(log(2, second, 1)).await.expect("accepted");
    chain.node.mine();
    (chain, first, second)
}

#[tokio::test]
async fn logs_are_found_by_address_topic_and_block() {
    let (chain, first, second) = with_logs().await;
    let topic = B256::with_last_byte;
    let all = Filter::new().from_block(0);
    let cases = [
        (all.clone(), vec![(3, 0), (3, 1), (4, 0)]),
        (all.clone().address(first), vec![(3, 0), (3, 1)]),
        (
            all.clone().address(vec![first, second]),
            vec![(3, 0), (3, 1), (4, 0)],
        ),
        (all.clone().address(Address::ZERO), vec![]),
        (all.clone().event_signature(topic(1)), vec![(3, 0), (4, 0)]),
        (
            all.clone().event_signature(vec![topic(1), topic(2)]),
            vec![(3, 0), (3, 1), (4, 0)],
        ),
        (
            all.clone().event_signature(topic(2)).address(second),
            vec![],
        ),
        (all.clone().topic1(topic(1)), vec![]),
        (all.clone().to_block(2), vec![]),
        (all.clone().to_block(3), vec![(3, 0), (3, 1)]),
        (Filter::new().from_block(4).to_block(1000), vec![(4, 0)]),
        (Filter::new(), vec![(4, 0)]),
    ];
    for (filter, expected) in cases {
        let logs = chain.client.get_logs(&filter).await.expect("an answer");
        let places = |log: &Log| Some((log.block_number?, log.log_index?));
        let found: Vec<_> = logs.iter().filter_map(places).collect();
        assert_eq!(found, expected, "{filter:?}");
    }
}

#[tokio::test]
async fn logs_are_found_by_the_hash_of_their_block() {
    let (chain, _, second) = with_logs().await;
    let block = chain
        .client
        .get_block_by_number(4.into())
        .await
        .expect("an answer");
    let hash = block.expect("a block").header.hash;
    let logs = chain
        .client
        .get_logs(&Filter::new().at_block_hash(hash))
        .await;
    let logs = logs.expect("an answer");
    assert_eq!(logs.len(), 1);
    assert_eq!(logs[0].address(), second);
    let receipt = chain
        .receipt(logs[0].transaction_hash.expect("mined"))
        .await;
    assert_eq!(
        receipt.expect("mined").inner.logs(),
        logs,
        "the receipt has the same"
    );
    let unknown = Filter::new().at_block_hash(B256::repeat_byte(1));
    assert_eq!(
        refused(chain.client.get_logs(&unknown).await).message,
        "header not found"
    );
}

#[tokio::test]
async fn the_indices_of_logs_count_through_the_block() {
    let (chain, ..) = with_logs().await;
    let block = chain
        .client
        .get_block_by_number(3.into())
        .await
        .expect("an answer");
    let hashes: Vec<_> = block.expect("a block").transactions.hashes().collect();
    for (index, hash) in hashes.into_iter().enumerate() {
        let receipt = chain.receipt(hash).await.expect("mined");
        assert_eq!(receipt.inner.logs()[0].log_index, Some(index as u64));
    }
}

#[tokio::test]
async fn a_range_that_ends_before_it_begins_is_refused() {
    let (chain, ..) = with_logs().await;
    let filter = Filter::new().from_block(4).to_block(3);
    assert_eq!(refused(chain.client.get_logs(&filter).await).code, -32602);
}
