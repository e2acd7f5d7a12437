//! `eth_estimateGas`: what it answers is enough, and near.

use crate::chain::{creation, refused, Chain, CALLER, REVERTER, WRITER};
use alloy::{
    network::TransactionBuilder,
    primitives::{bytes, Bytes, B256, U256},
    providers::Provider,
    rpc::types::TransactionRequest,
};

async fn is_enough_and_near(chain: &Chain, request: TransactionRequest) {
    let estimate = chain
        .client
        .estimate_gas(request.clone())
        .await
        .expect("an answer");
    let least = least_gas(chain, &request, estimate).await;
    assert!(
        (estimate - least) * 1000 <= estimate * 15,
        "{estimate} is not near {least}"
    );
    let receipt = chain.mine(request.with_gas_limit(estimate)).await;
    assert!(receipt.status(), "{estimate} is not enough");
    assert!(receipt.gas_used <= estimate);
}

/// The least gas with which a call succeeds, found one by one from the estimate down.
async fn least_gas(chain: &Chain, request: &TransactionRequest, estimate: u64) -> u64 {
    let (mut low, mut high) = (0, estimate);
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        match chain
            .client
            .call(request.clone().with_gas_limit(middle))
            .await
        {
            Ok(_) => high = middle,
            Err(_) => low = middle,
        }
    }
    high
}

#[tokio::test]
async fn a_transfer_takes_exactly_what_it_costs() {
    let chain = Chain::by_hand().await;
    let request = TransactionRequest::default()
        .with_from(chain.alice)
        .with_to(chain.bob);
    assert_eq!(
        chain.client.estimate_gas(request).await.expect("an answer"),
        21_000
    );
}

#[tokio::test]
async fn it_is_enough_where_gas_is_refunded() {
    let chain = Chain::by_hand().await;
    let contract = chain.deploy(WRITER).await;
    let request = TransactionRequest::default()
        .with_from(chain.alice)
        .with_to(contract);
    is_enough_and_near(&chain, request.clone().with_input(B256::repeat_byte(1))).await;
    is_enough_and_near(&chain, request.with_input(B256::ZERO)).await;
}

#[tokio::test]
async fn it_is_enough_where_gas_is_kept_back_from_an_inner_call() {
    let chain = Chain::by_hand().await;
    let inner = chain.deploy(WRITER).await;
    let outer = chain.deploy(CALLER).await;
    let request = TransactionRequest::default()
        .with_from(chain.alice)
        .with_to(outer);
    is_enough_and_near(&chain, request.with_input(inner.into_word())).await;
}

#[tokio::test]
async fn it_is_enough_for_a_deployment_and_for_data() {
    let chain = Chain::by_hand().await;
    let request = TransactionRequest::default().with_from(chain.alice);
    is_enough_and_near(&chain, request.clone().with_deploy_code(creation(WRITER))).await;
    is_enough_and_near(&chain, request.with_to(chain.bob).with_input(vec![1; 5000])).await;
}

#[tokio::test]
async fn a_revert_comes_back_with_its_data() {
    let chain = Chain::by_hand().await;
    let contract = chain.deploy(REVERTER).await;
    let request = TransactionRequest::default()
        .with_from(chain.alice)
        .with_to(contract);
    let error = refused(
        chain
            .client
            .estimate_gas(request.with_input(bytes!("2a")))
            .await,
    );
    assert_eq!(error.code, 3);
    assert_eq!(error.as_revert_data(), Some(bytes!("2a")));
}

#[tokio::test]
async fn it_is_no_more_than_the_sender_can_pay_or_allows() {
    let chain = Chain::by_hand().await;
    let contract = chain.deploy(WRITER).await;
    let request = TransactionRequest::default()
        .with_from(chain.alice)
        .with_to(contract)
        .with_input(B256::repeat_byte(1));
    let error = refused(
        chain
            .client
            .estimate_gas(request.clone().with_gas_limit(30_000))
            .await,
    );
    assert_eq!(error.message, "gas required exceeds allowance (30000)");
    let price = 2_000_000_000;
    chain
        .node
        .set_balance(chain.alice, U256::from(25_000) * U256::from(price));
    let request = request
        .with_max_fee_per_gas(price)
        .with_max_priority_fee_per_gas(1);
    let error = refused(chain.client.estimate_gas(request).await);
    assert_eq!(error.message, "gas required exceeds allowance (25000)");
}

#[tokio::test]
async fn without_an_account_that_pays_it_still_answers() {
    let chain = Chain::by_hand().await;
    let request = TransactionRequest::default().with_deploy_code(Bytes::new());
    assert!(chain.client.estimate_gas(request).await.expect("an answer") >= 53_000);
}
