//! Following GRANDPA from a genesis: what leads on, and what is refused. (WARP-1 to WARP-4)

use codec::Encode;
use duet_light_client::{decode, Received, StateProofError, MAX_ANSWER_LEN};
use duet_light_warp::{
    testing::{self, fragment, justification, votes, Block, Digest, TestGrandpa, Vote, ROUND},
    Follower, GenesisProof, JustificationError, WarpError, WarpProof,
};
use duet_primitives::{BlockNumber, Culprit, H256};

fn follow(
    chain: &TestGrandpa,
    fragments: &[Vec<u8>],
    finished: bool,
) -> Result<Follower, WarpError> {
    let begin = Follower::begin(chain.genesis.hash, &chain.genesis_proof())?;
    begin.follow(&proof(fragments, finished))
}

fn proof(fragments: &[Vec<u8>], finished: bool) -> WarpProof {
    decode(&testing::warp_proof(fragments, finished)).expect("it is one")
}

/// What is wrong with the justification of the first block, by these votes and with these headers beside them.
fn refused(chain: &TestGrandpa, votes: &[Vote], ancestry: &[&Block]) -> JustificationError {
    let block = &chain.blocks[0];
    let one = fragment(block, &justification(block, votes, ancestry));
    match follow(chain, &[one], true) {
        Err(WarpError::Justification {
            number,
            set: 0,
            error,
        }) if number.get() == block.number => error,
        other => panic!("not refused for its justification: {other:?}"),
    }
}

#[test]
fn it_leads_from_the_genesis_over_each_set_to_the_newest_block() {
    let chain = TestGrandpa::default();
    let begin = Follower::begin(chain.genesis.hash, &chain.genesis_proof()).unwrap();
    assert_eq!((begin.number().get(), begin.set_id()), (0, 0));
    let newest = chain.blocks.last().unwrap();
    let end = follow(&chain, &chain.fragments(), true).unwrap();
    let expected = (newest.number, newest.hash, 2);
    assert_eq!((end.number().get(), end.hash(), end.set_id()), expected);

    // In two answers it is the same.
    let (first, second) = (&chain.fragments()[..1], &chain.fragments()[1..]);
    let half = begin.follow(&proof(first, false)).unwrap();
    assert_eq!((half.number().get(), half.set_id()), (5, 1));
    let end = half.follow(&proof(second, true)).unwrap();
    assert_eq!((end.number().get(), end.hash(), end.set_id()), expected);
}

#[test]
fn an_answer_without_blocks_leads_nowhere() {
    let chain = TestGrandpa::default();
    let at = follow(&chain, &[], true).unwrap();
    assert_eq!((at.number().get(), at.hash()), (0, chain.genesis.hash));
    assert!(proof(&[], true).is_finished());
    assert!(!proof(&[], false).is_finished());
}

/// WARP-1
#[test]
fn the_voters_of_another_genesis_are_refused() {
    let (chain, other) = (TestGrandpa::default(), TestGrandpa::with_voters(vec![]));
    let error = Follower::begin(other.genesis.hash, &chain.genesis_proof()).unwrap_err();
    assert!(
        matches!(error, WarpError::Genesis(StateProofError::Header { .. })),
        "{error}"
    );
    assert_eq!((error.rule(), error.culprit()), ("WARP-1", Culprit::Sender));

    // The header is right, and the state is another one.
    let proof = GenesisProof {
        nodes: other.genesis_proof().nodes,
        ..chain.genesis_proof()
    };
    let error = Follower::begin(chain.genesis.hash, &proof).unwrap_err();
    assert!(
        matches!(error, WarpError::Genesis(StateProofError::Storage(_))),
        "{error}"
    );
}

/// WARP-1: a later block's hash is none of a genesis.
#[test]
fn a_later_block_is_no_genesis() {
    let chain = TestGrandpa::default();
    let later = &chain.blocks[0];
    let proof = GenesisProof {
        header: later.header.clone(),
        ..chain.genesis_proof()
    };
    let error = Follower::begin(later.hash, &proof).unwrap_err();
    let expected = WarpError::Genesis(StateProofError::NotAHeader);
    assert_eq!((&error, error.culprit()), (&expected, Culprit::Nobody));
}

/// WARP-1
#[test]
fn a_genesis_without_voters_is_nobodys_fault() {
    let weightless = testing::voters(0..3).into_iter().map(|(id, _)| (id, 0));
    let heavy = testing::voters(0..2)
        .into_iter()
        .map(|(id, _)| (id, u64::MAX));
    for value in [
        None,
        Some(Vec::new()),
        Some(vec![1, 2, 3]),
        Some(Vec::<(H256, u64)>::new().encode()),
        Some(weightless.collect::<Vec<_>>().encode()),
        Some(heavy.collect::<Vec<_>>().encode()),
        Some([testing::voters(0..3).encode(), vec![0]].concat()),
    ] {
        let chain = TestGrandpa::with_state(value);
        let error = Follower::begin(chain.genesis.hash, &chain.genesis_proof()).unwrap_err();
        assert_eq!(error, WarpError::NoVoters);
        assert_eq!((error.rule(), error.culprit()), ("WARP-1", Culprit::Nobody));
    }
}

/// WARP-2
#[test]
fn blocks_go_up() {
    let chain = TestGrandpa::default();
    let fragments = chain.fragments();
    let twice = [fragments[0].clone(), fragments[0].clone()];
    let error = follow(&chain, &twice, true).unwrap_err();
    let five = BlockNumber::new(5);
    let expected = WarpError::NotNewer {
        best: five,
        got: five,
    };
    assert_eq!((&error, error.rule()), (&expected, "WARP-2"));
}

/// WARP-2
#[test]
fn a_justification_is_of_its_header() {
    let chain = TestGrandpa::default();
    let (block, other) = (&chain.blocks[0], chain.block(5, 0xaa, Digest::Nothing));
    let signed = justification(&other, &votes(0, &other), &[]);
    let error = follow(&chain, &[fragment(block, &signed)], true).unwrap_err();
    assert_eq!(error.rule(), "WARP-2");
    assert!(
        matches!(error, WarpError::OtherBlock { header, target, .. } if header == block.hash && target == other.hash)
    );
    // The hash is right, and the number is not.
    let renamed = Block {
        number: 6,
        ..block.clone()
    };
    let signed = justification(&renamed, &votes(0, &renamed), &[]);
    let one = fragment(block, &signed);
    let error = follow(&chain, &[one], true).unwrap_err();
    assert!(matches!(error, WarpError::OtherBlock { .. }), "{error}");
}

/// WARP-3
#[test]
fn a_vote_is_signed_by_a_voter_of_the_set_for_this_round_and_this_set() {
    let chain = TestGrandpa::default();
    let block = &chain.blocks[0];
    let good = votes(0, block);
    let mut stranger = good.clone();
    stranger[1] = Vote::new(9, block, 0, ROUND);
    let error = refused(&chain, &stranger, &[]);
    assert_eq!(error, JustificationError::Stranger { vote: 1 });

    for wrong in [
        Vote::new(2, block, 1, ROUND),
        Vote::new(2, block, 0, ROUND + 1),
        Vote {
            signature: good[1].signature,
            ..good[2].clone()
        },
    ] {
        let mut all = good.clone();
        all[2] = wrong;
        let error = refused(&chain, &all, &[]);
        assert_eq!(error, JustificationError::Signature { vote: 2 });
    }
}

/// WARP-3: of four, three make a block final.
#[test]
fn fewer_than_two_thirds_make_nothing_final() {
    let chain = TestGrandpa::default();
    let block = &chain.blocks[0];
    let all = votes(0, block);
    for few in [0, 1, 2] {
        let error = refused(&chain, &all[..few], &[]);
        assert_eq!(error, JustificationError::NotFinal, "{few} of four");
    }
    // A vote that is sent again counts once.
    let again = [all[0].clone(), all[1].clone(), all[1].clone()];
    let error = refused(&chain, &again, &[]);
    assert_eq!(error, JustificationError::NotFinal);
    let three = fragment(block, &justification(block, &all[..3], &[]));
    assert_eq!(follow(&chain, &[three], true).unwrap().hash(), block.hash);
}

/// WARP-3: one good vote, sent again and again, would be checked each time.
#[test]
fn more_votes_than_two_of_each_voter_are_refused_unchecked() {
    let chain = TestGrandpa::default();
    let block = &chain.blocks[0];
    let all = votes(0, block);
    let twice = [all.clone(), all.clone()].concat();
    let one = fragment(block, &justification(block, &twice, &[]));
    assert_eq!(follow(&chain, &[one], true).unwrap().hash(), block.hash);
    // The last one is by a stranger, which is not even looked at.
    let more = [twice, vec![Vote::new(9, block, 0, ROUND)]].concat();
    let error = refused(&chain, &more, &[]);
    assert_eq!(error, JustificationError::TooManyVotes { most: 8, got: 9 });
}

/// WARP-3: with one key, a liar would have each walk along all headers made again and again.
#[test]
fn a_voter_has_two_votes_and_no_third_one() {
    let chain = TestGrandpa::default();
    let block = &chain.blocks[0];
    let [child, other] = [block.child(1), block.child(2)];
    let vote = |block| Vote::new(3, block, 0, ROUND);
    let mut all = votes(0, block)[..3].to_vec();
    all.extend([vote(&child), vote(&other)]);
    let headers = [&child, &other];
    let one = fragment(block, &justification(block, &all, &headers));
    assert_eq!(follow(&chain, &[one], true).unwrap().hash(), block.hash);
    all.push(vote(block));
    let error = refused(&chain, &all, &headers);
    assert_eq!(error, JustificationError::ThirdVote { vote: 5 });
}

/// WARP-3
#[test]
fn a_vote_for_a_later_block_counts_when_headers_lead_from_it_to_the_block() {
    let chain = TestGrandpa::default();
    let block = &chain.blocks[0];
    let child = block.child(0x01);
    let grandchild = child.child(0x02);
    let mut some = votes(0, block)[..2].to_vec();
    some.push(Vote::new(2, &grandchild, 0, ROUND));

    let signed = justification(block, &some, &[&child, &grandchild]);
    let one = fragment(block, &signed);
    assert_eq!(follow(&chain, &[one], true).unwrap().number().get(), 5);
    for ancestry in [&[][..], &[&child], &[&grandchild]] {
        let error = refused(&chain, &some, ancestry);
        assert_eq!(error, JustificationError::NotFinal);
    }
    let beside = block.child(0x03);
    let error = refused(&chain, &some, &[&child, &grandchild, &beside]);
    assert_eq!(error, JustificationError::Surplus);
    let error = refused(&chain, &votes(0, block), &[&child]);
    assert_eq!(error, JustificationError::Surplus);
}

/// WARP-3: votes for another branch make this one no more final.
#[test]
fn votes_for_another_branch_do_not_count() {
    let chain = TestGrandpa::default();
    let (block, fork) = (&chain.blocks[0], chain.block(5, 0xaa, Digest::Nothing));
    let mut some = votes(0, block)[..2].to_vec();
    some.push(Vote::new(2, &fork, 0, ROUND));
    let error = refused(&chain, &some, &[]);
    assert_eq!(error, JustificationError::NotFinal);
}

/// WARP-4
#[test]
fn the_set_of_the_genesis_cannot_sign_for_its_successors() {
    let mut chain = TestGrandpa::default();
    let second = chain.blocks[1].clone();
    let old = votes(0, &second);
    let fragments = [
        chain.fragments()[0].clone(),
        fragment(&second, &justification(&second, &old, &[])),
    ];
    let error = follow(&chain, &fragments, true).unwrap_err();
    let WarpError::Justification { set: 1, error, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(error, JustificationError::Stranger { vote: 0 });
    // One block is left out: it names who signs the next.
    let mut fragments = chain.fragments();
    fragments.remove(0);
    assert_eq!(
        follow(&chain, &fragments, true).unwrap_err().rule(),
        "WARP-3"
    );
    chain.blocks.truncate(1);
    assert_eq!(
        follow(&chain, &chain.fragments(), true).unwrap().set_id(),
        1
    );
}

/// WARP-4: only the newest block need not end its set.
#[test]
fn a_block_that_names_no_voters_is_the_last_one() {
    for digest in [
        Digest::Nothing,
        Digest::Longer,
        Digest::Forced,
        Digest::OtherEngine,
    ] {
        let mut chain = TestGrandpa::default();
        chain.blocks[0] = chain.block(5, 0, digest);
        let number = BlockNumber::new(5);
        let expected = WarpError::NoChange { number };
        let one = &chain.fragments()[..1];
        assert_eq!(follow(&chain, one, true).unwrap().set_id(), 0);
        let error = follow(&chain, one, false).unwrap_err();
        assert_eq!((&error, error.rule()), (&expected, "WARP-4"));
        let error = follow(&chain, &chain.fragments(), true).unwrap_err();
        assert_eq!((&error, error.culprit()), (&expected, Culprit::Sender));
    }
}

/// WARP-4
#[test]
fn a_change_that_cannot_be_followed_is_nobodys_fault() {
    for digest in [Digest::Later, Digest::NoVoters] {
        let mut chain = TestGrandpa::default();
        chain.blocks[0] = chain.block(5, 0, digest);
        let error = follow(&chain, &chain.fragments(), true).unwrap_err();
        assert!(matches!(error, WarpError::Change { .. }), "{error}");
        assert_eq!((error.rule(), error.culprit()), ("WARP-4", Culprit::Nobody));
    }
}

/// ENC-6
#[test]
fn what_is_cut_or_longer_is_refused() {
    let chain = TestGrandpa::default();
    let whole = testing::warp_proof(&chain.fragments(), true);
    let genesis = chain.genesis_proof().encode();
    assert_eq!(decode(&genesis), Ok(chain.genesis_proof()));
    only_whole::<WarpProof>(&whole);
    only_whole::<GenesisProof>(&genesis);
    // A node more than any path has, each without a byte.
    let many = |nodes| (Vec::<u8>::new(), vec![Vec::<u8>::new(); nodes]).encode();
    assert!(decode::<GenesisProof>(&many(66)).is_ok());
    assert!(decode::<GenesisProof>(&many(67)).is_err());
    // A count of headers that nothing backs.
    assert!(decode::<WarpProof>(&codec::Compact(u32::MAX).encode()).is_err());
}

/// Nothing shorter or longer is one, and nothing longer than any answer is decoded.
fn only_whole<T: Received>(whole: &[u8]) {
    let refused = |bytes: &[u8]| decode::<T>(bytes).err().expect("it is refused");
    for end in 0..whole.len() {
        assert_eq!(refused(&whole[..end]).rule(), "ENC-6");
    }
    let error = refused(&[whole, &[0]].concat());
    assert_eq!((error.rule(), error.culprit()), ("ENC-6", Culprit::Sender));
    let error = refused(&vec![0; MAX_ANSWER_LEN + 1]);
    assert!(
        error.to_string().contains("bytes, above the limit of"),
        "{error}"
    );
}
