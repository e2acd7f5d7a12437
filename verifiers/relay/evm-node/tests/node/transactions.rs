//! What transactions do, and what they cost.

use crate::chain::{creation, within, Chain, ETHER, GWEI, LOGGER_THAT_REVERTS, WRITER};
use alloy::{
    consensus::Transaction,
    network::TransactionBuilder,
    primitives::{b256, Bytes, U256},
    providers::Provider,
    rpc::types::TransactionRequest,
};
use duet_evm_node::{Config, EvmNode, Fork, Mining};
use std::time::Duration;

#[tokio::test]
async fn a_transfer_is_mined_and_paid_for() {
    let chain = Chain::by_hand().await;
    let receipt = chain
        .mine(chain.transfer(0).with_value(U256::from(ETHER)))
        .await;
    assert!(receipt.status());
    assert_eq!(receipt.gas_used, 21_000);
    assert_eq!(receipt.effective_gas_price, 2 * GWEI, "base fee and tip");
    assert_eq!(receipt.block_number, Some(1));
    assert_eq!((receipt.from, receipt.to), (chain.alice, Some(chain.bob)));
    let paid = U256::from(ETHER + 21_000 * 2 * GWEI);
    assert_eq!(
        chain.node.balance(chain.alice),
        U256::from(10 * ETHER) - paid
    );
    assert_eq!(chain.node.balance(chain.bob), U256::from(11 * ETHER));
    let block = chain
        .client
        .get_block_by_number(1.into())
        .await
        .expect("an answer");
    let beneficiary = block.expect("mined").header.beneficiary;
    assert_eq!(
        chain.node.balance(beneficiary),
        U256::from(21_000 * GWEI),
        "the tip"
    );

    let found = chain
        .client
        .get_transaction_by_hash(receipt.transaction_hash)
        .await;
    let found = found.expect("an answer").expect("mined");
    assert_eq!(found.block_hash, receipt.block_hash);
    assert_eq!(found.inner.signer(), chain.alice);
    assert_eq!(found.value(), U256::from(ETHER));
}

#[tokio::test]
async fn without_a_block_a_transaction_is_known_and_has_no_receipt() {
    let chain = Chain::by_hand().await;
    let hash = chain.send(chain.transfer(0)).await.expect("accepted");
    let found = chain.client.get_transaction_by_hash(hash).await;
    assert_eq!(
        found.expect("an answer").expect("in the pool").block_hash,
        None
    );
    assert!(chain.receipt(hash).await.is_none());
    assert_eq!(chain.node.block_number(), 0);
}

#[tokio::test]
async fn the_older_types_of_transactions_are_mined_too() {
    let chain = Chain::by_hand().await;
    let legacy = |nonce| {
        TransactionRequest::default()
            .with_from(chain.alice)
            .with_to(chain.bob)
            .with_nonce(nonce)
            .with_chain_id(31337)
            .with_gas_limit(30_000)
            .with_gas_price(3 * GWEI)
    };
    let receipts = [
        chain.mine(legacy(0)).await,
        chain
            .mine(legacy(1).with_access_list(Default::default()))
            .await,
    ];
    for (expected, receipt) in receipts.into_iter().enumerate() {
        assert!(receipt.status());
        assert_eq!(receipt.transaction_type() as usize, expected);
        assert_eq!(receipt.effective_gas_price, 3 * GWEI);
    }
}

#[tokio::test]
async fn a_deployment_gets_an_address_and_code() {
    let chain = Chain::by_hand().await;
    let request = TransactionRequest::default()
        .with_from(chain.alice)
        .with_deploy_code(creation(WRITER));
    let receipt = chain.mine(request).await;
    let address = receipt.contract_address.expect("a contract");
    assert_eq!(address, chain.alice.create(0));
    let code: Bytes = WRITER.parse().expect("hexadecimal");
    assert_eq!(chain.node.code(address), code);
    assert_eq!(
        chain.client.get_code_at(address).await.expect("an answer"),
        code
    );
    assert_eq!(chain.node.code(chain.bob), Bytes::new());
}

#[tokio::test]
async fn a_reverted_transaction_is_paid_for_and_logs_nothing() {
    let chain = Chain::by_hand().await;
    let contract = chain.deploy(LOGGER_THAT_REVERTS).await;
    let request = chain.transfer(0).with_to(contract).with_value(U256::ZERO);
    let receipt = chain.mine(request.with_gas_limit(100_000)).await;
    assert!(!receipt.status());
    assert!(receipt.inner.logs().is_empty());
    assert!((21_000..100_000).contains(&receipt.gas_used));
    let paid = U256::from(u128::from(receipt.gas_used) * receipt.effective_gas_price);
    assert_eq!(
        chain.node.balance(chain.alice),
        U256::from(10 * ETHER) - paid
    );
}

#[tokio::test]
async fn a_transaction_that_runs_out_of_gas_pays_for_all_of_it() {
    let chain = Chain::by_hand().await;
    let contract = chain.deploy(WRITER).await;
    let word = b256!("0000000000000000000000000000000000000000000000000000000000000001");
    let request = chain
        .transfer(0)
        .with_to(contract)
        .with_value(U256::ZERO)
        .with_input(word);
    let receipt = chain.mine(request.with_gas_limit(30_000)).await;
    assert!(!receipt.status());
    assert_eq!(receipt.gas_used, 30_000);
}

#[tokio::test]
async fn a_client_that_fills_in_everything_gets_its_receipt() {
    let chain = Chain::start(Config::default()).await;
    for nonce in 0..3 {
        let request = TransactionRequest::default()
            .with_from(chain.alice)
            .with_to(chain.bob)
            .with_value(U256::from(1));
        let pending = chain
            .client
            .send_transaction(request)
            .await
            .expect("accepted");
        let receipt = within(pending.get_receipt()).await.expect("mined");
        assert!(receipt.status());
        assert_eq!(receipt.block_number, Some(nonce + 1));
    }
}

#[tokio::test]
async fn blocks_are_made_in_intervals() {
    let chain = Chain::by_hand().await;
    chain
        .node
        .set_mining(Mining::Every(Duration::from_millis(20)));
    let request = TransactionRequest::default()
        .with_from(chain.alice)
        .with_to(chain.bob);
    let pending = chain
        .client
        .send_transaction(request)
        .await
        .expect("accepted");
    let pending = pending.with_required_confirmations(3);
    assert!(within(pending.get_receipt()).await.expect("mined").status());
    assert!(
        chain.node.block_number() >= 3,
        "empty blocks are made as well"
    );
}

#[tokio::test]
async fn what_waits_is_mined_when_blocks_are_made_for_each_transaction_again() {
    let chain = Chain::by_hand().await;
    let hash = chain.send(chain.transfer(0)).await.expect("accepted");
    chain.node.set_mining(Mining::OnEachTransaction);
    assert_eq!(
        chain.receipt(hash).await.expect("mined").block_number,
        Some(1)
    );
    assert_eq!(chain.node.pool_len(), 0);
}

#[tokio::test]
async fn two_chains_have_two_ports() {
    let first = EvmNode::start(Config::default())
        .await
        .expect("a free port");
    let second = EvmNode::start(Config::default())
        .await
        .expect("a free port");
    assert_ne!(first.url(), second.url());
    let port = first
        .url()
        .rsplit(':')
        .next()
        .and_then(|port| port.parse().ok());
    let taken = Config {
        port: port.expect("a port"),
        ..Config::default()
    };
    assert!(EvmNode::start(taken).await.is_err());
}

#[tokio::test]
async fn only_osaka_limits_the_gas_of_a_transaction() {
    for (fork, is_accepted) in [(Fork::Prague, true), (Fork::Osaka, false)] {
        let chain = Chain::start(Config {
            fork,
            ..Config::default()
        })
        .await;
        let answer = chain
            .send(chain.transfer(0).with_gas_limit((1 << 24) + 1))
            .await;
        assert_eq!(answer.is_ok(), is_accepted, "{fork:?}: {answer:?}");
    }
}
