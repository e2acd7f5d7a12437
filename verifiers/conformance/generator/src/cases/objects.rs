//! One of each byte layout, and what is not one. (ENC-6)

use super::builder::Builder;
use super::world::{chain, justification, stateless};
use crate::format::{hexed, File};
use codec::{Compact, Encode};
use duet_primitives::{
    suite::ENGINE_ID, testing::TestSet, BlockNumber, CommitmentPayload, ConsensusLog,
    EquivocationProof, Keysets, LeafVersion, MerkleProof, MmrLeaf, Pardon, RoundMessage, SetId,
    SignerIndex, VotingRules, H256,
};
use serde_json::{json, Value};

pub(super) fn file() -> File {
    let mut builder = Builder::new(
        "objects",
        "The bytes of every object, with its fields, and bytes that are no object.",
    );
    for (name, bytes) in good() {
        builder.holds(name, "object", input(name, &bytes));
        let mut longer = bytes.clone();
        longer.push(0);
        builder.breaks(
            "ENC-6",
            &format!("{name} with a byte behind it"),
            "object",
            input(name, &longer),
        );
        let shorter = &bytes[..bytes.len() - 1];
        builder.breaks(
            "ENC-6",
            &format!("{name} without its last byte"),
            "object",
            input(name, shorter),
        );
        builder.breaks(
            "ENC-6",
            &format!("no bytes of {name}"),
            "object",
            input(name, &[]),
        );
    }
    for (name, of, bytes) in variants() {
        builder.holds(name, "object", input(of, &bytes));
    }
    for (name, of, bytes) in odd() {
        builder.breaks("ENC-6", name, "object", input(of, &bytes));
    }
    builder.file()
}

fn input(name: &str, bytes: &[u8]) -> Value {
    json!({ "type": name, "bytes": hexed(bytes) })
}

fn digest_item(log: &ConsensusLog) -> Vec<u8> {
    (4_u8, ENGINE_ID, log.encode()).encode()
}

fn good() -> Vec<(&'static str, Vec<u8>)> {
    let chain = chain();
    let (first, next) = (
        chain.sets[0].set.commitment(),
        chain.sets[1].set.commitment(),
    );
    let proof = justification(&chain, 5);
    let commitment = proof.commitment.clone();
    let payload = CommitmentPayload {
        mmr_root: commitment.mmr_root,
        validator_set_id: commitment.validator_set_id,
        next: commitment.next.clone(),
    };
    let message = RoundMessage::new(chain.genesis_hash, commitment.clone());
    let vote = chain.sets[0]
        .vote(2, &message)
        .expect("a member's vote")
        .into_unchecked();
    let keys = chain.keys(0).expect("a set of the chain");
    let members = MerkleProof::prove(&keys, &[1, 3].map(SignerIndex::new)).expect("members");
    vec![
        ("KeysetCommitment", first.encode()),
        (
            "Keysets",
            Keysets {
                current: first.clone(),
                next: next.clone(),
            }
            .encode(),
        ),
        ("Commitment", commitment.encode()),
        ("CommitmentPayload", payload.encode()),
        ("MmrLeaf", leaf().encode()),
        ("Vote", vote.encode()),
        ("Justification", proof.encode()),
        ("MerkleProof", members.encode()),
        ("Keys", keys.encode()),
        ("StatelessProof", stateless(&chain, 5).encode()),
        ("HandoffProof", chain.handoff_proofs(0, 1)[0].encode()),
        ("StartProof", chain.genesis_proof().encode()),
        ("EquivocationProof", evidence().encode()),
        ("Checkpoint", chain.checkpoint(1).encode()),
        (
            "DigestItem",
            digest_item(&ConsensusLog::Planned(next.clone())),
        ),
        ("GossipMessage", (0_u8, vote).encode()),
        ("JustificationsRequest", (1_u64, 2_u8).encode()),
        ("HistoryRequest", (1_u8, 1_u64, 64_u8).encode()),
    ]
}

/// Further variants of objects that have more than one.
fn variants() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let proof = justification(&chain(), 5);
    vec![
        (
            "DigestItem, activated",
            "DigestItem",
            digest_item(&ConsensusLog::Activated(SetId::new(7))),
        ),
        (
            "DigestItem, reset",
            "DigestItem",
            digest_item(&ConsensusLog::Reset {
                ended: SetId::new(7),
                set: chain().sets[1].set.commitment().clone(),
            }),
        ),
        (
            "DigestItem, payload",
            "DigestItem",
            digest_item(&ConsensusLog::Payload(
                justification(&chain(), 5).commitment.payload().hash(),
            )),
        ),
        (
            "DigestItem, rules",
            "DigestItem",
            digest_item(&ConsensusLog::Rules(VotingRules {
                version: 258,
                min_delta: 16_909_060,
            })),
        ),
        (
            "DigestItem, a pardon",
            "DigestItem",
            digest_item(&ConsensusLog::Pardoned(Pardon {
                first_block: BlockNumber::new(16_909_060),
                last_block: BlockNumber::new(84_281_096),
                first_set: SetId::new(72_623_859_790_382_856),
                last_set: SetId::new(u64::MAX),
            })),
        ),
        (
            "GossipMessage, a justification",
            "GossipMessage",
            (1_u8, proof).encode(),
        ),
        ("HistoryRequest, the first set", "HistoryRequest", vec![0]),
    ]
}

fn leaf() -> MmrLeaf {
    MmrLeaf {
        version: LeafVersion::V0,
        parent_number: BlockNumber::new(9),
        parent_hash: H256::repeat_byte(2),
        extra: H256::repeat_byte(3),
    }
}

fn evidence() -> EquivocationProof {
    let (set, other) = (TestSet::new(0, 0..4), TestSet::new(1, 1..5));
    let vote = |next: &TestSet| {
        let message = RoundMessage::new(H256::repeat_byte(1), set.commitment(9, &next.set));
        set.vote(1, &message).expect("a member's vote")
    };
    EquivocationProof::new(set.set.keyset(), &vote(&set), &vote(&other)).expect("a double vote")
}

/// Bytes that are refused for what they say, and not for where they end.
fn odd() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let chain = chain();
    let proof = justification(&chain, 5).encode();
    // `04` is the canonical number of one byte; `0100` says the same in two, `02000000` in four.
    let with_length = |length: &[u8]| [&proof[..168], length, &proof[169..]].concat();
    let mut other_version = leaf().encode();
    other_version[0] = 1;
    let many = |count: u32, rest: usize| [Compact(count).encode(), vec![0; rest]].concat();
    let header: Vec<u8> = Vec::new();
    let nodes = |count: usize, len: usize| {
        (
            header.clone(),
            vec![vec![0_u8; len]; count],
            Vec::<H256>::new(),
        )
            .encode()
    };
    vec![
        (
            "a gossip message of another kind",
            "GossipMessage",
            [&[2], &proof[..]].concat(),
        ),
        ("a request of another kind", "HistoryRequest", vec![2]),
        (
            "a compact number in two bytes instead of one",
            "Justification",
            with_length(&[5, 0]),
        ),
        (
            "a compact number in four bytes instead of one",
            "Justification",
            with_length(&[6, 0, 0, 0]),
        ),
        (
            "a compact number of many bytes instead of one",
            "Justification",
            with_length(&[3, 1, 0, 0, 0]),
        ),
        ("a leaf of another version", "MmrLeaf", other_version),
        (
            "a list of hashes that is longer than its bytes",
            "MerkleProof",
            many(1_000, 32),
        ),
        (
            "a list of hashes above its limit",
            "MerkleProof",
            many(50_001, 50_001 / 100),
        ),
        (
            "a list of keys that is longer than its bytes",
            "Keys",
            many(100_000, 48),
        ),
        ("a genesis proof with 98 nodes", "StartProof", nodes(98, 0)),
        (
            "a genesis proof with more than 65 536 bytes of nodes",
            "StartProof",
            nodes(2, 32_769),
        ),
        (
            "a digest item of another engine",
            "DigestItem",
            (
                4_u8,
                *b"BEEF",
                ConsensusLog::Activated(SetId::new(1)).encode(),
            )
                .encode(),
        ),
        (
            "a digest item of another kind",
            "DigestItem",
            (
                5_u8,
                ENGINE_ID,
                ConsensusLog::Activated(SetId::new(1)).encode(),
            )
                .encode(),
        ),
        (
            "a digest item of variant 0",
            "DigestItem",
            (4_u8, ENGINE_ID, vec![0_u8; 9]).encode(),
        ),
        (
            "a digest item of an unknown variant",
            "DigestItem",
            (4_u8, ENGINE_ID, vec![255_u8; 9]).encode(),
        ),
    ]
}
