//! Errors as JavaScript sees them.

use crate::object::Fields;
use duet_light_client::{
    BodyError, Culprit, Error, NextStep, RecoverError, StateError, StateProofError,
    StorageProofError, TooOld,
};
use duet_primitives::{BlockNumber, JustificationError, KeysetError, MerkleError, StatelessError};
use wasm_bindgen::JsValue;

/// The expected and the received value, where these are values.
type Difference = Option<(String, String)>;

fn difference(expected: impl ToString, got: impl ToString) -> Difference {
    Some((expected.to_string(), got.to_string()))
}

fn object(
    rule: Option<&str>,
    culprit: &str,
    step: &str,
    message: &str,
    between: Difference,
) -> Fields {
    let fields = Fields::new()
        .with("rule", rule.map_or(JsValue::UNDEFINED, JsValue::from))
        .with("culprit", culprit)
        .with("nextStep", step)
        .with("message", message);
    match between {
        Some((expected, got)) => fields.with("expected", expected).with("got", got),
        None => fields,
    }
}

/// An argument that no server had a part in.
pub(crate) fn bad_argument(name: &str, expected: &str, got: &str) -> JsValue {
    let message = format!("{name} has to be {expected}, got {got}");
    object(None, "caller", "stop", &message, difference(expected, got)).into()
}

/// ENC-6: malformed bytes of the caller.
pub(crate) fn malformed(name: &str, step: &str) -> JsValue {
    let message = format!("ENC-6: the bytes are not a canonical {name}");
    object(Some("ENC-6"), "caller", step, &message, None).into()
}

/// RPC-1: an answer that does not match the request.
pub(crate) fn other_answer(expected: String, got: String) -> JsValue {
    let message = format!("RPC-1: asked for {expected}, got {got}");
    let between = Some((expected, got));
    object(Some("RPC-1"), "sender", "leave-sender", &message, between).into()
}

/// RPC-2: answers that cannot both be honest.
pub(crate) fn contradiction(what: &str) -> JsValue {
    let message = format!("RPC-2: contradictory answers: {what}");
    object(Some("RPC-2"), "sender", "leave-sender", &message, None).into()
}

/// A rule about proofs of finality.
pub(crate) fn of_verifier(error: &Error) -> JsValue {
    let fields = object(
        Some(error.rule()),
        culprit(error.culprit()),
        step(error.next_step()),
        &error.to_string(),
        between(error),
    );
    let fields = match error.next_step() {
        NextStep::FetchHandoffProofs { from_set: set } | NextStep::FetchKeys { set } => {
            fields.with("set", set.get())
        }
        _ => fields,
    };
    with_evidence(fields, error.evidence())
}

/// A rule about a start that the sender chose. The sender is to blame for any fault in it.
pub(crate) fn of_claim(error: &Error) -> JsValue {
    let (rule, between) = (Some(error.rule()), between(error));
    object(rule, "sender", "leave-sender", &error.to_string(), between).into()
}

/// A rule about headers, state and older blocks.
pub(crate) fn of_state(error: &StateProofError) -> JsValue {
    let between = match error {
        StateProofError::Header { expected, got } => {
            difference(format!("{expected:?}"), format!("{got:?}"))
        }
        StateProofError::Storage(error) => between_nodes(error),
        StateProofError::LeafCount { number, leaves } => difference(number, leaves),
        _ => None,
    };
    of_block(error.rule(), error.culprit(), &error.to_string(), between)
}

/// The rule about extrinsics.
pub(crate) fn of_body(error: &BodyError) -> JsValue {
    let got = format!("{:?} or {:?}", error.version_0, error.version_1);
    let between = difference(format!("{:?}", error.expected), got);
    of_block(error.rule(), error.culprit(), &error.to_string(), between)
}

fn of_block(rule: &str, who: Culprit, message: &str, between: Difference) -> JsValue {
    let step = match who {
        Culprit::Sender => "leave-sender",
        _ => "stop",
    };
    object(Some(rule), culprit(who), step, message, between).into()
}

/// LIGHT-9: nobody is to blame for the age of a block.
pub(crate) fn of_age(error: &TooOld) -> JsValue {
    let between = difference(error.trusting_period, error.age);
    let message = error.to_string();
    object(
        Some("LIGHT-9"),
        "nobody",
        "new-checkpoint",
        &message,
        between,
    )
    .into()
}

/// RECOVER-4: the chain has no recovery.
pub(crate) fn without_terms(block: BlockNumber) -> JsValue {
    let message = format!(
        "RECOVER-4: the state after block {block} proves that no recovery set was in force, so that no proof leads across a \
         reset after it"
    );
    object(
        Some("RECOVER-4"),
        "nobody",
        "new-checkpoint",
        &message,
        None,
    )
    .into()
}

/// A rule about a recovery, whose proof came from the caller; with the two proofs that contradict each other.
pub(crate) fn of_recovery(error: &RecoverError, evidence: Option<[Vec<u8>; 2]>) -> JsValue {
    if let RecoverError::TooOld(error) = error {
        return of_age(error);
    }
    let who = match error.culprit() {
        Culprit::Sender => Culprit::Caller,
        other => other,
    };
    let step = match error {
        RecoverError::AgeUnknown => "new-checkpoint",
        _ => "stop",
    };
    let between = match error {
        RecoverError::OtherBlock {
            best_hash,
            got_hash,
            ..
        } => difference(format!("{best_hash:?}"), format!("{got_hash:?}")),
        RecoverError::OtherEnded { latest, got, .. } | RecoverError::NotAbove { latest, got } => {
            difference(latest, got)
        }
        _ => None,
    };
    let (rule, message) = (Some(error.rule()), error.to_string());
    let fields = object(rule, culprit(who), step, &message, between);
    with_evidence(fields, evidence)
}

/// With the two proofs that contradict each other.
fn with_evidence(fields: Fields, evidence: Option<[Vec<u8>; 2]>) -> JsValue {
    match evidence {
        Some([first, second]) => fields
            .with_bytes("first", &first)
            .with_bytes("second", &second)
            .into(),
        None => fields.into(),
    }
}

/// A checkpoint or a kept state, for which no server is to blame.
pub(crate) fn of_kept(error: &StateError) -> JsValue {
    let between = match error {
        StateError::Version { expected, got } => difference(expected, got),
        StateError::Keys { error, .. } => between_keys(error),
        _ => None,
    };
    let rule = match error {
        StateError::Keys { .. } => Some("LIGHT-3"),
        StateError::Total { .. } => Some("KEY-1"),
        StateError::Len { .. } => Some("SET-1"),
        StateError::Successor { .. } | StateError::SuccessorLen { .. } => Some("LIGHT-5"),
        _ => None,
    };
    object(
        rule,
        "caller",
        "new-checkpoint",
        &error.to_string(),
        between,
    )
    .into()
}

fn culprit(culprit: Culprit) -> &'static str {
    match culprit {
        Culprit::Sender => "sender",
        Culprit::Validators => "validators",
        Culprit::Caller => "caller",
        Culprit::Nobody => "nobody",
    }
}

fn step(step: NextStep) -> &'static str {
    match step {
        NextStep::LeaveSender => "leave-sender",
        NextStep::CheckTrustedHash => "check-trusted-hash",
        NextStep::FetchHandoffProofs { .. } => "fetch-handoff-proofs",
        NextStep::FetchKeys { .. } => "fetch-keys",
        NextStep::NewCheckpoint => "new-checkpoint",
        NextStep::GoOn => "go-on",
        NextStep::Stop => "stop",
    }
}

fn between(error: &Error) -> Difference {
    match error {
        Error::WrongStart { expected, got } | Error::OtherGenesis { expected, got } => {
            difference(format!("{expected:?}"), format!("{got:?}"))
        }
        Error::StorageProof(error) => between_nodes(error),
        Error::Keys { error, .. } => between_keys(error),
        Error::OldBlock { best, got } => difference(best, got),
        Error::OldSet { signing, got } => difference(signing, got),
        Error::TooFarAhead { latest, got } => difference(latest, got),
        Error::SetIdChanged { expected, got } => difference(expected, got),
        Error::Justification(error) | Error::Stateless(StatelessError::Justification(error)) => {
            between_justifications(error)
        }
        Error::Stateless(StatelessError::NonSignerCount { expected, got })
        | Error::Stateless(StatelessError::Merkle(MerkleError::HashCount { expected, got })) => {
            difference(expected, got)
        }
        _ => None,
    }
}

fn between_justifications(error: &JustificationError) -> Difference {
    match error {
        JustificationError::WrongSet { expected, got } => difference(expected, got),
        JustificationError::BitfieldLength { expected, got } => difference(expected, got),
        JustificationError::BelowThreshold { threshold, got } => difference(threshold, got),
        JustificationError::PaddingBits
        | JustificationError::Signature(_)
        | JustificationError::Apk2(_)
        | JustificationError::EquationFails => None,
    }
}

fn between_keys(error: &KeysetError) -> Difference {
    match error {
        KeysetError::TooLarge { limit, got } => difference(limit, got),
        KeysetError::Length { expected, got } => difference(expected, got),
        KeysetError::Root { expected, got } => {
            difference(format!("{expected:?}"), format!("{got:?}"))
        }
        KeysetError::Total { expected, got } => difference(expected, got),
        KeysetError::Empty
        | KeysetError::Order { .. }
        | KeysetError::Key { .. }
        | KeysetError::ZeroTotal
        | KeysetError::InvalidTotal(_) => None,
    }
}

fn between_nodes(error: &StorageProofError) -> Difference {
    match error {
        StorageProofError::Surplus { expected, got } => difference(expected, got),
        _ => None,
    }
}
