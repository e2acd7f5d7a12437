//! Targets of finality proofs: alone, many together, and for verifiers without keys.

use crate::{
    judge, odd, related,
    sample::{GENESIS, SAMPLE},
    target::{seed, Input, Seed, Target},
    wire::decoded,
};
use codec::Encode;
use duet_primitives::{
    check_stateless, prepare_stateless, Bitfield, BlockNumber, JustificationError, Pk1Bytes,
    Pk2Bytes, PreparedJustification, SetId, SignatureBytes, SignerIndex, StatelessProof,
    UncheckedJustification,
};
use std::sync::LazyLock;

/// The targets of finality proofs.
pub(crate) const TARGETS: [Target; 3] = [
    Target {
        // JUST-1 to JUST-5.
        name: "justification",
        run: justification,
        seeds: justification_seeds,
    },
    Target {
        // JUST-6.
        name: "justifications",
        run: justifications,
        seeds: batch_seeds,
    },
    Target {
        // STATELESS-1, STATELESS-2.
        name: "stateless",
        run: stateless,
        seeds: stateless_seeds,
    },
];

fn judged(proof: &UncheckedJustification) -> Result<(), JustificationError> {
    let set = SAMPLE.set.set.keyset();
    let set = judge::Set {
        id: SetId::new(3),
        keys: &set.key_bytes(),
        genesis: GENESIS,
    };
    judge::justification(proof, &set)
}

fn checked(proof: &UncheckedJustification) -> Result<(), JustificationError> {
    let set = SAMPLE.set.set.keyset();
    proof.clone().check(set, GENESIS).map(|_| ())
}

fn justification(data: &[u8]) {
    if let Some(proof) = decoded::<UncheckedJustification>(data) {
        assert_eq!(checked(&proof), judged(&proof));
    }
}

/// Proofs that hold: by all, by the threshold, and by one more.
static GOOD: LazyLock<Vec<UncheckedJustification>> = LazyLock::new(|| {
    let sample = &*SAMPLE;
    let by = |message, signers: &[u32]| {
        let signers = signers.iter().copied();
        sample.set.justify(message, signers).into_unchecked()
    };
    vec![
        by(&sample.message, &[0, 1, 2, 3, 4, 5, 6]),
        by(&sample.message, &[0, 1, 3, 4, 6]),
        by(&sample.message, &[1, 2, 3, 4, 5, 6]),
        by(&sample.other, &[0, 2, 3, 4, 5]),
    ]
});

/// What each byte of a recipe does to a proof.
fn deviate(proof: &mut UncheckedJustification, input: &mut Input<'_>) {
    match input.byte() % 8 {
        0 => {}
        1 => proof.signature = SignatureBytes(odd::G1[input.place(odd::G1.len())].1),
        2 => proof.apk2 = Pk2Bytes(odd::G2[input.place(odd::G2.len())].1),
        // Errors that would cancel if proofs were added up without weights.
        3 => proof.signature.0 = related::plus_multiple(&proof.signature.0, input.byte(), true),
        4 => proof.signature.0 = related::plus_multiple(&proof.signature.0, input.byte(), false),
        5 => proof.signature.0 = related::plus_small(&proof.signature.0, input.place(5)),
        6 => proof.apk2.0 = related::plus_small_g2(&proof.apk2.0, input.place(5)),
        _ => proof.signers = Bitfield::from_bytes(vec![input.byte()]),
    }
}

fn justifications(data: &[u8]) {
    let mut input = Input(data);
    let mut proofs = Vec::new();
    while !input.is_empty() && proofs.len() < 6 {
        let mut proof = GOOD[input.place(GOOD.len())].clone();
        deviate(&mut proof, &mut input);
        proofs.push(proof);
    }
    let set = SAMPLE.set.set.keyset();
    let mut opened = Vec::new();
    let mut pending: Vec<PreparedJustification> = Vec::new();
    for proof in &proofs {
        if let Ok(one) = proof.clone().prepare(set, GENESIS, pending.last()) {
            opened.push(proof);
            pending.push(one);
        }
    }
    let holding = opened
        .iter()
        .take_while(|proof| checked(proof).is_ok())
        .count();
    let together = PreparedJustification::verify_all(pending);
    assert_eq!(together.len(), holding, "together and one by one");
    for (together, proof) in together.iter().zip(opened) {
        assert_eq!(together.as_unchecked(), proof);
        assert_eq!(judged(proof), Ok(()));
    }
}

fn batch_seeds() -> Vec<Seed> {
    vec![
        seed("none", []),
        seed("good", [0, 0, 1, 0, 2, 0, 3, 0]),
        seed("errors that cancel", [0, 3, 5, 1, 4, 5, 2, 0]),
        seed("errors that cancel in one proof twice", [0, 3, 9, 0, 4, 9]),
        seed("a bad one last", [0, 0, 1, 0, 2, 3, 1]),
        seed("a bad one first", [0, 3, 1, 1, 0, 2, 0]),
        seed("small orders that cancel", [0, 5, 0, 0, 5, 0, 0, 5, 0]),
        seed("small orders in g2", [0, 6, 0, 1, 6, 1, 2, 6, 2, 3, 6, 3]),
        seed("other signers", [0, 7, 0x1f, 1, 7, 0x7f, 2, 7, 0xff]),
        seed("odd points", [0, 1, 3, 1, 2, 4, 2, 1, 20, 3, 2, 20]),
    ]
}

fn justification_seeds() -> Vec<Seed> {
    let mut seeds = Vec::new();
    for (place, good) in GOOD.iter().enumerate() {
        seeds.push(seed(format!("good {place}"), good.encode()));
    }
    let good = &GOOD[1];
    let mut with = |name: String, change: &dyn Fn(&mut UncheckedJustification)| {
        let mut changed = good.clone();
        change(&mut changed);
        seeds.push(seed(name, changed.encode()));
    };
    for (name, bytes) in odd::G1.iter() {
        with(format!("signature {name}"), &|proof| {
            proof.signature.0 = *bytes
        });
    }
    for (name, bytes) in odd::G2.iter() {
        with(format!("apk2 {name}"), &|proof| proof.apk2.0 = *bytes);
    }
    for place in 0..5 {
        with(format!("signature plus small {place}"), &|proof| {
            proof.signature.0 = related::plus_small(&proof.signature.0, place);
        });
        with(format!("apk2 plus small {place}"), &|proof| {
            proof.apk2.0 = related::plus_small_g2(&proof.apk2.0, place);
        });
    }
    for field in [0, 0x1f, 0x0f, 0x7f, 0xff, 0x80] {
        with(format!("signers {field}"), &|proof| {
            proof.signers = Bitfield::from_bytes(vec![field])
        });
    }
    for len in [0, 2, 12_500] {
        with(format!("{len} bytes of signers"), &|proof| {
            proof.signers = Bitfield::from_bytes(vec![0xff; len])
        });
    }
    with("another set".into(), &|proof| {
        proof.commitment.validator_set_id = SetId::new(4)
    });
    with("another block".into(), &|proof| {
        proof.commitment.block_number = BlockNumber::new(10)
    });
    // A list that claims to be longer than any, and one that claims what is not there.
    let head = good.commitment.encode();
    for (name, len) in [
        ("12501", 12_501_u32),
        ("12500", 12_500),
        ("a gigabyte of", 1 << 29),
    ] {
        seeds.push(seed(
            format!("claims {name} bytes"),
            [head.clone(), codec::Compact(len).encode()].concat(),
        ));
    }
    seeds
}

fn stateless(data: &[u8]) {
    let Some(proof) = decoded::<StatelessProof>(data) else {
        return;
    };
    let set = SAMPLE.set.set.keyset();
    let alone = check_stateless(proof.clone(), set.commitment(), GENESIS).map(|_| ());
    let opened = prepare_stateless(proof.clone(), set.commitment(), GENESIS, None)
        .and_then(|prepared| Ok(prepared.verify()?))
        .map(|_| ());
    assert_eq!(alone, opened);
    match (&alone, judged(&proof.justification)) {
        (Ok(()), judged) => {
            assert_eq!(judged, Ok(()));
            let keys = set.key_bytes();
            let signers = &proof.justification.signers;
            let missing = (0..7)
                .zip(keys)
                .filter(|(place, _)| !signers.contains(SignerIndex::new(*place)));
            assert!(missing
                .map(|(_, key)| key)
                .eq(proof.non_signers.iter().copied()));
        }
        (Err(duet_primitives::StatelessError::Justification(error)), judged) => {
            assert_eq!(judged, Err(*error), "the same verdict with keys");
        }
        (Err(_), _) => {}
    }
}

fn stateless_seeds() -> Vec<Seed> {
    let sample = &*SAMPLE;
    let keyset = sample.set.set.keyset();
    let by = |signers: &[u32]| {
        let proof = sample.set.justify(&sample.message, signers.iter().copied());
        StatelessProof::new(&proof, keyset).expect("of this set")
    };
    let mut seeds = vec![
        seed("by all", by(&[0, 1, 2, 3, 4, 5, 6]).encode()),
        seed("by six", by(&[0, 1, 2, 3, 4, 6]).encode()),
        seed("by five", by(&[1, 2, 3, 5, 6]).encode()),
    ];
    let good = by(&[0, 2, 3, 4, 6]);
    let mut with = |name: String, change: &dyn Fn(&mut StatelessProof)| {
        let mut changed = good.clone();
        change(&mut changed);
        seeds.push(seed(name, changed.encode()));
    };
    for (name, bytes) in odd::G1.iter() {
        with(format!("key {name}"), &|proof| {
            proof.non_signers[0] = Pk1Bytes(*bytes)
        });
        with(format!("signature {name}"), &|proof| {
            proof.justification.signature.0 = *bytes
        });
    }
    for (name, bytes) in odd::G2.iter() {
        with(format!("apk2 {name}"), &|proof| {
            proof.justification.apk2.0 = *bytes
        });
    }
    with("a key too few".into(), &|proof| {
        proof.non_signers.truncate(1)
    });
    with("a key too many".into(), &|proof| {
        proof.non_signers.push(proof.non_signers[0])
    });
    with("keys exchanged".into(), &|proof| {
        proof.non_signers.reverse()
    });
    with("the proof of others".into(), &|proof| {
        proof.proof = by(&[1, 2, 3, 5, 6]).proof
    });
    with("no proof".into(), &|proof| proof.proof = Default::default());
    seeds
}
