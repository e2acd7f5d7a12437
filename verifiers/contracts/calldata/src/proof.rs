//! The bytes of a proof and of a set, as `FinalityProof.sol` reads them.

use crate::points::{g1, g2};
use codec::Encode;
use duet_primitives::{KeysetCommitment, Pk1Bytes, StatelessProof};

/// A set: the 92 bytes of its commitment, and the 48 of y of its total. The contract keeps its Keccak-256.
/// Cost: a square root.
pub fn set_bytes(commitment: &KeysetCommitment) -> Vec<u8> {
    let mut out = commitment.encode();
    out.extend(y(&commitment.apk1));
    out
}

/// A proof: the commitment, the set, the points, the successor's y where one is named, the bitfield of signers, the
/// keys of the non-signers, and the hashes that lead from these to the set's root. Cost: a square root for each of four
/// points and each non-signer.
pub fn proof_bytes(proof: &StatelessProof, signing: &KeysetCommitment) -> Vec<u8> {
    let justification = &proof.justification;
    let commitment = &justification.commitment;
    let mut out = commitment.encode();
    out.extend(set_bytes(signing));
    out.extend(g1(&justification.signature.0));
    out.extend(g2(&justification.apk2.0));
    if commitment.is_handoff() {
        out.extend(y(&commitment.next.apk1));
    }
    out.extend(justification.signers.as_bytes());
    out.extend(proof.non_signers.iter().flat_map(|Pk1Bytes(key)| g1(key)));
    out.extend(proof.proof.hashes().iter().flat_map(|hash| hash.0));
    out
}

/// y of a point, from its compressed form.
pub(crate) fn y(Pk1Bytes(compressed): &Pk1Bytes) -> impl Iterator<Item = u8> {
    g1(compressed).into_iter().skip(Pk1Bytes::LEN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use duet_primitives::{testing::TestSet, RoundMessage, H256};

    fn proven(next: u64, signers: [u32; 3]) -> (Vec<u8>, KeysetCommitment) {
        let (signing, next) = (TestSet::new(3, 0..4), TestSet::new(next, 0..4));
        let commitment = signing.commitment(5, &next.set);
        let justification = signing.justify(&RoundMessage::new(H256([7; 32]), commitment), signers);
        let stateless = StatelessProof::new(&justification, signing.set.keyset()).expect("members");
        let set = signing.set.commitment().clone();
        (proof_bytes(&stateless, &set), set)
    }

    /// 168 of the commitment, 140 of the set, 96, 192, the bitfield, one key and two hashes.
    #[test]
    fn a_proof_has_the_parts_that_the_contract_reads_and_nothing_else() {
        let (bytes, signing) = proven(3, [0, 1, 3]);
        assert_eq!(bytes.len(), 168 + 140 + 96 + 192 + 1 + 96 + 2 * 32);
        assert_eq!(bytes[168..308], set_bytes(&signing));
        assert_eq!(bytes[596], 0b1011);
    }

    #[test]
    fn a_handoff_brings_y_of_the_next_total() {
        let (bytes, signing) = proven(4, [0, 1, 2]);
        assert_eq!(bytes.len(), 168 + 140 + 96 + 192 + 48 + 1 + 96 + 2 * 32);
        // The same keys, so the same total.
        assert_eq!(bytes[596..644], set_bytes(&signing)[92..]);
    }
}
