//! The pallet as a target.

use crate::{
    messages::{Contents, Ends, Lane},
    metrics::unix_time,
    recovery::RecoveryStatus,
    secret::{self, unusable},
    substrate::pallet::{
        announcement_arguments, arguments, fingerprint, parcel_call, recovery, storage_key,
        weights_question, witness, Stored, ANNOUNCE, ANNOUNCED, BEST, BY_WITNESS, CALL,
        CONTRADICTED, CROSS, FOLLOWED, MODE, WEIGHTS,
    },
    target::{
        no_lane, Cargo, Delivered, Estimate, LaneStatus, Receipt, Status, Target, TargetError,
    },
};
use codec::{Compact, Decode, Encode};
use duet_light_rpc::{shown, Failure, Kind};
use duet_primitives::{KeysetCommitment, RecoveryStatement, H256};
use duet_process::ws_url;
use std::{fmt::Display, future::Future, path::Path, str::FromStr, time::Duration};
use subxt::{
    client::OnlineClientAtBlock,
    error::{StorageError, TransactionEventsError},
    tx::{TransactionStatus, ValidationResult},
    utils::AccountId32,
    OnlineClient, PolkadotConfig,
};
use subxt_signer::{
    sr25519::{dev, Keypair},
    SecretUri,
};
use tokio::sync::Mutex;

type Client = OnlineClient<PolkadotConfig>;
type Block = OnlineClientAtBlock<PolkadotConfig>;

/// `pallet-bridge-duet` on a Substrate chain.
///
/// The endpoint is the operator's own choice: it cannot deceive the pallet, but it can waste the account's funds.
#[derive(Debug)]
pub struct Substrate {
    url: String,
    pallet: String,
    signer: Option<Keypair>,
    timeout: Duration,
    /// How long a transaction may take to be final.
    patience: Duration,
    client: Mutex<Option<Client>>,
}

impl Substrate {
    /// The pallet with this name in the runtime (`BridgeDuet`), by an endpoint that speaks JSON-RPC over WebSocket. A request may take
    /// `timeout`, a transaction `patience` until it is final. Without a key, nothing can be sent.
    ///
    /// # Errors
    /// [`Kind::Usage`] when the URL is none.
    pub fn new(
        url: &str,
        pallet: &str,
        signer: Option<Keypair>,
        timeout: Duration,
        patience: Duration,
    ) -> Result<Self, Failure> {
        ws_url(url).map_err(|why| Failure::new(Kind::Usage, format!("{url}: {why}")))?;
        Ok(Self {
            url: url.to_owned(),
            pallet: pallet.to_owned(),
            signer,
            timeout,
            patience,
            client: Mutex::new(None),
        })
    }

    /// The newest final block. A connection that broke is made anew.
    async fn block(&self) -> Result<Block, TargetError> {
        let mut kept = self.client.lock().await;
        let client = match kept.take() {
            Some(client) => client,
            None => self.within(Client::from_insecure_url(&self.url)).await?,
        };
        let block = self.within(client.at_current_block()).await?;
        *kept = Some(client);
        Ok(block)
    }

    async fn within<T, E: Display>(
        &self,
        question: impl Future<Output = Result<T, E>>,
    ) -> Result<T, TargetError> {
        match tokio::time::timeout(self.timeout, question).await {
            Ok(answer) => answer.map_err(|error| unreachable(&error)),
            Err(_) => {
                let seconds = self.timeout.as_secs_f64();
                Err(TargetError::Unreachable(format!(
                    "no answer within {seconds} s"
                )))
            }
        }
    }

    /// An entry of the state, or none.
    async fn read(&self, block: &Block, key: Vec<u8>) -> Result<Option<Vec<u8>>, TargetError> {
        let fetched = async {
            match block.storage().fetch_raw(key).await {
                Ok(value) => Ok(Some(value)),
                Err(StorageError::NoValueFound) => Ok(None),
                Err(error) => Err(error),
            }
        };
        self.within(fetched).await
    }

    async fn stored(&self, block: &Block) -> Result<Stored, TargetError> {
        if block.metadata_ref().pallet_by_name(&self.pallet).is_none() {
            let message = format!("the runtime has no pallet {}", self.pallet);
            return Err(TargetError::Misconfigured(message));
        }
        let read = async |item| self.read(block, storage_key(&self.pallet, item)).await;
        Ok(Stored {
            best: read(BEST).await?,
            followed: read(FOLLOWED).await?,
            contradicted: read(CONTRADICTED).await?,
            mode: read(MODE).await?,
        })
    }

    /// The time of a block in seconds; that of the next block is not before it. A runtime may have another clock than the
    /// SDK's pallet: then it is this machine's time.
    async fn clock(&self, block: &Block) -> Result<u64, TargetError> {
        let now = self.read(block, storage_key("Timestamp", "Now")).await?;
        let milliseconds = now.and_then(|now| u64::decode(&mut now.as_slice()).ok());
        Ok(milliseconds.map_or_else(unix_time, |now| now / 1_000))
    }

    /// Whether the pallet is new enough for this call.
    fn has_call(&self, block: &Block, call: &str) -> bool {
        let pallet = block.metadata_ref().pallet_by_name(&self.pallet);
        pallet.is_some_and(|pallet| pallet.call_variant_by_name(call).is_some())
    }

    /// What the pallet waits for; `None` when it is too old to cross a reset by a proof.
    async fn recovery_at(&self, block: &Block) -> Result<Option<RecoveryStatus>, TargetError> {
        if !self.has_call(block, ANNOUNCE) {
            return Ok(None);
        }
        let read = async |item| self.read(block, storage_key(&self.pallet, item)).await;
        let (best, announced) = (read(BEST).await?, read(ANNOUNCED).await?);
        let now = match announced {
            Some(_) => self.clock(block).await?,
            None => 0,
        };
        recovery(best.as_deref(), announced.as_deref(), now).map(Some)
    }

    /// Whether nothing is to be gained any more.
    async fn is_overtaken(&self, block: &Block, cargo: &Cargo) -> Result<bool, TargetError> {
        Ok(match cargo {
            Cargo::Proof(delivery) => self.stored(block).await?.status()?.best >= delivery.block(),
            Cargo::Parcel(_) => false,
            Cargo::Announcement(announcement) => {
                let recovery = self.recovery_at(block).await?;
                !recovery.is_some_and(|it| it.takes(&announcement.proof.statement))
            }
            Cargo::Crossing(statement) => {
                let recovery = self.recovery_at(block).await?;
                !recovery.is_some_and(|it| it.crosses(statement))
            }
        })
    }

    /// The call in SCALE.
    async fn call(
        &self,
        block: &Block,
        cargo: &Cargo,
        signer: &Keypair,
    ) -> Result<Vec<u8>, TargetError> {
        let (pallet, call, arguments) = match cargo {
            Cargo::Proof(delivery) => {
                let stored = self.stored(block).await?;
                let mut arguments = arguments(delivery, stored.status()?.signing)?;
                let call = if self.has_call(block, BY_WITNESS) {
                    arguments.extend(witness(delivery, stored.followed()?.genesis_hash)?.0);
                    BY_WITNESS
                } else {
                    CALL
                };
                (&*self.pallet, call, arguments)
            }
            Cargo::Parcel(parcel) => {
                let weights = match &parcel.contents {
                    Contents::Messages { first, messages } => {
                        let question = weights_question(&parcel.lane, *first, messages);
                        let apis = block.runtime_apis();
                        self.within(apis.call_raw(WEIGHTS, Some(&question))).await?
                    }
                    Contents::Confirmation(_) => Vec::new(),
                };
                let (call, arguments) = parcel_call(parcel, signer.public_key().0, &weights)?;
                (parcel.lane.pallet(), call, arguments)
            }
            Cargo::Announcement(announcement) => (
                &*self.pallet,
                ANNOUNCE,
                announcement_arguments(announcement),
            ),
            Cargo::Crossing(_) => (&*self.pallet, CROSS, Vec::new()),
        };
        let none =
            || TargetError::Misconfigured(format!("the runtime has no call {pallet}.{call}"));
        let metadata = block.metadata_ref();
        let pallet = metadata.pallet_by_name(pallet).ok_or_else(none)?;
        let call = pallet.call_variant_by_name(call).ok_or_else(none)?;
        let mut bytes = vec![pallet.call_index(), call.index];
        bytes.extend(arguments);
        Ok(bytes)
    }

    async fn signed(
        &self,
        block: &Block,
        cargo: &Cargo,
        signer: &Keypair,
    ) -> Result<Signed, TargetError> {
        let call = self.call(block, cargo, signer).await?;
        let misfit = |error: &dyn Display| {
            TargetError::Misconfigured(format!(
                "the runtime does not accept this call: {}",
                shown(&error.to_string())
            ))
        };
        let mut transactions = block.transactions();
        let payload = transactions
            .from_call_data_bytes(&call)
            .map_err(|error| misfit(&error))?;
        let signed = transactions.create_signed(&payload, signer, Default::default());
        self.within(signed).await
    }
}

type Signed = subxt::tx::SubmittableTransaction<
    PolkadotConfig,
    subxt::client::OnlineClientAtBlockImpl<PolkadotConfig>,
>;

impl Target for Substrate {
    const WITH_HEADER: bool = true;

    async fn genesis_hash(&self) -> Result<H256, TargetError> {
        let block = self.block().await?;
        Ok(self.stored(&block).await?.followed()?.genesis_hash)
    }

    fn fingerprint(&self, set: &KeysetCommitment) -> H256 {
        fingerprint(set)
    }

    async fn status(&self) -> Result<Status, TargetError> {
        let block = self.block().await?;
        self.stored(&block).await?.status()
    }

    async fn recovery(
        &self,
        _: Option<&RecoveryStatement>,
    ) -> Result<Option<RecoveryStatus>, TargetError> {
        let block = self.block().await?;
        self.recovery_at(&block).await
    }

    /// Without a key, a transaction that is signed by nobody's stands for the real one.
    async fn estimate(&self, cargo: &Cargo) -> Result<Estimate, TargetError> {
        let block = self.block().await?;
        let signer = self.signer.clone().unwrap_or_else(dev::alice);
        let signed = self.signed(&block, cargo, &signer).await?;
        let bytes = signed.encoded().len();
        let length = u32::try_from(bytes).unwrap_or(u32::MAX);
        let arguments = [signed.encoded(), &length.encode()].concat();
        let apis = block.runtime_apis();
        let query = apis.call_raw("TransactionPaymentApi_query_info", Some(&arguments));
        let answer = self.within(query).await?;
        let (Compact(work), _, _, cost) =
            <(Compact<u64>, Compact<u64>, u8, u128)>::decode(&mut &*answer)
                .map_err(|error| unreachable(&error))?;
        Ok(Estimate { work, cost, bytes })
    }

    async fn submit(&self, cargo: &Cargo) -> Result<Receipt, TargetError> {
        let signer = self.signer.as_ref().ok_or(TargetError::NoKey)?;
        let block = self.block().await?;
        if self.is_overtaken(&block, cargo).await? {
            return Err(TargetError::Overtaken(cargo.to_string()));
        }
        let signed = self.signed(&block, cargo, signer).await?;
        if let ValidationResult::Invalid(why) = self.within(signed.validate()).await? {
            return Err(invalid(&why, cargo));
        }
        let mut progress = self.within(signed.submit_and_watch()).await?;
        let finalized = async {
            while let Some(status) = progress.next().await {
                match status.map_err(|error| unreachable(&error))? {
                    TransactionStatus::InFinalizedBlock(block) => return Ok(block),
                    // The extension of a runtime with the pallet refuses what somebody else has brought, without a fee.
                    TransactionStatus::Invalid { .. } => {
                        return Err(TargetError::Overtaken(cargo.to_string()))
                    }
                    TransactionStatus::Error { message }
                    | TransactionStatus::Dropped { message } => return Err(unreachable(&message)),
                    TransactionStatus::Validated
                    | TransactionStatus::Broadcasted
                    | TransactionStatus::NoLongerInBestBlock
                    | TransactionStatus::InBestBlock(_) => {}
                }
            }
            Err(TargetError::Unreachable(
                "the subscription ended".to_owned(),
            ))
        };
        let finalized = tokio::time::timeout(self.patience, finalized)
            .await
            .map_err(|_| {
                let seconds = self.patience.as_secs_f64();
                TargetError::Unreachable(format!("the transaction is not final after {seconds} s"))
            })??;
        let transaction = H256(finalized.extrinsic_hash().0);
        let result = match self
            .within(async { Ok::<_, String>(finalized.wait_for_success().await) })
            .await?
        {
            Ok(_) => Delivered::Taken,
            Err(TransactionEventsError::ExtrinsicFailed(_)) => Delivered::Reverted,
            Err(error) => return Err(unreachable(&error)),
        };
        let events = self.within(finalized.fetch_events()).await?;
        let (mut work, mut paid) = (0, 0);
        for event in events.iter().flatten() {
            match (event.pallet_name(), event.event_name()) {
                ("System", "ExtrinsicSuccess") => {
                    // The weight comes first, and its time comes first in it.
                    let time = <Compact<u64>>::decode(&mut event.field_bytes());
                    work = time.map_or(0, |Compact(time)| time);
                }
                ("TransactionPayment", "TransactionFeePaid") => {
                    let fee = <(AccountId32, u128, u128)>::decode(&mut event.field_bytes());
                    paid = fee.map_or(0, |(_, fee, _)| fee);
                }
                _ => {}
            }
        }
        Ok(Receipt {
            result,
            transaction,
            work,
            paid,
        })
    }

    async fn lane(&self, lane: &Lane) -> Result<LaneStatus, TargetError> {
        let block = self.block().await?;
        let (best, hash) = self.stored(&block).await?.best()?;
        let outbound = self.read(&block, lane.outbound_key()).await?;
        let inbound = self.read(&block, lane.inbound_key()).await?;
        let ends = Ends::decode(outbound.as_deref(), inbound.as_deref());
        Ok(LaneStatus {
            best,
            hash,
            ends: ends.ok_or_else(|| no_lane(lane))?,
        })
    }

    async fn balance(&self) -> Result<Option<u128>, TargetError> {
        let Some(signer) = &self.signer else {
            return Ok(None);
        };
        let block = self.block().await?;
        let account = signer.public_key().0;
        let mut key = storage_key("System", "Account");
        key.extend(sp_crypto_hashing::blake2_128(&account));
        key.extend(account);
        let info = self.read(&block, key).await?.unwrap_or_default();
        // Nonce and three counters come before the free balance.
        let free = <(u32, u32, u32, u32, u128)>::decode(&mut info.as_slice());
        Ok(Some(free.map_or(0, |(_, _, _, _, free)| free)))
    }
}

fn invalid(why: &subxt::tx::TransactionInvalid, cargo: &Cargo) -> TargetError {
    use subxt::tx::TransactionInvalid as Invalid;
    match why {
        Invalid::Stale => TargetError::Overtaken(cargo.to_string()),
        Invalid::Payment => TargetError::NoFunds("balance too low for the fee".to_owned()),
        why => TargetError::Refused(format!("{why:?}")),
    }
}

/// A key of sr25519 from a file that nobody else may read: a secret phrase, `0x` and a seed, or a URI with derivations, as `subkey` takes
/// them.
///
/// # Errors
/// [`Kind::Local`] when it cannot be read, others may read it, or it is no secret.
pub fn key_from_file(path: &Path) -> Result<Keypair, Failure> {
    let text = secret::read(path)?;
    let uri = SecretUri::from_str(text.trim());
    let uri = uri.map_err(|error| unusable(path, &error.to_string()))?;
    Keypair::from_uri(&uri).map_err(|error| unusable(path, &error.to_string()))
}

fn unreachable(error: &impl Display) -> TargetError {
    TargetError::Unreachable(shown(&error.to_string()))
}
