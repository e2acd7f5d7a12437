//! The target of everything decodable that has no target of its own.

use crate::{
    judge,
    sample::{GENESIS, SAMPLE},
    target::{seed, Input, Seed, Target},
    wire::decoded,
};
use codec::Encode;
use duet_primitives::{
    testing::secret, Accusation, BlockNumber, Commitment, CommitmentPayload, ConsensusLog,
    DualKeyBytes, DualKeyset, Keysets, Pk1Bytes, Pk2Bytes, PossessionProof, RoundMessage, SetId,
    SignatureBytes, VoteSignature, VotingRules,
};

/// The target.
pub(crate) const TARGETS: [Target; 1] = [Target {
    // ENC-6, MSG-1, MSG-2, FALSE-2, FALSE-3.
    name: "scale",
    run: scale,
    seeds: scale_seeds,
}];

/// Every decoder that no other target reaches; the first byte selects.
fn scale(data: &[u8]) {
    let mut input = Input(data);
    let which = input.byte();
    let bytes = input.rest();
    match which % 13 {
        0 => drop(decoded::<DualKeyBytes>(bytes)),
        1 => drop(decoded::<Pk1Bytes>(bytes)),
        2 => drop(decoded::<Pk2Bytes>(bytes)),
        3 => drop(decoded::<SignatureBytes>(bytes)),
        4 => drop(decoded::<VoteSignature>(bytes)),
        5 => drop(decoded::<PossessionProof>(bytes)),
        6 => drop(decoded::<Keysets>(bytes)),
        7 => drop(decoded::<ConsensusLog>(bytes)),
        8 => payload(bytes),
        9 => commitment(bytes),
        10 => drop(decoded::<Vec<DualKeyBytes>>(bytes)),
        12 => accusation(bytes),
        _ => dual_keyset(bytes),
    }
}

/// Whoever is accused by what holds is a member that signed.
fn accusation(bytes: &[u8]) {
    let Some(accusation) = decoded::<Accusation>(bytes) else {
        return;
    };
    let set = SAMPLE.set.set.keyset();
    if accusation.check(set.commitment(), GENESIS).is_ok() {
        assert_eq!(accusation.commitment().validator_set_id, set.id());
        let mut accused = accusation.accused().peekable();
        assert!(accused.peek().is_some());
        assert!(accused.all(|key| set.position(key).is_some()));
    }
}

fn payload(bytes: &[u8]) {
    if let Some(payload) = decoded::<CommitmentPayload>(bytes) {
        let commitment = payload.clone().commit(BlockNumber::new(7), GENESIS);
        assert_eq!(commitment.encode().len(), payload.encode().len() + 36);
    }
}

fn commitment(bytes: &[u8]) {
    let Some(commitment) = decoded::<Commitment>(bytes) else {
        return;
    };
    let signed = commitment.signed_bytes(GENESIS);
    assert_eq!(signed, [b"duet-v1", &GENESIS.0[..], bytes].concat());
    let message = RoundMessage::new(GENESIS, commitment);
    assert_eq!(message.hash(), judge::signed_point(&signed));
}

/// Keys as the chain stores them, against the commitment of the sample's set.
fn dual_keyset(bytes: &[u8]) {
    let keys: Vec<_> = bytes
        .chunks(144)
        .take(7)
        .map(|key| DualKeyBytes(Input(key).array()))
        .collect();
    let honest: Vec<_> = SAMPLE
        .set
        .set
        .keys()
        .iter()
        .map(|key| key.key().to_bytes())
        .collect();
    let set = DualKeyset::from_chain_state_unchecked(SAMPLE.set.set.commitment(), &keys);
    if let Ok(set) = &set {
        // The commitment binds the halves in G1 only.
        assert!(set
            .keys()
            .iter()
            .zip(&honest)
            .all(|(key, honest)| key.key().pk1().to_bytes() == honest.pk1()));
    }
    assert!(keys != honest || set.is_ok());
}

fn accusations() -> [Accusation; 2] {
    let (set, message) = (&SAMPLE.set, &SAMPLE.message);
    let vote = set.vote(2, message).expect("a member's vote holds");
    let vote = Accusation::of_vote(&vote, set.set.keyset());
    let proof = set.justify(message, 1..6);
    let mut proofs = Accusation::of_proof(&proof, set.set.keyset());
    [vote.expect("of this set"), proofs.swap_remove(0)]
}

fn scale_seeds() -> Vec<Seed> {
    let sample = &*SAMPLE;
    let commitment = sample.message.commitment();
    let (current, next) = (
        sample.set.set.commitment().clone(),
        sample.next.set.commitment().clone(),
    );
    let key = secret(0).public();
    let payload = CommitmentPayload {
        mmr_root: commitment.mmr_root,
        validator_set_id: commitment.validator_set_id,
        next: next.clone(),
    };
    let stored: Vec<u8> = sample
        .set
        .set
        .keys()
        .iter()
        .flat_map(|key| key.key().to_bytes().0)
        .collect();
    let encoded = [
        ("dual key", key.encode()),
        ("pk1", key.pk1().encode()),
        ("pk2", key.pk2().encode()),
        ("signature", secret(0).sign(b"").sigma().encode()),
        ("vote signature", secret(0).sign(b"").encode()),
        ("possession", secret(0).prove_possession(b"").encode()),
        (
            "keysets",
            Keysets {
                current,
                next: next.clone(),
            }
            .encode(),
        ),
        ("planned", ConsensusLog::Planned(next).encode()),
        ("payload", payload.encode()),
        ("commitment", commitment.encode()),
        ("keys", vec![key, secret(1).public()].encode()),
        ("stored keys", stored),
    ];
    let mut seeds: Vec<_> = (0..)
        .zip(encoded)
        .map(|(which, (name, bytes))| seed(name, [&[which][..], &bytes].concat()))
        .collect();
    seeds.push(seed(
        "activated",
        [&[7][..], &ConsensusLog::Activated(SetId::new(4)).encode()].concat(),
    ));
    seeds.push(seed(
        "rules",
        [
            &[7][..],
            &ConsensusLog::Rules(VotingRules::default()).encode(),
        ]
        .concat(),
    ));
    seeds.push(seed("a gigabyte of keys", [10, 2, 0, 0, 0xff]));
    for (name, accusation) in ["accused by a vote", "accused by a proof"]
        .into_iter()
        .zip(accusations())
    {
        seeds.push(seed(name, [&[12][..], &accusation.encode()].concat()));
    }
    seeds
}
