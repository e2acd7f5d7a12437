//! Points, hashes, keys, signatures and proofs of possession.

use crate::{
    format::hexed,
    input::Input,
    verdict::{Broken, Verdict},
};
use codec::DecodeAll;
use duet_primitives::{
    suite::{
        POSSESSION_SUITE, POSSESSION_TAG, RECOVERY_POSSESSION_SUITE, RECOVERY_SUITE,
        SIGNATURE_SUITE,
    },
    testing, Commitment, DualKeyBytes, KeyError, Pk1Bytes, Pk2Bytes, PossessionProof, RoundMessage,
    SecretKey, SignerIndex, UncheckedVote,
};
use serde_json::{json, Value};

/// ENC-1 to ENC-4.
pub(crate) fn point(input: Input<'_>) -> Verdict {
    let verdict = match input.text("group") {
        "G1" => Pk1Bytes(input.array("bytes")).check().map(|_| ()),
        "G2" => {
            let other_half = testing::secret(0).public().pk1();
            let key = DualKeyBytes::new(other_half, Pk2Bytes(input.array("bytes")));
            key.check().map(|_| ())
        }
        other => panic!("no group {other}"),
    };
    verdict.map_err(|error| match error {
        KeyError::Pk1(error) | KeyError::Pk2(error) => Broken::from(error),
    })?;
    Ok(json!({}))
}

/// KEY-1.
pub(crate) fn key(input: Input<'_>) -> Verdict {
    DualKeyBytes(input.array("key")).check()?;
    Ok(json!({}))
}

/// MSG-1.
pub(crate) fn message_point(input: Input<'_>) -> Verdict {
    let suite = match input.text("suite") {
        "ordinary" => SIGNATURE_SUITE,
        "possession" => POSSESSION_SUITE,
        "recovery" => RECOVERY_SUITE,
        "recovery possession" => RECOVERY_POSSESSION_SUITE,
        other => panic!("no suite {other}"),
    };
    let point = testing::message_point(suite, &input.bytes("message"));
    Ok(json!({ "point": hexed(point) }))
}

fn round_message(input: Input<'_>) -> Result<RoundMessage, Broken> {
    let commitment = Commitment::decode_all(&mut &input.bytes("commitment")[..]);
    let commitment = commitment.map_err(|_| Broken::malformed())?;
    Ok(RoundMessage::new(input.hash("genesis_hash"), commitment))
}

/// MSG-1, MSG-2.
pub(crate) fn signed_message(input: Input<'_>) -> Verdict {
    let message = round_message(input)?;
    let signed = message.commitment().signed_bytes(message.genesis_hash());
    Ok(json!({ "signed_bytes": hexed(signed), "point": hexed(message.hash()) }))
}

/// DLEQ-1.
pub(crate) fn scalar_hash(input: Input<'_>) -> Verdict {
    let parts = input.byte_list("parts");
    let parts: Vec<_> = parts.iter().map(Vec::as_slice).collect();
    Ok(json!({ "scalar": hexed(testing::hash_to_scalar(&parts)) }))
}

/// KEY-1, DLEQ-3.
pub(crate) fn signing(input: Input<'_>) -> Verdict {
    let secret = SecretKey::from_seed(&input.array("seed")).expect("no seed hashes to zero");
    let message = round_message(input)?;
    let vote = UncheckedVote::sign(&secret, SignerIndex::new(0), &message);
    Ok(json!({
        "secret": hexed(*secret.expose()),
        "key": hexed(secret.public().0),
        "signature": hexed(vote.signature.0),
    }))
}

/// POP-1 to POP-4.
pub(crate) fn possession(input: Input<'_>) -> Verdict {
    let key = DualKeyBytes(input.array("key"));
    let proof = PossessionProof(input.array("proof"));
    key.check_possession(&input.bytes("owner"), &proof)?;
    Ok(possessed(POSSESSION_SUITE, key, &proof))
}

/// What the possession part of a proof is made of. (POP-3, POP-4)
pub(super) fn possessed(suite: &[u8], key: DualKeyBytes, proof: &PossessionProof) -> Value {
    let (pk1, pk2, sigma) = (key.pk1(), key.pk2(), proof.possession().sigma());
    let point = testing::message_point(suite, &pk2.0);
    let t = testing::hash_to_scalar(&[&point, &pk2.0, &pk1.0, &sigma.0]);
    let digest = testing::equation_digest(POSSESSION_TAG, &point, (&pk1, &pk2), &sigma);
    json!({ "point": hexed(point), "t": hexed(t), "digest": hexed(digest) })
}
