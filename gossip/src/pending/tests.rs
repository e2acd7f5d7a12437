use super::*;
use duet_primitives::{testing::TestSet, Commitment, SignerIndex, VoteSignature, H256};

fn peers<const N: usize>() -> [PeerId; N] {
    std::array::from_fn(|_| PeerId::random())
}

fn set() -> TestSet {
    TestSet::new(0, 0..2)
}

fn message(commitment: Commitment) -> RoundMessage {
    RoundMessage::new(H256::zero(), commitment)
}

/// A commitment that only a liar names.
fn invented(set: &TestSet, byte: u8) -> Commitment {
    Commitment {
        mmr_root: H256::repeat_byte(byte),
        ..set.commitment(7, &set.set)
    }
}

/// A vote that says this; nothing here checks signatures.
fn vote(commitment: &Commitment, signer: u32) -> UncheckedVote {
    UncheckedVote {
        commitment: commitment.clone(),
        signer: SignerIndex::new(signer),
        signature: VoteSignature([0; 112]),
    }
}

/// The sizes of the batches that are taken next; a vote on a strange commitment counts as zero.
fn taken(pending: &mut Pending, count: usize) -> Vec<usize> {
    std::iter::from_fn(|| pending.take(|_| 0))
        .take(count)
        .map(|job| match job {
            Job::Batch(_, votes) => votes.len(),
            Job::Strange(..) => 0,
            Job::Proof(..) => unreachable!("none was offered"),
        })
        .collect()
}

#[test]
fn votes_on_a_prepared_commitment_are_taken_together_and_never_wait_for_more() {
    let (set, [one, other], mut pending) = (set(), peers(), Pending::new());
    let own = message(set.commitment(7, &set.set));
    for signer in 0..300 {
        let peer = if signer < 299 { one } else { other };
        let vote = vote(own.commitment(), signer);
        assert_eq!(pending.votes.offer(peer, vote, Some(&own)), Ok(()));
    }
    let Some(Job::Batch(_, first)) = pending.take(|_| 0) else {
        panic!("they are taken together");
    };
    assert_eq!(first.len(), 256);
    assert_eq!(first[1].0, other, "peers take turns");
    assert_eq!(taken(&mut pending, 2), [44]);
    assert!(pending.is_empty());
}

#[test]
fn a_batch_ends_with_the_last_vote_that_a_proof_needs() {
    let (set, [peer]) = (set(), peers());
    let own = message(set.commitment(7, &set.set));
    let sizes = |lacking: usize| {
        let mut pending = Pending::new();
        for signer in 0..500 {
            let vote = vote(own.commitment(), signer);
            let offered = pending.votes.offer(peer, vote, Some(&own));
            assert_eq!(offered, Ok(()));
        }
        let (mut lacking, mut sizes) = (lacking, Vec::new());
        while let Some(Job::Batch(_, votes)) = pending.take(|_| lacking) {
            lacking = lacking.saturating_sub(votes.len());
            sizes.push(votes.len());
        }
        sizes
    };
    assert_eq!(sizes(400), [256, 144, 100]);
    assert_eq!(sizes(66), [66, 256, 178]);
    assert_eq!(sizes(3), [64, 256, 180], "small batches cost more per vote");
    assert_eq!(sizes(0), [256, 244]);
}

#[test]
fn votes_that_came_before_this_node_prepared_move_into_the_batch() {
    let (set, [peer], mut pending) = (set(), peers(), Pending::new());
    let own = message(set.commitment(7, &set.set));
    for signer in 0..3 {
        pending
            .votes
            .offer(peer, vote(own.commitment(), signer), None)
            .expect("there is room");
    }
    pending
        .votes
        .offer(peer, vote(&invented(&set, 1), 0), None)
        .expect("there is room");
    pending.votes.prepare(&own);
    assert_eq!(taken(&mut pending, 3), [3, 0]);
}

/// GOSSIP-7.
#[test]
fn invented_commitments_get_a_share_of_the_work_while_others_wait() {
    let (set, [liar, honest], mut pending) = (set(), peers(), Pending::new());
    for byte in 1..=200 {
        let vote = vote(&invented(&set, byte), 0);
        pending
            .votes
            .offer(liar, vote, None)
            .expect("there is room");
    }
    let own = message(set.commitment(7, &set.set));
    for signer in 0..600 {
        let vote = vote(own.commitment(), signer);
        pending
            .votes
            .offer(honest, vote, Some(&own))
            .expect("there is room");
    }
    let order = taken(&mut pending, 60);
    let done = order.iter().position(|len| *len == 88).expect("the last");
    let strange = order[..done].iter().filter(|len| **len == 0).count();
    // Half of 512 votes' work, at six for each.
    assert!((40..=44).contains(&strange), "{strange}");
}

#[test]
fn what_a_banned_peer_sent_gives_way_to_the_copies_of_others() {
    let (set, [banned, honest], mut pending) = (set(), peers(), Pending::new());
    let own = message(set.commitment(7, &set.set));
    for peer in [banned, honest] {
        for signer in 0..2 {
            let vote = vote(own.commitment(), signer);
            pending
                .votes
                .offer(peer, vote, Some(&own))
                .expect("there is room");
        }
        let vote = vote(&invented(&set, 1), 0);
        pending
            .votes
            .offer(peer, vote, None)
            .expect("there is room");
    }
    assert_eq!(pending.purge(&banned), 3);
    let Some(Job::Batch(_, votes)) = pending.take(|_| 0) else {
        panic!("the honest copies are left");
    };
    assert!(votes.len() == 2 && votes.iter().all(|(peer, _)| *peer == honest));
    assert!(matches!(pending.take(|_| 0), Some(Job::Strange(peer, _)) if peer == honest));
    assert!(pending.is_empty());
}

/// GOSSIP-7.
#[test]
fn who_fills_the_room_gives_way_to_who_has_little_in_it() {
    let (set, mut pending) = (set(), Pending::new());
    let liars: [PeerId; 17] = peers();
    let claims = (1..=255).flat_map(|byte| (0..4).map(move |signer| (byte, signer)));
    let claims: Vec<_> = claims.collect();
    let mut room = 0;
    for liar in liars {
        for (byte, signer) in &claims {
            let mut invented = invented(&set, *byte);
            invented.block_hash = H256::from_slice(&blake(&liar));
            room += usize::from(
                pending
                    .votes
                    .offer(liar, vote(&invented, *signer), None)
                    .is_ok(),
            );
        }
    }
    assert!(room >= 16_384, "{room}");
    let [honest] = peers();
    let own = set.commitment(7, &set.set);
    assert_eq!(pending.votes.offer(honest, vote(&own, 0), None), Ok(()));
    // One that has as much as the others does not push them out.
    let [liar, ..] = liars;
    let again = pending.votes.offer(liar, vote(&own, 1), None);
    assert_eq!(again, Err(Refused::NoRoom));
}

/// Something that differs for each peer.
fn blake(peer: &PeerId) -> [u8; 32] {
    use sp_runtime::traits::Hash;
    sp_runtime::traits::BlakeTwo256::hash(&peer.to_bytes()).0
}
