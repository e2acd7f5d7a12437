//! The RPC of an untrusted node: every answer is decoded within bounds, and checked by the caller.

use crate::{
    fault::{Fault, Lie, Missing},
    outside::shown,
    wire::WireFault,
};
use duet_light_client::{decode, Error, HandoffProof, Received, MAX_ANSWER_LEN, MAX_HEADER_LEN};
use duet_primitives::{BlockNumber, Pk1Bytes, SetId, StatelessProof, UncheckedJustification, H256};
use jsonrpsee::{
    core::{
        client::{ClientT, Error as ClientError, Subscription, SubscriptionClientT},
        params::ArrayParams,
    },
    rpc_params,
    types::{ErrorCode, ErrorObjectOwned},
    ws_client::{PingConfig, WsClient, WsClientBuilder},
};
use serde::{de::DeserializeOwned, Deserialize};
use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

/// Hexadecimal digits, and room for what JSON-RPC puts around them.
const MAX_RESPONSE: u32 = {
    let len = 2 * MAX_ANSWER_LEN + 4096;
    assert!(len < u32::MAX as usize);
    #[allow(clippy::cast_possible_truncation)]
    {
        len as u32
    }
};
/// Justifications that may wait while another is verified.
const SUBSCRIPTION_BUFFER: usize = 256;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the reason for the end of a connection is waited for.
const REASON_TIMEOUT: Duration = Duration::from_secs(1);
/// The node has no proof yet, cannot prove its genesis or any start, or still lacks the blocks before its start.
const NOT_READY: i32 = 9001;
const NO_GENESIS_PROOF: i32 = 9005;
const NOT_HERE_YET: i32 = 9006;

/// A connection to a node.
///
/// Any request can fail with [`Fault::Unreachable`] when no answer comes in time or the node refuses for a reason of
/// its own, [`Fault::Incompatible`] when the node does not have the method, [`Fault::Incomplete`] when it reports
/// missing data or when an answer whose length the request chose is too long, and [`Fault::Lie`] when its answer has
/// another type, does not decode, or is no message at all (RPC-1, RPC-3).
#[derive(Debug)]
pub struct Server {
    /// Where it is, as the user gave it.
    pub url: String,
    client: WsClient,
    request_timeout: Duration,
    /// How many requests were sent. Their ids are the numbers from 0 on.
    asked: AtomicU64,
    /// It said that it has no `duet_getProofs`.
    lacks_proofs: AtomicBool,
    /// How many requests without a [bounded](is_bounded) answer may still be answered.
    unbounded: AtomicU64,
}

#[derive(Deserialize)]
struct HeaderJson {
    number: String,
}

/// Decodes an object from bytes as they came: `0x` and hexadecimal digits.
///
/// # Errors
/// [`Fault::Lie`] when they are no such object, or too long for one. (ENC-6)
pub fn decode_hex<T: Received>(text: &str) -> Result<T, Fault> {
    Ok(decode(&bytes_of(T::NAME, text)?)?)
}

/// Bytes as they came: `0x` and hexadecimal digits.
///
/// # Errors
/// [`Error::Malformed`] with the name of the object.
pub fn bytes_of(object: &'static str, text: &str) -> Result<Vec<u8>, Error> {
    let malformed = |reason: String| Error::Malformed { object, reason };
    let digits = text
        .strip_prefix("0x")
        .ok_or_else(|| malformed("the text does not start with 0x".to_owned()))?;
    hex::decode(digits).map_err(|error| malformed(shown(&error.to_string())))
}

/// Whether no honest answer to this method is longer than [`MAX_RESPONSE`], whatever the parameters are. The longest
/// are of `MAX_ANSWER_LEN`.
fn is_bounded(method: &str) -> bool {
    match method {
        "duet_getProofs" => false,
        "chain_getBlockHash"
        | "chain_getFinalizedHead"
        | "chain_getHeader"
        | "mmr_generateProof" => true,
        _ => method.starts_with("duet_"),
    }
}

/// How many bytes `0x`-hex text has at most.
pub(crate) fn bytes_in(text: &str) -> usize {
    text.len().saturating_sub(2).div_ceil(2)
}

/// A header's bytes as they came, which are at most [`MAX_HEADER_LEN`]: longer text is not decoded.
pub(crate) fn header_of(text: &str) -> Result<Vec<u8>, Error> {
    let object = "header";
    let got = bytes_in(text);
    if got > MAX_HEADER_LEN {
        let reason = format!("{got} bytes, above the limit of {MAX_HEADER_LEN}");
        return Err(Error::Malformed { object, reason });
    }
    bytes_of(object, text)
}

impl Server {
    /// Connects; the chain is not compared yet. `timeout` is the longest that one answer may take; to connect may take no
    /// longer than that, and no longer than 10 s.
    ///
    /// # Errors
    /// [`Fault::Unreachable`].
    pub async fn connect(url: &str, timeout: Duration) -> Result<Self, Fault> {
        let within = timeout.min(CONNECT_TIMEOUT);
        let building = WsClientBuilder::default()
            // So that a second address of the host has its turn.
            .connection_timeout(within.div_f64(2.0))
            .request_timeout(timeout)
            .max_response_size(MAX_RESPONSE)
            .max_buffer_capacity_per_subscription(SUBSCRIPTION_BUFFER)
            .enable_ws_ping(PingConfig::new())
            .build(url);
        // The limit above ends before the handshake.
        let client = match tokio::time::timeout(within, building).await {
            Ok(client) => client.map_err(|error| shown(&error.to_string())),
            Err(_) => Err(format!("no connection within {} s", within.as_secs_f64())),
        };
        let client = client.map_err(Fault::Unreachable)?;
        Ok(Self {
            url: url.to_owned(),
            client,
            request_timeout: timeout,
            asked: AtomicU64::new(0),
            lacks_proofs: AtomicBool::new(false),
            unbounded: AtomicU64::new(0),
        })
    }

    async fn request<T: DeserializeOwned>(
        &self,
        method: &str,
        params: ArrayParams,
    ) -> Result<T, ClientError> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        if is_bounded(method) {
            return self.client.request(method, params).await;
        }
        self.unbounded.fetch_add(1, Ordering::Relaxed);
        let answer = self.client.request(method, params).await;
        // Without an answer, or when nobody waits for it any more, it may still come.
        if matches!(
            answer,
            Ok(_) | Err(ClientError::Call(_) | ClientError::ParseError(_))
        ) {
            self.unbounded.fetch_sub(1, Ordering::Relaxed);
        }
        answer
    }

    /// The server's fault behind an error.
    fn fault(&self, method: &str, error: ClientError) -> Fault {
        match error {
            ClientError::Call(error) if error.code() == ErrorCode::MethodNotFound.code() => {
                Fault::Incompatible(format!("no method {method}"))
            }
            ClientError::Call(error) if error.code() == NO_GENESIS_PROOF => {
                Fault::Incomplete(Missing::Genesis)
            }
            ClientError::Call(error) if error.code() == NOT_HERE_YET => {
                Fault::Incomplete(Missing::Backfill)
            }
            ClientError::ParseError(error) => {
                let (asked, got) = (
                    method.to_owned(),
                    shown(&format!("an unreadable answer: {error}")),
                );
                Lie::OtherAnswer { asked, got }.into()
            }
            ClientError::InvalidSubscriptionId => {
                let (asked, got) = (method.to_owned(), "no subscription id".to_owned());
                Lie::OtherAnswer { asked, got }.into()
            }
            ClientError::RequestTimeout => {
                let seconds = self.request_timeout.as_secs_f64();
                Fault::Unreachable(format!("{method}: no answer within {seconds} s"))
            }
            error => {
                match WireFault::of(&error, self.asked.load(Ordering::Relaxed), MAX_RESPONSE) {
                    Some(WireFault::TooLong { limit, got })
                        if self.unbounded.load(Ordering::Relaxed) > 0 =>
                    {
                        let limit = limit.into();
                        Fault::Incomplete(Missing::ShortAnswer { limit, got })
                    }
                    Some(fault) => fault.into(),
                    None => Fault::Unreachable(shown(&format!("{method}: {error}"))),
                }
            }
        }
    }

    /// Why the server pushes nothing more, once a subscription has ended. Waits up to 1 s for the reason.
    pub async fn disconnected(&self) -> Fault {
        let ended = "the subscription ended";
        let reason = tokio::time::timeout(REASON_TIMEOUT, self.client.disconnect_reason()).await;
        match reason {
            Ok(error) => self.fault(ended, error),
            // The connection lives on.
            Err(_) => Fault::Unreachable(ended.to_owned()),
        }
    }

    /// The answer to a request, whatever it is. A refusal is a [`Fault`].
    ///
    /// # Errors
    /// The errors of any request.
    pub async fn ask<T: DeserializeOwned>(
        &self,
        method: &str,
        params: ArrayParams,
    ) -> Result<T, Fault> {
        let answer = self.request(method, params).await;
        answer.map_err(|error| self.fault(method, error))
    }

    /// The answer to a request, or the node's own refusal, which says nothing against it.
    ///
    /// # Errors
    /// The errors of any request, except a refusal.
    pub async fn call<T: DeserializeOwned>(
        &self,
        method: &str,
        params: ArrayParams,
    ) -> Result<Result<T, ErrorObjectOwned>, Fault> {
        match self.request(method, params).await {
            Ok(answer) => Ok(Ok(answer)),
            Err(ClientError::Call(error)) => Ok(Err(error)),
            Err(error) => Err(self.fault(method, error)),
        }
    }

    /// Whether the connection lives.
    pub fn is_connected(&self) -> bool {
        self.client.is_connected()
    }

    pub(crate) fn lacks_proofs(&self) -> bool {
        self.lacks_proofs.load(Ordering::Relaxed)
    }

    pub(crate) fn set_lacks_proofs(&self) {
        self.lacks_proofs.store(true, Ordering::Relaxed);
    }

    /// The answer to a request for data that honest nodes may have pruned: a refusal means that the node lacks it.
    pub(crate) async fn ask_for<T: DeserializeOwned>(
        &self,
        method: &str,
        params: ArrayParams,
        what: Missing,
    ) -> Result<T, Fault> {
        let answer = self.request(method, params).await;
        answer.map_err(|error| match error {
            ClientError::Call(error) if error.code() != ErrorCode::MethodNotFound.code() => {
                Fault::Incomplete(what)
            }
            error => self.fault(method, error),
        })
    }

    /// Refuses a server of another chain. A server that lies here is caught with its first proof; this gives honest
    /// mistakes an error of their own.
    ///
    /// # Errors
    /// [`Fault::OtherChain`], or those of any request.
    pub async fn check_chain(&self, expected: H256) -> Result<(), Fault> {
        let got: Option<H256> = self.ask("chain_getBlockHash", rpc_params![0]).await?;
        match got {
            Some(got) if got != expected => Err(Fault::OtherChain { expected, got }),
            _ => Ok(()),
        }
    }

    /// Number and hash of the newest block that the server claims as proven; `None` before the first.
    ///
    /// # Errors
    /// [`Fault::Lie`] when it does not have the block's header, or the errors of any request.
    pub async fn head(&self) -> Result<Option<(BlockNumber, H256)>, Fault> {
        let method = "duet_getFinalizedHead";
        let hash: H256 = match self.request(method, rpc_params![]).await {
            Ok(hash) => hash,
            Err(ClientError::Call(error)) if error.code() == NOT_READY => return Ok(None),
            Err(error) => return Err(self.fault(method, error)),
        };
        Ok(Some((self.number_of(hash).await?, hash)))
    }

    /// The newest block that the server's chain has finalized, proven or not.
    ///
    /// # Errors
    /// [`Fault::Lie`] when it does not have the block's header, or the errors of any request.
    pub async fn chain_head(&self) -> Result<BlockNumber, Fault> {
        let hash: H256 = self.ask("chain_getFinalizedHead", rpc_params![]).await?;
        self.number_of(hash).await
    }

    /// Whether a set signs the server's newest block, as it says: one that has expired or was ended signs nothing
    /// (HANDOFF-5, ACTIVE-3). `None` when the server does not say.
    ///
    /// # Errors
    /// The errors of any request, except a refusal.
    pub async fn signs(&self) -> Result<Option<bool>, Fault> {
        let params = rpc_params!["DuetApi_commitment_payload", "0x"];
        let answer = self.call::<String>("state_call", params).await?;
        // SCALE of an `Option`.
        Ok(answer.ok().and_then(|payload| match payload.get(..4)? {
            "0x00" => Some(false),
            "0x01" => Some(true),
            _ => None,
        }))
    }

    async fn number_of(&self, hash: H256) -> Result<BlockNumber, Fault> {
        let header: Option<HeaderJson> = self.ask("chain_getHeader", rpc_params![hash]).await?;
        let wrong = |got: String| Lie::OtherAnswer {
            asked: format!("header {hash:?}"),
            got,
        };
        let number = header.ok_or_else(|| wrong("nothing".to_owned()))?.number;
        let digits = number.strip_prefix("0x").unwrap_or(&number);
        u32::from_str_radix(digits, 16)
            .map(BlockNumber::new)
            .map_err(|_| wrong(shown(&format!("number {number}"))).into())
    }

    /// The proof of a block; `None` when the node has none.
    ///
    /// # Errors
    /// The errors of any request.
    pub async fn justification(
        &self,
        block: BlockNumber,
    ) -> Result<Option<UncheckedJustification>, Fault> {
        let text: Option<String> = self
            .ask("duet_getJustification", rpc_params![block])
            .await?;
        text.as_deref().map(decode_hex).transpose()
    }

    /// The proof of a block for clients without keys; `None` when the node has none.
    ///
    /// # Errors
    /// The errors of any request.
    pub async fn stateless_proof(
        &self,
        block: BlockNumber,
    ) -> Result<Option<StatelessProof>, Fault> {
        let text: Option<String> = self
            .ask("duet_getStatelessProof", rpc_params![block])
            .await?;
        text.as_deref().map(decode_hex).transpose()
    }

    /// The proof of the highest block that a set signed, also where a reset ended the set; `None` when the node has none, or
    /// is too old to know the question.
    ///
    /// # Errors
    /// The errors of any request.
    pub async fn last_justification(
        &self,
        set: SetId,
    ) -> Result<Option<UncheckedJustification>, Fault> {
        self.last("duet_getLastJustification", set).await
    }

    /// The same for clients without keys.
    ///
    /// # Errors
    /// The errors of any request.
    pub async fn last_stateless_proof(&self, set: SetId) -> Result<Option<StatelessProof>, Fault> {
        self.last("duet_getLastStatelessProof", set).await
    }

    async fn last<T: Received>(&self, method: &str, set: SetId) -> Result<Option<T>, Fault> {
        let asked = self.ask::<Option<String>>(method, rpc_params![set]).await;
        let text = match asked {
            Err(Fault::Incompatible(_)) => None,
            text => text?,
        };
        text.as_deref().map(decode_hex).transpose()
    }

    /// The handoff proofs, from a set on; at most `limit` are requested.
    ///
    /// # Errors
    /// The errors of any request.
    pub async fn handoff_proofs(
        &self,
        from: SetId,
        limit: u32,
    ) -> Result<Vec<HandoffProof>, Fault> {
        let text: String = self
            .ask("duet_getSetProofs", rpc_params![from, limit])
            .await?;
        decode_hex(&text)
    }

    /// The same for clients without keys.
    ///
    /// # Errors
    /// The errors of any request.
    pub async fn stateless_handoff_proofs(
        &self,
        from: SetId,
        limit: u32,
    ) -> Result<Vec<StatelessProof>, Fault> {
        let text: String = self
            .ask("duet_getStatelessSetProofs", rpc_params![from, limit])
            .await?;
        decode_hex(&text)
    }

    /// The SCALE encoding of the header of the reset that leads on from a set; `None` when the node knows of none, or is too
    /// old to know.
    ///
    /// # Errors
    /// The errors of any request, except a refusal.
    pub async fn reset(&self, from: SetId) -> Result<Option<Vec<u8>>, Fault> {
        let asked = self.call("duet_getReset", rpc_params![from]).await?;
        let text: Option<String> = asked.unwrap_or_default();
        let header = text.map(|text| header_of(&text));
        Ok(header.transpose()?)
    }

    /// The keys of a set; `None` when the node does not have them.
    ///
    /// # Errors
    /// The errors of any request.
    pub async fn keys(&self, set: SetId) -> Result<Option<Vec<Pk1Bytes>>, Fault> {
        let text: Option<String> = self.ask("duet_getKeys", rpc_params![set]).await?;
        text.as_deref().map(decode_hex).transpose()
    }

    /// New proofs as they are made, each an `UncheckedJustification` for [`decode_hex`]. [`disconnected`](Self::disconnected)
    /// says why it ended.
    ///
    /// # Errors
    /// The errors of any request.
    pub async fn subscribe(&self) -> Result<Subscription<String>, Fault> {
        let (method, end) = (
            "duet_subscribeJustifications",
            "duet_unsubscribeJustifications",
        );
        // One id to subscribe, and one kept for the end.
        self.asked.fetch_add(2, Ordering::Relaxed);
        let pushed = self.client.subscribe(method, rpc_params![], end).await;
        pushed.map_err(|error| self.fault(method, error))
    }

    /// Submits a transaction, 0x-hex, and gives the node's status messages about it, or its refusal.
    ///
    /// # Errors
    /// The errors of any request, except a refusal.
    pub async fn watch(
        &self,
        [method, end]: [&'static str; 2],
        transaction: &serde_json::Value,
    ) -> Result<Result<Subscription<serde_json::Value>, ErrorObjectOwned>, Fault> {
        self.asked.fetch_add(2, Ordering::Relaxed);
        match self
            .client
            .subscribe(method, rpc_params![transaction], end)
            .await
        {
            Ok(said) => Ok(Ok(said)),
            Err(ClientError::Call(error)) => Ok(Err(error)),
            Err(error) => Err(self.fault(method, error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ENC-6
    #[test]
    fn a_longer_header_than_any_is_refused_undecoded() {
        let of = |digits: &str| header_of(&format!("0x{digits}"));
        assert_eq!(
            of(&"08".repeat(MAX_HEADER_LEN)).unwrap().len(),
            MAX_HEADER_LEN
        );
        // These are no digits, which nobody finds out.
        let error = of(&"zz".repeat(MAX_HEADER_LEN + 1)).unwrap_err();
        let words =
            "ENC-6: the bytes are not a canonical header: 65537 bytes, above the limit of 65536";
        assert_eq!(error.to_string(), words);
    }

    /// RPC-3
    #[test]
    fn the_caller_chooses_the_length_of_some_answers_only() {
        for method in ["duet_getKeys", "chain_getHeader", "mmr_generateProof"] {
            assert!(is_bounded(method), "{method}");
        }
        for method in [
            "duet_getProofs",
            "state_getReadProof",
            "author_pendingExtrinsics",
        ] {
            assert!(!is_bounded(method), "{method}");
        }
    }
}
