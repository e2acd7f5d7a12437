//! Calls by which `RecoverableDuetLightClient` crosses a reset. (RECOVER-7, RECOVER-8)

use crate::{
    abi,
    points::{g1, g2},
    proof::{set_bytes, y},
};
use codec::Encode;
use duet_primitives::{KeysetCommitment, Pk1Bytes, RecoveryProof, RecoveryStatement, H256};

/// A call of `announceRecovery`. `header` is that of the contract's newest block in SCALE, `mmr_root` the root that was proven
/// with it (anything at a checkpoint), `nodes` prove the terms under that header, and `set` is the recovery set in them.
pub fn announce_recovery(
    header: &[u8],
    mmr_root: H256,
    nodes: &[Vec<u8>],
    proof: &RecoveryProof,
    set: &KeysetCommitment,
) -> Vec<u8> {
    const HEAD: u64 = 4 * 32;
    let header = abi::bytes(header);
    let nodes = abi::list(nodes);
    let nodes_at = HEAD.saturating_add(header.len() as u64);
    let proof_at = nodes_at.saturating_add(nodes.len() as u64);
    [
        abi::selector("announceRecovery(bytes,bytes32,bytes[],bytes)").to_vec(),
        abi::word(HEAD).to_vec(),
        mmr_root.0.to_vec(),
        abi::word(nodes_at).to_vec(),
        abi::word(proof_at).to_vec(),
        header,
        nodes,
        abi::bytes(&recovery_bytes(proof, set)),
    ]
    .concat()
}

/// A call of `crossRecovery`.
pub fn cross_recovery(statement: &RecoveryStatement) -> Vec<u8> {
    abi::call("crossRecovery(bytes)", &[statement_bytes(statement)])
}

/// A statement: its 180 bytes, and the 48 of y of its set's total. The contract keeps its Keccak-256. Cost: a square root.
pub fn statement_bytes(statement: &RecoveryStatement) -> Vec<u8> {
    let mut out = statement.encode();
    out.extend(y(&statement.set.apk1));
    out
}

/// A recovery proof as the contract reads it: the statement, the recovery set, the points, y of the total of the statement's
/// set, the bitfield, the keys of the non-signers, and the multiproof. Cost: a square root for each of five points and each
/// non-signer.
pub fn recovery_bytes(proof: &RecoveryProof, set: &KeysetCommitment) -> Vec<u8> {
    let mut out = proof.statement.encode();
    out.extend(set_bytes(set));
    out.extend(g1(&proof.signature.0));
    out.extend(g2(&proof.apk2.0));
    out.extend(y(&proof.statement.set.apk1));
    out.extend(proof.signers.as_bytes());
    out.extend(proof.non_signers.iter().flat_map(|Pk1Bytes(key)| g1(key)));
    out.extend(proof.proof.hashes().iter().flat_map(|hash| hash.0));
    out
}
