//! Who publishes a proof, and when the next one may. (ROUND-6)

use crate::Millis;
use codec::Encode;
use duet_primitives::{
    suite, BlockNumber, Commitment, Justification, SignerIndex, UncheckedJustification,
};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// How many validators of a set of `len` publish a proof of `commitment` before `signer` does.
///
/// Members are ordered by the hash of the commitment with each position: each block has another order, and
/// every node computes it alone. Cost: `len` hashes.
pub(crate) fn rank(commitment: &Commitment, len: u32, signer: SignerIndex) -> u32 {
    let seed = Sha256::new()
        .chain_update(suite::SCHEDULE_TAG)
        .chain_update(commitment.encode())
        .finalize();
    let place = |index: SignerIndex| {
        let hash = Sha256::new()
            .chain_update(seed)
            .chain_update(index.get().to_le_bytes())
            .finalize();
        (hash, index)
    };
    let own = place(signer);
    (0..len)
        .map(SignerIndex::new)
        .map(place)
        .filter(|other| *other < own)
        .fold(0, |rank: u32, _| rank.saturating_add(1))
}

/// Own proofs that wait for their turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Schedule {
    waiting: BTreeMap<BlockNumber, Waiting>,
}

#[derive(Clone, Debug)]
struct Waiting {
    proof: UncheckedJustification,
    at: Millis,
    mandatory: bool,
}

impl Schedule {
    /// A block was concluded: proofs of lower ones are not needed, unless they are handoff proofs.
    pub(crate) fn supersede(&mut self, block: BlockNumber) {
        self.waiting
            .retain(|number, waiting| waiting.mandatory || *number >= block);
    }

    /// Publishes this proof at a time, unless another is seen before.
    pub(crate) fn enter(&mut self, proof: &Justification, at: Millis, mandatory: bool) {
        let waiting = Waiting {
            proof: proof.as_unchecked().clone(),
            at,
            mandatory,
        };
        self.waiting
            .insert(proof.commitment().block_number, waiting);
    }

    /// Somebody else's proof was seen.
    pub(crate) fn seen(&mut self, block: BlockNumber) {
        self.waiting.remove(&block);
    }

    /// Removes and returns the due proofs.
    pub(crate) fn due(&mut self, now: Millis) -> Vec<UncheckedJustification> {
        let mut due = Vec::new();
        self.waiting.retain(|_, waiting| {
            let wait = waiting.at > now;
            if !wait {
                due.push(waiting.proof.clone());
            }
            wait
        });
        due
    }

    /// When the next one is due.
    pub(crate) fn next(&self) -> Option<Millis> {
        self.waiting.values().map(|waiting| waiting.at).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use codec::Decode;
    use duet_primitives::{testing::TestSet, RoundMessage, H256};

    /// ROUND-6: worked out from the text of the spec, for the commitment whose encoding is the bytes 0 to 167.
    #[test]
    fn the_order_of_publishers_is_that_of_the_spec() {
        let bytes: Vec<u8> = (0..168).collect();
        let commitment = Commitment::decode(&mut &bytes[..]).expect("any 168 bytes are one");
        let mut order = vec![0; 10];
        for signer in 0..10_u32 {
            let position = SignerIndex::decode(&mut &signer.encode()[..]).expect("a number");
            let rank = usize::try_from(rank(&commitment, 10, position)).expect("below ten");
            order[rank] = signer;
        }
        assert_eq!(order, [3, 1, 2, 8, 5, 0, 4, 7, 9, 6]);
    }

    #[test]
    fn ranks_are_an_order_of_all_validators_that_the_commitment_decides() {
        let set = TestSet::new(0, [0]);
        let orders = [1, 2].map(|block| {
            let commitment = set.commitment(block, &set.set);
            (0..20)
                .map(|signer| rank(&commitment, 20, SignerIndex::new(signer)))
                .collect::<Vec<_>>()
        });
        for order in &orders {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..20).collect::<Vec<_>>());
        }
        assert_ne!(orders[0], orders[1]);
    }

    #[test]
    fn a_proof_is_due_in_its_turn_unless_another_was_seen() {
        let set = TestSet::new(0, [0]);
        let proof = |block| {
            let message = RoundMessage::new(H256::zero(), set.commitment(block, &set.set));
            set.justify(&message, [0])
        };
        let mut schedule = Schedule::default();
        schedule.enter(&proof(3), 100, true);
        schedule.enter(&proof(4), 50, false);
        schedule.enter(&proof(5), 70, false);
        schedule.supersede(BlockNumber::new(5));
        assert_eq!(
            schedule.next(),
            Some(70),
            "of the lower ones only the mandatory stays"
        );
        schedule.seen(BlockNumber::new(5));
        assert!(schedule.due(99).is_empty());
        let due = schedule.due(100);
        assert_eq!(
            due.iter()
                .map(|one| one.commitment.block_number)
                .collect::<Vec<_>>(),
            [BlockNumber::new(3)]
        );
        assert_eq!(schedule.next(), None);
    }
}
