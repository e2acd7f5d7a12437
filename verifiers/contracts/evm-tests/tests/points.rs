//! What a proof is made of: each of its bits, and each of its points.

// Points are made by blst, whose interface is C.
#![allow(unsafe_code)]

mod common;

use blst::{blst_p1, blst_p1_affine, blst_p2, blst_p2_affine, BLST_ERROR};
use common::{checkpoint, prove, GENESIS};
use duet_calldata::{g1, proof_bytes};
use duet_evm_tests::{rust_verdict, Chain, Verdict, FORKS};
use duet_light_client::{Mode, Trusted};
use duet_primitives::{testing::TestSet, RoundMessage, StatelessProof};

/// The order of the subgroups, as blst takes it.
const ORDER: [u8; 32] = [
    0x01, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xfe, 0x5b, 0xfe, 0xff, 0x02, 0xa4, 0xbd, 0x53,
    0x05, 0xd8, 0xa1, 0x09, 0x08, 0xd8, 0x39, 0x33, 0x48, 0x7d, 0x9d, 0x29, 0x53, 0xa7, 0xed, 0x73,
];

#[test]
fn no_bit_of_what_the_contract_takes_is_free() {
    let (one, two) = (TestSet::new(3, 0..4), TestSet::new(4, 1..5));
    let begin = checkpoint(GENESIS, one.set.commitment());
    let fresh = Chain::new(FORKS[1], &begin).expect("deployed");
    let sent = proof_bytes(&prove(&one, 5, &two, 1), one.set.commitment());
    assert_eq!(fresh.clone().submit(&sent).0, Verdict::New);
    for place in 0..8 * sent.len() {
        let mut other = sent.clone();
        other[place / 8] ^= 1 << (place % 8);
        assert_eq!(
            fresh.clone().submit(&other).0,
            Verdict::Refused,
            "bit {place}"
        );
    }
}

/// A point of the curve of G1 that the order of the subgroup sends to another one than infinity: what is left of it there.
fn torsion_of_g1() -> blst_p1 {
    let mut bytes = [0; 48];
    for x in 1.. {
        bytes[0] = 0x80;
        bytes[47] = x;
        let (mut affine, mut point, mut torsion) = (
            blst_p1_affine::default(),
            blst_p1::default(),
            blst_p1::default(),
        );
        // SAFETY: the buffers have the lengths that blst wants.
        unsafe {
            if blst::blst_p1_uncompress(&mut affine, bytes.as_ptr()) != BLST_ERROR::BLST_SUCCESS {
                continue;
            }
            blst::blst_p1_from_affine(&mut point, &affine);
            blst::blst_p1_mult(&mut torsion, &point, ORDER.as_ptr(), 255);
            if !blst::blst_p1_is_inf(&torsion) {
                return torsion;
            }
        }
    }
    unreachable!("most x are of a point outside the subgroup, or of none")
}

/// The same of G2.
fn torsion_of_g2() -> blst_p2 {
    let mut bytes = [0; 96];
    for x in 1.. {
        bytes[0] = 0x80;
        bytes[95] = x;
        let (mut affine, mut point, mut torsion) = (
            blst_p2_affine::default(),
            blst_p2::default(),
            blst_p2::default(),
        );
        // SAFETY: as above.
        unsafe {
            if blst::blst_p2_uncompress(&mut affine, bytes.as_ptr()) != BLST_ERROR::BLST_SUCCESS {
                continue;
            }
            blst::blst_p2_from_affine(&mut point, &affine);
            blst::blst_p2_mult(&mut torsion, &point, ORDER.as_ptr(), 255);
            if !blst::blst_p2_is_inf(&torsion) {
                return torsion;
            }
        }
    }
    unreachable!("as above")
}

/// The point that is left of a pairing when it is added: none, but it is outside the subgroup.
fn with_torsion_g1(bytes: &[u8; 48]) -> [u8; 48] {
    let (mut affine, mut point, mut out) = (blst_p1_affine::default(), torsion_of_g1(), [0; 48]);
    // SAFETY: as above.
    unsafe {
        let read = blst::blst_p1_uncompress(&mut affine, bytes.as_ptr());
        assert_eq!(read, BLST_ERROR::BLST_SUCCESS);
        blst::blst_p1_add_or_double_affine(&mut point, &point, &affine);
        blst::blst_p1_compress(out.as_mut_ptr(), &point);
    }
    out
}

/// The same of G2.
fn with_torsion_g2(bytes: &[u8; 96]) -> [u8; 96] {
    let (mut affine, mut point, mut out) = (blst_p2_affine::default(), torsion_of_g2(), [0; 96]);
    // SAFETY: as above.
    unsafe {
        let read = blst::blst_p2_uncompress(&mut affine, bytes.as_ptr());
        assert_eq!(read, BLST_ERROR::BLST_SUCCESS);
        blst::blst_p2_add_or_double_affine(&mut point, &point, &affine);
        blst::blst_p2_compress(out.as_mut_ptr(), &point);
    }
    out
}

/// Points outside the subgroup, beside the curve, at infinity and beyond the modulus, in the place of each point of a proof.
#[test]
fn each_point_of_a_proof_has_to_be_one_of_its_group() {
    let set = TestSet::new(3, 0..4);
    let begin = checkpoint(GENESIS, set.set.commitment());
    let valid = prove(&set, 5, &set, 1);
    let mut beside_g1 = [0; 48];
    beside_g1[0] = 0x80;
    while g1(&beside_g1)[95] != 1 {
        beside_g1[47] += 1;
    }
    let mut infinity_g1 = [0; 48];
    infinity_g1[0] = 0xc0;
    let beyond_g1 = [0x9f; 48];
    let mut infinity_g2 = [0; 96];
    infinity_g2[0] = 0xc0;
    let beyond_g2 = [0x9f; 96];
    let mut beside_g2 = valid.justification.apk2.0;
    beside_g2[95] ^= 1;

    let mut others: Vec<(&str, StatelessProof)> = Vec::new();
    let mut with = |name, change: &dyn Fn(&mut StatelessProof)| {
        let mut other = valid.clone();
        change(&mut other);
        others.push((name, other));
    };
    let signature = valid.justification.signature.0;
    for (name, point) in [
        (
            "signature outside the subgroup",
            with_torsion_g1(&signature),
        ),
        ("signature beside the curve", beside_g1),
        ("signature at infinity", infinity_g1),
        ("signature beyond the modulus", beyond_g1),
    ] {
        with(name, &|proof| proof.justification.signature.0 = point);
    }
    let apk2 = valid.justification.apk2.0;
    for (name, point) in [
        ("apk2 outside the subgroup", with_torsion_g2(&apk2)),
        ("apk2 beside the curve", beside_g2),
        ("apk2 at infinity", infinity_g2),
        ("apk2 beyond the modulus", beyond_g2),
    ] {
        with(name, &|proof| proof.justification.apk2.0 = point);
    }
    let key = valid.non_signers[0].0;
    for (name, point) in [
        ("key outside the subgroup", with_torsion_g1(&key)),
        ("key beside the curve", beside_g1),
        ("key at infinity", infinity_g1),
        ("key beyond the modulus", beyond_g1),
    ] {
        with(name, &|proof| proof.non_signers[0].0 = point);
    }

    let trusted = Trusted::from_checkpoint(begin.clone(), Mode::Stateless).expect("a checkpoint");
    for fork in FORKS {
        let fresh = Chain::new(fork, &begin).expect("deployed");
        let sent = proof_bytes(&valid, set.set.commitment());
        assert_eq!(fresh.clone().submit(&sent).0, Verdict::New);
        for (name, proof) in &others {
            let sent = proof_bytes(proof, set.set.commitment());
            assert_eq!(fresh.clone().submit(&sent).0, Verdict::Refused, "{name}");
            let by_rust = rust_verdict(&mut trusted.clone(), proof.clone());
            assert_eq!(by_rust, Verdict::Refused, "{name}");
        }
    }
}

/// SET-3: validators that hand off to a total outside the subgroup hand off to nobody.
#[test]
fn a_set_whose_total_is_outside_the_subgroup_proves_nothing() {
    let (one, two) = (TestSet::new(3, 0..4), TestSet::new(4, 1..5));
    let begin = checkpoint(GENESIS, one.set.commitment());
    let mut false_two = two.set.commitment().clone();
    false_two.apk1.0 = with_torsion_g1(&false_two.apk1.0);
    let mut handoff = one.commitment(5, &two.set);
    handoff.next = false_two.clone();
    let handoff = one.justify(&RoundMessage::new(GENESIS, handoff), 0..4);
    let handoff = StatelessProof::new(&handoff, one.set.keyset()).expect("members");
    // Its own proof holds for the true total, and in a pairing the false one is the same.
    let mut by_two = two.commitment(6, &two.set);
    by_two.next = false_two.clone();
    let by_two = two.justify(&RoundMessage::new(GENESIS, by_two), 0..4);
    let by_two = StatelessProof::new(&by_two, two.set.keyset()).expect("members");

    let mut trusted =
        Trusted::from_checkpoint(begin.clone(), Mode::Stateless).expect("a checkpoint");
    let mut chain = Chain::new(FORKS[1], &begin).expect("deployed");
    let sent = proof_bytes(&handoff, one.set.commitment());
    assert_eq!(chain.submit(&sent).0, Verdict::New);
    assert_eq!(rust_verdict(&mut trusted, handoff), Verdict::New);
    let sent = proof_bytes(&by_two, &false_two);
    assert_eq!(chain.submit(&sent).0, Verdict::Refused);
    assert_eq!(rust_verdict(&mut trusted, by_two), Verdict::Refused);
}

/// What the tests above rest on.
#[test]
fn what_these_tests_add_is_on_the_curve_and_outside_the_subgroup() {
    let mut affine = blst_p1_affine::default();
    let mut affine_2 = blst_p2_affine::default();
    // SAFETY: as above.
    unsafe {
        blst::blst_p1_to_affine(&mut affine, &torsion_of_g1());
        blst::blst_p2_to_affine(&mut affine_2, &torsion_of_g2());
        assert!(blst::blst_p1_affine_on_curve(&affine) && !blst::blst_p1_affine_in_g1(&affine));
        assert!(blst::blst_p2_affine_on_curve(&affine_2) && !blst::blst_p2_affine_in_g2(&affine_2));
    }
}
