//! The contract as a target.

use crate::{
    evm::{
        chain::{revert, unreachable, Chain, Options},
        contract::{self, GENESIS_HASH, SETS, STATUS, TRUSTING_PERIOD},
        sending::{Action, Sender},
    },
    messages::Lane,
    recovery::RecoveryStatus,
    target::{
        no_lane, Cargo, Delivered, Delivery, Estimate, LaneStatus, Receipt, Status, Target,
        TargetError,
    },
};
use alloy::{
    eips::{BlockId, BlockNumberOrTag},
    primitives::{Address, Bytes, TxKind},
    providers::Provider,
    rpc::types::{TransactionInput, TransactionRequest},
    signers::local::PrivateKeySigner,
};
use duet_light_rpc::Failure;
use duet_primitives::{KeysetCommitment, H256};

/// How often the two views are queried until both are of one block.
const TRIES: usize = 5;

/// A Duet light client on an EVM chain.
///
/// The endpoint is the operator's own choice: it cannot deceive the contract, but it can waste the account's funds.
#[derive(Clone, Debug)]
pub struct Evm {
    chain: Chain,
    contract: Address,
}

impl Evm {
    /// The contract at an address, by an endpoint that speaks JSON-RPC over HTTP. Without a key, nothing can be sent.
    ///
    /// # Errors
    /// [`Kind::Usage`](duet_light_rpc::Kind::Usage) when the URL is none.
    pub fn new(
        url: &str,
        contract: Address,
        signer: Option<PrivateKeySigner>,
        options: Options,
    ) -> Result<Self, Failure> {
        Ok(Self {
            chain: Chain::new(url, signer, options)?,
            contract,
        })
    }

    /// The account that pays; none without a key.
    pub fn account(&self) -> Option<Address> {
        self.chain.account()
    }

    async fn view(&self, signature: &str, at: BlockNumberOrTag) -> Result<Bytes, TargetError> {
        let call = self.request(contract::view(signature).into());
        let answer = self
            .chain
            .provider
            .call(call)
            .block(BlockId::Number(at))
            .await;
        answer.map_err(|error| match revert(&error) {
            Some(data) => TargetError::Misconfigured(format!(
                "no Duet light client at {}: {}",
                self.contract,
                contract::refusal(&data)
            )),
            None => unreachable(&error),
        })
    }

    /// Both views of one block: between two questions the chain may get another one.
    async fn status_at(&self, at: BlockNumberOrTag) -> Result<Status, TargetError> {
        let period = self.view(TRUSTING_PERIOD, at).await?;
        let mut status = self.view(STATUS, at).await?;
        for _ in 0..TRIES {
            let sets = self.view(SETS, at).await?;
            let again = self.view(STATUS, at).await?;
            if again == status {
                return contract::status(&status, &sets, &period);
            }
            status = again;
        }
        Err(TargetError::Unreachable(
            "its answers were never of the same block".to_owned(),
        ))
    }

    fn request(&self, input: Bytes) -> TransactionRequest {
        let request = TransactionRequest {
            from: self.account(),
            to: Some(TxKind::Call(self.contract)),
            ..TransactionRequest::default()
        };
        TransactionRequest {
            input: TransactionInput::new(input),
            ..request
        }
    }

    /// Whether nothing is to be gained any more.
    async fn is_overtaken(
        &self,
        delivery: &Delivery,
        at: BlockNumberOrTag,
    ) -> Result<bool, TargetError> {
        let status = self.status_at(at).await?;
        Ok(status.is_stopped || status.best >= delivery.block())
    }
}

impl Target for Evm {
    const WITH_HEADER: bool = false;

    async fn genesis_hash(&self) -> Result<H256, TargetError> {
        let answer = self.view(GENESIS_HASH, BlockNumberOrTag::Latest).await?;
        let [hash] = contract::words(GENESIS_HASH, &answer)?;
        Ok(H256(hash))
    }

    fn fingerprint(&self, set: &KeysetCommitment) -> H256 {
        H256(alloy::primitives::keccak256(duet_calldata::set_bytes(set)).0)
    }

    async fn status(&self) -> Result<Status, TargetError> {
        self.status_at(BlockNumberOrTag::Latest).await
    }

    /// The contract crosses none.
    async fn recovery(&self) -> Result<Option<RecoveryStatus>, TargetError> {
        Ok(None)
    }

    async fn estimate(&self, cargo: &Cargo) -> Result<Estimate, TargetError> {
        let delivery = cargo.proof()?;
        if self
            .is_overtaken(delivery, BlockNumberOrTag::Pending)
            .await?
        {
            return Err(TargetError::Overtaken(cargo.to_string()));
        }
        let input = duet_calldata::submit(&delivery.proof, &delivery.set);
        let bytes = input.len();
        let work = self.chain.gas(self.request(input.into())).await?;
        let (base, tip) = self.chain.price().await?;
        let cost = u128::from(work).saturating_mul(base.saturating_add(tip));
        Ok(Estimate { work, cost, bytes })
    }

    async fn submit(&self, cargo: &Cargo) -> Result<Receipt, TargetError> {
        let delivery = cargo.proof()?;
        let sender = Sender::new(&self.chain).await?;
        sender.settle().await?;
        if self
            .is_overtaken(delivery, BlockNumberOrTag::Pending)
            .await?
        {
            return Err(TargetError::Overtaken(cargo.to_string()));
        }
        let input = Bytes::from(duet_calldata::submit(&delivery.proof, &delivery.set));
        let gas = self.chain.gas(self.request(input.clone())).await?;
        let call = Action {
            to: TxKind::Call(self.contract),
            input,
            gas: with_room(gas),
        };
        let is_overtaken = async || self.is_overtaken(delivery, BlockNumberOrTag::Latest).await;
        let mined = sender.send(call, is_overtaken).await?;
        Ok(mined.as_receipt(mined.result()))
    }

    /// The contract has none.
    async fn lane(&self, lane: &Lane) -> Result<LaneStatus, TargetError> {
        Err(no_lane(lane))
    }

    async fn balance(&self) -> Result<Option<u128>, TargetError> {
        let Some(account) = self.account() else {
            return Ok(None);
        };
        let balance = self.chain.provider.get_balance(account).await;
        let balance = balance.map_err(|error| unreachable(&error))?;
        Ok(Some(u128::try_from(balance).unwrap_or(u128::MAX)))
    }
}

impl Evm {
    /// Creates a contract, and waits until it is in a block.
    pub(crate) async fn create(&self, code: Bytes) -> Result<(Address, Receipt), TargetError> {
        let sender = Sender::new(&self.chain).await?;
        sender.settle().await?;
        let request = TransactionRequest {
            from: self.account(),
            to: Some(TxKind::Create),
            input: TransactionInput::new(code.clone()),
            ..TransactionRequest::default()
        };
        let call = Action {
            to: TxKind::Create,
            input: code,
            gas: with_room(self.chain.gas(request).await?),
        };
        let mined = sender.send(call, async || Ok(false)).await?;
        match mined.receipt.contract_address {
            Some(address) if mined.receipt.status() => {
                Ok((address, mined.as_receipt(Delivered::Taken)))
            }
            _ => Err(TargetError::Refused(
                "the constructor failed in the block".to_owned(),
            )),
        }
    }
}

/// A tenth more: storage that others change before it is this transaction's turn costs more than it did.
fn with_room(gas: u64) -> u64 {
    gas.saturating_add(gas / 10)
}
