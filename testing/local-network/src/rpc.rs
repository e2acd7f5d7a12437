//! Queries to a node.

use crate::{Error, Result};
use codec::Decode;
use duet_primitives::{BlockNumber, Pk1Bytes, SetId, StatelessProof, UncheckedJustification};
use duet_runtime::{AccountId, Hash, Header, Nonce};
use jsonrpsee::{
    core::{
        client::{ClientT, Error as ClientError, Subscription, SubscriptionClientT},
        params::ArrayParams,
    },
    rpc_params,
    ws_client::{WsClient, WsClientBuilder},
};
use serde::de::DeserializeOwned;
use sp_core::{crypto::ByteArray, Bytes};
use sp_keyring::{Ed25519Keyring, Sr25519Keyring};
use std::{fmt, sync::Arc, time::Duration};

/// The time limit for one answer.
const ANSWER_LIMIT: Duration = Duration::from_secs(20);
/// The most set proofs per request.
const MAX_SETS: u32 = 64;

/// A connection to a node.
#[derive(Clone)]
pub struct Rpc {
    client: Arc<WsClient>,
}

impl fmt::Debug for Rpc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rpc")
    }
}

impl Rpc {
    /// Connects to a node's WebSocket.
    ///
    /// # Errors
    /// [`Error::Rpc`] when the node is unreachable.
    pub async fn connect(url: &str) -> Result<Self> {
        let builder = WsClientBuilder::default().request_timeout(ANSWER_LIMIT);
        let client = builder.build(url).await.map_err(failed(url))?;
        Ok(Self {
            client: Arc::new(client),
        })
    }

    /// Calls a method.
    ///
    /// # Errors
    /// [`Error::Rpc`] when the node refuses or does not answer.
    pub async fn ask<T: DeserializeOwned>(&self, method: &str, params: ArrayParams) -> Result<T> {
        self.client
            .request(method, params)
            .await
            .map_err(failed(method))
    }

    pub(crate) async fn subscribe<T: DeserializeOwned>(
        &self,
        method: &str,
        params: ArrayParams,
        unsubscribe: &str,
    ) -> Result<Subscription<T>> {
        self.client
            .subscribe(method, params, unsubscribe)
            .await
            .map_err(failed(method))
    }

    /// Inserts the keys with which this development account authors blocks, votes in GRANDPA and signs its addresses.
    ///
    /// # Errors
    /// [`Error::Rpc`].
    pub async fn insert_session_keys(&self, account: Sr25519Keyring) -> Result<()> {
        let (name, seed) = (account.to_string(), account.to_seed());
        let voter = Ed25519Keyring::iter().find(|other| other.to_string() == name);
        let voter = voter.map(|voter| ("gran", Bytes(voter.public().to_raw_vec())));
        let account = Bytes(account.public().to_raw_vec());
        let others = ["aura", "audi"].map(|kind| (kind, account.clone()));
        for (kind, public) in others.into_iter().chain(voter) {
            let params = rpc_params![kind, &seed, public];
            self.ask::<()>("author_insertKey", params).await?;
        }
        Ok(())
    }

    /// The node's peer-to-peer address.
    ///
    /// # Errors
    /// [`Error::Rpc`], and [`Error::Answer`] when it listens nowhere.
    pub async fn peer_address(&self) -> Result<String> {
        let method = "system_localListenAddresses";
        let addresses: Vec<String> = self.ask(method, rpc_params![]).await?;
        addresses
            .into_iter()
            .next()
            .ok_or_else(|| answer(method, "names no address"))
    }

    /// The version of the node's executable, with the commit of its build.
    ///
    /// # Errors
    /// [`Error::Rpc`].
    pub async fn version(&self) -> Result<String> {
        self.ask("system_version", rpc_params![]).await
    }

    /// The version of the chain's runtime.
    ///
    /// # Errors
    /// [`Error::Rpc`].
    pub async fn spec_version(&self) -> Result<u32> {
        let version: VersionAnswer = self.ask("state_getRuntimeVersion", rpc_params![]).await?;
        Ok(version.spec_version)
    }

    /// Hash of the chain's first block.
    ///
    /// # Errors
    /// [`Error::Rpc`].
    pub async fn genesis_hash(&self) -> Result<Hash> {
        self.block_hash(BlockNumber::new(0)).await
    }

    /// Hash of the block with this number on the best chain.
    ///
    /// # Errors
    /// [`Error::Rpc`], and [`Error::Answer`] when there is none.
    pub async fn block_hash(&self, number: BlockNumber) -> Result<Hash> {
        let method = "chain_getBlockHash";
        let hash: Option<Hash> = self.ask(method, rpc_params![number]).await?;
        hash.ok_or_else(|| answer(method, "says that there is no such block"))
    }

    /// A header.
    ///
    /// # Errors
    /// [`Error::Rpc`], and [`Error::Answer`] when the node does not have it.
    pub async fn header(&self, hash: Option<Hash>) -> Result<Header> {
        let method = "chain_getHeader";
        let header: Option<Header> = self.ask(method, rpc_params![hash]).await?;
        header.ok_or_else(|| answer(method, "says that there is no such block"))
    }

    /// Number of the best block.
    ///
    /// # Errors
    /// [`Error::Rpc`].
    pub async fn best(&self) -> Result<BlockNumber> {
        Ok(BlockNumber::new(self.header(None).await?.number))
    }

    /// Number of the block that GRANDPA finalized last.
    ///
    /// # Errors
    /// [`Error::Rpc`].
    pub async fn finalized(&self) -> Result<BlockNumber> {
        let hash: Hash = self.ask("chain_getFinalizedHead", rpc_params![]).await?;
        Ok(BlockNumber::new(self.header(Some(hash)).await?.number))
    }

    /// Number of the block that Duet proved last.
    ///
    /// # Errors
    /// [`Error::Rpc`], also while there is none.
    pub async fn proven(&self) -> Result<BlockNumber> {
        let hash: Hash = self.ask("duet_getFinalizedHead", rpc_params![]).await?;
        Ok(BlockNumber::new(self.header(Some(hash)).await?.number))
    }

    /// The proof for a block, as raw bytes from the node.
    ///
    /// # Errors
    /// [`Error::Rpc`], and [`Error::Answer`] when it does not decode.
    pub async fn justification(
        &self,
        block: BlockNumber,
    ) -> Result<Option<UncheckedJustification>> {
        let method = "duet_getJustification";
        let bytes: Option<Bytes> = self.ask(method, rpc_params![block]).await?;
        bytes.map(|bytes| decode(method, &bytes)).transpose()
    }

    /// The proofs that the node makes or receives from now on.
    ///
    /// # Errors
    /// [`Error::Rpc`].
    pub async fn justifications(&self) -> Result<Proofs> {
        let (method, end) = (
            "duet_subscribeJustifications",
            "duet_unsubscribeJustifications",
        );
        Ok(Proofs(self.subscribe(method, rpc_params![], end).await?))
    }

    /// The number of handoff proofs that the node serves, of the sets from `from` on.
    ///
    /// # Errors
    /// [`Error::Rpc`], also while there are none, and [`Error::Answer`].
    pub async fn handoffs(&self, from: SetId) -> Result<usize> {
        Ok(self.handoff_signers(from).await?.len())
    }

    /// The number of signers of each handoff proof that the node serves, of the sets from `from` on.
    ///
    /// # Errors
    /// As [`Rpc::handoffs`].
    pub async fn handoff_signers(&self, from: SetId) -> Result<Vec<u32>> {
        let method = "duet_getSetProofs";
        let bytes: Bytes = self.ask(method, rpc_params![from, MAX_SETS]).await?;
        let list: Vec<(UncheckedJustification, Vec<Pk1Bytes>)> = decode(method, &bytes)?;
        Ok(list
            .iter()
            .map(|(proof, _)| proof.signers.count())
            .collect())
    }

    /// The stateless proof for a block, as raw bytes from the node.
    ///
    /// # Errors
    /// [`Error::Rpc`], and [`Error::Answer`] when it does not decode.
    pub async fn stateless_proof(&self, block: BlockNumber) -> Result<Option<StatelessProof>> {
        let method = "duet_getStatelessProof";
        let bytes: Option<Bytes> = self.ask(method, rpc_params![block]).await?;
        bytes.map(|bytes| decode(method, &bytes)).transpose()
    }

    /// The stateless handoff proofs, of at most `limit` sets from `from` on.
    ///
    /// # Errors
    /// As [`Rpc::handoffs`].
    pub async fn stateless_handoffs(&self, from: SetId, limit: u32) -> Result<Vec<StatelessProof>> {
        let method = "duet_getStatelessSetProofs";
        let bytes: Bytes = self.ask(method, rpc_params![from, limit]).await?;
        decode(method, &bytes)
    }

    /// A value of the state, at a block or at the best one.
    ///
    /// # Errors
    /// [`Error::Rpc`], and [`Error::Answer`] when it does not decode.
    pub async fn storage<T: Decode>(&self, key: &[u8], at: Option<Hash>) -> Result<Option<T>> {
        let method = "state_getStorage";
        let key = Bytes(key.to_vec());
        let bytes: Option<Bytes> = self.ask(method, rpc_params![key, at]).await?;
        bytes.map(|bytes| decode(method, &bytes)).transpose()
    }

    /// A call of the runtime's API, at a block or at the best one.
    ///
    /// # Errors
    /// [`Error::Rpc`], and [`Error::Answer`] when the answer does not decode.
    pub async fn call_runtime<T: Decode>(
        &self,
        function: &str,
        arguments: &[u8],
        at: Option<Hash>,
    ) -> Result<T> {
        let arguments = Bytes(arguments.to_vec());
        let bytes: Bytes = self
            .ask("state_call", rpc_params![function, arguments, at])
            .await?;
        decode(function, &bytes)
    }

    /// The nonce of an account's next transaction, counting those in the pool.
    ///
    /// # Errors
    /// [`Error::Rpc`].
    pub async fn next_nonce(&self, account: &AccountId) -> Result<Nonce> {
        self.ask("system_accountNextIndex", rpc_params![account])
            .await
    }

    /// The session keys that the node makes for an account, and the proof of ownership.
    ///
    /// # Errors
    /// [`Error::Rpc`], and [`Error::Answer`] when there is no proof.
    pub async fn generate_session_keys(&self, owner: &AccountId) -> Result<(Vec<u8>, Vec<u8>)> {
        let method = "author_rotateKeysWithOwner";
        let owner = Bytes(AsRef::<[u8]>::as_ref(owner).to_vec());
        let made: SessionKeysAnswer = self.ask(method, rpc_params![owner]).await?;
        let proof = made.proof.ok_or_else(|| answer(method, "has no proof"))?;
        Ok((made.keys.0, proof.0))
    }

    /// The Duet key that the node makes for an account, and the proof of possession that names the account.
    ///
    /// # Errors
    /// [`Error::Rpc`].
    pub async fn generate_duet_key(&self, owner: &AccountId) -> Result<DuetKeyAnswer> {
        self.ask("duet_generateKeys", rpc_params![owner]).await
    }
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct VersionAnswer {
    spec_version: u32,
}

#[derive(serde::Deserialize)]
struct SessionKeysAnswer {
    keys: Bytes,
    proof: Option<Bytes>,
}

/// A new Duet key.
#[derive(Clone, Debug, serde::Deserialize)]
pub struct DuetKeyAnswer {
    /// The dual key, 144 bytes.
    pub public: Bytes,
    /// Its proof of possession, 224 bytes.
    pub proof: Bytes,
}

/// The stream of proofs that a node makes or receives.
pub struct Proofs(Subscription<Bytes>);

impl Proofs {
    /// The next proof. Taken from the node without verification.
    ///
    /// # Errors
    /// [`Error::Answer`] when the subscription ends or an item does not decode.
    pub async fn next(&mut self) -> Result<UncheckedJustification> {
        let method = "duet_subscribeJustifications";
        match self.0.next().await {
            Some(Ok(bytes)) => decode(method, &bytes),
            Some(Err(error)) => Err(answer(method, error)),
            None => Err(answer(method, "stream has ended")),
        }
    }
}

fn failed(method: &str) -> impl FnOnce(ClientError) -> Error {
    let method = method.to_owned();
    move |error| Error::Rpc { method, error }
}

pub(crate) fn answer(method: &str, problem: impl ToString) -> Error {
    Error::Answer {
        method: method.to_owned(),
        problem: problem.to_string(),
    }
}

fn decode<T: Decode>(method: &str, mut bytes: &[u8]) -> Result<T> {
    let value = T::decode(&mut bytes).map_err(|error| answer(method, error))?;
    if bytes.is_empty() {
        Ok(value)
    } else {
        Err(answer(method, "has trailing bytes"))
    }
}
