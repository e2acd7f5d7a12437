//! A node with two funded accounts, a client of it, and contracts small enough to write by hand.

use alloy::{
    eips::eip2718::Encodable2718,
    network::{EthereumWallet, NetworkTransactionBuilder, TransactionBuilder},
    primitives::{Address, Bytes, TxHash, B256, U256},
    providers::{DynProvider, Provider, ProviderBuilder},
    rpc::{
        json_rpc::{ErrorPayload, RpcRecv, RpcSend},
        types::{TransactionReceipt, TransactionRequest},
    },
    signers::local::PrivateKeySigner,
    transports::{RpcError, TransportResult},
};
use duet_evm_node::{Config, EvmNode, Mining};
use serde_json::Value;
use std::{future::Future, time::Duration};

/// 10^18 wei.
pub(crate) const ETHER: u128 = 1_000_000_000_000_000_000;

/// 10^9 wei.
pub(crate) const GWEI: u128 = 1_000_000_000;

/// Reverts with its calldata.
pub(crate) const REVERTER: &str = "365f5f37365ffd";

/// Logs the first word of its calldata as a topic, without data.
pub(crate) const LOGGER: &str = "5f355f5fa100";

/// Logs like the other, and reverts then.
pub(crate) const LOGGER_THAT_REVERTS: &str = "5f355f5fa15f5ffd";

/// Writes the first word of its calldata to slot 0.
pub(crate) const WRITER: &str = "5f355f5500";

/// Calls the address in its calldata with the word 1, and reverts when that fails.
pub(crate) const CALLER: &str = "60015f525f5f60205f5f5f355af16014575f5ffd5b00";

/// Returns the hash of the block whose number is in its calldata.
pub(crate) const BLOCK_HASH: &str = "5f35405f5260205ff3";

/// Returns the number of the block it runs in.
pub(crate) const BLOCK_NUMBER: &str = "435f5260205ff3";

/// What a deployment of this code sends.
pub(crate) fn creation(runtime: &str) -> Bytes {
    let length = runtime.len() / 2;
    format!("60{length:02x}8060095f395ff3{runtime}")
        .parse()
        .expect("hexadecimal")
}

/// Ends a test that would wait for ever.
pub(crate) async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), future)
        .await
        .expect("it takes half a minute at most")
}

/// A node, and a client with the keys of two accounts that have ten ether each.
pub(crate) struct Chain {
    pub(crate) node: EvmNode,
    pub(crate) client: DynProvider,
    pub(crate) alice: Address,
    pub(crate) bob: Address,
    wallet: EthereumWallet,
}

impl Chain {
    /// A chain whose blocks are made by hand.
    pub(crate) async fn by_hand() -> Self {
        Self::start(Config {
            mining: Mining::ByHand,
            ..Config::default()
        })
        .await
    }

    pub(crate) async fn start(config: Config) -> Self {
        let keys = [1, 2].map(|byte| {
            PrivateKeySigner::from_bytes(&B256::repeat_byte(byte)).expect("a key in range")
        });
        let [alice, bob] = keys.each_ref().map(PrivateKeySigner::address);
        let node = EvmNode::start(Config {
            funded: vec![
                (alice, U256::from(10 * ETHER)),
                (bob, U256::from(10 * ETHER)),
            ],
            ..config
        })
        .await
        .expect("a free port");
        let [first, second] = keys;
        let mut wallet = EthereumWallet::from(first);
        wallet.register_signer(second);
        let client = ProviderBuilder::new()
            .wallet(wallet.clone())
            .connect_http(node.url().parse().expect("a URL"))
            .erased();
        client.client().set_poll_interval(Duration::from_millis(10));
        Self {
            node,
            client,
            alice,
            bob,
            wallet,
        }
    }

    /// A transfer from Alice with everything set: what a test says nothing about is the same in all.
    pub(crate) fn transfer(&self, nonce: u64) -> TransactionRequest {
        TransactionRequest::default()
            .with_from(self.alice)
            .with_to(self.bob)
            .with_value(U256::from(1))
            .with_nonce(nonce)
            .with_chain_id(31337)
            .with_gas_limit(21_000)
            .with_max_fee_per_gas(10 * GWEI)
            .with_max_priority_fee_per_gas(GWEI)
    }

    /// A transaction in the bytes that are sent.
    pub(crate) async fn sign(&self, request: TransactionRequest) -> Bytes {
        let signed = request.build(&self.wallet).await.expect("a transaction");
        signed.encoded_2718().into()
    }

    /// Signs and sends.
    pub(crate) async fn send(&self, request: TransactionRequest) -> TransportResult<TxHash> {
        let raw = self.sign(request).await;
        self.call("eth_sendRawTransaction", (raw,)).await
    }

    /// Sends what must be accepted, makes a block, and returns the receipt.
    pub(crate) async fn mine(&self, request: TransactionRequest) -> TransactionReceipt {
        let pending = self.client.send_transaction(request).await;
        let hash = *pending.expect("accepted").tx_hash();
        self.node.mine();
        self.receipt(hash).await.expect("mined")
    }

    /// Deploys a contract from Bob.
    pub(crate) async fn deploy(&self, runtime: &str) -> Address {
        let request = TransactionRequest::default()
            .with_from(self.bob)
            .with_deploy_code(creation(runtime));
        let receipt = self.mine(request).await;
        assert!(receipt.status(), "deployed");
        receipt.contract_address.expect("the address")
    }

    pub(crate) async fn receipt(&self, hash: TxHash) -> Option<TransactionReceipt> {
        let receipt = self.client.get_transaction_receipt(hash).await;
        receipt.expect("an answer")
    }

    /// A request as it is.
    pub(crate) async fn call<P, R>(&self, method: &'static str, params: P) -> TransportResult<R>
    where
        P: RpcSend,
        R: RpcRecv,
    {
        within(self.client.raw_request(method.into(), params)).await
    }

    /// The error that a request is answered with.
    pub(crate) async fn error(&self, method: &'static str, params: Value) -> ErrorPayload {
        refused(self.call::<_, Value>(method, params).await)
    }
}

/// The error in an answer.
pub(crate) fn refused<T: std::fmt::Debug>(answer: TransportResult<T>) -> ErrorPayload {
    match answer {
        Err(RpcError::ErrorResp(error)) => error,
        other => panic!("not answered with an error: {other:?}"),
    }
}
