//! Objects in plain words.

use crate::failure::Failure;
use codec::Encode;
use duet_primitives::{Drill, DualKeyBytes, KeysetCommitment, RecoveryStatement};
use duet_recovery::text::{
    self, Kind, MembersFile, ProofFile, Registration, SignatureFile, StatementFile, TextError,
};
use std::path::Path;

/// What a text holds, in lines.
pub(crate) fn of_text(path: &Path, text: &str) -> Result<String, Failure> {
    describe(text).map_err(|error| Failure::Text {
        path: path.to_owned(),
        error,
    })
}

fn describe(text: &str) -> Result<String, TextError> {
    Ok(match Kind::of(text)? {
        Kind::Statement => of_statement(&text::read(text)?),
        Kind::Signature => {
            let SignatureFile { genesis_hash, vote } = text::read(text)?;
            let statement = StatementFile {
                genesis_hash,
                statement: vote.statement,
            };
            format!(
                "A signature, not checked.\nsigner: position {} of the recovery set\npk2: {}\n{}",
                vote.signer,
                vote.pk2,
                of_statement(&statement)
            )
        }
        Kind::Proof => {
            let ProofFile {
                genesis_hash,
                proof,
            } = text::read(text)?;
            let others = u32::try_from(proof.non_signers.len()).unwrap_or(u32::MAX);
            let bits = u32::try_from(proof.signers.as_bytes().len().saturating_mul(8));
            let signers: Vec<_> = proof
                .signers
                .signers(bits.unwrap_or(u32::MAX))
                .map(|signer| signer.to_string())
                .collect();
            let statement = StatementFile {
                genesis_hash,
                statement: proof.statement,
            };
            format!(
                "A recovery proof, not checked.\nsigners: {}, at the positions {}\nnon-signers: {others}\n{}",
                signers.len(),
                signers.join(", "),
                of_statement(&statement)
            )
        }
        Kind::Members => {
            let MembersFile {
                genesis_hash,
                terms,
                keys,
            } = text::read(text)?;
            let mut words = format!(
                "Members of a recovery set, not checked.\ngenesis: {genesis_hash:?}\nrecovery set: {}\n\
                 verifiers wait: {} seconds\n",
                of_set(&terms.set),
                terms.delay
            );
            for (position, key) in keys.iter().enumerate() {
                words.push_str(&format!("member {position}: {key}\n"));
            }
            words
        }
        Kind::Registration => {
            let registration = text::read(text)?;
            format!(
                "A registration, not checked.\n{}",
                of_registration(&registration)
            )
        }
        Kind::Drill => format!("A drill, not checked.\n{}", of_drill(&text::read(text)?)),
    })
}

/// A statement. It tells what its signers vouch for.
pub(crate) fn of_statement(
    StatementFile {
        genesis_hash,
        statement,
    }: &StatementFile,
) -> String {
    let RecoveryStatement {
        recovery_set,
        block_number,
        block_hash,
        ended,
        reset_number,
        reset_hash,
        set,
    } = statement;
    format!(
        "The statement of recovery set {recovery_set}, on the chain with\n\
         genesis: {genesis_hash:?}\n\
         The newest proven block is\nblock: {block_number}, {block_hash:?}\n\
         The first reset after it is in\nreset: {reset_number}, {reset_hash:?}\n\
         It ended\nended set: {ended}\n\
         From there on signs\nnew set: {}\n",
        of_set(set)
    )
}

/// A public key.
pub(crate) fn of_key(key: &DualKeyBytes) -> String {
    format!("pk1: {}\npublic key: {key}\n", key.pk1())
}

/// The arguments of `duetRecovery.registerKey`.
pub(crate) fn of_registration(Registration { key, proof }: &Registration) -> String {
    format!("key: {key}\nproof: {proof}\n")
}

/// The argument of `duetRecovery.drill`.
pub(crate) fn of_drill(drill: &Drill) -> String {
    format!(
        "block: {}, {:?}\ndrill: 0x{}\n",
        drill.block_number,
        drill.block_hash,
        hex::encode(drill.encode())
    )
}

fn of_set(set: &KeysetCommitment) -> String {
    format!(
        "{}, {} keys, root {:?}, total {}",
        set.id, set.len, set.root, set.apk1
    )
}
