//! Targets of sets of keys: Merkle proofs, commitments and bitfields.

use crate::{
    judge, odd, related,
    sample::SAMPLE,
    target::{seed, Input, Seed, Target},
    wire::decoded,
};
use codec::Encode;
use duet_primitives::{
    suite::MAX_VALIDATORS, testing::secret, Bitfield, KeyError, Keyset, KeysetCommitment,
    KeysetError, MerkleError, MerkleProof, Pk1Bytes, SetId, SignerIndex,
};
use std::sync::LazyLock;

/// The targets of sets.
pub(crate) const TARGETS: [Target; 3] = [
    Target {
        // SET-2.
        name: "merkle",
        run: merkle,
        seeds: merkle_seeds,
    },
    Target {
        // SET-1 to SET-3.
        name: "keyset",
        run: keyset,
        seeds: keyset_seeds,
    },
    Target {
        // JUST-2.
        name: "bitfield",
        run: bitfield,
        seeds: bitfield_seeds,
    },
];

/// Sorted keys of a tree.
static KEYS: LazyLock<Vec<Pk1Bytes>> = LazyLock::new(|| {
    let mut keys: Vec<_> = (0..21).map(|index| secret(index).public().pk1()).collect();
    keys.sort();
    keys
});

/// How many places, which, the size of the set, whether the keys are those of the tree, and the proof.
fn merkle(data: &[u8]) {
    let mut input = Input(data);
    let size = input.place(KEYS.len()) + 1;
    let tree = &KEYS[..size];
    let root = judge::root(tree);
    let claimed = match input.byte() {
        0 => u32::from_le_bytes(input.array()),
        _ => u32::try_from(size).expect("small"),
    };
    let count = input.place(9);
    let mut placed = Vec::new();
    for _ in 0..count {
        let place = input.byte();
        let key = match input.byte() {
            255 => Pk1Bytes(input.array()),
            other => KEYS[(usize::from(place) + usize::from(other)) % KEYS.len()],
        };
        placed.push((SignerIndex::new(u32::from(place)), key));
    }
    let rest = input.rest();
    // One byte stands for the proof that a server would send.
    let proof = match rest {
        [_] => {
            let places: Vec<_> = placed.iter().map(|(place, _)| *place).collect();
            MerkleProof::prove(tree, &places).ok()
        }
        _ => decoded::<MerkleProof>(rest),
    };
    let Some(proof) = proof else { return };
    let hashes = judge::hashes_of(&proof);
    let verdict = proof.check(root, claimed, &placed);
    let expected = judge::merkle(&hashes, root, claimed, &placed);
    assert_eq!(verdict, expected);
    if verdict.is_ok() && claimed as usize == size {
        for (place, key) in &placed {
            assert_eq!(
                tree.get(place.get() as usize),
                Some(key),
                "a key that is proven stands there"
            );
        }
    }
    if matches!(rest, [_]) && claimed as usize == size {
        let honest = placed
            .iter()
            .all(|(place, key)| tree.get(place.get() as usize) == Some(key));
        assert_eq!(
            verdict,
            if honest {
                Ok(())
            } else {
                Err(MerkleError::Root)
            }
        );
    }
}

fn merkle_seeds() -> Vec<Seed> {
    let mut seeds = Vec::new();
    for size in [1_u8, 2, 3, 4, 5, 7, 8, 9, 16, 17, 21] {
        for places in [
            &[0][..],
            &[size - 1],
            &[0, size - 1],
            &[0, size / 2, size - 1],
            &[0, 1, 2, 3],
        ] {
            let count = u8::try_from(places.len()).expect("few");
            let mut bytes = vec![size - 1, 1, count];
            places.iter().for_each(|place| bytes.extend([*place, 0]));
            seeds.push(seed(
                format!("{places:?} of {size}"),
                [&bytes[..], &[0]].concat(),
            ));
            let places: Vec<_> = places
                .iter()
                .map(|place| SignerIndex::new(u32::from(*place)))
                .collect();
            if let Ok(proof) = MerkleProof::prove(&KEYS[..usize::from(size)], &places) {
                seeds.push(seed(
                    format!("{places:?} of {size} with hashes"),
                    [bytes, proof.encode()].concat(),
                ));
            }
        }
    }
    seeds.push(seed(
        "a set of four billion",
        [4, 0, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0],
    ));
    seeds.push(seed("a set of none", [4, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]));
    seeds.push(seed("nothing to prove", [4, 1, 0, 0]));
    seeds.push(seed(
        "a gigabyte of hashes",
        [4, 1, 1, 0, 0, 0xfe, 0xff, 0xff, 0xff],
    ));
    seeds
}

/// One byte says whose commitment: the one of the keys, with changes, or the one that follows.
fn keyset(data: &[u8]) {
    let mut input = Input(data);
    let mode = input.byte();
    let foreign: Option<KeysetCommitment> = match mode {
        1 => decoded(&input.array::<92>()),
        _ => None,
    };
    let keys: Vec<_> = input
        .rest()
        .chunks(48)
        .take(12)
        .map(|key| Pk1Bytes(Input(key).array()))
        .collect();
    let made = KeysetCommitment::of_stored_unchecked(SetId::new(5), &keys);
    let expected = judge::keyset(SetId::new(5), &keys);
    assert_eq!(made, expected);
    if let Some(commitment) = foreign {
        let verdict = Keyset::check(&commitment, &keys).map(|set| set.commitment().clone());
        match expected {
            Ok(expected)
                if commitment
                    == KeysetCommitment {
                        id: commitment.id,
                        ..expected.clone()
                    } =>
            {
                let total = judge::g1(&commitment.apk1.0).map_err(KeyError::Pk1);
                let total = total.map_err(KeysetError::InvalidTotal);
                assert_eq!(verdict, total.map(|_| commitment));
            }
            _ => assert!(
                verdict.is_err(),
                "no other commitment is that of these keys"
            ),
        }
    }
    let Ok(commitment) = made else { return };
    let set = match Keyset::check(&commitment, &keys) {
        Ok(set) => set,
        Err(KeysetError::InvalidTotal(error)) => {
            let total = judge::g1(&commitment.apk1.0).map_err(KeyError::Pk1);
            assert_eq!(total.map(drop), Err(error));
            return;
        }
        Err(error) => panic!("the commitment is that of the keys: {error}"),
    };
    assert_eq!(set.key_bytes(), keys);
    for (place, key) in (0..).zip(&keys) {
        assert_eq!(set.position(key), Some(SignerIndex::new(place)));
    }
    let mut changed = commitment.clone();
    changed.apk1.0[47] ^= 1;
    let refused = Keyset::check(&changed, &keys).map(|_| ());
    let (expected, got) = (changed.apk1, commitment.apk1);
    assert_eq!(refused, Err(KeysetError::Total { expected, got }));
}

fn keyset_seeds() -> Vec<Seed> {
    let joined = |keys: &[Pk1Bytes]| keys.iter().flat_map(|key| key.0).collect::<Vec<_>>();
    let with_mode = |mode: &[u8], keys: &[Pk1Bytes]| [mode, &joined(keys)].concat();
    let of_seven = SAMPLE.set.set.keyset().key_bytes();
    let commitment = [&[1][..], &SAMPLE.set.set.commitment().encode()].concat();
    let key = of_seven[2];
    let negative = Pk1Bytes(related::minus(&key.0));
    let double = Pk1Bytes(related::twice(&key.0));
    let sorted = |mut keys: Vec<Pk1Bytes>| {
        keys.sort();
        keys
    };
    let mut seeds = vec![
        seed("none", [0]),
        seed("one", with_mode(&[0], &[key])),
        seed("seven", with_mode(&[0], &of_seven)),
        seed(
            "seven and their commitment",
            with_mode(&commitment, &of_seven),
        ),
        seed(
            "others and their commitment",
            with_mode(&commitment, &SAMPLE.next.set.keyset().key_bytes()),
        ),
        seed("out of order", with_mode(&[0], &[of_seven[1], of_seven[0]])),
        seed("one twice", with_mode(&[0], &[key, key])),
        seed(
            "a key and its negative",
            with_mode(&[0], &sorted(vec![key, negative])),
        ),
        seed(
            "a key, its negative and another",
            with_mode(&[0], &sorted(vec![key, negative, of_seven[0]])),
        ),
        seed(
            "a key and its double",
            with_mode(&[0], &sorted(vec![key, double])),
        ),
        seed(
            "keys that cancel but for one",
            with_mode(
                &[0],
                &sorted(vec![key, double, Pk1Bytes(related::minus(&double.0))]),
            ),
        ),
    ];
    for (name, bytes) in odd::G1.iter() {
        let keys = sorted(vec![of_seven[0], Pk1Bytes(*bytes), of_seven[1]]);
        seeds.push(seed(format!("with {name}"), with_mode(&[0], &keys)));
    }
    seeds
}

fn bitfield(data: &[u8]) {
    let mut input = Input(data);
    let len = u32::from(u16::from_le_bytes(input.array())) % 600;
    let bytes = input.rest();
    if let Some(field) = decoded::<Bitfield>(bytes) {
        assert!(field.as_bytes().len() <= MAX_VALIDATORS.div_ceil(8) as usize);
    }
    let field = Bitfield::from_bytes(bytes.to_vec());
    let is_set = |place: u32| {
        bytes
            .get((place / 8) as usize)
            .is_some_and(|byte| byte >> (place % 8) & 1 == 1)
    };
    let places = |is: &dyn Fn(u32) -> bool| -> Vec<_> {
        (0..len)
            .filter(|place| is(*place))
            .map(SignerIndex::new)
            .collect()
    };
    let set: Vec<_> = places(&|place| is_set(place));
    let clear: Vec<_> = places(&|place| !is_set(place));
    assert!(field.signers(len).eq(set.iter().copied()));
    assert!(field.non_signers(len).eq(clear.iter().copied()));
    assert_eq!(
        field.count() as usize,
        bytes
            .iter()
            .map(|byte| byte.count_ones() as usize)
            .sum::<usize>()
    );
    let again = Bitfield::from_indices(len, set.iter().copied());
    assert!(again.signers(len).eq(set.iter().copied()));
    assert_eq!(again.count() as usize, set.len());
    assert_eq!(again.as_bytes().len(), len.div_ceil(8) as usize);
}

fn bitfield_seeds() -> Vec<Seed> {
    let mut seeds = Vec::new();
    for len in [0_u16, 1, 7, 8, 9, 63, 64, 65, 200] {
        for byte in [0, 1, 0x80, 0xff] {
            let bytes = [
                &len.to_le_bytes()[..],
                &vec![byte; usize::from(len).div_ceil(8)],
            ]
            .concat();
            seeds.push(seed(format!("{len} of {byte}"), bytes));
        }
    }
    seeds.push(seed(
        "a long one encoded",
        [&[7, 0][..], &vec![0xff; 100].encode()].concat(),
    ));
    seeds.push(seed("a gigabyte", [7, 0, 2, 0, 0, 0xff]));
    seeds
}
