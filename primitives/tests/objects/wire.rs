//! The bytes of every encoded type, pinned: in full against `vectors/wire.json`, and field by field in prose.
//!
//! `cargo test -p duet-primitives --test objects wire::regenerate -- --ignored` rewrites the file; that is an act of
//! approval, because nodes and light clients that are out there read the old bytes.

use codec::{Decode, DecodeAll, Encode, MaxEncodedLen};
use duet_primitives::{
    testing::{secret, TestSet},
    *,
};
use std::{collections::BTreeMap, fmt::Debug, fs, path::PathBuf};

const GENESIS: H256 = H256::repeat_byte(0x6e);

fn pardon() -> Pardon {
    Pardon {
        first_block: BlockNumber::new(0x0102_0304),
        last_block: BlockNumber::new(0x0506_0708),
        first_set: SetId::new(0x0102_0304_0506_0708),
        last_set: SetId::new(0x0102_0304_0506_0709),
    }
}

/// One of everything.
struct Sample {
    set: TestSet,
    next: TestSet,
    commitment: Commitment,
    vote: UncheckedVote,
    justification: Justification,
    stateless: StatelessProof,
    evidence: EquivocationProof,
}

fn sample() -> Sample {
    let (set, next) = (TestSet::new(3, 0..10), TestSet::new(4, 2..12));
    let commitment = set.commitment(0x0102_0304, &next.set);
    let message = RoundMessage::new(GENESIS, commitment.clone());
    let first = set.vote(9, &message).expect("a member's vote holds");
    let other = RoundMessage::new(GENESIS, set.commitment(0x0102_0304, &set.set));
    let second = set.vote(9, &other).expect("a member's vote holds");
    let justification = set.justify(&message, [0, 1, 2, 4, 5, 6, 9]);
    let keyset = set.set.keyset();
    Sample {
        stateless: StatelessProof::new(&justification, keyset).expect("of this set"),
        evidence: EquivocationProof::new(keyset, &first, &second).expect("a double vote"),
        vote: first.into_unchecked(),
        justification,
        commitment,
        set,
        next,
    }
}

fn payload(commitment: &Commitment) -> CommitmentPayload {
    let Commitment {
        mmr_root,
        validator_set_id,
        next,
        ..
    } = commitment.clone();
    CommitmentPayload {
        mmr_root,
        validator_set_id,
        next,
    }
}

/// The encoding in hex, after a look that it reads back.
fn pin<T: Encode + Decode + PartialEq + Debug>(value: &T) -> String {
    let bytes = value.encode();
    assert_eq!(
        &T::decode_all(&mut &bytes[..]).expect("it reads back"),
        value
    );
    format!("0x{}", hex::encode(bytes))
}

fn pinned() -> BTreeMap<&'static str, String> {
    let Sample {
        set,
        next,
        commitment,
        vote,
        justification,
        stateless,
        evidence,
    } = sample();
    let (current, planned) = (set.set.commitment().clone(), next.set.commitment().clone());
    let accused = Accusation::of_proof(&justification, set.set.keyset());
    let voted = vote.clone().check(
        set.set.keyset(),
        &RoundMessage::new(GENESIS, commitment.clone()),
    );
    let voted = Accusation::of_vote(&voted.expect("it holds"), set.set.keyset());
    BTreeMap::from([
        ("Accusation::Proof", pin(&accused[0])),
        ("Accusation::Vote", pin(&voted.expect("of this set"))),
        ("Bitfield", pin(justification.signers())),
        ("Commitment", pin(&commitment)),
        ("CommitmentPayload", pin(&payload(&commitment))),
        (
            "ConsensusLog::Activated",
            pin(&ConsensusLog::Activated(SetId::new(4))),
        ),
        (
            "ConsensusLog::Pardoned",
            pin(&ConsensusLog::Pardoned(pardon())),
        ),
        (
            "ConsensusLog::Payload",
            pin(&ConsensusLog::Payload(payload(&commitment).hash())),
        ),
        (
            "ConsensusLog::Planned",
            pin(&ConsensusLog::Planned(planned.clone())),
        ),
        (
            "ConsensusLog::Rules",
            pin(&ConsensusLog::Rules(VotingRules::with_min_delta(7))),
        ),
        ("DualKeyBytes", pin(&secret(0).public())),
        ("EquivocationProof", pin(&evidence)),
        ("KeysetCommitment", pin(&current)),
        (
            "Keysets",
            pin(&Keysets {
                current,
                next: planned,
            }),
        ),
        ("MerkleProof", pin(&stateless.proof)),
        (
            "PossessionProof",
            pin(&secret(0).prove_possession(b"owner")),
        ),
        ("StatelessProof", pin(&stateless)),
        ("UncheckedJustification", pin(justification.as_unchecked())),
        ("UncheckedVote", pin(&vote)),
        ("VoteSignature", pin(&vote.signature)),
        (
            "ownership statement",
            format!(
                "0x{}",
                hex::encode(ownership_statement(GENESIS, &[7_u8; 32]))
            ),
        ),
        (
            "signed bytes",
            format!("0x{}", hex::encode(commitment.signed_bytes(GENESIS))),
        ),
    ])
}

fn path() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "vectors", "wire.json"]
        .iter()
        .collect()
}

#[test]
fn every_encoded_type_has_the_bytes_that_were_approved() {
    let text = fs::read_to_string(path()).expect("the file is committed");
    let approved: BTreeMap<String, String> = serde_json::from_str(&text).expect("names and hex");
    let found = pinned();
    assert!(
        approved.keys().eq(found.keys()),
        "a type came or went: {:?}",
        found.keys()
    );
    for (name, bytes) in found {
        assert_eq!(approved[name], bytes, "{name}");
    }
}

#[test]
#[ignore = "rewrites the file"]
fn regenerate() {
    let text = serde_json::to_string_pretty(&pinned()).expect("names and hex serialize");
    fs::write(path(), text + "\n").expect("the checkout is writable");
}

/// Takes the next bytes of an encoding apart.
fn take<'a>(rest: &mut &'a [u8], length: usize) -> &'a [u8] {
    let (head, tail) = rest.split_at(length);
    *rest = tail;
    head
}

fn assert_keyset(rest: &mut &[u8], set: &KeysetCommitment) {
    assert_eq!(take(rest, 8), set.id.get().to_le_bytes());
    assert_eq!(take(rest, 4), set.len.to_le_bytes());
    assert_eq!(take(rest, 32), set.root.as_bytes());
    assert_eq!(take(rest, 48), set.apk1.as_ref());
}

fn assert_commitment(rest: &mut &[u8], commitment: &Commitment) {
    assert_eq!(take(rest, 4), commitment.block_number.get().to_le_bytes());
    assert_eq!(take(rest, 32), commitment.block_hash.as_bytes());
    assert_eq!(take(rest, 32), commitment.mmr_root.as_bytes());
    assert_eq!(
        take(rest, 8),
        commitment.validator_set_id.get().to_le_bytes()
    );
    assert_keyset(rest, &commitment.next);
}

#[test]
fn a_commitment_is_number_hash_mmr_root_set_id_and_next() {
    let Sample { commitment, .. } = sample();
    let bytes = commitment.encode();
    assert_eq!(bytes.len(), 168);
    assert_eq!(bytes[..4], [4, 3, 2, 1]);
    let mut rest = &bytes[..];
    assert_commitment(&mut rest, &commitment);
    assert!(rest.is_empty());
}

#[test]
fn what_is_signed_is_the_prefix_the_genesis_hash_and_the_commitment() {
    let Sample { commitment, .. } = sample();
    let bytes = commitment.signed_bytes(GENESIS);
    let mut rest = &bytes[..];
    assert_eq!(take(&mut rest, 7), b"duet-v1");
    assert_eq!(take(&mut rest, 32), GENESIS.as_bytes());
    assert_eq!(rest, commitment.encode());
}

#[test]
fn what_an_owner_signs_is_the_context_the_genesis_hash_and_the_account() {
    let bytes = ownership_statement(GENESIS, &[7_u8; 32]);
    assert_eq!(bytes, [&b"duet"[..], GENESIS.as_bytes(), &[7; 32]].concat());
}

#[test]
fn a_vote_is_commitment_signer_and_signature() {
    let Sample { vote, .. } = sample();
    let bytes = vote.encode();
    assert_eq!(bytes.len(), 284);
    let mut rest = &bytes[..];
    assert_commitment(&mut rest, &vote.commitment);
    assert_eq!(take(&mut rest, 4), [9, 0, 0, 0]);
    assert_eq!(take(&mut rest, 48), vote.signature.sigma().as_ref());
    assert_eq!(rest.len(), 64);
}

#[test]
fn a_justification_is_commitment_bitfield_signature_and_apk2() {
    let Sample { justification, .. } = sample();
    let justification = justification.as_unchecked();
    let bytes = justification.encode();
    assert_eq!(bytes.len(), 315);
    let mut rest = &bytes[..];
    assert_commitment(&mut rest, &justification.commitment);
    // Two bytes, the length as a compact; the lowest bit of the first byte is the first validator.
    assert_eq!(take(&mut rest, 3), [2 << 2, 0b0111_0111, 0b10]);
    assert_eq!(take(&mut rest, 48), justification.signature.as_ref());
    assert_eq!(rest, justification.apk2.as_ref());
}

#[test]
fn a_stateless_proof_is_justification_non_signers_and_hashes() {
    let Sample { set, stateless, .. } = sample();
    let bytes = stateless.encode();
    let mut rest = &bytes[315..];
    assert_eq!(bytes[..315], stateless.justification.encode());
    assert_eq!(take(&mut rest, 1), [3 << 2]);
    for non_signer in [3, 7, 8] {
        let key = set
            .set
            .keyset()
            .key(SignerIndex::new(non_signer))
            .expect("a member");
        assert_eq!(take(&mut rest, 48), key.to_bytes().as_ref());
    }
    assert_eq!(rest, stateless.proof.encode());
    assert_eq!((rest.len() - 1) % 32, 0);
    assert_eq!(usize::from(rest[0] >> 2), rest.len() / 32);
}

#[test]
fn evidence_is_signer_key_membership_and_two_signed_commitments() {
    let Sample { evidence, .. } = sample();
    let bytes = evidence.encode();
    let mut rest = &bytes[..];
    assert_eq!(take(&mut rest, 4), [9, 0, 0, 0]);
    assert_eq!(take(&mut rest, 48), evidence.key.as_ref());
    let membership = evidence.membership.encode();
    assert_eq!(take(&mut rest, membership.len()), membership);
    for (commitment, signature) in [&evidence.first, &evidence.second] {
        assert_commitment(&mut rest, commitment);
        assert_eq!(take(&mut rest, 112), signature.as_ref());
    }
    assert!(rest.is_empty());
}

#[test]
fn a_log_is_one_for_planned_two_for_activated_five_for_rules_and_six_for_a_pardon() {
    let Sample { next, .. } = sample();
    let planned = ConsensusLog::Planned(next.set.commitment().clone()).encode();
    assert_eq!(planned[0], 1);
    assert_keyset(&mut &planned[1..], next.set.commitment());
    assert_eq!(
        ConsensusLog::Activated(SetId::new(4)).encode(),
        [2, 4, 0, 0, 0, 0, 0, 0, 0]
    );
    let rules = VotingRules {
        version: 0x0102,
        min_delta: 0x0304_0506,
    };
    assert_eq!(ConsensusLog::Rules(rules).encode(), [5, 2, 1, 6, 5, 4, 3]);
    let blocks = [4, 3, 2, 1, 8, 7, 6, 5];
    let sets = [8, 7, 6, 5, 4, 3, 2, 1, 9, 7, 6, 5, 4, 3, 2, 1];
    let pardoned = ConsensusLog::Pardoned(pardon()).encode();
    assert_eq!(pardoned, [&[6][..], &blocks, &sets].concat());
    assert!(ConsensusLog::decode(&mut &[0_u8; 93][..]).is_err());
    assert!(ConsensusLog::decode(&mut &[3_u8; 93][..]).is_err());
}

#[test]
fn the_most_bytes_of_what_is_stored_on_chain_are_known() {
    assert_eq!(KeysetCommitment::max_encoded_len(), 92);
    assert_eq!(Keysets::max_encoded_len(), 184);
    assert_eq!(DualKeyBytes::max_encoded_len(), 144);
    assert_eq!(PossessionProof::max_encoded_len(), 224);
    assert_eq!(Commitment::max_encoded_len(), 168);
    assert_eq!(UncheckedVote::max_encoded_len(), 284);
}

#[test]
fn keys_and_proofs_are_hex_with_a_prefix_in_json() {
    let key = secret(0).public();
    let json = serde_json::to_string(&key).expect("bytes serialize");
    assert_eq!(json, format!("\"{key}\""));
    assert_eq!(serde_json::from_str::<DualKeyBytes>(&json).ok(), Some(key));
    let digits = json.trim_matches('"').trim_start_matches("0x");
    for odd in [
        format!("\"0x{}\"", &digits[2..]),
        format!("\"0x{digits}00\""),
        format!("\"0x{}zz\"", &digits[2..]),
        "\"\"".into(),
        "null".into(),
    ] {
        assert!(serde_json::from_str::<DualKeyBytes>(&odd).is_err(), "{odd}");
    }
}
