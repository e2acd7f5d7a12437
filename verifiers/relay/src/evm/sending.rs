//! One transaction, from its first offer until it is in a block.
//!
//! All transactions for one purpose have the same nonce, so at most one is ever in a block.

use crate::{
    evm::{
        chain::{unreachable, Chain},
        fees::Fees,
    },
    target::{Delivered, Receipt, TargetError},
};
use alloy::{
    consensus::{SignableTransaction, TxEip1559, TxEnvelope},
    eips::Encodable2718,
    primitives::{Address, Bytes, TxKind, B256, U256},
    providers::Provider,
    rpc::types::TransactionReceipt,
    signers::{local::PrivateKeySigner, SignerSync},
    transports::{RpcError, TransportError},
};
use duet_light_rpc::shown;
use duet_primitives::H256;
use std::time::{Duration, Instant};

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

/// A sent transaction.
struct Sent {
    hash: B256,
    is_withdrawal: bool,
}

/// Why a node does not take a transaction.
enum Rejected {
    /// One with this nonce is in a block.
    NonceUsed,
    /// One with this nonce waits already, and offers as much.
    Underpriced,
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
        })
    }

    /// Waits for the transactions of an earlier run. Those that are in no block after that are replaced.
    pub(crate) async fn settle(&self) -> Result<(), TargetError> {
        let until = Instant::now().checked_add(self.chain.options.resend_after);
        while self.count(true).await? > self.count(false).await? {
            if until.is_none_or(|until| Instant::now() >= until) {
                break;
            }
            self.pause().await;
        }
        Ok(())
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
        let mut fees = self.chain.offer().await?;
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
                Err(Rejected::Underpriced) => match fees.raised(limit) {
                    Some(raised) => {
                        fees = raised;
                        continue;
                    }
                    None if sent.is_empty() => {
                        let asked = fees.max;
                        return Err(TargetError::TooDear { asked, limit });
                    }
                    None => {}
                },
                Err(Rejected::NonceUsed) if sent.is_empty() => {
                    nonce = self.count_beyond(nonce).await?;
                    if is_overtaken().await? {
                        return Err(used_elsewhere());
                    }
                    continue;
                }
                Err(Rejected::NonceUsed) => return self.receipt(&sent).await,
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
                return self.receipt(&sent).await;
            }
            // At the limit the same is sent again, for a node that has lost it.
            if let Some(raised) = fees.raised(limit) {
                let price = self.chain.price().await;
                fees = price.map_or(raised, |(base, tip)| {
                    raised.at_least(Fees::offer(base, tip, limit))
                });
            }
        }
    }

    /// The account's count once it is above `nonce`. A node may show a receipt before it counts the transaction.
    async fn count_beyond(&self, nonce: u64) -> Result<u64, TargetError> {
        let count = async || {
            let count = self.count(false).await?;
            Ok((count > nonce).then_some(count))
        };
        self.shown(count).await
    }

    /// The receipt of one of these, whose nonce is used. A node may show a block before its receipts.
    async fn receipt(&self, sent: &[Sent]) -> Result<Mined, TargetError> {
        self.shown(async || self.mined(sent).await).await
    }

    /// An answer that a node gives soon, if nobody else uses the account.
    async fn shown<T>(
        &self,
        ask: impl AsyncFn() -> Result<Option<T>, TargetError>,
    ) -> Result<T, TargetError> {
        let until = Instant::now().checked_add(LAG);
        loop {
            if let Some(shown) = ask().await? {
                return Ok(shown);
            }
            if until.is_none_or(|until| Instant::now() >= until) {
                return Err(used_elsewhere());
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
fn used_elsewhere() -> TargetError {
    TargetError::Unreachable(
        "another transaction of the same account used the nonce: give each relayer its own account"
            .to_owned(),
    )
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
        Some(Rejected::Underpriced)
    } else if message.contains("insufficient funds") {
        Some(Rejected::NoFunds(shown(&payload.message)))
    } else {
        Some(Rejected::Other(TargetError::Refused(shown(
            &payload.message,
        ))))
    }
}
