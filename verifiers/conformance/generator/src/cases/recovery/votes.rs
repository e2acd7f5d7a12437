//! The signature of one member of a recovery set. (RECOVER-5, RECOVER-6, RECOVER-9)

use super::world::{no_points, vote_of, World, ELSEWHERE, GENESIS};
use crate::cases::builder::Builder;
use crate::{cases::builder::scale, format::hexed};
use codec::Encode;
use duet_curve::testing::{G1, G2};
use duet_primitives::{
    suite::{RECOVERY_POSSESSION_SUITE, RECOVERY_SUITE, SIGNATURE_SUITE},
    testing::{sign_point, TestSet},
    Pk2Bytes, RecoveryVote, SignatureBytes, SignerIndex,
};
use serde_json::{json, Value};

impl World {
    fn voted(&self, vote: &RecoveryVote) -> Value {
        let mut input = self.input("vote", vote);
        input["keys"] = json!(scale(&self.set.set.keyset().key_bytes()));
        input
    }
}

pub(super) fn add(builder: &mut Builder, world: &World) {
    let add_bad = |builder: &mut Builder, rule: &str, id: &str, vote: &RecoveryVote| {
        builder.breaks(
            rule,
            &format!("vote: {id}"),
            "recovery_vote",
            world.voted(vote),
        );
    };
    for signer in [0, 2, 6] {
        let id = format!("vote: of member {signer}");
        builder.holds(&id, "recovery_vote", world.voted(&world.vote(signer)));
    }
    let good = world.vote(2);
    for (rule, id, statement) in world.refused() {
        let vote = vote_of(&world.set, &statement, 2);
        add_bad(builder, rule, id, &vote);
    }
    for (id, statement) in world.changed() {
        let vote = RecoveryVote {
            statement,
            ..good.clone()
        };
        add_bad(builder, "JUST-5", id, &vote);
    }
    let with = |change: &dyn Fn(&mut RecoveryVote)| {
        let mut vote = good.clone();
        change(&mut vote);
        vote
    };
    let stranger = &TestSet::new(3, [99]);
    let signed = world.statement.signed_bytes(GENESIS);
    let in_suite = |suite, bytes: &[u8]| {
        let signature = sign_point(&world.set.secrets[2], suite, bytes).sigma();
        with(&|it| it.signature = signature)
    };
    let of_drills = [b"duet-recovery-v1/drill", &signed[26..]].concat();
    for (rule, id, vote) in [
        (
            "RECOVER-9",
            "of nobody in the set",
            with(&|it| it.signer = SignerIndex::new(7)),
        ),
        (
            "JUST-5",
            "of another member",
            with(&|it| it.signer = SignerIndex::new(1)),
        ),
        (
            "JUST-5",
            "with the pk2 of another",
            with(&|it| it.pk2 = world.vote(1).pk2),
        ),
        (
            "JUST-5",
            "with the signature of another",
            with(&|it| it.signature = world.vote(1).signature),
        ),
        (
            "JUST-5",
            "of a stranger",
            RecoveryVote {
                signer: good.signer,
                ..vote_of(stranger, &world.statement, 0)
            },
        ),
        (
            "JUST-5",
            "in the suite of votes",
            in_suite(SIGNATURE_SUITE, &signed),
        ),
        (
            "JUST-5",
            "in the suite of possession",
            in_suite(RECOVERY_POSSESSION_SUITE, &signed),
        ),
        (
            "JUST-5",
            "with the prefix of drills",
            in_suite(RECOVERY_SUITE, &of_drills),
        ),
        (
            "JUST-5",
            "without a prefix",
            in_suite(RECOVERY_SUITE, &signed[26..]),
        ),
    ] {
        add_bad(builder, rule, id, &vote);
    }
    let mut elsewhere = world.voted(&good);
    elsewhere["genesis_hash"] = json!(hexed(ELSEWHERE));
    builder.breaks(
        "JUST-5",
        "vote: on another chain",
        "recovery_vote",
        elsewhere,
    );
    for (rule, case) in no_points(&G1) {
        let vote = with(&|it| it.signature = SignatureBytes(case.bytes));
        let id = format!("a signature that is {}", case.name);
        add_bad(builder, &rule, &id, &vote);
    }
    for (rule, case) in no_points(&G2) {
        let vote = with(&|it| it.pk2 = Pk2Bytes(case.bytes));
        add_bad(
            builder,
            &rule,
            &format!("a pk2 that is {}", case.name),
            &vote,
        );
    }
    let mut longer = good.encode();
    longer.push(0);
    for (id, bytes) in [
        ("a byte behind it", &longer[..]),
        ("a byte less", &longer[..327]),
    ] {
        let mut input = world.voted(&good);
        input["vote"] = json!(hexed(bytes));
        builder.breaks("ENC-6", &format!("vote: {id}"), "recovery_vote", input);
    }
}
