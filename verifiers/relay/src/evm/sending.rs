//! One transaction, from its first offer until it is in a block.
//!
//! All transactions for one purpose have the same nonce, so at most one is ever in a block.

use crate::{
    evm::{
        chain::{unreachable, Chain},
        fees::Fees,
    },
    target::{Delivered, Receipt, Stuck, TargetError, Then},
};
use alloy::{
    consensus::{SignableTransaction, Transaction as _, TxEip1559, TxEnvelope},
    eips::Encodable2718,
    primitives::{Address, Bytes, TxKind, B256, U256},
    providers::Provider,
    rpc::types::{Transaction, TransactionReceipt},
    signers::{local::PrivateKeySigner, SignerSync},
    transports::{RpcError, TransportError},
};
use duet_light_rpc::shown;
use duet_primitives::H256;
use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

/// Gas of a transaction that does nothing.
const NOTHING: u64 = 21_000;

/// The action of a transaction.
#[derive(Clone, Debug)]
pub(crate) struct Action {
    pub(crate) to: TxKind,
    pub(crate) input: Bytes,
    /// The most that it may use.
    pub(crate) gas: u64,
}

/// Sends with one account.
pub(crate) struct Sender<'a> {
    chain: &'a Chain,
    signer: &'a PrivateKeySigner,
    account: Address,
    chain_id: u64,
    /// A transaction of an earlier run waits with the next nonce, and was told of.
    is_replacing: bool,
    /// What it offers, where the node shows it.
    rival: Option<Fees>,
}

/// A transaction in a block.
pub(crate) struct Mined {
    pub(crate) receipt: TransactionReceipt,
    /// Whether it is the empty transaction.
    pub(crate) is_withdrawal: bool,
}

impl Mined {
    /// The result of the contract's call. The contract logs each new proof, and accepts a known one without a log.
    pub(crate) fn result(&self) -> Delivered {
        if self.is_withdrawal {
            Delivered::Withdrawn
        } else if !self.receipt.status() {
            Delivered::Reverted
        } else if self.receipt.logs().is_empty() {
            Delivered::Known
        } else {
            Delivered::Taken
        }
    }

    pub(crate) fn as_receipt(&self, result: Delivered) -> Receipt {
        let gas = self.receipt.gas_used;
        Receipt {
            result,
            transaction: H256(self.receipt.transaction_hash.0),
            work: gas,
            paid: u128::from(gas).saturating_mul(self.receipt.effective_gas_price),
        }
    }
}

/// How long the answers of one node may disagree about a block.
const LAG: Duration = Duration::from_secs(5);
/// How many nonces are looked at for a transaction in the pool, where the node does not list them.
const AHEAD: u64 = 8;

/// The transactions of an account in the pool, `pending` and `queued`, by their nonces.
type Pool = BTreeMap<String, BTreeMap<u64, Transaction>>;

/// A sent transaction.
struct Sent {
    hash: B256,
    is_withdrawal: bool,
}

/// Why a node does not take a transaction.
enum Rejected {
    /// One with this nonce is in a block.
    NonceUsed,
    /// It offers too little: less than the node wants, or not enough more than one with this nonce that waits already.
    Underpriced { is_rivalled: bool },
    /// The account has too little.
    NoFunds(String),
    /// Anything else.
    Other(TargetError),
}

impl<'a> Sender<'a> {
    pub(crate) async fn new(chain: &'a Chain) -> Result<Self, TargetError> {
        let signer = chain.signer.as_ref().ok_or(TargetError::NoKey)?;
        let chain_id = chain.provider.get_chain_id().await;
        Ok(Self {
            chain,
            signer,
            account: signer.address(),
            chain_id: chain_id.map_err(|error| unreachable(&error))?,
            is_replacing: false,
            rival: None,
        })
    }

    /// Waits for the transactions of an earlier run. Those that are in no block after that are replaced.
    pub(crate) async fn settle(&mut self) -> Result<(), TargetError> {
        let until = Instant::now().checked_add(self.chain.options.resend_after);
        let mut awaited = None;
        loop {
            let next = self.count(false).await?;
            let shown = self.waiting(next).await;
            let (first, later): (Option<_>, Option<_>) = match shown {
                Some(one) if one.nonce() > next => (None, Some(one)),
                one => (one, None),
            };
            if first.is_none() && self.count(true).await? <= next {
                if let Some(later) = later {
                    self.tell_of_gap(&later);
                }
                return Ok(());
            }
            let hash = first.as_ref().map(|one| *one.inner.tx_hash());
            if awaited.replace((next, hash)) != Some((next, hash)) {
                self.tell(next, hash, Then::Awaited);
            }
            if until.is_none_or(|until| Instant::now() >= until) {
                self.tell(next, hash, Then::Replaced);
                self.is_replacing = true;
                self.rival = first.map(|one| Fees {
                    max: one.max_fee_per_gas(),
                    tip: one.priority_fee_or_price(),
                });
                return Ok(());
            }
            self.pause().await;
        }
    }

    /// The account's first transaction in the pool from a nonce on. Many nodes show none.
    async fn waiting(&self, from: u64) -> Option<Transaction> {
        let provider = &self.chain.provider;
        let pool = provider.raw_request("txpool_contentFrom".into(), (self.account,));
        if let Ok(pool) = pool.await as Result<Pool, _> {
            let all = pool.into_values().flatten();
            let rest = all.filter(|(nonce, _)| *nonce >= from);
            return rest.min_by_key(|(nonce, _)| *nonce).map(|(_, one)| one);
        }
        for nonce in from..from.saturating_add(AHEAD) {
            let one = provider.get_transaction_by_sender_nonce(self.account, nonce);
            if let Some(one) = one.await.ok()? {
                return Some(one);
            }
        }
        None
    }

    fn tell(&self, nonce: u64, transaction: Option<B256>, then: Then) {
        let transaction = transaction.map(|hash| H256(hash.0));
        self.chain.news.tell(Stuck {
            nonce,
            transaction,
            then,
        });
    }

    /// Tells once of a transaction that waits for others.
    fn tell_of_gap(&self, waiting: &Transaction) {
        let hash = *waiting.inner.tx_hash();
        let mut told = self.chain.behind_gap.lock();
        let told = told.as_mut().map(|told| told.replace(hash));
        if told.is_ok_and(|told| told != Some(hash)) {
            self.tell(waiting.nonce(), Some(hash), Then::BehindGap);
        }
    }

    /// How many transactions the account has sent: the next one's nonce.
    async fn count(&self, with_pending: bool) -> Result<u64, TargetError> {
        let count = self.chain.provider.get_transaction_count(self.account);
        let count = if with_pending {
            count.pending().await
        } else {
            count.latest().await
        };
        count.map_err(|error| unreachable(&error))
    }

    /// Sends it, with higher fees each time that it has waited for too long. Once `is_overtaken`, it is replaced by a transaction
    /// that does nothing, which costs a tenth.
    pub(crate) async fn send(
        &self,
        action: Action,
        is_overtaken: impl AsyncFn() -> Result<bool, TargetError>,
    ) -> Result<Mined, TargetError> {
        let limit = self.chain.options.max_fee_per_gas;
        let mut nonce = self.count(false).await?;
        let stuck = |nonce| TargetError::Stuck { nonce, limit };
        let mut fees = self.chain.offer().await?;
        if let Some(rival) = self.rival {
            fees = fees.at_least(rival.raised(limit).ok_or(stuck(nonce))?);
        }
        let mut is_at_limit = false;
        let mut is_told = self.is_replacing;
        let (mut action, mut is_withdrawal) = (action, false);
        let mut sent: Vec<Sent> = Vec::new();
        loop {
            match self.send_one(&action, nonce, fees).await {
                Ok(hash) => {
                    if sent.iter().all(|one| one.hash != hash) {
                        sent.push(Sent {
                            hash,
                            is_withdrawal,
                        });
                    }
                }
                Err(Rejected::Underpriced { is_rivalled }) => {
                    if is_rivalled && sent.is_empty() && !is_told {
                        is_told = true;
                        self.tell(nonce, None, Then::Replaced);
                    }
                    match fees.raised(limit) {
                        Some(raised) => {
                            fees = raised;
                            continue;
                        }
                        None if sent.is_empty() && is_rivalled => return Err(stuck(nonce)),
                        None if sent.is_empty() => {
                            let asked = fees.raised(u128::MAX).unwrap_or(fees).max;
                            return Err(TargetError::TooDear { asked, limit });
                        }
                        None => {}
                    }
                }
                Err(Rejected::NonceUsed) if sent.is_empty() => {
                    nonce = self.count_beyond(nonce).await?;
                    if is_overtaken().await? {
                        return Err(used_elsewhere(nonce));
                    }
                    continue;
                }
                Err(Rejected::NonceUsed) => return self.receipt(nonce, &sent).await,
                Err(Rejected::NoFunds(why)) if sent.is_empty() => {
                    return Err(TargetError::NoFunds(why))
                }
                Err(Rejected::Other(error)) if sent.is_empty() => return Err(error),
                Err(Rejected::NoFunds(_) | Rejected::Other(_)) => {}
            }
            let until = Instant::now().checked_add(self.chain.options.resend_after);
            let is_late = loop {
                // A node that does not answer for a while has not lost the transaction.
                if let Ok(Some(mined)) = self.mined(&sent).await {
                    return Ok(mined);
                }
                if !is_withdrawal && is_overtaken().await.unwrap_or(false) {
                    break false;
                }
                if until.is_none_or(|until| Instant::now() >= until) {
                    break true;
                }
                self.pause().await;
            };
            if !is_late {
                is_withdrawal = true;
                action = Action {
                    to: TxKind::Call(self.account),
                    input: Bytes::new(),
                    gas: NOTHING,
                };
            }
            if is_late && self.count(false).await? > nonce {
                return self.receipt(nonce, &sent).await;
            }
            // At the limit the same is sent again, for a node that has lost it.
            if let Some(raised) = fees.raised(limit) {
                let price = self.chain.price().await;
                fees = price.map_or(raised, |(base, tip)| {
                    raised.at_least(Fees::offer(base, tip, limit))
                });
            } else if is_late && !is_at_limit {
                is_at_limit = true;
                self.tell(nonce, sent.last().map(|one| one.hash), Then::AtLimit);
            }
        }
    }

    /// The account's count once it is above `nonce`. A node may show a receipt before it counts the transaction.
    async fn count_beyond(&self, nonce: u64) -> Result<u64, TargetError> {
        let count = async || {
            let count = self.count(false).await?;
            Ok((count > nonce).then_some(count))
        };
        self.shown(nonce, count).await
    }

    /// The receipt of one of these, whose nonce is used. A node may show a block before its receipts.
    async fn receipt(&self, nonce: u64, sent: &[Sent]) -> Result<Mined, TargetError> {
        self.shown(nonce, async || self.mined(sent).await).await
    }

    /// An answer that a node gives soon, if nobody else uses the account.
    async fn shown<T>(
        &self,
        nonce: u64,
        ask: impl AsyncFn() -> Result<Option<T>, TargetError>,
    ) -> Result<T, TargetError> {
        let until = Instant::now().checked_add(LAG);
        loop {
            if let Some(shown) = ask().await? {
                return Ok(shown);
            }
            if until.is_none_or(|until| Instant::now() >= until) {
                return Err(used_elsewhere(nonce));
            }
            self.pause().await;
        }
    }

    /// The transaction that is in a block, if any.
    async fn mined(&self, sent: &[Sent]) -> Result<Option<Mined>, TargetError> {
        for one in sent {
            let receipt = self.chain.provider.get_transaction_receipt(one.hash).await;
            if let Some(receipt) = receipt.map_err(|error| unreachable(&error))? {
                return Ok(Some(Mined {
                    receipt,
                    is_withdrawal: one.is_withdrawal,
                }));
            }
        }
        Ok(None)
    }

    async fn send_one(&self, action: &Action, nonce: u64, fees: Fees) -> Result<B256, Rejected> {
        let transaction = TxEip1559 {
            chain_id: self.chain_id,
            nonce,
            gas_limit: action.gas,
            max_fee_per_gas: fees.max,
            max_priority_fee_per_gas: fees.tip,
            to: action.to,
            value: U256::ZERO,
            access_list: Default::default(),
            input: action.input.clone(),
        };
        let signature = self.signer.sign_hash_sync(&transaction.signature_hash());
        let signature = signature.map_err(|error| {
            Rejected::Other(TargetError::Misconfigured(format!("cannot sign: {error}")))
        })?;
        let envelope = TxEnvelope::from(transaction.into_signed(signature));
        let hash = *envelope.tx_hash();
        let answer = self
            .chain
            .provider
            .send_raw_transaction(&envelope.encoded_2718())
            .await;
        match answer {
            Ok(_) => Ok(hash),
            Err(error) => rejected(&error).map_or(Ok(hash), Err),
        }
    }

    async fn pause(&self) {
        let pause = self.chain.options.look_every.max(Duration::from_millis(1));
        tokio::time::sleep(pause).await;
    }
}

/// Somebody else uses the same account.
fn used_elsewhere(nonce: u64) -> TargetError {
    TargetError::Unreachable(format!(
        "another transaction of the same account used nonce {nonce}: give each relayer its own account"
    ))
}

/// Why a node rejects a transaction, by the words that nodes use; none when it has it already.
fn rejected(error: &TransportError) -> Option<Rejected> {
    let RpcError::ErrorResp(payload) = error else {
        return Some(Rejected::Other(unreachable(error)));
    };
    let message = payload.message.to_lowercase();
    if message.contains("already known") || message.contains("already imported") {
        None
    } else if message.contains("nonce too low") {
        Some(Rejected::NonceUsed)
    } else if message.contains("underpriced") {
        Some(Rejected::Underpriced {
            is_rivalled: message.contains("replacement"),
        })
    } else if message.contains("insufficient funds") {
        Some(Rejected::NoFunds(shown(&payload.message)))
    } else {
        Some(Rejected::Other(TargetError::Refused(shown(
            &payload.message,
        ))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pool_of_an_account_is_read_as_nodes_show_it() {
        // By anvil, at "queued" of `txpool_content`. geth has the same of one account at `txpool_contentFrom`.
        let shown = r#"{"pending":{},"queued":{"2":{"type":"0x2","chainId":"0x7a69","nonce":"0x2","gas":"0x5208",
            "maxFeePerGas":"0x77359400","maxPriorityFeePerGas":"0x3b9aca00",
            "to":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","value":"0x0","accessList":[],"input":"0x",
            "r":"0x43042e97d130fb67102d71591ba1f043f6828f227bd777d3e92f7adc6627e522",
            "s":"0x41cb045e740e3661f06f49ffcbeb373181b399a111589a0612b0712df2fc7c2a","yParity":"0x0","v":"0x0",
            "hash":"0x144247c41d8974197b38d3439f2671f56be1989c0fe5641f241874e4491a5649","blockHash":null,
            "blockNumber":null,"transactionIndex":null,"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
            "gasPrice":"0x77359400"}}}"#;
        let pool: Pool = serde_json::from_str(shown).expect("a pool");
        let one = &pool["queued"][&2];
        assert_eq!((one.nonce(), one.max_fee_per_gas()), (2, 2_000_000_000));
        let hash = "0x144247c41d8974197b38d3439f2671f56be1989c0fe5641f241874e4491a5649";
        assert_eq!(one.inner.tx_hash().to_string(), hash);
    }
}
