//! The sizes of transmitted objects in bytes: computed from the encodings, not measured.

use crate::fixtures::spread;
use codec::{Compact, Encode};
use duet_primitives::{
    threshold, Bitfield, BlockNumber, Commitment, KeysetCommitment, MerkleProof, Pk1Bytes,
    Pk2Bytes, SetId, SignatureBytes, SignerIndex, StatelessProof, UncheckedJustification,
    UncheckedVote, VoteSignature, H256,
};
use serde::Serialize;

/// The sizes of sets in the table; the second is about the size of the largest networks.
pub const SETS: [u32; 6] = [10, 100, 300, 1000, 10_000, 100_000];

/// One line of the table: proofs by as many signers as a proof takes.
#[derive(Clone, Debug, Serialize)]
pub struct Sizes {
    /// Validators in the set.
    pub n: u32,
    /// A vote.
    pub vote: usize,
    /// A finality proof.
    pub justification: usize,
    /// A finality proof for a verifier without keys, with the non-signers spread over the set.
    pub stateless: usize,
    /// BEEFY's finality proof with ECDSA signatures.
    pub beefy_ecdsa: usize,
    /// BEEFY's finality proof with ECDSA and BLS signatures.
    pub beefy_ecdsa_bls: usize,
}

impl Sizes {
    /// The sizes for a set of `n`.
    pub fn new(n: u32) -> Self {
        let signers = spread(n, threshold(n));
        let justification = justification(n, &signers);
        Self {
            n,
            vote: vote().encoded_size(),
            justification: justification.encoded_size(),
            stateless: stateless(justification, n).encoded_size(),
            beefy_ecdsa: beefy(n, ECDSA_SIGNATURE),
            beefy_ecdsa_bls: beefy(n, ECDSA_SIGNATURE + BLS_SIGNATURE),
        }
    }
}

fn commitment() -> Commitment {
    Commitment {
        block_number: BlockNumber::new(0),
        block_hash: H256::zero(),
        mmr_root: H256::zero(),
        validator_set_id: SetId::new(0),
        next: KeysetCommitment {
            id: SetId::new(0),
            len: 0,
            root: H256::zero(),
            apk1: Pk1Bytes([0; 48]),
        },
    }
}

fn vote() -> UncheckedVote {
    UncheckedVote {
        commitment: commitment(),
        signer: SignerIndex::new(0),
        signature: VoteSignature([0; VoteSignature::LEN]),
    }
}

fn justification(n: u32, signers: &[SignerIndex]) -> UncheckedJustification {
    UncheckedJustification {
        commitment: commitment(),
        signers: Bitfield::from_indices(n, signers.iter().copied()),
        signature: SignatureBytes([0; SignatureBytes::LEN]),
        apk2: Pk2Bytes([0; Pk2Bytes::LEN]),
    }
}

/// The keys are any bytes: the content of a multiproof depends only on their positions.
fn stateless(justification: UncheckedJustification, n: u32) -> StatelessProof {
    let key = |index: SignerIndex| {
        let mut bytes = [0; 48];
        bytes[..4].copy_from_slice(&index.get().to_be_bytes());
        Pk1Bytes(bytes)
    };
    let keys: Vec<_> = (0..n).map(SignerIndex::new).map(key).collect();
    let non_signers: Vec<_> = justification.signers.non_signers(n).collect();
    StatelessProof {
        proof: MerkleProof::prove(&keys, &non_signers).expect("of this set"),
        non_signers: non_signers.into_iter().map(key).collect(),
        justification,
    }
}

/// A recoverable signature, as `sp_core::ecdsa` has it.
const ECDSA_SIGNATURE: usize = 65;
/// `σ ‖ c ‖ s`, as `sp_core::bls381` has it.
const BLS_SIGNATURE: usize = 112;

/// The encoding of `sp-consensus-beefy`'s `VersionedFinalityProof`: its variant; the commitment (a list of one
/// pair of a two-byte id and a root of 32 bytes, the block number, the set's id); then in compact form a bitfield,
/// the set's length, and the signatures that there are.
fn beefy(n: u32, signature: usize) -> usize {
    let (variant, payload_id, root, block_number, set_id, set_len) = (1, 2, 32, 4, 8, 4);
    let list = |len: u32| Compact(len).encoded_size();
    let commitment = list(1) + payload_id + list(root) + 32 + block_number + set_id;
    let bytes_of_bits = n.div_ceil(8);
    let bitfield = list(bytes_of_bits) + in_memory(bytes_of_bits);
    let signers = threshold(n);
    variant + commitment + bitfield + set_len + list(signers) + in_memory(signers) * signature
}

fn in_memory(count: u32) -> usize {
    usize::try_from(count).expect("a count of things in memory; qed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beefy_proof_of_a_thousand_is_its_parts_added_up() {
        // 1 variant, 48 commitment, 2 + 125 bitfield, 4 length, 2 count, 667 signatures.
        assert_eq!(beefy(1000, 65), 1 + 48 + 2 + 125 + 4 + 2 + 667 * 65);
    }

    #[test]
    fn our_proof_grows_by_one_bit_per_validator() {
        let bytes = |n| Sizes::new(n).justification;
        assert_eq!(bytes(1000) - bytes(600), 400 / 8);
    }
}
