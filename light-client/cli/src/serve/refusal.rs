//! Why a request gets an error instead of an answer, as the client sees it.

use crate::calls::Stopped;
use duet_light_rpc::{fit, shown, Fault, Missing};
use duet_primitives::{BlockNumber, H256};
use jsonrpsee::types::{ErrorCode, ErrorObject, ErrorObjectOwned};
use serde_json::{json, Value};

/// No endpoint can prove the genesis or any start. Nodes use the same code.
const NO_START: i32 = 9005;
/// Every endpoint that was left to ask sent what does not verify, or another one had to be dropped before.
const UNVERIFIED: i32 = 9101;
/// No endpoint has it.
const MISSING: i32 = 9102;
/// No endpoint can be reached.
const UNREACHABLE: i32 = 9103;
/// The block is not proven.
const NOT_PROVEN: i32 = 9104;
/// More than this server does at a time, or no answer in time.
const BUSY: i32 = 9105;
/// As the specification of the JSON-RPC interface numbers them.
const FOLLOWS: i32 = -32800;
const NOT_PINNED: i32 = -32801;
/// The chain is not of a kind that this server reads.
const UNREADABLE: i32 = 9106;
/// The call of the runtime has no outcome.
const NO_OUTCOME: i32 = 9107;

/// Why there is no answer.
#[derive(Clone, Debug)]
pub(crate) enum Refusal {
    /// The parameters do not parse.
    Params(String),
    /// The method is refused.
    Method { method: String, why: &'static str },
    /// The block is newer than the newest that is proven.
    NotYet { number: BlockNumber },
    /// The block is not of the chain that is proven.
    NotFinal { hash: H256, number: BlockNumber },
    /// No endpoint answered; each with its fault.
    Unanswered(Vec<(String, Fault)>),
    /// Too much at a time.
    Busy(&'static str),
    /// The connection follows the chain too often.
    Follows { max: usize },
    /// The block is not pinned by the subscription.
    NotPinned { hash: H256 },
    /// It took too long.
    TooSlow { seconds: u64 },
    /// It is proven and cannot be read.
    Unreadable(String),
    /// A call of the runtime stopped.
    Call(Stopped),
    /// An endpoint's own refusal of a request that was passed on.
    Endpoint {
        url: String,
        error: ErrorObjectOwned,
    },
}

impl Refusal {
    /// Whether fewer keys may have an answer.
    pub(crate) fn is_too_long(&self) -> bool {
        let is_it = |fault: &Fault| matches!(fault, Fault::Incomplete(Missing::ShortAnswer { .. }));
        matches!(self, Self::Unanswered(faults) if faults.iter().any(|(_, fault)| is_it(fault)))
    }
}

/// One fault, for programs.
fn fault_json((url, fault): &(String, Fault)) -> Value {
    json!({
        "endpoint": url,
        "verdict": fault.verdict(),
        "rule": fault.rule(),
        "reason": fault.to_string(),
    })
}

/// The fault that says most, which is a lie before a gap, and that before silence.
fn worst(faults: &[(String, Fault)]) -> Option<&(String, Fault)> {
    let weight = |(_, fault): &&(String, Fault)| match fault {
        Fault::Lie(_) | Fault::OtherChain { .. } => 3,
        Fault::Incomplete(_) | Fault::Reset(_) | Fault::LaterStart(_) | Fault::Fatal(_) => 2,
        Fault::Incompatible(_) | Fault::Lagging { .. } => 1,
        Fault::Unreachable(_) => 0,
    };
    // The first of the same weight.
    faults.iter().rev().max_by_key(weight)
}

fn unanswered(faults: &[(String, Fault)]) -> ErrorObjectOwned {
    let all: Vec<_> = faults.iter().map(fault_json).collect();
    let Some((url, fault)) = worst(faults) else {
        return error(UNREACHABLE, "no endpoint is left".to_owned(), json!({}));
    };
    let (code, what) = match fault {
        Fault::Lie(_) | Fault::OtherChain { .. } => (UNVERIFIED, "the answer does not verify"),
        Fault::Incomplete(Missing::Genesis) => (NO_START, "no endpoint has the data"),
        Fault::Incomplete(_) | Fault::Reset(_) | Fault::LaterStart(_) | Fault::Fatal(_) => {
            (MISSING, "no endpoint has the data")
        }
        _ => (UNREACHABLE, "no endpoint can be reached"),
    };
    let data = json!({
        "endpoint": url,
        "verdict": fault.verdict(),
        "rule": fault.rule(),
        "endpoints": all,
    });
    error(code, format!("{what}: {url}: {fault}"), data)
}

fn error(code: i32, message: String, data: Value) -> ErrorObjectOwned {
    ErrorObject::owned(code, message, Some(data))
}

impl From<Refusal> for ErrorObjectOwned {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Params(what) => {
                let code = ErrorCode::InvalidParams.code();
                error(code, format!("invalid parameters: {what}"), json!({}))
            }
            Refusal::Method { method, why } => {
                let code = ErrorCode::MethodNotFound.code();
                let method = shown(&method);
                let data = json!({ "class": "refused", "why": why, "method": method });
                error(code, format!("{method} is refused: {why}"), data)
            }
            Refusal::NotYet { number } => {
                let message = format!("block {number} is not proven yet");
                error(NOT_PROVEN, message, json!({ "block": number }))
            }
            Refusal::NotFinal { hash, number } => {
                let message =
                    format!("block {hash:?} is not final: another block {number} is proven");
                error(
                    NOT_PROVEN,
                    message,
                    json!({ "block": number, "rule": "STATE-3" }),
                )
            }
            Refusal::Unanswered(faults) => unanswered(&faults),
            Refusal::Busy(what) => error(BUSY, format!("too many {what} at a time"), json!({})),
            Refusal::Follows { max } => {
                let message = format!("there are {max} subscriptions already");
                error(FOLLOWS, message, json!({}))
            }
            Refusal::NotPinned { hash } => error(
                NOT_PINNED,
                format!("block {hash:?} is not pinned"),
                json!({}),
            ),
            Refusal::TooSlow { seconds } => {
                let message = format!("no answer within {seconds} s");
                error(BUSY, message, json!({ "seconds": seconds }))
            }
            Refusal::Unreadable(what) => error(UNREADABLE, what, json!({})),
            Refusal::Call(stopped) => error(NO_OUTCOME, stopped.to_string(), json!({})),
            Refusal::Endpoint { url, error: said } => {
                let data = said
                    .data()
                    .and_then(|data| serde_json::from_str(data.get()).ok());
                let data = data.map(fit);
                let data = json!({ "class": "passed", "endpoint": url, "data": data });
                error(said.code(), shown(said.message()), data)
            }
        }
    }
}
