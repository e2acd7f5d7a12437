//! A client that announces a recovery, and crosses a reset.

use super::proofs::strict;
use crate::{
    format::hexed,
    input::Input,
    verdict::{Broken, Verdict},
};
use duet_light_client::{recovery_terms, Checkpoint, Crossing, Dated, Trusted};
use duet_primitives::{testing::TestSet, BlockNumber, KeysetCommitment, Keysets};
use serde_json::json;

/// A client at this block, with sets of these ids. Their keys do not matter.
fn trusting(input: Input<'_>) -> Trusted {
    let set = |id: u64| -> KeysetCommitment { TestSet::new(id, 0..1).set.commitment().clone() };
    let current = set(input.u64("signing"));
    let keysets = match input.has("next") {
        true => Keysets {
            current,
            next: set(input.u64("next")),
        },
        false => Keysets::without_successor(current),
    };
    let trusted = Trusted::from_own_checkpoint_unchecked(Checkpoint {
        genesis_hash: input.hash("genesis_hash"),
        block_number: BlockNumber::new(input.u32("block_number")),
        block_hash: input.hash("block_hash"),
        keysets,
    });
    let number = |name| input.has(name).then(|| input.u64(name));
    match number("time") {
        Some(time) => trusted.with_date(Dated {
            time,
            trusting_period: number("trusting_period"),
        }),
        None => trusted,
    }
}

/// RECOVER-4 to RECOVER-8, LIGHT-9.
pub(crate) fn cross(input: Input<'_>) -> Verdict {
    let terms = recovery_terms(Some(&input.bytes("terms"))).ok_or_else(Broken::without_terms)?;
    let announced = input.u64("announced");
    let proof = strict(input, "proof")?;
    let mut trusted = trusting(input).announce(&terms, proof, announced, None)?;
    if input.has("other") {
        let proof = strict(input, "other")?;
        trusted = trusted.announce(&terms, proof, announced, None)?;
    }
    let (outcome, reached) = match trusted.cross(input.u64("now"), None)? {
        Crossing::Crossed(reached) => ("crossed", reached),
        Crossing::Restarted(reached) => ("restarted", reached),
    };
    let best = reached.best_block();
    let (signing, latest) = (reached.signing().id, reached.latest_set().id);
    Ok(json!({
        "outcome": outcome,
        "block_number": best.number().get(),
        "block_hash": hexed(best.hash()),
        "signing": signing.get().to_string(),
        "next": (latest != signing).then(|| latest.get().to_string()),
    }))
}
