//! Duet's keys, votes and finality proofs, and their checks.
//!
//! Each validator has one secret and a public key in both source groups of BLS12-381. A vote carries a
//! Chaum-Pedersen proof, so that it is checked without a pairing. A finality proof is one signature, one key in
//! G2 and a bitfield; checking it takes additions in G1 and one product of two pairings. The rules are numbered
//! in `docs/spec`, and the code names the rule that it implements.
//!
//! Received and checked objects are different types: `Unchecked…` and `…Bytes` decode from anything of the
//! right length, and `check` turns them into the checked form, which does not implement `Decode`.
//!
//! ```
//! use duet_primitives::*;
//!
//! // Two validators, the set that they form, and something to finalize.
//! let secrets = [SecretKey::from_seed(&[1; 32])?, SecretKey::from_seed(&[2; 32])?];
//! let genesis = H256::repeat_byte(7);
//! let keys: Vec<PossessedKey> = secrets
//!     .iter()
//!     .zip(["alice", "bob"])
//!     .map(|(secret, owner)| {
//!         let proof = secret.prove_possession(owner.as_bytes());
//!         secret.public().check_possession(owner.as_bytes(), &proof)
//!     })
//!     .collect::<Result<_, _>>()?;
//! let set = DualKeyset::new(SetId::new(0), keys)?;
//! let commitment = Commitment {
//!     block_number: BlockNumber::new(10),
//!     block_hash: H256::repeat_byte(1),
//!     mmr_root: H256::repeat_byte(2),
//!     validator_set_id: SetId::new(0),
//!     next: set.commitment().clone(),
//! };
//!
//! // Each signs, each vote is checked without a pairing, and the votes become one proof.
//! let message = RoundMessage::new(genesis, commitment.clone());
//! let votes: Vec<Vote> = secrets
//!     .iter()
//!     .map(|secret| {
//!         let signer = set.keyset().position(&secret.public().pk1()).expect("a member");
//!         UncheckedVote::sign(secret, signer, &message).check(set.keyset(), &message)
//!     })
//!     .collect::<Result<_, _>>()?;
//! let justification = set.aggregate(&message, &votes)?;
//!
//! // A light client needs the set's keys in G1 and the bytes that it received.
//! let received = justification.into_unchecked();
//! assert_eq!(received.check(set.keyset(), genesis)?.commitment(), &commitment);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The error enums are exhaustive on purpose: a new error needs a [`Culprit`] wherever they are mapped.

#![no_std]
#![forbid(unsafe_code)]
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

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

pub mod suite;

mod accusation;
mod aggregate;
#[cfg(feature = "runtime-api")]
#[allow(clippy::multiple_bound_locations)] // In what the SDK's macro makes of the declaration.
mod api;
mod bitfield;
mod blame;
mod bytes;
mod commitment;
mod digest;
mod dleq;
mod equation;
mod equivocation;
mod error;
mod justification;
mod keys;
mod keyset;
mod leaf;
mod merkle;
mod numbers;
mod participation;
mod possession;
mod recovery;
mod rules;
mod secret;
mod stateless;
#[cfg(feature = "testing")]
#[allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "for tests: no stranger's bytes reach it, and a panic is a failed test"
)]
pub mod testing;
#[cfg(all(test, feature = "std"))]
mod tests;
mod transcript;
mod vote;

pub use accusation::{Accusation, ProofAccusation, VoteAccusation};
pub use aggregate::Aggregation;
#[cfg(feature = "runtime-api")]
pub use api::*;
pub use bitfield::Bitfield;
pub use blame::Culprit;
pub use bytes::{
    decode_list, DualKeyBytes, Pk1Bytes, Pk2Bytes, PossessionProof, SignatureBytes, VoteSignature,
    Witness,
};
pub use commitment::{Commitment, CommitmentPayload, RoundMessage};
pub use digest::{ConsensusLog, Pardon};
pub use duet_curve::PointError;
pub use equivocation::{Equivocation, EquivocationProof, EvidenceStatus};
pub use error::{
    AccusationError, AggregateError, CombineError, EquivocationError, JustificationError, KeyError,
    KeysetError, MerkleError, PossessionError, RecoveryError, SecretKeyError, SignatureError,
    StatelessError, VoteError,
};
pub use justification::{Justification, PreparedJustification, UncheckedJustification};
pub use keys::{DualKey, Pk1, PossessedKey};
pub use keyset::{threshold, DualKeyset, Keyset, KeysetCommitment, Keysets, PartialSum};
pub use leaf::{LeafVersion, MmrLeaf};
pub use merkle::MerkleProof;
pub use numbers::{BlockNumber, SetId, SignerIndex};
pub use participation::{Participation, Share, SigningRecord};
pub use possession::{ownership_statement, recovery_ownership_statement};
pub use primitive_types::H256;
pub use recovery::{
    Drill, Recovery, RecoveryAccusation, RecoveryMessage, RecoveryProof, RecoveryStatement,
    RecoveryTerms, RecoveryVote, Signed,
};
pub use rules::VotingRules;
pub use secret::SecretKey;
pub use stateless::{check_stateless, prepare_stateless, StatelessProof};
pub use vote::{UncheckedVote, Vote};
