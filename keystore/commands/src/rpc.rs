//! The commands' queries to a running node. The answers are not verified, so the node must be one's own or trusted.

use crate::transaction::{Format, FormatError};
use codec::{Decode, DecodeAll, Encode};
use duet_primitives::{DualKeyBytes, Keysets, H256};
use jsonrpsee::{
    core::{
        client::{ClientT, Error as ClientError, Subscription, SubscriptionClientT},
        params::ArrayParams,
    },
    rpc_params,
    ws_client::{WsClient, WsClientBuilder},
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use sp_core::{crypto::AccountId32, Bytes};
use sp_io::hashing::twox_128;
use std::{future::Future, io, time::Duration};

/// The method for the versions of the runtime.
const RUNTIME_VERSION: &str = "state_getRuntimeVersion";
/// The version of the metadata: every runtime of the last years has it.
const METADATA: u32 = 15;
/// The deadline for one answer.
const ANSWER_LIMIT: Duration = Duration::from_secs(60);

/// Why a query to a node failed, or a transaction did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum NodeError {
    /// The query's task could not be started.
    #[error("cannot send requests: {0}")]
    Start(#[from] io::Error),
    /// The node is unreachable.
    #[error("no node answers at {url}: {source}")]
    Unreachable {
        /// The address.
        url: String,
        /// The connection's error.
        source: ClientError,
    },
    /// The node does not have the method, does not offer it to remote clients, or the call failed.
    #[error("the node refuses {method}: {source}")]
    Refused {
        /// The method.
        method: &'static str,
        /// The node's error.
        source: ClientError,
    },
    /// The answer has another format.
    #[error("the node's answer to {method} cannot be decoded: {source}")]
    Decode {
        /// The method.
        method: &'static str,
        /// The decoder's error.
        source: codec::Error,
    },
    /// The answer lacks a field.
    #[error("the node's answer to {method} has no {what}")]
    Lacks {
        /// The method.
        method: &'static str,
        /// The missing field.
        what: &'static str,
    },
    /// The node belongs to another chain.
    #[error("the node belongs to the chain with the genesis hash {got:?}, not {expected:?}")]
    OtherChain {
        /// The genesis hash of the requested chain.
        expected: H256,
        /// The node's genesis hash.
        got: H256,
    },
    /// The transaction cannot be built for the chain, or its result cannot be read.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The transaction did not become final.
    #[error("the transaction did not become final; the node reports {status}")]
    NotFinal {
        /// The node's reason.
        status: Value,
    },
    /// The transaction was included in a block and failed there.
    #[error("the transaction failed in block {block:?}: {error}")]
    Failed {
        /// The block.
        block: H256,
        /// The runtime's error, by its name.
        error: String,
    },
    /// The wait timed out.
    #[error("timed out after {seconds} s while waiting for {what}; it may still come")]
    TimedOut {
        /// The awaited event.
        what: &'static str,
        /// The time limit.
        seconds: u64,
    },
}

/// Runs a future that queries a node.
///
/// # Errors
/// The future's error, or that it cannot be started.
pub(crate) fn run<T, E: From<NodeError>>(work: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(NodeError::from)?
        .block_on(work)
}

/// Waits for a future, at most `seconds`.
///
/// # Errors
/// [`NodeError::TimedOut`], or the future's error.
pub(crate) async fn at_most<T>(
    what: &'static str,
    seconds: u64,
    work: impl Future<Output = Result<T, NodeError>>,
) -> Result<T, NodeError> {
    let limit = Duration::from_secs(seconds);
    match tokio::time::timeout(limit, work).await {
        Ok(done) => done,
        Err(_) => Err(NodeError::TimedOut { what, seconds }),
    }
}

/// A connection to a node of a chain.
pub(crate) struct Node {
    client: WsClient,
}

impl Node {
    /// Connects, and checks that the node belongs to the chain with this genesis.
    ///
    /// # Errors
    /// [`NodeError::Unreachable`], [`NodeError::OtherChain`].
    pub(crate) async fn connect(url: &str, genesis: H256) -> Result<Self, NodeError> {
        let builder = WsClientBuilder::default().request_timeout(ANSWER_LIMIT);
        let building = async {
            let client = builder.build(url).await;
            client.map_err(|source| NodeError::Unreachable {
                url: url.to_owned(),
                source,
            })
        };
        // The library's own limit ends before the handshake.
        let client = at_most("a connection", ANSWER_LIMIT.as_secs(), building).await?;
        let node = Self { client };
        let method = "chain_getBlockHash";
        let got: Option<H256> = node.ask(method, rpc_params![0]).await?;
        let got = got.ok_or(NodeError::Lacks {
            method,
            what: "genesis",
        })?;
        if got != genesis {
            return Err(NodeError::OtherChain {
                expected: genesis,
                got,
            });
        }
        Ok(node)
    }

    /// Calls a method.
    pub(crate) async fn ask<T: DeserializeOwned>(
        &self,
        method: &'static str,
        params: ArrayParams,
    ) -> Result<T, NodeError> {
        self.client
            .request(method, params)
            .await
            .map_err(|source| NodeError::Refused { method, source })
    }

    /// The block that GRANDPA finalized last.
    pub(crate) async fn finalized(&self) -> Result<H256, NodeError> {
        self.ask("chain_getFinalizedHead", rpc_params![]).await
    }

    /// The runtime's answer to a call at a block.
    pub(crate) async fn call<T: Decode>(
        &self,
        function: &'static str,
        arguments: impl Encode,
        at: H256,
    ) -> Result<T, NodeError> {
        let params = rpc_params![function, Bytes(arguments.encode()), at];
        let answer: Bytes = self.ask("state_call", params).await?;
        decode(function, &answer)
    }

    /// The stored value at a block.
    pub(crate) async fn stored<T: Decode>(
        &self,
        key: Vec<u8>,
        at: H256,
    ) -> Result<Option<T>, NodeError> {
        let method = "state_getStorage";
        let found: Option<Bytes> = self.ask(method, rpc_params![Bytes(key), at]).await?;
        found.map(|bytes| decode(method, &bytes)).transpose()
    }

    /// The signing set and the next one; `None` before the first set.
    pub(crate) async fn keysets(&self, at: H256) -> Result<Option<Keysets>, NodeError> {
        self.call("DuetApi_keysets", (), at).await
    }

    /// The keys of the signing set.
    pub(crate) async fn current_keys(&self, at: H256) -> Result<Vec<DualKeyBytes>, NodeError> {
        self.call("DuetApi_current_keys", (), at).await
    }

    /// The registered key of an account.
    pub(crate) async fn registered_key(
        &self,
        account: &AccountId32,
        at: H256,
    ) -> Result<Option<DualKeyBytes>, NodeError> {
        self.call("DuetApi_registered_key", account, at).await
    }

    /// The format of the chain's transactions at a block.
    ///
    /// # Errors
    /// [`NodeError::Format`] if it is unknown to this executable.
    pub(crate) async fn format(&self, genesis: H256, at: H256) -> Result<Format, NodeError> {
        let version: Value = self.ask(RUNTIME_VERSION, rpc_params![at]).await?;
        let versions = versions(&version)?;
        let function = "Metadata_metadata_at_version";
        let metadata: Option<Vec<u8>> = self.call(function, METADATA, at).await?;
        let metadata = metadata.ok_or(NodeError::Lacks {
            method: function,
            what: "metadata of version 15",
        })?;
        Ok(Format::new(genesis, versions, &metadata)?)
    }

    /// Submits a transaction and waits until its block is final. Returns that block, where the transaction may have
    /// failed.
    ///
    /// # Errors
    /// [`NodeError::NotFinal`].
    pub(crate) async fn submit(&self, transaction: &[u8]) -> Result<H256, NodeError> {
        let method = "author_submitAndWatchExtrinsic";
        let params = rpc_params![Bytes(transaction.to_vec())];
        let mut statuses: Subscription<Value> = self
            .client
            .subscribe(method, params, "author_unwatchExtrinsic")
            .await
            .map_err(|source| NodeError::Refused { method, source })?;
        while let Some(Ok(status)) = statuses.next().await {
            if let Some(block) = finalized_in(&status)? {
                return Ok(block);
            }
        }
        Err(NodeError::Lacks {
            method,
            what: "end of the transaction",
        })
    }

    /// Checks that a transaction succeeded in its block. Its format is that of the block's runtime, because it is
    /// valid for one version of the runtime only.
    ///
    /// # Errors
    /// [`NodeError::Failed`] if not.
    pub(crate) async fn check_success(
        &self,
        format: &Format,
        block: H256,
        transaction: &[u8],
    ) -> Result<(), NodeError> {
        let method = "chain_getBlock";
        let what = "transaction";
        let found: Value = self.ask(method, rpc_params![block]).await?;
        let ours = Value::String(format!("0x{}", hex::encode(transaction)));
        let position = found
            .pointer("/block/extrinsics")
            .and_then(Value::as_array)
            .and_then(|all| all.iter().position(|one| *one == ours))
            .and_then(|position| u32::try_from(position).ok())
            .ok_or(NodeError::Lacks { method, what })?;
        let key = [twox_128(b"System"), twox_128(b"Events")].concat();
        let method = "state_getStorage";
        let events: Option<Bytes> = self.ask(method, rpc_params![Bytes(key), block]).await?;
        let events = events.ok_or(NodeError::Lacks {
            method,
            what: "events",
        })?;
        match format.failure(events.0, position)? {
            Some(error) => Err(NodeError::Failed { block, error }),
            None => Ok(()),
        }
    }
}

/// The final block of a transaction, from the node's status: a name, or a name with a value.
fn finalized_in(status: &Value) -> Result<Option<H256>, NodeError> {
    if let Some(block) = status.get("finalized") {
        return match serde_json::from_value(block.clone()) {
            Ok(block) => Ok(Some(block)),
            Err(_) => Err(NodeError::Lacks {
                method: "author_submitAndWatchExtrinsic",
                what: "block",
            }),
        };
    }
    let given_up = ["dropped", "invalid", "usurped", "finalityTimeout"];
    if given_up
        .iter()
        .any(|name| status == name || status.get(name).is_some())
    {
        return Err(NodeError::NotFinal {
            status: status.clone(),
        });
    }
    Ok(None)
}

/// Decodes a node's answer and rejects trailing bytes.
pub(crate) fn decode<T: Decode>(method: &'static str, bytes: &[u8]) -> Result<T, NodeError> {
    T::decode_all(&mut &*bytes).map_err(|source| NodeError::Decode { method, source })
}

/// The versions of the runtime and of its transactions, from a node's answer.
fn versions(answer: &Value) -> Result<(u32, u32), NodeError> {
    let number = |what| {
        let number = answer.get(what).and_then(Value::as_u64);
        let number = number.and_then(|number| u32::try_from(number).ok());
        number.ok_or(NodeError::Lacks {
            method: RUNTIME_VERSION,
            what,
        })
    };
    Ok((number("specVersion")?, number("transactionVersion")?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_answer_without_a_number_says_which_is_missing() {
        let both = json!({ "specVersion": 7, "transactionVersion": 1 });
        assert_eq!(versions(&both).expect("it has both"), (7, 1));
        for (answer, missing) in [
            (json!({ "specVersion": 7 }), "transactionVersion"),
            (json!({ "transactionVersion": 1 }), "specVersion"),
            (
                json!({ "specVersion": u64::MAX, "transactionVersion": 1 }),
                "specVersion",
            ),
        ] {
            let error = versions(&answer).expect_err("it lacks a number");
            assert!(error.to_string().ends_with(missing), "{error}");
        }
    }
}
