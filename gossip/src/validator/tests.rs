//! What is accepted, discarded and charged to its sender.

mod relaying;
mod setup;

use super::{Checked, PeerBehaviour, Reputations};
use crate::{message::GossipMessage, topic::Kind};
use codec::Encode;
use duet_primitives::{RoundMessage, SetId, SignerIndex, UncheckedJustification, H256};
use sc_network_types::PeerId;
use setup::{setup, setup_with_queue, topic, vote_topic, Setup, Told, HIGHEST, LOWEST};

/// GOSSIP-5.
#[test]
fn a_valid_vote_is_kept_relayed_as_it_came_and_sent_to_the_worker() {
    let mut setup = setup();
    let bytes = GossipMessage::Vote(setup.vote(setup.commitment(10), 2)).encode();
    assert_eq!(setup.send(&bytes), Told::Keep(vote_topic(10)));
    assert_eq!(*setup.context.relayed.borrow(), [bytes]);
    assert_eq!(
        setup.last_report(),
        Some(PeerBehaviour::GoodVote.reputation().value)
    );
    let Ok(Checked::Vote { vote, message }) = setup.checked.try_recv() else {
        panic!("the worker gets the vote")
    };
    assert_eq!(
        (vote.signer(), message.commitment()),
        (SignerIndex::new(2), vote.commitment())
    );
}

/// GOSSIP-3.
#[test]
fn the_same_vote_again_costs_no_curve_work_and_no_reputation() {
    let mut setup = setup();
    let vote = setup.vote(setup.commitment(10), 2);
    setup.send_vote(vote.clone());
    let reports = setup.ledger.entries();
    assert_eq!(setup.send_vote(vote), Told::Discard);
    assert_eq!(setup.dleq_checks(), 1);
    assert_eq!((setup.relayed(), setup.ledger.entries()), (1, reports));
}

/// GOSSIP-3.
#[test]
fn other_bytes_for_the_same_commitment_cost_no_curve_work() {
    let mut setup = setup();
    let vote = setup.vote(setup.commitment(10), 2);
    setup.send_vote(vote.clone());
    // A re-randomised proof differs in these bytes; whether it would hold is never asked.
    let mut other = vote;
    other.signature = setup.vote(setup.commitment(11), 2).signature;
    assert_eq!(setup.send_vote(other), Told::Discard);
    assert_eq!((setup.dleq_checks(), setup.relayed()), (1, 1));
}

/// GOSSIP-6.
#[test]
fn a_forged_vote_blames_its_sender_and_does_not_take_its_signers_place() {
    let mut setup = setup();
    let good = setup.vote(setup.commitment(10), 2);
    let mut forged = good.clone();
    forged.signature = setup.vote(setup.commitment(10), 3).signature;
    assert_eq!(setup.send_vote(forged), Told::Discard);
    assert_eq!(
        setup.last_report(),
        Some(PeerBehaviour::BadVote.reputation().value)
    );
    assert_eq!(setup.relayed(), 0);
    assert_eq!(setup.send_vote(good), Told::Keep(vote_topic(10)));
}

/// GOSSIP-6.
#[test]
fn nothing_is_checked_of_what_a_peer_sent_before_its_ban() {
    let mut setup = setup();
    let forge = |setup: &Setup, number| {
        let mut forged = setup.vote(setup.commitment(number), 2);
        forged.signature = setup.vote(setup.commitment(number), 3).signature;
        forged
    };
    let mut sent = 0;
    while !setup.ledger.is_banned(&setup.peer) {
        assert_eq!(setup.send_vote(forge(&setup, 10)), Told::Discard);
        sent += 1;
    }
    assert_eq!(setup.dleq_checks(), sent);

    assert_eq!(setup.send_vote(forge(&setup, 11)), Told::Discard);
    let honest = setup.vote(setup.commitment(10), 2);
    assert_eq!(setup.send_vote(honest.clone()), Told::Discard);
    assert_eq!(setup.dleq_checks(), sent);
    assert_eq!(setup.validator.metrics.banned_drops.get(), 2);

    // The same vote from anybody else counts.
    setup.peer = PeerId::random();
    assert_eq!(setup.send_vote(honest), Told::Keep(vote_topic(10)));
}

/// GOSSIP-4.
#[test]
fn a_second_commitment_makes_evidence_once_and_is_relayed_once() {
    let mut setup = setup();
    let first = setup.commitment(10);
    let others = [1, 2].map(|byte| {
        let mut other = first.clone();
        other.block_hash = H256::repeat_byte(byte);
        other
    });
    setup.send_vote(setup.vote(first, 2));
    let [second, third] = others.map(|other| setup.vote(other, 2));
    assert_eq!(setup.send_vote(second), Told::Keep(vote_topic(10)));
    assert_eq!(
        setup.last_report(),
        Some(PeerBehaviour::GoodEvidence.reputation().value)
    );
    assert_eq!(setup.send_vote(third), Told::Discard);
    assert_eq!((setup.dleq_checks(), setup.relayed()), (2, 2));

    assert!(matches!(setup.checked.try_recv(), Ok(Checked::Vote { .. })));
    let Ok(Checked::Equivocation(evidence)) = setup.checked.try_recv() else {
        panic!("the worker gets the evidence")
    };
    assert!(evidence
        .check(setup.set.set.commitment(), setup.genesis)
        .is_ok());
}

#[test]
fn garbage_is_blamed_by_its_length() {
    let mut setup = setup();
    assert_eq!(setup.send(&[7; 20]), Told::Discard);
    let cost = PeerBehaviour::Undecodable { bytes: 20 }.reputation().value;
    assert_eq!(setup.last_report(), Some(cost));
    assert_eq!(setup.validator.metrics.undecodable.get(), 1);
}

/// GOSSIP-2.
#[test]
fn what_is_out_of_the_window_is_dropped_without_curve_work_or_blame() {
    let mut setup = setup();
    for number in [LOWEST - 1, HIGHEST + 1] {
        assert_eq!(
            setup.send_vote(setup.vote(setup.commitment(number), 1)),
            Told::Discard
        );
    }
    let mut other_set = setup.commitment(10);
    other_set.validator_set_id = SetId::new(1);
    assert_eq!(setup.send_vote(setup.vote(other_set, 1)), Told::Discard);
    assert_eq!((setup.dleq_checks(), setup.last_report()), (0, None));
    assert_eq!(setup.validator.metrics.votes_ignored.get(), 3);
}

/// GOSSIP-2.
#[test]
fn a_signer_that_the_set_does_not_have_is_blamed_without_curve_work() {
    let mut setup = setup();
    let mut vote = setup.vote(setup.commitment(10), 1);
    vote.signer = SignerIndex::new(4);
    assert_eq!(setup.send_vote(vote), Told::Discard);
    assert_eq!(
        setup.last_report(),
        Some(PeerBehaviour::UnknownSigner.reputation().value)
    );
    assert_eq!(setup.dleq_checks(), 0);
}

#[test]
fn a_justification_is_checked_once_relayed_once_and_a_bad_one_blamed() {
    let mut setup = setup();
    let message = RoundMessage::new(setup.genesis, setup.commitment(10));
    let good = setup.set.justify(&message, 0..3).into_unchecked();
    let mut bad = good.clone();
    bad.apk2 = setup.set.justify(&message, 1..4).into_unchecked().apk2;
    let send = |setup: &mut Setup, one: UncheckedJustification| {
        setup.send(&GossipMessage::Justification(one).encode())
    };
    assert_eq!(send(&mut setup, bad), Told::Discard);
    assert_eq!(
        setup.last_report(),
        Some(PeerBehaviour::BadJustification.reputation().value)
    );
    let topic = topic(Kind::Justification, 10);
    assert_eq!(send(&mut setup, good.clone()), Told::Keep(topic));
    assert_eq!(send(&mut setup, good), Told::Discard);
    assert_eq!(setup.relayed(), 1);
    assert!(matches!(
        setup.checked.try_recv(),
        Ok(Checked::Justification(_))
    ));
}

/// GOSSIP-7.
#[test]
fn with_a_full_queue_nothing_is_checked_and_nothing_is_marked_as_known() {
    let mut setup = setup_with_queue(1);
    setup.send_vote(setup.vote(setup.commitment(10), 1));
    let second = setup.vote(setup.commitment(10), 2);
    assert_eq!(setup.send_vote(second.clone()), Told::Discard);
    assert_eq!(setup.dleq_checks(), 1);
    assert_eq!(setup.validator.metrics.queue_drops.get(), 1);
    assert!(setup.checked.try_recv().is_ok());
    assert_eq!(setup.send_vote(second), Told::Keep(vote_topic(10)));
}
