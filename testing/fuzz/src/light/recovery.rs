//! What comes of recovery: terms, drills, and what a recovery set signed.

use crate::{
    odd,
    sample::GENESIS,
    target::{seed, Input, Seed, Target},
    wire::decoded,
};
use codec::Encode;
use duet_light_client::recovery_terms;
use duet_primitives::{
    suite::MAX_VALIDATORS, testing::TestSet, BlockNumber, Drill, KeysetCommitment, Pk1Bytes,
    Recovery, RecoveryAccusation, RecoveryMessage, RecoveryProof, RecoveryStatement, RecoveryTerms,
    RecoveryVote, SetId, SignatureBytes, SignerIndex, H256,
};
use std::sync::LazyLock;

pub(super) const RECOVERY: Target = Target {
    // RECOVER-2, RECOVER-4 to RECOVER-6, RECOVER-9.
    name: "light_recovery",
    run: recovery,
    seeds: recovery_seeds,
};

/// The owner of the key that drills.
const OWNER: [u8; 32] = [3; 32];

/// The recovery set, of seven.
static SET: LazyLock<TestSet> = LazyLock::new(|| TestSet::new(3, 20..27));

fn recovery(data: &[u8]) {
    let mut input = Input(data);
    let which = input.byte();
    let bytes = input.rest();
    match which % 5 {
        0 => terms(bytes),
        1 => drill(bytes),
        2 => vote(bytes),
        3 => proof(bytes),
        _ => accusation(bytes),
    }
}

/// RECOVER-5: the form of the new set.
fn is_set(set: &KeysetCommitment) -> bool {
    (1..=MAX_VALIDATORS).contains(&set.len) && set.apk1.check().is_ok()
}

/// RECOVER-5, RECOVER-6: what is asked of a statement.
fn is_of_the_set(statement: &RecoveryStatement) -> bool {
    statement.recovery_set == SET.set.keyset().id()
        && statement.reset_number > statement.block_number
        && statement.set.id > statement.ended
        && is_set(&statement.set)
}

/// RECOVER-4.
fn terms(bytes: &[u8]) {
    let read = decoded::<RecoveryTerms>(bytes);
    let usable = read.filter(|terms| terms.delay > 0 && is_set(&terms.set));
    assert_eq!(recovery_terms(Some(bytes)), usable);
}

/// RECOVER-2.
fn drill(bytes: &[u8]) {
    let Some(drill) = decoded::<Drill>(bytes) else {
        return;
    };
    let secret = &SET.secrets[0];
    let key = secret.public().pk1().check().expect("a key");
    // Signatures are deterministic, and an attacker without the key makes no other one.
    let own = Drill::sign(
        secret,
        GENESIS,
        &OWNER,
        drill.block_number,
        drill.block_hash,
    );
    assert_eq!(drill.check(&key, GENESIS, &OWNER).is_ok(), drill == own);
}

/// RECOVER-5, RECOVER-6.
fn vote(bytes: &[u8]) {
    let Some(vote) = decoded::<RecoveryVote>(bytes) else {
        return;
    };
    let set = SET.set.keyset();
    let holds = vote.check(set, GENESIS).is_ok();
    let own = SET.secrets.get(vote.signer.get() as usize).map(|secret| {
        let message = RecoveryMessage::new(GENESIS, vote.statement.clone());
        RecoveryVote::sign(secret, vote.signer, &message)
    });
    let is_own = own.is_some_and(|own| own == vote);
    assert_eq!(holds, is_own && is_of_the_set(&vote.statement));
    let accusation = RecoveryAccusation::of_vote(&vote, set, GENESIS);
    assert_eq!(accusation.is_some(), holds);
    accusation.iter().for_each(convicts);
}

/// RECOVER-5, RECOVER-6.
fn proof(bytes: &[u8]) {
    let Some(proof) = decoded::<RecoveryProof>(bytes) else {
        return;
    };
    let set = SET.set.keyset();
    let Ok(checked) = proof.clone().check(set.commitment(), GENESIS) else {
        return;
    };
    assert_eq!(checked.as_unchecked(), &proof);
    assert!(is_of_the_set(&proof.statement));
    let signers = proof.signers.signers(7);
    let message = RecoveryMessage::new(GENESIS, proof.statement.clone());
    let votes: Vec<_> = signers
        .map(|signer| RecoveryVote::sign(&SET.secrets[signer.get() as usize], signer, &message))
        .collect();
    let combined = Recovery::combine(set, GENESIS, &votes);
    assert_eq!(combined.as_ref(), Ok(&checked), "the sum of its signers");
    RecoveryAccusation::of_proof(&checked, set)
        .iter()
        .for_each(convicts);
}

fn convicts(accusation: &RecoveryAccusation) {
    let set = SET.set.keyset().commitment();
    assert_eq!(accusation.check(set, GENESIS), Ok(()));
}

/// RECOVER-9.
fn accusation(bytes: &[u8]) {
    let Some(accusation) = decoded::<RecoveryAccusation>(bytes) else {
        return;
    };
    let set = SET.set.keyset();
    if accusation.check(set.commitment(), GENESIS).is_err() {
        return;
    }
    assert!(is_of_the_set(accusation.statement()));
    assert!(!accusation.accused.is_empty());
    let (accused, _) = accusation.sizes();
    assert_eq!(accused as usize, accusation.accused.len());
    for (signer, key) in &accusation.accused {
        assert_eq!(set.key(*signer).map(|key| key.to_bytes()), Some(*key));
    }
}

fn statement() -> RecoveryStatement {
    RecoveryStatement {
        recovery_set: SetId::new(3),
        block_number: BlockNumber::new(50),
        block_hash: H256([5; 32]),
        ended: SetId::new(9),
        reset_number: BlockNumber::new(90),
        reset_hash: H256([6; 32]),
        set: TestSet::new(11, 0..4).set.commitment().clone(),
    }
}

fn vote_by(signer: u32) -> RecoveryVote {
    let message = RecoveryMessage::new(GENESIS, statement());
    let secret = &SET.secrets[signer as usize];
    RecoveryVote::sign(secret, SignerIndex::new(signer), &message)
}

fn proof_by(signers: &[u32]) -> Recovery {
    let votes: Vec<_> = signers.iter().copied().map(vote_by).collect();
    Recovery::combine(SET.set.keyset(), GENESIS, &votes).expect("enough members")
}

fn recovery_seeds() -> Vec<Seed> {
    let set = SET.set.keyset();
    let mut seeds = Vec::new();
    let mut add = |which: u8, name: String, bytes: Vec<u8>| {
        seeds.push(seed(name, [&[which][..], &bytes].concat()));
    };
    let terms = |delay, set: &KeysetCommitment| {
        let set = set.clone();
        RecoveryTerms { set, delay }.encode()
    };
    add(0, "terms".into(), terms(86_400, set.commitment()));
    add(0, "terms without a wait".into(), terms(0, set.commitment()));
    for len in [0, MAX_VALIDATORS, MAX_VALIDATORS + 1] {
        let set = KeysetCommitment {
            len,
            ..set.commitment().clone()
        };
        add(0, format!("terms of {len}"), terms(1, &set));
    }
    let number = BlockNumber::new(50);
    let drill = Drill::sign(&SET.secrets[0], GENESIS, &OWNER, number, H256([5; 32]));
    add(1, "drill".into(), drill.encode());
    let vote = vote_by(2);
    add(2, "vote".into(), vote.encode());
    for (name, bytes) in odd::G1.iter() {
        let total = KeysetCommitment {
            apk1: Pk1Bytes(*bytes),
            ..set.commitment().clone()
        };
        add(0, format!("terms total {name}"), terms(1, &total));
        let mut odd_vote = vote.clone();
        odd_vote.signature = SignatureBytes(*bytes);
        add(2, format!("vote signature {name}"), odd_vote.encode());
        let mut odd_total = vote.clone();
        odd_total.statement.set.apk1 = Pk1Bytes(*bytes);
        add(2, format!("vote total {name}"), odd_total.encode());
    }
    let outside = RecoveryVote {
        signer: SignerIndex::new(7),
        ..vote.clone()
    };
    add(2, "vote of nobody".into(), outside.encode());
    for (name, signers) in [
        ("all", &[0, 1, 2, 3, 4, 5, 6][..]),
        ("five", &[0, 2, 3, 4, 6]),
    ] {
        let proof = proof_by(signers);
        add(3, format!("proof by {name}"), proof.as_unchecked().encode());
        let accusation = RecoveryAccusation::of_proof(&proof, set).remove(0);
        let name = format!("accusation of a proof by {name}");
        add(4, name, accusation.encode());
    }
    let accusation = RecoveryAccusation::of_vote(&vote, set, GENESIS);
    let accusation = accusation.expect("a signature that holds").encode();
    add(4, "accusation of a vote".into(), accusation);
    // Lists that claim to hold a billion.
    let billion = codec::Compact(1_u32 << 30).encode();
    let of_signers = [statement().encode(), billion.clone()].concat();
    add(3, "a billion signers".into(), of_signers);
    let of_accused = [vec![0], vote.encode(), billion].concat();
    add(4, "a billion accused".into(), of_accused);
    seeds
}
