//! The contract as a target.

use crate::{
    evm::{
        chain::{revert, unreachable, with_room, Chain, Options},
        contract::{
            self, Awaited, ANNOUNCED, GENESIS_HASH, RECOVERY, SETS, STATUS, TRUSTING_PERIOD,
        },
        sending::{Action, Sender},
    },
    messages::Lane,
    news::News,
    recovery::{Announced, RecoveryStatus},
    target::{
        no_lane, Cargo, Delivered, Estimate, LaneStatus, Receipt, Status, Stuck, Target,
        TargetError,
    },
};
use alloy::{
    eips::{BlockId, BlockNumberOrTag},
    primitives::{Address, Bytes, TxKind, B256, U256},
    providers::Provider,
    rpc::types::{Filter, TransactionInput, TransactionRequest},
    signers::local::PrivateKeySigner,
};
use duet_light_rpc::Failure;
use duet_primitives::{BlockNumber, KeysetCommitment, RecoveryStatement, H256};
use std::sync::Arc;
use tokio::sync::Mutex;

/// How often two views are queried until both are of one block.
const TRIES: usize = 5;

/// A Duet light client on an EVM chain.
///
/// The endpoint is the operator's own choice: it cannot deceive the contract, but it can waste the account's funds.
#[derive(Clone, Debug)]
pub struct Evm {
    chain: Chain,
    contract: Address,
    /// The statement of the last event that was asked for.
    shown: Arc<Mutex<Option<RecoveryStatement>>>,
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
            shown: Arc::default(),
        })
    }

    /// The account that pays; none without a key.
    pub fn account(&self) -> Option<Address> {
        self.chain.account()
    }

    async fn view(&self, signature: &str, at: BlockNumberOrTag) -> Result<Bytes, TargetError> {
        self.view_or_revert(signature, at).await?.map_err(|data| {
            TargetError::Misconfigured(format!(
                "no Duet light client at {}: {}",
                self.contract,
                contract::refusal(&data)
            ))
        })
    }

    /// A view's answer, or the data of its revert.
    async fn view_or_revert(
        &self,
        signature: &str,
        at: BlockNumberOrTag,
    ) -> Result<Result<Bytes, Vec<u8>>, TargetError> {
        let call = self.request(contract::view(signature).into());
        let call = self.chain.provider.call(call).block(BlockId::Number(at));
        match call.await {
            Ok(answer) => Ok(Ok(answer)),
            Err(error) => revert(&error).map(Err).ok_or_else(|| unreachable(&error)),
        }
    }

    /// `status` and another view, of one block: between two questions the chain may get another one.
    async fn with_status(
        &self,
        view: &str,
        at: BlockNumberOrTag,
    ) -> Result<(Bytes, Bytes), TargetError> {
        let mut status = self.view(STATUS, at).await?;
        for _ in 0..TRIES {
            let other = self.view(view, at).await?;
            let again = self.view(STATUS, at).await?;
            if again == status {
                return Ok((status, other));
            }
            status = again;
        }
        Err(TargetError::Unreachable(
            "its answers were never of the same block".to_owned(),
        ))
    }

    async fn status_at(&self, at: BlockNumberOrTag) -> Result<Status, TargetError> {
        let period = self.view(TRUSTING_PERIOD, at).await?;
        let (status, sets) = self.with_status(SETS, at).await?;
        contract::status(&status, &sets, &period)
    }

    /// The contract without recovery has no such view.
    async fn recovery_at(
        &self,
        given: Option<&RecoveryStatement>,
        at: BlockNumberOrTag,
    ) -> Result<Option<RecoveryStatus>, TargetError> {
        if self.view_or_revert(RECOVERY, at).await?.is_err() {
            return Ok(None);
        }
        let (status, recovery) = self.with_status(RECOVERY, at).await?;
        let (best, awaited) = contract::awaited(&status, &recovery)?;
        let announced = match awaited {
            Some(awaited) => Some(self.announced(given, best, awaited).await?),
            None => None,
        };
        Ok(Some(RecoveryStatus {
            best,
            hash: None,
            announced,
        }))
    }

    async fn announced(
        &self,
        given: Option<&RecoveryStatement>,
        best: BlockNumber,
        awaited: Awaited,
    ) -> Result<Announced, TargetError> {
        let now = self.chain.time().await?;
        let mut shown = self.shown.lock().await;
        let is_it = |statement: &&RecoveryStatement| {
            contract::fingerprint(statement) == awaited.fingerprint
        };
        let known = given.into_iter().chain(shown.as_ref()).find(is_it).cloned();
        let statement = match known {
            Some(statement) => Some(statement),
            None => self.told_of(best, awaited.fingerprint).await,
        };
        shown.clone_from(&statement);
        Ok(Announced {
            statement,
            left: awaited.until.saturating_sub(now),
            is_contradicted: awaited.is_contradicted,
        })
    }

    /// The statement about a block with this fingerprint, from the contract's events. `None` also when the node does not
    /// give them, as those do that bound the range: the relayer goes on without.
    async fn told_of(&self, best: BlockNumber, fingerprint: H256) -> Option<RecoveryStatement> {
        let filter = Filter::new()
            .address(self.contract)
            .event(ANNOUNCED)
            .topic1(B256::from(U256::from(best.get())))
            .from_block(BlockNumberOrTag::Earliest);
        let logs = self.chain.provider.get_logs(&filter).await.ok()?;
        let data = logs.iter().rev().map(|log| &log.data().data);
        data.into_iter()
            .find_map(|data| contract::announced(data, fingerprint))
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
    async fn is_overtaken(&self, cargo: &Cargo, at: BlockNumberOrTag) -> Result<bool, TargetError> {
        let recovery = async |statement| self.recovery_at(Some(statement), at).await;
        Ok(match cargo {
            Cargo::Proof(delivery) => {
                let status = self.status_at(at).await?;
                status.is_stopped || status.best >= delivery.first_block()
            }
            Cargo::Announcement(announcement) => {
                let statement = &announcement.proof.statement;
                !recovery(statement)
                    .await?
                    .is_some_and(|it| it.takes(statement))
            }
            Cargo::Crossing(statement) => !recovery(statement)
                .await?
                .is_some_and(|it| it.crosses(statement)),
            Cargo::Parcel(parcel) => return Err(no_lane(&parcel.lane)),
        })
    }
}

/// The call of the contract.
fn input(cargo: &Cargo) -> Result<Bytes, TargetError> {
    let input = match cargo {
        Cargo::Proof(delivery) if delivery.before.is_empty() => {
            duet_calldata::submit(&delivery.proof, &delivery.set)
        }
        Cargo::Proof(delivery) => duet_calldata::submit_many(delivery.proofs()),
        Cargo::Announcement(announcement) => duet_calldata::announce_recovery(
            &announcement.header,
            // Of a block in which the contract began it asks for none.
            announcement.mmr_root.unwrap_or_default(),
            &announcement.nodes,
            &announcement.proof,
            &announcement.terms.set,
        ),
        Cargo::Crossing(statement) => duet_calldata::cross_recovery(statement),
        Cargo::Parcel(parcel) => return Err(no_lane(&parcel.lane)),
    };
    Ok(input.into())
}

impl Target for Evm {
    const WITH_HEADER: bool = false;
    /// Of 1 000 validators who all sign: three million gas, and 26 kB.
    const MOST_HANDOFFS: u32 = 30;

    fn tell_to(&mut self, news: News<Stuck>) {
        self.chain.news = news;
    }

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

    async fn recovery(
        &self,
        given: Option<&RecoveryStatement>,
    ) -> Result<Option<RecoveryStatus>, TargetError> {
        self.recovery_at(given, BlockNumberOrTag::Latest).await
    }

    async fn estimate(&self, cargo: &Cargo) -> Result<Estimate, TargetError> {
        if self.is_overtaken(cargo, BlockNumberOrTag::Pending).await? {
            return Err(TargetError::Overtaken(cargo.to_string()));
        }
        let input = input(cargo)?;
        let bytes = input.len();
        let work = self.chain.gas(self.request(input)).await?;
        let (base, tip) = self.chain.price().await?;
        let cost = u128::from(work).saturating_mul(base.saturating_add(tip));
        Ok(Estimate { work, cost, bytes })
    }

    async fn submit(&self, cargo: &Cargo) -> Result<Receipt, TargetError> {
        let mut sender = Sender::new(&self.chain).await?;
        sender.settle().await?;
        if self.is_overtaken(cargo, BlockNumberOrTag::Pending).await? {
            return Err(TargetError::Overtaken(cargo.to_string()));
        }
        let input = input(cargo)?;
        let gas = self.chain.gas(self.request(input.clone())).await?;
        let call = Action {
            to: TxKind::Call(self.contract),
            input,
            gas: with_room(gas),
        };
        let is_overtaken = async || self.is_overtaken(cargo, BlockNumberOrTag::Latest).await;
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
    /// The code at an address; empty where there is none.
    pub(crate) async fn code(&self, address: Address) -> Result<Bytes, TargetError> {
        let code = self.chain.provider.get_code_at(address).await;
        code.map_err(|error| unreachable(&error))
    }

    /// Creates a contract, and waits until it is in a block.
    pub(crate) async fn create(&self, code: Bytes) -> Result<(Address, Receipt), TargetError> {
        let mut sender = Sender::new(&self.chain).await?;
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
