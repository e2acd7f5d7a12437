//! Messages as an input tells: good ones, and such with one thing wrong.

use crate::{
    odd, related,
    sample::{GENESIS, SAMPLE},
    target::Input,
};
use codec::Encode;
use duet_gossip::message::GossipMessage;
use duet_primitives::{
    testing::TestSet, Bitfield, Commitment, Pk2Bytes, RoundMessage, SignatureBytes, SignerIndex,
    UncheckedJustification, UncheckedVote, H256,
};

/// Around the ends of the windows, and a few in between.
pub(super) const BLOCKS: [u32; 16] = [
    9,
    10,
    11,
    12,
    13,
    100,
    101,
    102,
    2,
    3,
    4,
    5,
    110,
    111,
    0,
    u32::MAX,
];

/// A commitment to one of a few blocks, in one of a few versions.
fn commitment(input: &mut Input<'_>) -> Commitment {
    let block = BLOCKS[input.place(BLOCKS.len())];
    let (set, next) = match block {
        101.. => (&SAMPLE.next, &SAMPLE.set),
        _ => (&SAMPLE.set, &SAMPLE.next),
    };
    let mut commitment = set.commitment(block, &next.set);
    match input.byte() % 4 {
        0 => {}
        1 => commitment.block_hash = H256([1; 32]),
        2 => commitment.mmr_root = H256([2; 32]),
        _ => commitment.validator_set_id = next.set.keyset().id(),
    }
    commitment
}

fn members(commitment: &Commitment) -> &'static TestSet {
    if commitment.validator_set_id == SAMPLE.set.set.keyset().id() {
        &SAMPLE.set
    } else {
        &SAMPLE.next
    }
}

/// A vote, good or with one thing wrong.
fn vote(input: &mut Input<'_>) -> UncheckedVote {
    let commitment = commitment(input);
    let signer = u32::from(input.byte()) % 8;
    let secrets = &members(&commitment).secrets;
    let deviation = input.byte() % 8;
    let genesis = if deviation == 1 {
        H256([9; 32])
    } else {
        GENESIS
    };
    let message = RoundMessage::new(genesis, commitment);
    let secret = &secrets[signer as usize % secrets.len()];
    let mut vote = UncheckedVote::sign(secret, SignerIndex::new(signer), &message);
    let mut overwrite = |at: usize, bytes: &[u8]| {
        vote.signature.0[at..at + bytes.len()].copy_from_slice(bytes);
    };
    match deviation {
        2 => overwrite(0, &odd::G1[input.place(odd::G1.len())].1),
        3 => overwrite(48, &odd::SCALARS[input.place(odd::SCALARS.len())].1),
        4 => overwrite(80, &odd::SCALARS[input.place(odd::SCALARS.len())].1),
        5 => {
            let sigma = vote.signature.sigma().0;
            let with_small = related::plus_small(&sigma, input.place(odd::G1_ORDERS.len()));
            vote.signature.0[..48].copy_from_slice(&with_small);
        }
        6 => vote.signer = SignerIndex::new(u32::from(input.byte())),
        7 => vote.commitment.block_hash = H256([input.byte(); 32]),
        _ => {}
    }
    vote
}

/// A justification, good or with one thing wrong.
fn justification(input: &mut Input<'_>) -> UncheckedJustification {
    let commitment = commitment(input);
    let set = members(&commitment);
    let absent = u32::from(input.byte()) % 8;
    let deviation = input.byte() % 8;
    let genesis = if deviation == 1 {
        H256([9; 32])
    } else {
        GENESIS
    };
    let message = RoundMessage::new(genesis, commitment);
    let signers = (0..7).filter(|signer| *signer != absent);
    let mut proof = set.justify(&message, signers).into_unchecked();
    match deviation {
        2 => proof.signature = SignatureBytes(odd::G1[input.place(odd::G1.len())].1),
        3 => proof.apk2 = Pk2Bytes(odd::G2[input.place(odd::G2.len())].1),
        4 => {
            let small = related::plus_small(&proof.signature.0, input.place(5));
            proof.signature = SignatureBytes(small);
        }
        5 => {
            let small = related::plus_small_g2(&proof.apk2.0, input.place(5));
            proof.apk2 = Pk2Bytes(small);
        }
        // Signers, padding bits, a byte more, or none.
        6 => {
            let len = input.place(4);
            proof.signers = Bitfield::from_bytes(input.take(len).to_vec());
        }
        7 => proof.commitment.block_hash = H256([input.byte(); 32]),
        _ => {}
    }
    proof
}

/// Up to four votes, all on what the first of them says.
fn bundle(input: &mut Input<'_>) -> Vec<u8> {
    let further = input.byte() % 4;
    let UncheckedVote {
        commitment,
        signer,
        signature,
    } = vote(input);
    let mut votes = vec![(signer, signature)];
    for _ in 0..further {
        let vote = vote(input);
        votes.push((vote.signer, vote.signature));
    }
    (2_u8, commitment, votes).encode()
}

/// The next notification: one byte for its kind, and what it says.
pub(super) fn next_message(input: &mut Input<'_>) -> Vec<u8> {
    match input.byte() % 8 {
        0 | 1 | 4 => GossipMessage::Vote(vote(input)).encode(),
        2 | 6 => GossipMessage::Justification(justification(input)).encode(),
        5 | 7 => bundle(input),
        _ => {
            let len = usize::from(u16::from_le_bytes(input.array()));
            input.take(len).to_vec()
        }
    }
}
