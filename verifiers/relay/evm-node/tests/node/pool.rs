//! Which transactions are taken, which wait, and in which order they are mined.

use crate::chain::{refused, Chain, ETHER, GWEI};
use alloy::{
    network::TransactionBuilder,
    primitives::{Address, U256},
    providers::Provider,
    rpc::types::TransactionRequest,
};
use duet_evm_node::{Config, Fork, Mining};
use serde_json::json;

#[tokio::test]
async fn of_a_transaction_and_its_replacement_only_one_is_mined() {
    let chain = Chain::by_hand().await;
    let old = chain.send(chain.transfer(0)).await.expect("accepted");
    let replacement = chain
        .transfer(0)
        .with_max_fee_per_gas(11 * GWEI)
        .with_max_priority_fee_per_gas(GWEI + GWEI / 10);
    let new = chain.send(replacement).await.expect("accepted");
    assert_eq!(chain.node.pool_len(), 1);
    assert!(chain
        .client
        .get_transaction_by_hash(old)
        .await
        .expect("an answer")
        .is_none());
    chain.node.mine();
    assert!(chain.receipt(old).await.is_none());
    assert!(chain.receipt(new).await.is_some());
    assert_eq!(
        chain.node.balance(chain.bob),
        U256::from(10 * ETHER + 1),
        "paid once"
    );
    assert_eq!(chain.node.pool_len(), 0);
}

#[tokio::test]
async fn a_replacement_needs_ten_percent_more_of_both_fees() {
    let chain = Chain::by_hand().await;
    chain.send(chain.transfer(0)).await.expect("accepted");
    let (fee, tip) = (11 * GWEI, GWEI + GWEI / 10);
    for (fee, tip) in [
        (fee, tip - 1),
        (fee - 1, tip),
        (fee, GWEI),
        (10 * GWEI, tip),
    ] {
        let request = chain.transfer(0).with_value(U256::from(2));
        let request = request
            .with_max_fee_per_gas(fee)
            .with_max_priority_fee_per_gas(tip);
        let error = refused(chain.send(request).await);
        assert_eq!(error.code, -32000);
        assert_eq!(
            error.message, "replacement transaction underpriced",
            "{fee} {tip}"
        );
    }
    assert_eq!(chain.node.pool_len(), 1);
}

#[tokio::test]
async fn after_a_gap_of_nonces_transactions_wait() {
    let chain = Chain::by_hand().await;
    let later = chain.send(chain.transfer(1)).await.expect("accepted");
    chain.node.mine();
    assert!(chain.receipt(later).await.is_none());
    let first = chain.send(chain.transfer(0)).await.expect("accepted");
    chain.node.mine();
    for (index, hash) in [first, later].into_iter().enumerate() {
        let receipt = chain.receipt(hash).await.expect("mined");
        assert_eq!(receipt.block_number, Some(2));
        assert_eq!(receipt.transaction_index, Some(index as u64));
    }
}

#[tokio::test]
async fn the_pending_count_has_what_waits_up_to_a_gap() {
    let chain = Chain::by_hand().await;
    for nonce in [0, 1, 3] {
        chain.send(chain.transfer(nonce)).await.expect("accepted");
    }
    let count = || chain.client.get_transaction_count(chain.alice);
    assert_eq!(count().pending().await.expect("an answer"), 2);
    assert_eq!(count().await.expect("an answer"), 0);
    chain.node.mine();
    assert_eq!(count().await.expect("an answer"), 2);
    assert_eq!(count().pending().await.expect("an answer"), 2);
    assert_eq!(chain.node.pool_len(), 1);
}

#[tokio::test]
async fn below_the_base_fee_a_transaction_waits() {
    let chain = Chain::by_hand().await;
    chain.node.set_base_fee(10_000_000_001);
    let hash = chain.send(chain.transfer(0)).await.expect("accepted");
    chain.node.mine();
    assert!(chain.receipt(hash).await.is_none());
    assert_eq!(chain.node.pool_len(), 1);
    chain.node.set_base_fee(9_500_000_000);
    chain.node.mine();
    let receipt = chain.receipt(hash).await.expect("mined");
    assert_eq!(
        receipt.effective_gas_price,
        10 * GWEI,
        "what is left of the maximum is the tip"
    );
}

#[tokio::test]
async fn a_lower_base_fee_lets_waiting_transactions_be_mined_at_once() {
    let chain = Chain::start(Default::default()).await;
    chain.node.set_base_fee(11_000_000_000);
    let hash = chain.send(chain.transfer(0)).await.expect("accepted");
    assert_eq!(chain.node.block_number(), 0, "no empty block is made");
    chain.node.set_base_fee(1_000_000_000);
    assert!(chain.receipt(hash).await.is_some());
}

#[tokio::test]
async fn the_higher_tip_goes_first() {
    let chain = Chain::by_hand().await;
    let second = chain.send(chain.transfer(0)).await.expect("accepted");
    let request = chain.transfer(0).with_from(chain.bob);
    let request = request.with_max_priority_fee_per_gas(2 * GWEI);
    let first = chain.send(request).await.expect("accepted");
    chain.node.mine();
    for (index, hash) in [first, second].into_iter().enumerate() {
        let receipt = chain.receipt(hash).await.expect("mined");
        assert_eq!(receipt.transaction_index, Some(index as u64));
    }
}

#[tokio::test]
async fn of_equal_tips_the_older_goes_first() {
    let chain = Chain::by_hand().await;
    for nonce in 0..2 {
        // Each order once, since the addresses are ordered as well.
        let mut senders = [chain.alice, chain.bob];
        senders.rotate_left(nonce);
        let mut hashes = Vec::new();
        for sender in senders {
            let request = chain.transfer(nonce as u64).with_from(sender);
            hashes.push(chain.send(request).await.expect("accepted"));
        }
        chain.node.mine();
        for (index, hash) in hashes.into_iter().enumerate() {
            let receipt = chain.receipt(hash).await.expect("mined");
            assert_eq!(receipt.transaction_index, Some(index as u64));
        }
    }
}

#[tokio::test]
async fn what_might_not_fit_into_a_block_waits_for_the_next() {
    for mining in [Mining::ByHand, Mining::OnEachTransaction] {
        let chain = Chain::start(Config {
            fork: Fork::Prague,
            mining: Mining::ByHand,
            ..Config::default()
        })
        .await;
        let mut hashes = Vec::new();
        for nonce in 0..2 {
            let request = chain.transfer(nonce).with_gas_limit(60_000_000);
            hashes.push(chain.send(request).await.expect("accepted"));
        }
        chain.node.set_mining(mining);
        if mining == Mining::ByHand {
            chain.node.mine();
            assert_eq!(chain.node.pool_len(), 1);
            chain.node.mine();
        }
        for (index, hash) in hashes.into_iter().enumerate() {
            let receipt = chain.receipt(hash).await.expect("mined");
            assert_eq!(receipt.block_number, Some(index as u64 + 1));
        }
    }
}

#[tokio::test]
async fn what_the_sender_cannot_pay_any_more_is_dropped() {
    let chain = Chain::by_hand().await;
    let hash = chain.send(chain.transfer(0)).await.expect("accepted");
    chain.node.set_balance(chain.alice, U256::from(1));
    chain.node.mine();
    assert!(chain.receipt(hash).await.is_none());
    assert_eq!(chain.node.pool_len(), 0);
    assert_eq!(chain.node.balance(chain.alice), U256::from(1));
}

#[tokio::test]
async fn what_breaks_a_rule_is_refused() {
    let chain = Chain::by_hand().await;
    chain.mine(chain.transfer(0)).await;
    let valid = || chain.transfer(1);
    type Tweak = (TransactionRequest, &'static str);
    let tweaks: [Tweak; 8] = [
        (
            chain.transfer(0).with_value(U256::from(2)),
            "nonce too low: next nonce 1, tx nonce 0",
        ),
        (
            valid().with_chain_id(1),
            "invalid chain id for signer: have 1 want 31337",
        ),
        (
            valid().with_value(U256::from(10 * ETHER)),
            "insufficient funds for gas * price + value",
        ),
        (
            valid().with_gas_limit(20_999),
            "intrinsic gas too low: gas 20999, minimum needed 21000",
        ),
        (
            valid().with_gas_limit(25_000).with_input(vec![1; 200]),
            "insufficient gas for floor data gas cost: gas 25000, minimum needed 29000",
        ),
        (
            valid().with_gas_limit(60_000_001),
            "transaction gas limit (60000001) is greater",
        ),
        (
            valid().with_max_priority_fee_per_gas(10 * GWEI + 1),
            "max priority fee per gas higher than max fee per gas",
        ),
        (valid().with_input(vec![1; 128 * 1024]), "oversized data"),
    ];
    for (request, expected) in tweaks {
        let error = refused(chain.send(request).await);
        assert_eq!(error.code, -32000, "{expected}");
        assert!(
            error.message.starts_with(expected),
            "{expected}: {}",
            error.message
        );
    }
    chain.send(valid()).await.expect("accepted");
    assert_eq!(refused(chain.send(valid()).await).message, "already known");
    chain.node.mine();
    assert_eq!(refused(chain.send(valid()).await).message, "already known");
}

#[tokio::test]
async fn a_tampered_transaction_is_not_from_its_signer() {
    let chain = Chain::by_hand().await;
    let mut raw = chain.sign(chain.transfer(0)).await.to_vec();
    for cut in 0..raw.len() {
        let error = chain
            .error(
                "eth_sendRawTransaction",
                json!([alloy::hex::encode_prefixed(&raw[..cut])]),
            )
            .await;
        assert_eq!(error.code, -32000, "{cut} bytes");
    }
    let last = raw.last_mut().expect("a signature");
    *last ^= 1;
    let error = chain
        .error(
            "eth_sendRawTransaction",
            json!([alloy::hex::encode_prefixed(&raw)]),
        )
        .await;
    assert!(
        error.message.starts_with("insufficient funds") || error.message == "invalid sender",
        "another key or none is recovered: {error:?}"
    );
}

#[tokio::test]
async fn transactions_that_wait_must_be_payable_together() {
    let chain = Chain::by_hand().await;
    let most = chain.transfer(0).with_value(U256::from(6 * ETHER));
    chain.send(most).await.expect("accepted");
    let error = refused(
        chain
            .send(chain.transfer(1).with_value(U256::from(6 * ETHER)))
            .await,
    );
    assert!(error.message.starts_with("insufficient funds"), "{error:?}");
    chain.send(chain.transfer(1)).await.expect("accepted");
}

#[tokio::test]
async fn one_sender_does_not_fill_the_pool() {
    let chain = Chain::by_hand().await;
    let mut accepted = 0;
    let error = loop {
        match chain.send(chain.transfer(accepted)).await {
            Ok(_) => accepted += 1,
            other => break refused(other),
        }
        assert!(accepted < 1000, "no limit");
    };
    assert!(
        error.message.starts_with("account limit exceeded"),
        "{error:?}"
    );
    let from_bob = chain
        .transfer(0)
        .with_from(chain.bob)
        .with_to(Address::ZERO);
    chain.send(from_bob).await.expect("accepted");
    assert_eq!(chain.node.pool_len() as u64, accepted + 1);
}
