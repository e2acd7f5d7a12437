//! What nodes make of votes, and who publishes it. (JUST-7, JUST-8, ROUND-6)

use super::builder::{scale, Builder};
use crate::format::{hexed, File};
use codec::Encode;
use duet_curve::testing::G1;
use duet_primitives::{
    testing::TestSet, Commitment, Justification, RoundMessage, SetId, SignerIndex, UncheckedVote,
    VoteSignature, H256,
};
use serde_json::{json, Value};

const GENESIS: H256 = H256::repeat_byte(1);
const MEMBERS: u32 = 7;

pub(super) fn file() -> File {
    let mut builder = Builder::new(
        "rounds",
        "Sums of votes, proofs that grow by late votes, and the order in which members publish a proof.",
    );
    let world = World::new();
    builder.share("keys", world.dual_keys());
    builder.share("set", world.set.set.commitment().encode());
    builder.share("message", world.message.commitment().encode());
    for (signer, vote) in world.votes(0..MEMBERS).iter().enumerate() {
        builder.share(&format!("vote {signer}"), vote.encode());
    }
    sums(&mut builder, &world);
    refused_sums(&mut builder, &world);
    extended(&mut builder, &world);
    refused_extensions(&mut builder, &world);
    publishers(&mut builder, &world);
    builder.file()
}

struct World {
    set: TestSet,
    message: RoundMessage,
}

impl World {
    fn new() -> Self {
        let set = TestSet::new(7, 0..u64::from(MEMBERS));
        let message = RoundMessage::new(GENESIS, set.commitment(9, &set.set));
        Self { set, message }
    }

    fn dual_keys(&self) -> Vec<u8> {
        let secrets = self.set.secrets.iter();
        secrets
            .map(|secret| secret.public())
            .collect::<Vec<_>>()
            .encode()
    }

    /// A vote on block 9 or on another one.
    fn vote_on(&self, block: u32, signer: u32) -> UncheckedVote {
        let commitment = self.set.commitment(block, &self.set.set);
        let message = RoundMessage::new(GENESIS, commitment);
        let vote = self.set.vote(signer, &message);
        vote.expect("a member's vote").into_unchecked()
    }

    fn votes(&self, signers: impl IntoIterator<Item = u32>) -> Vec<UncheckedVote> {
        let signers = signers.into_iter();
        signers.map(|signer| self.vote_on(9, signer)).collect()
    }

    fn input(&self, votes: &[UncheckedVote]) -> Value {
        json!({
            "genesis_hash": hexed(GENESIS),
            "commitment": scale(self.set.set.commitment()),
            "dual_keys": hexed(self.dual_keys()),
            "votes": votes.iter().map(scale).collect::<Vec<_>>(),
        })
    }

    fn adding(&self, commitment: &Commitment, votes: &[UncheckedVote]) -> Value {
        let mut input = self.input(votes);
        input["message"] = json!(scale(commitment));
        input
    }

    fn extending(&self, proof: &Justification, votes: &[UncheckedVote]) -> Value {
        let mut input = self.input(votes);
        input["justification"] = json!(scale(proof.as_unchecked()));
        input
    }

    fn proof(&self, signers: impl IntoIterator<Item = u32>) -> Justification {
        self.set.justify(&self.message, signers)
    }
}

/// A vote with the σ of another one, and its own proof.
fn with_sigma(vote: &UncheckedVote, sigma: &[u8]) -> UncheckedVote {
    let mut bytes = vote.signature.0;
    bytes[..48].copy_from_slice(sigma);
    UncheckedVote {
        signature: VoteSignature(bytes),
        ..vote.clone()
    }
}

/// A vote whose σ is on another message: a point, and not the right one.
fn bad(world: &World, signer: u32) -> UncheckedVote {
    with_sigma(
        &world.vote_on(9, signer),
        &world.vote_on(10, signer).signature.0[..48],
    )
}

fn sums(builder: &mut Builder, world: &World) {
    let mut case = |id: &str, votes: &[UncheckedVote]| {
        let input = world.adding(world.message.commitment(), votes);
        builder.holds(id, "add_votes", input);
    };
    let all = world.votes(0..MEMBERS);
    case("the votes of all", &all);
    case("as many votes as a proof takes", &all[..5]);
    let reversed: Vec<_> = all.iter().rev().cloned().collect();
    case("the votes of all, the last one first", &reversed);
    let twice: Vec<_> = all.iter().chain(&all).cloned().collect();
    case("each vote twice", &twice);
    let with = |at: usize, vote: UncheckedVote| {
        let mut votes = all.clone();
        votes[at] = vote;
        votes
    };
    case("a vote that does not hold", &with(2, bad(world, 2)));
    case("two votes that do not hold", &{
        let mut votes = with(2, bad(world, 2));
        votes[6] = bad(world, 6);
        votes
    });
    let mut second = with(2, bad(world, 2));
    second.push(world.vote_on(9, 2));
    case(
        "a first vote that does not hold, and a second that does",
        &second,
    );
    let mut second = all.clone();
    second.push(bad(world, 2));
    case(
        "a first vote that holds, and a second that does not",
        &second,
    );
    // What is wrong in one is right in the other: the sum holds, and only the sum is checked.
    let mut exchanged = with(2, with_sigma(&all[2], &all[5].signature.0[..48]));
    exchanged[5] = with_sigma(&all[5], &all[2].signature.0[..48]);
    case("two votes with the signatures of each other", &exchanged);
    exchanged.push(bad(world, 2));
    case(
        "two votes with the signatures of each other, and a second one that does not hold",
        &exchanged,
    );
    case("a vote on another block", &with(2, world.vote_on(10, 2)));
    let unknown = UncheckedVote {
        signer: SignerIndex::new(MEMBERS),
        ..all[2].clone()
    };
    case("a vote of nobody in the set", &with(2, unknown));
    let mut other_set = all[2].clone();
    other_set.commitment.validator_set_id = SetId::new(8);
    case("a vote that names another set", &with(2, other_set));
    for point in G1.iter().filter(|point| point.verdict.is_err()) {
        let id = format!("a vote whose signature is {}", point.name);
        case(&id, &with(2, with_sigma(&all[2], &point.bytes)));
    }
}

fn refused_sums(builder: &mut Builder, world: &World) {
    let all = world.votes(0..MEMBERS);
    let mut case = |rule: &str, id: &str, commitment: &Commitment, votes: &[UncheckedVote]| {
        builder.breaks(rule, id, "add_votes", world.adding(commitment, votes));
    };
    let commitment = world.message.commitment();
    case("JUST-4", "no votes", commitment, &[]);
    case(
        "JUST-4",
        "a vote less than a proof takes",
        commitment,
        &all[..4],
    );
    let mut repeated = all[..4].to_vec();
    repeated.push(all[3].clone());
    case(
        "JUST-4",
        "a signer twice in place of the fifth",
        commitment,
        &repeated,
    );
    let mut four = all[..5].to_vec();
    four[2] = bad(world, 2);
    case(
        "JUST-4",
        "five votes, one of which does not hold",
        commitment,
        &four,
    );
    let other = world.set.commitment(10, &world.set.set);
    case("JUST-4", "votes on another block", &other, &all);
    let mut of_other_set = commitment.clone();
    of_other_set.validator_set_id = SetId::new(8);
    case("JUST-1", "a message of another set", &of_other_set, &all);
}

fn extended(builder: &mut Builder, world: &World) {
    let proof = world.proof([0, 1, 3, 4, 6]);
    let mut case = |id: &str, votes: &[UncheckedVote]| {
        builder.holds(id, "extend", world.extending(&proof, votes));
    };
    case("no vote more", &[]);
    case("one late vote", &world.votes([2]));
    case("both late votes", &world.votes([2, 5]));
    case("both late votes, the last one first", &world.votes([5, 2]));
    case("a vote that the proof has", &world.votes([3]));
    case(
        "a vote that the proof has, and one that it lacks",
        &world.votes([3, 5]),
    );
    let all = world.extending(&world.proof(0..MEMBERS), &world.votes([2]));
    builder.holds("a proof of all", "extend", all);
}

fn refused_extensions(builder: &mut Builder, world: &World) {
    let proof = world.proof([0, 1, 3, 4, 6]);
    let mut case = |rule: &str, id: &str, votes: &[UncheckedVote]| {
        builder.breaks(rule, id, "extend", world.extending(&proof, votes));
    };
    case(
        "JUST-8",
        "a late vote on another block",
        &[world.vote_on(10, 2)],
    );
    case("JUST-4", "a late vote twice", &world.votes([2, 2]));
    case("VOTE-3", "a late vote that does not hold", &[bad(world, 2)]);
    let unknown = UncheckedVote {
        signer: SignerIndex::new(MEMBERS),
        ..world.vote_on(9, 2)
    };
    case("VOTE-2", "a late vote of nobody in the set", &[unknown]);
    let other = TestSet::new(8, 0..u64::from(MEMBERS));
    let message = RoundMessage::new(GENESIS, other.commitment(9, &other.set));
    let vote = other.vote(2, &message).expect("a member's vote");
    case(
        "VOTE-1",
        "a late vote of another set",
        &[vote.into_unchecked()],
    );
    let mut input = world.extending(&proof, &world.votes([2]));
    let mut unproven = proof.as_unchecked().clone();
    unproven.signature = world.proof(0..5).as_unchecked().signature;
    input["justification"] = json!(scale(&unproven));
    builder.breaks("JUST-5", "a proof that does not hold", "extend", input);
}

fn publishers(builder: &mut Builder, world: &World) {
    let mut case = |id: &str, commitment: &Commitment, members: u32| {
        let input = json!({ "commitment": scale(commitment), "members": members });
        builder.holds(id, "publishers", input);
    };
    let commitment = world.message.commitment();
    for members in [1, 2, 4, 7, 100, 1000] {
        case(
            &format!("the order of {members} members"),
            commitment,
            members,
        );
    }
    let mut other = commitment.clone();
    other.block_hash.0[31] ^= 1;
    case("the order for another block hash", &other, MEMBERS);
    let mut other = commitment.clone();
    other.next.len += 1;
    case("the order for another successor", &other, MEMBERS);
}
