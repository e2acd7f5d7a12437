//! What scenarios of a light client begin with, and how their steps are written.

use super::builder::scale;
use crate::format::hexed;
use codec::Encode;
use duet_light_client::{testing::TestChain, Checkpoint, StartProof};
use duet_primitives::{StatelessProof, UncheckedJustification};
use serde_json::{json, Value};

/// A client's mode, in words. (LIGHT-4 and what follows hold in both.)
pub(super) const MODES: [&str; 2] = ["full", "stateless"];

/// The chain of most scenarios: three sets of five, and one that is planned.
pub(super) fn chain() -> TestChain {
    TestChain::new(3, 5, 1)
}

pub(super) fn from_genesis(chain: &TestChain) -> Value {
    with_genesis_proof(chain, &chain.genesis_proof())
}

pub(super) fn with_genesis_proof(chain: &TestChain, proof: &StartProof) -> Value {
    json!({ "genesis_hash": hexed(chain.genesis_hash), "genesis_proof": scale(proof) })
}

pub(super) fn from_checkpoint(checkpoint: &Checkpoint) -> Value {
    json!({ "checkpoint": scale(checkpoint) })
}

pub(super) fn step(form: &str, object: &impl Encode) -> Value {
    json!({ "form": form, "bytes": scale(object) })
}

pub(super) fn keys_step(set: u64, keys: &impl Encode) -> Value {
    json!({ "form": "keys", "set": set.to_string(), "bytes": scale(keys) })
}

/// The proof of a block in the form for this mode.
pub(super) fn proof(chain: &TestChain, mode: &str, number: u32) -> Value {
    match mode {
        "full" => step("justification", &justification(chain, number)),
        _ => step("stateless", &stateless(chain, number)),
    }
}

/// The handoff proof of a set in the form for this mode.
pub(super) fn handoff(chain: &TestChain, mode: &str, set: u64) -> Value {
    match mode {
        "full" => step("handoff", &chain.handoff_proofs(set, 1)[0]),
        _ => step("stateless", &stateless(chain, chain.mandatory(set))),
    }
}

pub(super) fn justification(chain: &TestChain, number: u32) -> UncheckedJustification {
    chain.justification(number).expect("a block with a proof")
}

pub(super) fn stateless(chain: &TestChain, number: u32) -> StatelessProof {
    chain.stateless_proof(number).expect("a block with a proof")
}

pub(super) fn scenario(start: &Value, mode: &str, steps: Vec<Value>) -> Value {
    json!({ "start": start, "mode": mode, "steps": steps })
}
