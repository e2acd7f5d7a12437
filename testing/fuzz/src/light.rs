//! Targets of the light client.

use crate::{
    odd,
    target::{seed, Input, Seed, Target},
    wire::{decoded_by, PER_BYTE},
};
use codec::{DecodeAll, Encode};
use duet_light_client::{
    decode, testing::TestChain, Checkpoint, GenesisProof, HandoffProof, Mode, Outcome, Received,
    Trusted, Update,
};
use duet_primitives::{
    BlockNumber, Pk1Bytes, Pk2Bytes, SetId, SignatureBytes, StatelessProof, UncheckedJustification,
    H256,
};
use sp_core::{Blake2Hasher, Hasher};
use std::{fmt::Debug, sync::LazyLock};

/// The targets of the light client.
pub const TARGETS: [Target; 4] = [
    Target {
        name: "light_decode",
        run: light_decode,
        seeds: decode_seeds,
    },
    Target {
        name: "light_genesis",
        run: genesis,
        seeds: genesis_seeds,
    },
    Target {
        name: "light_update",
        run: update,
        seeds: update_seeds,
    },
    Target {
        name: "light_state",
        run: state,
        seeds: state_seeds,
    },
];

const SETS: u64 = 3;

static CHAIN: LazyLock<TestChain> = LazyLock::new(|| TestChain::new(SETS, 4, 1));

/// The decoder of the client bounds the length, and reads what the codec reads.
fn received<T: Received + Encode + PartialEq + Debug>(bytes: &[u8]) -> Option<T> {
    let value = decoded_by(bytes, PER_BYTE, |bytes| decode::<T>(bytes).ok());
    let by_codec = T::decode_all(&mut &*bytes).ok();
    assert!(value == by_codec || bytes.len() > T::MAX_LEN);
    value
}

fn light_decode(data: &[u8]) {
    let mut input = Input(data);
    let which = input.byte();
    let bytes = input.rest();
    match which % 7 {
        0 => drop(received::<UncheckedJustification>(bytes)),
        1 => drop(received::<StatelessProof>(bytes)),
        2 => drop(received::<HandoffProof>(bytes)),
        3 => drop(received::<Vec<HandoffProof>>(bytes)),
        4 => drop(received::<Vec<StatelessProof>>(bytes)),
        5 => drop(received::<Vec<Pk1Bytes>>(bytes)),
        _ => drop(received::<GenesisProof>(bytes)),
    }
}

fn decode_seeds() -> Vec<Seed> {
    let chain = &*CHAIN;
    let justification = chain.justification(2).expect("a proof");
    let stateless = chain.stateless_proof(2).expect("a proof");
    let sets = chain.handoff_proofs(0, 2);
    let encoded = [
        ("justification", justification.encode()),
        ("stateless proof", stateless.encode()),
        ("handoff proof", sets[0].encode()),
        ("handoff proofs", sets.encode()),
        (
            "stateless proofs",
            chain.stateless_handoff_proofs(0, 2).encode(),
        ),
        ("keys", chain.keys(0).expect("keys").encode()),
        ("genesis proof", chain.genesis_proof().encode()),
    ];
    let mut seeds = Vec::new();
    for (which, (name, bytes)) in (0_u8..).zip(encoded) {
        seeds.push(seed(name, [&[which][..], &bytes].concat()));
        // A list that claims to hold a billion, at the front.
        seeds.push(seed(
            format!("{name} claims a billion"),
            [which, 3, 0xff, 0xff, 0xff, 0x3f, 0],
        ));
    }
    // Many empty lists: the most memory for a byte.
    let nodes = vec![Vec::<u8>::new(); 1500];
    let empty = (Vec::<u8>::new(), nodes, Vec::<Pk1Bytes>::new()).encode();
    seeds.push(seed(
        "genesis proof of empty nodes",
        [&[6][..], &empty].concat(),
    ));
    seeds
}

/// Whom a proof is said to be of: the chain; a header that is pinned whatever it says; a state root that is that of
/// the first node.
fn genesis(data: &[u8]) {
    let mut input = Input(data);
    let mode = input.byte() % 3;
    let Some(mut proof) = received::<GenesisProof>(input.rest()) else {
        return;
    };
    if let (2, Some(node), Some(root)) = (mode, proof.nodes.first(), proof.header.get_mut(33..65)) {
        root.copy_from_slice(Blake2Hasher::hash(node).as_bytes());
    }
    let hash = match mode {
        0 => CHAIN.genesis_hash,
        _ => Blake2Hasher::hash(&proof.header),
    };
    let Ok(found) = proof.check(hash) else { return };
    assert_eq!(found.hash, hash);
    assert_eq!(found.keys.commitment(), &found.keysets.current);
    assert_eq!(found.keys.key_bytes(), proof.keys);
    if hash == CHAIN.genesis_hash {
        assert_eq!(Some(proof.keys), CHAIN.keys(0));
    }
}

fn genesis_seeds() -> Vec<Seed> {
    let good = CHAIN.genesis_proof();
    let mut seeds = Vec::new();
    let mut with = |name: &str, change: &dyn Fn(&mut GenesisProof)| {
        for mode in 0..3 {
            let mut changed = good.clone();
            change(&mut changed);
            seeds.push(seed(
                format!("{name} {mode}"),
                [&[mode][..], &changed.encode()].concat(),
            ));
        }
    };
    with("good", &|_| {});
    with("a node twice", &|proof| {
        proof.nodes.push(proof.nodes[0].clone())
    });
    with("a node less", &|proof| drop(proof.nodes.pop()));
    with("an empty node", &|proof| proof.nodes.push(Vec::new()));
    with("no nodes", &|proof| proof.nodes.clear());
    with("no header", &|proof| proof.header.clear());
    with("block one", &|proof| proof.header[32] = 4);
    with("a digest of a gigabyte", &|proof| {
        *proof.header.last_mut().expect("a digest") = 2
    });
    with("other keys", &|proof| proof.keys.reverse());
    with("one key", &|proof| proof.keys.truncate(1));
    with("only the last node", &|proof| {
        drop(proof.nodes.drain(..proof.nodes.len() - 1))
    });
    seeds
}

/// What the client begins with: the checkpoint of set 0, with its keys where it keeps them.
static BEGINNINGS: LazyLock<[Trusted; 2]> = LazyLock::new(|| {
    let full = Trusted::from_checkpoint(CHAIN.checkpoint(0), Mode::Full).expect("a checkpoint");
    let full = full
        .with_keys(SetId::new(0), &CHAIN.keys(0).expect("keys"))
        .expect("its keys");
    let stateless = Trusted::from_checkpoint(CHAIN.checkpoint(0), Mode::Stateless);
    [full, stateless.expect("a checkpoint")]
});

const PROOFS: [u32; 9] = [2, 5, 8, 12, 15, 18, 22, 25, 28];

/// What one byte after the number of a proof changes in it.
fn deviate(update: &mut Update, input: &mut Input<'_>) {
    let what = input.byte() % 16;
    let proof = match update {
        Update::Justification(proof) => proof,
        Update::Handoff(set) => {
            match what {
                9 => set.next_keys.reverse(),
                10 => drop(set.next_keys.pop()),
                11 => set.next_keys[0] = Pk1Bytes(odd::G1[input.place(odd::G1.len())].1),
                _ => {}
            }
            &mut set.justification
        }
        Update::Stateless(proof) => {
            match what {
                9 => proof.non_signers.reverse(),
                10 => drop(proof.non_signers.pop()),
                11 => proof.non_signers = vec![Pk1Bytes(odd::G1[input.place(odd::G1.len())].1)],
                12 => proof.proof = Default::default(),
                _ => {}
            }
            &mut proof.justification
        }
    };
    match what {
        1 => proof.signature = SignatureBytes(odd::G1[input.place(odd::G1.len())].1),
        2 => proof.apk2 = Pk2Bytes(odd::G2[input.place(odd::G2.len())].1),
        3 => proof.commitment.block_hash = H256([input.byte(); 32]),
        4 => proof.commitment.block_number = BlockNumber::new(u32::from(input.byte())),
        5 => proof.commitment.validator_set_id = SetId::new(u64::from(input.byte())),
        6 => proof.commitment.next.id = SetId::new(u64::from(input.byte())),
        7 => proof.commitment.next.len = u32::from(input.byte()),
        8 => {
            // Signed by the set itself, whatever it says: a fork, or a successor that is taken back.
            let (set, number) = (
                proof.commitment.validator_set_id.get(),
                u32::from(input.byte()) % 40,
            );
            if let Some(signers) = CHAIN.sets.get(usize::try_from(set).unwrap_or(usize::MAX)) {
                let next = &CHAIN.sets[input.place(CHAIN.sets.len())];
                let mut commitment = signers.commitment(number, &next.set);
                commitment.block_hash = H256([input.byte() % 2; 32]);
                *proof = CHAIN.sign(set, commitment, 0..4);
            }
        }
        _ => {}
    }
}

fn updates(input: &mut Input<'_>) -> Vec<Update> {
    let mut updates = Vec::new();
    while !input.is_empty() && updates.len() < 8 {
        let number = PROOFS[input.place(PROOFS.len())];
        let justification = CHAIN.justification(number).expect("a proof");
        let set = justification.commitment.validator_set_id.get();
        let mut update: Update = match input.byte() % 4 {
            0 => justification.into(),
            1 => CHAIN.stateless_proof(number).expect("a proof").into(),
            2 if number % 10 == 5 => CHAIN.handoff_proofs(set, 1).swap_remove(0).into(),
            2 => HandoffProof {
                justification,
                next_keys: CHAIN.keys(set + 1).expect("keys"),
            }
            .into(),
            _ => CHAIN.stateless_proof(number).expect("a proof").into(),
        };
        deviate(&mut update, input);
        updates.push(update);
    }
    updates
}

fn update(data: &[u8]) {
    let mut input = Input(data);
    let beginning = &BEGINNINGS[input.place(2)];
    let updates = updates(&mut input);
    let together = beginning.verify_prefix(&updates);

    let mut trusted = beginning.clone();
    let mut all_new = true;
    let mut followed = 0;
    for update in &updates {
        let before = trusted.encode();
        match trusted.verify(update.clone()) {
            Ok(Outcome::New(verified)) => {
                assert!(verified.trusted.best_number() > trusted.best_number());
                assert_eq!(verified.trusted.best_hash(), update.commitment().block_hash);
                assert!(verified.trusted.latest_set().id >= trusted.latest_set().id);
                assert!(verified.signers() >= duet_primitives::threshold(verified.set_len));
                if all_new {
                    assert_eq!(
                        together[followed].trusted.encode(),
                        verified.trusted.encode()
                    );
                    assert_eq!(together[followed].justification, verified.justification);
                    followed += 1;
                }
                trusted = verified.trusted;
                let again = Trusted::decode(&trusted.encode()).expect("our own state");
                assert_eq!(again.encode(), trusted.encode());
            }
            Ok(Outcome::Known) => {
                assert_eq!(update.commitment().block_number, trusted.best_number());
                all_new = false;
            }
            Err(error) => {
                all_new = false;
                assert!(!error.rule().is_empty());
                let _ = (error.culprit(), error.next_step());
            }
        }
        let unchanged = trusted.encode() == before;
        assert!(unchanged || trusted.best_number() == update.commitment().block_number);
    }
    assert_eq!(together.len(), followed, "together and one by one");
    same_in_both_modes(&updates);
}

/// A proof for clients with keys and the one for those without are judged alike.
fn same_in_both_modes(updates: &[Update]) {
    let [mut full, mut stateless] = BEGINNINGS.clone();
    for update in updates {
        let Update::Stateless(proof) = update else {
            continue;
        };
        let by_keys = full.verify(proof.justification.clone());
        let by_commitment = stateless.verify(proof.clone());
        if let (Ok(Outcome::New(one)), Ok(Outcome::New(other))) = (&by_keys, &by_commitment) {
            assert_eq!(one.trusted.checkpoint(), other.trusted.checkpoint());
            (full, stateless) = (one.trusted.clone(), other.trusted.clone());
            // The keys of a set that a proof has named come from anybody.
            if let Some(set) = full.missing_keys() {
                let keys = CHAIN
                    .keys(set.get())
                    .expect("keys of a set that was signed for");
                if let Ok(with_keys) = full.with_keys(set, &keys) {
                    full = with_keys;
                }
            }
        } else if by_commitment.is_ok() && full.missing_keys().is_none() {
            assert!(
                by_keys.is_ok(),
                "whoever has no keys must not be told more than who has them"
            );
        }
    }
}

fn update_seeds() -> Vec<Seed> {
    let mut seeds = Vec::new();
    for mode in [0, 1] {
        let kind = [0, 1][usize::from(mode)];
        let handing_over = [2, 3][usize::from(mode)];
        let path = |deviation: &[u8]| {
            let mut bytes = vec![mode];
            for place in 0..6 {
                bytes.extend([place, if place % 3 == 1 { handing_over } else { kind }]);
                bytes.extend(if place == 2 { deviation } else { &[0] });
            }
            bytes
        };
        seeds.push(seed(format!("all in order {mode}"), path(&[0])));
        for what in 1..13 {
            let deviation = [what, 17, 1, 1];
            let len = if what == 8 { 4 } else { 2 };
            seeds.push(seed(
                format!("deviation {what} {mode}"),
                path(&deviation[..len]),
            ));
        }
        for (place, (name, _)) in (0_u8..).zip(odd::G1.iter()) {
            seeds.push(seed(format!("signature {name} {mode}"), path(&[1, place])));
        }
        for (place, (name, _)) in (0_u8..).zip(odd::G2.iter()) {
            seeds.push(seed(format!("apk2 {name} {mode}"), path(&[2, place])));
        }
        seeds.push(seed(
            format!("a fork {mode}"),
            [mode, 2, kind, 0, 2, kind, 8, 8, 1, 0],
        ));
        seeds.push(seed(
            format!("backwards {mode}"),
            [mode, 2, kind, 0, 1, kind, 0, 0, kind, 0],
        ));
        seeds.push(seed(
            format!("the same twice {mode}"),
            [mode, 1, kind, 0, 1, kind, 0],
        ));
        seeds.push(seed(
            format!("a set left out {mode}"),
            [mode, 1, handing_over, 0, 7, kind, 0],
        ));
    }
    seeds
}

/// Bytes with their checksum, which a damaged file does not have.
fn with_checksum(body: &[u8]) -> Vec<u8> {
    [body, Blake2Hasher::hash(body).as_bytes()].concat()
}

fn state(data: &[u8]) {
    let mut input = Input(data);
    let which = input.byte() % 3;
    let bytes = input.rest();
    match which {
        0 => assert!(Trusted::decode(bytes).is_err() || bytes.len() > 32),
        1 => {
            let bytes = with_checksum(bytes);
            if let Ok(trusted) = Trusted::decode(&bytes) {
                assert_eq!(trusted.encode(), bytes, "one encoding per state");
                let _ = (trusted.missing_keys(), trusted.checkpoint());
            }
        }
        _ => {
            let Some(checkpoint) = decoded_by(bytes, PER_BYTE, |bytes| {
                Checkpoint::decode_all(&mut &*bytes).ok()
            }) else {
                return;
            };
            for mode in [Mode::Full, Mode::Stateless] {
                if let Ok(trusted) = Trusted::from_checkpoint(checkpoint.clone(), mode) {
                    assert_eq!(trusted.checkpoint(), checkpoint);
                    assert!(trusted.in_mode(Mode::Stateless).missing_keys().is_none());
                }
            }
        }
    }
}

fn state_seeds() -> Vec<Seed> {
    let mut seeds = Vec::new();
    for (mode, beginning) in ["full", "stateless"].into_iter().zip(BEGINNINGS.iter()) {
        let mut trusted = beginning.clone();
        for number in [0, 2, 5] {
            if number > 0 {
                let update: Update = match mode {
                    "full" => CHAIN.justification(number).expect("a proof").into(),
                    _ => CHAIN.stateless_proof(number).expect("a proof").into(),
                };
                if let Ok(Outcome::New(verified)) = trusted.verify(update) {
                    trusted = verified.trusted;
                }
            }
            let bytes = trusted.encode();
            seeds.push(seed(
                format!("{mode} at {number} whole"),
                [&[0][..], &bytes].concat(),
            ));
            seeds.push(seed(
                format!("{mode} at {number}"),
                [&[1][..], &bytes[..bytes.len() - 32]].concat(),
            ));
        }
    }
    let checkpoint = CHAIN.checkpoint(0);
    seeds.push(seed(
        "checkpoint",
        [&[2][..], &checkpoint.encode()].concat(),
    ));
    for (name, bytes) in odd::G1.iter() {
        let mut changed = checkpoint.clone();
        changed.keysets.current.apk1 = Pk1Bytes(*bytes);
        changed.keysets.next = changed.keysets.current.clone();
        seeds.push(seed(
            format!("checkpoint with {name}"),
            [&[2][..], &changed.encode()].concat(),
        ));
    }
    seeds
}
