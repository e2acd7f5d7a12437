//! Recovery keys, drills, and what a recovery set signs.

use super::{
    keys::possessed,
    proofs::{strict, trusted_set},
};
use crate::{format::hexed, input::Input, verdict::Verdict};
use codec::Encode;
use duet_primitives::{
    recovery_ownership_statement,
    suite::{RECOVERY_POSSESSION_SUITE, RECOVERY_SUITE},
    testing, Drill, DualKeyBytes, KeysetCommitment, Pk1Bytes, PossessionProof, RecoveryAccusation,
    RecoveryProof, RecoveryStatement, RecoveryVote,
};
use serde_json::{json, Value};

/// An account as a tuple of SCALE holds it: bytes without their length.
struct Account(Vec<u8>);

impl Encode for Account {
    fn encode(&self) -> Vec<u8> {
        self.0.clone()
    }
}

/// RECOVER-1, POP-1 to POP-3.
pub(crate) fn possession(input: Input<'_>) -> Verdict {
    let key = DualKeyBytes(input.array("key"));
    let proof = PossessionProof(input.array("proof"));
    let account = Account(input.bytes("account"));
    let owner = recovery_ownership_statement(input.hash("genesis_hash"), &account);
    key.check_recovery_possession(&owner, &proof)?;
    Ok(possessed(RECOVERY_POSSESSION_SUITE, key, &proof))
}

/// RECOVER-2.
pub(crate) fn drill(input: Input<'_>) -> Verdict {
    let drill: Drill = strict(input, "drill")?;
    let key = Pk1Bytes(input.array("key")).check()?;
    drill.check(
        &key,
        input.hash("genesis_hash"),
        &Account(input.bytes("account")),
    )?;
    Ok(json!({ "block_number": drill.block_number.get(), "block_hash": hexed(drill.block_hash) }))
}

/// The message of a statement. (RECOVER-5)
fn message(input: Input<'_>, statement: &RecoveryStatement) -> Value {
    let signed = statement.signed_bytes(input.hash("genesis_hash"));
    json!({ "point": hexed(testing::message_point(RECOVERY_SUITE, &signed)) })
}

/// RECOVER-5, RECOVER-6.
pub(crate) fn proof(input: Input<'_>) -> Verdict {
    let proof: RecoveryProof = strict(input, "proof")?;
    let set: KeysetCommitment = input.decoded("commitment");
    let checked = proof.check(&set, input.hash("genesis_hash"))?;
    let mut outputs = message(input, checked.statement());
    let proof = checked.into_unchecked();
    outputs["signers"] = json!(proof.signers.count());
    outputs["non_signers"] = json!(proof.non_signers.len());
    Ok(outputs)
}

/// RECOVER-5, RECOVER-6, RECOVER-9.
pub(crate) fn vote(input: Input<'_>) -> Verdict {
    let vote: RecoveryVote = strict(input, "vote")?;
    vote.check(&trusted_set(input), input.hash("genesis_hash"))?;
    let mut outputs = message(input, &vote.statement);
    outputs["signer"] = json!(vote.signer.get());
    Ok(outputs)
}

/// RECOVER-9.
pub(crate) fn accusation(input: Input<'_>) -> Verdict {
    let accusation: RecoveryAccusation = strict(input, "accusation")?;
    let set: KeysetCommitment = input.decoded("commitment");
    accusation.check(&set, input.hash("genesis_hash"))?;
    let accused = accusation.accused.iter();
    let positions: Vec<_> = accused.map(|(signer, _)| signer.get()).collect();
    Ok(json!({ "accused": positions }))
}
