//! Finality proofs with the keys and without. (JUST-1 to JUST-5, STATELESS-1, STATELESS-2)

use super::builder::{scale, Builder};
use crate::format::{hexed, File};
use codec::Encode;
use duet_curve::testing::{G1, G2};
use duet_primitives::{
    testing::{secret, TestSet},
    threshold, Bitfield, Justification, KeysetCommitment, MerkleProof, Pk2Bytes, RoundMessage,
    SetId, SignatureBytes, SignerIndex, StatelessProof, UncheckedJustification, H256,
};
use serde_json::{json, Value};

const GENESIS: H256 = H256::repeat_byte(1);
const SIZES: [u32; 5] = [1, 4, 7, 100, 1000];

pub(super) fn file() -> File {
    let mut builder = Builder::new(
        "justifications",
        "Finality proofs of sets of 1 to 1000, with the keys and without, and what the equation is made of.",
    );
    for size in SIZES {
        sizes(&mut builder, size);
    }
    let world = World::new(7);
    world.share(&mut builder);
    refused(&mut builder, &world);
    odd_points(&mut builder, &world);
    refused_stateless(&mut builder, &world);
    builder.file()
}

struct World {
    set: TestSet,
    message: RoundMessage,
}

impl World {
    fn new(size: u32) -> Self {
        let set = TestSet::new(3, 0..u64::from(size));
        let message = RoundMessage::new(GENESIS, set.commitment(9, &set.set));
        Self { set, message }
    }

    fn share(&self, builder: &mut Builder) {
        let set = self.set.set.keyset();
        builder.share(&format!("keys of {}", set.len()), set.key_bytes().encode());
        builder.share(&format!("set of {}", set.len()), set.commitment().encode());
    }

    fn len(&self) -> u32 {
        self.set.set.keyset().len()
    }

    /// A proof that `absent` members, spread over the set, did not sign.
    fn without(&self, absent: u32) -> Justification {
        let len = self.len();
        let missing = |signer: u32| {
            let Some(step) = len.checked_div(absent) else {
                return false;
            };
            signer.is_multiple_of(step) && signer / step < absent
        };
        self.set
            .justify(&self.message, (0..len).filter(|signer| !missing(*signer)))
    }

    fn input(&self, proof: &UncheckedJustification) -> Value {
        let set = self.set.set.keyset();
        json!({
            "genesis_hash": hexed(GENESIS),
            "commitment": scale(set.commitment()),
            "keys": scale(&set.key_bytes()),
            "justification": scale(proof),
        })
    }

    fn stateless(&self, proof: &StatelessProof) -> Value {
        json!({
            "genesis_hash": hexed(GENESIS),
            "commitment": scale(self.set.set.commitment()),
            "proof": scale(proof),
        })
    }
}

fn sizes(builder: &mut Builder, size: u32) {
    let world = World::new(size);
    world.share(builder);
    let most = size - threshold(size);
    let mut absences = vec![0, 1, 10, most];
    absences.retain(|absent| *absent <= most);
    absences.dedup();
    for absent in absences {
        let proof = world.without(absent);
        let id = format!("{size} members, {absent} absent");
        builder.holds(&id, "justification", world.input(proof.as_unchecked()));
        let stateless = StatelessProof::new(&proof, world.set.set.keyset()).expect("its set");
        builder.holds(
            &format!("{id}, stateless"),
            "stateless_proof",
            world.stateless(&stateless),
        );
    }
}

fn bits(len: u32, signers: impl IntoIterator<Item = u32>) -> Bitfield {
    Bitfield::from_indices(len, signers.into_iter().map(SignerIndex::new))
}

/// Each change, the rule that it breaks, and the same in a stateless proof, where the form of a proof comes first too.
fn refused(builder: &mut Builder, world: &World) {
    let good = world.set.justify(&world.message, 0..5).into_unchecked();
    let others = world.set.justify(&world.message, 2..7).into_unchecked();
    let stateless = StatelessProof::new(
        &world.set.justify(&world.message, 0..5),
        world.set.set.keyset(),
    );
    let stateless = stateless.expect("its set");
    let with = |change: &dyn Fn(&mut UncheckedJustification)| {
        let mut proof = good.clone();
        change(&mut proof);
        proof
    };
    for (rule, id, bad) in [
        (
            "JUST-1",
            "another set id",
            with(&|it| it.commitment.validator_set_id = SetId::new(4)),
        ),
        (
            "JUST-2",
            "a bitfield that is too long",
            with(&|it| it.signers = Bitfield::empty(9)),
        ),
        (
            "JUST-2",
            "a bitfield without bytes",
            with(&|it| it.signers = Bitfield::from_bytes(vec![])),
        ),
        (
            "JUST-3",
            "a padding bit",
            with(&|it| it.signers = Bitfield::from_bytes(vec![0x9f])),
        ),
        (
            "JUST-4",
            "four signers of seven",
            with(&|it| it.signers = bits(7, 0..4)),
        ),
        (
            "JUST-4",
            "nobody signed",
            with(&|it| it.signers = Bitfield::empty(7)),
        ),
        ("JUST-5", "another apk2", with(&|it| it.apk2 = others.apk2)),
        (
            "JUST-5",
            "another signature",
            with(&|it| it.signature = others.signature),
        ),
        (
            "JUST-5",
            "another block hash",
            with(&|it| it.commitment.block_hash = H256::zero()),
        ),
        (
            "JUST-5",
            "another successor",
            with(&|it| it.commitment.next.len = 8),
        ),
    ] {
        builder.breaks(rule, id, "justification", world.input(&bad));
        let bad = StatelessProof {
            justification: bad,
            ..stateless.clone()
        };
        builder.breaks(
            rule,
            &format!("{id}, stateless"),
            "stateless_proof",
            world.stateless(&bad),
        );
    }
    let both = with(&|it| (it.apk2, it.signature) = (others.apk2, others.signature));
    builder.breaks(
        "JUST-5",
        "the sums of others under these bits",
        "justification",
        world.input(&both),
    );
    let other_bits = with(&|it| it.signers = bits(7, 2..7));
    builder.breaks(
        "JUST-5",
        "the bits of others",
        "justification",
        world.input(&other_bits),
    );
    // To BLS alone this is a signature: −σ under −apk2. The sign bit tells a point from its negative. (ENC-1)
    let negated = with(&|it| {
        it.signature.0[0] ^= 0x20;
        it.apk2.0[0] ^= 0x20;
    });
    builder.breaks(
        "JUST-5",
        "signature and apk2 both negated",
        "justification",
        world.input(&negated),
    );
    let mut elsewhere = world.input(&good);
    elsewhere["genesis_hash"] = json!(hexed(H256::repeat_byte(2)));
    builder.breaks("JUST-5", "another chain", "justification", elsewhere);
    let mut longer = good.encode();
    longer.push(0);
    let mut input = world.input(&good);
    input["justification"] = json!(hexed(&longer));
    builder.breaks("ENC-6", "a byte behind it", "justification", input.clone());
    input["justification"] = json!(hexed(&longer[..longer.len() - 2]));
    builder.breaks("ENC-6", "a byte less", "justification", input);
}

/// ENC-1 to ENC-4 for the signature and `apk2`; a good point that is not the right one breaks the equation.
fn odd_points(builder: &mut Builder, world: &World) {
    let good = world.set.justify(&world.message, 0..5).into_unchecked();
    let rule = |verdict: Result<(), duet_curve::PointError>| match verdict {
        Ok(()) => "JUST-5".to_string(),
        Err(error) => error.to_string()[..5].to_string(),
    };
    for case in G1.iter() {
        let bad = UncheckedJustification {
            signature: SignatureBytes(case.bytes),
            ..good.clone()
        };
        let id = format!("a signature that is {}", case.name);
        builder.breaks(&rule(case.verdict), &id, "justification", world.input(&bad));
    }
    for case in G2.iter() {
        let bad = UncheckedJustification {
            apk2: Pk2Bytes(case.bytes),
            ..good.clone()
        };
        let id = format!("an apk2 that is {}", case.name);
        builder.breaks(&rule(case.verdict), &id, "justification", world.input(&bad));
    }
}

fn refused_stateless(builder: &mut Builder, world: &World) {
    let set = world.set.set.keyset();
    let proof = world.set.justify(&world.message, [0, 1, 3, 4, 6]);
    let good = StatelessProof::new(&proof, set).expect("its set");
    let keys = set.key_bytes();
    let with_keys = |keys: Vec<_>| StatelessProof {
        non_signers: keys,
        ..good.clone()
    };
    let no_hashes = StatelessProof {
        proof: MerkleProof::default(),
        ..good.clone()
    };
    let of_others = StatelessProof {
        proof: MerkleProof::prove(&keys, &[1, 5].map(SignerIndex::new)).expect("members"),
        ..good.clone()
    };
    // The attack that the multiproof is for: a non-signer that turns the total into a key of one's own.
    let stranger = secret(99).public().pk1();
    for (rule, id, bad) in [
        (
            "STATELESS-1",
            "a non-signer's key is missing",
            with_keys(vec![keys[2]]),
        ),
        (
            "STATELESS-1",
            "a key too many",
            with_keys(vec![keys[2], keys[5], keys[6]]),
        ),
        (
            "STATELESS-2",
            "keys in each other's place",
            with_keys(vec![keys[5], keys[2]]),
        ),
        (
            "STATELESS-2",
            "the key of a stranger",
            with_keys(vec![stranger, keys[5]]),
        ),
        ("STATELESS-2", "no hashes", no_hashes),
        ("STATELESS-2", "the hashes of other positions", of_others),
    ] {
        builder.breaks(rule, id, "stateless_proof", world.stateless(&bad));
    }
    builder.holds(
        "two of seven absent, stateless",
        "stateless_proof",
        world.stateless(&good),
    );
    let all = world.set.justify(&world.message, 0..7);
    let all = StatelessProof::new(&all, set).expect("its set");
    let with_hash = StatelessProof {
        proof: of_hash(),
        ..all
    };
    builder.breaks(
        "STATELESS-2",
        "a hash where all signed",
        "stateless_proof",
        world.stateless(&with_hash),
    );
    total_is_no_point(builder, world, &good);
}

fn of_hash() -> MerkleProof {
    codec::Decode::decode(&mut &vec![H256::zero()].encode()[..]).expect("a list of one hash")
}

/// A commitment is trusted and its total still decoded in full: nobody registered it. (SET-3, SET-5)
fn total_is_no_point(builder: &mut Builder, world: &World, good: &StatelessProof) {
    for case in G1.iter().filter(|case| case.verdict.is_err()) {
        let mut set: KeysetCommitment = world.set.set.commitment().clone();
        set.apk1.0 = case.bytes;
        let mut input = world.stateless(good);
        input["commitment"] = json!(scale(&set));
        let id = format!("a total that is {}", case.name);
        builder.breaks("SET-3", &id, "stateless_proof", input);
    }
}
