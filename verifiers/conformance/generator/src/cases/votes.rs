//! Votes and evidence of an equivocation. (VOTE-1 to VOTE-3, DLEQ-2, EQV-1 to EQV-5)

use super::builder::{scale, Builder};
use crate::format::{hexed, File};
use codec::Encode;
use duet_curve::testing::{G1, SCALARS};
use duet_primitives::{
    testing::TestSet, EquivocationProof, KeysetCommitment, RoundMessage, SignerIndex,
    UncheckedVote, H256,
};
use serde_json::{json, Value};

const GENESIS: H256 = H256::repeat_byte(1);

struct World {
    set: TestSet,
    message: RoundMessage,
}

impl World {
    fn new() -> Self {
        let set = TestSet::new(7, 0..7);
        let message = RoundMessage::new(GENESIS, set.commitment(9, &set.set));
        Self { set, message }
    }

    fn vote(&self, signer: u32) -> UncheckedVote {
        self.set
            .vote(signer, &self.message)
            .expect("a member's vote")
            .into_unchecked()
    }

    fn input(&self, vote: &UncheckedVote, genesis_hash: H256) -> Value {
        json!({
            "genesis_hash": hexed(genesis_hash),
            "commitment": scale(self.set.set.commitment()),
            "keys": scale(&self.set.set.keyset().key_bytes()),
            "vote": scale(vote),
        })
    }
}

pub(super) fn file() -> File {
    let mut builder = Builder::new(
        "votes",
        "Votes, and evidence of two votes that contradict each other.",
    );
    let world = World::new();
    builder.share("keys", world.set.set.keyset().key_bytes().encode());
    builder.share("set", world.set.set.commitment().encode());
    for signer in [0, 2, 6] {
        let input = world.input(&world.vote(signer), GENESIS);
        builder.holds(&format!("a vote of signer {signer}"), "vote", input);
    }
    let good = world.vote(2);
    builder.breaks(
        "VOTE-3",
        "a vote of another chain",
        "vote",
        world.input(&good, H256::zero()),
    );
    let named = UncheckedVote {
        signer: SignerIndex::new(1),
        ..good.clone()
    };
    builder.breaks(
        "VOTE-3",
        "a vote that names another signer",
        "vote",
        world.input(&named, GENESIS),
    );
    let unknown = UncheckedVote {
        signer: SignerIndex::new(7),
        ..good.clone()
    };
    builder.breaks(
        "VOTE-2",
        "a vote of nobody in the set",
        "vote",
        world.input(&unknown, GENESIS),
    );
    let other_set = TestSet::new(8, 0..7);
    let message = RoundMessage::new(GENESIS, other_set.commitment(9, &other_set.set));
    let of_other_set = other_set
        .vote(2, &message)
        .expect("a member's vote")
        .into_unchecked();
    builder.breaks(
        "VOTE-1",
        "a vote of another set",
        "vote",
        world.input(&of_other_set, GENESIS),
    );
    odd_signatures(&mut builder, &world);
    not_reduced(&mut builder, &world);
    let mut longer = good.encode();
    longer.push(0);
    let mut input = world.input(&good, GENESIS);
    input["vote"] = json!(hexed(longer));
    builder.breaks("ENC-6", "a vote with a byte behind it", "vote", input);
    evidence(&mut builder, &world);
    builder.file()
}

fn odd_signatures(builder: &mut Builder, world: &World) {
    let with = |at: usize, bytes: &[u8]| {
        let mut vote = world.vote(2);
        vote.signature.0[at..at + bytes.len()].copy_from_slice(bytes);
        world.input(&vote, GENESIS)
    };
    for case in G1.iter() {
        let id = format!("a vote whose signature is {}", case.name);
        builder.breaks("VOTE-3", &id, "vote", with(0, &case.bytes));
    }
    for case in SCALARS.iter() {
        for (part, at) in [("c", 48), ("s", 80)] {
            let id = format!("a vote whose {part} is {}", case.name);
            builder.breaks("VOTE-3", &id, "vote", with(at, &case.bytes));
        }
    }
}

/// The same scalars, not reduced: every equation holds, and only ENC-5 refuses them.
fn not_reduced(builder: &mut Builder, world: &World) {
    for (part, at) in [("c", 48), ("s", 80)] {
        let mut vote = world.vote(2);
        let scalar = &mut vote.signature.0[at..at + 32];
        scalar.copy_from_slice(&plus_order(scalar));
        let id = format!("a vote whose {part} has the order added");
        builder.breaks("VOTE-3", &id, "vote", world.input(&vote, GENESIS));
    }
}

/// Little-endian, like the order itself. Twice the order is below 2²⁵⁶.
fn plus_order(scalar: &[u8]) -> Vec<u8> {
    let order = SCALARS.iter().find(|case| case.name == "r");
    let order = order.expect("a case of the order").bytes;
    let mut carry = false;
    let digits = scalar.iter().zip(order).map(|(digit, more)| {
        let (sum, first) = digit.overflowing_add(more);
        let (sum, second) = sum.overflowing_add(u8::from(carry));
        carry = first || second;
        sum
    });
    digits.collect()
}

fn evidence(builder: &mut Builder, world: &World) {
    let set = &world.set;
    let other_next = TestSet::new(8, 30..33);
    let conflicting = RoundMessage::new(GENESIS, set.commitment(9, &other_next.set));
    let later = RoundMessage::new(GENESIS, set.commitment(10, &set.set));
    let vote = |signer, message| set.vote(signer, message).expect("a member's vote");
    let (first, second) = (vote(5, &world.message), vote(5, &conflicting));
    let good = EquivocationProof::new(set.set.keyset(), &first, &second).expect("a double vote");
    let input = |evidence: &EquivocationProof, set: &KeysetCommitment, genesis: H256| json!({ "genesis_hash": hexed(genesis), "commitment": scale(set), "evidence": scale(evidence) });
    let ours = set.set.commitment();
    builder.holds("a double vote", "evidence", input(&good, ours, GENESIS));
    let changed = |change: &dyn Fn(&mut EquivocationProof)| {
        let mut evidence = good.clone();
        change(&mut evidence);
        evidence
    };
    let by_another = vote(4, &conflicting).into_unchecked().signature;
    let of_later = vote(5, &later).into_unchecked();
    let key = |at| {
        set.set
            .keyset()
            .key(SignerIndex::new(at))
            .expect("a member")
            .to_bytes()
    };
    for (rule, id, evidence) in [
        (
            "EQV-2",
            "votes on two blocks",
            changed(&|it| it.second = (of_later.commitment.clone(), of_later.signature)),
        ),
        (
            "EQV-3",
            "one vote twice",
            changed(&|it| it.second = it.first.clone()),
        ),
        (
            "EQV-4",
            "the key of another member",
            changed(&|it| it.key = key(4)),
        ),
        (
            "EQV-4",
            "another position",
            changed(&|it| it.signer = SignerIndex::new(4)),
        ),
        (
            "EQV-4",
            "a position outside of the set",
            changed(&|it| it.signer = SignerIndex::new(7)),
        ),
        (
            "EQV-5",
            "a second signature by another",
            changed(&|it| it.second.1 = by_another),
        ),
        (
            "EQV-5",
            "a first signature by another",
            changed(&|it| it.first.1 = by_another),
        ),
    ] {
        builder.breaks(
            rule,
            &format!("evidence: {id}"),
            "evidence",
            input(&evidence, ours, GENESIS),
        );
    }
    builder.breaks(
        "EQV-1",
        "evidence of another set",
        "evidence",
        input(&good, other_next.set.commitment(), GENESIS),
    );
    builder.breaks(
        "EQV-5",
        "evidence of another chain",
        "evidence",
        input(&good, ours, H256::zero()),
    );
}
