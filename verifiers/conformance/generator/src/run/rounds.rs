//! What nodes make of votes, and who publishes it.

use crate::{
    format::hexed,
    input::Input,
    verdict::{Broken, Verdict},
};
use codec::{DecodeAll, Encode};
use duet_light_client::decode;
use duet_primitives::{
    Commitment, DualKeyset, Justification, RoundMessage, UncheckedJustification, UncheckedVote,
};
use serde_json::{json, Value};
use std::num::NonZeroUsize;

/// The set of the input, which is trusted, with both halves of its keys.
fn set(input: Input<'_>) -> DualKeyset {
    let keys: Vec<_> = input.decoded("dual_keys");
    let set = DualKeyset::from_chain_state_unchecked(&input.decoded("commitment"), &keys);
    set.expect("a set of the generator")
}

fn votes(input: Input<'_>) -> Vec<UncheckedVote> {
    let votes = input.byte_list("votes").into_iter();
    let decoded = votes.map(|bytes| UncheckedVote::decode_all(&mut &bytes[..]));
    decoded.map(|vote| vote.expect("an encoding")).collect()
}

fn shown(proof: &Justification) -> Value {
    let bytes = hexed(proof.as_unchecked().encode());
    json!({ "justification": bytes, "signers": proof.signers().count() })
}

/// JUST-7.
pub(crate) fn add_votes(input: Input<'_>) -> Verdict {
    let message = RoundMessage::new(input.hash("genesis_hash"), input.decoded("message"));
    let added = set(input).aggregate_unchecked(&message, votes(input), NonZeroUsize::MIN);
    Ok(shown(&added.justification?))
}

/// JUST-8.
pub(crate) fn extend(input: Input<'_>) -> Verdict {
    let (set, genesis_hash) = (set(input), input.hash("genesis_hash"));
    let proof: UncheckedJustification = decode(&input.bytes("justification"))?;
    let proof = proof.check(set.keyset(), genesis_hash)?;
    let check = |vote: UncheckedVote| {
        let message = RoundMessage::new(genesis_hash, vote.commitment.clone());
        vote.check(set.keyset(), &message).map_err(Broken::from)
    };
    let votes: Result<Vec<_>, _> = votes(input).into_iter().map(check).collect();
    let message = RoundMessage::new(genesis_hash, proof.commitment().clone());
    Ok(shown(&set.extend(&proof, &message, &votes?)?))
}

/// ROUND-6.
pub(crate) fn publishers(input: Input<'_>) -> Verdict {
    let commitment: Commitment = input.decoded("commitment");
    let order = duet_voter::testing::publishers(&commitment, input.u32("members")).into_iter();
    let order: Vec<_> = order.map(|member| member.get()).collect();
    Ok(json!({ "order": order }))
}
