//! Calldata of the light client in Solidity.
//!
//! A node serves proofs whose points are compressed. An EVM cannot compute `y`, so the contract takes both coordinates
//! of each point and compresses them for hashing. [`proof_bytes`] writes a proof in that form, whose layout
//! `FinalityProof.sol` describes; [`submit`], [`submit_many`], [`report_misbehaviour`], [`announce_recovery`],
//! [`cross_recovery`] and [`constructor`] are whole calls.
//!
//! Nothing is verified here: verify a proof with `duet-light-client` before you pay for it. Invalid points become
//! calldata that the contract refuses.

// Strangers' bytes reach this crate: outside tests, what may panic or overflow is refused.
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

pub mod abi;
mod points;
mod proof;
mod recovery;

pub use points::{g1, g2};
pub use proof::{proof_bytes, set_bytes};
pub use recovery::{announce_recovery, cross_recovery, recovery_bytes, statement_bytes};

use duet_light_client::Checkpoint;
use duet_primitives::{KeysetCommitment, StatelessProof};

/// A call of `submit`, with a proof of a newer block. `set` is the signing set, as the contract knows it.
pub fn submit(proof: &StatelessProof, set: &KeysetCommitment) -> Vec<u8> {
    abi::call("submit(bytes)", &[proof_bytes(proof, set)])
}

/// A call of `submitMany`, with consecutive handoffs, each with its signing set. (JUST-10)
pub fn submit_many<'a>(
    handoffs: impl IntoIterator<Item = (&'a StatelessProof, &'a KeysetCommitment)>,
) -> Vec<u8> {
    let proofs = handoffs
        .into_iter()
        .map(|(proof, set)| proof_bytes(proof, set));
    let proofs: Vec<_> = proofs.collect();
    [
        abi::selector("submitMany(bytes[])").to_vec(),
        abi::word(32).to_vec(),
        abi::list(&proofs),
    ]
    .concat()
}

/// A call of `reportMisbehaviour`, with two proofs and the set of each: freezes the client when both hold and contradict each
/// other.
pub fn report_misbehaviour(proofs: [(&StatelessProof, &KeysetCommitment); 2]) -> Vec<u8> {
    let proofs = proofs.map(|(proof, set)| proof_bytes(proof, set));
    abi::call("reportMisbehaviour(bytes,bytes)", &proofs)
}

/// The constructor's arguments, which follow the bytecode: the checkpoint that all users of the contract trust, and the
/// trusting period in seconds (LIGHT-9).
pub fn constructor(checkpoint: &Checkpoint, trusting_period: u64) -> Vec<u8> {
    [
        abi::word(64).to_vec(),
        abi::word(trusting_period).to_vec(),
        checkpoint_tuple(checkpoint),
    ]
    .concat()
}

/// The constructor's arguments of the client with an owner.
pub fn constructor_with_owner(
    checkpoint: &Checkpoint,
    trusting_period: u64,
    owner: [u8; 20],
) -> Vec<u8> {
    [
        abi::word(96).to_vec(),
        abi::word(trusting_period).to_vec(),
        abi::address(owner).to_vec(),
        checkpoint_tuple(checkpoint),
    ]
    .concat()
}

/// A call of `restart`, by which the owner of that client begins it anew.
pub fn restart(checkpoint: &Checkpoint) -> Vec<u8> {
    [
        abi::selector("restart((bytes32,uint32,bytes32,bytes,bytes))").to_vec(),
        abi::word(32).to_vec(),
        checkpoint_tuple(checkpoint),
    ]
    .concat()
}

/// `Checkpoint` as the contract has it: three words, then its sets. A successor that is not named is empty.
fn checkpoint_tuple(checkpoint: &Checkpoint) -> Vec<u8> {
    /// Genesis hash, number, block hash, and where each of the two sets is.
    const HEAD: u64 = 5 * 32;
    /// The length of a set, and its 140 bytes filled up to words.
    const SET: u64 = 32 + 160;
    let keysets = &checkpoint.keysets;
    let next = if keysets.next == keysets.current {
        Vec::new()
    } else {
        set_bytes(&keysets.next)
    };
    [
        checkpoint.genesis_hash.0.to_vec(),
        abi::word(checkpoint.block_number.get().into()).to_vec(),
        checkpoint.block_hash.0.to_vec(),
        abi::word(HEAD).to_vec(),
        abi::word(HEAD.saturating_add(SET)).to_vec(),
        abi::bytes(&set_bytes(&keysets.current)),
        abi::bytes(&next),
    ]
    .concat()
}
