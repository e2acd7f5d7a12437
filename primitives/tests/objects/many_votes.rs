//! Many honest votes, checked together: arithmetic that is wrong for one input in thousands is seen here.

use duet_primitives::{testing::TestSet, RoundMessage, SignerIndex, UncheckedVote, H256};
use std::num::NonZeroUsize;

const ROUNDS: u32 = 40;
const SIGNERS: u32 = 512;

#[test]
fn twenty_thousand_honest_votes_hold() {
    let set = TestSet::new(0, 0..SIGNERS.into());
    let mut refused = Vec::new();
    for round in 0..ROUNDS {
        let commitment = set.commitment(round, &set.set);
        let message = RoundMessage::new(H256::repeat_byte(7), commitment).expecting(SIGNERS);
        let sign =
            |(secret, signer)| UncheckedVote::sign(secret, SignerIndex::new(signer), &message);
        let votes = set.secrets.iter().zip(0..SIGNERS).map(sign).collect();
        let checked =
            UncheckedVote::check_all(votes, set.set.keyset(), &message, NonZeroUsize::MIN);
        assert_eq!(checked.len(), set.secrets.len());
        let errors = checked
            .into_iter()
            .zip(0..SIGNERS)
            .filter_map(|(vote, signer)| vote.err().map(|error| (round, signer, error)));
        refused.extend(errors);
    }
    assert!(refused.is_empty(), "{refused:?}");
}
