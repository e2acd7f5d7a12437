//! Messages that no JSON-RPC server sends. (RPC-3)
//!
//! The JSON-RPC library reports most faults only as text. Only this module parses that text, and the tests in
//! `light-client/cli/tests/commands/wire.rs` fail when it changes.

use crate::outside::shown;
use jsonrpsee::{core::client::Error as ClientError, types::InvalidRequestId};

/// How deep JSON may be nested: the reader's own bound.
const MAX_DEPTH: u32 = 127;

/// An unrequested message, which broke the connection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireFault {
    /// An answer to nothing that was asked.
    #[error(
        "RPC-3: expected an answer to one of the requests 0 to {last}, got one to request {got}"
    )]
    UnknownId {
        /// The id of the last request; the first has the id 0.
        last: u64,
        /// The id of the answer, fit to be shown.
        got: String,
    },
    /// A second answer to one request.
    #[error("RPC-3: expected one answer to request {id}, got two")]
    AnsweredTwice {
        /// The id of the request.
        id: u64,
    },
    /// JSON that ends in its middle.
    #[error("RPC-3: expected a whole JSON text, got one that is cut: {got}")]
    Cut {
        /// The reader's error.
        got: String,
    },
    /// JSON that is nested deeper than any answer.
    #[error("RPC-3: expected JSON of at most {limit} levels, got more: {got}")]
    TooDeep {
        /// The most levels.
        limit: u32,
        /// The reader's error.
        got: String,
    },
    /// No JSON, or JSON that is no message of JSON-RPC.
    #[error("RPC-3: expected a message of JSON-RPC 2.0, got {got}")]
    NotRpc {
        /// The message, or the reader's error.
        got: String,
    },
    /// A message that is longer than any answer.
    #[error("RPC-3: expected at most {limit} bytes, got {got}")]
    TooLong {
        /// The most bytes.
        limit: u32,
        /// How many bytes the message has at least.
        got: u64,
    },
    /// Bytes that are no WebSocket message.
    #[error("RPC-3: expected a WebSocket message, got {got}")]
    NotWebSocket {
        /// The reader's error.
        got: String,
    },
}

impl WireFault {
    /// Why the connection broke, where the server's message is the reason.
    ///
    /// `asked` is how many requests were sent, which have the ids from 0 on; `limit` how long an answer may be.
    pub(crate) fn of(error: &ClientError, asked: u64, limit: u32) -> Option<Self> {
        match error {
            ClientError::RestartNeeded(reason) => Self::of(reason, asked, limit),
            ClientError::InvalidRequestId(id) => Self::of_id(id, asked),
            ClientError::Custom(words) => {
                let words = words.strip_prefix("Unparseable message: ")?;
                Some(Self::of_json(words))
            }
            ClientError::ParseError(error) => Some(Self::of_json(&error.to_string())),
            ClientError::EmptyBatchRequest(_) => Some(Self::NotRpc {
                got: "an empty batch".to_owned(),
            }),
            ClientError::Transport(error) => Self::of_transport(&error.to_string(), limit),
            _ => None,
        }
    }

    /// An answer to `null` is what servers say to a message that they cannot read, such as one that is longer than they
    /// take.
    fn of_id(id: &InvalidRequestId, asked: u64) -> Option<Self> {
        let (InvalidRequestId::Invalid(got)
        | InvalidRequestId::NotPendingRequest(got)
        | InvalidRequestId::Occupied(got)) = id;
        match got.parse() {
            Ok(id) if id < asked => Some(Self::AnsweredTwice { id }),
            _ if got == "null" => None,
            _ => Some(Self::UnknownId {
                last: asked.saturating_sub(1),
                got: shown(got),
            }),
        }
    }

    /// From the JSON reader's error, or else the JSON itself, which begins with none of these words.
    fn of_json(words: &str) -> Self {
        let got = shown(words);
        if words.starts_with("EOF while parsing") {
            Self::Cut { got }
        } else if words.starts_with("recursion limit exceeded") {
            let limit = MAX_DEPTH;
            Self::TooDeep { limit, got }
        } else {
            Self::NotRpc { got }
        }
    }

    /// From the WebSocket reader's error. A closed connection is nobody's fault.
    fn of_transport(words: &str, limit: u32) -> Option<Self> {
        if let Some(len) = words.strip_prefix("message too large: len >= ") {
            let got = len.split(',').next()?.parse().ok()?;
            return Some(Self::TooLong { limit, got });
        }
        let faults = [
            "codec error: ",
            "utf-8 error: ",
            "unexpected opcode: ",
            "extension error: ",
        ];
        faults
            .iter()
            .any(|fault| words.starts_with(fault))
            .then(|| Self::NotWebSocket { got: shown(words) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn of(error: ClientError) -> Option<WireFault> {
        let error = ClientError::RestartNeeded(Arc::new(error));
        WireFault::of(&error, 5, 1_000)
    }

    /// RPC-3.
    #[test]
    fn an_id_that_was_asked_is_told_from_one_that_was_not() {
        let id = |got: &str| of(InvalidRequestId::NotPendingRequest(got.to_owned()).into());
        assert_eq!(id("4"), Some(WireFault::AnsweredTwice { id: 4 }));
        assert_eq!(id("null"), None);
        for got in ["5", "-1", "abc"] {
            let expected = WireFault::UnknownId {
                last: 4,
                got: got.to_owned(),
            };
            assert_eq!(id(got), Some(expected));
        }
    }

    /// RPC-3. A server's text is not mistaken for a reader's error.
    #[test]
    fn json_that_repeats_the_readers_words_is_still_json() {
        let words = "\"EOF while parsing\"".to_owned();
        let error = ClientError::Custom(format!("Unparseable message: {words}"));
        assert_eq!(of(error), Some(WireFault::NotRpc { got: words }));
    }

    #[test]
    fn a_connection_that_ends_is_no_fault_of_the_server() {
        for words in [
            "connection closed",
            "i/o error: broken pipe",
            "WebSocket ping/pong inactive",
        ] {
            assert_eq!(of(ClientError::Transport(words.into())), None, "{words}");
        }
        assert_eq!(of(ClientError::RequestTimeout), None);
    }
}
