//! An EVM chain, by its JSON-RPC, and the account that pays there.

use crate::{
    evm::{contract, fees::Fees},
    news::News,
    target::{Stuck, TargetError},
};
use alloy::{
    eips::{BlockId, BlockNumberOrTag},
    network::Ethereum,
    primitives::{Address, Bytes, B256},
    providers::{Provider, RootProvider},
    rpc::{client::RpcClient, types::TransactionRequest},
    signers::local::PrivateKeySigner,
    transports::{http::Http, RpcError, TransportError},
};
use duet_light_rpc::{shown, Failure, Kind};
use duet_process::http_url;
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

/// The operator's options for an EVM chain.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The most that is paid for a unit of gas, in wei.
    pub max_fee_per_gas: u128,
    /// How long a request may take.
    pub timeout: Duration,
    /// How long a transaction may wait for a block until it is sent again with higher fees.
    pub resend_after: Duration,
    /// How often a transaction that was sent is looked for.
    pub look_every: Duration,
}

/// A connection to the chain.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub(crate) provider: RootProvider<Ethereum>,
    pub(crate) signer: Option<PrivateKeySigner>,
    pub(crate) options: Options,
    pub(crate) news: News<Stuck>,
    /// The transaction behind a gap that was told of last.
    pub(crate) behind_gap: Arc<Mutex<Option<B256>>>,
}

impl Chain {
    /// A chain behind an HTTP JSON-RPC endpoint. Sends no request yet.
    pub(crate) fn new(
        url: &str,
        signer: Option<PrivateKeySigner>,
        options: Options,
    ) -> Result<Self, Failure> {
        let usage = |what: &str| Failure::new(Kind::Usage, format!("{url}: {what}"));
        http_url(url).map_err(|why| usage(&why))?;
        let parsed = url.parse().map_err(|_| usage("not a URL"))?;
        // Refused where a provider is installed already, which then serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .timeout(options.timeout)
            .build()
            .map_err(|error| usage(&error.to_string()))?;
        let transport = Http::with_client(http, parsed);
        let is_local = transport.guess_local();
        Ok(Self {
            provider: RootProvider::new(RpcClient::new(transport, is_local)),
            signer,
            options,
            news: News::default(),
            behind_gap: Arc::default(),
        })
    }

    /// The account that pays; none without a key.
    pub(crate) fn account(&self) -> Option<Address> {
        self.signer.as_ref().map(PrivateKeySigner::address)
    }

    /// The base fee of the next block and the usual tip, in wei.
    pub(crate) async fn price(&self) -> Result<(u128, u128), TargetError> {
        let history = self
            .provider
            .get_fee_history(1, BlockNumberOrTag::Latest, &[])
            .await
            .map_err(|error| unreachable(&error))?;
        let base = history.next_block_base_fee().unwrap_or_default();
        let tip = self.provider.get_max_priority_fee_per_gas().await;
        Ok((base, tip.map_err(|error| unreachable(&error))?))
    }

    /// The time that the next block will have at least, in seconds: of the pending block, or of the newest where the node
    /// shows none. Some chains make no block until there is a transaction.
    pub(crate) async fn time(&self) -> Result<u64, TargetError> {
        for at in [BlockNumberOrTag::Pending, BlockNumberOrTag::Latest] {
            let block = self.provider.get_block_by_number(at).await;
            if let Some(block) = block.map_err(|error| unreachable(&error))? {
                return Ok(block.header.timestamp);
            }
        }
        Err(TargetError::Unreachable("it has no block".to_owned()))
    }

    /// The fees to offer now, within the operator's limit.
    pub(crate) async fn offer(&self) -> Result<Fees, TargetError> {
        let (base, tip) = self.price().await?;
        let (asked, limit) = (base.saturating_add(tip), self.options.max_fee_per_gas);
        if asked > limit {
            return Err(TargetError::TooDear { asked, limit });
        }
        Ok(Fees::offer(base, tip, limit))
    }

    /// Units of gas for a call, as the node estimates them. The call is tried with so much, as some nodes cap what they
    /// say: a transaction with less than it needs is paid for and does nothing.
    pub(crate) async fn gas(&self, request: TransactionRequest) -> Result<u64, TargetError> {
        let pending = BlockId::Number(BlockNumberOrTag::Pending);
        let gas = self.provider.estimate_gas(request.clone()).block(pending);
        let gas = gas.await.map_err(|error| match revert(&error) {
            Some(data) => TargetError::Refused(contract::refusal(&data)),
            None => TargetError::Unreachable(shown(&format!("eth_estimateGas: {error}"))),
        })?;
        let limited = TransactionRequest {
            gas: Some(with_room(gas)),
            ..request
        };
        let tried = self.provider.call(limited).block(pending).await;
        tried.map(|_| gas).map_err(|error| {
            let why = match revert(&error) {
                Some(data) => contract::refusal(&data),
                None => error.to_string(),
            };
            TargetError::Unreachable(shown(&format!(
                "eth_estimateGas says {gas} units of gas, and with these and a fifth more the call fails: {why}"
            )))
        })
    }
}

/// A fifth more: others may change storage before it is this transaction's turn. When they have the contract forget the pair
/// of keys that it had verified, a proof costs 30 000 more than the estimate (JUST-9).
pub(crate) fn with_room(gas: u64) -> u64 {
    gas.saturating_add(gas / 5)
}

/// The revert data of a call, if it failed by a revert.
pub(crate) fn revert(error: &TransportError) -> Option<Vec<u8>> {
    /// The nodes' error code for it.
    const REVERTED: i64 = 3;
    let RpcError::ErrorResp(payload) = error else {
        return None;
    };
    let data = payload.data.as_ref().map(|data| data.get());
    let data = data.and_then(|data| serde_json::from_str::<Bytes>(data).ok());
    match data {
        Some(data) => Some(data.to_vec()),
        None => {
            let is_revert = payload.code == REVERTED || payload.message.contains("revert");
            is_revert.then(Vec::new)
        }
    }
}

pub(crate) fn unreachable(error: &TransportError) -> TargetError {
    TargetError::Unreachable(shown(&error.to_string()))
}
