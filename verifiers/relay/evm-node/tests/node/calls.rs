//! `eth_call`.

use crate::chain::{refused, Chain, BLOCK_HASH, BLOCK_NUMBER, REVERTER};
use alloy::{
    eips::BlockNumberOrTag,
    network::TransactionBuilder,
    primitives::{address, bytes, Address, Bytes, B256, U256},
    providers::Provider,
    rpc::types::TransactionRequest,
    sol_types::{Revert, SolError},
};
use duet_evm_node::{Config, Fork};
use serde_json::json;

#[tokio::test]
async fn the_data_of_a_revert_comes_back() {
    let chain = Chain::by_hand().await;
    let contract = chain.deploy(REVERTER).await;
    let text = Bytes::from(Revert::from("not today").abi_encode());
    let cases = [
        (Bytes::new(), "execution reverted"),
        (bytes!("2a"), "execution reverted"),
        (text.clone(), "execution reverted: not today"),
        // A text that is cut off is no text; the data comes back all the same.
        (text.slice(..text.len() - 24), "execution reverted"),
        (text.slice(..40), "execution reverted"),
        (text.slice(..4), "execution reverted"),
        (
            Bytes::from([&text[..4], &[0xff; 64]].concat()),
            "execution reverted",
        ),
    ];
    for (data, message) in cases {
        let request = TransactionRequest::default()
            .with_to(contract)
            .with_input(data.clone());
        let error = refused(chain.client.call(request).await);
        assert_eq!((error.code, &error.message[..]), (3, message));
        assert_eq!(error.as_revert_data(), Some(data));
    }
}

#[tokio::test]
async fn the_bls_precompiles_answer() {
    for fork in [Fork::Prague, Fork::Osaka] {
        let chain = Chain::start(Config {
            fork,
            ..Config::default()
        })
        .await;
        let add = TransactionRequest::default()
            .with_to(address!("000000000000000000000000000000000000000b"));
        let sum = chain
            .client
            .call(add.clone().with_input(vec![0; 256]))
            .await;
        assert_eq!(sum.expect("two points"), Bytes::from(vec![0; 128]));
        let error = refused(chain.client.call(add.with_input(vec![0; 255])).await);
        assert_eq!(error.code, -32000, "{error:?}");
    }
}

#[tokio::test]
async fn only_the_latest_and_the_pending_state_are_kept() {
    let chain = Chain::by_hand().await;
    let contract = chain.deploy(BLOCK_NUMBER).await;
    let request = TransactionRequest::default().with_to(contract);
    let at = |block: BlockNumberOrTag| chain.client.call(request.clone()).block(block.into());
    let number = |answer: Bytes| U256::from_be_slice(&answer).to::<u64>();
    for (block, expected) in [
        (BlockNumberOrTag::Latest, 1),
        (BlockNumberOrTag::Safe, 1),
        (BlockNumberOrTag::Finalized, 1),
        (BlockNumberOrTag::Number(1), 1),
        (BlockNumberOrTag::Pending, 2),
    ] {
        assert_eq!(
            number(at(block).await.expect("an answer")),
            expected,
            "{block}"
        );
    }
    let error = refused(at(BlockNumberOrTag::Earliest).await);
    assert_eq!(
        error.message,
        "the state of block 0 is not kept: only that of the latest, 1"
    );
    assert_eq!(refused(at(2.into()).await).message, "header not found");
}

#[tokio::test]
async fn the_pending_state_has_what_waits() {
    let chain = Chain::by_hand().await;
    chain.send(chain.transfer(0)).await.expect("accepted");
    let balance = || chain.client.get_balance(chain.bob);
    let before = balance().await.expect("an answer");
    assert_eq!(
        balance().pending().await.expect("an answer"),
        before + U256::from(1)
    );
    assert_eq!(
        chain.node.balance(chain.bob),
        before,
        "nothing is mined by asking"
    );
    assert_eq!(chain.node.pool_len(), 1);
}

#[tokio::test]
async fn contracts_see_the_hashes_of_blocks() {
    let chain = Chain::by_hand().await;
    let contract = chain.deploy(BLOCK_HASH).await;
    let genesis = chain
        .client
        .get_block_by_number(0.into())
        .await
        .expect("an answer");
    let request = TransactionRequest::default()
        .with_to(contract)
        .with_input(vec![0; 32]);
    let seen = chain.client.call(request).await.expect("an answer");
    assert_eq!(
        B256::from_slice(&seen),
        genesis.expect("a block").header.hash
    );
}

#[tokio::test]
async fn a_call_needs_the_money_that_it_moves() {
    let chain = Chain::by_hand().await;
    let from = |sender: Address| json!([{ "from": sender, "to": chain.bob, "value": "0x1" }]);
    let error = chain.error("eth_call", from(Address::repeat_byte(7))).await;
    assert!(error.message.starts_with("insufficient funds"), "{error:?}");
    let answer: Bytes = chain
        .call("eth_call", from(chain.alice))
        .await
        .expect("an answer");
    assert_eq!(answer, Bytes::new());
}

#[tokio::test]
async fn a_contract_may_be_the_sender_of_a_call() {
    let chain = Chain::by_hand().await;
    let contract = chain.deploy(BLOCK_NUMBER).await;
    let request = TransactionRequest::default()
        .with_from(contract)
        .with_to(contract);
    chain.client.call(request).await.expect("an answer");
}

#[tokio::test]
async fn what_a_call_cannot_do_is_refused() {
    let chain = Chain::by_hand().await;
    let to = chain.bob;
    let both_fees = json!([{ "to": to, "gasPrice": "0x1", "maxFeePerGas": "0x1" }]);
    assert_eq!(chain.error("eth_call", both_fees).await.code, -32602);
    let two_inputs = json!([{ "to": to, "data": "0x01", "input": "0x02" }]);
    assert_eq!(chain.error("eth_call", two_inputs).await.code, -32602);
    let overrides = json!([{ "to": to }, "latest", { to.to_string(): { "balance": "0x1" } }]);
    assert_eq!(chain.error("eth_call", overrides).await.code, -32602);
    let below_base_fee =
        json!([{ "to": to, "from": chain.alice, "gas": "0x5208", "gasPrice": "0x1" }]);
    let error = chain.error("eth_call", below_base_fee).await;
    assert_eq!(error.message, "max fee per gas less than block base fee");
    let data_field = json!([{ "to": to, "data": "0x01" }, "latest"]);
    let answer: Bytes = chain.call("eth_call", data_field).await.expect("an answer");
    assert_eq!(answer, Bytes::new());
}
