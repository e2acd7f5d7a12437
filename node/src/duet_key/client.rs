//! The commands' queries to a running node. The answers are not verified, so the node must be one's own or trusted.

use codec::{Decode, DecodeAll, Encode};
use duet_primitives::{DualKeyBytes, Keysets, H256};
use duet_runtime::{AccountId, Runtime, RuntimeCall, RuntimeEvent, VERSION};
use frame_system::{EventRecord, Phase};
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
use sp_core::Bytes;
use sp_io::hashing::twox_128;
use sp_runtime::DispatchError;
use std::{future::Future, io, time::Duration};

/// The runtime API call for the versions of the runtime.
const RUNTIME_VERSION: &str = "state_getRuntimeVersion";
/// The deadline for one answer.
const ANSWER_LIMIT: Duration = Duration::from_secs(60);

/// Why a query to a node failed, or a transaction did not succeed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NodeError {
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
    /// The chain uses another transaction format.
    #[error(
        "the chain's transaction version is {got}, but this executable makes transactions of version {expected}: \
         use the executable of the chain's runtime"
    )]
    OtherTransactions {
        /// The transaction version of this executable.
        expected: u32,
        /// The chain's transaction version.
        got: u32,
    },
    /// The transaction did not become final.
    #[error("the transaction did not become final; the node reports {status}")]
    NotFinal {
        /// The node's reason.
        status: Value,
    },
    /// The transaction was included in a block and failed there.
    #[error("the transaction failed in block {block:?}: {}", reason(.error))]
    Failed {
        /// The block.
        block: H256,
        /// The runtime's error.
        error: DispatchError,
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

/// The name of an error of Duet's pallet; the SDK shows numbers.
fn reason(error: &DispatchError) -> String {
    let named = match error {
        DispatchError::Module(module) if Some(module.index) == pallet_index() => {
            pallet_duet::Error::<Runtime>::decode(&mut module.error.as_slice()).ok()
        }
        _ => None,
    };
    named.map_or_else(|| format!("{error:?}"), |named| format!("{named:?}"))
}

/// The first byte of all calls of Duet's pallet.
fn pallet_index() -> Option<u8> {
    let call = pallet_duet::Call::<Runtime>::deregister_keys {};
    RuntimeCall::from(call).encode().first().copied()
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
        account: &AccountId,
        at: H256,
    ) -> Result<Option<DualKeyBytes>, NodeError> {
        self.call("DuetApi_registered_key", account, at).await
    }

    /// The version of the chain's runtime, for which a transaction is signed.
    ///
    /// # Errors
    /// [`NodeError::OtherTransactions`] if the chain's transaction format is not that of this executable.
    pub(crate) async fn spec_version(&self) -> Result<u32, NodeError> {
        let version = self.ask(RUNTIME_VERSION, rpc_params![]).await?;
        spec_version(&version)
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

    /// Checks that a transaction succeeded in its block.
    ///
    /// # Errors
    /// [`NodeError::Failed`] if not. [`NodeError::Decode`] if a newer runtime has events unknown to this executable.
    pub(crate) async fn check_success(
        &self,
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
        let events: Option<Vec<EventRecord<RuntimeEvent, H256>>> = self.stored(key, block).await?;
        for record in events.unwrap_or_default() {
            if record.phase != Phase::ApplyExtrinsic(position) {
                continue;
            }
            if let RuntimeEvent::System(frame_system::Event::ExtrinsicFailed {
                dispatch_error: error,
                ..
            }) = record.event
            {
                return Err(NodeError::Failed { block, error });
            }
        }
        Ok(())
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

/// The runtime version from a node's answer, if its transaction format is ours.
fn spec_version(answer: &Value) -> Result<u32, NodeError> {
    let number = |what| {
        let number = answer.get(what).and_then(Value::as_u64);
        let number = number.and_then(|number| u32::try_from(number).ok());
        number.ok_or(NodeError::Lacks {
            method: RUNTIME_VERSION,
            what,
        })
    };
    let (expected, got) = (VERSION.transaction_version, number("transactionVersion")?);
    if got != expected {
        return Err(NodeError::OtherTransactions { expected, got });
    }
    number("specVersion")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_transaction_is_for_the_runtime_of_the_chain_as_long_as_it_has_our_form() {
        let ours = VERSION.transaction_version;
        let newer = json!({ "specVersion": 7, "transactionVersion": ours });
        assert!(matches!(spec_version(&newer), Ok(7)));
        let other = json!({ "specVersion": 7, "transactionVersion": ours + 1 });
        let error = spec_version(&other).expect_err("the form is another one");
        let says = format!(
            "version is {}, but this executable makes transactions of version {ours}",
            ours + 1
        );
        assert!(error.to_string().contains(&says), "{error}");
    }

    #[test]
    fn an_answer_without_a_number_says_which_is_missing() {
        for (answer, missing) in [
            (json!({ "specVersion": 7 }), "transactionVersion"),
            (
                json!({ "transactionVersion": VERSION.transaction_version }),
                "specVersion",
            ),
            (
                json!({ "specVersion": u64::MAX, "transactionVersion": VERSION.transaction_version }),
                "specVersion",
            ),
        ] {
            let error = spec_version(&answer).expect_err("it lacks a number");
            assert!(error.to_string().ends_with(missing), "{error}");
        }
    }
}
