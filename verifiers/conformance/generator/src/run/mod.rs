//! Works out the answer of a case with the project's own crates, through what they offer to anybody.

mod age;
mod client;
mod crossing;
mod keys;
mod proofs;
mod recovery;
mod rounds;

use crate::{
    format::{Case, File},
    input::Input,
    objects,
    verdict::{expected, Verdict},
};
use serde_json::Value;

/// The answer of a case of this file.
///
/// # Panics
/// When the case is not of the format: the operation is unknown, or an input is missing.
pub fn run(file: &File, case: &Case) -> Value {
    let input = Input::new(&case.input, &file.data);
    match case.operation.as_str() {
        // Scenarios have an answer of their own, which tells what was reached before a refusal.
        "follow" => client::follow(input),
        "follow_together" => client::follow_together(input),
        "read" => client::read(input),
        operation => expected(verdict(operation, input)),
    }
}

fn verdict(operation: &str, input: Input<'_>) -> Verdict {
    match operation {
        "point" => keys::point(input),
        "key" => keys::key(input),
        "signing" => keys::signing(input),
        "possession" => keys::possession(input),
        "message_point" => keys::message_point(input),
        "signed_message" => keys::signed_message(input),
        "scalar_hash" => keys::scalar_hash(input),
        "weights" => proofs::weights(input),
        "threshold" => proofs::threshold(input),
        "keyset" => proofs::keyset(input),
        "commit_to_keys" => proofs::commit_to_keys(input),
        "prove_members" => proofs::prove_members(input),
        "multiproof" => proofs::multiproof(input),
        "vote" => proofs::vote(input),
        "evidence" => proofs::evidence(input),
        "justification" => proofs::justification(input),
        "stateless_proof" => proofs::stateless_proof(input),
        "add_votes" => rounds::add_votes(input),
        "extend" => rounds::extend(input),
        "publishers" => rounds::publishers(input),
        "object" => objects::object(input),
        "age" => age::age(input),
        "recovery_possession" => recovery::possession(input),
        "drill" => recovery::drill(input),
        "recovery_vote" => recovery::vote(input),
        "recovery_proof" => recovery::proof(input),
        "cross" => crossing::cross(input),
        "recovery_accusation" => recovery::accusation(input),
        other => panic!("no operation {other}"),
    }
}
